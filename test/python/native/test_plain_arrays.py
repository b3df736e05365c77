"""Arrays in NumPy's own memory, which native launches use in place and remember like others."""

import numpy as np
import pytest

import tinytc_mlir as tt

IN_PLACE = "'{}': expected an array of tinytc_mlir.empty or asarray with queue=\"native\" because"
TEXT = """func @add(%X: memref<f64x4x?>, %Y: memref<f64x4x?>) {
  %g = group_id.x : index
  %x = subview %X[:, %g] : memref<f64x4>
  %y = subview %Y[:, %g] : memref<f64x4>
  %one = constant 1.0 : f64
  axpby %one, %x, %one, %y
}
func @read(%X: memref<f64x4>, %Y: memref<f64x4>) {
  %one = constant 1.0 : f64
  axpby %one, %X, %one, %Y
}
func @members(%X: group<memref<f64x4>x?>, %Y: memref<f64x4x?>) {
  %g = group_id.x : index
  %x = load %X[%g] : memref<f64x4>
  %y = subview %Y[:, %g] : memref<f64x4>
  %one = constant 1.0 : f64
  axpby %one, %x, %one, %y
}"""


@pytest.fixture
def program():
    return tt.Context().parse(TEXT).compile("native")


def is_known(kernel, *values, plain=True):
    return kernel.launch_cache.find(values, None, None, takes_plain=plain) is not None


def arrays(seed, columns=3):
    rng = np.random.default_rng(seed)
    return (np.asfortranarray(rng.random((4, columns))) for _ in range(2))


def test_launches_are_remembered(program):
    kernel = program["add"]
    for seed in range(5):
        x, y = arrays(seed)
        assert is_known(kernel, x, y) == (seed > 0)
        right = x + y
        kernel(x, y)
        np.testing.assert_array_equal(y, right)


def test_arrays_in_memory_of_others(program):
    torch = pytest.importorskip("torch")
    kernel = program["add"]
    for seed in range(3):
        x, y = arrays(seed)
        right = x + y
        given = torch.from_numpy(x).numpy(), np.frombuffer(bytearray(y.tobytes("F")))
        given = given[0], given[1].reshape(y.shape, order="F")
        assert is_known(kernel, *given) == (seed > 0)
        assert not is_known(kernel, *given, plain=False)
        kernel(*given)
        np.testing.assert_array_equal(given[1], right)
    with pytest.raises(tt.ArgumentError, match=IN_PLACE.format("Y")):
        kernel.submit(*given)


def test_parts_of_arrays(program):
    kernel = program["add"]
    x, y = arrays(0, columns=6)
    kernel(x[:, :3], y[:, 3:])
    before = y.copy()
    assert is_known(kernel, x[:, 1:4], y[:, 2:5])
    kernel(x[:, 1:4], y[:, 2:5])
    before[:, 2:5] += x[:, 1:4]
    np.testing.assert_array_equal(y, before)


def test_others_are_looked_at(program):
    kernel = program["add"]
    x, y = arrays(0)
    kernel(x, y)
    constant = y.copy(order="F")
    constant.flags.writeable = False
    for other in (y.astype(np.float32), np.ascontiguousarray(y), y[:, :2], constant, list(y)):
        assert not is_known(kernel, x, other)
    with pytest.raises(tt.ArgumentError, match="'Y': expected .*writ"):
        kernel(x, constant)
    memory = tt.asarray(y, queue="native")
    assert not is_known(kernel, x, memory)
    kernel(x, memory)
    assert is_known(kernel, x, memory) and is_known(kernel, x, y)


def test_another_order_is_copied_each_time(program):
    kernel = program["add"]
    for seed in range(3):
        x, y = arrays(seed)
        other = np.ascontiguousarray(y)
        kernel(x, other)
        assert not is_known(kernel, x, other)
        np.testing.assert_array_equal(other, x + y)


def test_overlapping_arrays_are_refused(program):
    kernel = program["add"]
    x, y = arrays(0, columns=6)
    kernel(x[:, :3], y[:, :3])
    with pytest.raises(tt.ArgumentError, match="overlap"):
        kernel(y[:, :3], y[:, 1:4])


def test_members_of_groups(program):
    kernel = program["members"]
    for seed in range(3):
        x, y = arrays(seed)
        members = [x[:, k].copy() for k in range(3)]
        assert is_known(kernel, members, y) == (seed > 0)
        right = x + y
        kernel(members, y)
        np.testing.assert_array_equal(y, right)


def test_submit_still_wants_memory_of_its_own(program):
    kernel = program["add"]
    x, y = arrays(0)
    kernel(x, y)
    assert not is_known(kernel, x, y, plain=False)
    with pytest.raises(tt.ArgumentError, match=IN_PLACE.format("Y")):
        kernel.submit(x, y)
    with pytest.raises(tt.ArgumentError, match=IN_PLACE.format("X")):
        kernel(x, y, copy=False)


def test_a_bound_kernel_still_wants_memory_of_its_own(program):
    kernel = program["read"]
    x, y = np.ones(4), np.ones(4)
    kernel(x, y)
    with pytest.raises(tt.ArgumentError, match=IN_PLACE.format("X")):
        kernel.bind(x, y)
