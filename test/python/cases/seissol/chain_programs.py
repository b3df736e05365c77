"""Programs for the tests: SeisSol's chains with random layouts, and random chains."""

from __future__ import annotations

import dataclasses
import random

from cases.seissol.maker import Matrix, Program, Statement, View, whole
from tinytc_bench.chains import Chain

SIZES = (1, 1, 2, 4, 8, 9, 9, 10, 12, 20, 21, 24)
MOST_STATEMENTS = 12


def layout(rng: random.Random, name: str, rows: int, columns: int, kind: str) -> Matrix:
    """Return a matrix with a random stride, and a random offset or gap between its members."""
    matrix = Matrix(name, rows, columns, rows + rng.choice((0, 0, 1, 4)), kind)
    if kind == "group":
        offset = rng.choice((None, "?", "?", rng.randint(1, 40)))
        matrix = dataclasses.replace(matrix, offset=offset)
    elif kind == "batch":
        matrix = dataclasses.replace(matrix, gap=rng.choice((0, 0, 1, 5)))
    if kind in ("group", "batch") and rng.random() < 0.2:
        matrix = dataclasses.replace(matrix, members=rng.choice((1, 5, 13)))
    return matrix


def chain_program(rng: random.Random, chain: Chain, type_: str) -> Program:
    """Return a chain with random layouts, batches as groups or memrefs, and factors."""
    matrices = {}
    for name, matrix in chain.matrices.items():
        kind = matrix.role if matrix.role in ("constant", "temporary") else _batch(rng)
        matrices[name] = layout(rng, name, matrix.rows, matrix.columns, kind)
        sizes = (matrix.rows, matrix.columns)
        cells = matrices.get("I")
        if name == "Q" and cells and (cells.rows, cells.columns) == sizes and rng.random() < 0.5:
            matrices[name] = dataclasses.replace(cells, name=name)  # so that both may be one batch
    statements = []
    for product in chain.products:
        views = {}
        for operand, (row, rows, column, columns) in product.slices().items():
            matrix = matrices[getattr(product, operand)]
            views[operand] = View(matrix, row, column, rows, columns)
        alpha = rng.choice((1.0, 1.0, None, -0.5))
        beta = 1.0 if product.adds else 0.0
        statements.append(
            Statement(*views.values(), alpha, beta, is_transposed=product.is_b_transposed)
        )
    return Program(type_, tuple(statements))


def _batch(rng: random.Random) -> str:
    return rng.choice(("group", "group", "group", "batch"))


def random_program(rng: random.Random, type_: str) -> Program:
    """Return a chain of products and sums over random parts of random matrices."""
    maker = _Maker(rng)
    count = min(rng.randint(1, MOST_STATEMENTS), rng.randint(1, MOST_STATEMENTS))
    for number in range(count):
        maker.add(is_last=number == count - 1)
    return Program(type_, tuple(maker.statements))


class _Maker:
    """Makes statements one after the other, each of what was there before and of new matrices."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._readable: list[View] = []  # what has values
        self._results: list[View] = []  # what may be written
        self.statements: list[Statement] = []

    def add(self, is_last: bool) -> None:
        """Add a statement; the last one writes to a batch."""
        rng = self._rng
        is_transposed = rng.random() < 0.25
        alpha = rng.choice((1.0, 1.0, None, 0.5, -2.0))
        if rng.random() < 0.25:
            a = self._operand(self._size(), self._size())
            sizes = a.sizes[::-1] if is_transposed else a.sizes
            c, beta = self._result(*sizes, is_last, [a])
            beta = rng.choice((beta, 0.0, -1.5 if beta else 0.0))
            self.statements.append(Statement(a, None, c, alpha, beta, is_transposed))
            return
        a = self._operand(self._size(), self._size())
        columns = self._size()
        b_sizes = (columns, a.columns) if is_transposed else (a.columns, columns)
        b = self._operand(*b_sizes)
        c, beta = self._result(a.rows, columns, is_last, [a, b])
        self.statements.append(Statement(a, b, c, alpha, beta, is_transposed))

    def _size(self) -> int:
        """Return a size, often one of the last result's."""
        if self.statements and self._rng.random() < 0.6:
            return self._rng.choice(self.statements[-1].c.sizes)
        return self._rng.choice(SIZES)

    def _part(self, view: View, rows: int, columns: int) -> View:
        """Return a random part of a view that has these sizes."""
        row = view.row + self._rng.randint(0, view.rows - rows)
        column = view.column + self._rng.randint(0, view.columns - columns)
        return View(view.matrix, row, column, rows, columns)

    def _fitting(self, views: list[View], rows: int, columns: int) -> list[View]:
        """Return parts of these sizes of the views that are large enough."""
        return [
            self._part(view, rows, columns)
            for view in views
            if view.rows >= rows and view.columns >= columns
        ]

    def _new(self, rows: int, columns: int, kind: str) -> View:
        """Return the view of a new matrix, at least of these sizes."""
        count = len({view.matrix.name for view in self._readable})
        more = self._rng.choice((0, 0, 1, 3))
        return whole(layout(self._rng, f"m{count}", rows + more, columns + more // 2, kind))

    def _operand(self, rows: int, columns: int) -> View:
        fitting = self._fitting(self._readable, rows, columns)
        if fitting and self._rng.random() < 0.7:
            return self._rng.choice(fitting)
        kind = "constant" if self._rng.random() < 0.5 else _batch(self._rng)
        view = self._new(rows, columns, kind)
        self._readable.append(view)
        if kind != "constant":
            self._results.append(view)
        return self._part(view, rows, columns)

    def _result(
        self, rows: int, columns: int, is_last: bool, operands: list[View]
    ) -> tuple[View, float]:
        """Return where to write, apart from the operands, and the factor of what is there."""
        rng = self._rng
        fitting = [
            view
            for view in self._fitting(self._results, rows, columns)
            if not any(view.overlaps(operand) for operand in operands)
            and not (is_last and view.matrix.kind == "temporary")
        ]
        if fitting and rng.random() < (0.7 if is_last else 0.4):
            return rng.choice(fitting), rng.choice((0.0, 1.0))
        if is_last or rng.random() < 0.3:
            view = self._new(rows, columns, _batch(rng))
            self._readable.append(view)
            self._results.append(view)
            return self._part(view, rows, columns), rng.choice((0.0, 1.0))
        part = self._part(self._new(rows, columns, "temporary"), rows, columns)
        self._readable.append(part)  # the rest of it never gets a value
        self._results.append(part)
        return part, 0.0
