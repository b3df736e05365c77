"""What code runs on processors other than this one."""

import platform

import pytest

import tinytc_mlir as tt
from tinytc_mlir._tinytc import targets
from tinytc_mlir.runtime import devices
from tinytc_mlir.runtime.native import host, processor

NEOVERSE = "fp asimd evtstrm aes crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp ssbs"
OLDER = "fp asimd evtstrm crc32 cpuid"


@pytest.fixture
def on(monkeypatch):
    """Return a function that makes this another machine."""

    def pretend(system, machine, features="", sve_bytes=0):
        monkeypatch.setattr(platform, "system", lambda: system)
        monkeypatch.setattr(platform, "machine", lambda: machine)
        monkeypatch.setattr(host, "_cpu_info", lambda: {"Features": features})
        monkeypatch.setattr(host, "_sve_bytes", lambda features: sve_bytes)
        return processor.NativeLoader()

    return pretend


@pytest.mark.parametrize(
    "features, sve_bytes, runs",
    [
        (NEOVERSE, 0, ("aarch64",)),
        (NEOVERSE, 16, ("aarch64",)),
        (NEOVERSE, 32, ("aarch64",)),
        (f"{NEOVERSE} i8mm bf16", 16, ("aarch64-mmla", "aarch64")),
        (f"{NEOVERSE} i8mm bf16", 32, ("aarch64-sve256", "aarch64-mmla", "aarch64")),
        (NEOVERSE, 64, ("aarch64-sve512", "aarch64")),
        (OLDER, 0, ()),
    ],
)
def test_targets_of_aarch64(on, features, sve_bytes, runs):
    (device,) = on("Linux", "aarch64", features, sve_bytes).devices()
    assert device.runs == ("native", *runs)


def test_targets_of_apple(on):
    (device,) = on("Darwin", "arm64").devices()
    assert device.runs == ("native", "aarch64")


def test_local_memory_is_what_programs_can_have(on):
    (device,) = on("Darwin", "arm64").devices()
    (target,) = (target for target in targets() if target.name == "native")
    assert device.limits.local_memory_bytes == target.local_memory_bytes
    assert ", 256 KiB local memory, " in devices.describe_device(device)


def test_registers_of_this_processor():
    assert host._sve_bytes(OLDER.split()) == 0


def test_other_machines(on):
    expected = "expected Linux on x86-64 or AArch64, or macOS on arm64 for native kernels, got "
    with pytest.raises(tt.DeviceError, match=f"{expected}Linux on riscv64"):
        on("Linux", "riscv64").devices()
    with pytest.raises(tt.DeviceError, match=f"{expected}Darwin on x86_64"):
        on("Darwin", "x86_64").devices()


def test_code_of_the_wrong_machine(on, monkeypatch):
    module = tt.Context().parse("func @nothing(%A: memref<f32x1>) {\n}\n")
    program = module.compile("x86-64-v2")
    loader = on("Linux", "aarch64", NEOVERSE)
    with pytest.raises(tt.DeviceError, match="expected code for aarch64, got code for x86-64"):
        loader.load(program, "nothing", processor.NativeQueue(loader.devices()[0]))


def test_processors_without_affinity(monkeypatch):
    monkeypatch.delattr("os.sched_getaffinity")
    monkeypatch.setattr("os.cpu_count", lambda: 5)
    assert host.usable_processors() == 5
