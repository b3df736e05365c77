"""Modules of SPIR-V, read from what `spirv-dis` prints."""

import dataclasses
import re
import subprocess

import numpy as np

from emulators.findings import Unsupported
from emulators.numbers import UNSIGNED

FLOATS = {16: np.float16, 32: np.float32, 64: np.float64}
#: The exponents from which hexadecimal floats stand for infinity and NaN.
TOP_EXPONENTS = {16: 16, 32: 128, 64: 1024}


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
    element: "Type | None" = None
    count: int = 1
    space: str = ""

    @property
    def is_vector(self):
        return self.kind == "vector"

    @property
    def scalar(self):
        """The type of the numbers in it."""
        return self.element.scalar if self.kind in ("vector", "array") else self

    @property
    def dtype(self):
        scalar = self.scalar
        if scalar.kind == "float":
            return FLOATS[scalar.bits]
        return {"bool": np.bool_, "pointer": np.uint64}.get(scalar.kind) or UNSIGNED[scalar.bits]

    @property
    def size_bytes(self):
        if self.kind in ("vector", "array"):
            count = 4 if self.is_vector and self.count == 3 else self.count
            return self.element.size_bytes * count
        return {"bool": 1, "pointer": 8}.get(self.kind) or self.bits // 8

    def empty(self, count):
        """Return an array of this type for each of `count` work-items, filled with garbage."""
        shape = (count, self.count) if self.is_vector else (count,)
        if self.scalar.kind == "bool":
            return np.zeros(shape, bool)
        raw = np.full(int(np.prod(shape)) * np.dtype(self.dtype).itemsize, 0xA5, np.uint8)
        return raw.view(self.dtype).reshape(shape)


@dataclasses.dataclass(frozen=True)
class Instruction:
    """An instruction: its result if it has one, its name without "Op", and its operands."""

    result: int | None
    name: str
    words: tuple[str, ...]

    def __str__(self):
        return f"Op{self.name} {' '.join(self.words)}"

    def id(self, index):
        """Return the number of an operand."""
        return int(self.words[index][1:])


_LINE = re.compile(r"(?:%(\d+) = )?Op(\w+)\s*(.*)")
_WORD = re.compile(r'"[^"]*"|\S+')
CONSTANTS = ("Constant", "ConstantTrue", "ConstantFalse", "ConstantNull", "ConstantComposite")


class Module:
    """A module.

    Attributes:
        types, constants: by number. `type_of` has the types of all values.
        builtins, imports: names of built-in variables and of functions of the driver.
        variables: storage class of each variable outside of functions.
        kernels: number of the function of each kernel by name; `modes` are its execution modes.
        code: instructions of each function.
    """

    def __init__(self, binary):
        command = ["spirv-dis", "--raw-id", "--no-color", "--no-header", "--no-indent", "-"]
        listing = subprocess.run(command, input=binary, capture_output=True, check=True).stdout
        self.types, self.constants, self.type_of = {}, {}, {}
        self.builtins, self.imports, self.variables = {}, {}, {}
        self.kernels, self.modes, self.code, self.compiled = {}, {}, {}, {}
        self._function = None
        for line in listing.decode().splitlines():
            match = _LINE.match(line.strip())
            if match:
                result = int(match[1]) if match[1] else None
                self._read(Instruction(result, match[2], tuple(_WORD.findall(match[3]))))

    def _read(self, ins):
        if ins.name == "Function":
            self._function = ins.result
            self.code[ins.result] = []
        elif ins.name == "FunctionEnd":
            self._function = None
        elif self._function is not None:
            self.code[self._function].append(ins)
        elif ins.name.startswith("Type"):
            self.types[ins.result] = self._type(ins.name[4:], ins)
        elif ins.name in (*CONSTANTS, "Undef"):
            type_ = self.types[ins.id(0)]
            self.type_of[ins.result] = type_
            self.constants[ins.result] = self.constant(ins, type_)
        elif ins.name == "Variable":
            self.type_of[ins.result] = self.types[ins.id(0)]
            self.variables[ins.result] = ins.words[1]
        else:
            self._annotate(ins)

    def _annotate(self, ins):
        if ins.name == "EntryPoint":
            self.kernels[ins.words[2].strip('"')] = ins.id(1)
        elif ins.name == "ExecutionMode":
            numbers = [int(word) for word in ins.words[2:] if word.isdigit()]
            self.modes.setdefault(ins.id(0), {})[ins.words[1]] = numbers
        elif ins.name == "Decorate" and ins.words[1] == "BuiltIn":
            self.builtins[ins.id(0)] = ins.words[2]
        elif ins.name == "Decorate" and ins.words[-1] == "Import":
            self.imports[ins.id(0)] = ins.words[2].strip('"')

    def _type(self, kind, ins):
        if kind in ("Int", "Float"):
            return Type(kind.lower(), bits=int(ins.words[0]))
        if kind == "Vector":
            return Type("vector", element=self.types[ins.id(0)], count=int(ins.words[1]))
        if kind == "Array":
            count = int(self.constants[ins.id(1)])
            return Type("array", element=self.types[ins.id(0)], count=count)
        if kind == "Pointer":
            return Type("pointer", element=self.types[ins.id(1)], space=ins.words[0])
        if kind in ("Bool", "Void", "Function"):
            return Type(kind.lower())
        raise Unsupported(f"OpType{kind}")

    def constant(self, ins, type_):
        """Return the value of a constant."""
        if ins.name in ("ConstantTrue", "ConstantFalse"):
            return np.bool_(ins.name == "ConstantTrue")
        if ins.name == "ConstantComposite":
            return np.stack([self.constants[int(word[1:])] for word in ins.words[1:]])
        if ins.name == "Undef":
            return type_.empty(1)[0]
        if ins.name == "ConstantNull":
            return np.zeros(type_.count, type_.dtype) if type_.is_vector else type_.dtype(0)
        if type_.kind == "int":
            return type_.dtype(int(ins.words[1], 0) % 2**type_.bits)
        return type_.dtype(_float(ins.words[1], type_.bits))


def _float(word, bits):
    if "0x" not in word:
        return float(word)
    match = re.fullmatch(r"(-?)0x1(?:\.([0-9a-f]*))?p\+(\d+)", word)
    if match and int(match[3]) == TOP_EXPONENTS[bits]:
        magnitude = np.nan if match[2] else np.inf
        return -magnitude if match[1] else magnitude
    return float.fromhex(word)
