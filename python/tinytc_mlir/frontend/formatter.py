# SPDX-License-Identifier: BSD-3-Clause
"""Formats a program: canonical spelling and white space; comments stay where they are.

Unlike the printer it works on the text: compile-time variables, the order of attributes
and the user's names are kept. The syntax tree says where statements and regions begin.
"""

from __future__ import annotations

import re

from tinytc_mlir.errors import ParseError
from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.cursor import (
    CALCULATOR,
    FLOATING,
    GLOBAL,
    INTEGER,
    LOCAL,
    MODIFIER,
    VARIABLE,
    WORD,
)
from tinytc_mlir.frontend.instructions import ALIASES, WITH_DIMENSION, Syntax
from tinytc_mlir.frontend.lexer import Token, comments, tokenize
from tinytc_mlir.frontend.names import EARLIER_VERSION, version_of
from tinytc_mlir.frontend.parser import parse_program
from tinytc_mlir.frontend.source import Reporter, Source, checked_filename, decode

_INDENT = "  "
_CONTINUATION = "    "
_MAX_LINE = 90
_OPENING = "([{<"
_CLOSING = ")]}>"
_GLUED = (",", ")", "]", "}", ">", "<", MODIFIER)
_GLUING = ("(", "[", "{", "<")

_MODIFIER = re.compile(r"\s*\.")


def format_source(text: str | bytes, filename: str = "<string>") -> str:
    r"""Return a program with canonical spelling and white space.

    Programs of version 0.4 of the language keep its names.

    Args:
        text: the program; bytes are read as UTF-8.
        filename: what errors call the text.

    Raises:
        ParseError: if the text is not UTF-8 or violates the grammar.

    Source: tensor language reference, core rules.

    >>> print(format_source("func @f(%x:f32){%i=group_id:index ; id\n}"), end="")
    func @f(%x: f32) {
      %i = builtin.group_id : index  ; id
    }
    """
    text = decode(text, checked_filename(filename))
    reporter = Reporter(Source(text, filename))
    program = parse_program(reporter)
    if program is None:
        raise ParseError(reporter.diagnostics())
    layout = _Layout(program, version_of(program, text) in (None, EARLIER_VERSION))
    pieces = sorted(tokenize(reporter)[:-1] + comments(text), key=lambda piece: piece.start)
    return _Formatter(text, layout, pieces).format()


class _Layout:
    """Where statements, regions and alternative spellings are, by offset."""

    def __init__(self, program: ast.Program, is_earlier: bool) -> None:
        self.is_earlier = is_earlier
        self.statements: set[int] = set()
        self.openings: set[int] = set()
        self.closings: set[int] = set()
        self.spellings: dict[int, str] = {}
        self.constants: set[int] = set()
        self.loops: set[int] = set()
        self.operators: set[int] = set()
        self.signs: set[int] = set()
        self.called: set[int] = set()  # by the end of the name
        for item in program.items:
            if isinstance(item, ast.Function):
                self._region(item.body)
            else:
                self.statements.add(item.span.start)

    def _region(self, region: ast.Region) -> None:
        self.openings.add(region.span.start)
        self.closings.add(region.span.end - 1)
        for statement in region.statements:
            if isinstance(statement, ast.Definition):
                self.statements.add(statement.span.start)
            else:
                self._instruction(statement)

    def _instruction(self, node: ast.Instruction) -> None:
        start = node.results[0].span.start if node.results else node.span.start
        self.statements.add(start)
        if isinstance(node, ast.Assignment):
            self._expression(node)
            return
        self.spellings[node.span.start] = node.spec.name
        if node.spec.syntax is Syntax.CONSTANT:
            self.constants.add(start)
        if node.spec.syntax in (Syntax.FOR, Syntax.FOREACH, Syntax.FOREACH_TILE):
            self.loops.add(start)
        for region in node.regions():
            self._region(region)

    def _expression(self, node: ast.Assignment) -> None:
        assert node.value is not None
        for part in node.value.parts():
            start = part.place.start
            if part.second_place is not None:
                self.operators |= {start, part.second_place.start}
            elif start > part.span.start and start >= part.operands[0].span.end:
                self.operators.add(start)
            elif part.spec.name == "arith.neg" and part.place.end == start + 1:
                self.signs.add(start)
            else:
                self.called.add(part.place.end)


class _Formatter:
    """Writes tokens and comments one after the other."""

    def __init__(self, text: str, layout: _Layout, pieces: list[Token]) -> None:
        self._text = text
        self._layout = layout
        self._pieces = pieces
        self._lines: list[str] = []
        self._line = ""
        self._breaks: list[int] = []
        self._depth = 0
        self._brackets: list[str] = []
        self._previous: Token | None = None
        self._statement = 0
        self._is_before_variable = False

    def format(self) -> str:
        """Return the formatted text."""
        last_end = 0
        for position, piece in enumerate(self._pieces):
            gap = self._text[last_end : piece.start]
            if piece.kind == "comment":
                self._comment(piece, gap)
            else:
                following = self._pieces[position + 1 : position + 2]
                self._is_before_variable = any(p.kind == VARIABLE for p in following)
                self._token(piece, gap)
            last_end = piece.end
        self._flush()
        return "\n".join(self._lines) + ("\n" if self._lines else "")

    def _comment(self, comment: Token, gap: str) -> None:
        """Write a comment after what precedes it on its line, or on a line of its own."""
        text = comment.text.rstrip()
        if "\n" not in gap and (self._line or self._lines):
            if not self._line and self._lines:
                self._line = self._lines.pop()
            self._line += f"  {text}"
            self._flush()
            return
        self._flush()
        self._blank_line(gap)
        self._lines.append(_INDENT * self._depth + text)

    def _token(self, token: Token, gap: str) -> None:
        start = token.start
        if start in self._layout.closings:
            self._close_region()
        elif self._starts_line(token):
            self._start_line(token, gap)
        elif start in self._layout.openings:
            self._line += " {" if self._line else _INDENT * self._depth + "{"
            self._previous = None
            self._flush()
            self._depth += 1
        else:
            self._append(token)

    def _starts_line(self, token: Token) -> bool:
        return token.start in self._layout.statements or (
            token.kind == WORD and token.text == "func"
        )

    def _start_line(self, token: Token, gap: str) -> None:
        self._flush()
        if token.text == "func" and self._lines and self._lines[-1] == "}":
            self._lines.append("")
        self._blank_line(gap)
        self._brackets.clear()
        self._statement = token.start
        self._line = _INDENT * self._depth + self._spelling(token)
        self._previous = token

    def _close_region(self) -> None:
        self._flush()
        self._depth -= 1
        self._line = _INDENT * self._depth + "}"
        self._previous = None

    def _append(self, token: Token) -> None:
        """Write a token after the others of its line."""
        if not self._line:
            self._line = _INDENT * self._depth + _CONTINUATION
            self._line += self._spelling(token)
        else:
            self._line += " " if self._space_before(token) else ""
            self._line += self._spelling(token)
        if token.text == "," and self._brackets == ["("]:
            self._breaks.append(len(self._line))
        if token.start in self._layout.operators:
            pass  # '<' and '>' are no brackets here
        elif token.kind in tuple(_OPENING):
            self._brackets.append(token.kind)
        elif token.kind in tuple(_CLOSING) and self._brackets:
            self._brackets.pop()
        self._previous = token

    def _spelling(self, token: Token) -> str:
        """Return the canonical spelling of a token."""
        if token.start in self._layout.operators and token.kind in (INTEGER, FLOATING):
            return f"{token.text[0]} {token.text[1:]}"  # a sign that is an operator
        is_alias = token.start in self._layout.spellings and token.text in ALIASES
        # Only version 0.4 has a dimension after the name: that spelling is kept.
        has_dimension = token.text in WITH_DIMENSION.values() and _MODIFIER.match(
            self._text, token.end
        )
        if is_alias and self._layout.is_earlier and not has_dimension:
            return self._layout.spellings[token.start]
        if token.text == "->" and self._statement in self._layout.constants:
            return ":"
        return token.text

    def _space_before(self, token: Token) -> bool:
        """Return whether a space separates a token from the previous one of its line."""
        previous = self._previous
        if previous is None:
            return True
        in_expression = self._space_in_expression(previous, token)
        if in_expression is not None:
            return in_expression
        inner = self._brackets[-1] if self._brackets else ""
        before, after = previous.kind, token.kind
        if "x" in (before, after):
            return self._space_around_x(previous, token, inner)
        if inner == "[" and (before, after) == (",", ":"):  # a whole mode after another one
            return True
        is_glued = (
            after in _GLUED
            or before in _GLUING
            or (inner == "[" and before == ":")
            or (after == ":" and (inner != "" or self._statement in self._layout.loops))
            or (inner == "{" and "=" in (before, after))
            or (after == "[" and before == LOCAL)
            or (after == "(" and (before in (GLOBAL, CALCULATOR) or previous.text == "init"))
            or (before == "," and inner == "<" and token.text != "offset")
        )
        return not is_glued

    def _space_in_expression(self, previous: Token, token: Token) -> bool | None:
        """Return whether there is a space beside an operator or a call; None elsewhere."""
        operators = self._layout.operators
        is_number = previous.kind in (INTEGER, FLOATING)  # perhaps with a sign in front of it
        if token.start in operators or (previous.start in operators and not is_number):
            return True
        is_call = token.kind == "(" and previous.end in self._layout.called
        return False if is_call or previous.start in self._layout.signs else None

    def _space_around_x(self, previous: Token, token: Token, inner: str) -> bool:
        if inner != "<":
            return True
        if token.kind == "x":
            return previous.kind == VARIABLE or self._is_before_variable
        return self._line.endswith(" x")

    def _blank_line(self, gap: str) -> None:
        """Keep one blank line where the text has any."""
        last = self._lines[-1] if self._lines else ""
        if gap.count("\n") > 1 and last and not last.endswith("{"):
            self._lines.append("")

    def _flush(self) -> None:
        """End the current line; a long list of parameters gets one line for each."""
        if self._line.strip():
            self._lines += self._broken_line()
        self._line = ""
        self._breaks = []

    def _broken_line(self) -> list[str]:
        line = self._line.rstrip()
        if len(line) <= _MAX_LINE or not line.startswith("func ") or not self._breaks:
            return [line]
        indent = " " * (line.index("(") + 1)
        ends = [*self._breaks, len(line)]
        starts = [0, *self._breaks]
        parts = [line[a:b].strip() for a, b in zip(starts, ends, strict=True)]
        return [parts[0], *(indent + part for part in parts[1:])]
