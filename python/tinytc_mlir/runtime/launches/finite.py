# SPDX-License-Identifier: BSD-3-Clause
"""Finds the arrays of a launch that hold NaN or infinity, before it and after it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

import numpy as np

from ...errors import CheckError, Diagnostic
from ...scalars import SCALAR_TYPES
from ..arrays.array_view import Array, ArrayView
from ..kernel_info import GroupArgument
from ..loaders import loader_of

_MOST_TEXTS = 8


@dataclasses.dataclass(frozen=True)
class _NotFinite:
    """Numbers of an array that are not finite.

    Args:
        name: how messages name the array.
        value: the first such element.
        index: where it is.
        count: how many such elements there are.
    """

    name: str
    value: object
    index: tuple[int, ...]
    count: int

    def __str__(self) -> str:
        more = f" and {self.count - 1} more" if self.count > 1 else ""
        index = ", ".join(map(str, self.index))
        return f"{self.value} at ({index}){more}"


class FiniteCheck:
    """Compares the arrays of a launch before and after it.

    Args:
        kernel: name of the kernel.
        views: its arrays, as they are before the launch.
    """

    def __init__(self, kernel: str, views: Sequence[ArrayView]) -> None:
        self._kernel = kernel
        self._views = list(views)
        self._before = _not_finite(self._views)

    def error(self) -> CheckError | None:
        """Return what is not finite in the arrays that the kernel writes; it must be over."""
        after = _not_finite(view for view in self._views if view.is_written)
        if not after:
            return None
        errors = [
            f"{self._kernel}: expected finite numbers in {found.name} after the launch, got {found}"
            for found in after
        ]
        notes = [f"{found.name} had {found} before the launch" for found in self._before]
        *others, last = (Diagnostic("error", text) for text in _shortened(errors))
        last = dataclasses.replace(
            last, notes=tuple(Diagnostic("note", text) for text in _shortened(notes))
        )
        return CheckError([*others, last])


def _shortened(texts: list[str]) -> list[str]:
    """Return the first texts, and how many there are that are left out."""
    left_out = len(texts) - _MOST_TEXTS
    return [*texts[:_MOST_TEXTS], f"the same in {left_out} more"] if left_out > 0 else texts


def _not_finite(views: Iterable[ArrayView]) -> list[_NotFinite]:
    """Return the arrays that hold NaN or infinity; members of a group by their position."""
    found = []
    members: dict[str, int] = {}
    for view in views:
        argument = view.argument
        if argument is None:
            continue
        position = members[argument.name] = members.get(argument.name, -1) + 1
        values = SCALAR_TYPES[argument.element_type].from_memory(_elements(view))
        if values.dtype.kind not in "fc":
            continue
        is_finite = np.isfinite(values)
        if is_finite.all():
            continue
        index = tuple(int(i[0]) for i in np.nonzero(~is_finite)) if values.ndim else ()
        is_member = isinstance(argument, GroupArgument) and values.ndim == len(argument.shape)
        name = f"member {position} of {argument.name!r}" if is_member else repr(argument.name)
        found.append(_NotFinite(name, values[index], index, int((~is_finite).sum())))
    return found


def _elements(view: ArrayView) -> Array:
    """Return the elements of a view, a copy if the host cannot read them in place."""
    if isinstance(view.array, np.ndarray):
        return view.array
    loader = loader_of(view.memory)
    assert loader is not None
    return loader.host_copy(view)
