"""DLPack: arrays of other libraries on a device, and ours for them."""

import gc

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.runtime import devices
from tinytc_mlir.runtime.arrays import dlpack
from tinytc_mlir.runtime.nvidia.cuda_array import view_of_interface


class Foreign:
    """An array of a library that has DLPack alone."""

    def __init__(self, array, change=lambda managed: None):
        self.array, self.change, self.streams = array, change, []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        capsule = self.array.__dlpack__(stream=stream)
        address = dlpack._pointer_of(id(capsule), b"dltensor")
        self.change(dlpack._Managed.from_address(address))
        return capsule


@pytest.fixture
def x(driver):
    return tt.asarray(np.arange(12, dtype=np.float32).reshape(4, 3), device="cuda")


def test_arrays_with_dlpack_alone_are_used_in_place(program, x):
    foreign = Foreign(x)
    program["scale"](2, foreign, groups=3)
    assert x.get().tolist() == (2 * np.arange(12).reshape(4, 3)).tolist()
    assert set(foreign.streams) == {dlpack.LEGACY_STREAM}
    devices.queue_of("cuda").wait()
    gc.collect()
    assert not dlpack._offered


def test_what_a_capsule_says(x):
    taken = dlpack.DlpackArray(x)
    view = view_of_interface(taken)
    assert (view.shape, view.strides_bytes, view.dtype) == ((4, 3), (4, 16), np.float32)
    assert view.address == x.__cuda_array_interface__["data"][0]
    assert len(dlpack._offered) == 1
    del taken, view
    assert not dlpack._offered


def test_capsules_that_nobody_takes(x):
    capsule = x.__dlpack__(stream=-1)
    assert len(dlpack._offered) == 1
    del capsule
    assert not dlpack._offered


def test_offsets_and_packed_strides(x):
    def change(managed):
        managed.tensor.byte_offset = 8
        managed.tensor.strides = None
        managed.tensor.shape[0] = 2

    view = view_of_interface(dlpack.DlpackArray(Foreign(x, change)))
    assert view.address == x.__cuda_array_interface__["data"][0] + 8
    assert (view.shape, view.strides_bytes) == ((2, 3), (12, 4))


def test_other_streams_wait_for_ours(driver, x):
    with devices.default_device("cuda").current():
        stream = driver.cuStreamCreate(0)[1]
    x.__dlpack__(stream=int(stream))
    target = np.zeros((3, 4), np.float32)  # the elements in the order of the memory
    with devices.default_device("cuda").current():
        address = x.__cuda_array_interface__["data"][0]
        driver.cuMemcpyDtoHAsync(target.ctypes.data, address, target.nbytes, stream)
        driver.cuStreamSynchronize(stream)
    assert target.T.tolist() == np.arange(12).reshape(4, 3).tolist()


def test_copies_are_refused(x):
    for options in ({"copy": True}, {"dl_device": (1, 0)}):
        with pytest.raises(BufferError, match="expected a request for the array itself"):
            x.__dlpack__(**options)


def test_types_that_kernels_do_not_have(program, x):
    def change(managed):
        managed.tensor.lanes = 4

    message = "'X': .*expected a readable DLPack capsule, got .*expected numbers of whole bytes"
    with pytest.raises(tt.ArgumentError, match=message):
        program["scale"](2, Foreign(x, change), groups=3)


def test_tensors_of_the_host_have_the_attribute_in_their_type(driver, program):
    class Tensor:
        """A tensor of PyTorch on the host."""

        def __init__(self):
            self.array = np.ones((4, 3), np.float32, order="F")

        @property
        def __cuda_array_interface__(self):
            raise AttributeError("not on a device")

        def __dlpack_device__(self):
            return 1, 0

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

    tensor = Tensor()
    program["scale"](2, tensor, groups=3)
    assert (tensor.array == 2).all()


def test_a_place_is_given_once(driver):
    with pytest.raises(tt.ArgumentError, match="'device': expected no device beside"):
        tt.empty(3, queue="cuda", device="cuda")
