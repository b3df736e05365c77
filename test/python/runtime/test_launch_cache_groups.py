"""Launches with groups for which the launch cache has an entry are checked less."""

import gc
import weakref

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.runtime.launches.launch_cache import _MOST_TABLES

TEXT = """func @gather(%G: group<memref<f32x4>x?>, %Y: memref<f32x4x?>) {
  %g = group_id : index
  %x = load %G[%g] : memref<f32x4>
  %y = subview %Y[:,%g] : memref<f32x4>
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  axpby.n %one, %x, %zero, %y
}
func @dynamic(%G: group<memref<f32x?>x?>, %Y: memref<f32x4x?>) {
  %g = group_id : index
  %m = load %G[%g] : memref<f32x?>
  %x = subview %m[0:4] : memref<f32x4>
  %y = subview %Y[:,%g] : memref<f32x4>
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  axpby.n %one, %x, %zero, %y
}"""


@pytest.fixture(scope="module")
def program():
    return tt.Context().parse(TEXT).compile("cpu")


@pytest.fixture(params=["gather", "dynamic"])
def kernel(program, request):
    """A kernel of its own for each test, which has launched nothing yet."""
    found = program[request.param]
    return type(found)(program, found.info)


def members(first, count=3):
    return [tt.asarray(np.full(4, first + n, np.float32)) for n in range(count)]


def is_known(kernel, *values):
    return kernel.launch_cache.find(values, None, None, takes_plain=True) is not None


@pytest.mark.parametrize("kind", [list, tuple])
def test_lists(kernel, kind):
    for first in range(2 * _MOST_TABLES):  # some tables are made twice
        group, y = kind(members(first)), tt.empty((4, 3))
        for _ in range(2):
            assert is_known(kernel, group, y) == (first > 0 or _ > 0)
            y[:] = 0
            kernel(group, y)
            assert y[0].tolist() == [first, first + 1, first + 2]


def test_a_list_changes(kernel):
    group, y = members(0), tt.empty((4, 3))
    kernel(group, y)
    group.reverse()
    kernel(group, y)
    assert y[0].tolist() == [2, 1, 0]
    group[1] = tt.asarray(np.full(4, 7, np.float32))
    kernel(group, y)
    assert y[0].tolist() == [2, 7, 0]
    group.append(group[0])
    assert not is_known(kernel, group, y)
    with pytest.raises(tt.ArgumentError, match="expected a number of groups because the arrays"):
        kernel(group, y)


def test_a_list_is_emptied_while_the_launch_runs(kernel):
    results = [tt.empty((4, 3)) for _ in range(20)]
    for first, y in enumerate(results):
        group = members(first)
        event = kernel.submit(group, y)
        group.clear()
    event.wait()
    assert [y[0, 2] for y in results] == [first + 2 for first in range(20)]


def test_unusual_members(kernel):
    group, y = members(0), tt.empty((4, 3))
    kernel(group, y)
    host = np.ones(4, np.float32)
    for other in (host, group[0].astype(np.float64), group[0][:3], group[0][::-1], None):
        assert not is_known(kernel, [group[0], other, group[2]], y)
    assert not is_known(kernel, np.stack([host] * 3, axis=1), y)
    assert not is_known(kernel, tt.Group(group), y)
    group[0].flags.writeable = False
    assert not is_known(kernel, group, y)
    kernel([group[1], host, group[2]], y)
    assert y[0].tolist() == [1, 1, 2]
    with pytest.raises(tt.ArgumentError, match="'G': member 1: expected dtype float32"):
        kernel([group[1], np.ones(4), group[2]], y)


def test_members_of_different_sizes(program):
    kernel = type(program["dynamic"])(program, program["dynamic"].info)
    y = tt.empty((4, 2))
    for first in range(3):
        group = [*members(first, 1), tt.asarray(np.full(6, 9, np.float32))]
        assert not is_known(kernel, group, y)
        kernel(group, y)
        assert y[0].tolist() == [first, 9]


def test_stacks(kernel):
    whole, y = tt.empty((4, 12)), tt.empty((4, 3))
    whole[:] = np.arange(12)
    for start in range(10):
        stack = whole[:, start : start + 3]
        assert is_known(kernel, stack, y) == (start > 0)
        kernel(stack, y)
        assert y[0].tolist() == [start, start + 1, start + 2]
    assert not is_known(kernel, whole[:, ::4], y)
    kernel(whole[:, ::4], y)
    assert y[0].tolist() == [0, 4, 8]
    assert not is_known(kernel, whole[:, :2], y)


def test_memory_is_released_and_allocated_again(kernel):
    y = tt.empty((4, 3))
    for first in range(8):
        group = members(first)
        kernel(group, y)
        assert y[0, 0] == first
        references = list(map(weakref.ref, group))
        del group
        gc.collect()
        assert {reference() for reference in references} == {None}
