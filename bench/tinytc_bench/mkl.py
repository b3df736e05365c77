# SPDX-License-Identifier: BSD-3-Clause
"""MKL's GEMM, loaded from the PyPI package or from the system."""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import pathlib
from collections.abc import Callable
from typing import Any

_COLUMN_MAJOR, _NO_TRANSPOSE, _TRANSPOSE = 102, 111, 112
_LETTERS = {"f32": "s", "f64": "d", "c32": "c", "c64": "z"}

# Address of the first matrix, leading dimension, and distance of the matrices in elements.
_Operand = tuple[ctypes.c_void_p, int, int]
Operands = tuple[_Operand, _Operand, _Operand]


@functools.cache
def _library() -> ctypes.CDLL:
    """Return MKL from the PyPI package, or else from the system."""
    folders = []
    for package, name in (("intel-openmp", "libiomp5.so"), ("mkl", "libmkl_rt.so")):
        try:
            files = importlib.metadata.files(package) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        folders += [str(f.locate()) for f in files if pathlib.Path(str(f)).name.startswith(name)]
    for path in folders[:-1]:
        ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(folders[-1] if folders else "libmkl_rt.so", mode=ctypes.RTLD_GLOBAL)


def batched_gemm(
    type_: str,
    transposes: str,
    sizes: tuple[int, int, int],
    operands: Operands,
    groups: int,
    *,
    adds: bool = False,
) -> Callable[[], Any] | str:
    """Return a call of `cblas_?gemm_batch_strided`, or why there is none.

    Args:
        type_: scalar type of all matrices.
        transposes: "n" or "t" for A and for B.
        sizes: M, N and K.
        operands: A, B and C.
        groups: number of products.
        adds: whether C is added to.
    """
    function = _function(type_, "gemm_batch_strided")
    if isinstance(function, str):
        return function
    codes = [_NO_TRANSPOSE if letter == "n" else _TRANSPOSE for letter in transposes]
    numbers = _integers(_COLUMN_MAJOR, *codes, *sizes)
    a, b, c = ((address, *_integers(rows, stride)) for address, rows, stride in operands)
    alpha, beta = _scalar(type_, 1), _scalar(type_, int(adds))
    return functools.partial(function, *numbers, alpha, *a, *b, beta, *c, *_integers(groups))


def plain_gemm(
    type_: str, sizes: tuple[int, int, int], operands: Operands
) -> Callable[[], Any] | str:
    """Return a call of `cblas_?gemm` for C := A B, or why there is none.

    Args:
        type_: scalar type of all matrices.
        sizes: M, N and K.
        operands: A, B and C.
    """
    function = _function(type_, "gemm")
    if isinstance(function, str):
        return function
    numbers = _integers(_COLUMN_MAJOR, _NO_TRANSPOSE, _NO_TRANSPOSE, *sizes)
    a, b, c = ((address, *_integers(rows)) for address, rows, _ in operands)
    alpha, beta = _scalar(type_, 1), _scalar(type_, 0)
    return functools.partial(function, *numbers, alpha, *a, *b, beta, *c)


def _function(type_: str, name: str) -> Any:
    """Return a function for a type, or why there is none."""
    if type_ not in _LETTERS:
        return "no batched GEMM of that kind"
    try:
        return getattr(_library(), f"cblas_{_LETTERS[type_]}{name}")
    except (OSError, AttributeError) as error:
        return f"missing: {error}; `pip install mkl`"


def _integers(*numbers: int) -> list[ctypes.c_int]:
    return [ctypes.c_int(number) for number in numbers]


def _scalar(type_: str, value: int) -> Any:
    """Return a number: by value if real, by address if complex."""
    scalar = ctypes.c_float if type_ in ("f32", "c32") else ctypes.c_double
    return scalar(value) if type_[0] == "f" else (scalar * 2)(value, 0)
