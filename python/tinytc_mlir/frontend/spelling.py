"""How the language spells types and constants: the reverse of the front-end."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterable, Sequence

from mlir import ir

from tinytc_mlir.dialects.tinytc import CoopMatrixType, GroupType, MemrefType

_FORMATS = {"f16": "<e", "f32": "<f", "f64": "<d"}
_BF16_LIMIT = (2 - 2**-8) * 2.0**127
_INT64_MAX = 2**63 - 1


def packed_stride(shape: Sequence[int | None]) -> tuple[int | None, ...]:
    """Return the strides of the packed dense layout; None stands for a dynamic number.

    >>> packed_stride([4, None, 8])
    (1, 4, None)
    """
    stride: list[int | None] = []
    following: int | None = 1
    for size in shape:
        stride.append(following)
        following = None if following is None or size is None else following * size
        if following is not None and following > _INT64_MAX:
            following = None
    return tuple(stride)


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


def rewrite_message(message: str) -> str:
    """Return a message of MLIR's with instructions and types spelled as in the language.

    >>> rewrite_message("'tinytc.gemm' op expected no f64, got '!tinytc.memref<4xf64>'")
    'expected no f64, got memref<f64x4>'
    """
    message = OP_PREFIX.sub(lambda m: "" if "expected" in message else f"'{m[1]}' ", message)
    return rewrite_types(_OP_NAME.sub(r"'\1'", message))


def rewrite_types(message: str) -> str:
    """Return a message with MLIR's spelling of types replaced by the language's.

    >>> rewrite_types("got '!tinytc.memref<4x?xcomplex<f32>, strided<1,8>>'")
    'got memref<c32x4x?,strided<1,8>>'
    """
    message = message.replace("complex<f32>", "c32").replace("complex<f64>", "c64")
    message = _MEMREF.sub(_memref_match, message)
    message = _GROUP.sub(r"group<\1x\2\3>", message)
    message = _COOPMATRIX.sub(r"coopmatrix<\3x\1x\2,\4>", message)
    return _QUOTED.sub(r"\1", _I1.sub("bool", message))


OP_PREFIX = re.compile(r"^'tinytc\.([\w.]+)' op (?:error: )?")
_OP_NAME = re.compile(r"'tinytc\.([\w.]+)'")
_MEMREF = re.compile(r"!tinytc\.memref<((?:[0-9?]+x)*)(\w+)(?:, (strided<[^>]*>))?(?:, (\w+))?>")
_GROUP = re.compile(r"!tinytc\.group<(memref<(?:[^<>]|<[^<>]*>)*>) x ([0-9?]+)(, offset: [^>]*)?>")
_COOPMATRIX = re.compile(r"!tinytc\.coopmatrix<(\d+)x(\d+)x(\w+), (\w+)>")
_QUOTED = re.compile(
    r"'((?:memref|group|coopmatrix)<[^']*>|bool|index|i8|i16|i32|i64|bf16|f16|f32|f64|c32|c64)'"
)
_I1 = re.compile(r"\bi1\b")


def _memref_match(match: re.Match[str]) -> str:
    shape, element, layout, space = match.groups()
    parts: Iterable[str | None] = ("x".join([element, *shape.split("x")[:-1]]), layout, space)
    return f"memref<{','.join(part for part in parts if part)}>"


def round_floating(value: float, type_name: str) -> float:
    """Return a number rounded to a floating type; infinite if it is too large.

    >>> round_floating(1e39, "f32")
    inf
    """
    if not math.isfinite(value):
        return value
    if type_name == "bf16":
        return _round_bf16(value)
    try:
        return float(struct.unpack(_FORMATS[type_name], struct.pack(_FORMATS[type_name], value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _round_bf16(value: float) -> float:
    if abs(value) >= _BF16_LIMIT:
        return math.copysign(math.inf, value)
    exponent = max(math.frexp(value)[1] - 8, -133)
    return math.ldexp(round(math.ldexp(value, -exponent)), exponent)


def floating_text(value: float, type_name: str) -> str:
    """Return the shortest constant that a floating type rounds to the same value.

    >>> floating_text(round_floating(0.1, "f32"), "f32"), floating_text(1e30, "f64")
    ('0.1', '1e+30')
    """
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    text = repr(value)
    if type_name != "f64":
        shorter = (repr(float(f"{value:.{digits}g}")) for digits in range(1, 18))
        text = next(t for t in shorter if round_floating(float(t), type_name) == value)
    return text
