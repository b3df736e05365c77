# SPDX-License-Identifier: BSD-3-Clause
"""Factorisations and solves by MKL's compact routines, which interleave matrices; no pivots."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .mkl import _LETTERS, _library

_COLUMN_MAJOR, _LEFT, _LOWER, _UPPER, _NO_TRANSPOSE, _TRANSPOSE = 102, 141, 122, 121, 111, 112
_NON_UNIT, _UNIT = 131, 132


class Packed:
    """An interleaved copy of matrices with the batch as their last mode."""

    def __init__(self, array: Any, type_: str) -> None:
        self.array, self.letter = array, _LETTERS[type_]
        rows, self.columns, count = array.shape
        self.sizes = (ctypes.c_int(rows), ctypes.c_int(self.columns))
        self.format = ctypes.c_int(_library().mkl_get_format_compact())
        self.tail = (self.format, ctypes.c_int(count))
        starts = array.ctypes.data + array.strides[2] * np.arange(count, dtype=np.uintp)
        self._starts = np.ascontiguousarray(starts)
        size_bytes = self.call("get_size", *self.sizes, *self.tail)
        self.memory = np.empty(size_bytes // array.itemsize, array.dtype)
        self.where = (ctypes.c_void_p(self.memory.ctypes.data), self.sizes[0])

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a compact routine for the type."""
        return getattr(_library(), f"mkl_{self.letter}{name}_compact")(*arguments)

    def pack(self) -> None:
        """Interleave the matrices."""
        places = (ctypes.c_void_p(self._starts.ctypes.data), self.sizes[0])
        self.call("gepack", _COLUMN_MAJOR, *self.sizes, *places, *self.where, *self.tail)

    def unpack(self) -> None:
        """Write the matrices as they were."""
        places = (ctypes.c_void_p(self._starts.ctypes.data), self.sizes[0])
        self.call("geunpack", _COLUMN_MAJOR, *self.sizes, *places, *self.where, *self.tail)


def routines(
    steps: Sequence[str], type_: str, matrices: Any, right: Any
) -> dict[str, Callable[[], Any]]:
    """Return calls without and with the conversion of operands and results, if there is MKL.

    Args:
        steps: `cholesky`, `lu`, and `l.n`, `l.t`, `l.unit` or `u.n` for triangular solves.
        type_: scalar type.
        matrices: (M, M, batch) array.
        right: (M, N, batch) array of right sides.
    """
    try:
        _library()
    except OSError:
        return {}
    a = Packed(matrices.copy(order="F"), type_)
    b = Packed(right.copy(order="F"), type_)
    changed = [a] if {"cholesky", "lu"} & set(steps) else []
    changed += [b] if any("." in step for step in steps) else []
    for each in (a, b):
        each.pack()
    kept = [(each.memory, each.memory.copy()) for each in changed]
    calls = [_step(name, a, b) for name in steps]

    def compute() -> None:
        for memory, original in kept:
            np.copyto(memory, original)
        for call in calls:
            call()

    def convert() -> None:
        for each in dict.fromkeys((a, *changed)):
            each.pack()
        for call in calls:
            call()
        for each in changed:
            each.unpack()

    return {"mkl compact": compute, "converted": convert}


def _step(name: str, a: Packed, b: Packed) -> Callable[[], Any]:
    """Return the call of one routine."""
    info, order = ctypes.byref(ctypes.c_int()), a.sizes[0]
    if name == "cholesky":
        operands = (_COLUMN_MAJOR, _LOWER, order, *a.where, info)
        return functools.partial(a.call, "potrf", *operands, *a.tail)
    if name == "lu":
        sizes = (order, order)
        return functools.partial(a.call, "getrfnp", _COLUMN_MAJOR, *sizes, *a.where, info, *a.tail)
    word, form = name.split(".")
    codes = (
        _COLUMN_MAJOR,
        _LEFT,
        _LOWER if word == "l" else _UPPER,
        _TRANSPOSE if form == "t" else _NO_TRANSPOSE,
        _UNIT if form == "unit" else _NON_UNIT,
    )
    one = (ctypes.c_float if a.letter == "s" else ctypes.c_double)(1)
    return functools.partial(a.call, "trsm", *codes, *b.sizes, one, *a.where, *b.where, *a.tail)
