# SPDX-License-Identifier: BSD-3-Clause
"""Translates a kernel of SPIR-V into Python functions, cut where work-items meet or branch."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

from .. import numbers
from ..findings import Unsupported
from ..schedule import Meeting, Run
from . import arithmetic
from .convergence import OPERATIONS, SHUFFLES, SUBGROUP, WIDER_SCOPES, WORKGROUP
from .module import Module
from .statements import Statements
from .words import Instruction

MEETING = re.compile(r"Group|ControlBarrier|FunctionCall|Subgroup")
BRANCHES = ("Branch", "BranchConditional", "Return", "Switch", "Unreachable")
IGNORED = ("Phi", "LoopMerge", "SelectionMerge", "Line", "NoLine", "Label", "FunctionParameter")


@dataclasses.dataclass(frozen=True)
class Jump:
    """A branch: its condition, and for each target its segment and what moves its arguments."""

    condition: int | None
    targets: tuple[tuple[int, str | None], ...]


class Compiled:
    """The segments of a kernel.

    Attributes:
        parameters: numbers of the parameters.
        statements: has the values and the private memory of a work-item.
        end: the number of segments.
    """

    jump = Jump

    def __init__(self, module: Module, function: int) -> None:
        self.module, self.types = module, dict(module.type_of)
        self.statements = Statements(module, self.types)
        self.parameters: list[int] = []
        self._lines: list[str] = []
        blocks: list[tuple[int, list[Instruction]]] = []
        for ins in module.code[function]:
            if ins.name == "Label":
                blocks.append((ins.value, []))
                continue
            if ins.result is not None:
                self.types[ins.value] = module.types[ins.id(0)]
            if ins.name == "FunctionParameter":
                self.parameters.append(ins.value)
            else:
                blocks[-1][1].append(ins)
        pieces, self._starts = self._cut(blocks)
        self._phis = {label: [ins for ins in code if ins.name == "Phi"] for label, code in blocks}
        self.end = len(pieces)
        self.segments = [self._segment(k, *piece) for k, piece in enumerate(pieces)]
        self._code = compile("\n".join(self._lines), "<spirv>", "exec")

    @staticmethod
    def _cut(
        blocks: Sequence[tuple[int, list[Instruction]]],
    ) -> tuple[list[tuple[int, list[Instruction]]], dict[int, int]]:
        """Return pieces of code with their blocks, and the first piece of each block."""
        pieces: list[tuple[int, list[Instruction]]] = []
        starts: dict[int, int] = {}
        for label, code in blocks:
            starts[label] = len(pieces)
            run = []
            for ins in code:
                if ins.name in IGNORED:
                    continue
                if ins.name not in BRANCHES and not MEETING.match(ins.name):
                    run.append(ins)
                    continue
                if run:
                    pieces.append((label, run))
                    run = []
                pieces.append((label, [ins]))
        return pieces, starts

    def _segment(self, number: int, label: int, code: Sequence[Instruction]) -> Any:
        first = code[0]
        if first.name in BRANCHES:
            return self._jump(label, first)
        if MEETING.match(first.name):
            if first.result is not None and self.types[first.result].kind != "void":
                self.statements.values.add(first.result)
            self.statements.values |= {int(w[1:]) for w in first.words[1:] if self._is_value(w)}
            self._check_meeting(first)
            return Meeting(first)
        self._lines.append(f"def segment{number}(i):")
        for ins in code:
            self._lines += (f"    {line}" for line in self.statements.write(ins))
        return Run(f"segment{number}", len(code))

    def _check_meeting(self, ins: Instruction) -> None:
        """Check that scopes, memory semantics and group operations are those that run.

        Raises:
            Unsupported: they are others, or are not constant.
        """
        if ins.name == "FunctionCall":
            is_known = ins.id(1) in self.module.imports
        elif ins.name == "ControlBarrier":
            scopes = [self._constant(ins, k) for k in range(3)]
            is_known = scopes[0] in (WORKGROUP, SUBGROUP) and scopes[2] is not None
            is_known &= not scopes[2] or scopes[1] in (scopes[0], *WIDER_SCOPES)
        else:
            is_known = self._constant(ins, 1) in (WORKGROUP, SUBGROUP)
            is_known &= ins.name in SHUFFLES or ins.words[2] in OPERATIONS
        if not is_known:
            raise Unsupported(ins)

    def _constant(self, ins: Instruction, index: int) -> int | None:
        value = self.module.constants.get(ins.id(index))
        return None if value is None else int(value)

    def _is_value(self, word: str) -> bool:
        number = int(word[1:]) if re.fullmatch(r"%\d+", word) else -1
        return number in self.types and number not in self.module.constants

    def _jump(self, label: int, ins: Instruction) -> Jump:
        if ins.name == "Return":
            return Jump(None, ((self.end, None),))
        if ins.name == "Branch":
            return Jump(None, (self._edge(label, ins.id(0)),))
        if ins.name != "BranchConditional":
            raise Unsupported(ins)
        self.statements.values |= {ins.id(0)} - self.module.constants.keys()
        return Jump(ins.id(0), (self._edge(label, ins.id(1)), self._edge(label, ins.id(2))))

    def _edge(self, source: int, target: int) -> tuple[int, str | None]:
        """Return where a branch leads, and the function that moves its values."""
        moves = [
            (phi.value, value)
            for phi in self._phis[target]
            for value, block in zip(phi.words[1::2], phi.words[2::2], strict=True)
            if int(block[1:]) == source
        ]
        if not moves:
            return self._starts[target], None
        name = f"edge_{source}_{target}"
        self._lines.append(f"def {name}(i):")
        for k, (_, value) in enumerate(moves):
            self._lines.append(f"    value{k} = np.copy({self.statements.operand(value)})")
        for k, (result, _) in enumerate(moves):
            self.statements.values.add(result)
            self._lines.append(f"    v{result}[i] = value{k}")
        return self._starts[target], name

    def bind(self, count: int, functions: Mapping[str, object]) -> dict[str, Any]:
        """Return the namespace of a launch of `count` work-items."""
        names = {**vars(numbers), **arithmetic.NAMESPACE, **functions}
        names.update((f"c{k}", value) for k, value in self.module.constants.items())
        names.update(
            (f"type{k}", type_.element)
            for k, type_ in self.types.items()
            if type_.kind == "pointer"
        )
        for number in self.statements.values - self.module.variables.keys():
            if self.types[number].kind != "void":
                names[f"v{number}"] = self.types[number].empty(count)
        exec(self._code, names)
        return names
