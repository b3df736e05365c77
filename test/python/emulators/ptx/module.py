"""Modules of PTX: their entries, parameters, variables and instructions."""

import re

import numpy as np

from emulators.findings import Unsupported
from emulators.memory import round_up
from emulators.numbers import DTYPES, UNSIGNED

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
SIZES = {name: np.dtype(dtype).itemsize for name, dtype in DTYPES.items()}
FUNCTION = re.compile(r"(?:\.visible\s+|\.weak\s+)?\.(?:entry|func)\b")
VARIABLE = re.compile(
    r"(?P<extern>\.extern\s+)?\.(?P<space>shared|const|global)\s+\.align\s+(?P<align>\d+)\s+"
    r"\.(?P<type>\w+)\s+(?P<name>[\w$]+)(?:\[(?P<count>\d*)\])?"
    r"(?:\s*=\s*\{(?P<values>[^}]*)\})?\s*;"
)
SHARED_ALIGNMENT, CONSTANT_ALIGNMENT, FIRST_CONSTANT = 128, 256, 4096


class Module:
    """A module as the compiler writes it.

    Attributes:
        shared: offset of each variable in shared memory, and `shared_bytes` of all.
        dynamic: name of the variable whose size the launch gives.
        constants: offset of each variable in `constant_bytes`.
        entries: kernels by name.
    """

    def __init__(self, text):
        text = COMMENT.sub("", text)
        self.shared, self.shared_bytes, self.dynamic = {}, 0, None
        self.constants, self.constant_bytes = {}, bytearray(FIRST_CONSTANT)
        starts = [match.start() for match in FUNCTION.finditer(text)]
        self.declare(text[: starts[0]] if starts else text)
        self.entries = {}
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
            piece = text[start:end]
            if ".func" in piece.partition("(")[0]:
                raise Unsupported(".func")
            self.declare(piece[piece.rindex("}") + 1 :])
            entry = Entry(self, piece[: piece.rindex("}")])
            self.entries[entry.name] = entry

    def declare(self, text):
        """Read declarations of variables."""
        for match in VARIABLE.finditer(text):
            size = SIZES[match["type"]] * int(match["count"] or 1)
            if match["space"] == "const":
                self._declare_constant(match, size)
            elif match["space"] == "global":
                raise Unsupported(f"variable {match['name']} in global memory")
            elif match["extern"]:
                self.dynamic = match["name"]
            else:
                start = round_up(self.shared_bytes, int(match["align"]))
                self.shared[match["name"]] = start
                self.shared_bytes = start + size

    def _declare_constant(self, match, size):
        values = [int(v, 0) for v in (match["values"] or "").split(",") if v.strip()]
        dtype = UNSIGNED[SIZES[match["type"]] * 8]
        data = np.array(values, object).astype(dtype).tobytes().ljust(size, b"\0")
        self.constants[match["name"]] = len(self.constant_bytes)
        self.constant_bytes += data.ljust(round_up(size, CONSTANT_ALIGNMENT), b"\0")

    def address(self, name):
        """Return where a variable of the module is in its memory; None if there is none."""
        if name == self.dynamic:
            return round_up(self.shared_bytes, SHARED_ALIGNMENT)
        return self.shared.get(name, self.constants.get(name))


class Entry:
    """A kernel.

    Attributes:
        parameters: name and size in bytes of each.
        block: the shape that `.reqntid` requires, or None.
        widths: bits of registers, by name or by what names of a kind begin with.
        local: offset of each variable in the `local_bytes` of a thread.
        code: instructions as text, and `labels`, the index of the instruction after each.
    """

    def __init__(self, module, text):
        self.module = module
        head, _, body = text.partition("{")
        self.name = re.match(r".*?\.entry\s+([\w$]+)", head, re.DOTALL)[1]
        inside, _, attributes = head.partition("(")[2].rpartition(")")
        self.parameters = [_parameter(line) for line in inside.split(",") if line.strip()]
        match = re.search(r"\.reqntid\s+([\d, ]+)", attributes)
        sizes = [int(size) for size in match[1].split(",")] if match else []
        self.block = (*sizes, 1, 1)[:3] if match else None
        self.widths, self.local, self.local_bytes = {}, {}, 0
        self.code, self.labels = [], {}
        for statement in body.split(";"):
            self._read(self._strip_labels(statement))

    def _strip_labels(self, statement):
        statement = statement.strip()
        while match := re.match(r"([$\w]+):|[{}]", statement):
            if match[1]:
                self.labels[match[1]] = len(self.code)
            statement = statement[match.end() :].strip()
        return statement

    def _read(self, statement):
        if not statement or re.match(r"\.(pragma|loc)\b", statement):
            return
        if statement.startswith(".reg"):
            _, type_, names = statement.split(None, 2)
            for name in names.split(","):
                prefix = name.strip().partition("<")[0]
                self.widths[prefix] = 1 if type_ == ".pred" else SIZES[type_[1:]] * 8
        elif statement.startswith(".local"):
            match = re.match(r"\.local\s+\.align\s+(\d+)\s+\.(\w+)\s+([\w$]+)\[(\d+)\]", statement)
            start = round_up(self.local_bytes, int(match[1]))
            self.local[match[3]] = start
            self.local_bytes = start + int(match[4]) * SIZES[match[2]]
        elif statement.startswith(".shared"):
            self.module.declare(statement + ";")
        else:
            self.code.append(" ".join(statement.split()))

    def width(self, register):
        """Return the bits of a register, 1 for a predicate."""
        if register in self.widths:
            return self.widths[register]
        return self.widths[re.match(r"%[A-Za-z]+", register)[0]]

    def address(self, name):
        """Return where a variable is in its memory."""
        match = re.fullmatch(r"([\w$]+)(?:\s*\+\s*(-?\d+))?", name)
        start = self.local.get(match[1], self.module.address(match[1]))
        if start is None:
            raise Unsupported(f"variable {name}")
        return start + int(match[2] or 0)


def _parameter(text):
    words = text.split()
    match = re.fullmatch(r"([\w$]+)(?:\[(\d+)\])?", words[-1])
    type_ = next(word[1:] for word in words[1:] if word[1:] in SIZES)
    return match[1], SIZES[type_] * int(match[2] or 1)
