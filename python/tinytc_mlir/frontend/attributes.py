# SPDX-License-Identifier: BSD-3-Clause
"""Dictionary attributes of functions, parameters, allocas and loops.

A name in double quotes that the language does not know is kept, with the prefix `user.`.
"""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir

from tinytc_mlir._tinytc import schedule_attribute
from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.preprocessor import Preprocessor, describe
from tinytc_mlir.frontend.resolver import Resolver
from tinytc_mlir.frontend.source import TextError, quote
from tinytc_mlir.frontend.tokens import ATTRIBUTES

USER_PREFIX = "user."
"""Prefix of the name of an attribute that the language does not know."""

PARAMETER_PREFIX = "tinytc."
"""Prefix of the name of a parameter's attribute."""


def named_attributes(
    resolver: Resolver,
    preprocessor: Preprocessor,
    owner: str,
    node: ast.Dictionary | ast.Variable | None,
) -> dict[str, ir.Attribute]:
    """Return the attributes of an op, or of a parameter, from a dictionary of the text.

    Args:
        resolver: makes the attributes.
        preprocessor: replaces compile-time variables.
        owner: func, parameter, alloca or for.
        node: the dictionary, None if there is none.
    """
    if node is None:
        return {}
    dictionary = preprocessor.attribute(node)
    if not isinstance(dictionary, ast.Dictionary):
        raise TextError(f"expected a dictionary, got {describe(dictionary)}", node.span)
    known = ATTRIBUTES[owner]
    attributes: dict[str, ir.Attribute] = {}
    for entry in dictionary.entries:
        if entry.name in known:
            name = PARAMETER_PREFIX + entry.name if owner == "parameter" else entry.name
            attributes[name] = _BY_KIND[known[entry.name]](resolver, entry)
        elif entry.quoted:
            attributes[USER_PREFIX + entry.name] = generic_attribute(entry.value, resolver)
        else:
            names = " or ".join(map(quote, known))
            raise TextError(
                f"expected {names} as attribute of '{owner}', got {quote(entry.name)}",
                entry.span,
            )
    return attributes


def generic_attribute(node: ast.Attribute, resolver: Resolver) -> ir.Attribute:
    """Return an attribute of the text as one of MLIR's."""
    context = resolver.index.mlir.context
    if isinstance(node, ast.Boolean):
        return ir.BoolAttr.get(node.value, context)
    if isinstance(node, ast.Integer):
        return resolver.integer(64, node.value)
    if isinstance(node, ast.String):
        return ir.StringAttr.get(node.value, context)
    assert isinstance(node, (ast.Array, ast.Dictionary))
    # Each use of a variable is a node of its own, but all of them have the same list.
    shared = _Shared(node.items if isinstance(node, ast.Array) else node.entries)
    return resolver.attribute(shared, lambda: _nested_attribute(node, resolver))


def _nested_attribute(node: ast.Array | ast.Dictionary, resolver: Resolver) -> ir.Attribute:
    context = resolver.index.mlir.context
    if isinstance(node, ast.Array):
        items = [generic_attribute(item, resolver) for item in node.items]
        return ir.ArrayAttr.get(items, context)
    entries = {e.name: generic_attribute(e.value, resolver) for e in node.entries}
    return ir.DictAttr.get(entries, context)


class _Shared:
    """A key that is equal for one object only, which it keeps alive."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __hash__(self) -> int:
        return id(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Shared) and other._value is self._value


def _integer(bits: int) -> Callable[[Resolver, ast.Entry], ir.Attribute]:
    def make(resolver: Resolver, entry: ast.Entry) -> ir.Attribute:
        return resolver.integer(bits, _integer_value(entry, entry.value, bits))

    return make


def _boolean_or_integer(resolver: Resolver, entry: ast.Entry) -> ir.Attribute:
    if isinstance(entry.value, ast.Integer):
        return resolver.integer(64, _integer_value(entry, entry.value, 64))
    if isinstance(entry.value, ast.Boolean):
        return ir.BoolAttr.get(entry.value.value, resolver.index.mlir.context)
    raise _wrong_kind("true, false or an integer", entry, entry.value)


def _integers_64(resolver: Resolver, entry: ast.Entry) -> ir.Attribute:
    return ir.DenseI64ArrayAttr.get(_integer_values(entry, 64), resolver.index.mlir.context)


def _two_integers_32(resolver: Resolver, entry: ast.Entry) -> ir.Attribute:
    values = _integer_values(entry, 32)
    if len(values) != 2:
        raise TextError(
            f"expected 2 integers for {quote(entry.name)}, got {len(values)}", entry.value.span
        )
    return ir.DenseI32ArrayAttr.get(values, resolver.index.mlir.context)


def _boxes(resolver: Resolver, entry: ast.Entry) -> ir.Attribute:
    context = resolver.index.mlir.context
    if not isinstance(entry.value, ast.Array):
        raise _wrong_kind("an array of boxes", entry, entry.value)
    boxes: list[ir.Attribute] = []
    for item in entry.value.items:
        if not isinstance(item, ast.Array):
            raise _wrong_kind("boxes such as [0, 8, 4, 12]", entry, item)
        bounds = [_integer_value(entry, each, 64) for each in item.items]
        boxes.append(ir.DenseI64ArrayAttr.get(bounds, context))
    return ir.ArrayAttr.get(boxes, context)


def _integer_values(entry: ast.Entry, bits: int) -> list[int]:
    if not isinstance(entry.value, ast.Array):
        raise _wrong_kind("an array of integers", entry, entry.value)
    return [_integer_value(entry, item, bits) for item in entry.value.items]


def _integer_value(entry: ast.Entry, node: ast.Attribute, bits: int) -> int:
    if not isinstance(node, ast.Integer):
        raise _wrong_kind("an integer", entry, node)
    limit = 2 ** (bits - 1)
    if not -limit < node.value < limit:
        message = f"expected an integer below {limit} for {quote(entry.name)}, got {node.value}"
        raise TextError(message, node.span)
    return node.value


def _schedule(resolver: Resolver, entry: ast.Entry) -> ir.Attribute:
    if not isinstance(entry.value, ast.Dictionary):
        raise _wrong_kind("a dictionary", entry, entry.value)
    names = ATTRIBUTES["schedule"]
    values = dict.fromkeys(names, 0)
    for inner in entry.value.entries:
        if inner.name not in names or inner.quoted:
            listed = ", ".join(map(quote, names))
            message = f"expected an entry of a schedule, {listed}, got {quote(inner.name)}"
            raise TextError(message, inner.span)
        values[inner.name] = _integer_value(inner, inner.value, 64)
    try:
        return schedule_attribute(resolver.index.mlir.context, **values)
    except ValueError as error:
        raise TextError(str(error), entry.value.span) from None


def _wrong_kind(expected: str, entry: ast.Entry, node: ast.Attribute) -> TextError:
    message = f"expected {expected} for {quote(entry.name)}, got {describe(node)}"
    return TextError(message, node.span)


_BY_KIND: dict[str, Callable[[Resolver, ast.Entry], ir.Attribute]] = {
    "bool or i64": _boolean_or_integer,
    "boxes": _boxes,
    "i32": _integer(32),
    "i64": _integer(64),
    "i32 x 2": _two_integers_32,
    "i64 x ?": _integers_64,
    "schedule": _schedule,
}
