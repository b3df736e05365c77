"""The fma of programs is rounded once on all targets, with and without instructions for it."""

import ml_dtypes
import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from tile_interpreter import TileStage
from tinytc_mlir.reference.arithmetic import OF_SEVERAL, of_several
from tinytc_mlir.reference.rounding import round_to
from tinytc_mlir.scalars import SCALAR_TYPES

COUNT = 1 << 20 if profiles.IS_NIGHTLY else 1 << 12
DTYPES = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}
TARGETS = ("native", "x86-64-v2", "x86-64-v3", "cpu")
KERNEL = """
func @k(%A: memref<{type}x?>, %B: memref<{type}x?>, %C: memref<{type}x?>, %D: memref<{type}x?>)
    attributes{{subgroup_size={lanes}, work_group_size=[{lanes},1]}} {{
  %n = size %A[0] : index
  foreach (%i) = (0), (%n) {{
    %a = load %A[%i] : {type}
    %b = load %B[%i] : {type}
    %c = load %C[%i] : {type}
    %d = fma %a, %b, %c : {type}
    store %d, %D[%i]
  }}
}}
"""


def operands(dtype):
    """Return random numbers, numbers of all magnitudes, and sums near the middle of two numbers."""
    rng = np.random.default_rng(np.dtype(dtype).itemsize)
    unsigned = np.dtype(f"u{np.dtype(dtype).itemsize}")
    parts = COUNT // 8
    a, b, c = rng.standard_normal((3, 8, parts)).astype(dtype)
    bits = rng.integers(0, np.iinfo(unsigned).max, (3, 2, parts), unsigned, endpoint=True)
    a[1:3], b[1:3], c[1:3] = bits.view(dtype)
    with np.errstate(all="ignore"):
        c[2:4] = -(a[2:4] * b[2:4])
        half = 2.0 ** -(ml_dtypes.finfo(dtype).nmant + 1)
        c[4:] = np.round(c[4:].astype(np.float64) * 8)
        a[4:] = (c[4:].astype(np.float64) * half).astype(dtype)
        b[4:] = 1 + rng.integers(-2, 3, (4, parts)) * 2 * half
        # Near the middle of subnormal numbers, and of others where the rest is far below.
        small = np.asarray(ml_dtypes.finfo(dtype).smallest_subnormal, dtype)
        a[5], c[5] = a[5] * small, c[5] * small
        a[6], b[6] = 1 + half * 2, rng.integers(-9, 9, parts) * half * 2 + 1
        c[6:] = rng.integers(-2, 3, (2, parts)).astype(dtype) * small
    return a.ravel(), b.ravel(), c.ravel()


def rounded_once(a, b, c):
    """Return ab + c of a type that is narrower than f64: its sum in f64, rounded to odd."""
    a, b, wide = (x.astype(np.float64) for x in (a, b, c))
    product = a * b  # exact
    total = product + wide
    part = total - product
    error = (product - (total - part)) + (wide - part)
    is_even = (total.view(np.int64) & 1) == 0
    towards = np.where(error > 0, np.inf, -np.inf)
    is_changed = (error != 0) & is_even & np.isfinite(error)
    return np.where(is_changed, np.nextafter(total, towards), total)


@pytest.mark.similar
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("type_", DTYPES)
def test_rounded_once(type_, target):
    a, b, c = operands(DTYPES[type_])
    with np.errstate(all="ignore"):
        exact = OF_SEVERAL["fma"] if type_ == "f64" else rounded_once
        expected = round_to(SCALAR_TYPES[type_], exact(a, b, c))
    for lanes in (4, 64):
        d = np.zeros_like(a)
        text = KERNEL.format(type=type_, lanes=lanes)
        tt.Context().parse(text).compile(target)["k"](a, b, c, d, groups=1)
        np.testing.assert_array_equal(d.astype(expected.dtype), expected)


@pytest.mark.parametrize("type_", DTYPES)
def test_interpreters_round_once(type_):
    a, b, c = (x[::16] for x in operands(DTYPES[type_]))
    function = of_several("fma", SCALAR_TYPES[type_])
    with np.errstate(all="ignore"):
        exact = OF_SEVERAL["fma"] if type_ == "f64" else rounded_once
        expected = round_to(SCALAR_TYPES[type_], exact(a, b, c))
        np.testing.assert_array_equal(function(a, b, c), expected)


@pytest.mark.parametrize("type_", DTYPES)
def test_tiles_round_once(type_):
    a, b, c = (x[:: COUNT // 256] for x in operands(DTYPES[type_]))
    with np.errstate(all="ignore"):
        exact = OF_SEVERAL["fma"] if type_ == "f64" else rounded_once
        expected = round_to(SCALAR_TYPES[type_], exact(a, b, c))
        stored = [np.ascontiguousarray(x).view(SCALAR_TYPES[type_].dtype) for x in (a, b, c)]
        d = np.zeros_like(stored[0])
        TileStage(tt.Context().parse(KERNEL.format(type=type_, lanes=32))).run("k", [*stored, d])
    np.testing.assert_array_equal(d.view(a.dtype).astype(expected.dtype), expected)
