# SPDX-License-Identifier: BSD-3-Clause
"""What functions take, checked as NumPy checks it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..batches.arrays import framework_of
from ..kernels.names import InstructionName

tt: Any = InstructionName(())  # the language, in the functions of one matrix
_LOCAL_BYTES = 200_000


def matrices(a: Any, *others: Any, are_square: bool = True) -> list[Any]:
    """Return arrays of numbers that are not integers, of which the first has matrices."""
    arrays = [a, *others] if framework_of(a) else [_floating(each) for each in (a, *others)]
    shape = arrays[0].shape
    if len(shape) < 2:
        raise np.linalg.LinAlgError(
            f"{len(shape)}-dimensional array given. Array must be at least two-dimensional"
        )
    if are_square and shape[-1] != shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    return arrays


def _floating(array: Any) -> Any:
    if framework_of(array):
        return array
    found = np.asarray(array)
    if found.dtype.char in "fdFD":
        return found
    if found.dtype.kind in "biu":
        return found.astype(np.float64)
    raise TypeError(f"array type {found.dtype} is unsupported in linalg")


def right_sides(a: Any, b: Any, *, are_square: bool = True) -> tuple[Any, Any, str]:
    """Return matrices and right sides, and the sizes of those."""
    a, b = matrices(a, b, are_square=are_square)
    rows = b.shape[-2:-1] if len(b.shape) > 1 else b.shape
    if rows != a.shape[-2:-1]:
        raise ValueError(
            f"expected 'b' to have {a.shape[-2]} rows like 'a', got {rows[0] if rows else 'none'}"
        )
    return a, b, "n,k" if len(b.shape) > 1 else "n"


def is_left_to_numpy(a: Any, columns: int = 0) -> bool:
    """Whether matrices, and so many columns beside each, need more memory than a group has."""
    if type(a) is not np.ndarray or max(a.shape[-2:]) < 64:
        return False
    return bool(max(a.shape[-2:]) * (a.shape[-1] + columns) * a.dtype.itemsize > _LOCAL_BYTES)


def checked(found: tuple[Any, Any], message: str) -> Any:
    """Return results unless one of NumPy's matrices has none."""
    result, info = found
    if type(info) is np.ndarray and np.count_nonzero(info):
        raise np.linalg.LinAlgError(message)
    return result


def number(found: Any) -> Any:
    """Return a number as NumPy does, for an array of one without dimensions."""
    return found[()] if type(found) is np.ndarray else found
