# SPDX-License-Identifier: BSD-3-Clause
"""Brings the arguments of a launch to another process: numbers as JSON, arrays as files."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError, describe
from ..measure.comparison import copied
from ..scalars import is_extension

# An argument in JSON: a number, None, or the shape of arrays and where they are.
Described: TypeAlias = "dict[str, Any]"
# Returns an array of one mode that kernels use in place.
Empty: TypeAlias = "Callable[[int, np.dtype[Any]], npt.NDArray[Any]]"


def described(values: Sequence[object] | Mapping[str, object]) -> list[Described]:
    """Return what the arguments are, without the elements of arrays.

    Args:
        values: arguments by position or by name.

    Raises:
        ArgumentError: an argument is not None, a number, an array or a list of arrays.
    """
    if isinstance(values, Mapping):
        return [{"name": name, **_described(name, value)} for name, value in values.items()]
    return [_described(number, value) for number, value in enumerate(values)]


def saved(values: Sequence[object] | Mapping[str, object], folder: pathlib.Path) -> list[Described]:
    """Write the elements of arrays to a folder and return what the arguments are."""
    found = described(values)
    given = values.values() if isinstance(values, Mapping) else values
    for number, (value, entry) in enumerate(zip(given, found, strict=True)):
        members = value if isinstance(value, (list, tuple)) else [value]
        for member, array in enumerate(entry.get("arrays", ())):
            path = folder / f"{number}-{member}.bin"
            path.write_bytes(np.asarray(members[member]).tobytes("F"))
            array["path"] = str(path)
    return found


def loaded(entries: Sequence[Described], empty: Empty) -> tuple[list[object], dict[str, object]]:
    """Return the arguments by position and by name that another process has described.

    Args:
        entries: what `saved` returned.
        empty: returns an array of one mode that kernels use in place, given size and dtype.
    """
    by_position: list[object] = []
    by_name: dict[str, object] = {}
    for entry in entries:
        arrays = [_loaded(array, empty) for array in entry.get("arrays", ())]
        value: object = arrays
        if not entry.get("is_list"):
            value = arrays[0] if arrays else entry["value"]
        if "complex" in entry:
            value = complex(*entry["complex"])
        if "name" in entry:
            by_name[entry["name"]] = value
        else:
            by_position.append(value)
    return by_position, by_name


def _described(name: object, value: object) -> Described:
    if isinstance(value, np.ndarray):
        return {"arrays": [_array(value)]}
    if isinstance(value, (list, tuple)) and all(isinstance(each, np.ndarray) for each in value):
        return {"arrays": [_array(each) for each in value], "is_list": True}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, complex):
        return {"value": None, "complex": [value.real, value.imag]}
    if value is None or isinstance(value, (bool, int, float)):
        return {"value": value}
    raise ArgumentError(
        f"autotune: argument {name!r}: expected a number, a NumPy array or a list of them, "
        f"got {describe(value)}",
        argument=str(name),
    )


def _array(array: npt.NDArray[Any]) -> Described:
    dtype = f"uint{8 * array.itemsize}" if is_extension(array.dtype) else array.dtype.str
    return {"shape": list(array.shape), "dtype": dtype, "strides": list(array.strides)}


def _loaded(entry: Described, empty: Empty) -> npt.NDArray[Any]:
    """Return an array with the strides that it had, in memory that kernels use in place."""
    dtype = np.dtype(entry["dtype"])
    values = np.frombuffer(pathlib.Path(entry["path"]).read_bytes(), dtype)
    values = values.reshape(entry["shape"], order="F")
    strides = entry["strides"]
    if values.size == 0 or min(strides, default=0) < 0 or any(s % dtype.itemsize for s in strides):
        strides = copied(np.asfortranarray(values)).strides
    size = 1 + sum(
        (count - 1) * stride // dtype.itemsize
        for count, stride in zip(values.shape, strides, strict=True)
    )
    flat = empty(max(size, 1), dtype)
    result = np.lib.stride_tricks.as_strided(flat, values.shape, strides)
    result[...] = values
    return result
