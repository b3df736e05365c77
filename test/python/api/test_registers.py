"""Registers of a thread on GPUs of Intel: what the compiler decides, and what drivers are told."""

import dataclasses

import pytest

import tinytc_mlir as tt
from binaries import needs_ocloc
from tinytc_bench import ocloc_counts
from tinytc_mlir.explore import ocloc
from tinytc_mlir.runtime import container
from tinytc_mlir.runtime.manifest import Manifest
from tinytc_mlir.runtime.spirv import sycl_programs

TEXT = """
func @gemm(%A: memref<f64x64x64>, %B: memref<f64x64x64>, %C: memref<f64x64x64>) {
  %one = constant 1.0 : f64
  %zero = constant 0.0 : f64
  gemm.n.n %one, %A, %B, %zero, %C
}
"""
GPU = "intel-gpu:pvc"


@pytest.fixture(scope="module")
def module():
    return tt.Context().parse(TEXT)


def test_the_number_is_in_the_program(module, tmp_path):
    large, small = (module.compile(GPU, registers=number) for number in (256, 128))
    assert large.spirv != small.spirv
    assert (large.manifest.registers, small.manifest.registers) == (256, 128)
    path = tmp_path / "gemm.tinytc"
    large.save(path)
    assert tt.load(path).manifest == large.manifest
    assert container.pack(large.code, large.manifest) == path.read_bytes()


def test_who_chooses(module):
    """The cost model, unless other hosts launch the kernel."""
    assert module.compile(GPU).manifest.registers == 256
    assert module.compile(GPU).spirv == module.compile(GPU, registers=256).spirv
    plain = module.compile(GPU, abi="plain")
    assert plain.manifest.registers is None
    assert plain.spirv == module.compile(GPU, abi="plain", registers=128).spirv
    assert module.compile(GPU, abi="plain", registers=256).manifest.registers == 256
    assert module.compile("cpu").manifest.registers is None


def test_stages_keep_the_number(module):
    options = {"registers": 256, "vector_bytes": 64}
    lowered = module.lower("prepared", target=GPU, **options)
    assert "max_work_group_size = 512" in str(lowered)
    assert "registers = 256, vector_bytes = 64>" in str(lowered)
    assert lowered.compile().manifest == module.compile(GPU, **options).manifest


def test_the_command_line(tinytc, tmp_path):
    file, output = tmp_path / "gemm.ir", tmp_path / "gemm.json"
    file.write_text(TEXT)
    words = ("compile", file, "--target", GPU, "--emit", "manifest", "-o", output)
    for number in (128, 256):
        assert tinytc(*words, "--registers", number)[0] == 0
        assert Manifest.from_json(output.read_text()).registers == number


def test_manifests_of_older_versions():
    manifest = Manifest("cpu", ())
    assert "registers" not in manifest.to_json()
    assert Manifest.from_json(manifest.to_json()).registers is None
    text = manifest.to_json().replace('"target"', '"registers": "many", "target"')
    with pytest.raises(tt.TinyTCError, match="'registers' to be an integer .* got 'many'"):
        Manifest.from_json(text)


@pytest.mark.parametrize(
    ("target", "interface", "option"),
    [
        (GPU, "level_zero", "-ze-opt-large-register-file"),
        ("intel-gpu:dg2", "opencl", "-cl-intel-256-GRF-per-thread"),
        ("cpu", "opencl", ""),
    ],
)
@pytest.mark.parametrize("registers", [None, 128, 256])
def test_what_drivers_are_told(monkeypatch, module, target, interface, option, registers):
    """A driver without such a device is in the place of the real one."""
    told = []

    class Device:
        name, is_cpu, driver = "a device", False, interface

        def __init__(self, native):
            self.target = target

    class Dpctl:
        BuildError, takes_binaries, leaks_programs = RuntimeError, False, False

        @staticmethod
        def create_program(queue, code, options):
            told.append(options)
            raise RuntimeError

    def log(code, name, options):
        told.append(options)
        return "no"

    monkeypatch.setattr(sycl_programs, "SyclDevice", Device)
    monkeypatch.setattr(sycl_programs, "names_of_dpctl", lambda: Dpctl)
    monkeypatch.setattr(sycl_programs, "build_log", log)
    program = module.compile(GPU, registers=128)
    manifest = dataclasses.replace(program.manifest, registers=registers)
    queue = type("Queue", (), {"sycl_device": None})
    with pytest.raises(tt.DeviceError, match="a device cannot build"):
        sycl_programs.built_program(tt.Program(program.code, manifest), queue)
    assert told == [option if registers == 256 else ""] * 2


@needs_ocloc
@pytest.mark.parametrize("gpu", ocloc_counts.COUNTED)
def test_the_offline_compiler_takes_the_option(gpu):
    module = tt.Context().parse(TEXT.replace("f64", "f32"))
    for number in ocloc.REGISTERS:
        program = module.compile(ocloc.DEVICES[gpu].name, registers=number)
        binary = ocloc.compile_binary(program.spirv, gpu, registers=number)
        assert f"grf_count: {number}" in " ".join(
            ocloc_counts._section(binary, ".ze_info").decode().replace(":", ": ").split()
        )
