"""Quotients in lanes of which the compiler knows that they divide 0.

LLVM's code generator takes such a quotient for 0, also where it makes 0 / 0 of 0 / 1.
"""

import numpy as np
import pytest

import tinytc_mlir as tt

TEXT = """func @quotients(%A: memref<{type}x1>, %Q: memref<{type}x16>)
    attributes {{subgroup_size=16, work_group_size=[16,1]}} {{
  parallel {{
    %lane = subgroup_local_id : i32
    %i = cast %lane : index
    %zero = constant 0.0 : {type}
    %one = constant 1.0 : {type}
    %isFirst = equal %lane, 0 : bool
    %x = if %isFirst -> ({type}) {{
      %a = load %A[%i] : {type}
      yield (%a)
    }} else {{
      yield (%zero)
    }}
    %size = abs %x : {type}
    %isZero = equal %size, %zero : bool
    %divisor = select %isZero, {other}, %size : {type}
    %quotient = div %x, %divisor : {type}
    store %quotient, %Q[%i]
  }}
}}"""


@pytest.mark.parametrize("target", ["native", "x86-64-v2", "x86-64-v3", "cpu"])
@pytest.mark.parametrize("type_, dtype", [("f16", "f2"), ("f32", "f4"), ("f64", "f8")])
@pytest.mark.parametrize("other, rest", [("%one", 0), ("%size", np.nan)])
def test_quotients_of_zeros(other, rest, type_, dtype, target):
    program = tt.Context().parse(TEXT.format(type=type_, other=other)).compile(target)
    found = np.full(16, 7, dtype)
    program["quotients"](np.array([-3], dtype), found)
    np.testing.assert_array_equal(found, [-1] + 15 * [rest])
