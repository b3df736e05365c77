"""The fma of programs is rounded once on all targets, with and without instructions for it."""

import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from tinytc_mlir.reference.arithmetic import OF_SEVERAL

COUNT = 1 << 20 if profiles.IS_NIGHTLY else 1 << 12
DTYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
TARGETS = ("native", "x86-64-v2", "x86-64-v3")
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
    parts = COUNT // 4
    a, b, c = rng.standard_normal((3, 4, parts)).astype(dtype)
    bits = rng.integers(0, np.iinfo(unsigned).max, (3, parts), unsigned, endpoint=True)
    a[1], b[1], c[1] = bits.view(dtype)
    with np.errstate(all="ignore"):
        c[2] = -(a[2] * b[2])
        half = np.ldexp(dtype(1), -np.finfo(dtype).nmant - 1).astype(dtype)
        c[3] = np.round(c[3] * 8)
        a[3], b[3] = c[3] * half, 1 + rng.integers(-2, 3, parts) * 2 * half
    return a.ravel(), b.ravel(), c.ravel()


def rounded_once(a, b, c):
    """Return ab + c of a type that is narrower than f64: its sum in f64 is rounded to odd."""
    a, b, wide = (x.astype(np.float64) for x in (a, b, c))
    product = a * b  # exact
    total = product + wide
    part = total - product
    error = (product - (total - part)) + (wide - part)
    is_even = (total.view(np.int64) & 1) == 0
    towards = np.where(error > 0, np.inf, -np.inf)
    is_changed = (error != 0) & is_even & np.isfinite(error)
    near = np.where(is_changed, np.nextafter(total, towards), total)
    return near.astype(c.dtype)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("type_", DTYPES)
def test_rounded_once(type_, target):
    a, b, c = operands(DTYPES[type_])
    with np.errstate(all="ignore"):
        if type_ == "f64":
            a, b, c = (x[:: max(1, COUNT >> 12)] for x in (a, b, c))
            expected = OF_SEVERAL["fma"](a, b, c)
        else:
            expected = rounded_once(a, b, c)
    for lanes in (4, 64):
        d = np.zeros_like(a)
        text = KERNEL.format(type=type_, lanes=lanes)
        tt.Context().parse(text).compile(target)["k"](a, b, c, d, groups=1)
        np.testing.assert_array_equal(d, expected)
