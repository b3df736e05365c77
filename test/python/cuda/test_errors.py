"""What can be wrong with an NVIDIA device, each with its own error."""

import dataclasses
import subprocess
import sys

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.runtime import devices
from tinytc_mlir.runtime.nvidia import cuda_driver


@pytest.fixture
def x():
    return np.ones((4, 3), np.float32, order="F")


def test_no_package(monkeypatch, program, x):
    cuda_driver.driver.cache_clear()
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", None)
    with pytest.raises(tt.DeviceError, match=r"cuda-bindings \(pip install 'tinytc-mlir\[cuda\]'"):
        program["scale"](2, x, groups=3)
    assert devices.default_device().target is not None  # others go on


def test_no_driver(driver, program, x):
    driver.cuInit = lambda flags: 1 / 0  # what the package raises is an error of its own
    cuda_driver.driver.cache_clear()
    with pytest.raises(tt.DeviceError, match="expected an NVIDIA driver, got none that works"):
        program["scale"](2, x, groups=3)


@pytest.mark.parametrize(
    ("function", "code", "message"),
    [
        ("cuInit", 100, "the driver finds no NVIDIA device"),
        ("cuInit", 803, "the driver of the system and its libraries do not fit each other"),
        ("cuDeviceGetCount", 3, "no NVIDIA driver works here"),
        ("cuModuleLoadDataEx", 222, "Fake 0 cannot build the program: the driver is too old"),
        ("cuModuleLoadDataEx", 209, "the program is for another kind of device"),
        ("cuModuleGetFunction", 500, "Fake 0 cannot load the kernel scale: CUDA_ERROR_500"),
        ("cuMemAlloc", 2, "the device has not enough free memory"),
    ],
)
def test_errors_of_the_driver(driver, program, x, function, code, message):
    driver.errors[function] = code
    cuda_driver.driver.cache_clear()
    with pytest.raises(tt.DeviceError, match=message):
        program["scale"](2, x, groups=3)
    program["scale"](2, x, groups=3)  # and then it goes on
    assert (x == 2).all()


def test_the_log_of_the_compiler(driver, program, x):
    def load(code, count, options, values):
        values[0][:5] = b"oops\n"
        return (218, None)

    driver.cuModuleLoadDataEx = load
    with pytest.raises(tt.DeviceError, match="oops") as caught:
        program["scale"](2, x, groups=3)
    assert caught.value.build_log == "oops"


@pytest.mark.parametrize(("code", "is_fatal"), [(701, False), (700, True)])
def test_failing_kernels(driver, program, x, code, is_fatal):
    array = tt.asarray(x, queue="cuda")
    function = "cuEventSynchronize" if is_fatal else "cuLaunchKernel"
    driver.errors[function] = code
    with pytest.raises(tt.LaunchError, match="^scale: ") as caught:
        program["scale"](2, array, groups=3)
    assert ("cannot be used in this process any more" in str(caught.value)) == is_fatal


def test_devices_that_are_too_old(install, program, x):
    install(capabilities=((7, 5),))
    assert [device.target for device in devices.devices("cuda")] == [None]
    with pytest.raises(tt.DeviceError, match="expected a device for target cuda:sm_90, got .*Fake"):
        program["scale"](2, x, groups=3)


def test_targets_of_devices(install, program, manifest, x):
    install(capabilities=((8, 6), (9, 0), (12, 0)))
    found = devices.devices("cuda")
    assert [device.target for device in found] == ["cuda:sm_80", "cuda:sm_90", "cuda:sm_100"]
    assert devices.default_device("cuda:sm_90").ordinal == 1
    assert devices.default_device("cuda").ordinal == 0
    old = dataclasses.replace(manifest, target="cuda:sm_80")
    assert devices.default_device(old.target).ordinal == 0
    assert devices.default_device().driver != "cuda"  # unless it is named
    assert devices.devices()[-1].driver == "cuda"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (b"", "expected PTX, got other contents"),
        (b".version 8.0\n.target sm_90\n.visible .entry scale(){}", "expected the kernel gather"),
        (b".version 8.0\n.target sm_90\n\0", "expected PTX without zero bytes"),
    ],
)
def test_damaged_code(tmp_path, manifest, code, message):
    tt.Program(code, manifest).save(tmp_path / "a.tinytc")
    with pytest.raises(tt.TinyTCError, match=message):
        tt.load(tmp_path / "a.tinytc")


def test_cubins(tmp_path, manifest):
    cubin = dataclasses.replace(manifest, format="cubin")
    code = b"\x7fELF" + bytes(100) + b".text.scale\0.text.gather\0"
    tt.Program(code, cubin).save(tmp_path / "a.tinytc")
    assert tt.load(tmp_path / "a.tinytc").manifest.format == "cubin"
    for damaged in (code.replace(b"gather", b"gathers"), code.replace(b"text.g", b"data.g")):
        tt.Program(damaged, cubin).save(tmp_path / "a.tinytc")
        with pytest.raises(tt.TinyTCError, match="expected the kernel gather in the cubin"):
            tt.load(tmp_path / "a.tinytc")
    tt.Program(b"\x7fELX" + bytes(100), cubin).save(tmp_path / "a.tinytc")
    with pytest.raises(tt.TinyTCError, match="expected a cubin, got other contents"):
        tt.load(tmp_path / "a.tinytc")


def test_arrays_that_are_none(driver, program):
    class Array:
        __cuda_array_interface__ = None

        def __init__(self, **entries):
            whole = {"shape": (4, 3), "typestr": "<f4", "data": (0, False)}
            self.__cuda_array_interface__ = whole | entries

    for entries, message in (
        ({"mask": 1}, "expected an array without a mask"),
        ({"strides": (4,)}, "expected 2 strides, got 1"),
        ({"data": None}, "expected a readable __cuda_array_interface__, got "),
        ({"typestr": "<f8"}, "expected dtype float32"),
    ):
        with pytest.raises(tt.ArgumentError, match=f"'X': .*{message}"):
            program["scale"](1, Array(**entries), groups=1)


WITHOUT_COMPILER = """
import importlib.abc, sys
class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("mlir", "dpctl", "opt_einsum", "platformdirs", "_tinytc"):
            raise ImportError(name)
        if name == "tinytc_mlir._tinytc":
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
import tinytc_mlir as tt
program = tt.load(sys.argv[1])
print(program, program["scale"].info.signature)
try:
    program["scale"](1, [[1.0]], groups=1)
except tt.TinyTCError as error:
    print(type(error).__name__)
"""


def test_programs_load_without_the_compiler(tmp_path, program):
    program.save(tmp_path / "a.tinytc")
    command = [sys.executable, "-c", WITHOUT_COMPILER, str(tmp_path / "a.tinytc")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "cuda:sm_90" in done.stdout
    assert done.stdout.splitlines()[-1] in ("ArgumentError", "DeviceError")
