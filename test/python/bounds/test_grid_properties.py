"""Bounds of random kernels with two ids against all elements that their groups access."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bounding import accepts, info_of

_LIMIT = 5  # groups in each dimension

SLOPES = st.tuples(st.integers(-3, 4), st.integers(-3, 4))
SMALL = st.integers(-4, 9)
# The condition `a x + b y + c < n`.
GUARDS = st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2), SMALL), max_size=2)


def kernel(slopes, start, width, guards):
    """Return a kernel that accesses `width` elements from `slopes * ids + start` on."""
    constants = " ".join(f"%k{n + 9} = constant {n} : index" for n in range(-9, 10))
    lines = []
    for number, (a, b, c) in enumerate([(*slopes, start), *guards]):
        lines.append(
            f"%p{number} = mul %x, %k{a + 9} : index %q{number} = mul %y, %k{b + 9} : index "
            f"%r{number} = add %p{number}, %q{number} : index "
            f"%s{number} = add %r{number}, %k{c + 9} : index"
        )
    body = f"%v = subview %A[%s0:{width}] : memref<f32x{width}> axpby %f, %v, %f, %v"
    for number in range(1, len(guards) + 1):
        body = f"%c{number} = less_than %s{number}, %n : bool if %c{number} {{ {body} }}"
    return info_of(
        f"func @f(%f: f32, %A: memref<f32x?>, %m: i32) {{ {constants} %n = cast %m : index "
        f"%x = group_id.x : index %y = group_id.y : index {' '.join(lines)} {body} }}"
    )


def is_made(guards, group, n):
    return all(a * group[0] + b * group[1] + c < n for a, b, c in guards)


def is_outside(slopes, start, width, group, size):
    """Return whether a group leaves the array."""
    first = slopes[0] * group[0] + slopes[1] * group[1] + start
    return first + width - 1 >= size or first < 0


def grids():
    return itertools.product(range(1, _LIMIT + 1), repeat=2)


def groups_of(grid):
    return itertools.product(*map(range, grid))


@given(SLOPES, SMALL, st.integers(1, 3), st.integers(0, 40))
def test_bounds_are_those_of_all_accesses(slopes, start, width, size):
    info = kernel(slopes, start, width, [])
    values = (1.0, np.zeros(size, np.float32), 0)
    for grid in grids():
        is_valid = not any(is_outside(slopes, start, width, g, size) for g in groups_of(grid))
        assert accepts(info, values, grid) == is_valid, grid


@given(SLOPES, SMALL, st.integers(1, 3), GUARDS, st.integers(0, 40), st.integers(-5, 20))
def test_no_valid_launch_is_refused(slopes, start, width, guards, size, n):
    info = kernel(slopes, start, width, guards)
    values = (1.0, np.zeros(size, np.float32), n)
    for grid in grids():
        made = [group for group in groups_of(grid) if is_made(guards, group, n)]
        is_valid = not any(is_outside(slopes, start, width, group, size) for group in made)
        assert accepts(info, values, grid) or not is_valid, grid


@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 30), st.integers(-3, 9))
def test_a_guard_in_one_dimension(slope, factor, size, n):
    """The bound in the other dimension is exact."""
    info = kernel((slope, 0), 0, 1, [(0, factor, 0)])
    values = (1.0, np.zeros(size, np.float32), n)
    for grid in grids():
        made = [group for group in groups_of(grid) if factor * group[1] < n]
        is_valid = all(slope * x < size for x, _ in made)
        assert accepts(info, values, grid) == is_valid, grid
