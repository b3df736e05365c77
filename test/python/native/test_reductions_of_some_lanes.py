"""Reductions over the lanes that run: in the rest of a grid, and in branches."""

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.reference import interpret

TEXT = """
func @f(%A: memref<{type}x40>, %B: memref<{type}x40x2>)
    attributes {{subgroup_size=16, work_group_size=[{size},1]}} {{
  foreach (%i)=(0),(40) {{
    %a = load %A[%i] : {type}
    %r = subgroup_{word}.reduce %a : {type}
    store %r, %B[%i,0]
    %two = constant 2 : index
    %odd = arith.rem %i, %two : index
    %zero = constant 0 : index
    %c = cmp.ne %odd, %zero : bool
    if %c {{
      %s = subgroup_{word}.reduce %a : {type}
      store %s, %B[%i,1]
    }}
  }}
}}
"""


@pytest.mark.parametrize("size", [16, 32])
@pytest.mark.parametrize("word", ["max", "min"])
def test_lanes_that_are_all_nan(word, size):
    """Of lanes of which some are NaN, the extremum is that of the others."""
    given = np.full(40, np.nan, np.float32)
    given[1:16:4] = [-3, 5, -7, 2]
    found = np.zeros((40, 2), np.float32, order="F")
    text = TEXT.format(type="f32", word=word, size=size)
    tt.Context().parse(text).compile("native")["f"](given, found)
    extremum = 5 if word == "max" else -7
    assert (found[:16, 0] == extremum).all()
    assert (found[1:16:2, 1] == extremum).all()
    assert np.isnan(found[16:, 0]).all()
    assert np.isnan(found[17::2, 1]).all()


@pytest.mark.parametrize("size", [16, 32])
@pytest.mark.parametrize(("type_", "dtype"), [("i32", np.int32), ("f64", np.float64)])
@pytest.mark.parametrize("word", ["add", "max", "min"])
def test_reductions(word, type_, dtype, size):
    module = tt.Context().parse(TEXT.format(type=type_, word=word, size=size))
    sign = {"add": 1, "max": -1, "min": 1}[word]  # the neutral number is none of them
    given = (sign * (np.arange(40) * 7 % 11 + 1)).astype(dtype)
    expected, found = (np.zeros((40, 2), dtype, order="F") for _ in range(2))
    interpret(module, "f", [given, expected])
    module.compile("native")["f"](given, found)
    assert np.array_equal(found, expected)
