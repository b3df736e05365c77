"""Launches on NVIDIA devices: what the driver is given, and in what order."""

import dataclasses
import gc

import numpy as np
import pytest

import tinytc_mlir as tt
from cuda.fake_driver import device_bytes
from cuda.fake_streams import CUstream
from tinytc_mlir.runtime import devices, loaders
from tinytc_mlir.runtime.nvidia import cuda


def test_what_is_known_before_the_import():
    lazy = next(each for each in loaders._LOADERS if each.targets == cuda.LOADER.targets)
    assert lazy is not cuda.LOADER
    for name in ("handles", "formats", "is_asked_last"):
        assert getattr(lazy, name) == getattr(cuda.LOADER, name)
    assert lazy.view == cuda.LOADER.view
    assert not lazy.recognises(bytearray(8))
    with pytest.raises(AttributeError):
        lazy.no_such_method()


def test_host_arrays_go_there_and_back(driver, program):
    whole = np.zeros((6, 3), np.float32, order="F")
    x = whole[1:5]
    x[...] = np.arange(12).reshape(4, 3)
    program["scale"](2, x, groups=3)
    assert (x == 2 * np.arange(12).reshape(4, 3)).all()
    assert not whole[[0, 5]].any()
    (name, grid, block, local_bytes) = driver.launches[0]
    assert (name, grid, local_bytes) == ("scale", (3, 1, 1), 0)
    assert block == program["scale"].info.local_size


def test_groups_side_by_side(driver, module, program, manifest):
    """The third dimension of a block is groups; their number goes with the launch."""
    kernels = tuple(
        dataclasses.replace(info, local_size=(8, 2, 4), groups_per_work_group=4)
        for info in manifest.kernels
    )
    manifest = dataclasses.replace(manifest, kernels=kernels)
    program = tt.Program(program.code, manifest)
    driver.programs[program.code] = module, manifest
    x = tt.asarray(np.ones((4, 13), np.float32, order="F"), queue="cuda")
    kernel = program["scale"]
    assert "work-groups of 8x2x4 for 4 groups each" in repr(kernel)
    kernel(2, x, groups=13)
    bound = kernel.bind(3, x, groups=6)
    bound()
    kernel.submit(5, x, groups=13).wait()
    assert x.get()[0].tolist() == [30] * 6 + [10] * 7
    assert [each[1:3] for each in driver.launches] == [
        ((4, 1, 1), (8, 2, 4)),
        ((2, 1, 1), (8, 2, 4)),
        ((4, 1, 1), (8, 2, 4)),
    ]


def test_groups_and_complex_numbers(driver, program):
    members = [np.arange(n + 0.0) for n in (8, 5, 6)]
    y = np.ones((2, 3), order="F")
    program["gather"](1 + 2j, tt.Group(members, offset=1, shape=(4,)), y, groups=3)
    assert y.tolist() == [[2, 2, 2], [3, 3, 3]]


def test_arrays_of_the_device(driver, program):
    x = tt.asarray(np.ones((4, 3), np.float32), queue="cuda")
    kernel = program["scale"]
    event = kernel.submit(3, x, groups=3)
    assert not event.is_complete
    bound = kernel.bind(2, x, groups=2)
    bound.submit()
    bound()
    assert event.is_complete
    assert x.get().tolist() == [[12, 12, 3]] * 4
    assert len(driver.launches) == 3


def test_launches_wait_for_events_of_other_streams(driver, program):
    x = tt.asarray(np.ones((4, 3), np.float32), queue="cuda")
    device = devices.default_device("cuda")
    with device.current():
        other = driver.cuStreamCreate(0)[1]  # the fake driver runs the youngest stream first
    first = program["scale"].submit(5, x, groups=3)
    program["scale"].submit(0, x, groups=3, queue=other, depends=[first, first.native]).wait()
    assert not x.get().any()
    with pytest.raises(tt.ArgumentError, match="expected an event in depends, got 3"):
        program["scale"].submit(1, x, groups=1, depends=[3])


def test_the_stream_of_an_array_is_waited_for(driver, program):
    device = devices.default_device("cuda")
    base = tt.asarray(np.ones((4, 3), np.float32), queue="cuda")
    with device.current():
        producer = driver.cuStreamCreate(0)[1]
        ours = devices.queue_of("cuda").native
        driver.streams[int(ours)] = driver.streams.pop(int(ours))  # runs first if it may
    late = np.full((3, 4), 7, np.float32)
    address = base.__cuda_array_interface__["data"][0]
    with device.current():
        driver.cuMemcpyHtoDAsync(address, late.ctypes.data, late.nbytes, producer)

    class Foreign:
        """An array of a library that still writes it."""

        @property
        def __cuda_array_interface__(self):
            return base.__cuda_array_interface__ | {"stream": int(producer)}

    program["scale"](2, Foreign(), groups=3)
    assert base.get().tolist() == [[14, 14, 14]] * 4


def test_streams_of_other_libraries(driver, program):
    x = tt.asarray(np.ones((4, 3), np.float32), queue="cuda")
    with devices.default_device("cuda").current():
        stream = driver.cuStreamCreate(0)[1]

    class Torch:
        cuda_stream = int(stream)

    class Core:
        def __cuda_stream__(self):
            return 0, int(stream)

    for handle in (stream, Torch(), Core()):
        assert isinstance(devices.queue_of(handle).native, CUstream)
        program["scale"].submit(2, x, groups=3, queue=handle).wait()
    assert x.get().tolist() == [[8, 8, 8]] * 4


def test_time_is_measured_on_queues_that_ask_for_it(driver, program):
    x = tt.asarray(np.ones((4, 3), np.float32), queue="cuda")
    queue = devices.queue_of("cuda")
    with pytest.raises(tt.LaunchError, match="scale: expected a queue .*, is_timed=True"):
        program["scale"].submit(2, x, groups=1).time_ns  # noqa: B018
    timed = cuda.CudaQueue(queue.device, queue.native, is_timed=True)
    event = program["scale"].submit(2, x, groups=1, queue=timed)
    assert event.time_ns is None
    event.wait()
    assert event.time_ns > 0


def test_events_are_used_again(driver, program):
    x = tt.asarray(np.ones((4, 3), np.float32), queue="cuda")
    bound = program["scale"].bind(1, x, groups=3)
    for _ in range(40):
        bound()
    gc.collect()
    assert len(driver.events) < 10


def test_everything_is_freed(driver, program):
    kernel = program["scale"]
    for _ in range(3):
        kernel(2, np.ones((4, 3), np.float32, order="F"), groups=3)
    del kernel, program
    launches = driver.launches
    assert len(launches) == 3
    devices.queue_of("cuda").wait()
    gc.collect()
    assert not driver.allocations
    assert not driver.host_allocations


def test_programs_are_loaded_once_for_each_device(install, program):
    driver = install(capabilities=((9, 0), (10, 0)))
    first, second = devices.devices("cuda")
    x = np.ones((4, 3), np.float32, order="F")
    for device in (first, second, first):
        for name in ("scale", "scale"):
            program[name](2, x, groups=3, queue=device)
    assert sorted(driver.loaded.values()) == [0, 1]
    assert (x == 64).all()
    a = tt.asarray(x, queue=second)
    with pytest.raises(
        tt.ArgumentError, match="'X': expected memory on device 0, Fake 0, got memory on device 1"
    ):
        program["scale"](1, a, groups=1, queue=first)


def test_memory_beyond_what_is_static(driver, program, manifest):
    queue = devices.queue_of("cuda")
    info = program["scale"].info
    object.__setattr__(info, "local_memory_bytes", 100_000)
    try:
        program["scale"](1, np.ones((4, 3), np.float32, order="F"), groups=3)
    finally:
        object.__setattr__(info, "local_memory_bytes", 0)
    assert driver.attributes[0][::2] == ("scale", 100_000)
    assert driver.launches[0][-1] == 100_000
    assert queue.device.limits.local_memory_bytes == 227 * 1024


def test_array_interface(driver):
    x = tt.empty((4, 3), np.float64, queue="cuda", order="C")
    interface = x.__cuda_array_interface__
    assert (interface["shape"], interface["strides"]) == ((4, 3), (24, 8))
    assert (interface["typestr"], interface["version"]) == ("<f8", 3)
    x.set(np.arange(12.0).reshape(4, 3))
    devices.queue_of("cuda").wait()
    assert device_bytes(driver, interface["data"][0], 96).view("f8").tolist() == list(range(12))
    assert np.asarray(x).tolist() == x.get().tolist()
    assert (len(x), x.ndim, x.size, x.nbytes) == (4, 2, 12, 96)
    with pytest.raises(ValueError, match="expected a copy to be allowed"):
        x.__array__(copy=False)
