# SPDX-License-Identifier: BSD-3-Clause
"""Translates an entry of PTX into Python functions, cut where threads meet or branch."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...reference.untyped import Value
from .. import numbers
from ..findings import Unsupported
from ..schedule import Meeting, Run
from .arithmetic import EXPRESSIONS
from .forms import check
from .module import Entry
from .moves import STATEMENTS, packed
from .operands import Instruction, Operands, names

JUMPS = ("bra", "ret", "exit", "trap")
MEETINGS = ("bar", "barrier", "shfl", "redux", "vote", "mma", "activemask")


@dataclasses.dataclass(frozen=True)
class Jump:
    """A branch to a segment, or the end of a thread."""

    instruction: Instruction
    target: int


def _opcode(instruction: Instruction) -> str:
    root = instruction.root
    return f"{root}.global" if root in ("ld", "st") and ".global" in instruction.text else root


@contextlib.contextmanager
def _named(ins: Instruction) -> Iterator[None]:
    """Let errors on registers and numbers name the instruction that has them."""
    try:
        yield
    except Unsupported as error:
        raise Unsupported(ins.text, ins.line) from error


class Compiled:
    """The segments of an entry, and the code of their functions.

    Attributes:
        end: the number of segments; a thread that gets there has ended.
        opcodes: how often each segment has which instruction, with its space in memory.
    """

    jump = Jump

    def __init__(self, entry: Entry) -> None:
        self.entry, self.operands = entry, Operands(entry)
        code = [Instruction.read(*each) for each in zip(entry.code, entry.lines, strict=True)]
        for ins in code:
            check(ins)
        starts = self._find_starts(code, entry.labels)
        self._index: dict[int | None, int] = {start: k for k, start in enumerate(starts)}
        self.end = len(starts)
        lines: list[str] = []
        self.segments, self.opcodes = [], []
        for k, start in enumerate(starts):
            stop = starts[k + 1] if k + 1 < len(starts) else len(code)
            self.segments.append(self._segment(code[start:stop], k, lines))
            self.opcodes.append(collections.Counter(_opcode(i) for i in code[start:stop]))
        self._code = compile("\n".join(lines), f"<{entry.name}>", "exec")

    @staticmethod
    def _find_starts(code: Sequence[Instruction], labels: Mapping[str, int]) -> list[int]:
        starts = {0} | set(labels.values())
        for at, ins in enumerate(code):
            if ins.root in JUMPS + MEETINGS:
                starts |= {at, at + 1}
        return sorted(start for start in starts if start < len(code))

    def _segment(self, code: Sequence[Instruction], number: int, lines: list[str]) -> Any:
        first = code[0]
        if first.root in JUMPS:
            return self._jump(first)
        if first.root in MEETINGS:
            if first.guard:
                raise Unsupported(first.text, first.line)
            with _named(first):
                self._keep_registers(first)
            return Meeting(first)
        lines.append(f"def segment{number}(i):")
        for ins in code:
            with _named(ins):
                lines += (f"    {line}" for line in self._statements(ins))
        return Run(f"segment{number}", len(code))

    def _jump(self, ins: Instruction) -> Jump:
        with _named(ins):
            if ins.guard:
                self.operands.predicate(ins.guard[0])
            label = None
            if ins.root == "bra":
                if ins.operands[0] not in self.entry.labels:
                    raise Unsupported(ins.operands[0])
                label = self.entry.labels[ins.operands[0]]
        return Jump(ins, self._index.get(label, self.end))

    def _keep_registers(self, ins: Instruction) -> None:
        """Have the arrays of the registers that an instruction names in every launch."""
        width = 64 if ins.type == "f64" else 32
        for k, operand in enumerate(ins.operands):
            numbers, _, truth = operand.partition("|")
            if ins.root == "vote" and (k == 1 or (k == 0 and ins.type == "pred")):
                numbers, truth = "", operand.lstrip("!")
            for name in [each for each in names(numbers) if each.startswith("%")]:
                if self.entry.width(name) != width:
                    raise Unsupported(name)
                self.operands.view(name, "u")
            if truth:
                self.operands.predicate(truth)

    def _statements(self, ins: Instruction) -> list[str]:
        if ins.root in STATEMENTS:
            lines = STATEMENTS[ins.root](self.operands, ins)
        elif ins.type.endswith("x2"):
            lines = packed(self.operands, ins)
        else:
            value = EXPRESSIONS[ins.root](self.operands, ins)
            lines = self.operands.assign(ins.operands[0], *value)
        if ins.guard is None:
            return lines
        register, is_negated = ins.guard
        condition = self.operands.predicate(("!" if is_negated else "") + register)
        return [
            f"all_of_i, i = i, part(i, {condition})",
            "if len(i):",
            *(f"    {line}" for line in lines),
            "i = all_of_i",
        ]

    def bind(
        self, threads: int, specials: Mapping[str, Value], functions: Mapping[str, object]
    ) -> dict[str, Any]:
        """Return the namespace of a launch, with its registers and functions.

        Args:
            threads: number of threads.
            specials: arrays of special registers by name.
            functions: what the code calls for memory.
        """
        namespace = {**vars(numbers), **functions, "np": np}
        namespace.update(self.operands.bind(threads, specials))
        exec(self._code, namespace)
        return namespace
