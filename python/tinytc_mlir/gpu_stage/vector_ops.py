# SPDX-License-Identifier: BSD-3-Clause
"""Vectors that a work-item has for itself, as tuples of its elements."""

from __future__ import annotations

import functools

import numpy as np

from ..reference.arithmetic import Arithmetic
from ..reference.rounding import Array
from ..reference.shadow import AccessKind
from ..reference.untyped import Ir
from ..scalars import ScalarType
from .memory_ops import access_element, element_type, pointee, stored, taken
from .writer import Handler, Writer


def _load(writer: Writer, op: Ir) -> None:
    """One load for each element."""
    pointer, index = op.operands
    elements = []
    for place in range(op.results[0].type.shape[0]):
        at = (pointer, f"{writer.name(index)} + {place}")
        address = access_element(writer, op, AccessKind.READ, at)
        elements.append(writer.fresh("v"))
        writer.put(f"{elements[-1]} = {taken(writer, pointee(pointer.type), address)}")
    writer.assign(op.results[0], f"({', '.join(elements)},)")


def _store(writer: Writer, op: Ir) -> None:
    """One store for each element."""
    vector, pointer, index = op.operands
    for place in range(vector.type.shape[0]):
        at, element = (pointer, f"{writer.name(index)} + {place}"), writer.fresh("v")
        writer.put(f"{element} = {writer.name(vector)}[{place}]")
        bits = stored(writer, pointee(pointer.type), element)
        access_element(writer, op, AccessKind.WRITE, at, bits)


def _shuffle(writer: Writer, op: Ir) -> None:
    first, second = writer.names(op.operands)
    count = op.operands[0].type.shape[0]
    elements = [
        f"{first}[{place}]" if place < count else f"{second}[{place - count}]"
        for place in op.attributes["mask"]
    ]
    writer.assign(op.results[0], f"({', '.join(elements)},)")


def _cast(
    elements: tuple[Array, ...], arithmetic: Arithmetic, source: ScalarType, result: ScalarType
) -> tuple[Array, ...]:
    """Return the elements of another type that have the same bits."""
    values = np.stack(np.broadcast_arrays(*elements), axis=-1)
    bits = np.ascontiguousarray(arithmetic.to_memory(source, values)).view(result.dtype)
    found = np.asarray(arithmetic.from_memory(result, bits))
    return tuple(found[..., place] for place in range(found.shape[-1]))


def _bitcast(writer: Writer, op: Ir) -> None:
    source, result = (element_type(each.type) for each in (op.operands[0], op.results[0]))
    cast = functools.partial(_cast, arithmetic=writer.arithmetic, source=source, result=result)
    function = writer.bind("f", cast)
    writer.assign(op.results[0], f"{function}({writer.name(op.operands[0])})")


def _slice(writer: Writer, op: Ir) -> None:
    (first,), (count,) = ([each.value for each in op.attributes[n]] for n in ("offsets", "sizes"))
    vector = writer.name(op.operands[0])
    writer.assign(op.results[0], f"{vector}[{first}:{first + count}]")


def _elements(writer: Writer, op: Ir) -> None:
    vector = writer.name(op.operands[0])
    for place, result in enumerate(op.results):
        writer.assign(result, f"{vector}[{place}]")


HANDLERS: dict[str, Handler] = {
    "vector.bitcast": _bitcast,
    "vector.extract_strided_slice": _slice,
    "vector.load": _load,
    "vector.shuffle": _shuffle,
    "vector.store": _store,
    "vector.to_elements": _elements,
}
