"""A second implementation of the runtime needs no change of the package."""

import numpy as np
import pytest

import tinytc_mlir as tt
from fake_runtime import PROGRAM, FakeDevice, FakeEvent, registered
from tinytc_mlir.runtime import devices


@pytest.fixture
def fake():
    with registered(FakeDevice("Fake One", "cpu")) as loader:
        yield loader


@pytest.fixture
def program(fake):
    return fake.compile(tt.Context().parse(PROGRAM), ("device", "Fake One"))


@pytest.fixture
def queue(fake):
    return fake.queue(("device", "Fake One"))


def test_host_arrays_go_there_and_back(program, queue):
    whole = np.zeros((6, 3), np.float32, order="F")
    x = whole[1:5]
    x[...] = np.arange(12).reshape(4, 3)
    program["scale"](2, x, groups=3)
    assert (x == 2 * np.arange(12).reshape(4, 3)).all()
    assert not whole[[0, 5]].any()
    assert queue.launches == [("scale", [3, 1, 1], None)]


def test_arrays_in_place(program, queue):
    x = tt.asarray(np.ones((4, 3), np.float32), queue=("device", "Fake One"))
    assert tt.asarray(x, queue=queue) is x
    event = program["scale"].submit(3, x, groups=2)
    program["scale"].submit(3, x, groups=1, depends=[event, event.native]).wait()
    assert x[0].tolist() == [9, 3, 1]
    assert (event.is_complete, event.time_ns) == (True, 1)
    assert queue.launches[-1] == ("scale", [1, 1, 1], [event.native] * 2)
    assert isinstance(event.native, FakeEvent)


def test_the_arrays_choose_the_queue(program, queue, fake):
    x = tt.asarray(np.ones((4, 3), np.float32), queue=queue)
    anywhere = tt.Program(program.spirv, program.manifest)
    bound = anywhere["scale"].bind(2, x, groups=3)
    bound()
    bound.submit().wait()
    assert (x == 4).all()
    assert len(queue.launches) == 2


def test_groups(program, queue):
    members = [np.arange(n + 0.0) for n in (8, 5, 6)]
    y = np.ones((2, 3), order="F")
    group = tt.Group(members, offset=1, shape=(4,))
    program["gather"](1 + 2j, group, y, groups=3, queue=queue)
    assert y.tolist() == [[2, 2, 2], [3, 3, 3]]


def test_memory_of_the_other_implementation(program):
    kernel = program["scale"]
    ours, theirs = tt.empty((4, 3), queue=("device", "Fake One")), tt.empty((4, 3))
    with pytest.raises(tt.ArgumentError, match="'X': expected memory that Fake One can use, got M"):
        kernel(1, theirs, groups=1)
    with pytest.raises(tt.ArgumentError, match="'X': expected memory that .* can use, got FakeByt"):
        kernel(1, ours, groups=1, queue=devices.default_device("cpu"))
    copy = tt.asarray(theirs, queue=("device", "Fake One"))
    assert not np.shares_memory(copy, theirs)
    kernel(1, copy, groups=1)


def test_memory_that_a_queue_cannot_reach(program, queue):
    x = tt.empty((4, 3), queue=queue)
    queue.forbidden.add(x.ctypes.data)
    with pytest.raises(tt.ArgumentError, match="argument 'X': expected memory that is not forb"):
        program["scale"](1, x, groups=1)
    assert not np.shares_memory(tt.asarray(x, queue=queue), x)


def test_events_of_the_other_implementation(program, fake):
    x = tt.asarray(np.ones((4, 3), np.float32), queue=("device", "Fake One"))
    with pytest.raises(tt.LaunchError, match="expected an event in depends, got <object"):
        program["scale"].submit(1, x, groups=1, depends=[object()])
    event = program["scale"].submit(1, x, groups=1)
    other = tt.Context().parse(PROGRAM).compile("cpu")["scale"]
    with pytest.raises(tt.LaunchError, match="expected an event in depends, got <Event: scale "):
        other.submit(1, tt.empty((4, 3)), groups=1, depends=[event])


def test_devices(fake, tinytc):
    assert "Fake One" in [device.name for device in devices.devices()]
    assert devices.default_device("cpu").driver != "fake"  # it comes after the others
    status, output, _ = tinytc("devices")
    limits = "subgroups 8/16, work-groups of 64, 1 KiB local memory, f64"
    assert status == 0
    assert f"Fake One [cpu], fake driver 1.0, {limits}" in output.splitlines()


def test_limits(program, queue):
    wide = tt.Context().parse(
        "func @wide(%x: memref<f32x4>) attributes{subgroup_size=32, work_group_size=[128,1]} {}"
    )
    kernel = queue.loader.compile(wide, queue)["wide"]
    with pytest.raises(tt.DeviceError, match="expected a device with subgroup size 32, got Fake"):
        kernel(np.zeros(4, np.float32), groups=1)


def test_it_goes_away():
    with registered(FakeDevice("Fake Two", "fake")):
        assert devices.default_device("fake").name == "Fake Two"
    with pytest.raises(tt.DeviceError, match="expected a device for target fake, got "):
        devices.default_device("fake")


def test_messages_name_the_handles_of_all_libraries(fake):
    ours = "a dpctl queue or device, a CUDA device or stream, a native device or queue"
    handles = f"{ours}, a fake queue or device"
    message = f"expected {handles}, or the name of a target"
    for refuse in (devices.queue_of, tt.Context().parse("func @f() {}").compile):
        with pytest.raises(tt.DeviceError, match=f"{message}, got 3"):
            refuse(3)


def test_native_objects_keep_their_older_names(program, queue):
    x = tt.asarray(np.ones((4, 3), np.float32), queue=queue)
    bound = program["scale"].bind(3, x, groups=3, queue=queue)
    assert bound.dpctl_arguments is bound.native_arguments
    event = bound.submit()
    assert event.sycl_event is event.native
