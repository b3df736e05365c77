"""How a kernel is tiled, as data, and the choices that a search may try."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from mlir import ir

from .._tinytc import schedule_attribute

_ATTRIBUTE = "schedule"
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
        groups: groups that one work-group runs one after the other.

    >>> print(Schedule(rows=2, columns=8))
    rows = 2, columns = 8
    """

    rows: int = 0
    columns: int = 0
    unroll: int = 0
    groups: int = 0

    def __str__(self) -> str:
        entries = dataclasses.asdict(self)
        given = ", ".join(f"{name} = {value}" for name, value in entries.items() if value)
        return given or "the compiler's own"

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
    """Give a kernel a schedule; one of all zeros removes the one it has.

    Args:
        function: the kernel's `tinytc.func`.
        schedule: the schedule.
    """
    if schedule == Schedule():
        if _ATTRIBUTE in function.attributes:
            del function.attributes[_ATTRIBUTE]
        return
    function.attributes[_ATTRIBUTE] = schedule_attribute(function.context, **schedule.to_dict())


def has_schedule(function: ir.Operation) -> bool:
    """Return whether a kernel has a schedule of its own."""
    return _ATTRIBUTE in function.attributes


def functions_of(module_operation: ir.Operation) -> Iterator[tuple[str, ir.Operation]]:
    """Yield the kernels of a module at the stage of the dialect, with their names."""
    for view in module_operation.regions[0].blocks[0]:
        operation = view.operation
        if operation.name == "tinytc.func":
            yield operation.attributes["sym_name"].value, operation


def tiles() -> list[Schedule]:
    """Return the choices of rows and columns, the first step of a search."""
    return [Schedule(rows=rows, columns=columns) for rows in ROWS for columns in COLUMNS]


def refinements(best: list[Schedule]) -> list[Schedule]:
    """Return the choices of unrolling and groups around the best of the first step.

    Args:
        best: the best choices so far.
    """
    found = [
        dataclasses.replace(schedule, unroll=unroll) for schedule in best for unroll in UNROLLS
    ]
    found += [
        dataclasses.replace(schedule, groups=groups) for schedule in best for groups in GROUPS
    ]
    return [schedule for schedule in dict.fromkeys(found) if schedule not in best]
