"""Launches that look like an earlier one are checked less, and see every change."""

import dataclasses
import gc
import weakref

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.runtime import devices

FUNC = """func @{}(%X: memref<f32x4x?{}>, %Y: memref<f32x4x?>) {{
  %g = group_id : index
  %x = subview %X[:,%g] : memref<f32x4>
  %y = subview %Y[:,%g] : memref<f32x4>
  %one = constant 1.0 : f32
  axpby.n %one, %x, %one, %y
}}
"""
TEXT = FUNC.format("add", "") + FUNC.format("spread", ",strided<1,?>")


@pytest.fixture(scope="module")
def added():
    """Return the module and the manifest of a kernel with a variant for aligned arrays."""
    module = tt.Context().parse(TEXT)
    manifest = module.compile("cpu", abi="plain", vector_bytes=64).manifest
    kernels = tuple(
        dataclasses.replace(info, requires=(), aligned_variant=f"{info.name}__aligned")
        for info in manifest.kernels
    )
    return module, dataclasses.replace(manifest, target="cuda:sm_90", format="ptx", kernels=kernels)


@pytest.fixture
def program(added):
    names = ("add", "add__aligned", "spread", "spread__aligned")
    entries = "".join(f".visible .entry {name}(){{}}\n" for name in names)
    return tt.Program(f".version 8.0\n.target sm_90\n{entries}".encode(), added[1])


@pytest.fixture
def kernel(program):
    return program["add"]


@pytest.fixture
def driver(install, added):
    return install(module=added[0], manifest=added[1], capabilities=((9, 0), (9, 0)))


@pytest.fixture
def queue(driver):
    return devices.queue_of("cuda")


class Foreign:
    """An array of another library; it has what its interface says."""

    def __init__(self, base, **changes):
        interface = {k: v for k, v in base.__cuda_array_interface__.items() if k != "stream"}
        self.base, self.interface = base, interface | changes

    @property
    def __cuda_array_interface__(self):
        if isinstance(self.interface, Exception):
            raise self.interface
        return dict(self.interface)

    @property
    def address(self):
        return self.interface["data"][0]


def array(queue, value=1, columns=3):
    return tt.asarray(np.full((4, columns), value, np.float32, order="F"), queue=queue)


def is_known(kernel, *arrays, groups=3, queue=None):
    return kernel.launch_cache.find(arrays, groups, queue, takes_plain=True) is not None


@pytest.fixture(params=[lambda each: each, Foreign], ids=["ours", "foreign"])
def of(request):
    """Return a function that wraps arrays as one library has them."""
    return request.param


@pytest.fixture
def known(kernel, queue, of):
    """A kernel that knows how its launches look."""
    x, y = of(array(queue)), of(array(queue))
    assert not is_known(kernel, x, y, queue=queue)
    kernel.submit(x, y, groups=3, queue=queue).wait()
    assert is_known(kernel, x, y, queue=queue)
    assert not is_known(kernel, x, y, groups=2, queue=queue)
    return kernel


@pytest.mark.parametrize("way", ["call", "submit"])
def test_other_arrays(driver, known, queue, of, way):
    for value in (1, 2, 3):
        x, y = array(queue, value), array(queue, 10 * value)
        assert is_known(known, of(x), of(y), queue=queue)
        if way == "call":
            known(of(x), of(y), groups=3, queue=queue)
        else:
            known.submit(of(x), of(y), groups=3, queue=queue).wait()
        assert (y.get() == 11 * value).all()
    assert [name for name, *_ in driver.launches] == ["add__aligned"] * 4


def test_an_address_that_is_not_aligned(driver, kernel, queue):
    """An element further, the plain kernel runs, as it does without the cache."""
    whole = tt.asarray(np.ones(4 * 4, np.float32), queue=queue)
    (begin, is_read_only) = whole.__cuda_array_interface__["data"]
    base, y = array(queue), array(queue, 5)

    def at(offset):
        return Foreign(base, data=(begin + offset, is_read_only))

    kernel.submit(at(0), y, groups=3, queue=queue).wait()
    for offset, name in ((16, "add__aligned"), (4, "add"), (8, "add"), (0, "add__aligned")):
        assert is_known(kernel, at(offset), y, queue=queue)
        kernel.submit(at(offset), y, groups=3, queue=queue).wait()
        assert driver.launches[-1][0] == name
        kernel.bind(at(offset), y, groups=3, queue=queue)()
        assert driver.launches[-1][0] == name
    with pytest.raises(tt.ArgumentError, match="'X': expected an address that is a multiple of"):
        kernel.submit(at(2), y, groups=3, queue=queue)
    assert (y.get() == 14).all()


def test_the_end_of_an_allocation(driver, program, queue):
    """The variant reads 16 bytes at a time, which must be there."""
    shape, strides = (4, 3), (4, 20)  # of 52 bytes
    base = array(queue)

    def of_bytes(size_bytes):
        with queue.device.current():
            address = driver.cuMemAlloc(size_bytes)[1]
        return Foreign(base, shape=shape, strides=strides, data=(address, False))

    kernel, y = program["spread"], array(queue)
    kernel.submit(of_bytes(64), y, groups=3, queue=queue).wait()
    for size_bytes, suffix in ((52, ""), (64, "__aligned"), (56, ""), (80, "__aligned")):
        x = of_bytes(size_bytes)
        assert is_known(kernel, x, y, queue=queue)
        kernel.submit(x, y, groups=3, queue=queue).wait()
        assert driver.launches[-1][0] == f"spread{suffix}"


def test_arrays_that_overlap(driver, known, queue, of):
    """The whole of an array with itself is allowed, and a part of it is not."""
    y = array(queue)
    for _ in range(2):
        assert is_known(known, of(y), of(y), queue=queue)
        known.submit(of(y), of(y), groups=3, queue=queue).wait()
    assert [name for name, *_ in driver.launches[-2:]] == ["add"] * 2
    assert (y.get() == 4).all()
    whole = array(queue, columns=5)
    (begin, flag) = whole.__cuda_array_interface__["data"]
    parts = [Foreign(array(queue), data=(begin + offset, flag)) for offset in (0, 16, 32)]
    for first, second in ((0, 1), (1, 0), (2, 0)):
        assert not is_known(known, parts[first], parts[second], queue=queue)
        with pytest.raises(tt.ArgumentError, match="overlap"):
            known.submit(parts[first], parts[second], groups=3, queue=queue)


def test_a_foreign_stream_is_waited_for(driver, kernel, queue):
    """Copies on a stream that nobody else waits for are seen, each time."""
    y = array(queue, 0)
    with queue.device.current():
        producer = driver.cuStreamCreate(0)[1]
        driver.streams[int(queue.native)] = driver.streams.pop(int(queue.native))  # runs first

    x = Foreign(array(queue), stream=int(queue.native))
    kernel.submit(x, y, groups=3, queue=queue).wait()
    for value in (7, 8):
        late = np.full((3, 4), value, np.float32)
        x.interface["stream"] = int(producer)
        with queue.device.current():
            driver.cuMemcpyHtoDAsync(x.address, late.ctypes.data, late.nbytes, producer)
        before = y.get()
        assert is_known(kernel, x, y, queue=queue)
        kernel.submit(x, y, groups=3, queue=queue).wait()
        assert (y.get() - before == value).all()
    for stream in (0, "default"):
        x.interface["stream"] = stream
        with pytest.raises(tt.ArgumentError, match="'X': expected a stream that is not 0"):
            kernel.submit(x, y, groups=3, queue=queue)


def test_events_of_foreign_streams_are_used_again(driver, kernel, queue):
    with queue.device.current():
        producer = driver.cuStreamCreate(0)[1]
    x, y = Foreign(array(queue), stream=int(producer)), array(queue)
    for _ in range(40):
        kernel.submit(x, y, groups=3, queue=queue).wait()
    gc.collect()
    assert len(driver.events) < 10


def test_the_stream_of_an_array_of_ours_is_waited_for(driver, known, queue, of):
    with queue.device.current():
        other = devices.queue_of(driver.cuStreamCreate(0)[1])
        driver.streams[int(queue.native)] = driver.streams.pop(int(queue.native))  # runs first
    x, y = array(other, 6), array(queue, 1)
    x.set(np.full((4, 3), 9, np.float32))
    named = x if of(x) is x else Foreign(x, stream=int(other.native))
    assert is_known(known, named, of(y), queue=queue)
    known.submit(named, of(y), groups=3, queue=queue).wait()
    assert (y.get() == 10).all()


def test_memory_of_another_device(driver, known, kernel, queue, of):
    _, second = devices.devices("cuda")
    x, y = of(array(second)), of(array(queue))
    assert not is_known(known, x, y, queue=queue)
    with pytest.raises(
        tt.ArgumentError, match="'X': expected memory on device 0, Fake 0, got memory on device 1"
    ):
        known.submit(x, y, groups=3, queue=queue)
    # Without a queue, the arrays say which.
    for place in (queue, second, queue, second):
        y = array(place)
        kernel.submit(of(array(place)), of(y), groups=3).wait()
        assert (y.get() == 2).all()


CHANGES = {
    "columns": {"shape": (4, 2)},
    "rows": {"shape": (3, 3)},
    "strides": {"strides": (4, 20)},
    "C order": {"strides": None},
    "dtype": {"typestr": "<f8"},
    "integers": {"typestr": "<i4"},
    "mask": {"mask": object()},
}


def test_sizes_in_a_list_that_changes(kernel, queue):
    shape = [4, 3]
    x, y = Foreign(array(queue), shape=shape, strides=[4, 16]), array(queue)
    kernel.submit(x, y, groups=3, queue=queue).wait()
    assert is_known(kernel, x, y, queue=queue)
    shape[1] = 2
    with pytest.raises(tt.ArgumentError, match="groups"):
        kernel.submit(x, y, groups=3, queue=queue)


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_else_changes_goes_the_long_way(kernel, queue, change):
    x, y = Foreign(array(queue)), Foreign(array(queue))
    kernel.submit(x, y, groups=3, queue=queue).wait()
    x.interface |= CHANGES[change]
    assert not is_known(kernel, x, y, queue=queue)
    with pytest.raises(tt.ArgumentError, match="'X'|'groups'|groups"):
        kernel.submit(x, y, groups=3, queue=queue)


def test_rights_and_errors_of_the_interface(kernel, queue):
    x, y = Foreign(array(queue)), Foreign(array(queue))
    kernel.submit(x, y, groups=3, queue=queue).wait()
    y.interface["data"] = (y.address, True)
    with pytest.raises(tt.ArgumentError, match="'Y': expected a writable array"):
        kernel.submit(x, y, groups=3, queue=queue)
    x.interface = RuntimeError("it needs a gradient")
    with pytest.raises(tt.ArgumentError, match="'X'"):
        kernel.submit(x, y, groups=3, queue=queue)


def test_memory_that_the_driver_does_not_know(driver, kernel, queue):
    x, y = Foreign(array(queue)), Foreign(array(queue))
    kernel.submit(x, y, groups=3, queue=queue).wait()
    driver.errors["cuPointerGetAttribute"] = 1  # once, and the long way asks again
    assert not is_known(kernel, x, y, queue=queue)
    assert is_known(kernel, x, y, queue=queue)


def test_arrays_live_until_the_launch_is_over(driver, kernel, queue, of):
    """And no longer: what a kernel remembers keeps none alive."""
    first, x, y = array(queue), array(queue), array(queue)
    alive = [weakref.ref(each) for each in (first, x, y)]
    kernel.submit(of(first), of(y), groups=3, queue=queue).wait()
    assert is_known(kernel, of(x), of(y), queue=queue)
    native = kernel.submit(of(x), of(y), groups=3, queue=queue).native
    del x, y
    gc.collect()
    assert not native.is_complete
    assert None not in [each() for each in alive]
    native.wait()
    del first
    x, y = of(array(queue)), of(array(queue))
    for _ in range(20):  # launches forget those that are over
        kernel.submit(x, y, groups=3, queue=queue).wait()
    gc.collect()
    assert [each() for each in alive] == [None] * 3
