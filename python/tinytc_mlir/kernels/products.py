# SPDX-License-Identifier: BSD-3-Clause
"""Assignments to matrices: `C[:] = ...` and `C[:] += ...` are one collective instruction each."""

from __future__ import annotations

import ast
import dataclasses
from types import NoneType

from ..frontend import ast as text
from . import liveness
from .elementwise import is_conjugate, temporary
from .foreign_names import instead
from .inference import Inference
from .operators import BINARY
from .subscripts import is_whole, slices
from .types import Memref
from .values import Choice, InForm, Instruction, Local, Method, Static, Value

_SYMBOLS = {ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
            ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
            ast.MatMult: "@"}  # fmt: skip
_FORMS = "alpha * A @ B, alpha * A, alpha * A * B, alpha * tt.outer(a, b), alpha * A.sum(axis)"


@dataclasses.dataclass(frozen=True)
class _Term:
    """A part of the right side.

    Args:
        factors: numbers that it is multiplied by, and their places.
        matrices: matrices and their places, at most two.
        instruction: what the instruction is called.
        mode: mode of a sum.
        sign: 1 or -1.
    """

    factors: tuple[tuple[Value, ast.expr], ...] = ()
    matrices: tuple[tuple[Local | InForm, ast.expr], ...] = ()
    instruction: str = ""
    mode: int | None = None
    sign: int = 1


class Products(Inference):
    """The part that reads assignments to matrices."""

    def assign_matrix(self, node: ast.stmt, target: Local, op: ast.operator | None) -> None:
        """Append the instruction of an assignment.

        Args:
            node: the statement.
            target: the matrix on the left side.
            op: the operator before `=`, None for a plain assignment.
        """
        value = node.value  # type: ignore[attr-defined]
        left = node.target if isinstance(node, ast.AugAssign) else node.targets[0]  # type: ignore
        if not self.is_collective(value) and not self._is_instruction(value, op, left):
            self.assign_elements(node, target, op, value)
            return
        if op is not None and not isinstance(op, (ast.Add, ast.Sub)):
            shown = ast.unparse(left)
            place = f"{shown}[:]" if isinstance(left, ast.Name) else shown
            shown = _SYMBOLS[type(op)]
            hint = f"write {temporary(target)}; t[:] = {ast.unparse(value)}; {place} {shown}= t"
            raise self.error("expected =, += or -= for a matrix, got another operator", node, hint)
        parts = _summands(value)
        betas = [part for part in parts if op is None and _is_multiple(part, left)]
        if len(parts) == len(betas) == 1:  # C[:] = 2 * C
            betas = []
        rest = [part for part in parts if part not in betas]
        if len(rest) != 1 or len(betas) > 1:
            raise self._no_single_instruction(node, target, op, rest, betas)
        term = self._term(rest[0])
        if isinstance(op, ast.Sub):
            term = dataclasses.replace(term, sign=-term.sign)
        alpha = self._factor(value, term)
        beta = self.operand(Static(0 if op is None else 1), node)
        if betas:
            beta = self._factor(betas[0], self._beta(betas[0], left))
        names, modifiers = self._instruction_of(node, term)
        places = [self.operand(_matrix(m), place) for m, place in term.matrices]
        mode = [] if names != "cumsum" else [text.Integer(self.span(node), term.mode or 0)]
        operands = [alpha, *places, *mode, beta, self.operand(target, left)]
        self.add(node, names, operands, modifiers=modifiers)

    def _is_instruction(self, node: ast.expr, op: ast.operator | None, left: ast.expr) -> bool:
        """Return whether an assignment of elements is a single instruction."""
        parts = _summands(node)
        rest = [part for part in parts if op is not None or not _is_multiple(part, left)]
        if self.is_spmd or not isinstance(op, (ast.Add, ast.Sub, NoneType)) or len(parts) > 2:
            return False
        if len(rest) != 1:  # C[:] = 2 * C, but not C[:] = C + C
            return not rest and len(parts) == 1
        factors = [each for each in _factors(rest[0]) if self.has_array(each)]
        is_turned = any(isinstance(each, ast.Attribute) or is_conjugate(each) for each in factors)
        is_view = all(self.array_type(each) is not None for each in factors)
        return is_view and (len(factors) == 1 or (len(factors) == 2 and not is_turned))

    def _instruction_of(self, node: ast.stmt, term: _Term) -> tuple[str, list[str | None]]:
        """Return the instruction of a term, and its modifiers."""
        words: list[str | None] = [
            m.form if isinstance(m, InForm) else None for m, _ in term.matrices
        ]
        ranks = [len(_memref(m).shape) for m, _ in term.matrices]
        if term.instruction == "@":
            if ranks == [2, 2]:
                return "gemm", [*words, None]
            if ranks == [2, 1] and words[1] is None:
                return "gemv", [words[0], None]
            raise self.error(
                f"expected a product of a matrix and a matrix or vector, got ranks {ranks[0]} "
                f"and {ranks[1]}",
                node,
                "for a vector before a matrix, write A.T @ x"
                if ranks[1] == 2
                else instead("inner"),
            )
        if term.instruction == "sum":
            is_first = ranks[0] == 2 and term.mode == 0
            return "sum", ["t" if is_first != (words[0] == "t") else None, None]
        if term.instruction == "" and len(term.matrices) == 1:
            return "axpby", [words[0], None]
        if any(words):
            raise self.error(
                f"expected no transposed or conjugated operand of '{term.instruction or '*'}'", node
            )
        name, _, word = term.instruction.partition(".")
        if name == "cumsum":
            return name, [word or None, None]
        return name or "hadamard_product", [None]

    def _factor(self, node: ast.expr, term: _Term) -> text.Operand:
        """Return the product of the numbers of a term."""
        factors = list(term.factors)
        if term.sign < 0 or not factors:
            factors.insert(0, (Static(term.sign), node))
        found, place = factors[0]
        for factor, of_factor in factors[1:]:
            if found == Static(-1) and isinstance(factor, Local):
                found = self.apply(of_factor, "arith.neg", [factor])
            else:
                found, place = self.binary(node, BINARY[ast.Mult], found, factor), node
        return self.operand(found, place)

    def _term(self, node: ast.expr) -> _Term:
        """Return a product as its factors."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            term = self._term(node.operand)
            return dataclasses.replace(term, sign=-term.sign)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.MatMult)):
            return self._product(node)
        if isinstance(node, ast.Call):
            found = self._reduction(node)
            if found is not None:
                return found
        value = self.expression(node)
        if isinstance(value, InForm) or _is_matrix(value):
            place = _array_of(node) if isinstance(value, InForm) else node
            return _Term(matrices=((value, place),))  # type: ignore[arg-type]
        if isinstance(value, (Local, Choice)) or (isinstance(value, Static) and value.is_number):
            return _Term(factors=((value, node),))
        raise self.unexpected("a matrix or a number", value, node)

    def _product(self, node: ast.BinOp) -> _Term:
        left, right = self._term(node.left), self._term(node.right)
        matrices = (*left.matrices, *right.matrices)
        is_product = isinstance(node.op, ast.MatMult)
        has_both = left.matrices and right.matrices
        if has_both and (len(matrices) > 2 or left.instruction or right.instruction):
            shown = ast.unparse(node)
            inner = node.left if len(left.matrices) > 1 or left.instruction else node.right
            raise self.error(
                "expected one instruction, got a product of more than two matrices",
                node,
                f"for {shown}, write t = tt.local(type, shape); t[:] = {ast.unparse(inner)}; and "
                "use t here",
            )
        if is_product and not has_both:
            raise self.error("expected two matrices around '@', got a number", node)
        name = "@" if is_product else left.instruction or right.instruction
        mode = left.mode if left.mode is not None else right.mode
        return _Term((*left.factors, *right.factors), matrices, name, mode, left.sign * right.sign)

    def _reduction(self, node: ast.Call) -> _Term | None:
        """Return `A.sum(1)`, `tt.cumsum(A, 0, reverse=True)` or `tt.outer(a, b)`."""
        called = self.called(node.func)
        if isinstance(called, Method) and called.name == "sum":
            rank = len(_memref(called.holder).shape)
            axes = [*node.args, *(k.value for k in node.keywords if k.arg == "axis")]
            mode = self._integer(axes[0]).value if axes else (0 if rank == 1 else None)
            if mode is None or not 0 <= mode < rank:
                raise self.error(f"expected an axis from 0 to {rank - 1}, got {mode}", node)
            place = node.func.value  # type: ignore[attr-defined]
            return _Term(matrices=((called.holder, place),), instruction="sum", mode=mode)
        if not isinstance(called, Instruction):
            return None
        if called.words == ("cumsum",) and len(node.args) == 2:
            matrix = self.array(node.args[0])
            mode = self._integer(node.args[1]).value
            named = {k.arg: self.static(k.value, "a constant") for k in node.keywords}
            name = "cumsum.reverse" if named.pop("reverse", False) else "cumsum"
            if named:
                raise self.error(
                    f"expected the argument 'reverse', got {next(iter(named))!r}", node
                )
            return _Term(matrices=((matrix, node.args[0]),), instruction=name, mode=mode)
        if called.words == ("outer",):
            self._check_count(node, called.words, node.args, ["a", "b"])
            matrices = tuple((self.array(arg), arg) for arg in node.args)
            return _Term(matrices=matrices, instruction="ger")
        return None

    def _beta(self, node: ast.expr, left: ast.expr) -> _Term:
        """Return the factors of `beta * C`."""
        if _same(node, left):
            return _Term()
        if isinstance(node, ast.UnaryOp):
            term = self._beta(node.operand, left)
            return dataclasses.replace(term, sign=-term.sign)
        assert isinstance(node, ast.BinOp)
        factor = node.right if _same(node.left, left) else node.left
        return _Term(factors=((self.scalar(factor), factor),))

    def _no_single_instruction(
        self,
        node: ast.stmt,
        target: Local,
        op: ast.operator | None,
        rest: list[ast.expr],
        betas: list[ast.expr],
    ) -> Exception:
        """Return the error that shows the lines to write, also where they read the target."""
        left = node.target if isinstance(node, ast.AugAssign) else node.targets[0]  # type: ignore
        shown, sign = ast.unparse(left), "+" if isinstance(op, ast.Add) else "-" if op else ""
        parts, old = list(map(ast.unparse, rest)), [f" + {ast.unparse(beta)}" for beta in betas]
        if any(_base(left) in liveness.names(part) for part in rest):
            lines = [f"t[:] {'+' if n else ''}= {part}" for n, part in enumerate(parts)]
            lines = [temporary(target), *lines, f"{shown} {sign}= t{''.join(old)}"]
        else:
            lines = [f"{shown} {sign or '+'}= {part}" for part in parts]
            lines[:1] = [f"{shown} {sign}= {part}{''.join(old)}" for part in parts[:1]]
        is_sum = len(rest) > 1 and len(betas) < 2
        hint = f"write {'; '.join(lines)}" if is_sum else f"a right side is one of {_FORMS}"
        return self.error("expected one instruction, got a sum of several terms", node, hint)


def _summands(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_summands(node.left), *_summands(node.right)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        negative = ast.copy_location(ast.UnaryOp(ast.USub(), node.right), node.right)
        return [*_summands(node.left), negative]
    return [node]


def _factors(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _factors(node.operand)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return [*_factors(node.left), *_factors(node.right)]
    return [node]


def _is_multiple(node: ast.expr, left: ast.expr) -> bool:
    """Return whether an expression is the left side times a number."""
    if _same(node, left):
        return True
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _is_multiple(node.operand, left)
    is_product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
    return is_product and (_same(node.left, left) or _same(node.right, left))  # type: ignore


def _same(node: ast.expr, other: ast.expr) -> bool:
    """Return whether two expressions are the same array; `C`, `C[:]` and `C[...]` are."""
    return ast.unparse(_array(node)) == ast.unparse(_array(other))


def _array(node: ast.expr) -> ast.expr:
    is_all = isinstance(node, ast.Subscript) and all(
        is_whole(item) or (isinstance(item, ast.Constant) and item.value is Ellipsis)
        for item in slices(node)
    )
    return node.value if is_all else node  # type: ignore[attr-defined]


def _base(node: ast.expr) -> str:
    """Return the name of the array that an expression is a part of."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _array_of(node: ast.expr) -> ast.expr:
    """Return the place of the array in `A.conj().T`."""
    while isinstance(node, (ast.Attribute, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node


def _is_matrix(value: Value) -> bool:
    return isinstance(value, Local) and isinstance(value.type, Memref)


def _matrix(value: Local | InForm) -> Local:
    return value.matrix if isinstance(value, InForm) else value


def _memref(value: Local | InForm) -> Memref:
    type_ = _matrix(value).type
    assert isinstance(type_, Memref)
    return type_
