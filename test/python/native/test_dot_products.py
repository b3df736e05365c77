"""Products whose factors are packed, for instructions that add up neighbouring products."""

import itertools

import numpy as np
import pytest

import tinytc_mlir as tt
from cases.unit_products import Gemm
from tinytc_mlir.runtime.native.processor import NativeLoader
from tinytc_mlir.scalars import SCALAR_TYPES

GROUPS = 3
GEMM = """
func @gemm(%alpha: {a}, %A: memref<{a}x{A}x?>, %B: memref<{b}x{B}x?>,
           %beta: {c}, %C: memref<{c}x{rows}x{columns}x?>) {{
  %g = builtin.group_id : index
  %a = subview %A[:, :, %g] : memref<{a}x{A}>
  %b = subview %B[:, :, %g] : memref<{b}x{B}>
  %c = subview %C[:, :, %g] : memref<{c}x{rows}x{columns}>
  gemm.{ta}.{tb} %alpha, %a, %b, %beta, %c
}}
"""
(DEVICE,) = NativeLoader().devices()
LEVELS = ("x86-64-v2", "x86-64-v3", "x86-64-v4", "x86-64-v4-bf16")
TARGETS = ("native", *(each for each in LEVELS if each in DEVICE.runs))
SIZES = [(1, 2, 4), (8, 8, 8), (5, 3, 7), (35, 9, 20), (33, 17, 66), (17, 40, 15)]


def text_of(rows, columns, steps, ta, tb, types):
    """Return the program of a product."""
    (k, m), (n, j) = (steps, rows), (columns, steps)
    shape_a = f"{k}x{m}" if ta == "t" else f"{m}x{k}"
    shape_b = f"{n}x{j}" if tb == "t" else f"{j}x{n}"
    a, b, c = types
    return GEMM.format(
        a=a, b=b, c=c, A=shape_a, B=shape_b, rows=rows, columns=columns, ta=ta, tb=tb
    )


def whole_range(rng, type_, shape):
    """Return integers of the whole range, with both ends."""
    dtype = SCALAR_TYPES[type_].value_dtype
    info = np.iinfo(dtype)
    values = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    values.flat[: min(3, values.size)] = info.min
    return np.asfortranarray(values)


def stored(values, transpose):
    """Return matrices as they are stored."""
    return np.asfortranarray(values.swapaxes(0, 1)) if transpose == "t" else values


@pytest.mark.similar
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("types", [("i8", "i8"), ("i16", "i8"), ("i16", "i16")])
@pytest.mark.parametrize("rows, columns, steps", SIZES)
def test_integers_are_exact(types, target, rows, columns, steps):
    """Sums of i32 wrap around, and nothing else is lost."""
    rng = np.random.default_rng(rows * steps)
    for ta, tb in itertools.product("nt", repeat=2):
        text = text_of(rows, columns, steps, ta, tb, (*types, "i32"))
        gemm = tt.Context().parse(text).compile(target)["gemm"]
        a = whole_range(rng, types[0], (rows, steps, GROUPS))
        b = whole_range(rng, types[1], (steps, columns, GROUPS))
        product = np.einsum("ikg,kjg->ijg", a.astype(np.int64), b.astype(np.int64))
        for alpha, beta in ((1, 0), (-3, 5)):
            memory = whole_range(rng, "i32", (rows, columns, GROUPS + 2))
            before = memory.copy()
            gemm(alpha, stored(a, ta), stored(b, tb), beta, memory[..., 1:-1], groups=GROUPS)
            expected = alpha * product + beta * before[..., 1:-1].astype(np.int64)
            before[..., 1:-1] = expected.astype(np.int32)
            np.testing.assert_array_equal(memory, before)


def test_large_product_has_memory_of_the_launch():
    """Packed factors that do not fit the stack are in memory that the launch brings."""
    rng = np.random.default_rng(0)
    gemm = tt.Context().parse(text_of(128, 96, 130, "n", "n", ("i8", "i8", "i32")))
    a, b = (whole_range(rng, "i8", shape) for shape in ((128, 130, 2), (130, 96, 2)))
    c = np.zeros((128, 96, 2), np.int32, order="F")
    gemm.compile("native")["gemm"](1, a, b, 0, c, groups=2)
    np.testing.assert_array_equal(c, np.einsum("ikg,kjg->ijg", a.astype(np.int32), b))


CHAIN = """
func @chain(%A: memref<i8x9x9x?>, %n: i64, %C: memref<i32x9x9x?>) {
  %g = builtin.group_id : index
  %a = subview %A[:, :, %g] : memref<i8x9x9>
  %c = subview %C[:, :, %g] : memref<i32x9x9>
  %one = constant 1 : i8
  %sum = constant 1 : i32
  %from = constant 0 : i64
  for %i=%from,%n {
    gemm.n.t.atomic %one, %a, %a, %sum, %c
    gemm.t.n %one, %a, %a, %sum, %c
  }
}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_products_share_memory(target):
    """A product packs its factors where those of the one before it were."""
    rng = np.random.default_rng(2)
    a, c = whole_range(rng, "i8", (9, 9, 4)), np.zeros((9, 9, 4), np.int32, order="F")
    tt.Context().parse(CHAIN).compile(target)["chain"](a, 3, c, groups=4)
    wide = a.astype(np.int32)
    expected = np.einsum("ikg,jkg->ijg", wide, wide) + np.einsum("kig,kjg->ijg", wide, wide)
    np.testing.assert_array_equal(c, 3 * expected)


@pytest.mark.parametrize("target", TARGETS)
def test_infinity_and_nan_of_bf16(target):
    """Numbers that fill words at the end of a line are multiplied with zeros only."""
    kind = SCALAR_TYPES["bf16"]
    text = text_of(17, 3, 5, "n", "n", ("bf16", "bf16", "f32"))
    gemm = tt.Context().parse(text).compile(target)["gemm"]
    a = np.ones((17, 5, 1), np.float32)
    b = np.ones((5, 3, 1), np.float32)
    a[3, 4], b[4, 1], b[0, 2] = np.inf, np.nan, -np.inf
    c = np.full((17, 3, 1), np.nan, np.float32, order="F")
    to_bits = [np.asfortranarray(kind.to_memory(x.astype(kind.value_dtype))) for x in (a, b)]
    gemm(kind.value_dtype.type(1), *to_bits, 0.0, c, groups=1)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(c, np.einsum("ikg,kjg->ijg", a, b))


@pytest.mark.similar
@pytest.mark.parametrize("target", ["native", "x86-64-v3", "aarch64"])
@pytest.mark.parametrize("types", [("i8", "i32"), ("i16", "i32"), ("bf16", "f32")])
@pytest.mark.parametrize("shape", [(20, 7, 9), (5, 3, 18)])
@pytest.mark.parametrize("attributes", ["", "attributes{subgroup_size=8,work_group_size=[16,2]}"])
def test_stage_has_no_race(types, target, shape, attributes):
    """Work-items wait for words that others pack, and read none that nobody wrote."""
    rng = np.random.default_rng(4)
    for transpose in ("nn", "nt", "tn", "tt"):
        gemm = Gemm(*types, shape, transpose, attributes=attributes)
        for seed in (None, 1):
            a, b, c = gemm.arrays(rng)
            expected = gemm.expected(2, a, b, 3, c)
            assert gemm.run(target, 2, a, b, 3, c, seed) == []
            assert gemm.difference(c, expected) < 1
