# SPDX-License-Identifier: BSD-3-Clause
"""Types and attributes as nodes of the text's syntax tree, and types of values as annotations."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..errors import describe
from ..frontend import ast
from ..frontend.source import Span
from .types import SCALARS, Coopmatrix, Group, Memref, Scalar, Size, Type

if TYPE_CHECKING:
    from ..frontend import resolver


def type_node(type_: Type, span: Span) -> ast.Type:
    """Return a type as the text's parser would."""
    if isinstance(type_, Scalar):
        return ast.SimpleType(span, type_.name)
    if isinstance(type_, Memref):
        shape = [_size(size, span) for size in type_.shape]
        stride = None if type_.stride is None else [_size(size, span) for size in type_.stride]
        return ast.MemrefType(span, type_node(type_.element, span), shape, stride, type_.space)
    if isinstance(type_, Group):
        offset = None if type_.offset == 0 else _size(type_.offset, span)
        return ast.GroupType(span, type_node(type_.memref, span), _size(type_.size, span), offset)
    rows, columns = ast.Integer(span, type_.rows), ast.Integer(span, type_.columns)
    return ast.CoopMatrixType(span, type_node(type_.element, span), rows, columns, type_.use)


def _size(size: Size, span: Span) -> ast.Size:
    return ast.Dynamic(span) if size is None else ast.Integer(span, size)


def type_of_value(found: resolver.Type) -> Type:
    """Return the type of a value of the IR."""
    if found.kind in ("memref", "group"):
        from ..dialects.tinytc import GroupType, MemrefType

        if found.kind == "group":
            assert found.element is not None
            whole = GroupType(found.mlir)
            member = type_of_value(found.element)
            assert isinstance(member, Memref)
            return Group(member, whole.offset, whole.size)
        memref = MemrefType(found.mlir)
        made = Memref(SCALARS[found.scalar.text], found.shape, None, memref.address_space)
        return made if memref.stride is None else made.strided(*memref.stride)
    if found.kind == "coopmatrix":
        from ..dialects.tinytc import CoopMatrixType

        matrix = CoopMatrixType(found.mlir)
        return Coopmatrix(SCALARS[found.scalar.text], matrix.rows, matrix.columns, matrix.use)
    return SCALARS[found.text]


def types_in_python(message: str) -> str:
    """Return a message whose types are written as in kernels.

    >>> types_in_python("expected memref<f32x8x?,local>, got group<memref<bf16>x?>")
    'expected f32[8, None], got group[bf16[()]]'
    """
    for pattern, written in _WRITTEN.items():
        message = re.sub(pattern, lambda m: written(*(g or "" for g in m.groups())), message)  # noqa: B023
    return message


def _memref(element: str, shape: str, strides: str) -> str:
    stride = f".strided({strides.replace(',', ', ')})" if strides else ""
    text = f"{element}[{', '.join(shape.split('x')[1:]) or '()'}]{stride}"
    return text.replace("?", "None")


def _group(memref: str, size: str, offset: str) -> str:
    items = [memref] if (size, offset) == ("?", "") else [memref, offset or "0", size]
    return f"group[{', '.join(items)}]".replace("?", "None")


_WRITTEN: dict[str, Callable[..., str]] = {
    r"memref<(\w+?)((?:x(?:\d+|\?))*)(?:,strided<([^>]*)>)?(?:,local)?>": _memref,
    r"group<([^<>]*[\])])x(\?|\d+)(?:, offset: (\?|\d+))?>": _group,
    r"coopmatrix<(\w+?)x(\d+)x(\d+),(\w+)>": "coopmatrix[{}, {}, {}, {!r}]".format,
    r"\bgot (true|false)\b": lambda value: f"got {value.title()}",
}


def attributes_node(entries: Mapping[str, object], span: Span) -> ast.Dictionary | None:
    """Return a dictionary attribute as the text's parser would, None for an empty one."""
    if not entries:
        return None
    listed = [ast.Entry(span, name, False, _attribute(v, span)) for name, v in entries.items()]
    return ast.Dictionary(span, listed)


def _attribute(value: object, span: Span) -> ast.Attribute:
    if isinstance(value, bool):
        return ast.Boolean(span, value)
    if isinstance(value, int):
        return ast.Integer(span, value)
    if isinstance(value, str):
        return ast.String(span, value)
    if isinstance(value, (tuple, list)):
        return ast.Array(span, [_attribute(item, span) for item in value])
    if isinstance(value, Mapping):
        found = attributes_node(value, span)
        return ast.Dictionary(span, []) if found is None else found
    raise TypeError(f"expected an integer, a text or a list of them, got {describe(value)}")
