# SPDX-License-Identifier: BSD-3-Clause
"""How the language spells types and constants: the reverse of the front-end."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from mlir import ir

from tinytc_mlir.dialects.tinytc import CoopMatrixType, GroupType, MemrefType
from tinytc_mlir.scalars import SCALAR_TYPES
from tinytc_mlir.shapes import packed_stride


def memref_text(
    element: str,
    shape: Sequence[int | None],
    stride: Sequence[int | None] | None = None,
    space: str | None = None,
) -> str:
    """Return a memref type as text, without the layout and the space if they are the defaults.

    >>> memref_text("f32", [4, None], [1, 8], "local")
    'memref<f32x4x?,strided<1,8>,local>'
    """
    text = "x".join([element, *map(size_text, shape)])
    if stride is not None and tuple(stride) != packed_stride(shape):
        text += f",strided<{','.join(map(size_text, stride))}>"
    return f"memref<{text}{',local' if space == 'local' else ''}>"


def group_text(memref: str, size: int | None, offset: int | None) -> str:
    """Return a group type as text.

    >>> group_text("memref<f32>", None, 0)
    'group<memref<f32>x?>'
    """
    suffix = "" if offset == 0 else f", offset: {size_text(offset)}"
    return f"group<{memref}x{size_text(size)}{suffix}>"


def coopmatrix_text(component: str, rows: int, columns: int, use: str) -> str:
    """Return a cooperative matrix type as text."""
    return f"coopmatrix<{component}x{rows}x{columns},{use}>"


def size_text(size: int | None) -> str:
    """Return a size or stride as text."""
    return "?" if size is None else str(size)


def type_text(type_: ir.Type) -> str:
    """Return the language's spelling of an MLIR type; other types keep MLIR's.

    >>> with ir.Context():
    ...     type_text(ir.ComplexType.get(ir.F32Type.get()))
    'c32'
    """
    if isinstance(type_, MemrefType):
        element = type_text(type_.element_type)
        return memref_text(element, type_.shape, type_.stride, type_.address_space)
    if isinstance(type_, GroupType):
        return group_text(type_text(type_.memref_type), type_.size, type_.offset)
    if isinstance(type_, CoopMatrixType):
        component = type_text(type_.element_type)
        return coopmatrix_text(component, type_.rows, type_.columns, type_.use)
    return rewrite_types(str(type_))


def rewrite_message(message: str, names: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a message of MLIR's with instructions and types spelled as in the language.

    Args:
        message: the message.
        names: what to call instructions in place of their canonical names.

    >>> rewrite_message("'tinytc.gemm' op expected no f64, got '!tinytc.memref<4xf64>'")
    'expected no f64, got memref<f64x4>'
    """
    message = OP_PREFIX.sub(lambda m: "" if "expected" in message else f"'tinytc.{m[1]}' ", message)
    return rewrite_types(_OP_NAME.sub(lambda m: f"'{names.get(m[1], m[1])}'", message))


def rewrite_types(message: str) -> str:
    """Return a message with MLIR's spelling of types replaced by the language's.

    >>> rewrite_types("got '!tinytc.memref<4x?xcomplex<f32>, strided<1,8>>'")
    'got memref<c32x4x?,strided<1,8>>'
    """
    for name, mlir in _RENAMED:
        message = message.replace(mlir, name)
    message = _MEMREF.sub(_memref_match, message)
    message = _GROUP.sub(r"group<\1x\2\3>", message)
    message = _COOPMATRIX.sub(r"coopmatrix<\3x\1x\2,\4>", message)
    return _QUOTED.sub(r"\1", _I1.sub("bool", message))


OP_PREFIX = re.compile(r"^'tinytc\.([\w.]+)' op (?:error: )?")
_OP_NAME = re.compile(r"'tinytc\.([\w.]+)'")
_MEMREF = re.compile(r"!tinytc\.memref<((?:[0-9?]+x)*)(\w+)(?:, (strided<[^>]*>))?(?:, (\w+))?>")
_GROUP = re.compile(r"!tinytc\.group<(memref<(?:[^<>]|<[^<>]*>)*>) x ([0-9?]+)(, offset: [^>]*)?>")
_COOPMATRIX = re.compile(r"!tinytc\.coopmatrix<(\d+)x(\d+)x(\w+), (\w+)>")
_QUOTED = re.compile(rf"'((?:memref|group|coopmatrix)<[^']*>|{'|'.join(SCALAR_TYPES)})'")
_RENAMED = [(t.name, t.mlir) for t in SCALAR_TYPES.values() if t.mlir not in (t.name, "i1")]
_I1 = re.compile(r"\bi1\b")


def _memref_match(match: re.Match[str]) -> str:
    shape, element, layout, space = match.groups()
    parts: Iterable[str | None] = ("x".join([element, *shape.split("x")[:-1]]), layout, space)
    return f"memref<{','.join(part for part in parts if part)}>"


def floating_text(value: float, type_name: str) -> str:
    """Return the shortest constant that a floating type rounds to the same value.

    >>> floating_text(SCALAR_TYPES["f32"].round(0.1), "f32"), floating_text(1e30, "f64")
    ('0.1', '1e+30')
    """
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    text = repr(value)
    if type_name != "f64":
        shorter = (repr(float(f"{value:.{digits}g}")) for digits in range(1, 18))
        rounded = SCALAR_TYPES[type_name].round
        text = next(t for t in shorter if rounded(float(t)) == value)
    return text
