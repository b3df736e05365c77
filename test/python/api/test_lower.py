"""`lower` prints what `compile` of the same target and options makes."""

import itertools

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.compiler import TARGETS, stages_of
from tinytc_mlir.runtime import devices, loaders

TEXT = """
func @gemm(%A: memref<f32x16x8x?>, %B: memref<f32x8x4>, %C: memref<f32x16x4x?>) {
  %i = builtin.group_id : index
  %a = subview %A[:,:,%i] : memref<f32x16x8>
  %c = subview %C[:,:,%i] : memref<f32x16x4>
  %one = constant 1.0 : f32
  gemm.n.n %one, %a, %B, %one, %c
}
"""
SHAPES = [(16, 8, 3), (8, 4), (16, 4, 3)]
CHOICES = {
    "target": [None, *TARGETS],
    "abi": ["packed", "plain"],
    "vector_bytes": [None, 0],
    "debug": [False, True],
}
OPTIONS = [
    dict(zip(CHOICES, values, strict=True)) for values in itertools.product(*CHOICES.values())
]


@pytest.fixture(scope="module")
def module():
    return tt.Context().parse(TEXT)


@pytest.fixture
def without_devices(monkeypatch):
    monkeypatch.setattr(loaders, "_LOADERS", [])
    monkeypatch.setattr(devices, "_queues", {})


def test_all_options(module):
    for options in OPTIONS:
        expected = module.compile(**options)
        stage = stages_of(options.get("target"))[-1]
        lowered = module.lower(stage, **options).compile()
        assert lowered.code == expected.code, options
        assert lowered.target == expected.target


@pytest.mark.parametrize("stage", stages_of("cpu")[1:])
def test_defaults(module, stage):
    assert module.lower(stage).compile().spirv == module.compile().spirv


@pytest.mark.parametrize("vector_bytes", [16, 32, 64])
def test_registers(module, vector_bytes):
    lowered = module.lower("prepared", target="cpu", vector_bytes=vector_bytes)
    assert f"vector_bytes = {vector_bytes}>" in str(lowered)
    expected = module.compile("cpu", vector_bytes=vector_bytes).spirv
    assert lowered.compile().spirv == expected

    def schedule(vector_bytes):
        stage = str(module.lower("gpu", target="cpu", vector_bytes=vector_bytes))
        return stage.replace(f", vector_bytes = {vector_bytes}>", ">")

    assert (schedule(vector_bytes) == schedule(0)) == (vector_bytes == 64)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "cpu", "vector_bytes": 48}, "'vector_bytes' of target 'cpu' to be one of 0, "),
        ({"target": "intel-gpu:pvc", "vector_bytes": 48}, "of target 'intel-gpu:pvc' to be one"),
        (
            {"vector_bytes": -1},
            "expected an integer from 0 to 9223372036854775807 for vector_bytes, got -1",
        ),
        ({"vector_bytes": "64"}, "for vector_bytes, got '64' (str)"),
        (
            {"registers": 0},
            "expected an integer from 1 to 9223372036854775807 for registers, got 0",
        ),
        ({"registers": True}, "for registers, got True (bool)"),
        ({"target": "cpu", "registers": 256}, "'registers' of target 'cpu' to be 0, got 256"),
        (
            {"target": "intel-gpu:dg2", "registers": 64, "vector_bytes": 64},
            "expected 'registers' of target 'intel-gpu:dg2' to be one of 0, 128, 256, got 64",
        ),
        (
            {"target": "cuda:sm_90", "allow_tf32": True},
            "'allow_tf32', one of intel-gpu:pvc, intel-gpu:bmg, got 'cuda:sm_90'",
        ),
        ({"allow_tf32": 1}, "expected True or False for allow_tf32, got 1"),
        ({"tuned": 1}, "expected True or False for tuned, got 1"),
    ],
    ids=str,
)
def test_refused_options(module, options, message):
    for refuse in (module.compile, lambda **given: module.lower("gpu", **given)):
        with pytest.raises(tt.LoweringError) as caught:
            refuse(**options)
        assert message in str(caught.value)


def test_only_launches_need_a_device(module, without_devices, tmp_path):
    program = module.compile()
    assert (program.target, module.lower("spirv").compile().spirv) == ("cpu", program.spirv)
    program.save(tmp_path / "gemm.tinytc")
    with pytest.raises(tt.DeviceError, match="expected a device for target cpu, got none"):
        program["gemm"](*(np.zeros(shape, np.float32, "F") for shape in SHAPES))


@pytest.mark.parametrize("words", [(), ("--vector-bytes", "32"), ("--debug",)], ids=str)
def test_the_command_line_prints_what_compile_writes(tinytc, tmp_path, words):
    file = tmp_path / "gemm.ir"
    file.write_text(TEXT)
    status, text, _ = tinytc("lower", file, "--target", "cpu", *words)
    assert status == 0
    assert tinytc("compile", file, *words, "--emit", "spirv", "-o", tmp_path / "a.spv")[0] == 0
    lowered = tt.Context().parse_mlir(text)
    assert lowered.compile().spirv == (tmp_path / "a.spv").read_bytes()


def test_the_command_line_refuses_words(tinytc, tmp_path, capsys):
    with pytest.raises(SystemExit):
        tinytc("lower", "gemm.ir", "--vector-bytes", "wide")
    assert "expected a natural number, got 'wide'" in capsys.readouterr().err
