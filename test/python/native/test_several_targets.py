"""Files with programs for several targets: loading takes what runs on the machine."""

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.runtime import container
from tinytc_mlir.runtime.native.processor import NativeLoader

TEXT = "func @scale(%A: memref<f32x8>) { %a = load %A[3] : f32\n store %a, %A[0] }"
TARGETS = ("x86-64-v4", "x86-64-v3", "x86-64-v2", "aarch64-sve256", "aarch64")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    module = tt.Context().parse(TEXT)
    path = tmp_path_factory.mktemp("several") / "scale.tinytcb"
    tt.save(path, [module.compile(target) for target in TARGETS])
    return path


@pytest.fixture
def machine(monkeypatch):
    """Return a function that chooses the targets that native code runs for."""

    def choose(*runs):
        device = type("Device", (), {"runs": runs, "is_cpu": True, "target": "native"})()
        monkeypatch.setattr(NativeLoader, "devices", lambda self: [device])

    return choose


def test_the_best_of_this_machine(path):
    (device,) = NativeLoader().devices()
    program = tt.load(path)
    assert program.target == next(target for target in TARGETS if target in device.runs)
    a = np.arange(8, dtype=np.float32)
    program["scale"](a)
    assert a[0] == 3
    assert tt.load(path, queue=tt.native_queue()).target == program.target


@pytest.mark.parametrize("target", TARGETS)
def test_machines(path, machine, target):
    machine(target)
    assert tt.load(path).target == target


def test_a_machine_for_none(path, machine):
    machine("another")
    assert tt.load(path).target == TARGETS[0]


def test_a_target_by_name(path):
    for target in TARGETS:
        assert tt.load(path, target=target).target == target
    message = "scale.tinytcb: expected a program for cpu, got x86-64-v4, x86-64-v3, x86-64-v2, a"
    with pytest.raises(tt.TinyTCError, match=message):
        tt.load(path, target="cpu")


def test_several_kinds_of_targets(tmp_path):
    module = tt.Context().parse(TEXT)
    path = tmp_path / "scale.tinytcb"
    tt.save(path, [module.compile("cuda:sm_90"), module.compile("cpu")])
    assert tt.load(path).target == "cpu"


def test_which_programs(tmp_path):
    program = tt.Context().parse(TEXT).compile("x86-64-v3")
    for programs, given in (([program, program], "x86-64-v3, x86-64-v3"), ([], "none")):
        message = f"p.tinytcb: expected programs for different targets, got {given}"
        with pytest.raises(tt.TinyTCError, match=message):
            tt.save(tmp_path / "p.tinytcb", programs)


def test_damage_is_noticed(path):
    data = path.read_bytes()
    for size in (0, 20, 60, len(data) // 2, len(data) - 1):
        with pytest.raises(tt.TinyTCError, match="cut: expected"):
            container.unpack_all(data[:size], "cut")
    with pytest.raises(tt.TinyTCError, match="none: expected at least one program, got none"):
        container.unpack_all(container.pack_all([]), "none")
    with pytest.raises(tt.TinyTCError, match="odd, program 1 is a program in text"):
        container.unpack_all(container.pack_all([b"code"]), "odd")
    with pytest.raises(tt.TinyTCError, match="expected format 1 or 2, got 3"):
        container.unpack(data, "several")


def test_the_command(tinytc, tmp_path):
    source, made = tmp_path / "scale.ir", tmp_path / "scale.tinytcb"
    source.write_text(TEXT)
    words = ["compile", "--target", "x86-64-v3,aarch64", str(source), "-o", str(made)]
    assert tinytc(*words)[0] == 0
    assert [tt.load(made, target=target).target for target in ("x86-64-v3", "aarch64")]
    status, _, errors = tinytc(*words, "--emit", "object")
    assert status == 2
    assert "expected one target with --emit object, got several" in errors
    with pytest.raises(SystemExit):
        tinytc("compile", "--target", "x86-64-v3,mips", str(source))
