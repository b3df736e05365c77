"""Launches with groups whose members change between launches use what is there now."""

import gc

import numpy as np
import pytest

import tinytc_mlir as tt

TEXT = """func @copy(%G: group<memref<f32x?>x?>, %Y: memref<f32x?x?>) {
  %g = group_id : index
  %x = load %G[%g] : memref<f32x?>
  %y = subview %Y[:,%g] : memref<f32x?>
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  axpby.n %one, %x, %zero, %y
}"""
COUNT = 5


@pytest.fixture(scope="module")
def program():
    return tt.Context().parse(TEXT).compile("cpu")


@pytest.fixture
def kernel(program):
    """A kernel of its own for each test, which has launched nothing yet."""
    return type(program["copy"])(program, program["copy"].info)


def copied(kernel, group, size, way="call"):
    """Return what a launch copies, of which everything else is -1."""
    y = tt.asarray(np.full((size, COUNT), -1, np.float32, order="F"))
    if way == "call":
        kernel(group, y)
    elif way == "submit":
        kernel.submit(group, y).wait()
    else:
        kernel.bind(group, y)()
    return np.array(y)


def expected(group):
    return np.stack([np.array(member) for member in group], axis=1)


def members(size, start=0.0):
    first = start + 100 * np.arange(COUNT)
    return [tt.asarray(np.arange(f, f + size, dtype=np.float32)) for f in first]


@pytest.mark.parametrize("way", ["call", "submit", "bind"])
def test_sizes_at_the_same_addresses(kernel, way):
    """The tables of sizes that belong to some addresses are not those of other sizes there."""
    longest = members(12)
    for size in (12, 4, 12, 7, 4, 4, 12):
        group = [member[:size] for member in longest]
        assert np.array_equal(copied(kernel, group, size, way), expected(group))
    with pytest.raises(tt.ArgumentError, match="expected strides .1,. in elements, got .3,."):
        copied(kernel, [member[::3] for member in longest], 4, way)


def test_memory_that_is_allocated_again(kernel):
    """Most of it is where freed memory of another size was."""
    for number, size in enumerate([4, 8, 4, 6, 8, 8, 4, 16, 4]):
        group = members(size, number)
        assert np.array_equal(copied(kernel, group, size), expected(group))
        del group
        gc.collect()


@pytest.mark.parametrize("kind", [list, tuple])
def test_members_change_places(kernel, kind):
    group = members(6)
    for order in (
        (0, 1, 2, 3, 4),
        (4, 3, 2, 1, 0),
        (0, 0, 0, 0, 0),
        (0, 1, 2, 3, 4),
        (2, 2, 1, 1, 0),
    ):
        chosen = kind(group[n] for n in order)
        assert np.array_equal(copied(kernel, chosen, 6), expected(chosen))


def test_a_list_that_changes_in_place(kernel):
    group = members(6)
    copied(kernel, group, 6)
    group[1], group[3] = group[3], group[1]
    assert np.array_equal(copied(kernel, group, 6), expected(group))
    group[2] = np.ones(6)
    with pytest.raises(tt.ArgumentError, match="member 2: expected dtype float32"):
        copied(kernel, group, 6)
    group[2] = tt.asarray(np.full(6, 7, np.float32))
    assert np.array_equal(copied(kernel, group, 6), expected(group))
    del group[4]
    with pytest.raises(tt.ArgumentError, match="expected a number of groups because the arrays"):
        copied(kernel, group, 6)


def test_bound_kernels_keep_what_they_were_bound_to(kernel):
    group, y = members(6), tt.empty((6, COUNT))
    bound, before = kernel.bind(group, y), expected(group)
    group.reverse()
    copied(kernel, group, 6)
    bound()
    assert np.array_equal(y, before)
    group[0][:] = 5  # the last member of those that it is bound to
    bound()
    assert (y[:, COUNT - 1] == 5).all()


def test_arrays_of_the_host_among_members(kernel):
    group = members(6)
    for host in (None, 2, None, 0, 2):
        mixed = list(group)
        if host is not None:
            mixed[host] = np.full(6, -5, np.float32)
        assert np.array_equal(copied(kernel, mixed, 6), expected(mixed))
    plain = [np.array(member) for member in group]
    assert np.array_equal(copied(kernel, plain, 6), expected(plain))


def test_members_that_overlap(kernel):
    """A launch with the signature of one of separate arrays may have some that overlap."""
    y = tt.asarray(np.zeros((6, COUNT), np.float32))
    apart = members(6)
    kernel(apart, y)
    assert np.array_equal(y, expected(apart))
    kernel([y[:, n] for n in range(COUNT)], y)  # onto themselves
    assert np.array_equal(y, expected(apart))
    whole = tt.asarray(np.arange(10, dtype=np.float32))
    shifted = [whole[n : n + 6] for n in range(COUNT)]
    assert np.array_equal(copied(kernel, shifted, 6), expected(shifted))
    kernel([y[:, 0]] * COUNT, y)
    assert np.array_equal(y, np.stack([apart[0]] * COUNT, axis=1))


def test_stacks_at_the_same_address(kernel):
    whole = tt.asarray(np.arange(240, dtype=np.float32).reshape(12, 20, order="F"))
    for rows, step in ((12, 1), (6, 1), (12, 2), (12, 1), (6, 4), (12, 1)):
        stack = whole[:rows, : COUNT * step : step]
        assert np.array_equal(copied(kernel, stack, rows), stack)
