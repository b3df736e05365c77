# SPDX-License-Identifier: BSD-3-Clause
"""Matrix instructions on the registers of a warp.

Source: PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions", and what each function names.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...gpu_stage.fragments import LANES, fragments
from ...reference.untyped import Value
from ..numbers import DTYPES, from_bf16, round_float


def _unpack(registers: Value, type_: str) -> Value:
    """Return registers [warp, lane, register] as numbers [warp, lane, element].

    Source: PTX ISA, "Alternate Floating-Point Data Formats" (bf16, tf32).
    """
    if type_ == "tf32":
        return (registers & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64)
    dtype = DTYPES[type_]
    values = np.ascontiguousarray(registers).view(dtype).reshape(*registers.shape[:2], -1)
    if values.dtype.kind in "iu" and type_ != "bf16":
        return values.astype(np.int64)
    return (from_bf16(values) if type_ == "bf16" else values).astype(np.float64)


def _matrix(values: Value, places: tuple[Value, Value], shape: tuple[int, ...]) -> Value:
    result = np.zeros((len(values), *shape), values.dtype)
    result[:, places[0], places[1]] = values
    return result


def multiply_add(shape: str, types: Sequence[str], a: Value, b: Value, c: Value) -> Value:
    """Return the registers of A * B + C, all [warp, lane, register].

    Sums are exact, then rounded; how hardware rounds between is not specified.
    Source: PTX ISA, "Multiply-and-Accumulate Instruction: mma".

    Args:
        shape: such as "m16n8k16".
        types: those of D, A, B and C.
        a: registers of A.
        b: registers of B.
        c: registers of C.
    """
    found = fragments(shape, types[1])
    assert found is not None, shape  # of a form that runs
    at_a, at_b, at_c, (m, n, k) = found
    matrix_a = _matrix(_unpack(a, types[1]), at_a, (m, k))
    matrix_b = _matrix(_unpack(b, types[2]), at_b, (k, n))
    matrix_c = _matrix(_unpack(c, types[3]), at_c, (m, n))
    result = (matrix_a @ matrix_b + matrix_c)[:, at_c[0], at_c[1]]
    result = result.astype(np.int32) if types[0] == "s32" else round_float(result, types[0])
    width = np.uint64 if types[0] == "f64" else np.uint32
    return np.ascontiguousarray(result).view(width).reshape(len(a), LANES, -1)
