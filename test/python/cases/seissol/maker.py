"""Writes programs as SeisSol's code generator does: one function for a chain of products.

Constants are plain memrefs, batches are groups of pointers or memrefs whose last mode counts the
members, temporaries are local and may have padded strides. Each operand is a static subview, and
names end in 64 hexadecimal digits.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator


@dataclasses.dataclass(frozen=True)
class Spelling:
    """How a version of the language, or a generator of it, spells what others spell differently.

    Args:
        group_id: the instruction that yields the number of the group.
        has_rest: whether the size of a slice up to the end of its mode is written as `?`.
        has_whole_numbers: whether whole constants are written without a point.
        is_short: whether transposes are left out where they are the default.
    """

    group_id: str = "group_id.x"
    has_rest: bool = False
    has_whole_numbers: bool = False
    is_short: bool = False


V04 = Spelling()
SHORT_V04 = Spelling(is_short=True)
V031 = Spelling("group_id", has_rest=True, has_whole_numbers=True)
OLD = Spelling("builtin.group_id")


@dataclasses.dataclass(frozen=True)
class Matrix:
    """A matrix of a program.

    Args:
        name: name of the parameter, or of the temporary to the maker.
        rows: number of rows.
        columns: number of columns.
        stride: elements from column to column, at least the rows.
        kind: "constant", "group" (of pointers), "batch" (a memref) or "temporary".
        offset: offset of a group in elements, "?" if a launch gives it, None if the type has none.
        gap: elements from the end of a batch's member to the next member.
        members: size of a group or batch in its type, None for `?`.
    """

    name: str
    rows: int
    columns: int
    stride: int
    kind: str
    offset: int | str | None = None
    gap: int = 0
    members: int | None = None

    def memref(self, type_: str, *, rows: int = 0, columns: int = 0) -> str:
        """Return the memref type of the matrix or of a view with other sizes."""
        shape = f"{rows or self.rows}x{columns or self.columns}"
        space = ", local" if self.kind == "temporary" else ""
        return f"memref<{type_}x{shape}, strided<1,{self.stride}>{space}>"

    @property
    def member_stride(self) -> int:
        """Elements from one member of a batch to the next."""
        return self.stride * self.columns + self.gap

    def parameter(self, type_: str) -> str:
        """Return the declaration of the parameter."""
        count = "?" if self.members is None else self.members
        if self.kind == "group":
            offset = "" if self.offset is None else f", offset: {self.offset}"
            return f"%{self.name}: group<{self.memref(type_)}x{count}{offset}>"
        if self.kind == "batch":
            shape = f"{type_}x{self.rows}x{self.columns}x{count}"
            return f"%{self.name}: memref<{shape}, strided<1,{self.stride},{self.member_stride}>>"
        return f"%{self.name}: {self.memref(type_)}"


@dataclasses.dataclass(frozen=True)
class View:
    """A static part of a matrix."""

    matrix: Matrix
    row: int
    column: int
    rows: int
    columns: int

    @property
    def sizes(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.rows, self.columns

    def overlaps(self, other: View) -> bool:
        """Return whether both have an element in common."""
        return (
            self.matrix == other.matrix
            and self.row < other.row + other.rows
            and other.row < self.row + self.rows
            and self.column < other.column + other.columns
            and other.column < self.column + self.columns
        )


def whole(matrix: Matrix) -> View:
    """Return the view of all of a matrix."""
    return View(matrix, 0, 0, matrix.rows, matrix.columns)


@dataclasses.dataclass(frozen=True)
class Statement:
    """C := alpha A op(B) + beta C, or without B the sum C := alpha op(A) + beta C.

    Args:
        a: the left operand.
        b: the right operand of a product, None for a sum.
        c: the result.
        alpha: factor, None for the parameter `%alpha`.
        beta: factor of the result; 0 or 1 for products.
        is_transposed: whether the last operand is transposed.
    """

    a: View
    b: View | None
    c: View
    alpha: float | None
    beta: float
    is_transposed: bool = False


@dataclasses.dataclass(frozen=True)
class Program:
    """A function that runs statements for the matrices of its group.

    Args:
        type_: scalar type.
        statements: the statements.
    """

    type_: str
    statements: tuple[Statement, ...]

    @property
    def has_alpha(self) -> bool:
        """Whether a factor is a parameter."""
        return any(statement.alpha is None for statement in self.statements)

    def matrices(self) -> dict[str, Matrix]:
        """Return all matrices in the order in which they are used."""
        found: dict[str, Matrix] = {}
        for statement in self.statements:
            for view in (statement.a, statement.b, statement.c):
                if view is not None:
                    assert found.setdefault(view.matrix.name, view.matrix) == view.matrix
        return found

    def parameters(self) -> dict[str, Matrix]:
        """Return the matrices that are parameters."""
        return {n: m for n, m in self.matrices().items() if m.kind != "temporary"}

    @property
    def name(self) -> str:
        """Name of the function."""
        is_sum = all(statement.b is None for statement in self.statements)
        word = "copyscaleadd" if is_sum else "fused_gemm"
        return f"{word}_{hashlib.sha256(repr(self).encode()).hexdigest()}"

    def text(self, spelling: Spelling = V04) -> str:
        """Return the program in a spelling."""
        parameters = [f"%alpha: {self.type_}"] if self.has_alpha else []
        parameters += [matrix.parameter(self.type_) for matrix in self.parameters().values()]
        separator = ",\n" + " " * (len(self.name) + 7)
        body = "\n  ".join(_Body(self, spelling).lines())
        return f"func @{self.name}({separator.join(parameters)}) {{\n  {body}\n}}\n"


class _Body:
    """Numbers the values of a function's body as it is written."""

    def __init__(self, program: Program, spelling: Spelling) -> None:
        self._program = program
        self._spelling = spelling
        self._count = 0
        self._values: dict[str, str] = {}

    def lines(self) -> Iterator[str]:
        """Yield the lines of the body."""
        group = self._next()
        yield f"{group} = {self._spelling.group_id} : index"
        for statement in self._program.statements:
            for view in (statement.a, statement.b, statement.c):
                if view is not None:
                    yield from self._origin(view.matrix, group)
            yield from self._statement(statement)

    def _next(self) -> str:
        self._count += 1
        return f"%{self._count - 1}"

    def _origin(self, matrix: Matrix, group: str) -> Iterator[str]:
        """Yield what makes the matrix of this group when it is first used."""
        name, type_ = matrix.name, self._program.type_
        if name in self._values:
            return
        if matrix.kind == "constant":
            self._values[name] = f"%{name}"
            return
        self._values[name] = value = self._next()
        if matrix.kind == "temporary":
            origin = "alloca"
        elif matrix.kind == "group":
            origin = f"load %{name}[{group}]"
        else:
            sizes = ("?", "?") if self._spelling.has_rest else (matrix.rows, matrix.columns)
            origin = f"subview %{name}[0:{sizes[0]},0:{sizes[1]},{group}]"
        yield f"{value} = {origin} : {matrix.memref(type_)}"

    def _view(self, view: View) -> tuple[str, str]:
        """Return the name of a view and the line that makes it."""
        matrix, value = view.matrix, self._next()
        rows, columns = str(view.rows), str(view.columns)
        if self._spelling.has_rest:
            rows = "?" if view.row + view.rows == matrix.rows else rows
            columns = "?" if view.column + view.columns == matrix.columns else columns
        slices = f"{view.row}:{rows},{view.column}:{columns}"
        type_ = matrix.memref(self._program.type_, rows=view.rows, columns=view.columns)
        return value, f"{value} = subview {self._values[matrix.name]}[{slices}] : {type_}"

    def _constant(self, number: float) -> tuple[str, str]:
        """Return the name of a constant and the line that makes it."""
        value = self._next()
        is_whole = self._spelling.has_whole_numbers and number == int(number)
        literal = str(int(number)) if is_whole else repr(float(number))
        return value, f"{value} = constant {literal} : {self._program.type_}"

    def _statement(self, statement: Statement) -> Iterator[str]:
        alpha = "%alpha"
        if statement.alpha is not None:
            alpha, line = self._constant(statement.alpha)
            yield line
        names = []
        for view in (statement.a, statement.b):
            if view is not None:
                name, line = self._view(view)
                names.append(name)
                yield line
        beta, line = self._constant(statement.beta)
        yield line
        c, line = self._view(statement.c)
        yield line
        yield f"{self._word(statement)} {alpha}, {', '.join(names)}, {beta}, {c}"

    def _word(self, statement: Statement) -> str:
        """Return the instruction and its transposes."""
        last = "t" if statement.is_transposed else "n"
        letters = [last] if statement.b is None else ["n", last]
        while self._spelling.is_short and letters and letters[-1] == "n":
            letters.pop()
        return ".".join(["axpby" if statement.b is None else "gemm", *letters])
