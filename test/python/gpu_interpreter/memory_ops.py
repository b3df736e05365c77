"""Accesses to memory through a pointer and one index, and the pieces of local memory."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from tinytc_mlir._tinytc import enum_word
from tinytc_mlir.reference.memory_ops import ACQUIRING, KIND_OF_SCOPE
from tinytc_mlir.reference.rounding import Array
from tinytc_mlir.reference.shadow import AccessKind
from tinytc_mlir.reference.untyped import Ir
from tinytc_mlir.scalars import scalar_type_named

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
        dtype: name of the elements' dtype in memory.
        width: size of an element in bytes.
        is_local: whether it is in local memory.
        inner: what the elements point to, None if they are scalars.
    """

    dtype: str
    width: int
    is_local: bool
    inner: Pointee | None = None


def pointee(type_: Ir) -> Pointee:
    """Return what a memref of the gpu stage points to."""
    memref = ir.MemRefType(type_)
    is_local = "workgroup" in str(memref.memory_space)
    element = memref.element_type
    if isinstance(element, ir.MemRefType):
        return Pointee("int64", 8, is_local, pointee(element))
    stored = element_dtype(memref)
    return Pointee(stored.name, stored.itemsize, is_local)


def element_dtype(type_: Ir) -> np.dtype[Any]:
    """Return the dtype of the elements of a memref or vector."""
    return scalar_type_named(str(ir.ShapedType(type_).element_type)).dtype


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
    text = f"take_{target.dtype}({address}, None, None, 'clip')"
    if target.inner is not None:
        text += f" // {target.inner.width}"
    writer.assign(op.results[0], text)


def _block_load(writer: Writer, op: Ir) -> None:
    """One load for each element that exists; the others are zero."""
    offset, rows, columns, stride, x, y = writer.names(op.operands[1:])
    is_transposed = "transposed" in op.attributes
    target, scalar_type = pointee(op.operands[0].type), scalar_type_named(str(op.results[0].type))
    # Neighbours have the halves of a number of f32.
    has_halves = target.dtype == "float32" and not is_transposed
    if has_halves:
        scalar_type = scalar_type_named("f32")
    zero = writer.bind("c", scalar_type.value_dtype.type(0))
    # Neighbours of 8 bits may come in pairs.
    pair = 2 if scalar_type.name == "i8" and len(op.results) == 16 else 1
    for number, result in enumerate(op.results):
        entry, element = writer.bind("c", np.int64(number // pair)), writer.fresh("v")
        row, column, some = writer.fresh("i"), writer.fresh("i"), writer.fresh("l")
        lane = "at.lane_id" if pair == 1 else f"{pair} * at.lane_id + {number % pair}"
        lane = "at.lane_id // 2" if has_halves else lane
        along_row, along_column = (lane, entry)[:: -1 if is_transposed else 1]
        writer.put(f"{row}, {column} = {x} + {along_row}, {y} + {along_column}")
        inside = writer.fresh("v")
        exists = f"(0 <= {row}) & ({row} < {rows}) & (0 <= {column}) & ({column} < {columns})"
        writer.put(f"{inside} = {exists}")
        writer.put(f"{some}, _ = {writer.lanes}.split({inside})")
        writer.put(f"{element} = {zero}")
        before, writer.lanes = writer.lanes, some
        with writer.indented(f"if {some} is not None:"):
            index = f"{offset} + {row} + {column} * {stride}"
            address = access_element(writer, op, AccessKind.READ, (op.operands[0], index))
            taken = f"take_{target.dtype}({address}, None, None, 'clip')"
            if scalar_type.is_bits:
                taken = f"{writer.bind('f', scalar_type.from_memory)}({taken})"
            writer.put(f"{element} = choose({inside}, {taken}, {zero})")
        writer.lanes = before
        if has_halves:
            element = f"{writer.bind('f', _half)}({element}, at.lane_id % 2)"
        writer.call(result, element)


def _half(numbers: Array, which: Array) -> Array:
    """Return the lower half of each number where `which` is 0, else the upper one."""
    halves = np.ascontiguousarray(numbers, np.float32)[..., None].view(np.int16)
    return np.where(which == 0, halves[..., 0], halves[..., 1])


def _store(writer: Writer, op: Ir) -> None:
    value, pointer, *indices = op.operands
    stored = writer.name(value)
    if writer.name(pointer) in writer.private:
        place = writer.name(indices[0])
        writer.put(f"{writer.name(pointer)}.store({place}, {writer.lanes}, {stored})")
        return
    _access(writer, op, AccessKind.WRITE, (pointer, *indices), stored)


def _update(writer: Writer, op: Ir) -> None:
    value, pointer, *indices = op.operands
    word = _KINDS[op.attributes["kind"].value]
    if word is None or _is_used(op):
        writer.fail(op, f"expected an atomic update without a result, got {op}")
    address = _access(writer, op, AccessKind.ATOMIC, (pointer, *indices))
    function = arithmetic.combination(word, scalar_type_named(str(value.type)).name)
    view = f"view_{pointee(pointer.type).dtype}"
    words = [view, address, writer.lanes, writer.name(value), writer.bind("f", function)]
    writer.put(f"update({', '.join(words)})")


def _atomic(writer: Writer, op: Ir) -> None:
    """The values of a memref of bits are those that these stand for."""
    kind, scope, semantics = (
        enum_word(op.attributes[name]) for name in ("kind", "scope", "semantics")
    )
    value, place = (None, op.operands) if kind == "load" else (op.operands[0], op.operands[1:])
    if kind != "store" and semantics in ACQUIRING:
        between_groups = scope in ("device", "cross_device")
        writer.put(f"acquire(between_groups={between_groups})")
    address = _access(writer, op, KIND_OF_SCOPE[scope], place)
    type_ = op.results[0].type if value is None else value.type
    scalar_type = scalar_type_named(str(type_))
    word = "assign" if kind in ("load", "store") else kind
    function = arithmetic.combination(word, scalar_type.name)
    words = [
        f"view_{pointee(place[0].type).dtype}",
        address,
        writer.lanes,
        "None" if value is None else writer.name(value),
        writer.bind("f", function),
        writer.bind("t", scalar_type),
    ]
    call = f"access({', '.join(words)})"
    if kind == "store":
        writer.put(call)
    else:
        writer.assign(op.results[0], call)


def _update_by_region(writer: Writer, op: Ir) -> None:
    """Work-items compute the new element one after the other."""
    if _is_used(op):
        writer.fail(op, f"expected an atomic update without a result, got {op}")
    address = _access(writer, op, AccessKind.ATOMIC, op.operands)
    dtype = pointee(op.operands[0].type).dtype
    block, lanes = op.regions[0].blocks[0], writer.fresh("l")
    with writer.indented(f"for {lanes} in {writer.lanes}.each():"):
        writer.assign(block.arguments[0], f"take_{dtype}({address}, None, None, 'clip')")
        (new,) = writer.block(block, lanes)
        writer.put(f"view_{dtype}.put({lanes}.pick({address}), {lanes}.pick({new}), 'clip')")


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
    "memref.extract_aligned_pointer_as_index": _address,
    "memref.generic_atomic_rmw": _update_by_region,
    "memref.load": _load,
    "memref.prefetch": _prefetch,
    "memref.store": _store,
    "memref.view": _view,
    "tinytc.atomic": _atomic,
    "tinytc.subgroup_block_load": _block_load,
}
