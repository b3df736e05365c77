# SPDX-License-Identifier: BSD-3-Clause
"""Programs of descriptions in JSON: chains of products of small matrices, one for each element.

    {"library": "waves", "type": "f64",
     "chains": {"volume": {"matrices": {"K": [56, 35, "constant"], "I": [56, 9, "in"],
                                        "S": [9, 9, "in"], "Q": [56, 9, "inout"],
                                        "T": [56, 9, "temporary"]},
                           "products": ["T = K I[21:56, 0:9]", "Q += T S"]}}}

Constants are the same for all elements; one whose elements are known has them in place of the
role, as a list of rows, and is part of the program. The others, but for temporaries, are groups of
pointers with an offset. `A[0:20, 3:9]` is a part of a matrix, `A.t` its transpose; a product may
begin with a factor, `Q += -0.5 K I`.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Mapping
from typing import Any

from ..errors import ParseError, describe
from ..frontend.source import Reporter, Source, Span, TextError, counted
from ..scalars import names_of
from .placed_json import PlacedText, name_span, read_json

ROLES = ("constant", "in", "out", "inout", "temporary")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_OPERAND = r"[A-Za-z]\w*(?:\s*\[[^\]]*\])?(?:\.t)?"
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_PRODUCT = re.compile(
    rf"\s*({_OPERAND})\s*(\+?=)\s*(?:({_NUMBER})\s+)?({_OPERAND})\s+({_OPERAND})\s*"
)
_PART = re.compile(r"(\w+)(?:\s*\[\s*(\d+)\s*:\s*(\d+)\s*,\s*(\d+)\s*:\s*(\d+)\s*\])?(\.t)?")


@dataclasses.dataclass(frozen=True)
class Matrix:
    """A matrix of a chain.

    Args:
        name: its name.
        rows: number of rows.
        columns: number of columns.
        role: one of `ROLES`, or "embedded" for a constant that is part of the program.
        elements: the rows of an embedded one, none of others.
    """

    name: str
    rows: int
    columns: int
    role: str
    elements: tuple[tuple[float, ...], ...] = ()

    @property
    def is_passed(self) -> bool:
        """Whether a caller passes it."""
        return self.role not in ("temporary", "embedded")


@dataclasses.dataclass(frozen=True)
class Part:
    """Rows and columns of a matrix, from the first to before the last, perhaps transposed."""

    matrix: Matrix
    rows: tuple[int, int]
    columns: tuple[int, int]
    is_transposed: bool

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns as a factor of a product."""
        found = (self.rows[1] - self.rows[0], self.columns[1] - self.columns[0])
        return found[::-1] if self.is_transposed else found


@dataclasses.dataclass(frozen=True)
class Product:
    """c = factor a b, or c += factor a b."""

    c: Part
    a: Part
    b: Part
    factor: float
    adds: bool


@dataclasses.dataclass(frozen=True)
class Chain:
    """Products one after the other."""

    name: str
    matrices: Mapping[str, Matrix]
    products: tuple[Product, ...]

    @property
    def parameters(self) -> list[Matrix]:
        """The matrices that a caller passes."""
        return [each for each in self.matrices.values() if each.is_passed]


@dataclasses.dataclass(frozen=True)
class Chains:
    """What a file describes.

    Args:
        library: name of the library.
        type_: type of all elements.
        chains: its chains.
    """

    library: str
    type_: str
    chains: tuple[Chain, ...]

    def text(self) -> str:
        """Return the program in the language, with a kernel for each chain."""
        return "\n".join(_kernel(chain, self.type_) for chain in self.chains)


def read_chains(text: str, filename: str) -> Chains:
    """Return what a description in JSON means.

    Args:
        text: the description.
        filename: name of its file.

    Raises:
        ParseError: it is no such description; the diagnostics have the places.
    """
    source = Source(text, filename)
    reporter = Reporter(source)
    try:
        return _chains(read_json(source), source)
    except TextError as error:
        reporter.add(error)
        raise ParseError(reporter.diagnostics()) from None


def _chains(value: Any, source: Source) -> Chains:  # noqa: ANN401 (of any kind)
    _expect_object(value, "the description", Span(0, 1))
    for key, kind in (("library", str), ("type", str), ("chains", dict)):
        if not isinstance(value.get(key), kind):
            what = "an object" if kind is dict else "a text"
            raise TextError(f'expected "{key}" with {what}', name_span(source, key))
    type_ = value["type"]
    if type_ not in names_of("floating"):
        names = ", ".join(names_of("floating"))
        raise TextError(f"expected one of {names} as type, got {describe(str(type_))}", type_.span)
    chains = tuple(_chain(name, each, source) for name, each in value["chains"].items())
    if not chains:
        raise TextError('expected a chain in "chains", got none', name_span(source, "chains"))
    return Chains(str(value["library"]), str(type_), chains)


def _expect_object(value: object, what: str, span: Span) -> None:
    if not isinstance(value, dict):
        raise TextError(f"expected an object as {what}, got {describe(value)}", span)


def _chain(name: str, value: Any, source: Source) -> Chain:  # noqa: ANN401 (of any kind)
    span = name_span(source, name)
    _expect_object(value, f"chain {name}", span)
    if not _NAME.fullmatch(name):
        raise TextError(f"expected a name of letters, digits and '_', got {name!r}", span)
    matrices, products = value.get("matrices"), value.get("products")
    if not isinstance(matrices, dict) or not isinstance(products, list) or not products:
        raise TextError(f'expected "matrices" and "products" in chain {name}', span)
    known = {key: _matrix(key, each, source) for key, each in matrices.items()}
    readable = {key for key, each in known.items() if each.role not in ("out", "temporary")}
    found = []
    for each in products:
        if not isinstance(each, PlacedText):
            raise TextError(f"expected texts as products of {name}, got {describe(each)}", span)
        found.append(_product(each, known, readable))
        readable.add(found[-1].c.matrix.name)
    return Chain(name, known, tuple(found))


def _matrix(name: str, value: object, source: Source) -> Matrix:
    span = name_span(source, name)
    if not _NAME.fullmatch(name):
        raise TextError(f"expected a name of letters, digits and '_', got {name!r}", span)
    if not isinstance(value, list) or len(value) != 3:
        words = f"expected [rows, columns, role] as matrix {name}, got {describe(value)}"
        raise TextError(words, span)
    *sizes, role = value
    for size in sizes:
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            words = f"expected sizes of at least 1 of matrix {name}, got {describe(size)}"
            raise TextError(words, span)
    rows, columns = sizes
    if isinstance(role, list):
        return Matrix(name, rows, columns, "embedded", _elements(role, name, (rows, columns), span))
    if role not in ROLES:
        words = f"expected {', '.join(ROLES[:-1])} or {ROLES[-1]} as role of {name}"
        place = role.span if isinstance(role, PlacedText) else span
        raise TextError(f"{words}, got {describe(role)}", place)
    return Matrix(name, rows, columns, str(role))


def _elements(
    value: list[Any], name: str, shape: tuple[int, int], span: Span
) -> tuple[tuple[float, ...], ...]:
    """Return the rows of a constant whose elements are known."""
    rows, columns = shape
    sizes = f"{counted(rows, 'row')} of {counted(columns, 'number')}"
    expected = f"expected {sizes} as elements of {name}"
    if len(value) != rows:
        raise TextError(f"{expected}, got {counted(len(value), 'row')}", span)
    for number, row in enumerate(value):
        if not isinstance(row, list) or len(row) != columns:
            is_list = isinstance(row, list)
            given = counted(len(row), "number") if is_list else describe(row)
            raise TextError(f"{expected}, got {given} in row {number}", span)
        for each in row:
            is_number = isinstance(each, (int, float)) and not isinstance(each, bool)
            if not is_number or not abs(each) <= sys.float_info.max:
                raise TextError(f"{expected}, got {each!r:.40} in row {number}", span)
    return tuple(tuple(map(float, row)) for row in value)


def _product(text: PlacedText, matrices: Mapping[str, Matrix], readable: set[str]) -> Product:
    match = _PRODUCT.fullmatch(text)
    if match is None:
        raise TextError(
            f"expected a product such as 'C += 2.0 A[0:9, 0:9] B.t', got {str(text)!r}", text.span
        )
    start = text.span.start
    parts = {}
    for letter, group in (("c", 1), ("a", 4), ("b", 5)):
        span = Span(start + match.start(group), start + match.end(group))
        parts[letter] = _part(match[group], span, matrices)
        name, adds = parts[letter].matrix.name, match[2] == "+="
        if name not in readable and (letter != "c" or adds):
            raise TextError(f"expected values in {name} before they are read, got none", span)
    c, a, b = parts["c"], parts["a"], parts["b"]
    if c.is_transposed or c.matrix.role in ("constant", "embedded", "in"):
        role = "constant" if c.matrix.elements else c.matrix.role
        words = "a transpose" if c.is_transposed else f"{c.matrix.name} of role {role}"
        raise TextError(f"expected a result that can be written, got {words}", text.span)
    (m, k), (k_of_b, n) = a.shape, b.shape
    if k != k_of_b or (m, n) != c.shape:
        shapes = " and ".join("x".join(map(str, each.shape)) for each in (a, b))
        words = f"expected factors of {c.shape[0]}xK and Kx{c.shape[1]}, got {shapes}"
        raise TextError(words, text.span)
    return Product(c, a, b, float(match[3] or 1), match[2] == "+=")


def _part(text: str, span: Span, matrices: Mapping[str, Matrix]) -> Part:
    match = _PART.fullmatch(text)
    if match is None:
        raise TextError(f"expected a part such as A[0:9, 0:9], got {text!r}", span)
    matrix = matrices.get(match[1])
    if matrix is None:
        raise TextError(f"expected one of {', '.join(matrices)}, got {match[1]!r}", span)
    bounds = [0, matrix.rows, 0, matrix.columns]
    if match[2] is not None:
        bounds = [int(each) for each in match.groups()[1:5]]
    first, last, left, right = bounds
    if not (first < last <= matrix.rows and left < right <= matrix.columns):
        words = f"expected a part of {matrix.rows}x{matrix.columns} elements"
        raise TextError(f"{words}, got rows {first} to {last}, columns {left} to {right}", span)
    return Part(matrix, (first, last), (left, right), bool(match[6]))


class _Body:
    """Writes the instructions of a kernel; its values are numbers, which no matrix is called."""

    def __init__(self, chain: Chain, type_: str) -> None:
        self._type = type_
        self._count = 0
        self.lines: list[str] = []
        element = self._value("group_id : index")
        self._values = {}
        for matrix in chain.matrices.values():
            memref = f"memref<{type_}x{matrix.rows}x{matrix.columns}"
            value = f"%{matrix.name}"
            if matrix.role == "temporary":
                value = self._value(f"alloca : {memref},local>")
            elif matrix.role == "embedded":
                rows = ", ".join(f"[{', '.join(map(repr, row))}]" for row in matrix.elements)
                value = self._value(f"constant dense<[{rows}]> : {memref}>")
            elif matrix.role != "constant":
                value = self._value(f"load {value}[{element}] : {memref}>")
            self._values[matrix.name] = value
        for product in chain.products:
            self._add(product)

    def _value(self, instruction: str) -> str:
        self._count += 1
        self.lines.append(f"%{self._count} = {instruction}")
        return f"%{self._count}"

    def _add(self, product: Product) -> None:
        alpha, beta = (
            self._value(f"constant {number!r} : {self._type}")
            for number in (product.factor, float(product.adds))
        )
        a, b, c = (self._view(part) for part in (product.a, product.b, product.c))
        form = ".".join("t" if part.is_transposed else "n" for part in (product.a, product.b))
        self.lines.append(f"gemm.{form} {alpha}, {a}, {b}, {beta}, {c}")

    def _view(self, part: Part) -> str:
        space = ",local" if part.matrix.role == "temporary" else ""
        (first, last), (left, right) = part.rows, part.columns
        rows, columns = last - first, right - left
        memref = f"memref<{self._type}x{rows}x{columns},strided<1,{part.matrix.rows}>{space}>"
        value = self._values[part.matrix.name]
        return self._value(f"subview {value}[{first}:{rows},{left}:{columns}] : {memref}")


def _kernel(chain: Chain, type_: str) -> str:
    parameters = []
    for matrix in chain.parameters:
        memref = f"memref<{type_}x{matrix.rows}x{matrix.columns}>"
        is_constant = matrix.role == "constant"
        group = memref if is_constant else f"group<{memref}x?, offset: ?>"
        parameters.append(f"%{matrix.name}: {group}")
    body = "\n  ".join(_Body(chain, type_).lines)
    return f"func @{chain.name}({', '.join(parameters)}) {{\n  {body}\n}}\n"
