# SPDX-License-Identifier: BSD-3-Clause
"""What the checker of the gpu stage reports, each fault once."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterator, Sequence

from ..errors import Diagnostic
from ..reference.machine import Site


class Kind(enum.Enum):
    """What is wrong with the code of a kernel."""

    RACE = "race"
    EQUAL_STORES = "equal stores"
    BOUNDS = "bounds"
    DIVERGENCE = "divergence"
    UNINITIALISED = "uninitialised"
    DIVISION = "division"


@dataclasses.dataclass(frozen=True)
class Finding:
    """One fault of a kernel, at one instruction or between two.

    Args:
        kind: what is wrong.
        diagnostic: the message with the place, the work-items and the element.

    >>> print(Finding(Kind.BOUNDS, Diagnostic("error", "expected a store in bounds, got 17")))
    error: expected a store in bounds, got 17 [bounds]
    """

    kind: Kind
    diagnostic: Diagnostic

    def __str__(self) -> str:
        head, *rest = str(self.diagnostic).split("\n")
        return "\n".join([f"{head} [{self.kind.value}]", *rest])


class Findings:
    """Collects findings; of those at the same instructions it keeps the first."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, ...], Finding] = {}
        self.group = 0
        """The work-group that runs."""

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._found.values())

    def is_known(self, kind: Kind, site: Site, other: Site | None = None) -> bool:
        """Return whether there is a finding at these instructions already."""
        return _key(kind, site, other) in self._found

    def add(
        self,
        kind: Kind,
        site: Site,
        message: str,
        *,
        other: Site | None = None,
        notes: Sequence[Diagnostic] = (),
    ) -> None:
        """Keep a finding unless there is one of the same kind at the same instructions."""
        diagnostic = site.diagnostic("error", f"{message} (work-group {self.group})", notes)
        self._found.setdefault(_key(kind, site, other), Finding(kind, diagnostic))


def _key(kind: Kind, site: Site, other: Site | None) -> tuple[str, ...]:
    """Operations that were one instruction of a program count as one."""
    return (kind.value, *sorted({_place(site), _place(other or site)}))


def _place(site: Site) -> str:
    return f"{site.name} {site.number if site.location is None else site.location}"
