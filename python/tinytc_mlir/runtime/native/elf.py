# SPDX-License-Identifier: BSD-3-Clause
"""Reads object files of kernels."""

from __future__ import annotations

import struct
from collections.abc import Container, Iterator
from typing import NamedTuple

from ...errors import TinyTCError

_MAGIC = b"\x7fELF\x02\x01"  # 64 bits, little endian
_HEADER = struct.Struct("<16xHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_RELOCATABLE, _X86_64, _AARCH64 = 1, 62, 183
_SYMBOLS, _RELOCATIONS, _NO_BITS, _ALLOCATED = 2, 4, 8, 2
_GLOBAL = 1
_TAKEN_PREFIX = "__tinytc_kernel_"
_TILE_SHAPES = "__tinytc_tile_shapes"
_COMMON = 0xFF00  # section numbers from here on are none
_MACHINES = {_X86_64: "x86-64", _AARCH64: "aarch64"}


def kernel_symbol(kernel: str, defined: Container[str]) -> str:
    """Return the symbol of a kernel: not its name if that is taken, as by a function of C."""
    has_name = kernel in defined and not kernel.startswith("__")
    return kernel if has_name else f"{_TAKEN_PREFIX}{kernel}"


class Section(NamedTuple):
    """A section of an object file."""

    name: str
    type: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int

    @property
    def is_loaded(self) -> bool:
        """Whether it belongs into memory: nothing unwinds the stack of a kernel."""
        return bool(self.flags & _ALLOCATED) and self.size > 0 and self.name != ".eh_frame"


class Symbol(NamedTuple):
    """A symbol of an object file; its section is 0 if it is elsewhere."""

    name: str
    section: int
    value: int
    size: int
    is_global: bool


class ObjectFile:
    """An object file as the compiler wrote it.

    Args:
        code: its bytes.
        name: what errors call it.

    Raises:
        TinyTCError: it is damaged, or no object file.
    """

    def __init__(self, code: bytes, name: str) -> None:
        self._code = code
        if code[: len(_MAGIC)] != _MAGIC or len(code) < _HEADER.size:
            raise TinyTCError(f"{name}: expected an object file, got other contents")
        header = _HEADER.unpack_from(code)
        if header[0] != _RELOCATABLE:
            raise TinyTCError(f"{name}: expected a relocatable object file, got type {header[0]}")
        self.machine = _MACHINES.get(header[1], f"machine {header[1]}")
        try:
            self.sections = self._read_sections(header[5], header[-2], header[-1])
            self.symbols = list(self._read_symbols())
        except (struct.error, IndexError, ValueError) as error:
            message = f"{name}: expected a whole object file, got a part: {error}"
            raise TinyTCError(message) from None

    def _read_sections(self, offset: int, count: int, names: int) -> list[Section]:
        found = [_SECTION.unpack_from(self._code, offset + i * _SECTION.size) for i in range(count)]
        if any(s[4] + s[5] > len(self._code) for s in found if s[1] != _NO_BITS):
            raise ValueError(f"it has {len(self._code)} bytes")
        strings = found[names][4]
        return [
            Section(self._string(strings + s[0]), s[1], s[2], s[4], s[5], s[6], s[7], s[8])
            for s in found
        ]

    def _string(self, offset: int) -> str:
        return self._code[offset : self._code.index(b"\0", offset)].decode()

    def _read_symbols(self) -> Iterator[Symbol]:
        for section in self.sections:
            if section.type != _SYMBOLS:
                continue
            strings = self.sections[section.link].offset
            for offset in range(section.offset, section.offset + section.size, _SYMBOL.size):
                name, info, _, number, value, size = _SYMBOL.unpack_from(self._code, offset)
                is_global = info >> 4 == _GLOBAL
                yield Symbol(self._string(strings + name), number, value, size, is_global)

    def functions(self) -> list[str]:
        """Return the names that the file defines."""
        return [s.name for s in self.symbols if s.name and 0 < s.section < _COMMON]

    def has_tiles(self) -> bool:
        """Whether the code uses tile registers, which it gives shapes."""
        return any(name.startswith(_TILE_SHAPES) for name in self.functions())

    def exported(self) -> list[str]:
        """Return the names that other files may use."""
        return [s.name for s in self.symbols if s.is_global and 0 < s.section < _COMMON]

    def undefined(self) -> list[str]:
        """Return the names that the file needs from elsewhere."""
        return [s.name for s in self.symbols if s.name and s.section == 0]

    def relocations(self) -> Iterator[tuple[int, int, int, Symbol, int]]:
        """Yield section, place in it, kind, symbol and addend."""
        for section in self.sections:
            if section.type != _RELOCATIONS:
                continue
            for offset in range(section.offset, section.offset + section.size, _RELOCATION.size):
                place, info, addend = _RELOCATION.unpack_from(self._code, offset)
                yield section.info, place, info & 0xFFFFFFFF, self.symbols[info >> 32], addend

    def contents(self, section: Section) -> bytes:
        """Return the bytes of a section."""
        if section.type == _NO_BITS:
            return bytes(section.size)
        return self._code[section.offset : section.offset + section.size]
