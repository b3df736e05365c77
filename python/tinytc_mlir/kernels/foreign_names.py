# SPDX-License-Identifier: BSD-3-Clause
"""Counterparts in kernels of names of Python, NumPy, Triton and CUDA."""

from __future__ import annotations

from ..scalars import SCALAR_TYPES

_LOOP = "for i in range(n): y[i] = x[i]"
_MEMORY = "t = tt.local(tt.f32, (8, 8))"
_NAMES = {
    "abs(x)": "absolute fabs",
    "max(x, y)": "max fmax",
    "min(x, y)": "min fmin",
    "tt.maximum(x, y)": "maximum",
    "tt.minimum(x, y)": "minimum",
    "tt.minimum(tt.maximum(x, low), high)": "clip clamp",
    "x if c else y": "where",
    "x != x": "isnan",
    "x - x == 0": "isfinite",
    "abs(x) == float('inf')": "isinf",
    "x * y": "multiply",
    "x * x": "square",
    "x - y": "subtract",
    "-x": "negative",
    "x / y": "divide true_divide",
    "1 / x": "reciprocal",
    "tt.floor(x / y)": "floor_divide",
    "(m + n - 1) // n": "cdiv ceil_div ceildiv",
    "x % y": "fmod",
    "x - y * tt.floor(x / y)": "mod remainder",
    "tt.pow(x, y)": "pow power float_power",
    "tt.floor(x + 0.5)": "round rint around",
    "tt.floor(x) if x > 0 else tt.ceil(x)": "trunc fix",
    "abs(x) if y >= 0 else -abs(x)": "copysign",
    "1 if x > 0 else -1 if x < 0 else 0": "sign",
    "tt.log(x) / 2.302585092994046": "log10",
    "tt.sin(x) / tt.cos(x)": "tan",
    "(tt.exp(x) - tt.exp(-x)) / 2": "sinh",
    "(tt.exp(x) + tt.exp(-x)) / 2": "cosh",
    "1 / (1 + tt.exp(-x))": "sigmoid",
    "tt.conj(z)": "conjugate",
    "tt.re(z)": "real",
    "tt.im(z)": "imag",
    "tt.bool(x)": "bool",
    "C[:] = A @ B": "dot matmul einsum tensordot mma",
    "C[:] = A.T": "transpose",
    "C[:] = tt.outer(x, y)": "outer",
    "C[:] = tt.cumsum(A, 0)": "cumsum",
    "y[:] = A.sum(1)": "sum",
    "y[:] = x": "copy",
    "A.fuse(0, 1)": "ravel flatten",
    "A.expand(0, (4, 2))": "reshape view",
    "A.shape[0]": "len ndim",
    "for i in range(n): s += x[i] * y[i]": "inner vdot",
    "for i in range(n): x[i] = tt.f32(i)": "arange linspace",
    "for i in range(n): y[i] = x[n - 1 - i]": "reversed flip",
    "for i in tt.foreach(n): x[i] = 0": "fill",
    "for i in tt.foreach(n): y[i] = x[i]": "threadIdx get_local_id get_global_id vectorize",
    _LOOP: "enumerate zip map prange static_range while_loop fori_loop",
    _MEMORY: "zeros ones empty full array zeros_like ones_like empty_like full_like shared",
    "tt.group_id.x": "program_id blockIdx get_group_id",
    "tt.num_groups.x": "num_programs gridDim get_num_groups",
    "tt.barrier.local()": "syncthreads debug_barrier sync_threads",
    "tt.print('text', x)": "print printf device_print",
    "assert n > 0": "static_assert",
    "tt.f16(x)": "float16 half",
    "tt.f32(x)": "float32 float",
    "tt.f64(x)": "float64 double",
    **{f"tt.i{bits}(x)": f"int{bits}" for bits in (8, 16, 64)},
    "tt.i32(x)": "int32 int",
    **{f"tt.{each.name}(x)": each.extension for each in SCALAR_TYPES.values() if each.is_bits},
    "tt.c32(z)": "complex64",
    "tt.c64(z)": "complex128 complex",
    "tt.f64(x[0])": "astype to",
}
_MISSING = (
    "arccos arccosh arcsin arcsinh arctan arctan2 arctanh acos acosh angle asin asinh atan atan2 "
    "atanh cbrt erf erfc gamma lgamma"
)
COUNTERPARTS = {name: code for code, names in _NAMES.items() for name in names.split()}
"""Code of kernels, by the name elsewhere."""


def instead(name: str) -> str:
    """Return the hint for a name that kernels do not have, the empty string if there is none.

    >>> instead("isnan"), instead("gem")
    ('use x != x', '')
    """
    if name in _MISSING.split():
        return "the language has none: use arithmetic, tt.exp, tt.log and tt.sqrt"
    return f"use {COUNTERPARTS[name]}" if name in COUNTERPARTS else ""
