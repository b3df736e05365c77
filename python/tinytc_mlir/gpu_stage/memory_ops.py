# SPDX-License-Identifier: BSD-3-Clause
"""Accesses to memory through a pointer and one index, and the pieces of local memory."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from .._tinytc import enum_word
from ..dialects.dense import dense_elements
from ..reference.arithmetic import stored_constants
from ..reference.memory_ops import ACQUIRING, KIND_OF_SCOPE
from ..reference.shadow import AccessKind
from ..reference.untyped import Ir
from ..scalars import ScalarType, scalar_type_named
from . import arithmetic
from .accesses import AccessSite
from .private import PrivateArray
from .writer import Handler, Writer

# By the value of the attribute `kind`; None for what no kernel uses.
_KINDS = (
    *("add", "add", "and", "assign", None, "max", "max", None),
    *(None, "min", "min", None, "mul", "mul", "or", "xor"),
)


@dataclasses.dataclass(frozen=True)
class Pointee:
    """What a pointer points to.

    Args:
        scalar_type: type of the elements; that of pointers if they are some.
        is_local: whether it is in local memory.
        inner: what the elements point to, None if they are scalars.
    """

    scalar_type: ScalarType
    is_local: bool
    inner: Pointee | None = None

    @property
    def dtype(self) -> str:
        """Name of the elements' dtype in memory."""
        return self.scalar_type.dtype.name

    @property
    def width(self) -> int:
        """Size of an element in bytes."""
        return self.scalar_type.dtype.itemsize


def pointee(type_: Ir) -> Pointee:
    """Return what a memref of the gpu stage points to."""
    memref = ir.MemRefType(type_)
    is_local = "workgroup" in str(memref.memory_space)
    element = memref.element_type
    if isinstance(element, ir.MemRefType):
        return Pointee(scalar_type_named("i64"), is_local, pointee(element))
    return Pointee(scalar_type_named(str(element)), is_local)


def element_type(type_: Ir) -> ScalarType:
    """Return the type of the elements of a memref or vector."""
    return scalar_type_named(str(ir.ShapedType(type_).element_type))


def _alloc(writer: Writer, op: Ir) -> None:
    memref = ir.MemRefType(op.results[0].type)
    if not pointee(memref).is_local or str(memref.element_type) != "i8":
        writer.fail(op, f"expected bytes of local memory, got {memref}")
    number, size_bytes = len(writer.buffers), memref.shape[0]
    name = writer.assign(op.results[0], f"at.buffers[{number}]")
    writer.pieces[name] = (number, (0, size_bytes))
    writer.buffers.append(size_bytes)


def _alloca(writer: Writer, op: Ir) -> None:
    """An array that each work-item has for itself."""
    memref = ir.MemRefType(op.results[0].type)
    array = writer.bind("f", functools.partial(PrivateArray, memref.shape[0]))
    writer.private.add(writer.assign(op.results[0], f"{array}()"))


def _view(writer: Writer, op: Ir) -> None:
    """The shift counts in bytes, the pointer in elements."""
    buffer, shift, size = writer.names(op.operands)
    constants = writer.namespace
    if buffer not in writer.pieces or shift not in constants or size not in constants:
        writer.fail(op, "expected a piece of a buffer at a constant place")
    width = pointee(op.results[0].type).width
    first = int(constants[shift])
    if first % width:
        writer.fail(op, f"expected a shift that is a multiple of {width} bytes, got {first}")
    name = writer.assign(op.results[0], f"({buffer} + {shift}) // {width}")
    writer.pieces[name] = (writer.pieces[buffer][0], (first, first + int(constants[size]) * width))


def _get_global(writer: Writer, op: Ir) -> None:
    """A constant of the module, which is memory after the arguments."""
    symbol = op.attributes["name"].value
    scope = op.operation.parent
    while scope.name not in ("gpu.module", "builtin.module"):
        scope = scope.parent
    for each in scope.regions[0].blocks[0].operations:
        if each.operation.name == "memref.global" and each.attributes["sym_name"].value == symbol:
            found = each.operation
            break
    else:
        writer.fail(op, f"expected a global of the module, got @{symbol}")
    scalar_type = pointee(op.results[0].type).scalar_type
    stored = dense_elements(found, "initial_value", scalar_type)
    stored = stored_constants(writer.arithmetic, scalar_type, stored)
    width = stored.dtype.itemsize
    writer.assign(op.results[0], f"at.constants[{len(writer.constants)}] // {width}")
    writer.constants.append(stored)


def _cast(writer: Writer, op: Ir) -> None:
    writer.assign(op.results[0], writer.name(op.operands[0]))


def _access(
    writer: Writer, op: Ir, kind: AccessKind, place: Sequence[Any], value: str | None = None
) -> str:
    """Write the check of an access; return the name of the element's address."""
    pointer, *indices = place
    if len(indices) != 1:
        writer.fail(op, f"expected one index, got {len(indices)}")
    return access_element(writer, op, kind, (pointer, writer.name(indices[0])), value)


def access_element(
    writer: Writer, op: Ir, kind: AccessKind, place: tuple[Ir, str], value: str | None = None
) -> str:
    """Do so for an index that is an expression, not an SSA value."""
    pointer, index = place
    target, base, site = pointee(pointer.type), writer.name(pointer), writer.site(op)
    buffer, piece = writer.pieces.get(base, (None, (0, 0)))
    writer.accesses[site.number] = AccessSite(
        site, kind, np.dtype(target.dtype), target.is_local, buffer, piece
    )
    writer.dtypes.add(target.dtype)
    if writer.is_preemptive:
        writer.put("yield")
    address = writer.fresh("a")
    writer.put(f"{address} = {base} + {index}")
    stored = "" if value is None else f", {value}"
    writer.put(f"note({site.number}, {base}, {address}, {writer.lanes}{stored})")
    return address


def _load(writer: Writer, op: Ir) -> None:
    """A pointer that is loaded counts in bytes, too."""
    pointer = writer.name(op.operands[0])
    if pointer in writer.private:
        writer.assign(op.results[0], f"{pointer}.load({writer.name(op.operands[1])})")
        return
    address = _access(writer, op, AccessKind.READ, op.operands)
    target = pointee(op.operands[0].type)
    text = taken(writer, target, address)
    if target.inner is not None:
        text += f" // {target.inner.width}"
    writer.assign(op.results[0], text)


def taken(
    writer: Writer, target: Pointee, address: str, scalar_type: ScalarType | None = None
) -> str:
    """Return the expression of an element's value, whose bits may be those of another type."""
    scalar_type = scalar_type or target.scalar_type
    text = f"take_{target.dtype}({address}, None, None, 'clip')"
    if writer.arithmetic.is_plain(scalar_type):
        return text
    function = functools.partial(writer.arithmetic.from_memory, scalar_type)
    return f"{writer.bind('f', function)}({text})"


def stored(writer: Writer, target: Pointee, value: str) -> str:
    """Return the expression of a value as memory holds it."""
    if writer.arithmetic.is_plain(target.scalar_type):
        return value
    function = functools.partial(writer.arithmetic.to_memory, target.scalar_type)
    return f"{writer.bind('f', function)}({value})"


def _store(writer: Writer, op: Ir) -> None:
    value, pointer, *indices = op.operands
    name = writer.name(value)
    if writer.name(pointer) in writer.private:
        place = writer.name(indices[0])
        writer.put(f"{writer.name(pointer)}.store({place}, {writer.lanes}, {name})")
        return
    bits = stored(writer, pointee(pointer.type), name)
    _access(writer, op, AccessKind.WRITE, (pointer, *indices), bits)


def _update(writer: Writer, op: Ir) -> None:
    value, *place = op.operands
    word = _KINDS[op.attributes["kind"].value]
    if word is None or _is_used(op):
        writer.fail(op, f"expected an atomic update without a result, got {op}")
    writer.put(_atomic_access(writer, op, word, place, value))


def _atomic(writer: Writer, op: Ir) -> None:
    """The values of a memref of bits are those that these stand for."""
    kind, scope, semantics = (
        enum_word(op.attributes[name]) for name in ("kind", "scope", "semantics")
    )
    value, place = (None, op.operands) if kind == "load" else (op.operands[0], op.operands[1:])
    if kind != "store" and semantics in ACQUIRING:
        between_groups = scope in ("device", "cross_device")
        writer.put(f"acquire(between_groups={between_groups})")
    word = "assign" if kind in ("load", "store") else kind
    call = _atomic_access(writer, op, word, place, value, KIND_OF_SCOPE[scope])
    if kind == "store":
        writer.put(call)
    else:
        writer.assign(op.results[0], call)


def _atomic_access(
    writer: Writer,
    op: Ir,
    word: str,
    place: Sequence[Any],
    value: Ir | None,
    kind: AccessKind = AccessKind.ATOMIC,
) -> str:
    """Write the check of an atomic access; return the expression that makes it."""
    address = _access(writer, op, kind, place)
    type_ = op.results[0].type if value is None else value.type
    scalar_type = scalar_type_named(str(type_))
    function = arithmetic.combination(word, scalar_type.name, writer.arithmetic)
    words = [
        f"view_{pointee(place[0].type).dtype}",
        address,
        writer.lanes,
        "None" if value is None else writer.name(value),
        writer.bind("f", function),
        writer.bind("t", (writer.arithmetic, scalar_type)),
    ]
    return f"access({', '.join(words)})"


def _update_by_region(writer: Writer, op: Ir) -> None:
    """Work-items compute the new element one after the other."""
    if _is_used(op):
        writer.fail(op, f"expected an atomic update without a result, got {op}")
    address = _access(writer, op, AccessKind.ATOMIC, op.operands)
    target = pointee(op.operands[0].type)
    block, lanes = op.regions[0].blocks[0], writer.fresh("l")
    with writer.indented(f"for {lanes} in {writer.lanes}.each():"):
        writer.assign(block.arguments[0], taken(writer, target, address))
        (new,) = writer.block(block, lanes)
        bits = stored(writer, target, new)
        place, bits = f"{lanes}.pick({address})", f"{lanes}.pick({bits})"
        writer.put(f"view_{target.dtype}.put({place}, {bits}, 'clip')")


def _is_used(op: Ir) -> bool:
    return any(True for result in op.results for _ in result.uses)


def _address(writer: Writer, op: Ir) -> None:
    """A pointer counts in elements, but is 0 where the address is."""
    writer.assign(op.results[0], writer.name(op.operands[0]))


def _prefetch(writer: Writer, op: Ir) -> None:
    """Neither reads nor writes, and may go past the end of an array."""


HANDLERS: dict[str, Handler] = {
    "memref.alloc": _alloc,
    "memref.alloca": _alloca,
    "memref.atomic_rmw": _update,
    "memref.cast": _cast,
    "memref.extract_aligned_pointer_as_index": _address,
    "memref.generic_atomic_rmw": _update_by_region,
    "memref.get_global": _get_global,
    "memref.load": _load,
    "memref.prefetch": _prefetch,
    "memref.store": _store,
    "memref.view": _view,
    "tinytc.atomic": _atomic,
}
