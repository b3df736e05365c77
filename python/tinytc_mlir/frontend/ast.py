# SPDX-License-Identifier: BSD-3-Clause
"""Syntax tree of a program: what was written, before names and types are resolved.

Compile-time variables stay in the tree as references; the emitter replaces them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from tinytc_mlir.frontend import instructions
from tinytc_mlir.frontend.source import Span


@dataclasses.dataclass(slots=True)
class Node:
    """Part of a program with its place in the text."""

    span: Span


@dataclasses.dataclass(slots=True)
class Identifier(Node):
    """Local or global identifier, without its prefix."""

    name: str


@dataclasses.dataclass(slots=True)
class Known(Identifier):
    """Identifier with what it stands for, of front-ends that make ops while they read.

    Args:
        value: value and type, as the emitter has them.
    """

    value: Any


@dataclasses.dataclass(slots=True)
class Variable(Node):
    """Use of a compile-time variable, without the dollar sign."""

    name: str


# Constants ------------------------------------------------------------------------------


@dataclasses.dataclass(slots=True)
class Boolean(Node):
    """`true` or `false`."""

    value: bool


@dataclasses.dataclass(slots=True)
class Integer(Node):
    """Integer constant."""

    value: int


@dataclasses.dataclass(slots=True)
class Floating(Node):
    """Floating constant, as written."""

    text: str


@dataclasses.dataclass(slots=True)
class Complex(Node):
    """Real and imaginary part."""

    parts: tuple[Floating | Variable, Floating | Variable]


@dataclasses.dataclass(slots=True)
class Number(Node):
    """Number of another language than the text, where the type decides how it is written."""

    value: complex

    def constant(self, kind: str) -> Boolean | Integer | Floating | Complex:
        """Return the constant for a type of a kind; one that does not fit is of another kind."""
        value = self.value
        if isinstance(value, bool):
            return Boolean(self.span, value)
        if kind == "complex" or isinstance(value, complex):
            parts = [
                Floating(self.span, repr(p)) for p in (complex(value).real, complex(value).imag)
            ]
            return Complex(self.span, (parts[0], parts[1]))
        if kind == "floating" or isinstance(value, float):
            return Floating(self.span, repr(float(value)))
        return Integer(self.span, value)


@dataclasses.dataclass(slots=True)
class String(Node):
    """String, without its quotes."""

    value: str


@dataclasses.dataclass(slots=True)
class Elements(Node):
    """Elements of a constant memref along one mode."""

    items: list[Elements | Constant]


@dataclasses.dataclass(slots=True)
class Dense(Node):
    """Value of a constant memref: its elements, or one that all of them are equal to.

    From another language, it is an array of NumPy.
    """

    value: Elements | Constant | object


Constant: TypeAlias = Boolean | Integer | Floating | Complex | Variable | Number
CONSTANTS = (Boolean, Integer, Floating, Complex, Variable, Number)
Operand: TypeAlias = "Identifier | Constant | String | Choice | Dense"


# Attributes -----------------------------------------------------------------------------


@dataclasses.dataclass(slots=True)
class Array(Node):
    """Array attribute; see `Dictionary` for its size."""

    items: list[Attribute]
    parts: int = 1
    depth: int = 1


@dataclasses.dataclass(slots=True)
class Entry(Node):
    """Named attribute of a dictionary; the span is that of the name."""

    name: str
    quoted: bool
    value: Attribute


@dataclasses.dataclass(slots=True)
class Dictionary(Node):
    """Dictionary attribute.

    The preprocessor counts its parts, itself included, and how deep they are nested.
    """

    entries: list[Entry]
    parts: int = 1
    depth: int = 1


Attribute: TypeAlias = Boolean | Integer | String | Array | Dictionary | Variable


# Types ----------------------------------------------------------------------------------


@dataclasses.dataclass(slots=True)
class SimpleType(Node):
    """`void`, `bool` or a scalar type."""

    name: str


@dataclasses.dataclass(slots=True)
class Dynamic(Node):
    """`?` in place of a size."""


Size: TypeAlias = Integer | Dynamic | Variable


@dataclasses.dataclass(slots=True)
class MemrefType(Node):
    """Memref type; no strides means the packed layout, no space the default one."""

    element: Type
    shape: list[Size]
    stride: list[Size] | None
    space: str | None


@dataclasses.dataclass(slots=True)
class GroupType(Node):
    """Group type."""

    memref: Type
    size: Size
    offset: Size | None


@dataclasses.dataclass(slots=True)
class CoopMatrixType(Node):
    """Cooperative matrix type."""

    component: Type
    rows: Size
    columns: Size
    use: str


Type: TypeAlias = SimpleType | MemrefType | GroupType | CoopMatrixType | Variable


# Instructions ---------------------------------------------------------------------------


@dataclasses.dataclass(slots=True)
class Instruction(Node):
    """Instruction; the span runs from its name to its end or to its first region.

    The fields hold what the table of instructions says that the instruction has.
    """

    spec: instructions.Instruction
    results: list[Identifier]
    modifiers: list[str | None] = dataclasses.field(default_factory=list)
    operands: list[Operand] = dataclasses.field(default_factory=list)
    indices: list[Operand] = dataclasses.field(default_factory=list)
    attributes: Dictionary | Variable | None = None
    type: Type | None = None

    def regions(self) -> list[Region]:
        """Return the regions in source order."""
        return []

    def all_operands(self) -> list[Operand]:
        """Return every place outside the regions where an identifier may be used."""
        return [*self.operands, *self.indices]


@dataclasses.dataclass(slots=True)
class Operation(Node):
    """Part of an expression: an instruction.

    The place is that of its operator or of its name, for a choice that of `?` and then of `:`.
    """

    spec: instructions.Instruction
    operands: list[Expression]
    place: Span
    second_place: Span | None = None

    def parts(self) -> list[Operation]:
        """Return all operations in it, itself included, operands first."""
        inner = [part.parts() for part in self.operands if isinstance(part, Operation)]
        return [*(part for parts in inner for part in parts), self]

    def leaves(self) -> list[Operand]:
        """Return the identifiers and constants in source order."""
        parts = [part.leaves() if isinstance(part, Operation) else [part] for part in self.operands]
        return [leaf for leaves in parts for leaf in leaves]


@dataclasses.dataclass(slots=True)
class Choice(Operation):
    """Numbers of another language, combined and chosen, whose type follows from other operands."""


Expression: TypeAlias = "Operation | Operand"


@dataclasses.dataclass(slots=True)
class Assignment(Instruction):
    """Name for the value of an expression."""

    value: Operation | None = None

    def all_operands(self) -> list[Operand]:
        """Return the identifiers and constants of the expression."""
        return self.value.leaves() if self.value else []


@dataclasses.dataclass(slots=True)
class Slice(Node):
    """Offset and size of one mode in a subview; the whole mode if both are missing.

    A dynamic size is the rest of the mode.
    """

    offset: Operand | None
    size: Operand | Dynamic | None


@dataclasses.dataclass(slots=True)
class Subview(Instruction):
    """`subview` with one slice for each mode."""

    slices: list[Slice] = dataclasses.field(default_factory=list)

    def all_operands(self) -> list[Operand]:
        """Return the source, the offsets and the sizes."""
        parts = [part for s in self.slices for part in (s.offset, s.size)]
        return [*self.operands, *(p for p in parts if p and not isinstance(p, Dynamic))]


@dataclasses.dataclass(slots=True)
class Expand(Instruction):
    """`expand`; the indices are the mode and then the expand shape."""


@dataclasses.dataclass(slots=True)
class Region(Node):
    """Statements between braces; the span includes both braces."""

    statements: list[Statement]


@dataclasses.dataclass(slots=True)
class OpenRegion(Region):
    """Region of front-ends that make ops while they read: a call makes its instructions."""

    fill: Callable[[], None]


@dataclasses.dataclass(slots=True)
class WithBody(Instruction):
    """An instruction with one region."""

    body: Region | None = None

    def regions(self) -> list[Region]:
        """Return the body."""
        return [self.body] if self.body else []


@dataclasses.dataclass(slots=True)
class For(WithBody):
    """`for`; the operands are from, to and perhaps step, the type is the loop variable's."""

    variable: Identifier | None = None
    carried: list[Identifier] = dataclasses.field(default_factory=list)
    inits: list[Operand] = dataclasses.field(default_factory=list)
    return_types: list[Type] = dataclasses.field(default_factory=list)

    def all_operands(self) -> list[Operand]:
        """Return the bounds and the initial values."""
        return [*self.operands, *self.inits]


@dataclasses.dataclass(slots=True)
class Foreach(WithBody):
    """`foreach`; the operands are the from list, the indices the to list."""

    variables: list[Identifier] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True)
class ForeachTile(Foreach):
    """`foreach_tile`; the variables hold where a tile starts."""

    extents: list[Identifier] = dataclasses.field(default_factory=list)
    sizes: list[Integer | Variable] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True)
class If(Instruction):
    """`if`; the operand is the condition."""

    return_types: list[Type] = dataclasses.field(default_factory=list)
    then_region: Region | None = None
    else_region: Region | None = None

    def regions(self) -> list[Region]:
        """Return the "then" part and the "else" part if there is one."""
        return [region for region in (self.then_region, self.else_region) if region]


@dataclasses.dataclass(slots=True)
class OpenIf(If):
    """`if` whose regions are read before anyone knows the types of its results.

    Args:
        ends: returns, when they have been, what each region yields, and the types of the results.
    """

    ends: Callable[[], tuple[Sequence[Sequence[Operand]], Sequence[Any]]] | None = None


@dataclasses.dataclass(slots=True)
class Parallel(WithBody):
    """`parallel`."""


@dataclasses.dataclass(slots=True)
class Apply(WithBody):
    """`cooperative_matrix_apply`; the variables are row, column and a component of each matrix."""

    variables: list[Identifier] = dataclasses.field(default_factory=list)


# Definitions, functions, programs -------------------------------------------------------


@dataclasses.dataclass(slots=True)
class Calculation(Node):
    """`!calc` with its operands and operators, in reverse Polish notation."""

    items: list[Integer | Variable | Operator]


@dataclasses.dataclass(slots=True)
class Operator(Node):
    """Operator of the calculator."""

    symbol: str


DefinitionValue: TypeAlias = Constant | Attribute | Type | Calculation


@dataclasses.dataclass(slots=True)
class Definition(Node):
    """Definition of a compile-time variable; the span is that of the name."""

    name: str
    value: DefinitionValue


Statement: TypeAlias = Instruction | Definition


@dataclasses.dataclass(slots=True)
class Parameter(Node):
    """Parameter of a function; the span is that of the name."""

    name: str
    type: Type
    attributes: Dictionary | Variable | None


@dataclasses.dataclass(slots=True)
class Function(Node):
    """Function definition; the span is that of the name."""

    name: str
    parameters: list[Parameter]
    attributes: Dictionary | Variable | None
    body: Region


@dataclasses.dataclass(slots=True)
class Program(Node):
    """Whole text, with the place of the first definition of each compile-time variable."""

    items: list[Function | Definition]
    definitions: dict[str, Span]
