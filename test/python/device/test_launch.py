"""Launches: memory, queues, events, and errors before anything runs."""

import gc
import threading
import weakref

import dpctl.memory
import numpy as np
import pytest

import handmade
import tinytc_mlir as tt
from tinytc_mlir.runtime import devices
from tinytc_mlir.runtime.protocol import Limits


@pytest.fixture
def scale():
    return handmade.scale()["scale"]


def usm(*values):
    return tt.asarray(np.array(values, np.float32))


def test_empty():
    array = tt.empty((3, 4), np.float64)
    assert array.flags.f_contiguous
    assert array.ctypes.data % 64 == 0
    assert tt.empty((3, 4), order="C").flags.c_contiguous
    assert tt.empty(0).shape == (0,)
    assert tt.empty(()).shape == ()


def test_name(scale):
    assert scale.name == "scale"


def test_asarray_copies_once():
    source = np.arange(6.0).reshape(2, 3)
    array = tt.asarray(source)
    assert (array == source).all()
    assert tt.asarray(array) is array
    assert tt.asarray(array, np.float32).dtype == np.float32
    assert not np.shares_memory(tt.asarray(array.T), array)


def test_too_much_memory():
    with pytest.raises(tt.DeviceError, match="expected 4611686018427387904 bytes of USM memory"):
        tt.empty(2**60)


def test_submit(scale):
    x = usm(1, 2, 3)
    event = scale.submit(2, x, groups=3)
    event.wait()
    assert event.is_complete
    assert x.tolist() == [2, 4, 6]


def test_submit_keeps_arguments_alive(scale):
    x = usm(*range(100))
    for _ in range(50):
        scale.submit(1, tt.asarray(x.copy()), groups=100)
    gc.collect()
    scale.submit(2, x, groups=100).wait()
    assert x[99] == 198


@pytest.mark.parametrize("properties", [["in_order"], []])
def test_arguments_are_let_go(scale, properties):
    queue = dpctl.SyclQueue("cpu", property=properties)
    x, y = usm(1, 2, 3), usm(4, 5, 6)
    gone = weakref.ref(x)
    bound = scale.bind(1, x, groups=3, queue=queue)
    for _ in range(20):
        event = bound.submit()
    event.wait()
    queue.wait()
    del bound, event, x
    other = scale.bind(1, y, groups=3, queue=queue)
    for _ in range(20):
        other.submit().wait()
    gc.collect()
    assert gone() is None


def test_submit_copies_inputs_at_once():
    x, y = np.ones(8), tt.asarray(np.zeros(8))
    event = handmade.add()["add"].submit(x, y, groups=8)
    x[:] = 100
    event.wait()
    assert y.tolist() == [1] * 8


def test_submit_refuses_to_lose_results(scale):
    with pytest.raises(tt.ArgumentError, match="argument 'X': expected an array in USM memory"):
        scale.submit(2, np.ones(3, np.float32), groups=3)


def test_depends_across_queues(scale):
    device = devices.default_device("cpu").native
    first, second = (dpctl.SyclQueue(device) for _ in range(2))
    x = usm(1)
    event = None
    for queue in [first, second] * 10:
        event = scale.submit(2, x, groups=1, queue=queue, depends=[event] if event else [])
    scale.submit(0.5, x, groups=1, queue=first, depends=[event.native]).wait()
    assert x[0] == 2**19


def test_depends_refuses_other_objects(scale):
    with pytest.raises(tt.LaunchError, match="expected an event in depends, got 3 .int"):
        scale.submit(2, usm(1), groups=1, depends=[3])


def test_profiling(scale):
    queue = dpctl.SyclQueue(devices.default_device("cpu").native, property=["enable_profiling"])
    event = scale.submit(2, usm(1), groups=1, queue=queue)
    event.wait()
    assert event.time_ns > 0


def test_bind(scale):
    x = usm(1, 1)
    bound = scale.bind(alpha=2, X=x, groups=2)
    bound()
    bound.submit(depends=[bound.submit()]).wait()
    assert x.tolist() == [8, 8]
    assert repr(bound).startswith("<BoundKernel scale(alpha: f32, X: memref<f32x?>): 2 groups on ")


def test_bind_refuses_host_arrays():
    x, y = np.ones(8), tt.asarray(np.ones(8))
    with pytest.raises(tt.ArgumentError, match="'X': expected an array in USM memory"):
        handmade.add()["add"].bind(x, y, groups=8)


class UsmArray:
    """An array of another library: only the protocol, with strides and an offset."""

    def __init__(self, memory, shape, strides, offset):
        self.memory = memory
        self.__sycl_usm_array_interface__ = dict(
            memory.__sycl_usm_array_interface__,
            data=(memory._pointer, False),
            shape=shape,
            strides=strides,
            offset=offset,
            typestr="<f4",
        )

    __sycl_usm_array_interface__ = None


@pytest.mark.parametrize("kind", ["Shared", "Host", "Device"])
def test_arrays_of_other_libraries(scale, kind):
    queue = dpctl.SyclQueue(devices.default_device("cpu").native)
    memory = getattr(dpctl.memory, f"MemoryUSM{kind}")(64, queue=queue)
    memory.copy_from_host(np.arange(16, dtype=np.float32).view(np.uint8))
    scale(2, UsmArray(memory, (5,), (1,), 4), groups=5)
    result = memory.copy_to_host().view(np.float32)
    assert result.tolist() == [0, 1, 2, 3, 8, 10, 12, 14, 16, *range(9, 16)]
    with pytest.raises(tt.ArgumentError, match="at least 1, got -1"):
        MATRIX(2, UsmArray(memory, (5,), (-1,), 4), groups=5)


MATRIX = handmade.program(
    [
        tt.ScalarArgument("alpha", "f32"),
        tt.MemrefArgument("X", "f32", (None,), (None,)),
    ],
    handmade.scale().spirv,
    name="scale",
)["scale"]


def test_memory_of_another_context(scale):
    device = devices.default_device("cpu").native
    other = dpctl.SyclQueue(dpctl.SyclContext([device]), device, property=["in_order"])
    x = tt.asarray(np.ones(3, np.float32), queue=other)
    with pytest.raises(tt.ArgumentError, match="argument 'X': expected memory in the context"):
        scale(2, x, groups=3, queue=device)
    scale(2, x, groups=3)
    assert x.tolist() == [2, 2, 2]


def test_queues(scale):
    device = devices.default_device("cpu").native
    assert devices.queue_of(device) is devices.queue_of(device) is devices.queue_of("cpu")
    assert devices.queue_of(device).is_in_order
    queue = dpctl.SyclQueue(device)
    assert devices.queue_of(queue).native is queue
    for target in (device, queue, "cpu"):
        x = np.ones(2, np.float32)
        scale(2, x, groups=2, queue=target)
        assert x.tolist() == [2, 2]
    with pytest.raises(
        tt.DeviceError, match="expected a dpctl queue or device, .*or the name of a"
    ):
        scale(2, usm(1), groups=1, queue=3)
    with pytest.raises(tt.DeviceError, match="expected a device for target fpga, got .*cpu"):
        scale(2, usm(1), groups=1, queue="fpga")


def test_threads(scale):
    arrays = [usm(*[1] * 64) for _ in range(4)]

    def work(array):
        for _ in range(50):
            scale(-1, array, groups=64)

    threads = [threading.Thread(target=work, args=(array,)) for array in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((array == 1).all() for array in arrays)


# Fields of the manifest, and what the error says; limits are those of the runtime at hand.
NEEDS = [
    ({"subgroup_size": 7}, "subgroup size 7", lambda limits: str(limits.subgroup_sizes)[1:-1]),
    (
        {"local_memory_bytes": 2**40},
        "1099511627776 bytes of local memory",
        lambda limits: f"{limits.local_memory_bytes} bytes",
    ),
    (
        {"local_size": (2**30, 1, 1)},
        "work-groups of 1073741824 work-items",
        lambda limits: str(limits.work_group_size),
    ),
]


@pytest.mark.parametrize(("fields", "expected", "given"), NEEDS)
def test_device_lacks_what_the_kernel_needs(fields, expected, given):
    device = devices.default_device("cpu")
    with pytest.raises(tt.DeviceError) as caught:
        handmade.scale(**fields)["scale"](2, usm(1), groups=1)
    found = f"got {device.name} with {given(device.limits)}"
    assert str(caught.value) == f"scale: expected a device with {expected}, {found}"


def test_driver_refuses_the_binary():
    with pytest.raises(tt.DeviceError, match="cannot build 'unlinked'") as caught:
        handmade.unlinked()["unlinked"](np.ones(4, np.float32), groups=1)
    assert "Symbols not found: [ missing ]" in caught.value.build_log
    assert caught.value.build_log in str(caught.value)


def test_binary_is_checked_before_the_driver_sees_it():
    broken = handmade.program([], handmade.scale().spirv[:-4], name="scale")
    with pytest.raises(
        tt.TinyTCError, match="program: expected SPIR-V that ends with the end of a function"
    ):
        broken["scale"](groups=1)


class SmallDevice:
    """A device without f64 and f16."""

    name = "Small"
    limits = Limits(frozenset(), (8, 16, 32), 1024, 65536)


@pytest.mark.parametrize("requirement", ["f64", "f16", "i64_atomics"])
def test_device_lacks_a_type(requirement):
    info = handmade.scale(requires=(requirement,))["scale"].info
    with pytest.raises(tt.DeviceError, match=f"a device with {requirement}, got Small with none"):
        devices.check_device(info, SmallDevice())


def test_nothing_is_launched_on_an_error(scale):
    x = np.ones(3, np.float32)
    for call in (
        lambda: scale(2, x, x, groups=3),
        lambda: scale(2, groups=3),
        lambda: scale(2, x.astype(np.float64), groups=3),
        lambda: scale(None, x, groups=3),
        lambda: scale(2, x, groups=-1),
        lambda: scale(1e39, x, groups=3),
    ):
        with pytest.raises(tt.LaunchError):
            call()
    assert (x == 1).all()
