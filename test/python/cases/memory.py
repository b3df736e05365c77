"""The arguments of a kernel between guard zones, and the comparison of two runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

import tinytc_mlir as tt
from tinytc_mlir.scalars import bfloat16_values

GUARD = 24
"""Elements before and after every array that must keep their value."""


@dataclasses.dataclass
class Buffer:
    """An array between two guard zones; a view of it is an argument of a kernel."""

    type_: str
    data: np.ndarray[Any, Any]
    shape: tuple[int, ...]
    stride: tuple[int, ...]

    def view(self, data: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return the array that the kernel sees of the elements `data`."""
        size_bytes = data.itemsize
        strides = tuple(size_bytes * step for step in self.stride)
        return np.ndarray(self.shape, data.dtype, data, GUARD * size_bytes, strides)


class Memory:
    """The arguments of one run, on copies of the buffers.

    Args:
        parameters: by name, type and value, as in a case.
        copy: makes the array that a kernel gets of an array of the host.
    """

    def __init__(
        self, parameters: Mapping[str, tuple[str, Any]], copy: Callable[[Any], Any]
    ) -> None:
        self.arguments: dict[str, Any] = {}
        self.data: dict[str, list[Any]] = {}
        self.buffers: dict[str, list[Buffer]] = {}
        for name, (_, value) in parameters.items():
            buffers = _buffers(value)
            self.buffers[name] = buffers
            self.data[name] = [copy(member.data.copy()) for member in buffers]
            views = [b.view(data) for b, data in zip(buffers, self.data[name], strict=True)]
            self.arguments[name] = value
            if isinstance(value, Buffer):
                (self.arguments[name],) = views
            elif buffers:
                self.arguments[name] = tt.Group(views, value[1], value[2])

    def arrays(self) -> Iterator[tuple[str, str, Any]]:
        """Yield name, element type and elements of every array, guard zones included."""
        for name, buffers in self.buffers.items():
            for member, data in zip(buffers, self.data[name], strict=True):
                values = bfloat16_values(data) if member.type_ == "bf16" else data
                yield name, member.type_, values


def _buffers(value: Any) -> list[Buffer]:
    if isinstance(value, Buffer):
        return [value]
    return value[0] if isinstance(value, tuple) else []


def difference(expected: Memory, actual: Memory, tolerance: float) -> str:
    """Return where two runs differ; empty if they are equal.

    Args:
        expected: arguments after the run of the reference.
        actual: arguments after the other run.
        tolerance: relative difference that is ignored.
    """
    for (name, _, right), (_, _, left) in zip(expected.arrays(), actual.arrays(), strict=True):
        with np.errstate(all="ignore"):
            same = is_same(left, right)
            if tolerance and not same.all():
                scale = np.maximum(np.abs(right), np.finfo(right.dtype).tiny)
                same |= np.abs(left - right) <= tolerance * scale
        if not same.all():
            return f"%{name}: {described(left, right, same)}"
    return ""


def is_same(actual: Any, expected: Any) -> Any:
    """Return where elements are equal or both NaN."""
    return (actual == expected) | (np.isnan(actual) & np.isnan(expected))


def described(actual: Any, expected: Any, same: Any) -> str:
    """Return how many elements differ, and the first of them."""
    index = int(np.argmin(same))
    zone = " (guard zone)" if index < GUARD or index >= actual.size - GUARD else ""
    return (
        f"{int((~same).sum())} elements differ, the first at {index - GUARD}{zone}: "
        f"got {actual[index]}, expected {expected[index]}"
    )
