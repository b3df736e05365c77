# SPDX-License-Identifier: BSD-3-Clause
"""Instructions of PTX, and Python expressions for their operands.

A register is a NumPy array with one element for each thread, in the namespace of the generated
code: `r1_u`, `r1_s` and `r1_f` are views of the same bits as unsigned, signed and floating-point
numbers, `p1_p` is a predicate. `i` selects the threads that run.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...reference.untyped import Value
from ..findings import Unsupported, matched
from ..numbers import DTYPES, UNSIGNED
from .module import SIZES, Entry

OPERAND = re.compile(r"\{[^}]*\}|\[[^\]]*\]|[^,\s][^,]*")
SPECIAL = re.compile(
    r"%(?:tid|ntid|ctaid|nctaid)\.[xyz]|%(?:laneid|warpid|lanemask_(?:eq|le|lt|ge|gt))"
)
GUARD = re.compile(r"@(!?)(%\w+)\s+")


@dataclasses.dataclass(frozen=True)
class Instruction:
    """An instruction, and the predicate under which it is executed.

    Args:
        text: all of it.
        guard: the register of the predicate and whether it is negated, or None.
        words: the opcode and its modifiers; the last one is a type.
        operands: the texts of the operands.
        line: its line in the module.
    """

    text: str
    guard: tuple[str, bool] | None
    words: tuple[str, ...]
    operands: tuple[str, ...]
    line: int | None = None

    def __str__(self) -> str:
        return self.text

    @classmethod
    def read(cls, text: str, line: int | None = None) -> Instruction:
        """Return the instruction that a text says."""
        match = GUARD.match(text)
        name, _, operands = text[match.end() if match else 0 :].partition(" ")
        return cls(
            text,
            (match[2], bool(match[1])) if match else None,
            tuple(name.split(".")),
            tuple(operand.strip() for operand in OPERAND.findall(operands)),
            line,
        )

    @property
    def root(self) -> str:
        """The opcode."""
        return self.words[0]

    @property
    def type(self) -> str:
        """The last word."""
        return self.words[-1]

    def has(self, *words: str) -> bool:
        """Return whether one of the modifiers is there."""
        return any(word in self.words for word in words)

    def one_of(self, *words: str) -> str | None:
        """Return the first of the modifiers that is there, None if none is."""
        return next((word for word in self.words if word in words), None)

    @property
    def count(self) -> int:
        """The elements of a vector that it loads or stores."""
        return int((self.one_of("v2", "v4") or "v1")[1:])


def names(operand: str) -> list[str]:
    """Return the registers of a vector operand, or of a single one."""
    return [name.strip() for name in operand.strip("{}").split(",")]


def kind_of(type_: str) -> str:
    """Return the view of a register that has numbers of a type: f, s or u."""
    if type_ in ("f16", "f32", "f64"):
        return "f"
    return "s" if type_[0] == "s" else "u"


class Operands:
    """Writes expressions, and keeps the registers and constants that they name."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.constants: dict[str, Value] = {}
        self.views: dict[str, set[str]] = {}
        self.specials: set[str] = set()

    def view(self, register: str, kind: str) -> str:
        """Return the name of a register's array."""
        self.views.setdefault(register, set()).add(kind)
        return f"{register[1:]}_{kind}"

    def constant(self, value: Value) -> str:
        """Return the name of a number of NumPy."""
        name = f"c_{value.dtype.name}_{value.tobytes().hex()}"
        self.constants[name] = value
        return name

    def predicate(self, operand: str) -> str:
        """Return the expression of a predicate."""
        if operand.startswith(("%", "!%")):
            self._check_width(operand.lstrip("!"), 1, 1)
            sign = "~" if operand.startswith("!") else ""
            return f"{sign}{self.view(operand.lstrip('!'), 'p')}[i]"
        return str(bool(int(operand, 0)))

    def source(self, operand: str, type_: str) -> str:
        """Return the expression of an operand as an array of a type (bf16: its bits)."""
        operand = operand.strip()
        if type_ == "pred":
            return self.predicate(operand)
        if SPECIAL.fullmatch(operand):
            self.specials.add(operand)
            name = "special_" + operand[1:].replace(".", "_")
            return f"{name}[i].astype(np.{DTYPES[type_].__name__})"
        if operand.startswith("%"):
            return self._register(operand, type_)
        return self.constant(self.literal(operand, type_))

    def _register(self, operand: str, type_: str) -> str:
        width, bits, kind = self.entry.width(operand), SIZES[type_] * 8, kind_of(type_)
        self._check_width(operand, bits, bits if kind == "f" else 64)
        if width == bits:
            return f"{self.view(operand, kind)}[i]"
        return f"{self.view(operand, 'u')}[i].astype(np.{DTYPES[type_].__name__})"

    def _check_width(self, register: str, least: int, most: int) -> None:
        """Check the bits of a register, which may be more than integers need."""
        if not least <= self.entry.width(register) <= most:
            raise Unsupported(register)

    def literal(self, operand: str, type_: str) -> Value:
        """Return the number of a literal or of the address of a variable."""
        bits = SIZES[type_] * 8
        value: Value
        if re.match(r"0[fFdD][0-9a-fA-F]", operand):
            width = 32 if operand[1] in "fF" else 64
            if width != bits:
                raise Unsupported(operand)
            value = UNSIGNED[width](int(operand[2:], 16))
        elif re.match(r"[-+]?\d", operand):
            if type_ in ("f32", "f64"):
                raise Unsupported(operand)
            text = operand.rstrip("U")
            value = UNSIGNED[bits](int(text, 0) % 2**bits)
        else:
            if bits < 32 or kind_of(type_) == "f":
                raise Unsupported(operand)
            value = UNSIGNED[bits](self.entry.address(operand))
        return value.view(DTYPES[type_]) if value.dtype.itemsize == SIZES[type_] else value

    def assign(self, operand: str, type_: str, expression: str) -> list[str]:
        """Return the statements that give a register a value."""
        if operand == "_":
            return []
        if type_ == "pred":
            self._check_width(operand, 1, 1)
            return [f"{self.view(operand, 'p')}[i] = {expression}"]
        kind, bits = kind_of(type_), SIZES[type_] * 8
        self._check_width(operand, bits, bits if kind == "f" else 64)
        if self.entry.width(operand) == bits:
            return [f"{self.view(operand, kind)}[i] = {expression}"]
        dtype = DTYPES[type_].__name__
        return [f"{self.view(operand, kind)}[i] = np.asarray({expression}).astype(np.{dtype})"]

    def address(self, operand: str) -> str:
        """Return the expression of an address in brackets."""
        match = matched(r"\[\s*(%\w+|[\w$]+)\s*(?:\+\s*(-?\d+))?\s*\]$", operand)
        if not match[1].startswith("%"):
            return self.constant(np.uint64(self.entry.address(operand.strip("[] "))))
        type_ = "u64" if self.entry.width(match[1]) == 64 else "u32"
        base = f"{self.source(match[1], type_)}.astype(np.uint64)"
        offset = int(match[2] or 0)
        return f"{base} + {self.constant(np.uint64(offset % 2**64))}" if offset else base

    def bind(self, threads: int, specials: Mapping[str, Value]) -> dict[str, Any]:
        """Return the arrays of a launch by name: registers with garbage, specials, constants."""
        result = dict(self.constants)
        for operand in self.specials:
            name = operand[1:].replace(".", "_")
            result[f"special_{name}"] = specials[name].astype(np.uint32)
        for register, kinds in self.views.items():
            width = self.entry.width(register)
            if width == 1:
                result[f"{register[1:]}_p"] = np.zeros(threads, bool)
                continue
            raw = np.full(threads * width // 8, 0xA5, np.uint8).view(UNSIGNED[width])
            for kind in kinds | {"u"}:
                result[f"{register[1:]}_{kind}"] = raw.view(_view_type(kind, width))
        return result


@functools.cache
def _view_type(kind: str, width: int) -> Any:
    return np.dtype({"u": "uint", "s": "int", "f": "float"}[kind] + str(width))
