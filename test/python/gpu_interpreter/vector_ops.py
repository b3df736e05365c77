"""Vectors that a work-item has for itself, as tuples of its elements."""

from __future__ import annotations

from tinytc_mlir.reference.untyped import Ir

from .memory_ops import access_element, pointee
from .shadow import Access
from .writer import Handler, Writer


def _load(writer: Writer, op: Ir) -> None:
    """One load for each element."""
    pointer, index = op.operands
    elements = []
    for place in range(op.results[0].type.shape[0]):
        at = (pointer, f"{writer.name(index)} + {place}")
        address = access_element(writer, op, Access.LOAD, at, None)
        elements.append(writer.fresh("v"))
        taken = f"take_{pointee(pointer.type).dtype}({address}, None, None, 'clip')"
        writer.put(f"{elements[-1]} = {taken}")
    writer.assign(op.results[0], f"({', '.join(elements)},)")


def _store(writer: Writer, op: Ir) -> None:
    """One store for each element."""
    vector, pointer, index = op.operands
    view = f"view_{pointee(pointer.type).dtype}"
    for place in range(vector.type.shape[0]):
        at, element = (pointer, f"{writer.name(index)} + {place}"), writer.fresh("v")
        writer.put(f"{element} = {writer.name(vector)}[{place}]")
        address = access_element(writer, op, Access.STORE, at, element)
        writer.put(f"store({view}, {address}, {writer.lanes}, {element})")


def _shuffle(writer: Writer, op: Ir) -> None:
    first, second = writer.names(op.operands)
    count = op.operands[0].type.shape[0]
    elements = [
        f"{first}[{place}]" if place < count else f"{second}[{place - count}]"
        for place in op.attributes["mask"]
    ]
    writer.assign(op.results[0], f"({', '.join(elements)},)")


HANDLERS: dict[str, Handler] = {
    "vector.load": _load,
    "vector.shuffle": _shuffle,
    "vector.store": _store,
}
