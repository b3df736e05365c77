"""Operands of collective instructions in every layout that the language has."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

from cases.case import buffer, literal
from interpreting import COMPLEX
from program_types import SCALARS
from tinytc_mlir.frontend.spelling import group_text, memref_text
from tinytc_mlir.shapes import packed_stride

LAYOUTS = (
    "packed",
    "padded",
    "strided",
    "dynamic",
    "dynamic_strides",
    "divisible",
    "subview",
    "dynamic_subview",
    "expand",
    "fuse",
    "dynamic_expand",
    "dynamic_fuse",
    "chain",
    "batch",
    "group",
    "group_offset",
    "group_dynamic",
    "group_divisible",
    "local",
)
GROUPS = 4
TYPES = tuple(type_ for type_ in SCALARS if type_ != "index")


@dataclasses.dataclass
class Operand:
    """One memref operand: how it gets into the kernel.

    Args:
        name: name of the operand, without %.
        parameters: parameters of the kernel.
        before: instructions that make %name from them.
        after: instructions that copy results back.
        is_private: whether every work-group has its own.
    """

    name: str
    parameters: dict[str, tuple[str, Any]]
    before: str = ""
    after: str = ""
    is_private: bool = False


def _padded(rng: random.Random, shape: tuple[int, ...], first: int = 1) -> tuple[int, ...]:
    stride, step = [], first
    for size in shape:
        stride.append(step)
        step = step * size + rng.choice((0, 1, 3))
    return tuple(stride)


def _promise(rng: random.Random, shape: tuple[int, ...]) -> str:
    """Return the attribute that names a divisor of every size."""
    divisors = [rng.choice([d for d in range(1, s + 1) if s % d == 0]) for s in shape]
    return f" {{shape_gcd=[{', '.join(map(str, divisors))}]}}" if shape else ""


class Writer:
    """Writes the operands of one kernel."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def operand(
        self, name: str, layout: str, type_: str, shape: tuple[int, ...], fill: Any = None
    ) -> Operand:
        """Return an operand in a layout; layouts that need a mode are packed without one."""
        if not shape and layout not in ("group", "local", "batch"):
            layout = "packed"
        return getattr(self, f"_{layout}")(name, type_, tuple(shape), fill)

    def _plain(self, name, type_, shape, fill, stride=None, written=None) -> Operand:
        value = buffer(self.rng, type_, shape, stride, fill=fill)
        text = written or memref_text(type_, shape, stride)
        return Operand(name, {name: (text, value)})

    def _packed(self, name, type_, shape, fill) -> Operand:
        return self._plain(name, type_, shape, fill)

    def _padded(self, name, type_, shape, fill) -> Operand:
        return self._plain(name, type_, shape, fill, _padded(self.rng, shape))

    def _strided(self, name, type_, shape, fill) -> Operand:
        return self._plain(name, type_, shape, fill, _padded(self.rng, shape, 2))

    def _dynamic(self, name, type_, shape, fill) -> Operand:
        written = tuple(self.rng.choice((None, size)) for size in shape)
        return self._plain(name, type_, shape, fill, None, memref_text(type_, written))

    def _dynamic_strides(self, name, type_, shape, fill) -> Operand:
        stride = _padded(self.rng, shape, self.rng.choice((1, 3)))
        text = memref_text(type_, (None,) * len(shape), (None,) * len(shape))
        return self._plain(name, type_, shape, fill, stride, text)

    def _divisible(self, name, type_, shape, fill) -> Operand:
        """All sizes are unknown, but something is known of them."""
        return self._promised(self._unknown(name, type_, shape, fill), shape)

    def _promised(self, operand: Operand, shape: tuple[int, ...]) -> Operand:
        [(parameter, (text, value))] = operand.parameters.items()
        operand.parameters[parameter] = (text + _promise(self.rng, shape), value)
        return operand

    def _view(self, name, type_, whole, fill, view, result) -> Operand:
        """Return the result of the instruction `view` on a packed parameter."""
        operand = self._plain(f"{name}0", type_, whole, fill)
        operand.name = name
        operand.before = f"%{name} = {view.format(source=f'%{name}0')} : {result}\n"
        return operand

    def _subview(self, name, type_, shape, fill) -> Operand:
        whole = tuple(size + 3 for size in shape)
        slices = ", ".join(f"{i % 3 + 1}:{size}" for i, size in enumerate(shape))
        result = memref_text(type_, shape, packed_stride(whole))
        return self._view(name, type_, whole, fill, f"subview {{source}}[{slices}]", result)

    def _dynamic_subview(self, name, type_, shape, fill) -> Operand:
        whole = (*(size + 2 for size in shape), 4)
        operand = self._plain(f"{name}0", type_, whole, fill)
        slices = []
        for i, size in enumerate(shape):
            operand.parameters[f"{name}_offset{i}"] = ("index", 2 - i % 2)
            operand.parameters[f"{name}_size{i}"] = ("index", size)
            slices.append(f"%{name}_offset{i}:%{name}_size{i}")
        result = memref_text(type_, (None,) * len(shape), packed_stride(whole)[:-1])
        text = f"subview %{name}0[{', '.join([*slices, '2'])}] : {result}"
        return Operand(name, operand.parameters, f"%{name} = {text}\n")

    def _expand(self, name, type_, shape, fill) -> Operand:
        if len(shape) != 2:
            return self._packed(name, type_, shape, fill)
        whole = (shape[0] * shape[1],)
        view = f"expand {{source}}[0 -> {shape[0]} x {shape[1]}]"
        return self._view(name, type_, whole, fill, view, memref_text(type_, shape))

    def _fuse(self, name, type_, shape, fill) -> Operand:
        factor = next(d for d in (3, 2, 5, 1) if shape[-1] % d == 0)
        whole = (*shape[:-1], factor, shape[-1] // factor)
        view = f"fuse {{source}}[{len(shape) - 1},{len(shape)}]"
        return self._view(name, type_, whole, fill, view, memref_text(type_, shape))

    def _dynamic_expand(self, name, type_, shape, fill) -> Operand:
        """A mode of unknown size is split into modes whose sizes are parameters."""
        if len(shape) < 2:
            return self._dynamic(name, type_, shape, fill)
        whole = (shape[0] * shape[1], *shape[2:])
        operand = self._unknown(f"{name}0", type_, whole, fill)
        for word, size in zip(("rows", "columns"), shape, strict=False):
            operand.parameters[f"{name}_{word}"] = ("index", size)
        operand.before = (
            f"%{name} = expand %{name}0[0 -> %{name}_rows x %{name}_columns] : "
            f"{memref_text(type_, (None,) * len(shape))}\n"
        )
        operand.name = name
        return operand

    def _unknown(self, name, type_, shape, fill) -> Operand:
        """All sizes are unknown to the program."""
        text = memref_text(type_, (None,) * len(shape))
        return self._plain(name, type_, shape, fill, None, text)

    def _dynamic_fuse(self, name, type_, shape, fill) -> Operand:
        """Two modes of unknown size become one."""
        factor = next(d for d in (3, 2, 5, 1) if shape[-1] % d == 0)
        whole = (*shape[:-1], factor, shape[-1] // factor)
        operand = self._unknown(f"{name}0", type_, whole, fill)
        operand.before = (
            f"%{name} = fuse %{name}0[{len(shape) - 1},{len(shape)}] : "
            f"{memref_text(type_, (None,) * len(shape))}\n"
        )
        operand.name = name
        return operand

    def _chain(self, name, type_, shape, fill) -> Operand:
        """A mode is expanded, fused again, and cut out of a larger memref."""
        whole = (2 * shape[0], *shape[1:], 2)
        stride = packed_stride(whole)
        operand = self._plain(f"{name}0", type_, whole, fill)
        expanded = (2, shape[0], *shape[1:], 2)
        steps = (1, 2, *stride[1:])
        rest = ", ".join(f"0:{size}" for size in shape[1:])
        slices = f"{shape[0]}:{shape[0]}{', ' + rest if rest else ''}, 1"
        operand.before = (
            f"%{name}1 = expand %{name}0[0 -> 2 x {shape[0]}] : "
            f"{memref_text(type_, expanded, steps)}\n"
            f"%{name}2 = fuse %{name}1[0,1] : {memref_text(type_, whole, stride)}\n"
            f"%{name} = subview %{name}2[{slices}] : {memref_text(type_, shape, stride[:-1])}\n"
        )
        operand.name = name
        return operand

    def _batch(self, name, type_, shape, fill) -> Operand:
        """Every work-group takes a slice of one memref."""
        slices = ", ".join([*(":" for _ in shape), "%gid"])
        result = memref_text(type_, shape)
        view = f"subview {{source}}[{slices}]"
        operand = self._view(name, type_, (*shape, GROUPS), fill, view, result)
        operand.is_private = True
        return operand

    def _members(self, name, type_, shapes, fill, offset, memref, size=None) -> Operand:
        stride = _padded(self.rng, shapes[0])
        if offset:
            extents = [(offset + shape[-1] * stride[-1],) for shape in shapes]
            members = [buffer(self.rng, type_, extent, fill=fill) for extent in extents]
        else:
            members = [buffer(self.rng, type_, shape, stride, fill=fill) for shape in shapes]
        memref = memref or memref_text(type_, shapes[0], stride)
        shape = shapes[0] if offset else None
        group = (group_text(memref, size, offset), (members, offset, shape))
        return Operand(
            name, {f"{name}0": group}, f"%{name} = load %{name}0[%gid] : {memref}\n", "", True
        )

    def _group(self, name, type_, shape, fill) -> Operand:
        size = self.rng.choice((None, GROUPS))
        return self._members(name, type_, [shape] * GROUPS, fill, 0, None, size)

    def _group_offset(self, name, type_, shape, fill) -> Operand:
        return self._members(name, type_, [shape] * GROUPS, fill, 5, None)

    def _group_dynamic(self, name, type_, shape, fill) -> Operand:
        modes = (None,) * len(shape)
        return self._members(
            name, type_, [shape] * GROUPS, fill, 0, memref_text(type_, modes, modes)
        )

    def _group_divisible(self, name, type_, shape, fill) -> Operand:
        return self._promised(self._group_dynamic(name, type_, shape, fill), shape)

    def _local(self, name, type_, shape, fill) -> Operand:
        """A copy in local memory, brought back at the end."""
        operand = self._plain(f"{name}0", type_, shape, fill)
        one, zero = literal_of(type_, 1), literal_of(type_, 0)
        operand.before = (
            f"%{name} = alloca : {memref_text(type_, shape, None, 'local')}\n"
            f"%{name}_one = constant {one} : {type_}\n%{name}_zero = constant {zero} : {type_}\n"
            f"axpby.n %{name}_one, %{name}0, %{name}_zero, %{name}\n"
        )
        operand.after = f"axpby.n %{name}_one, %{name}, %{name}_zero, %{name}0\n"
        operand.name = name
        return operand


def literal_of(type_: str, value: int) -> str:
    """Return a whole number as a constant of a type."""
    return literal(type_, complex(value) if type_ in COMPLEX else value)


def scalar(rng: random.Random, name: str, type_: str, value: Any, *, constant: bool) -> Operand:
    """Return alpha or beta, as a constant or as a parameter."""
    if type_ in COMPLEX:
        value = complex(value, value - 1 if value not in (0, 1) else 0)
    if constant:
        return Operand(name, {}, f"%{name} = constant {literal(type_, value)} : {type_}\n")
    return Operand(name, {name: (type_, value)})
