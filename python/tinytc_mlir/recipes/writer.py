# SPDX-License-Identifier: BSD-3-Clause
"""Writes what the steps of a contraction have in common: names, constants, memory, views, loops."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping

from ..frontend.spelling import memref_text
from ..shapes import packed_stride
from .recipe import constant_text
from .terms import Access, Factor, Parameter


@dataclasses.dataclass(frozen=True)
class Memref:
    """A tensor in memory.

    Args:
        value: the memref, with its `%`.
        shape: size of every mode.
        strides: elements from one element of a mode to the next.
        space: "global" or "local".
    """

    value: str
    shape: tuple[int, ...]
    strides: tuple[int | None, ...]
    space: str = "global"


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A tensor whose modes have letters, which are all different.

    Args:
        memref: where it is.
        indices: one letter for each mode.
        owner: temporary that holds it and nothing else; empty for other memory.
    """

    memref: Memref
    indices: str
    owner: str = ""


@dataclasses.dataclass
class Temporary:
    """Memory of a kernel.

    Args:
        name: its name, without the `%`.
        elements: number of elements.
        begin: number of the line that makes it.
        end: number of the line that ends its life; None if it lives to the end.
    """

    name: str
    elements: int
    begin: int
    end: int | None = None


class Writer:
    """Collects the instructions of a kernel.

    Args:
        type_: scalar type of all tensors.
        names: names that the caller has given to parameters and temporaries.
        scratch: first element of each temporary that is in global memory, in the group's column of
            the parameter `scratch`.
    """

    def __init__(self, type_: str, names: Iterable[str], scratch: Mapping[str, int]) -> None:
        self.sizes: Mapping[str, int] = {}
        self.temporaries: dict[str, Temporary] = {}
        self._type = type_
        self._taken = set(names)
        self._own_names: dict[str, str] = {}
        self._scratch = scratch
        self._constants: dict[str, str] = {}
        self._lines: list[str] = []
        self._values = 0
        self._trips = 1
        self._calls = 0

    @property
    def cost(self) -> tuple[int, int]:
        """How often collective instructions run, and the number of instructions of the text."""
        return self._calls, len(self._lines)

    def lines(self, batch: str) -> list[str]:
        """Return the instructions, constants first.

        Args:
            batch: a batch and its last mode, such as "%A[2]"; empty if there is none.
        """
        group, constants = self.own("group"), [*self._constants.values()]
        if not self._scratch:
            return [*([f"{group} = group_id.x : index"] if batch else []), *constants, *self._lines]
        slot = f"{self.own('slot')} = group_id.x : index"
        if not batch:
            return [slot, *constants, *self._lines]
        count, step = self.own("count"), self.own("step")
        return [
            slot,
            f"{step} = num_groups.x : index",
            f"{count} = size {batch} : index",
            *constants,
            # There are as many groups as columns of scratch: they take turns.
            f"for {group} = {self.own('slot')}, {count}, {step} {{",
            *self._lines,
            "}",
        ]

    def own(self, base: str) -> str:
        """Return a value whose name is none of the caller's, the same one for the same base."""
        if base not in self._own_names:
            name = base
            while name in self._taken:
                name += "_"
            self._taken.add(name)
            self._own_names[base] = name
        return f"%{self._own_names[base]}"

    def comment(self, text: str) -> None:
        """Write a comment."""
        self._lines.append(f"; {text}")

    def number(self, value: int) -> str:
        """Return a constant of the tensors' type, 0 or 1."""
        return self._constant("zero" if value == 0 else "one", value, self._type)

    def factor(self, factor: Factor) -> str:
        """Return a product of a number and scalar parameters."""
        names = [f"%{name}" for name in factor.names]
        if factor.number != 1 or not names:
            is_short = factor.number in (0, 1)
            base = ("zero", "one")[int(factor.number.real)] if is_short else f"n{factor.number}"
            names.insert(0, self._constant(base, factor.number, self._type))
        product, *others = names
        for name in others:
            key = f"{product} {name}"
            if key not in self._constants:
                value = self._value()
                self._constants[key] = f"{value} = mul {product}, {name} : {self._type}"
            product = self._constants[key].partition(" ")[0]
        return product

    def parameter(self, parameter: Parameter) -> Memref:
        """Return the group's tensor of a parameter."""
        strides = packed_stride(parameter.shape)
        value = f"%{parameter.name}"
        if not parameter.is_batched:
            return Memref(value, parameter.shape, strides)
        slices = [*(f"0:{size}" for size in parameter.shape), self.own("group")]
        return self.view(
            f"subview {value}[{', '.join(slices)}]",
            Memref(self.own(f"this_{parameter.name}"), parameter.shape, strides),
        )

    def temporary(self, indices: str, name: str = "") -> Tensor:
        """Return a new tensor in local memory, or in scratch.

        Args:
            indices: its indices.
            name: what the caller calls it; empty for a name of our own.
        """
        name = name or self.own(f"temporary{len(self.temporaries)}")[1:]
        shape = tuple(self.sizes[index] for index in indices)
        elements = math.prod(shape)
        self.temporaries[name] = Temporary(name, elements, len(self._lines))
        memref = Memref(f"%{name}", shape, packed_stride(shape), "local")
        if name not in self._scratch:
            return Tensor(self.view("alloca", memref), indices, name)
        memref = dataclasses.replace(memref, space="global")
        start = self._scratch[name]
        part = f"{start}:{elements}" if indices else str(start)
        instruction = f"subview {self.own('scratch')}[{part}, {self.own('slot')}]"
        if len(indices) > 1:
            column = Memref(self._value(), (elements,), (1,))
            sizes = " x ".join(map(str, shape))
            instruction = f"expand {self.view(instruction, column).value}[0 -> {sizes}]"
        return Tensor(self.view(instruction, memref), indices, name)

    def release(self, tensor: Tensor) -> None:
        """End the life of a temporary; other memory stays."""
        if tensor.owner:
            self.temporaries[tensor.owner].end = len(self._lines)
            if tensor.owner not in self._scratch:
                self._lines.append(f"lifetime_stop %{tensor.owner}")

    def access(self, base: Memref, access: Access) -> Tensor:
        """Return the part of a tensor that a statement means; a diagonal is copied."""
        kept = [n for n, mode in enumerate(access.modes) if mode.index]
        memref = Memref(
            base.value,
            tuple(access.modes[n].size for n in kept),
            tuple(base.strides[n] for n in kept),
            base.space,
        )
        if memref.shape != base.shape:
            slices = (f"{m.start}:{m.size}" if m.index else str(m.start) for m in access.modes)
            instruction = f"subview {base.value}[{', '.join(slices)}]"
            memref = self.view(instruction, dataclasses.replace(memref, value=self._value()))
        distinct = "".join(dict.fromkeys(access.indices))
        if distinct == access.indices:
            return Tensor(memref, distinct)
        result = self.temporary(distinct)
        place = ", ".join(self.own(index) for index in access.indices)
        element = self._value()
        load = f"{element} = load {memref.value}[{place}] : {self._type}"
        self._set_elements(result, element, load)
        return result

    def scale(self, beta: str, z: Tensor) -> None:
        """Write `z := beta z`, which is what a sum of no terms adds to."""
        if beta == self.number(0):
            self._set_elements(z, beta)
            return
        old, new = self._value(), self._value()
        place = ", ".join(self.own(index) for index in z.indices)
        load = f"{old} = load {z.memref.value}[{place}] : {self._type}"
        self._set_elements(z, new, load, f"{new} = mul {beta}, {old} : {self._type}")

    def _set_elements(self, z: Tensor, element: str, *lines: str) -> None:
        """Write a loop over the elements of a tensor that computes and stores each."""
        place = ", ".join(self.own(index) for index in z.indices)
        zeros = ", ".join("0" for _ in z.indices or "0")
        sizes = ", ".join(str(self.sizes[index]) for index in z.indices) or "1"
        self._lines += [
            f"foreach ({place or self._value()}) = ({zeros}), ({sizes}) {{",
            *lines,
            f"store {element}, {z.memref.value}[{place}]",
            "}",
        ]

    def view(self, instruction: str, memref: Memref) -> Memref:
        """Write an instruction that makes a memref, and return the memref."""
        type_ = memref_text(self._type, memref.shape, memref.strides, memref.space)
        self._lines.append(f"{memref.value} = {instruction} : {type_}")
        return memref

    @contextlib.contextmanager
    def _loops(self, indices: str, done: str) -> Iterator[None]:
        """Write loops over the indices that are not done by the instruction inside."""
        looped = [i for i in reversed(indices) if i not in done]
        for i in looped:
            self._open_loop(i)
        yield
        self._close_loops(looped)

    @contextlib.contextmanager
    def _sums(self, indices: str, done: str, beta: str) -> Iterator[str]:
        """Write loops that sum up; yield beta in the first step and 1 in the others."""
        looped = [i for i in reversed(indices) if i not in done]
        for i in looped:
            self._open_loop(i)
            if beta == self.number(1):
                continue
            is_first, factor = self._value(), self._value()
            self._lines += [
                f"{is_first} = equal {self.own(i)}, {self._constant('c0', 0, 'index')} : bool",
                f"{factor} = if {is_first} -> ({self._type}) {{",
                f"yield ({beta})",
                "} else {",
                f"yield ({self.number(1)})",
                "}",
            ]
            beta = factor
        yield beta
        self._close_loops(looped)

    def _open_loop(self, index: str) -> None:
        size = self.sizes[index]
        self._trips *= size
        first, end = (self._constant(f"c{n}", n, "index") for n in (0, size))
        self._lines.append(f"for {self.own(index)} = {first}, {end} {{")

    def _close_loops(self, indices: Iterable[str]) -> None:
        for i in indices:
            self._trips //= self.sizes[i]
            self._lines.append("}")

    def _call(self, name: str, *operands: str) -> None:
        self._calls += self._trips
        self._lines.append(f"{name} {', '.join(operands)}")

    def _constant(self, base: str, value: complex, type_: str) -> str:
        if base not in self._constants:
            is_name = base.isidentifier()
            name = self.own(base) if is_name else self._value()
            self._constants[base] = f"{name} = constant {constant_text(value, type_)} : {type_}"
        return self._constants[base].partition(" ")[0]

    def _value(self) -> str:
        self._values += 1
        return self.own(f"v{self._values}")

    def _size(self, indices: str) -> int:
        return math.prod(self.sizes[index] for index in indices)
