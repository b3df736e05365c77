"""Devices are known by what they are; one that no target fits is an error."""

from types import SimpleNamespace

import pytest

import tinytc_mlir as tt
from fake_runtime import FakeDevice, registered
from tinytc_mlir.compiler import TARGETS
from tinytc_mlir.runtime import devices
from tinytc_mlir.runtime.native import processor as native
from tinytc_mlir.runtime.nvidia import cuda
from tinytc_mlir.runtime.spirv import sycl, sycl_devices
from tinytc_mlir.runtime.spirv.intel_gpus import target_of_gpu

INTEL = "Intel(R) Corporation"
GPUS = [
    (INTEL, "Intel(R) Data Center GPU Max 1550", 0x0BD5, "intel-gpu:pvc"),
    (INTEL, "Intel(R) Data Center GPU Max 1100", 0x0BDA, "intel-gpu:pvc"),
    (INTEL, "Intel(R) Data Center GPU Max 1100", None, "intel-gpu:pvc"),
    (INTEL, "Intel(R) Arc(TM) A770 Graphics", 0x56A0, "intel-gpu:dg2"),
    (INTEL, "Intel(R) Arc(TM) A370M Graphics", 0x5693, "intel-gpu:dg2"),
    (INTEL, "Intel(R) Arc(TM) A750 Graphics", None, "intel-gpu:dg2"),
    (INTEL, "Intel(R) Arc(TM) Pro A40/A50 Graphics", None, "intel-gpu:dg2"),
    (INTEL, "Intel(R) Data Center GPU Flex 170", 0x56C0, "intel-gpu:dg2"),
    (INTEL, "Intel(R) Graphics [0x56c1]", 0x56C1, "intel-gpu:dg2"),
    (INTEL, "Intel(R) Arc(TM) B580 Graphics", 0xE20B, "intel-gpu:bmg"),
    (INTEL, "Intel(R) Arc(TM) Pro B50 Graphics", None, "intel-gpu:bmg"),
    (INTEL, "Intel(R) Arc(TM) 140V GPU", 0x64A0, "intel-gpu:bmg"),
    (INTEL, "Intel(R) Arc(TM) 130V GPU (8GB)", None, "intel-gpu:bmg"),
    (INTEL, "Intel(R) Iris(R) Xe Graphics", 0x9A49, None),
    (INTEL, "Intel(R) UHD Graphics 770", None, None),
    (INTEL, "Intel(R) Arc(TM) Graphics", 0x7D55, None),  # an integrated one
    (INTEL, "Intel(R) Graphics [0xb080]", 0xB080, None),
    ("NVIDIA Corporation", "NVIDIA H200", None, None),
    ("NVIDIA Corporation", "NVIDIA Arc(TM) A770", 0x56A0, None),
    ("Advanced Micro Devices, Inc.", "gfx90a", None, None),
]


def test_the_runtime_knows_the_targets_of_the_compiler():
    loaders = (sycl.SyclLoader, cuda.CudaLoader, native.NativeLoader)
    assert {name for loader in loaders for name in loader.targets} == set(TARGETS)


@pytest.mark.parametrize(("vendor", "name", "device_id", "target"), GPUS)
def test_gpus(vendor, name, device_id, target, monkeypatch):
    assert target_of_gpu(vendor, name, device_id) == target
    info = {} if device_id is None else {"device_id": device_id}
    names = SimpleNamespace(intel_device_info=lambda native: info)
    monkeypatch.setattr(sycl_devices, "names_of_dpctl", lambda: names)
    native = SimpleNamespace(
        has_aspect_cpu=False, has_aspect_gpu=True, vendor=vendor, name=name + " "
    )
    assert sycl.SyclDevice(native).target == target


def test_accelerators_are_not_gpus():
    native = SimpleNamespace(has_aspect_cpu=False, has_aspect_gpu=False, vendor=INTEL, name="FPGA")
    assert sycl.SyclDevice(native).target is None


def test_native_code_is_chosen_by_name_or_without_a_device(monkeypatch):
    assert devices.default_device().target != "native"
    assert devices.default_device("native").target == "native"
    monkeypatch.setattr(sycl.LOADER, "devices", list)
    monkeypatch.setattr(cuda.CudaLoader, "devices", list)
    monkeypatch.setattr(sycl.driver, "driver_path", lambda: None)
    assert devices.default_device().target == "native"
    # What hides devices is said instead.
    monkeypatch.setattr(sycl.SyclLoader, "advice", lambda self: "a variable hides them")
    with pytest.raises(tt.DeviceError, match=r"expected a device for one of .*, got none; a vari"):
        devices.default_device()


def test_device_without_target(tinytc, monkeypatch):
    with registered(FakeDevice("Iris", None)) as fake:
        with pytest.raises(
            tt.DeviceError,
            match=f"expected a device for one of the targets {', '.join(TARGETS)}, got Iris",
        ):
            tt.Context().parse("func @f() {}").compile(fake.devices()[0])
        assert "Iris [no target]" in tinytc("devices")[1]
        assert devices.default_device().name != "Iris"
        monkeypatch.setattr(sycl.LOADER, "devices", list)
        message = r"expected a device for one of the targets .*, got Iris \(no target\)"
        with pytest.raises(tt.DeviceError, match=message):
            devices.default_device()


def test_missing_library_matters_only_without_another(monkeypatch):
    def missing():
        raise tt.DeviceError("expected the packages dpctl")

    monkeypatch.setattr(sycl.LOADER, "devices", missing)
    monkeypatch.setattr(native.NativeLoader, "devices", lambda self: missing())
    with pytest.raises(tt.DeviceError, match="expected the packages dpctl"):
        devices.devices()
    with registered(FakeDevice("Other", "fake")):
        assert [device.name for device in devices.devices()] == ["Other"]
        assert devices.default_device().name == "Other"


def test_a_missing_nvidia_driver_is_not_what_is_missing(monkeypatch):
    monkeypatch.setattr(sycl.SyclLoader, "devices", lambda self: [])

    def fail(self):
        raise tt.DeviceError("expected an NVIDIA driver, got none at all.")

    monkeypatch.setattr(cuda.CudaLoader, "devices", fail)
    monkeypatch.setattr(native.NativeLoader, "devices", lambda self: [])
    assert devices.devices() == []
    with pytest.raises(tt.DeviceError, match="expected a device for one of the targets .*none"):
        devices.default_device()
    message = "^expected an NVIDIA driver, got none at all; `tinytc devices` lists what there is$"
    with pytest.raises(tt.DeviceError, match=message):
        devices.default_device("cuda")


@pytest.mark.parametrize(
    ("name", "meant"),
    [("gpu", "'intel-gpu:pvc' or 'cuda'"), ("CPU", "'cpu'"), ("nvidia", "'cuda'")],
)
def test_what_people_call_devices(name, meant):
    message = f"expected a device for target {name}, got .*; did you mean {meant}\\?$"
    with pytest.raises(tt.DeviceError, match=message):
        tt.empty(3, device=name)
