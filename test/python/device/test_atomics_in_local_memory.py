"""Atomic updates of elements of 8 and 16 bits in local memory, wherever it begins.

The CPU driver raises the alignment of local memory that subgroups write, 512 bytes for 64 lanes of
i64, but does not place it so.
"""

import numpy as np
import pytest

import tinytc_mlir as tt

PADDING = range(9, 66, 8)  # elements of i64 before: the words around the element differ in each bit
TYPES = {"i8": np.int8, "i16": np.int16, "f16": np.float16}


def text(type_, lanes):
    return "\n".join(
        f"""
func @f{size}(%A: memref<i64x{size}>, %C: memref<{type_}x16>) attributes {{
    subgroup_size={lanes}, work_group_size=[{lanes},1]}} {{
  %a = alloca : memref<i64x{size}, local>
  %c = alloca : memref<{type_}x16, local>
  %one = constant 1 : i64
  %zero = constant 0 : i64
  axpby %one, %A, %zero, %a
  %unit = constant 1 : {type_}
  %none = constant 0 : {type_}
  axpby %unit, %C, %none, %c
  %i = constant 5 : index
  %three = constant 3 : {type_}
  %old = atomic_max.work_group %three, %c[%i] : {type_}
  axpby %unit, %c, %none, %C
}}"""
        for size in PADDING
    )


@pytest.mark.similar
@pytest.mark.parametrize("abi", ["plain", "packed"])
@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("lanes", [16, 64])
def test_maximum(type_, lanes, abi):
    program = tt.Context().parse(text(type_, lanes)).compile(abi=abi)
    for size in PADDING:
        c = np.full(16, -5, TYPES[type_])
        expected = c.copy()
        expected[5] = 3
        program[f"f{size}"](np.ones(size, np.int64), c, groups=1)
        np.testing.assert_array_equal(c, expected, f"{size} elements before")
