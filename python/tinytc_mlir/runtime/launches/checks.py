# SPDX-License-Identifier: BSD-3-Clause
"""Reports and prints of a debug build's launch, and how they become an error or lines.

The kernel's additional parameter is a buffer of i64, laid out as `tinytc.report` in the dialect
says: records of the sum of the reports' weights, the number of the check, the group in three modes,
subgroup and lane, and the values of the message. If the kernel prints, the second record counts
prints, and those that follow hold one each.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import numpy.typing as npt

from ...errors import CheckError, Diagnostic
from ..kernel_info import Check, KernelInfo
from ..protocol import Memory, Pointer, Queue

_ENTRIES = 16
_HEADER_ENTRIES = 7
_PRINTS = 1022
_FORMATS = {"i64": np.int64, "f32": np.float32, "f64": np.float64}


def entries_of(has_prints: bool) -> int:
    """Return the entries of a buffer for reports, and prints if there are any."""
    return _ENTRIES * (2 + _PRINTS if has_prints else 1)


class ReportBuffer:
    """The buffer of one launch, or of repeated ones.

    Args:
        info: description of the kernel.
        queue: queue of the launch.
    """

    def __init__(self, info: KernelInfo, queue: Queue) -> None:
        self._info = info
        self._bytes = 8 * entries_of(any(check.print for check in info.checks))
        self._memory: Memory = queue.allocate(self._bytes)
        self._clear()

    @property
    def pointer(self) -> Pointer:
        """The kernel's argument."""
        return Pointer(self._memory.native, self._memory.address)

    def error(self) -> CheckError | None:
        """Return what the launches so far have reported, and forget it; they must be over.

        What they have printed is printed.
        """
        self._memory.download()
        records = self._entries().reshape(-1, _ENTRIES).copy()
        count = 0 if len(records) == 1 else int(records[1, 0])
        if count == 0 and records[0, 0] == 0:
            return None
        self._clear()
        for entries in records[2 : 2 + count]:
            print(_line(self._info, entries))
        if count > _PRINTS:
            print(f"{count - _PRINTS} more lines of {self._info.name} are not shown")
        return CheckError([_diagnostic(self._info, records[0])]) if records[0, 0] else None

    def _entries(self) -> npt.NDArray[np.int64]:
        return self._memory.host[: self._bytes].view(np.int64)

    def _clear(self) -> None:
        self._entries()[:] = 0
        self._memory.upload()


def _diagnostic(info: KernelInfo, entries: npt.NDArray[np.int64]) -> Diagnostic:
    """Return the error that a buffer describes."""
    number = int(entries[1])
    if not 0 <= number < len(info.checks):
        return Diagnostic("error", f"expected a report of the manifest's checks, got {number}")
    check = info.checks[number]
    others = _others(info, int(entries[0]))
    message = f"{_message(check, entries)} ({_agent(info, entries)}{others})"
    return dataclasses.replace(check.diagnostic, message=message)


def _line(info: KernelInfo, entries: npt.NDArray[np.int64]) -> str:
    """Return what a print shows."""
    return f"{_message(info.checks[int(entries[1])], entries)} ({_agent(info, entries)})"


def _message(check: Check, entries: npt.NDArray[np.int64]) -> str:
    stored = zip(check.types, entries[_HEADER_ENTRIES:], strict=False)
    return check.message([_value(type_, entry) for type_, entry in stored])


def _value(type_: str, bits: np.int64) -> str:
    dtype = np.dtype(_FORMATS[type_])
    return str(np.array([bits]).view(dtype)[0])  # f32 in the lower half


def _agent(info: KernelInfo, entries: npt.NDArray[np.int64]) -> str:
    """Return how a message names who violated the rule."""
    x, y, z, subgroup, lane = map(int, entries[2:_HEADER_ENTRIES])
    parts = [f"group {x}" if y == z == 0 else f"group ({x}, {y}, {z})"]
    if lane >= 0:
        if _work_items(info) > info.subgroup_size:
            parts.append(f"subgroup {subgroup}")
        parts.append(f"lane {lane}")
    return ", ".join(parts)


def _work_items(info: KernelInfo) -> int:
    """Return the work-items of a group; the third dimension is several groups."""
    return math.prod(info.local_size[:2])


def _others(info: KernelInfo, weights: int) -> str:
    """Return how a message counts the violations that it does not show."""
    more = weights // _work_items(info) - 1
    if more < 1:
        return ""
    return f"; {more} more violation{'s' if more > 1 else ''}"
