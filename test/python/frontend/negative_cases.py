"""Reads the tables of programs that must be rejected, with the expected messages.

A case begins with `## name`. Lines with a bar are the body of the function below; other lines are
the whole program. The diagnostics come last: severity, line, column, message.
"""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Iterator

from tinytc_mlir.errors import Diagnostic

FOLDER = pathlib.Path(__file__).parent / "data" / "negative"
FRAME = (
    "func @f(%i: index, %n: i32, %s: i8, %a: f32, %b: f32, %c: bool, %z: c32, "
    "%v: memref<f32x8>, %A: memref<f32x8x8>, %G: group<memref<f32x8x8>x?>) {\n"
)


@dataclasses.dataclass(frozen=True)
class Case:
    """One program and its diagnostics."""

    name: str
    text: str
    expected: list[str]


def cases() -> Iterator[Case]:
    """Yield all cases of all tables."""
    for path in sorted(FOLDER.glob("*.txt")):
        for block in path.read_text().split("## ")[1:]:
            name, *lines = block.rstrip("\n").split("\n")
            count = sum(not line.startswith(("error ", "note ")) for line in lines)
            yield Case(f"{path.stem}-{name}", _program(lines[:count]), lines[count:])


def _program(lines: list[str]) -> str:
    if lines[0].startswith("| "):
        return FRAME + "\n".join(line[2:] for line in lines) + "\n}"
    return "\n".join(lines)


def described(diagnostics: tuple[Diagnostic, ...]) -> list[str]:
    """Return diagnostics and their notes in the format of the tables."""
    lines = []
    for diagnostic in diagnostics:
        place = "" if diagnostic.line is None else f"{diagnostic.line}:{diagnostic.column}: "
        lines.append(f"{diagnostic.severity} {place}{diagnostic.message}")
        lines += described(diagnostic.notes)
    return lines
