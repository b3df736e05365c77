# SPDX-License-Identifier: BSD-3-Clause
"""Chains of products as in SeisSol, which solves the elastic wave equation, and their programs.

SeisSol's code generator fuses the products that update a cell of the mesh into one kernel. Its
constants are the same for all cells; the other matrices come as groups of pointers to cells.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Mapping

from tinytc_mlir.shapes import Boxes

_BATCHES = ("in", "out", "inout")


@dataclasses.dataclass(frozen=True)
class Matrix:
    """A matrix of a chain.

    Args:
        rows: number of rows.
        columns: number of columns.
        role: "constant" for all cells; "in", "out" (never read) or "inout" for one of each cell;
            "temporary" within the kernel.
    """

    rows: int
    columns: int
    role: str

    @property
    def is_batch(self) -> bool:
        """Whether each cell has one."""
        return self.role in _BATCHES


@dataclasses.dataclass(frozen=True)
class Product:
    """The product of the first M rows and K columns of A with N columns of B.

    Args:
        c: name of the result.
        a: name of the left matrix.
        b: name of the right matrix.
        sizes: M, N and K.
        adds: whether the product is added to the result instead of replacing it.
        first: first of the K rows of B.
        is_b_transposed: whether B is stored as its transpose.
    """

    c: str
    a: str
    b: str
    sizes: tuple[int, int, int]
    adds: bool = False
    first: int = 0
    is_b_transposed: bool = False

    @property
    def flops(self) -> int:
        """Floating-point operations."""
        rows, columns, inner = self.sizes
        return 2 * rows * columns * inner

    def slices(self) -> dict[str, tuple[int, int, int, int]]:
        """Return first row, rows, first column and columns of what is used of A, B and C."""
        rows, columns, inner = self.sizes
        b = (self.first, inner, 0, columns)
        return {
            "a": (0, rows, 0, inner),
            "b": (*b[2:], *b[:2]) if self.is_b_transposed else b,
            "c": (0, rows, 0, columns),
        }


@dataclasses.dataclass(frozen=True)
class Chain:
    """Products one after the other.

    Args:
        name: name of the chain.
        matrices: all matrices by name, in the order of the program's parameters.
        products: the products.
    """

    name: str
    matrices: Mapping[str, Matrix]
    products: tuple[Product, ...]

    def function(self, type_: str) -> str:
        """Return the name of the function for a type, which ends in the hash of its body."""
        return f"fused_gemm_{hashlib.sha256(self._body(type_).encode()).hexdigest()}"

    def text(self, type_: str, patterns: Mapping[str, Boxes] | None = None) -> str:
        """Return the program, a function, as SeisSol has it.

        Args:
            type_: scalar type of all matrices.
            patterns: where matrices may be other than zero.
        """
        function = self.function(type_)
        parameters = []
        for name, matrix in self.matrices.items():
            if matrix.role == "temporary":
                continue
            memref = _memref(type_, matrix)
            group = memref if matrix.role == "constant" else f"group<{memref}x?, offset: ?>"
            boxes = (patterns or {}).get(name)
            promise = "" if boxes is None else f" {{nonzero={[list(box) for box in boxes]}}}"
            parameters.append(f"%{name}: {group}{promise}")
        separator = ",\n" + " " * (len(function) + 7)
        return f"func @{function}({separator.join(parameters)}) {{\n{self._body(type_)}}}\n"

    def _body(self, type_: str) -> str:
        return "".join(f"  {line}\n" for line in self._lines(type_))

    def _lines(self, type_: str) -> Iterator[str]:
        yield "%0 = group_id.x : index"
        values: dict[str, str] = {}
        count = 1
        for product in self.products:
            views = {}
            for operand, slices in product.slices().items():
                name = getattr(product, operand)
                matrix = self.matrices[name]
                space = ", local" if matrix.role == "temporary" else ""
                memref = _memref(type_, matrix, space)
                if matrix.role == "constant":
                    values[name] = f"%{name}"
                elif name not in values:
                    values[name] = f"%{count}"
                    count += 1
                    is_local = matrix.role == "temporary"
                    origin = "alloca" if is_local else f"load %{name}[%0]"
                    yield f"{values[name]} = {origin} : {memref}"
                first_row, rows, first_column, columns = slices
                part = f"memref<{type_}x{rows}x{columns}, strided<1,{matrix.rows}>{space}>"
                slice_ = f"{first_row}:{rows},{first_column}:{columns}"
                yield f"%{count} = subview {values[name]}[{slice_}] : {part}"
                views[operand] = f"%{count}"
                count += 1
            yield f"%{count} = constant 1.0 : {type_}"
            yield f"%{count + 1} = constant {1.0 if product.adds else 0.0} : {type_}"
            transposes = "n.t" if product.is_b_transposed else "n.n"
            a, b, c = views.values()
            yield f"gemm.{transposes} %{count}, {a}, {b}, %{count + 1}, {c}"
            count += 2


def _memref(type_: str, matrix: Matrix, space: str = "") -> str:
    shape = f"{matrix.rows}x{matrix.columns}"
    return f"memref<{type_}x{shape}, strided<1,{matrix.rows}>{space}>"


def volume_by_star(name: str, sizes: tuple[int, int, int], quantities: int) -> Chain:
    """Return Q += K (I S): first the small product.

    Args:
        name: name of the chain.
        sizes: rows of Q, columns of K and rows of I.
        quantities: columns of Q and I.
    """
    rows, inner, middle = sizes
    matrices = {
        "I": Matrix(middle, quantities, "in"),
        "S": Matrix(quantities, quantities, "in"),
        "K": Matrix(rows, inner, "constant"),
        "Q": Matrix(rows, quantities, "inout"),
        "T": Matrix(middle, quantities, "temporary"),
    }
    products = (
        Product("T", "I", "S", (middle, quantities, quantities)),
        Product("Q", "K", "T", (rows, quantities, inner), adds=True),
    )
    return Chain(name, matrices, products)


def volume(
    name: str, sizes: tuple[int, int], inner: tuple[int, ...], quantities: int, role: str = "inout"
) -> Chain:
    """Return Q += (K I) S for each of several K, which multiply the last rows of I.

    Args:
        name: name of the chain.
        sizes: rows of Q and rows of I.
        inner: columns of each K.
        quantities: columns of Q and I.
        role: role of Q; "out" if the first product replaces it.
    """
    rows, cell_rows = sizes
    matrices = {"I": Matrix(cell_rows, quantities, "in")}
    products: list[Product] = []
    for i, columns in enumerate(inner):
        matrices[f"K{i}"] = Matrix(rows, columns, "constant")
        matrices[f"S{i}"] = Matrix(quantities, quantities, "in")
        matrices[f"T{i}"] = Matrix(rows, quantities, "temporary")
        to_temporary = (rows, quantities, columns)
        to_cell = (rows, quantities, quantities)
        products += (
            Product(f"T{i}", f"K{i}", "I", to_temporary, first=cell_rows - columns),
            Product("Q", f"T{i}", f"S{i}", to_cell, adds=role == "inout" or i > 0),
        )
    return Chain(name, matrices | {"Q": Matrix(rows, quantities, role)}, tuple(products))


def local_flux(name: str, sizes: tuple[int, int, int], quantities: int, faces: int) -> Chain:
    """Return Q += L (R I A) for several faces.

    Args:
        name: name of the chain.
        sizes: rows of Q and I, columns of L, and rows of R, which are padded.
        quantities: columns of Q and I.
        faces: number of faces.
    """
    rows, face_rows, padded = sizes
    matrices = {"I": Matrix(rows, quantities, "in"), "Q": Matrix(rows, quantities, "inout")}
    products: list[Product] = []
    for i in range(faces):
        matrices[f"R{i}"] = Matrix(padded, rows, "constant")
        matrices[f"A{i}"] = Matrix(quantities, quantities, "in")
        matrices[f"L{i}"] = Matrix(rows, face_rows, "constant")
        matrices[f"T{i}"] = matrices[f"U{i}"] = Matrix(padded, quantities, "temporary")
        products += (
            Product(f"T{i}", f"R{i}", "I", (padded, quantities, rows)),
            Product(f"U{i}", f"T{i}", f"A{i}", (padded, quantities, quantities)),
            Product("Q", f"L{i}", f"U{i}", (rows, quantities, face_rows), adds=True),
        )
    return Chain(name, matrices, tuple(products))


def neighbour_flux(name: str, sizes: tuple[int, int, int], quantities: int) -> Chain:
    """Return Q += L (F (R I) A).

    Args:
        name: name of the chain.
        sizes: rows of Q and I, columns of F and L, and rows of F and R, which are padded.
        quantities: columns of Q and I.
    """
    rows, face_rows, padded = sizes
    matrices = {
        "R": Matrix(padded, rows, "constant"),
        "I": Matrix(rows, quantities, "in"),
        "F": Matrix(padded, face_rows, "constant"),
        "A": Matrix(quantities, quantities, "in"),
        "L": Matrix(rows, face_rows, "constant"),
        "Q": Matrix(rows, quantities, "inout"),
        **{f"T{i}": Matrix(padded, quantities, "temporary") for i in range(3)},
    }
    products = (
        Product("T0", "R", "I", (padded, quantities, rows)),
        Product("T1", "F", "T0", (padded, quantities, face_rows)),
        Product("T2", "T1", "A", (padded, quantities, quantities)),
        Product("Q", "L", "T2", (rows, quantities, face_rows), adds=True),
    )
    return Chain(name, matrices, products)


def points(name: str, rows: int, inner: int) -> Chain:
    """Return Q := P I^T, where I is one row: values at some points.

    Args:
        name: name of the chain.
        rows: number of points.
        inner: columns of P and I.
    """
    matrices = {
        "P": Matrix(rows, inner, "constant"),
        "I": Matrix(1, inner, "in"),
        "Q": Matrix(rows, 1, "out"),
    }
    return Chain(name, matrices, (Product("Q", "P", "I", (rows, 1, inner), is_b_transposed=True),))


_ELASTIC = 9  # quantities: six stresses and three velocities
CHAINS = (
    volume_by_star("order4.star", (28, 20, 20), _ELASTIC),
    neighbour_flux("order4.neighbour", (20, 10, 12), _ELASTIC),
    volume("order4.volume", (20, 25), (25,), _ELASTIC),
    points("order4.points", 4, 20),
    volume("order6.volume", (56, 56), (56,), _ELASTIC),
    neighbour_flux("order6.neighbour", (56, 21, 24), _ELASTIC),
    volume_by_star("order6.star", (56, 49, 56), _ELASTIC),
    volume("order6.derivative", (40, 56), (53, 54, 55), _ELASTIC, "out"),
    local_flux("order6.local3", (56, 21, 24), _ELASTIC, 3),
    local_flux("order6.local4", (56, 21, 24), _ELASTIC, 4),
    points("order6.points", 8, 56),
)
"""Chains that occur in SeisSol, with polynomials of degree 3 and 5."""


def application() -> Iterator[tuple[Chain, str]]:
    """Yield chains of a whole application and their types, each different from the others.

    They have polynomials of degree 1 to 5, and one to three equations.
    """
    for quantities in (_ELASTIC, 10, 13):
        for order in range(2, 7):
            rows = order * (order + 1) * (order + 2) // 6
            face_rows = order * (order + 1) // 2
            padded = -(-face_rows // 4) * 4
            lower = rows - face_rows
            chains = (
                volume_by_star("star", (rows, rows, rows), quantities),
                volume("volume", (rows, rows), (rows,) * 3, quantities),
                volume("derivative", (lower, rows), (rows - 3, rows - 2, rows - 1), quantities),
                neighbour_flux("neighbour", (rows, face_rows, padded), quantities),
                local_flux("local1", (rows, face_rows, padded), quantities, 1),
                local_flux("local3", (rows, face_rows, padded), quantities, 3),
                local_flux("local4", (rows, face_rows, padded), quantities, 4),
                points("points", quantities, rows),
            )
            for chain in chains:
                yield chain, "f32"
                yield chain, "f64"
