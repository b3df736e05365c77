"""The programs of the language guide, with the lines of NumPy below them, and of older names."""

import pathlib
import re
from typing import NamedTuple

ROOT = pathlib.Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "language"
OLDER = pathlib.Path(__file__).parent / "docs" / "older_names.md"
_FENCE = re.compile(r"^```tinytc\n(.*?)^```\n(?:\n?```numpy\n(.*?)^```\n)?", re.M | re.S)


class Example(NamedTuple):
    """One program.

    Args:
        name: page and line.
        text: the program.
        numpy: what it computes, None if nothing is said.
    """

    name: str
    text: str
    numpy: str | None


def examples():
    """Return all programs of the guide, and those with names that only version 0.3 has."""
    found = []
    for path in [*sorted(GUIDE.glob("*.md")), OLDER]:
        page = path.read_text(encoding="utf-8")
        for match in _FENCE.finditer(page):
            line = page.count("\n", 0, match.start()) + 1
            found.append(Example(f"{path.stem}:{line}", match[1], match[2]))
    return found
