# SPDX-License-Identifier: BSD-3-Clause
"""Which lines of the source the lines of a stage came from, read from MLIR's locations.

MLIR prints the location of an op at the end of its line, or after the brace that closes its
region, most of them by an alias: `loc(#loc3)`, with `#loc3 = loc("f.ir":8:5)` elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_ALIAS = re.compile(r"^(#loc\d*) = loc\((.*)\)$")
_PLACE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):\d+(?: to (?:(\d+))?:\d+)?')
_REFERENCE = re.compile(r"#loc\d*\b")
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2}|.)")
_MOST_LINES = 50  # of a location that spans more: it names a region, not an instruction


class MarkedLines(NamedTuple):
    """Text of a stage.

    Args:
        lines: its lines, without locations.
        marks: for each of them the lines of the source that it came from, in ascending order.
    """

    lines: list[str]
    marks: list[tuple[int, ...]]


def mark_assembly(text: str, filename: str) -> MarkedLines:
    r"""Return the lines of MLIR assembly that was printed with locations.

    Args:
        text: the assembly.
        filename: the source; places in other files are left out.

    >>> mark_assembly('x.y : i32 loc(#loc1)\n#loc1 = loc("f.ir":3:5)', "f.ir")
    MarkedLines(lines=['x.y : i32'], marks=[(3,)])
    """
    aliases: dict[str, str] = {}
    body: list[str] = []
    for line in text.rstrip().splitlines():
        match = _ALIAS.match(line)
        if match:
            aliases[match[1]] = match[2]
        else:
            body.append(line)
    reader = _Reader(aliases, filename)
    lines: list[str] = []
    marks: list[tuple[int, ...]] = []
    open_lines: list[int] = []
    for line in body:
        shown, found = reader.split(line)
        lines.append(shown)
        marks.append(found)
        stripped = shown.strip()
        if stripped.startswith("}") and open_lines:
            start = open_lines.pop()  # the location of an op with a region follows the region
            if found and not marks[start]:
                marks[start] = found
        if stripped.endswith("{"):
            open_lines.append(len(lines) - 1)
            if not stripped.startswith("}"):
                marks[-1] = ()
    return MarkedLines(lines, marks)


class _Reader:
    """Reads the locations of lines."""

    def __init__(self, aliases: Mapping[str, str], filename: str) -> None:
        self._aliases = aliases
        self._filename = filename
        self._known: dict[str, tuple[int, ...]] = {}

    def split(self, line: str) -> tuple[str, tuple[int, ...]]:
        """Return a line without its locations, and the lines that the last of them names."""
        if " loc(" not in line:
            return line, ()
        parts: list[str] = []
        last, start = "", 0
        for begin, end in _locations(line):
            parts.append(line[start:begin])
            last, start = line[begin + len(" loc(") : end - 1], end
        parts.append(line[start:])
        at_end = not line[start:].strip()
        return "".join(parts).rstrip(), self._lines(last) if at_end else ()

    def _lines(self, location: str) -> tuple[int, ...]:
        known = self._known.get(location)
        if known is None:
            known = self._known[location] = tuple(sorted(self._find(location, set())))
        return known

    def _find(self, location: str, seen: set[str]) -> set[int]:
        found: set[int] = set()
        for name, first, last in _PLACE.findall(location):
            if _unescaped(name) == self._filename:
                end = int(last) if last else int(first)
                found.update(range(int(first), min(end, int(first) + _MOST_LINES) + 1))
        for alias in _REFERENCE.findall(_PLACE.sub("", location)):
            if alias not in seen:
                seen.add(alias)
                found |= self._find(self._aliases.get(alias, ""), seen)
        return found


def _locations(line: str) -> Sequence[tuple[int, int]]:
    """Return where the locations of a line begin and end, with the blank before them."""
    found = []
    start = line.find(" loc(")
    while start >= 0:
        end = _closing(line, start + len(" loc("))
        found.append((start, end))
        start = line.find(" loc(", end)
    return found


def _closing(line: str, position: int) -> int:
    """Return the position after the parenthesis that closes the one before `position`."""
    depth, quoted = 1, False
    while position < len(line) and depth:
        character = line[position]
        if character == "\\" and quoted:
            position += 1
        elif character == '"':
            quoted = not quoted
        elif not quoted:
            depth += (character == "(") - (character == ")")
        position += 1
    return position


def _unescaped(text: str) -> str:
    """Return a string of MLIR's without its escapes."""

    def plain(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code, 16)) if len(code) == 2 else code

    return (
        _ESCAPE.sub(plain, text).encode("latin-1", "ignore").decode("utf-8", "replace")
        if ("\\" in text)
        else text
    )


def mark_disassembly(text: str) -> MarkedLines:
    r"""Return the lines that `spirv-dis` prints, without those that name lines of the source.

    >>> mark_disassembly("OpLine %1 7 3\n%2 = OpLabel\nOpNoLine\nOpReturn")
    MarkedLines(lines=['%2 = OpLabel', 'OpReturn'], marks=[(7,), ()])
    """
    lines: list[str] = []
    marks: list[tuple[int, ...]] = []
    current: tuple[int, ...] = ()
    for line in text.rstrip().splitlines():
        words = line.split()
        if words[:1] == ["OpLine"]:
            current = (int(words[2]),)
            continue
        if words[:1] == ["OpNoLine"]:
            current = ()
            continue
        lines.append(line)
        marks.append(current)
        if "OpFunctionEnd" in words:
            current = ()
    return MarkedLines(lines, marks)
