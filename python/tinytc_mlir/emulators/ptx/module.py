# SPDX-License-Identifier: BSD-3-Clause
"""Modules of PTX: their entries, parameters, variables and instructions."""

from __future__ import annotations

import collections
import functools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..findings import Unsupported, matched
from ..memory import placed, round_up
from ..numbers import DTYPES, UNSIGNED

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
NUMBER = r"\s*-?(?:0[xX][\da-fA-F]+|0|[1-9]\d*)U?\s*"
SIZES = {name: np.dtype(dtype).itemsize for name, dtype in DTYPES.items()}
FUNCTION = re.compile(r"(?:\.visible\s+|\.weak\s+)?\.(?:entry|func)\b")
VARIABLE = re.compile(
    r"(?P<extern>\.extern\s+)?\.(?P<space>shared|const|global)\s+\.align\s+(?P<align>\d+)\s+"
    r"\.(?P<type>\w+)\s+(?P<name>[\w$]+)(?:\[(?P<count>\d*)\])?"
    r"(?:\s*=\s*\{(?P<values>[^}]*)\})?\s*;"
)
SHARED_ALIGNMENT, CONSTANT_ALIGNMENT, FIRST_CONSTANT = 128, 256, 4096


def size_of(type_: str) -> int:
    """Return the bytes of a type.

    Raises:
        Unsupported: there is no such type here.
    """
    if type_ not in SIZES:
        raise Unsupported(f".{type_}")
    return int(SIZES[type_])


class Module:
    """A module as the compiler writes it.

    Attributes:
        shared: offset of each variable in shared memory, and `shared_bytes` of all.
        dynamic: name of the variable whose size the launch gives; empty if there is none.
        constants: offset of each variable in `constant_bytes`.
        globals: address of each variable in global memory.
        entries: kernels by name.
    """

    def __init__(self, text: str) -> None:
        text = COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
        self.shared: dict[str, int] = {}
        self.shared_bytes, self.dynamic = 0, ""
        self.constants: dict[str, int] = {}
        self.constant_bytes = bytearray(FIRST_CONSTANT)
        self.globals: dict[str, int] = {}
        starts = [match.start() for match in FUNCTION.finditer(text)]
        self.declare(text[: starts[0]] if starts else text)
        self.entries = {}
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
            piece, line = text[start:end], text.count("\n", 0, start) + 1
            if ".func" in piece.partition("(")[0]:
                raise Unsupported(".func", line)
            self.declare(piece[piece.rindex("}") + 1 :])
            entry = Entry(self, piece[: piece.rindex("}")], line)
            self.entries[entry.name] = entry

    def declare(self, text: str) -> None:
        """Read declarations of variables."""
        for match in VARIABLE.finditer(text):
            size = size_of(match["type"]) * int(match["count"] or 1)
            if match["space"] == "const":
                self._declare_constant(match, size)
            elif match["space"] == "global":
                self.globals[match["name"]] = placed(self, _initial_bytes(match, size))
            elif match["extern"]:
                self.dynamic = match["name"]
            else:
                start = round_up(self.shared_bytes, int(match["align"]))
                self.shared[match["name"]] = start
                self.shared_bytes = start + size

    def _declare_constant(self, match: re.Match[str], size: int) -> None:
        data = _initial_bytes(match, size)
        self.constants[match["name"]] = len(self.constant_bytes)
        self.constant_bytes += data.ljust(round_up(size, CONSTANT_ALIGNMENT), b"\0")

    def address(self, name: str) -> int | None:
        """Return where a variable of the module is in its memory; None if there is none."""
        if name == self.dynamic:
            return round_up(self.shared_bytes, SHARED_ALIGNMENT)
        return self.shared.get(name, self.constants.get(name, self.globals.get(name)))


def _initial_bytes(match: re.Match[str], size: int) -> bytes:
    """Return the bytes of a variable when the module is loaded."""
    texts = [text for text in (match["values"] or "").split(",") if text.strip()]
    if not all(re.fullmatch(NUMBER, text) for text in texts):
        raise Unsupported(match[0])
    values = [int(text.strip().rstrip("U"), 0) for text in texts]
    dtype = UNSIGNED[SIZES[match["type"]] * 8]
    return np.array(values, object).astype(dtype).tobytes().ljust(size, b"\0")


class Entry:
    """A kernel.

    Attributes:
        parameters: name and size in bytes of each.
        block: the shape that `.reqntid` requires, or None.
        widths: bits of registers, by name or by what names of a kind begin with.
        local: offset of each variable in the `local_bytes` of a thread.
        compiled: what launches make of it.
        code: instructions as text, `lines`, where they are in the module, and `labels`, the index
            of the instruction after each.
    """

    def __init__(self, module: Module, text: str, line: int = 1) -> None:
        self.module = module
        head, _, body = text.partition("{")
        self.name = matched(r".*?\.entry\s+([\w$]+)", head, line)[1]
        inside, _, attributes = head.partition("(")[2].rpartition(")")
        self.parameters = [_parameter(line) for line in inside.split(",") if line.strip()]
        match = re.search(r"\.reqntid\s+([\d, ]+)", attributes)
        sizes = [int(size) for size in match[1].split(",")] if match else []
        self.block = (*sizes, 1, 1)[:3] if match else None
        self.widths: dict[str, int] = {}
        self.local: dict[str, int] = {}
        self.local_bytes = 0
        self.compiled: Any = None
        self.code: list[str] = []
        self.lines: list[int] = []
        self.labels: dict[str, int] = {}
        line += head.count("\n")
        for statement in body.split(";"):
            rest = self._strip_labels(statement)
            begin = statement[: statement.rindex(rest)] if rest else statement
            self._read(rest, line + begin.count("\n"))
            line += statement.count("\n")

    def _strip_labels(self, statement: str) -> str:
        statement = statement.strip()
        while match := re.match(r"([$\w]+):|[{}]", statement):
            if match[1]:
                self.labels[match[1]] = len(self.code)
            statement = statement[match.end() :].strip()
        return statement

    def _read(self, statement: str, line: int) -> None:
        if not statement or re.match(r"\.(pragma|loc)\b", statement):
            return
        if statement.startswith(".reg"):
            _, type_, names = statement.split(None, 2)
            for name in names.split(","):
                prefix = name.strip().partition("<")[0]
                if type_[1:] not in (*SIZES, "pred"):
                    raise Unsupported(statement, line)
                self.widths[prefix] = 1 if type_ == ".pred" else SIZES[type_[1:]] * 8
        elif statement.startswith(".local"):
            pattern = r"\.local\s+\.align\s+(\d+)\s+\.(\w+)\s+([\w$]+)\[(\d+)\]"
            match = matched(pattern, statement, line)
            start = round_up(self.local_bytes, int(match[1]))
            self.local[match[3]] = start
            self.local_bytes = start + int(match[4]) * size_of(match[2])
        elif statement.startswith(".shared"):
            self.module.declare(statement + ";")
        else:
            self.code.append(" ".join(statement.split()))
            self.lines.append(line)

    @functools.cached_property
    def _mentions(self) -> collections.Counter[str]:
        return collections.Counter(re.findall(r"%\w+", " ".join(self.code)))

    def used(self, registers: Sequence[str]) -> tuple[int, int]:
        """Return where those of the registers of a vector begin and end that other code names."""
        found = [k for k, register in enumerate(registers) if self._mentions[register] > 1]
        return (found[0], found[-1] + 1) if found else (0, len(registers))

    def width(self, register: str) -> int:
        """Return the bits of a register, 1 for a predicate."""
        if register in self.widths:
            return self.widths[register]
        kind = matched(r"%[A-Za-z]+", register)[0]
        if kind not in self.widths:
            raise Unsupported(register)
        return self.widths[kind]

    def address(self, name: str) -> int:
        """Return where a variable is in its memory."""
        match = matched(r"([\w$]+)(?:\s*\+\s*(-?\d+))?$", name)
        start = self.local.get(match[1], self.module.address(match[1]))
        if start is None:
            raise Unsupported(f"variable {name}")
        return start + int(match[2] or 0)


def _parameter(text: str) -> tuple[str, int]:
    words = text.split()
    match = matched(r"([\w$]+)(?:\[(\d+)\])?$", words[-1])
    type_ = next((word[1:] for word in words[1:] if word[1:] in SIZES), None)
    if type_ is None:
        raise Unsupported(text.strip())
    return match[1], SIZES[type_] * int(match[2] or 1)
