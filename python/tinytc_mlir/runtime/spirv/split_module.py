# SPDX-License-Identifier: BSD-3-Clause
"""Divides programs for CPUs into modules of one kernel.

The driver builds the kernels of a module one after the other, in 20 to 300 ms each. A part is built
when its kernel is used for the first time, and several processes can build the parts of a program.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import struct
from collections.abc import Iterator, Sequence

from ..manifest import Manifest
from ..protocol import Binary
from .code import check_spirv, entry_name

_HEAD_WORDS = 5
_ENTRY_POINT, _FUNCTION, _FUNCTION_END = 15, 54, 56
# Instructions about an id, which is their first operand: names, modes of execution, decorations.
_ABOUT_AN_ID = {5, 6, 16, 71, 72, 331, 332, 5632, 5633}
# Instructions that define an id, by the place of the id in them: strings and types; undefined
# values, constants and variables.
_DEFINING = {
    **dict.fromkeys((7, *range(19, 39)), 1),
    **dict.fromkeys((1, *range(41, 47), *range(48, 53), 59), 2),
}
# Operands that are no ids, from one place to another. What is taken for an id without being one
# may be kept for nothing.
_NO_IDS = {
    **dict.fromkeys((10, 11, 14, 17), (1, None)),  # extensions, imported sets, memory model, ...
    **dict.fromkeys((7, 8, 21, 22, 247, 256, 257), (2, None)),  # strings, lines, numbers, merges
    **dict.fromkeys((23, 43, 50, 62, 63, 246, 251), (3, None)),  # sizes, values, stores, loops
    **dict.fromkeys((61, 64, 81, 250), (4, None)),  # loads, places of elements, weights
    **dict.fromkeys((79, 82), (5, None)),  # places of elements
    32: (2, 3),  # the storage class of a type, and of a variable; the control of a function
    **dict.fromkeys((54, 59), (3, 4)),
    **dict.fromkeys((12, *range(264, 272), *range(349, 365)), (4, 5)),  # names of operations
}
_MOST_KEPT = 8  # programs whose instructions are remembered
_CPU, _PROGRAM = "cpu", "program"  # in manifests, and in errors

_Words = Sequence[int]


@dataclasses.dataclass(frozen=True)
class KernelModule:
    """A program with one of the kernels of a larger one.

    Args:
        code: the SPIR-V.
        manifest: the description of the kernel.
    """

    code: bytes
    manifest: Manifest

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 of the code."""
        return hashlib.sha256(self.code).hexdigest()


def part_of(program: Binary, name: str) -> Binary:
    """Return the part of a program that has a kernel, the program itself if it has no other.

    Args:
        program: a program in SPIR-V.
        name: name of a kernel of its manifest.

    Raises:
        TinyTCError: the program is not a SPIR-V module, is truncated, or lacks the kernel.
    """
    kernels = program.manifest.kernels
    if len(kernels) == 1:
        return program
    own = tuple(kernel for kernel in kernels if kernel.name == name)
    manifest = dataclasses.replace(program.manifest, kernels=own)
    module = _module(program.code)
    if not module.has_kernel(name):
        check_spirv(program.code, manifest, _PROGRAM)
    return KernelModule(module.with_kernel(name), manifest)


class _Module:
    """The instructions of a SPIR-V module, by what they are kept for."""

    def __init__(self, code: bytes) -> None:
        self._code = code
        self._entries: dict[str, int] = {}  # ids of kernels
        self._needs: dict[int, set[int]] = {}  # numbers in what defines an id; some are ids
        self._always: set[int] = set()  # numbers in what every part keeps
        self._pieces: list[tuple[int | None, slice]] = []  # with the id that they are kept for
        function: int | None = None  # the one that instructions belong to
        for opcode, words, where in _instructions(code):
            key = self._key(opcode, words) if function is None else function
            self._append(key, where)
            if opcode != _ENTRY_POINT and opcode not in _ABOUT_AN_ID:
                first, end = _NO_IDS.get(opcode, (len(words), None))
                needs = self._always if key is None else self._needs.setdefault(key, set())
                needs.update(words[1:first], words[end:] if end else ())
            if opcode in (_FUNCTION, _FUNCTION_END):
                function = key if opcode == _FUNCTION else None
        for needs in self._needs.values():
            needs.intersection_update(self._needs)

    def _key(self, opcode: int, words: _Words) -> int | None:
        """Return the id without which an instruction is left out, None if there is none."""
        if opcode in _ABOUT_AN_ID:
            return words[1]
        if opcode == _ENTRY_POINT:
            name = entry_name(words)
            self._entries[name] = words[2]
            variables = words[4 + len(name.encode()) // 4 :]
            self._needs.setdefault(words[2], set()).update(variables)
        place = 2 if opcode in (_ENTRY_POINT, _FUNCTION) else _DEFINING.get(opcode)
        return None if place is None else words[place]

    def _append(self, key: int | None, where: slice) -> None:
        if self._pieces and self._pieces[-1][0] == key:
            where = slice(self._pieces.pop()[1].start, where.stop)
        self._pieces.append((key, where))

    def has_kernel(self, name: str) -> bool:
        """Whether there is a kernel of that name."""
        return name in self._entries

    def with_kernel(self, name: str) -> bytes:
        """Return the module without what only other kernels need."""
        kept: set[int] = set()
        others = set(self._entries.values()) - {self._entries[name]}
        waiting = self._always & self._needs.keys() - others | {self._entries[name]}
        while waiting:
            kept |= waiting
            waiting = set().union(*(self._needs[key] for key in waiting)) - kept - others
        pieces = [self._code[: 4 * _HEAD_WORDS]]
        pieces += [self._code[where] for key, where in self._pieces if key is None or key in kept]
        return b"".join(pieces)


@functools.lru_cache(_MOST_KEPT)
def _module(code: bytes) -> _Module:
    check_spirv(code, Manifest(_CPU, ()), _PROGRAM)
    return _Module(code)


def _instructions(code: bytes) -> Iterator[tuple[int, _Words, slice]]:
    """Yield opcode, words and place of every instruction."""
    words = struct.unpack(f"<{len(code) // 4}I", code)
    position = _HEAD_WORDS
    while position < len(words):
        size, opcode = words[position] >> 16, words[position] & 0xFFFF
        end = position + size
        yield opcode, words[position:end], slice(4 * position, 4 * end)
        position = end
