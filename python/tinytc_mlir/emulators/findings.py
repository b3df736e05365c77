# SPDX-License-Identifier: BSD-3-Clause
"""What emulated launches do wrong, and how they run."""

from __future__ import annotations

import collections
import dataclasses
import re
from typing import TypeAlias

Modes: TypeAlias = "tuple[int, int, int]"
"""Numbers in x, y and z."""

#: Kinds of findings that hardware tolerates by its specification: threads that store the same value
#: to the same element at once, and masks that name lanes which a partial warp lacks.
HARMLESS = frozenset({"same value twice", "mask names lanes that are not there"})


class Fault(Exception):
    """An access that ends a launch."""


class Unsupported(Exception):
    """An instruction that the emulator does not know.

    Args:
        text: the instruction.
        line: its line, if the code is a text.
    """

    def __init__(self, text: object, line: int | None = None) -> None:
        super().__init__(f"'{text}'" + (f" in line {line}" if line else ""))


def matched(pattern: str, text: str, line: int | None = None) -> re.Match[str]:
    """Return how the begin of a text matches.

    Raises:
        Unsupported: it does not.
    """
    match = re.match(pattern, text, re.DOTALL)
    if match is None:
        raise Unsupported(text, line)
    return match


class TooLong(Exception):
    """A launch that takes more steps than allowed."""


class Findings:
    """What the launches since `start` did wrong: texts by kind; and counts of all launches."""

    def __init__(self) -> None:
        self.by_kind: dict[str, list[str]] = {}
        self.counts: collections.Counter[str] = collections.Counter()

    def start(self) -> None:
        """Forget what was found before."""
        self.by_kind = {}

    def add(self, kind: str, text: str) -> None:
        """Keep one finding."""
        self.by_kind.setdefault(kind, []).append(text)

    def errors(self) -> dict[str, list[str]]:
        """Return the findings that are errors: texts by kind."""
        return {kind: texts for kind, texts in self.by_kind.items() if kind not in HARMLESS}

    def serious(self) -> list[str]:
        """Return the findings that are errors, a line each."""
        return [
            f"{kind}, {len(texts)} times: {texts[0][:300]}" for kind, texts in self.errors().items()
        ]


FINDINGS = Findings()


@dataclasses.dataclass
class Settings:
    """How launches run.

    Args:
        order: who runs next: "all" threads that are at the first instruction, or one of the
            "warps" or "lanes" at random.
        limit: steps after which a launch is given up.
        profile: counts of memory requests and of instructions of warps, if somebody wants them.
    """

    order: str = "all"
    limit: int = 60_000
    profile: collections.Counter[tuple[str, str]] | None = None


SETTINGS = Settings()
