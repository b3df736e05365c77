# SPDX-License-Identifier: BSD-3-Clause
"""How a kernel is tiled, as data, and the choices that a search may try."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mlir import ir

from .._tinytc import schedule_attribute, targets
from ..errors import ArgumentError, describe

_ATTRIBUTE, _SUBGROUP_SIZE, _WORK_GROUP_SIZE = "schedule", "subgroup_size", "work_group_size"
_ENTRIES = ("rows", "columns", "unroll", "groups")  # of the attribute
# Parts of the names of instructions that show how work-items are divided into subgroups.
_OF_SUBGROUPS = ("subgroup", "cooperative_matrix", "parallel", "foreach_tile")
ROWS = (1, 2, 4)
COLUMNS = (1, 2, 4, 6, 8, 12, 16)
UNROLLS = (1, 2, 4, 8)
GROUPS = (1, 2, 4, 8, 16, 32, 64)


@dataclasses.dataclass(frozen=True)
class Schedule:
    """The tiling of a kernel; 0 leaves an entry to the compiler.

    Args:
        rows: rows of the destination that a work-item keeps in registers.
        columns: adjacent columns that it keeps in registers.
        unroll: steps of the summed mode in one iteration.
        groups: groups that one work-group runs, one after the other or side by side.
        subgroup_size: work-items of a subgroup.

    Raises:
        ArgumentError: an entry is not a natural number.

    >>> print(Schedule(rows=2, columns=8))
    rows = 2, columns = 8
    >>> Schedule(rows=2, subgroup_size=16).attributes()
    'attributes {schedule={rows=2}, subgroup_size=16}'
    """

    rows: int = 0
    columns: int = 0
    unroll: int = 0
    groups: int = 0
    subgroup_size: int = 0

    def __post_init__(self) -> None:
        """Check the entries."""
        for name, value in dataclasses.asdict(self).items():
            if type(value) is not int or value < 0:
                raise ArgumentError(
                    f"Schedule: argument {name!r}: expected a natural number, got "
                    f"{describe(value)}",
                    argument=name,
                )

    def __str__(self) -> str:
        entries = dataclasses.asdict(self)
        given = ", ".join(f"{name} = {value}" for name, value in entries.items() if value)
        return given or "the compiler's own"

    def attributes(self) -> str:
        """Return the attributes of a `func` that give it this schedule, in the language."""
        tiling = {name: value for name, value in self.to_dict().items() if name in _ENTRIES}
        words = [f"{name}={value}" for name, value in tiling.items() if value]
        given = [f"schedule={{{', '.join(words)}}}"] if words else []
        given += [f"subgroup_size={self.subgroup_size}"] if self.subgroup_size else []
        return f"attributes {{{', '.join(given)}}}" if given else ""

    def to_dict(self) -> dict[str, int]:
        """Return the entries by name."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, int]) -> Schedule:
        """Return the schedule with these entries.

        Raises:
            ValueError: an entry is unknown or not a natural number.
        """
        names = [field.name for field in dataclasses.fields(cls)]
        for name, value in data.items():
            if name not in names or type(value) is not int or value < 0:
                raise ValueError(f"expected entries of {', '.join(names)}, got {name}: {value!r}")
        return cls(**data)


def set_schedule(function: ir.Operation, schedule: Schedule) -> None:
    """Give a kernel a schedule; one of all zeros removes the tiling that it has.

    Args:
        function: the kernel's `tinytc.func`.
        schedule: the schedule.
    """
    if schedule.subgroup_size:
        i32 = ir.IntegerType.get_signless(32, function.context)
        function.attributes[_SUBGROUP_SIZE] = ir.IntegerAttr.get(i32, schedule.subgroup_size)
    tiling = {name: value for name, value in schedule.to_dict().items() if name in _ENTRIES}
    if any(tiling.values()):
        function.attributes[_ATTRIBUTE] = schedule_attribute(function.context, **tiling)
    elif _ATTRIBUTE in function.attributes:
        del function.attributes[_ATTRIBUTE]


def has_schedule(function: ir.Operation) -> bool:
    """Return whether a kernel has a schedule of its own."""
    return _ATTRIBUTE in function.attributes


def subgroup_sizes(function: ir.Operation, target: str) -> tuple[int, ...]:
    """Return the sizes of subgroups that a search may try for a kernel, none if it is fixed.

    It is fixed by the attributes of the kernel, and by instructions whose meaning depends on it.

    Args:
        function: the kernel's `tinytc.func`.
        target: name of the target.
    """
    if any(name in function.attributes for name in (_SUBGROUP_SIZE, _WORK_GROUP_SIZE)):
        return ()
    names: list[str] = []

    def note(operation: ir.Operation) -> ir.WalkResult:
        names.append(operation.name)
        return ir.WalkResult.ADVANCE

    function.walk(note)
    if any(word in name for name in names for word in _OF_SUBGROUPS):
        return ()
    return next(tuple(each.subgroup_sizes) for each in targets() if each.name == target)


def functions_of(module_operation: ir.Operation) -> Iterator[tuple[str, ir.Operation]]:
    """Yield the kernels of a module at the stage of the dialect, with their names."""
    for view in module_operation.regions[0].blocks[0]:
        operation = view.operation
        if operation.name == "tinytc.func":
            yield operation.attributes["sym_name"].value, operation


def has_tiles(strategies: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether an instruction has a strategy with a tile, which a schedule can replace.

    >>> has_tiles([{"kind": "collapsed", "rows": 0, "columns": 0}])
    False
    """
    return any(each["rows"] and each["columns"] for each in strategies)


def tiles() -> list[Schedule]:
    """Return the choices of rows and columns, the first step of a search."""
    return [Schedule(rows=rows, columns=columns) for rows in ROWS for columns in COLUMNS]


def refinements(best: list[Schedule], sizes: Sequence[int] = ()) -> list[Schedule]:
    """Return the choices of unrolling, groups and subgroups around the best of the first step.

    Args:
        best: the best choices so far.
        sizes: sizes of subgroups to try.
    """
    found = [
        dataclasses.replace(schedule, unroll=unroll) for schedule in best for unroll in UNROLLS
    ]
    found += [
        dataclasses.replace(schedule, groups=groups) for schedule in best for groups in GROUPS
    ]
    own = [Schedule(), *best]
    found += [
        dataclasses.replace(schedule, subgroup_size=size) for schedule in own for size in sizes
    ]
    return [schedule for schedule in dict.fromkeys(found) if schedule not in best]
