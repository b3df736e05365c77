"""The programs in the pages of the language guide, with the lines of NumPy below them."""

import pathlib
import re
from typing import NamedTuple

ROOT = pathlib.Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "language"
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
    """Return all programs of the guide."""
    found = []
    for path in sorted(GUIDE.glob("*.md")):
        page = path.read_text(encoding="utf-8")
        for match in _FENCE.finditer(page):
            line = page.count("\n", 0, match.start()) + 1
            found.append(Example(f"{path.stem}:{line}", match[1], match[2]))
    return found
