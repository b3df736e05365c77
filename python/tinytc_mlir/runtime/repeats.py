"""Remembers the last launch of a kernel, so that the same arguments are not checked again.

Arguments are the same if arrays are the same objects, unchanged since, and scalars are equal. An
array that the caller drops is not kept alive: the launch is then forgotten.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .array_view import Array, Dtype
from .arrays import address_of
from .manifest import KernelInfo, MemrefArgument

if TYPE_CHECKING:
    from .launch import Launch

_SCALARS = (int, float, complex, bool, np.generic)  # values that cannot change in place


class _Known(NamedTuple):
    """What an array was like when it was checked."""

    reference: weakref.ref[Array]
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: Dtype
    is_writable: bool


class _Repeat(NamedTuple):
    known: Sequence[object]
    groups: object
    queue: object
    launch: Launch


class Repeats:
    """The last launch of a kernel whose arguments came twice in a row.

    Args:
        info: description of the kernel.
    """

    def __init__(self, info: KernelInfo) -> None:
        self._are_arrays = tuple(isinstance(a, MemrefArgument) for a in info.arguments)
        self._can_repeat = not info.checks  # each launch of a debug build has a report of its own
        self._previous: tuple[int, ...] = ()  # the objects of the last launch that was not known
        self._repeat: _Repeat | None = None

    def find(self, values: Sequence[object], groups: object, queue: object) -> Launch | None:
        """Return the launch with the same arguments, None if it is not remembered."""
        repeat = self._repeat
        if (
            repeat is None
            or queue is not repeat.queue
            or type(groups) is not type(repeat.groups)
            or groups != repeat.groups
            or len(values) != len(repeat.known)
        ):
            return None
        for value, known in zip(values, repeat.known, strict=True):
            if value is not known and not _is_same(value, known):
                return None
        return repeat.launch

    def is_expected(self, values: Sequence[object], groups: object) -> bool:
        """Return whether a launch, which was not found, should be remembered."""
        previous, self._previous = self._previous, tuple(map(id, values))
        return (
            self._can_repeat
            and (groups is None or type(groups) is int)
            and previous == self._previous
            and len(values) == len(self._are_arrays)
            and all(
                type(value) is np.ndarray if is_array else isinstance(value, _SCALARS)
                for value, is_array in zip(values, self._are_arrays, strict=True)
            )
        )

    def remember(
        self, values: Sequence[object], groups: object, queue: object, launch: Launch
    ) -> None:
        """Remember a launch, which must not keep the arrays themselves alive."""
        known = [_known(v, self._forget) if type(v) is np.ndarray else v for v in values]
        self._repeat = _Repeat(known, groups, queue, launch)

    def _forget(self, _: object) -> None:
        self._repeat = None


def _known(array: Array, forget: object) -> _Known:
    assert callable(forget)
    reference = weakref.ref(array, forget)
    is_writable = array.flags.writeable
    return _Known(
        reference, address_of(array), array.shape, array.strides, array.dtype, is_writable
    )


def _is_same(value: object, known: object) -> bool:
    """Whether a value is what it was; zeros must be the same object, since they have a sign."""
    if type(known) is not _Known:
        return type(value) is type(known) and bool(value == known) and value != 0
    if value is not known.reference():
        return False
    assert isinstance(value, np.ndarray)
    return (
        address_of(value) == known.address
        and value.shape == known.shape
        and value.strides == known.strides
        and value.dtype is known.dtype
        and value.flags.writeable == known.is_writable
    )
