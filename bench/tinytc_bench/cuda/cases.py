# SPDX-License-Identifier: BSD-3-Clause
"""Kernels with arguments and expected results in files, replayed on a GPU.

A folder has `index.json` and, for each module, a program and an `.npz` file of arrays. Arrays have
guard zones at both ends, which a kernel must not change.
"""

from __future__ import annotations

import dataclasses
import json
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tinytc_mlir.errors import TinyTCError
from tinytc_mlir.runtime.arrays.memory import asarray
from tinytc_mlir.runtime.launches.arguments import Group
from tinytc_mlir.runtime.program import Program, load
from tinytc_mlir.scalars import SCALAR_TYPES

from .views import Part

INDEX = "index.json"


@dataclasses.dataclass(frozen=True)
class StoredArray:
    """An array between guard zones.

    Args:
        key: key of its elements, guard zones included, in the arrays of the module.
        type: scalar type of the elements.
        guard: number of elements before the first.
        shape: size of every mode.
        stride: distances of neighbours in elements.
    """

    key: str
    type: str
    guard: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class StoredArgument:
    """An argument.

    Args:
        name: name of the parameter.
        kind: "scalar", "array", "group" or "none".
        key: key of a scalar.
        arrays: one array, or the members of a group.
        offset: offset of a group.
        group_shape: shape of what is loaded from a group, None for that of the members.
    """

    name: str
    kind: str
    key: str = ""
    arrays: tuple[StoredArray, ...] = ()
    offset: int = 0
    group_shape: tuple[int, ...] | None = None


@dataclasses.dataclass(frozen=True)
class StoredCase:
    """A launch and what it must compute.

    The expected elements of an array have its key with ".expected" after it. If there is a key
    with ".bound", the results may differ by as much.

    Args:
        name: what it is called in messages.
        kernel: name of the kernel in the module.
        groups: number of groups in x, y and z.
        arguments: arguments by position.
        tolerance: relative difference that is allowed.
    """

    name: str
    kernel: str
    groups: tuple[int, ...]
    arguments: tuple[StoredArgument, ...]
    tolerance: float = 0.0


@dataclasses.dataclass
class Outcome:
    """Results of cases.

    Args:
        equal: number of those that were right.
        failures: what is wrong with the others.
        end: cases of the folder up to here, those that were left out among them.
    """

    equal: int = 0
    failures: list[str] = dataclasses.field(default_factory=list)
    end: int = 0

    def __str__(self) -> str:
        return f"{self.equal} right, {len(self.failures)} wrong"


def write_index(folder: pathlib.Path, modules: Sequence[tuple[str, Sequence[StoredCase]]]) -> None:
    """Write the index of a folder.

    Args:
        folder: the folder.
        modules: for each module the stem of its two files, and its cases.
    """
    entries = [
        {"stem": stem, "cases": [dataclasses.asdict(case) for case in cases]}
        for stem, cases in modules
    ]
    (folder / INDEX).write_text(json.dumps(entries, indent=1), encoding="utf-8")


def read_index(folder: pathlib.Path) -> Iterator[tuple[str, list[StoredCase]]]:
    """Yield the stem and the cases of each module.

    Raises:
        TinyTCError: the folder has no readable index.
    """
    try:
        entries = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        yield from [(each["stem"], [_case(case) for case in each["cases"]]) for each in entries]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TinyTCError(f"expected cases in {folder / INDEX}, got an error: {error}") from error


def _case(fields: Mapping[str, Any]) -> StoredCase:
    arguments = tuple(_argument(each) for each in fields["arguments"])
    groups = tuple(fields["groups"])
    return StoredCase(**{**fields, "groups": groups, "arguments": arguments})


def _argument(fields: Mapping[str, Any]) -> StoredArgument:
    arrays = tuple(
        StoredArray(**{**each, "shape": tuple(each["shape"]), "stride": tuple(each["stride"])})
        for each in fields["arrays"]
    )
    shape = fields["group_shape"]
    whole = {**fields, "arrays": arrays, "group_shape": None if shape is None else tuple(shape)}
    return StoredArgument(**whole)


def replay(
    folder: pathlib.Path,
    device: object,
    *,
    every: int = 1,
    matching: str = "",
    first: int = 0,
) -> Iterator[Outcome]:
    """Run cases of a folder on a device and yield what became of them after each module.

    Args:
        folder: what `write_index` was called for.
        device: a device of the runtime.
        every: take only each so-manieth case.
        matching: take only cases whose names contain this.
        first: number of cases to leave out at the start, of those whose names match.
    """
    count = 0
    for stem, cases in read_index(folder):
        outcome = Outcome()
        chosen = []
        for case in cases:
            if matching in case.name:
                chosen += [case] if count >= first and count % every == 0 else []
                count += 1
        outcome.end = count
        if chosen:
            program = load(folder / f"{stem}.tinytcb", queue=device)
            with np.load(folder / f"{stem}.npz") as arrays:
                for case in chosen:
                    _replay(program, case, arrays, device, outcome)
        yield outcome


def _replay(
    program: Program,
    case: StoredCase,
    arrays: Mapping[str, np.ndarray[Any, Any]],
    device: object,
    outcome: Outcome,
) -> None:
    on_device: dict[str, Any] = {}
    try:
        values = [_value(each, arrays, device, on_device) for each in case.arguments]
        program[case.kernel](*values, groups=case.groups)
        messages = [
            _difference(stored, on_device[stored.key], arrays, case.tolerance)
            for argument in case.arguments
            for stored in argument.arrays
        ]
    except TinyTCError as error:
        messages = [str(error)]
    found = "; ".join(filter(None, messages))
    if found:
        outcome.failures.append(f"{case.name} ({case.kernel}): {found}")
    else:
        outcome.equal += 1


def _value(
    argument: StoredArgument,
    arrays: Mapping[str, np.ndarray[Any, Any]],
    device: object,
    on_device: dict[str, Any],
) -> object:
    if argument.kind == "none":
        return None
    if argument.kind == "scalar":
        return arrays[argument.key][()]
    views = []
    for stored in argument.arrays:
        on_device[stored.key] = asarray(arrays[stored.key], queue=device)
        views.append(_part(on_device[stored.key], stored))
    if argument.kind == "array":
        return views[0]
    return Group(views, argument.offset, argument.group_shape)


def _part(whole: Any, stored: StoredArray) -> Part:
    """Return what is between the guard zones of an array on the device."""
    size = whole.dtype.itemsize
    strides = tuple(step * size for step in stored.stride)
    return Part(whole, stored.guard * size, stored.shape, strides)


def _difference(
    stored: StoredArray,
    on_device: Any,
    arrays: Mapping[str, np.ndarray[Any, Any]],
    tolerance: float,
) -> str:
    """Return where an array differs from what is expected, an empty text if nowhere."""
    actual, expected = on_device.get(), arrays[f"{stored.key}.expected"]
    values_of = SCALAR_TYPES[stored.type].from_memory
    actual, expected = values_of(actual), values_of(expected)
    with np.errstate(all="ignore"):
        same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
        wide = np.complex128 if actual.dtype.kind == "c" else np.float64
        distance = np.abs(actual.astype(wide) - expected.astype(wide))
        if tolerance:
            same |= distance <= tolerance * np.abs(expected)
        if f"{stored.key}.bound" in arrays:
            same |= ~(distance > arrays[f"{stored.key}.bound"])
    if same.all():
        return ""
    index = int(np.argmin(same))
    zone = "" if stored.guard <= index < actual.size - stored.guard else " (guard zone)"
    return (
        f"{stored.key}: {int((~same).sum())} elements differ, the first at "
        f"{index - stored.guard}{zone}: got {actual[index]}, expected {expected[index]}"
    )
