# SPDX-License-Identifier: BSD-3-Clause
"""Reads the heads of instructions: their names and modifiers."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend._instructions_gen import ENUMS
from tinytc_mlir.frontend.cursor import MODIFIER, WORD
from tinytc_mlir.frontend.expression_parser import ExpressionParser
from tinytc_mlir.frontend.hints import instruction_hint
from tinytc_mlir.frontend.instructions import (
    FAMILIES,
    INSTRUCTIONS,
    SPELLINGS,
    WITH_DIMENSION,
    Instruction,
    Modifier,
    Syntax,
    Typing,
)
from tinytc_mlir.frontend.source import Note, Reporter, Span, TextError, alternatives, quote

_Node = TypeVar("_Node", bound=ast.Instruction)


class Head(NamedTuple):
    """The part of an instruction that all kinds have: results, name and modifiers."""

    start: int
    spec: Instruction
    results: list[ast.Identifier]
    modifiers: list[str | None]

    def node(self, kind: type[_Node]) -> _Node:
        """Return a node that has only the head."""
        return kind(Span(self.start, self.start), self.spec, self.results, self.modifiers)


class HeadParser(ExpressionParser):
    """The part of the parser that reads the heads of instructions."""

    def __init__(self, reporter: Reporter) -> None:
        super().__init__(reporter)
        self._written = ""  # how the text spells the present instruction

    def _head(self, results: list[ast.Identifier]) -> Head:
        """Read the name and the modifiers of an instruction with these results."""
        start = self.token.start
        spec, implied = self.instruction_name(results)
        head = Head(start, spec, results, self._modifiers(spec, implied))
        self._check_results(head)
        return head

    def instruction_name(
        self, results: list[ast.Identifier]
    ) -> tuple[Instruction, tuple[str, ...]]:
        """instruction-name = word ["." word].

        Returns:
            the instruction, and the modifiers that are part of a name of version 0.4.
        """
        token = self.token
        if token.kind != WORD:
            raise self._no_instruction(results)
        name = token.text
        if name in FAMILIES and self.peek().kind == MODIFIER:
            name += self.peek().text
        spelling = SPELLINGS.get(name)
        if spelling is None:
            raise self._unknown_instruction(name)
        spec = INSTRUCTIONS[spelling.instruction]
        self.advance()
        if name != token.text:
            self.advance()
        self._written = name
        return spec, spelling.modifiers or self._dimension(name, spec)

    def _dimension(self, name: str, spec: Instruction) -> tuple[str, ...]:
        """Read the dimension of a grid that may follow a name of version 0.4."""
        if self.token.kind != MODIFIER or spec.name not in WITH_DIMENSION:
            return ()
        dimensions = ENUMS["dimension"]
        word = self.token.text[1:]
        if name == WITH_DIMENSION[spec.name]:
            if word not in dimensions:
                choices = alternatives(f"'.{dimension}'" for dimension in dimensions)
                raise self.error(f"{choices} after '{name}'")
            self.advance()
            return (word,)
        hints = [Note(f"write '{WITH_DIMENSION[spec.name]}.{word}'")] if word in dimensions else []
        raise self.error(f"no further modifier after '{name}'", *hints)

    def _modifiers(self, spec: Instruction, implied: tuple[str, ...]) -> list[str | None]:
        """Read the modifiers; version 0.4 writes .atomic before the others."""
        if not spec.modifiers:
            self._check_no_modifier(spec, [])
            return []
        chosen: dict[str, str | None] = {}
        in_order: list[Modifier] = []
        for modifier in spec.modifiers:
            if modifier.enum == "dimension":
                chosen[modifier.attribute] = implied[0] if implied else None
            elif implied and implied[0] in modifier.choices:
                chosen[modifier.attribute], implied = implied[0], implied[1:]
            elif self.token.text == ".atomic" and modifier.choices == ("atomic",):
                chosen[modifier.attribute] = self.modifier(spec, modifier)
                in_order.append(modifier)
        for modifier in spec.modifiers:
            if modifier.attribute not in chosen:
                chosen[modifier.attribute] = self.modifier(spec, modifier)
                in_order.append(modifier)
        self._check_no_modifier(spec, in_order)
        return [chosen[modifier.attribute] for modifier in spec.modifiers]

    def _no_instruction(self, results: list[ast.Identifier]) -> TextError:
        """Return the error that an instruction does not begin with a word."""
        if results:
            return self.error("an instruction or an expression")
        notes = []
        if self.token.kind == "/":
            notes = [Note("comments begin with ';'")]
        elif self.token.kind == "x" and self.peek().kind == "=":
            notes = [Note("write '%x' for a value")]
        return self.error_here("an instruction or '}'", *notes)

    def modifier(self, spec: Instruction, modifier: Modifier) -> str | None:
        """modifier = "." word."""
        token = self.token
        if token.kind == MODIFIER and token.text[1:] in modifier.choices:
            self.advance()
            return token.text[1:]
        if modifier.required:
            choices = alternatives(f"'.{choice}'" for choice in modifier.choices)
            hints = [f".{choice}" for choice in modifier.choices]
            raise self.error(f"{choices} after '{self._written}'", *self.misspelling(hints))
        return None

    def _check_results(self, head: Head) -> None:
        """Check that a result is named if and only if the instruction has one."""
        spec, results = head.spec, head.results
        expected = 0 if spec.typing is Typing.NONE else 1
        if len(results) == expected or spec.syntax in (Syntax.FOR, Syntax.IF):
            return
        if expected == 0:
            message = (
                f"expected no result before '=', got {len(results)}: '{self._written}' has none"
            )
            raise TextError(message, Span(results[0].span.start, results[-1].span.end))
        span = Span(head.start, self.previous_end)
        raise TextError(f"expected 1 result of '{self._written}', got {len(results)}", span)

    def _check_no_modifier(self, spec: Instruction, in_order: list[Modifier]) -> None:
        """Report a modifier after those of an instruction, which are given as the text has them."""
        if self.token.kind != MODIFIER:
            return
        choices = [f".{choice}" for m in in_order for choice in m.choices]
        if spec.name in WITH_DIMENSION:
            raise self.error(f"no further modifier after '{WITH_DIMENSION[spec.name]}'")
        notes = self.misspelling(choices)
        text = self.token.text
        if text in choices or (choices and not notes):
            slots = ("|".join(f".{c}" for c in m.choices) for m in in_order)
            notes = [
                Note(f"the modifiers of '{self._written}' are, in this order, {' '.join(slots)}")
            ]
        expected = "an operand" if spec.operands else "no further modifier"
        raise self.error(f"{expected} after '{self._written}'", *notes)

    def _unknown_instruction(self, name: str) -> TextError:
        """Return the error for a name that is in no table, with what may have been meant."""
        span = Span(self.token.start, self.token.start + len(name))
        message = f"expected an instruction, got {quote(name)}"
        hint = instruction_hint(name, is_result=self.peek().kind == "=")
        return TextError(message, span, *[Note(hint)] * bool(hint))
