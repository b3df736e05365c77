# SPDX-License-Identifier: BSD-3-Clause
"""Instructions of SPIR-V as statements of Python.

Value %7 is the array `v7` with an element or a row for each work-item; `i` selects who runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from ..findings import Unsupported
from .arithmetic import EXTENDED, TEMPLATES, expression, function_named
from .module import Module, Type
from .words import Instruction

PRIVATE_ALIGNMENT = 64


class Statements:
    """Writes statements, and keeps the values that they name.

    Args:
        module: what the values outside of functions belong to.
        types: types of all values by number.

    Attributes:
        values: numbers of the values of a launch.
        private_bytes: private memory of a work-item.
    """

    def __init__(self, module: Module, types: Mapping[int, Type]) -> None:
        self.module, self.types = module, types
        self.values: set[int] = set()
        self.private_bytes = 0

    def operand(self, word: str) -> str:
        """Return the expression of an operand."""
        number = int(word[1:])
        if number in self.module.constants:
            return f"c{number}"
        if number in self.module.variables:
            return f"g{number}"
        self.values.add(number)
        return f"v{number}[i]"

    def _operands(self, words: Sequence[str]) -> list[str]:
        return [self.operand(w) for w in words if re.fullmatch(r"%\d+", w)]

    def write(self, ins: Instruction) -> list[str]:
        """Return the statements of an instruction."""
        if ins.result is not None:
            self.values.add(ins.value)
        if ins.name in ("MemoryBarrier", "Nop", "Undef"):
            return ["pass"]
        special: Callable[..., list[str]] | None = getattr(self, _method(ins.name), None)
        if special:
            return special(ins)
        if ins.name.startswith("Atomic"):
            return self._atomic(ins)
        if ins.name.endswith("PtrAccessChain"):
            return self._pointer_chain(ins)
        if ins.name.endswith("AccessChain"):
            return self._chain(ins)
        if ins.name not in TEMPLATES:
            raise Unsupported(ins)
        type_ = self.types[ins.value]
        return self._assign(
            ins, expression(TEMPLATES[ins.name], self._operands(ins.words[1:]), type_)
        )

    @staticmethod
    def _assign(ins: Instruction, value: str) -> list[str]:
        return [f"v{ins.result}[i] = {value}"]

    def _store(self, ins: Instruction) -> list[str]:
        pointer = self.types[ins.id(0)]
        address, value = self._operands(ins.words[:2])
        flags = _flags(ins, 2)
        return [f"store({pointer.space!r}, {address}, i, {value}, type{ins.id(0)}, {flags!r})"]

    def _load(self, ins: Instruction) -> list[str]:
        source, flags = ins.id(1), _flags(ins, 2)
        if self.module.variables.get(source) == "Input":
            if source not in self.module.builtins:
                raise Unsupported(ins)
            name = self.module.builtins[source]
            return self._assign(ins, f"special({name!r}, i).astype(v{ins.result}.dtype)")
        address = self.operand(ins.words[1])
        space = self.types[source].space
        return self._assign(ins, f"load({space!r}, {address}, i, type{source}, {flags!r})")

    def _variable(self, ins: Instruction) -> list[str]:
        pointer = self.types[ins.value]
        start = -(-self.private_bytes // PRIVATE_ALIGNMENT) * PRIVATE_ALIGNMENT
        self.private_bytes = start + pointer.element.size_bytes
        lines = self._assign(ins, f"u64({start})")
        if len(ins.words) > 2:
            value = self.operand(ins.words[2])
            target = f"v{ins.result}[i]"
            lines.append(f"store('Function', {target}, i, {value}, type{ins.result}, '')")
        return lines

    def _pointer_chain(self, ins: Instruction) -> list[str]:
        if len(ins.words) != 3:
            raise Unsupported(ins)
        base, index = self._operands(ins.words[1:])
        size = self.types[ins.id(1)].element.size_bytes
        offset = f"(signed({index}).astype(s64) * s64({size})).astype(u64)"
        return self._assign(ins, f"{base} + {offset}")

    def _chain(self, ins: Instruction) -> list[str]:
        base, *indices = self._operands(ins.words[1:])
        type_, value = self.types[ins.id(1)].element, base
        for index in indices:
            if type_.kind not in ("array", "vector"):
                raise Unsupported(ins)
            type_ = type_.element
            value += f" + np.asarray({index}).astype(u64) * u64({type_.size_bytes})"
        return self._assign(ins, value)

    def _bitcast(self, ins: Instruction) -> list[str]:
        (value,) = self._operands(ins.words[1:])
        to, source = self.types[ins.value], self.types[ins.id(1)]
        if "pointer" in (to.kind, source.kind):
            return self._assign(ins, value)
        return self._assign(ins, f"bitcast({value}, {source.is_vector}, v{ins.result}, i)")

    def _composite_extract(self, ins: Instruction) -> list[str]:
        if len(ins.words) != 3 or not self.types[ins.id(1)].is_vector:
            raise Unsupported(ins)
        return self._assign(ins, f"{self.operand(ins.words[1])}[..., {int(ins.words[2])}]")

    def _composite_insert(self, ins: Instruction) -> list[str]:
        if len(ins.words) != 4 or not self.types[ins.id(2)].is_vector:
            raise Unsupported(ins)
        value, vector = self._operands(ins.words[1:3])
        return [
            f"new = np.array(np.broadcast_to({vector}, v{ins.result}[i].shape))",
            f"new[..., {int(ins.words[3])}] = {value}",
            *self._assign(ins, "new"),
        ]

    def _composite_construct(self, ins: Instruction) -> list[str]:
        if not self.types[ins.value].is_vector:
            raise Unsupported(ins)
        lines, at = [f"new = np.empty_like(v{ins.result}[i])"], 0
        for word in ins.words[1:]:
            type_ = self.types[int(word[1:])]
            place = f"{at}:{at + type_.count}" if type_.is_vector else at
            lines.append(f"new[..., {place}] = {self.operand(word)}")
            at += type_.count if type_.is_vector else 1
        return [*lines, *self._assign(ins, "new")]

    def _vector_extract_dynamic(self, ins: Instruction) -> list[str]:
        return self._assign(ins, f"pick({', '.join(self._operands(ins.words[1:]))}, i)")

    def _vector_shuffle(self, ins: Instruction) -> list[str]:
        first, second = self._operands(ins.words[1:3])
        count = self.types[ins.id(1)].count
        if max(map(int, ins.words[3:])) >= count + self.types[ins.id(2)].count:
            raise Unsupported(ins)  # an element is undefined
        lines = [f"new = np.empty_like(v{ins.result}[i])"]
        for k, index in enumerate(map(int, ins.words[3:])):
            source = (
                f"{first}[..., {index}]" if index < count else f"{second}[..., {index - count}]"
            )
            lines.append(f"new[..., {k}] = {source}")
        return [*lines, *self._assign(ins, "new")]

    def _ext_inst(self, ins: Instruction) -> list[str]:
        name, operands = ins.words[2], self._operands(ins.words[3:])
        if ins.id(1) not in self.module.functions:
            raise Unsupported(ins)
        if name in EXTENDED:
            value = expression(EXTENDED[name], operands, self.types[ins.value])
        elif len(operands) == 1 and function_named(name):
            value = f"function({name!r}, {operands[0]})"
        else:
            raise Unsupported(ins)
        return self._assign(ins, value)

    def _atomic(self, ins: Instruction) -> list[str]:
        name = ins.name.removeprefix("Atomic")
        at = 0 if name == "Store" else 1
        pointer = self.types[ins.id(at)]
        address = self.operand(ins.words[at])
        if name == "Load":
            call = f"load({pointer.space!r}, {address}, i, type{ins.id(at)}, 'Atomic')"
            return self._assign(ins, call)
        # After the pointer come the scope and one set of semantics, or two.
        operands = self._operands(ins.words[at + (4 if name == "CompareExchange" else 3) :])
        values = ", ".join(operands)
        call = f"update({pointer.space!r}, {address}, i, {name!r}, type{ins.id(at)}, ({values},))"
        return [call] if ins.result is None else self._assign(ins, call)


def _flags(ins: Instruction, first: int) -> str:
    """Return the memory operands of an instruction."""
    flags = ins.words[first:]
    if not all(flag == "Nontemporal" or flag.startswith(("Volatile", "Aligned")) for flag in flags):
        raise Unsupported(ins)
    return " ".join(flags)


def _method(name: str) -> str:
    """Return the name of the method for an instruction: _vector_shuffle for VectorShuffle."""
    return re.sub("(?=[A-Z])", "_", name).lower()
