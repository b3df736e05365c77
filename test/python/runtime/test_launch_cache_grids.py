"""Launches of three dimensions for which the launch cache has an entry."""

import numpy as np
import pytest

import tinytc_mlir as tt

TEXT = """func @count(%a: f32, %X: memref<f32x4x?x?x?>) {
  %x = group_id.x : index
  %y = group_id.y : index
  %z = group_id.z : index
  %v = subview %X[:,%x,%y,%z] : memref<f32x4>
  %one = constant 1.0 : f32
  axpby.n %a, %v, %one, %v
}"""
GRID = (2, 3, 5)


@pytest.fixture(scope="module")
def program():
    return tt.Context().parse(TEXT).compile("cpu")


@pytest.fixture
def kernel(program):
    """A kernel of its own for each test, which has launched nothing yet."""
    return type(program["count"])(program, program["count"].info)


def ones(*grid):
    return tt.asarray(np.ones((4, *grid), np.float32, order="F"))


def is_known(kernel, array, groups):
    return kernel.launch_cache.find((1.0, array), groups, None, takes_plain=True) is not None


@pytest.mark.parametrize("groups", [None, GRID, (1, 3, 2), (2, 3), (2,), 2])
@pytest.mark.parametrize("way", ["call", "submit", "bind"])
def test_grids(kernel, groups, way):
    given = GRID if groups is None else groups if isinstance(groups, tuple) else (groups,)
    x, y, z = (*given, 1, 1)[:3]
    for number in range(4):
        array = ones(*GRID)
        if way != "bind":
            assert is_known(kernel, array, groups) == (number > 0)
        launch = {"call": kernel, "submit": kernel.submit, "bind": kernel.bind}[way]
        result = launch(number + 1.0, array, groups=groups)
        if way == "submit":
            result.wait()
        elif way == "bind":
            result()
        expected = np.ones((4, *GRID), np.float32)
        expected[:, :x, :y, :z] += number + 1
        assert np.array_equal(array, expected)


@pytest.mark.parametrize("groups", [(3, 3, 5), (2, 4, 5), (2, 3, 6), (2, 3, 2**31 - 1), 3])
def test_too_many_groups(kernel, groups):
    array = ones(*GRID)
    for _ in range(2):
        kernel(1.0, array, groups=GRID)
        for launch in (kernel, kernel.submit, kernel.bind):
            with pytest.raises(tt.ArgumentError, match="expected at most [235] groups in [xyz]"):
                launch(1.0, array, groups=groups)
