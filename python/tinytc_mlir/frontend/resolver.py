# SPDX-License-Identifier: BSD-3-Clause
"""Types, constants and attributes of the text as MLIR objects, each made only once."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection
from typing import TypeAlias

from mlir import ir

from tinytc_mlir._tinytc import enum_attribute
from tinytc_mlir.dialects.tinytc import CoopMatrixType, GroupType, MemrefType
from tinytc_mlir.frontend import ast, spelling
from tinytc_mlir.frontend.instructions import SCALAR
from tinytc_mlir.frontend.preprocessor import Preprocessor, describe
from tinytc_mlir.frontend.source import Note, Span, TextError, alternatives, counted
from tinytc_mlir.scalars import SCALAR_TYPES, ScalarType

Literal: TypeAlias = bool | int | float | tuple[float, float]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Type:
    """Type of a value; equal types are the same object.

    Args:
        kind: void, bool, integer, floating, complex, memref, group or coopmatrix.
        text: canonical spelling.
        mlir: type of the dialect; that of `void` is never used.
        element: element, component or memref type; the type itself for scalars.
        shape: sizes of a memref's modes.
    """

    kind: str
    text: str
    mlir: ir.Type
    element: Type | None = None
    shape: tuple[int | None, ...] = ()

    @property
    def scalar(self) -> Type:
        """Scalar type of elements or components, the type itself if it has none."""
        return self.element or self


class Resolver:
    """Makes types and attributes for one context.

    Args:
        context: where they live.
        preprocessor: replaces compile-time variables.
    """

    def __init__(self, context: ir.Context, preprocessor: Preprocessor) -> None:
        self._context = context
        self._preprocessor = preprocessor
        self._types: dict[object, Type] = {}
        self._attributes: dict[object, ir.Attribute] = {}
        self.index = self._simple("index")
        self.i32 = self._simple("i32")
        self.bool = self._simple("bool")

    def type(self, node: ast.Type, space: str = "global") -> Type:
        """Return the type that a node stands for.

        Args:
            node: type or compile-time variable.
            space: address space of a memref type that names none.
        """
        if isinstance(node, ast.SimpleType):
            return self._simple(node.name)
        if isinstance(node, ast.MemrefType):
            return self._memref(node, space)
        if isinstance(node, ast.GroupType):
            return self._group(node)
        if isinstance(node, ast.CoopMatrixType):
            return self._coopmatrix(node)
        value = self._preprocessor.lookup(node)
        if not isinstance(value, _TYPES):
            raise TextError(f"expected a type, got {describe(value)}", node.span)
        return self.type(value, space)

    def of_mlir(self, mlir: ir.Type) -> Type:
        """Return the type of a value that the dialect has inferred."""
        text = spelling.type_text(mlir)
        found = self._types.get(text)
        if found is None and isinstance(mlir, MemrefType):
            element, shape = self.of_mlir(mlir.element_type), tuple(mlir.shape)
            found = self._types[text] = Type("memref", text, mlir, element, shape)
        elif found is None and isinstance(mlir, CoopMatrixType):
            component = self.of_mlir(mlir.element_type)
            found = self._types[text] = Type("coopmatrix", text, mlir, component)
        return found or self._simple(text)

    def checked_type(self, node: ast.Type, allowed: Collection[str], space: str = "global") -> Type:
        """Return the type of a node, which must be of an allowed kind or name."""
        resolved = self.type(node, space)
        if resolved.kind not in allowed and resolved.text not in allowed:
            raise TextError(f"expected {type_list(allowed)}, got {resolved.text}", node.span)
        return resolved

    def attribute(self, key: object, make: Callable[[], ir.Attribute]) -> ir.Attribute:
        """Return the attribute that is stored under a key."""
        found = self._attributes.get(key)
        if found is None:
            found = self._attributes[key] = make()
        return found

    def enum(self, mnemonic: str, word: str) -> ir.Attribute:
        """Return an enum attribute of the dialect."""
        return self.attribute(
            (mnemonic, word), lambda: enum_attribute(self._context, mnemonic, word)
        )

    def integer(self, bits: int, value: int) -> ir.Attribute:
        """Return an integer attribute."""
        make = ir.IntegerType.get_signless
        return self.attribute(
            (bits, value), lambda: ir.IntegerAttr.get(make(bits, self._context), value)
        )

    def constant(self, node: ast.Constant, type_: Type) -> ir.Attribute:
        """Return the value of a constant as an attribute of a scalar type or of bool."""
        literal = self.literal(node, type_)
        key = (type_, repr(literal))
        return self.attribute(key, lambda: self._constant_attribute(literal, type_))

    def literal(self, node: ast.Constant, type_: Type) -> Literal:
        """Return the value of a constant, checked to be one that the type can hold."""
        if isinstance(node, ast.Number):
            node = node.constant(type_.kind)
        if isinstance(node, ast.Variable):
            value = self._preprocessor.lookup(node)
            if not isinstance(value, _CONSTANTS):
                raise TextError(f"expected a constant, got {describe(value)}", node.span)
            return self.literal(value, type_)
        if type_.kind == "bool" and isinstance(node, ast.Boolean):
            return node.value
        if type_.kind == "integer" and isinstance(node, ast.Integer):
            return _integer(node, type_)
        if type_.kind == "floating" and isinstance(node, ast.Floating):
            return _floating(node, SCALAR_TYPES[type_.text])
        if type_.kind == "complex" and isinstance(node, ast.Complex):
            real, imaginary = (self._part(part, type_) for part in node.parts)
            return (real, imaginary)
        raise TextError(
            f"expected {_CONSTANT_KINDS[type_.kind]} for type {type_.text}, got {describe(node)}",
            node.span,
            *_constant_hints(node, type_),
        )

    def _part(self, node: ast.Floating | ast.Variable, type_: Type) -> float:
        value = self._preprocessor.lookup(node) if isinstance(node, ast.Variable) else node
        if not isinstance(value, ast.Floating):
            raise TextError(f"expected a floating constant, got {describe(value)}", node.span)
        return _floating(value, SCALAR_TYPES[type_.text].real)

    def _constant_attribute(self, literal: Literal, type_: Type) -> ir.Attribute:
        if isinstance(literal, bool):
            return ir.BoolAttr.get(literal, self._context)
        if isinstance(literal, int):
            return ir.IntegerAttr.get(type_.mlir, literal)
        location = ir.Location.unknown(self._context)
        if isinstance(literal, float):
            return ir.FloatAttr.get(type_.mlir, literal, location)
        part = self._simple(SCALAR_TYPES[type_.text].real.name).mlir
        parts = [ir.FloatAttr.get(part, value, location) for value in literal]
        return ir.ArrayAttr.get(list(parts), self._context)

    def _simple(self, name: str) -> Type:
        found = self._types.get(name)
        if found is None:
            kind = SCALAR_TYPES[name].kind if name in SCALAR_TYPES else name
            with self._context:
                found = Type(kind, name, _mlir_type(name))
            self._types[name] = found
        return found

    def _scalar(self, node: ast.Type) -> Type:
        return self.checked_type(node, SCALAR)

    def _memref(self, node: ast.MemrefType, default_space: str) -> Type:
        element = self._scalar(node.element)
        size = self._preprocessor.size
        shape = tuple([size(s) for s in node.shape])
        stride = None if node.stride is None else tuple([size(s) for s in node.stride])
        space = node.space or default_space
        if stride is not None and len(stride) != len(shape):
            raise TextError(
                f"expected one stride for each mode, got {counted(len(stride), 'stride')} "
                f"for {counted(len(shape), 'mode')}",
                node.span,
            )
        key = (element, shape, stride, space)
        found = self._types.get(key)
        if found is None:
            mlir = self._make(node.span, MemrefType.get, shape, element.mlir, stride, space)
            text = spelling.memref_text(element.text, shape, stride, space)
            found = self._types.setdefault(text, Type("memref", text, mlir, element, shape))
            self._types[key] = found
        return found

    def _group(self, node: ast.GroupType) -> Type:
        memref = self.checked_type(node.memref, ("memref",))
        size = self._preprocessor.size(node.size)
        offset = 0 if node.offset is None else self._preprocessor.size(node.offset)
        text = spelling.group_text(memref.text, size, offset)
        found = self._types.get(text)
        if found is None:
            mlir = self._make(node.span, GroupType.get, memref.mlir, size, offset)
            found = self._types[text] = Type("group", text, mlir, memref)
        return found

    def _coopmatrix(self, node: ast.CoopMatrixType) -> Type:
        component = self._scalar(node.component)
        sizes = (self._preprocessor.size(node.rows), self._preprocessor.size(node.columns))
        rows, columns = (size or 0 for size in sizes)
        text = spelling.coopmatrix_text(component.text, rows, columns, node.use)
        found = self._types.get(text)
        if found is None:
            get = CoopMatrixType.get
            mlir = self._make(node.span, get, rows, columns, component.mlir, node.use)
            found = self._types[text] = Type("coopmatrix", text, mlir, component)
        return found

    def _make(self, span: Span, get: Callable[..., ir.Type], *args: object) -> ir.Type:
        """Call a constructor of the dialect; if it fails, report an error at the type."""
        try:
            return get(*args)
        except ValueError as error:
            message = spelling.rewrite_types(str(error).strip())
            raise TextError(message, span) from None


def type_list(kinds: Collection[str]) -> str:
    """Return how a message names the allowed kinds of types.

    >>> type_list(("integer", "memref"))
    'an integer or memref type'
    """
    words = ["scalar" if kind == "integer" and "complex" in kinds else kind for kind in kinds]
    if "scalar" in words:
        words = [word for word in words if word not in ("floating", "complex")]
    listed = alternatives(words)
    article = "an" if listed[0] in "aeiou" else "a"
    return f"{article} {listed} type"


def _integer(node: ast.Integer, type_: Type) -> int:
    limit = 2 ** (SCALAR_TYPES[type_.text].bits - 1)
    if not -limit <= node.value < limit:
        raise TextError(
            f"expected an integer from {-limit} to {limit - 1} for type {type_.text}, "
            f"got {node.value}",
            node.span,
        )
    return node.value


def _floating(node: ast.Floating, scalar_type: ScalarType) -> float:
    """Return the value of a floating constant as rounded to the type."""
    text = node.text.lower()
    try:
        value = float.fromhex(text) if "0x" in text else float(text)
    except OverflowError:
        value = float("inf")
    rounded = scalar_type.round(value)
    if "inf" in text or "nan" in text or (abs(rounded) != float("inf") and rounded):
        return rounded
    mantissa = text.split("p" if "0x" in text else "e")[0].replace("0x", "")
    if not rounded and not mantissa.strip("+-0."):
        return rounded
    shown = "too large" if rounded else "too small"
    raise TextError(
        f"expected a constant that {scalar_type.name} can hold, got {node.text}, which is {shown}",
        node.span,
    )


def _constant_hints(node: ast.Constant, type_: Type) -> list[Note]:
    if type_.kind == "floating" and isinstance(node, ast.Integer):
        return [Note(f"write '{node.value}.0'")]
    if type_.kind == "complex" and isinstance(node, ast.Floating):
        return [Note(f"write '[{node.text}, 0.0]'")]
    if type_.kind == "bool" and isinstance(node, ast.Integer) and node.value in (0, 1):
        return [Note(f"write '{'true' if node.value else 'false'}'")]
    return []


_TYPES = (ast.SimpleType, ast.MemrefType, ast.GroupType, ast.CoopMatrixType)
_CONSTANTS = (ast.Boolean, ast.Integer, ast.Floating, ast.Complex)
_CONSTANT_KINDS = {
    "bool": "true or false",
    "integer": "an integer constant",
    "floating": "a floating constant",
    "complex": "a complex constant",
}


def _mlir_type(name: str) -> ir.Type:
    """Return a type without parameters; much faster than to parse its name in MLIR."""
    if name == "void":
        return ir.NoneType.get()
    if name == "index":
        return ir.IndexType.get()
    scalar_type = SCALAR_TYPES[name]
    if scalar_type.kind == "complex":
        return ir.ComplexType.get(_mlir_type(scalar_type.real.name))
    if scalar_type.kind == "floating":
        class_ = getattr(ir, f"{name.upper()}Type", None)
        return class_.get() if class_ else ir.Type.parse(scalar_type.mlir)
    return ir.IntegerType.get_signless(1 if name == "bool" else scalar_type.bits)
