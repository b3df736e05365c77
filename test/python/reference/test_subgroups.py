"""Builtins and subgroup operations; a work-group has two subgroups of four work-items."""

import numpy as np
import pytest

from interpreting import DTYPES, HEAD, array, result_of
from tinytc_mlir.scalars import SCALAR_TYPES

BITS = [name for name, each in SCALAR_TYPES.items() if each.is_bits]
TYPES = [name for name in DTYPES if name not in ("bool", "index", *BITS)]
ITEM = """
            %s = builtin.subgroup_id : i32
            %l = builtin.subgroup_local_id : i32
            %size = builtin.subgroup_size : i32
            %base = arith.mul %s, %size : i32
            %item = arith.add %base, %l : i32
            %i = cast %item : index
"""


def per_item(instructions, type_, *args, parameters=""):
    """Return what %result is in each of the work-items."""
    text = f"""
    func @f({parameters} %out: memref<{type_}x8>) {HEAD} {{
        parallel {{
            {ITEM}
            {instructions}
            store %result, %out[%i]
        }}
    }}"""
    return result_of(text, type_, *args, shape=(8,))


def test_builtins():
    assert per_item("%z = constant 0 : i32 %result = arith.add %s, %z : i32", "i32").tolist() == [
        0, 0, 0, 0, 1, 1, 1, 1
    ]  # fmt: skip
    assert per_item("%z = constant 0 : i32 %result = arith.add %l, %z : i32", "i32").tolist() == [
        0, 1, 2, 3, 0, 1, 2, 3
    ]  # fmt: skip
    assert per_item("%result = builtin.num_subgroups : i32", "i32").tolist() == [2] * 8
    assert per_item("%result = builtin.subgroup_size : i32", "i32").tolist() == [4] * 8


def test_work_items_are_counted_along_the_first_mode():
    text = f"""
    func @f(%out: memref<i32x12>) {{
        parallel {{
            {ITEM}
            store %s, %out[%i]
        }}
    }}"""
    out = result_of(text, "i32", shape=(12,), work_group_size=(4, 3), subgroup_size=2)
    assert out.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


@pytest.mark.parametrize("type_", TYPES)
def test_broadcast(type_):
    a = array(range(1, 9), type_)
    got = per_item(
        f"""%x = load %A[%i] : {type_}
            %2 = constant 2 : i32
            %result = subgroup_broadcast %x, %2 : {type_}""",
        type_,
        a,
        parameters=f"%A: memref<{type_}x8>,",
    )
    assert got.tolist() == [3] * 4 + [7] * 4


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("exclusive_scan", [0, 1, 3, 6, 0, 5, 11, 18]),
        ("inclusive_scan", [1, 3, 6, 10, 5, 11, 18, 26]),
        ("reduce", [10] * 4 + [26] * 4),
    ],
)
def test_add(type_, mode, expected):
    got = operation("add", type_, mode, array(range(1, 9), type_))
    assert got.tolist() == expected


@pytest.mark.parametrize("type_", [name for name in TYPES if name[0] != "c"])
def test_min_and_max(type_):
    a = array([2, -3, 5, 1, -1, -4, -2, -8], type_)
    dtype = np.dtype(DTYPES[type_])
    low, high = (-np.inf, np.inf)
    if dtype.kind == "i":
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    assert operation("max", type_, "reduce", a).tolist() == [5] * 4 + [-1] * 4
    assert operation("min", type_, "reduce", a).tolist() == [-3] * 4 + [-8] * 4
    inclusive = operation("max", type_, "inclusive_scan", a)
    assert inclusive.tolist() == [2, 2, 5, 5, -1, -1, -1, -1]
    assert operation("max", type_, "exclusive_scan", a).tolist() == [low, 2, 2, 5, low, -1, -1, -1]
    assert operation("min", type_, "exclusive_scan", a).tolist() == [
        high, 2, -3, -3, high, -1, -4, -4
    ]  # fmt: skip


def operation(word, type_, mode, a):
    return per_item(
        f"""%x = load %A[%i] : {type_}
            %result = subgroup_{word}.{mode} %x : {type_}""",
        type_,
        a,
        parameters=f"%A: memref<{type_}x8>,",
    )


def test_add_of_bfloat16_rounds_in_the_order_of_the_work_items():
    # 256 + 1 rounds to 256, twice.
    a = np.array([0x4380, 0x3F80, 0x3F80, 0x4000] * 2, np.uint16)
    assert operation("add", "bf16", "reduce", a).tolist() == [0x4381] * 8


def test_an_integer_sum_wraps_around():
    a = array([100, 100, 0, 0, 1, 1, 1, 1], "i8")
    assert operation("add", "i8", "reduce", a).tolist() == [-56] * 4 + [4] * 4


def test_only_active_work_items_take_part():
    got = per_item(
        """%2 = constant 2 : i32
            %is_low = cmp.lt %l, %2 : bool
            %result = if %is_low -> (i32) {
                %sum = subgroup_add.reduce %item : i32
                yield (%sum)
            } else {
                %max = subgroup_max.reduce %item : i32
                yield (%max)
            }""",
        "i32",
    )
    assert got.tolist() == [1, 1, 3, 3, 9, 9, 7, 7]


def test_in_a_foreach():
    text = """
    func @f(%out: memref<i32x8>) attributes {subgroup_size=4, work_group_size=[4,1]} {
        %0 = constant 0 : index
        %8 = constant 8 : index
        foreach (%i)=(%0),(%8) {
            %x = cast %i : i32
            %sum = subgroup_add.reduce %x : i32
            store %sum, %out[%i]
        }
    }"""
    assert result_of(text, "i32", shape=(8,)).tolist() == [6] * 4 + [22] * 4
