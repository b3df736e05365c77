# SPDX-License-Identifier: BSD-3-Clause
"""Modules of SPIR-V."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ...reference.untyped import Value
from ..findings import Unsupported
from ..memory import ARENA, placed
from ..numbers import UNSIGNED
from .words import BUILT_INS, STORAGE_CLASSES, Instruction, instructions

FLOATS = {16: np.float16, 32: np.float32, 64: np.float64}


@dataclasses.dataclass(frozen=True)
class Type:
    """A type.

    Args:
        kind: "int", "float", "bool", "void", "vector", "array", "pointer" or "function".
        bits: of a number.
        element: what a vector, array or pointer has or points to.
        count: elements of a vector or array.
        space: storage class of a pointer.
    """

    kind: str
    bits: int = 0
    element: Any = None
    count: int = 1
    space: str = ""

    @property
    def is_vector(self) -> bool:
        """Whether it is a vector."""
        return self.kind == "vector"

    @property
    def scalar(self) -> Type:
        """The type of the numbers in it."""
        return self.element.scalar if self.kind in ("vector", "array") else self

    @property
    def dtype(self) -> Any:
        """The type of NumPy."""
        scalar = self.scalar
        if scalar.kind == "float":
            return FLOATS[scalar.bits]
        return {"bool": np.bool_, "pointer": np.uint64}.get(scalar.kind) or UNSIGNED[scalar.bits]

    @property
    def size_bytes(self) -> int:
        """Bytes in memory."""
        if self.kind in ("vector", "array"):
            count = 4 if self.is_vector and self.count == 3 else self.count
            return int(self.element.size_bytes * count)
        return {"bool": 1, "pointer": 8}.get(self.kind) or self.bits // 8

    def empty(self, count: int) -> Value:
        """Return an array of this type for each of `count` work-items, filled with garbage."""
        shape = (count, self.count) if self.is_vector else (count,)
        if self.scalar.kind == "bool":
            return np.zeros(shape, bool)
        raw = np.full(int(np.prod(shape)) * np.dtype(self.dtype).itemsize, 0xA5, np.uint8)
        return raw.view(self.dtype).reshape(shape)


#: Instructions outside of functions that change no number.
SILENT = (
    *("SourceContinued", "Source", "SourceExtension", "Name", "MemberName", "String", "Line"),
    *("NoLine", "Extension", "Capability", "ModuleProcessed"),
)
STORAGE = frozenset(STORAGE_CLASSES.values())
CONSTANTS = ("Constant", "ConstantTrue", "ConstantFalse", "ConstantNull", "ConstantComposite")


class Module:
    """A module.

    Attributes:
        types, constants: by number. `type_of` has the types of all values.
        functions: numbers of the imported set of OpenCL's functions.
        builtins, imports: names of built-in variables and of functions of the driver.
        variables: storage class of each variable outside of functions.
        globals: address of each variable in global memory.
        kernels: number of the function of each kernel by name; `modes` are its execution modes.
        code: instructions of each function.
    """

    def __init__(self, binary: bytes) -> None:
        self.types: dict[int, Type] = {}
        self.constants: dict[int, Value] = {}
        self.type_of: dict[int, Type] = {}
        self.builtins: dict[int, str] = {}
        self.imports: dict[int, str] = {}
        self.variables: dict[int, str] = {}
        self.globals: dict[int, int] = {}
        self.kernels: dict[str, int] = {}
        self.modes: dict[int, dict[str, list[int]]] = {}
        self.functions: set[int] = set()
        self.code: dict[int, list[Instruction]] = {}
        self.compiled: dict[int, Any] = {}
        self._function: int | None = None
        for instruction in instructions(binary):
            self._read(instruction)

    def _read(self, ins: Instruction) -> None:
        if ins.name == "Function":
            self._function = ins.result
            self.code[ins.value] = []
        elif ins.name == "FunctionEnd":
            self._function = None
        elif self._function is not None:
            self.code[self._function].append(ins)
        elif ins.name.startswith("Type"):
            self.types[ins.value] = self._type(ins.name[4:], ins)
        elif ins.name in (*CONSTANTS, "Undef"):
            type_ = self.types[ins.id(0)]
            self.type_of[ins.value] = type_
            self.constants[ins.value] = self.constant(ins, type_)
        elif ins.name == "Variable":
            self.type_of[ins.value] = self.types[ins.id(0)]
            if ins.words[1] not in STORAGE:
                raise Unsupported(ins)
            self.variables[ins.value] = ins.words[1]
            if len(ins.words) > 2:
                initial = np.ascontiguousarray(self.constants[ins.id(2)])
                self.globals[ins.value] = placed(self, initial.tobytes())
        else:
            self._annotate(ins)

    def _annotate(self, ins: Instruction) -> None:
        match (ins.name, *ins.words):
            case ("EntryPoint", "6", _, name, *_):  # of a kernel
                self.kernels[name] = ins.id(1)
            case ("ExecutionMode", _, "LocalSize" | "SubgroupSize" as mode, *sizes):
                self.modes.setdefault(ins.id(0), {})[mode] = [int(size) for size in sizes]
            case ("Decorate", _, "BuiltIn", name) if name in BUILT_INS.values():
                self.builtins[ins.id(0)] = name
            case ("Decorate", _, "Linkage", name, "Import"):
                self.imports[ins.id(0)] = name
            case ("ExtInstImport", "OpenCL.std"):
                self.functions.add(ins.value)
            case ("Decorate", _, "42") | ("ExecutionMode", _, "31"):
                pass  # NoContraction and ContractionOff: nothing is contracted here
            case ("Decorate", _, "44", size) if int(size) <= ARENA.ALIGNMENT:
                pass  # of a variable, which has a place of its own
            case ("Decorate", _, "Linkage", _, "Export") | ("MemoryModel", "2", "2"):
                pass  # that of OpenCL, with pointers of 64 bits
            case _ if ins.name not in SILENT:
                raise Unsupported(ins)

    def _type(self, kind: str, ins: Instruction) -> Type:
        words = ins.words
        sizes = {"Int": list(UNSIGNED), "Float": list(FLOATS)}.get(kind, [])
        if kind == "Float" and len(words) > 1:  # an encoding other than that of IEEE 754
            raise Unsupported(ins)
        if sizes and int(words[0]) in sizes:
            return Type(kind.lower(), bits=int(words[0]))
        if kind == "Vector":
            return Type("vector", element=self.types[ins.id(0)], count=int(words[1]))
        if kind == "Array" and ins.id(1) in self.constants:
            count = int(self.constants[ins.id(1)])
            return Type("array", element=self.types[ins.id(0)], count=count)
        if kind == "Pointer" and words[0] in STORAGE:
            return Type("pointer", element=self.types[ins.id(1)], space=words[0])
        if kind in ("Bool", "Void", "Function"):
            return Type(kind.lower())
        raise Unsupported(ins)

    def constant(self, ins: Instruction, type_: Type) -> Value:
        """Return the value of a constant."""
        if ins.name in ("ConstantTrue", "ConstantFalse"):
            return np.bool_(ins.name == "ConstantTrue")
        if ins.name == "ConstantComposite":
            return np.stack([self.constants[int(word[1:])] for word in ins.words[1:]])
        if ins.name == "Undef":
            return type_.empty(1)[0]
        if ins.name == "ConstantNull":
            return np.zeros(type_.count, type_.dtype) if type_.is_vector else type_.dtype(0)
        bits: Value = UNSIGNED[type_.bits](int(ins.words[1]) % 2**type_.bits)
        return bits.view(type_.dtype)
