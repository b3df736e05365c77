# SPDX-License-Identifier: BSD-3-Clause
"""Reads expressions of `contract`, which have the syntax of Python's assignments."""

from __future__ import annotations

import ast
import cmath
import contextlib
import dataclasses
import re
from collections.abc import Iterator
from typing import TypeAlias

from ..errors import ParseError
from ..frontend.source import Source, Span, shortened

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_LONGEST = 80
_LETTERS = re.compile(r"[A-Za-z]+")
_RULE = "expected assignments such as 'C[ik] += alpha * A[ij] * B[jk]'"
_FACTOR = "expected a tensor with its indices, a number, a name, or a sum in parentheses"


@dataclasses.dataclass(frozen=True)
class Reference:
    """A tensor with the indices of its modes.

    Args:
        name: its name.
        modes: a letter and the part of the mode, or the number of an element, with their places.
        span: where it is in the text.
    """

    name: str
    modes: tuple[tuple[str, slice | int, Span], ...]
    span: Span

    @property
    def indices(self) -> str:
        """The letters of the modes."""
        return "".join(letter for letter, _, _ in self.modes)


@dataclasses.dataclass(frozen=True)
class Product:
    """A term of a sum.

    Args:
        number: product of its numbers.
        names: names of factors.
        references: its tensors.
        sums: its sums in parentheses.
        span: where it is in the text.
    """

    number: complex
    names: tuple[str, ...]
    references: tuple[Reference, ...]
    sums: tuple[Sum, ...]
    span: Span


Sum: TypeAlias = "tuple[Product, ...]"


@dataclasses.dataclass(frozen=True)
class Assignment:
    """A statement of an expression.

    Args:
        target: what is written.
        adds: whether the old values stay.
        products: the terms.
        span: where it is in the text.
    """

    target: Reference
    adds: bool
    products: Sum
    span: Span


class Expression:
    """The text of an expression; makes errors that point into it.

    Args:
        text: the text.
    """

    def __init__(self, text: str) -> None:
        self._source = Source(text, "<expression>")

    def text(self, span: Span) -> str:
        """Return part of the text in one line, without the end if that is long."""
        return shortened(" ".join(self._source.text[span.start : span.end].split()), _LONGEST)

    def error(self, message: str, span: Span) -> ParseError:
        """Return an error that points to part of the text."""
        return ParseError([self._source.diagnostic(message, span)])

    def assignments(self) -> list[Assignment]:
        """Return the statements.

        Raises:
            ParseError: the text is no list of assignments.
        """
        text = self._source.text
        for position, character in enumerate(text):
            if not character.isascii() or character == "\0":
                message = f"expected ASCII characters, got {character!r}"
                raise self.error(message, Span(position, position + 1))
        try:
            found = [self._assignment(node) for node in ast.parse(text).body]
        except SyntaxError as error:
            place = self._source.offset(error.lineno or 1, error.offset or 1)
            raise self.error(f"{_RULE}, got a mistake: {error.msg}", Span(place, place)) from None
        except (MemoryError, RecursionError):
            raise self.error(f"{_RULE}, got one that is too deep", Span(0, 1)) from None
        if not found:
            raise self.error(f"{_RULE}, got nothing", Span(0, 1))
        return found

    def _assignment(self, node: ast.stmt) -> Assignment:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, sign = node.targets[0], 0
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, (ast.Add, ast.Sub)):
            target, sign = node.target, 1 if isinstance(node.op, ast.Add) else -1
        else:
            raise self._refused(_RULE, node)
        if not isinstance(target, ast.Subscript):
            raise self._refused("expected a tensor with its indices", target)
        reference = self._reference(target)
        if len(set(reference.indices)) < len(reference.indices):
            raise self._refused("expected every index of the target once", target)
        products = tuple(self._sum(node.value, sign or 1))
        return Assignment(reference, sign != 0, products, self._span(node))

    def _sum(self, node: ast.expr, sign: int) -> Iterator[Product]:
        """Yield the products of a sum."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            yield from self._sum(node.left, sign)
            yield from self._sum(node.right, sign if isinstance(node.op, ast.Add) else -sign)
            return
        product = self._product(node)
        if not product.references and not product.sums:
            raise self._refused("expected a tensor in every term", node)
        number = product.number * sign
        if product.references or len(product.sums) != 1:
            yield dataclasses.replace(product, number=number)
            return
        for inner in product.sums[0]:  # only factors before the parentheses: a term for each of its
            scaled = self._finite(number * inner.number, node)
            yield dataclasses.replace(inner, number=scaled, names=product.names + inner.names)

    def _product(self, node: ast.expr) -> Product:
        span = self._span(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            product = self._product(node.operand)
            sign = -1 if isinstance(node.op, ast.USub) else 1
            return dataclasses.replace(product, number=sign * product.number, span=span)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            left, right = self._product(node.left), self._product(node.right)
            return Product(
                self._finite(left.number * right.number, node),
                left.names + right.names,
                left.references + right.references,
                left.sums + right.sums,
                span,
            )
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            return Product(1, (), (), (tuple(self._sum(node, 1)),), span)
        if isinstance(node, ast.Subscript):
            return Product(1, (), (self._reference(node),), (), span)
        if isinstance(node, ast.Name) and _NAME.fullmatch(node.id):
            return Product(1, (node.id,), (), (), span)
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, (int, float, complex))
            and not isinstance(node.value, bool)
        ):
            return Product(self._finite(node.value, node), (), (), (), span)
        raise self._refused(_FACTOR, node)

    def _finite(self, number: complex, node: ast.expr) -> complex:
        """Return a number that is neither infinite nor larger than that."""
        with contextlib.suppress(OverflowError):
            if cmath.isfinite(number):
                return number
        raise self._refused("expected a finite number", node)

    def _reference(self, node: ast.Subscript) -> Reference:
        if not isinstance(node.value, ast.Name) or not _NAME.fullmatch(node.value.id):
            raise self._refused("expected the name of a tensor before the indices", node.value)
        inside = node.slice
        parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
        modes = [mode for part in parts for mode in self._modes(part)]
        return Reference(node.value.id, tuple(modes), self._span(node))

    def _modes(self, node: ast.expr) -> Iterator[tuple[str, slice | int, Span]]:
        """Yield the modes of one part between the commas of an access."""
        span = self._span(node)
        if isinstance(node, ast.Name) and _LETTERS.fullmatch(node.id):
            for number, letter in enumerate(node.id):
                start = span.start + number
                yield letter, slice(None), Span(start, start + 1)
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            yield "", node.value, span
        elif (
            isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Name)
            and len(node.value.id) == 1
            and _LETTERS.fullmatch(node.value.id)
            and isinstance(node.slice, ast.Slice)
            and node.slice.step is None
        ):
            first, last = (self._bound(end) for end in (node.slice.lower, node.slice.upper))
            yield node.value.id, slice(first, last), span
        else:
            raise self._refused(
                "expected letters, a number, or part of a mode such as 'i[0:4]'", node
            )

    def _bound(self, node: ast.expr | None) -> int | None:
        if node is None:
            return None
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value
        raise self._refused("expected a number", node)

    def _refused(self, rule: str, node: ast.expr | ast.stmt) -> ParseError:
        span = self._span(node)
        return self.error(f"{rule}, got {self.text(span)!r}", span)

    def _span(self, node: ast.expr | ast.stmt) -> Span:
        """Return where a node is; columns are bytes, and all characters have one."""
        start = self._source.offset(node.lineno, node.col_offset + 1)
        return Span(
            start, self._source.offset(node.end_lineno or 1, (node.end_col_offset or 0) + 1)
        )
