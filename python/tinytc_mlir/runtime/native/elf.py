# SPDX-License-Identifier: BSD-3-Clause
"""Loads object files of kernels into this process: what a linker does, for the little they need.

The compiler writes position-independent code, so that sections are copied next to each other and a
few kinds of relocations are left. Functions of the C library are called through stubs, since they
may be too far away.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import mmap
import os
import struct
from collections.abc import Iterator, Sequence

from ... import switches
from ...errors import TinyTCError

_MAGIC = b"\x7fELF\x02\x01"  # 64 bits, little endian
_HEADER = struct.Struct("<16xHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_RELOCATABLE, _X86_64, _AARCH64 = 1, 62, 183
_SYMBOLS, _RELOCATIONS, _NO_BITS, _ALLOCATED = 2, 4, 8, 2
_GLOBAL = 1
_COMMON = 0xFF00  # section numbers from here on are none
# Relocations of x86-64: by an address, relative to the place, through a stub or a table.
_ABS64, _PC32, _PLT32, _PC64 = 1, 2, 4, 24
_THROUGH_TABLE = (9, 41, 42)
_STUB = b"\xff\x25\x00\x00\x00\x00"  # jmp *0(%rip), followed by the address
_STUB_BYTES = 16
_MACHINES = {_X86_64: "x86-64", _AARCH64: "aarch64"}


@dataclasses.dataclass(frozen=True)
class _Section:
    name: str
    type: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int


@dataclasses.dataclass(frozen=True)
class _Symbol:
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

    def _read_sections(self, offset: int, count: int, names: int) -> list[_Section]:
        found = [_SECTION.unpack_from(self._code, offset + i * _SECTION.size) for i in range(count)]
        if any(s[4] + s[5] > len(self._code) for s in found if s[1] != _NO_BITS):
            raise ValueError(f"it has {len(self._code)} bytes")
        strings = found[names][4]
        return [
            _Section(self._string(strings + s[0]), s[1], s[2], s[4], s[5], s[6], s[7], s[8])
            for s in found
        ]

    def _string(self, offset: int) -> str:
        return self._code[offset : self._code.index(b"\0", offset)].decode()

    def _read_symbols(self) -> Iterator[_Symbol]:
        for section in self.sections:
            if section.type != _SYMBOLS:
                continue
            strings = self.sections[section.link].offset
            for offset in range(section.offset, section.offset + section.size, _SYMBOL.size):
                name, info, _, number, value, size = _SYMBOL.unpack_from(self._code, offset)
                is_global = info >> 4 == _GLOBAL
                yield _Symbol(self._string(strings + name), number, value, size, is_global)

    def functions(self) -> list[str]:
        """Return the names that the file defines."""
        return [s.name for s in self.symbols if s.name and 0 < s.section < _COMMON]

    def exported(self) -> list[str]:
        """Return the names that other files may use."""
        return [s.name for s in self.symbols if s.is_global and 0 < s.section < _COMMON]

    def undefined(self) -> list[str]:
        """Return the names that the file needs from elsewhere."""
        return [s.name for s in self.symbols if s.name and s.section == 0]

    def relocations(self) -> Iterator[tuple[int, int, int, _Symbol, int]]:
        """Yield section, place in it, kind, symbol and addend."""
        for section in self.sections:
            if section.type != _RELOCATIONS:
                continue
            for offset in range(section.offset, section.offset + section.size, _RELOCATION.size):
                place, info, addend = _RELOCATION.unpack_from(self._code, offset)
                yield section.info, place, info & 0xFFFFFFFF, self.symbols[info >> 32], addend

    def contents(self, section: _Section) -> bytes:
        """Return the bytes of a section."""
        if section.type == _NO_BITS:
            return bytes(section.size)
        return self._code[section.offset : section.offset + section.size]


@functools.cache
def _libraries() -> Sequence[ctypes.CDLL]:
    return ctypes.CDLL(None), ctypes.CDLL("libm.so.6")


def _address_of(name: str) -> int:
    """Return the address of a function of the C library."""
    for library in _libraries():
        try:
            function = library[name]
        except AttributeError:
            continue
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    raise TinyTCError(f"expected a function of the C library, got {name}")


def _is_loaded(section: _Section) -> bool:
    # Nothing unwinds the stack of a kernel.
    return bool(section.flags & _ALLOCATED) and section.size > 0 and section.name != ".eh_frame"


class LoadedObject:
    """The code of an object file in memory, as long as this lives.

    Args:
        file: the file, for x86-64.

    Raises:
        TinyTCError: the file needs what this process does not have.
    """

    def __init__(self, file: ObjectFile) -> None:
        self._places: dict[int, int] = {}
        end = 0
        for number, section in enumerate(file.sections):
            if _is_loaded(section):
                end = -(-end // max(section.alignment, 1)) * max(section.alignment, 1)
                self._places[number] = end
                end += section.size
        self._stubs: dict[str, int] = {}
        self._next_stub = -(-end // _STUB_BYTES) * _STUB_BYTES
        size = self._next_stub + _STUB_BYTES * len(file.symbols)
        self._memory = mmap.mmap(-1, max(size, 1), prot=mmap.PROT_READ | mmap.PROT_WRITE)
        self._anchor = ctypes.c_char.from_buffer(self._memory)
        self._base = ctypes.addressof(self._anchor)
        for number, place in self._places.items():
            contents = file.contents(file.sections[number])
            self._memory[place : place + len(contents)] = contents
        for owner, offset, kind, symbol, addend in file.relocations():
            if owner in self._places:
                self._relocate(self._places[owner] + offset, kind, symbol, addend)
        self.addresses = {
            s.name: self._base + self._places[s.section] + s.value
            for s in file.symbols
            if s.name and s.section in self._places
        }
        self._protect(size)
        if switches.PERF_MAP.is_on():
            self._list_functions(file)

    def _list_functions(self, file: ObjectFile) -> None:
        """Write names and addresses where perf looks for those of code made in memory."""
        lines = [
            f"{self.addresses[s.name]:x} {s.size:x} {s.name}\n"
            for s in file.symbols
            if s.name in self.addresses and s.size > 0
        ]
        with open(f"/tmp/perf-{os.getpid()}.map", "a", encoding="utf-8") as listing:
            listing.writelines(lines)

    def _relocate(self, place: int, kind: int, symbol: _Symbol, addend: int) -> None:
        here = self._base + place
        if kind == _ABS64:
            struct.pack_into("<Q", self._memory, place, self._target(symbol) + addend)
        elif kind == _PC64:
            struct.pack_into("<q", self._memory, place, self._target(symbol) + addend - here)
        elif kind in (_PC32, _PLT32):
            is_far = symbol.section == 0
            target = self._base + self._stub(symbol) if is_far else self._target(symbol)
            struct.pack_into("<i", self._memory, place, target + addend - here)
        elif kind in _THROUGH_TABLE:
            entry = self._base + self._stub(symbol) + len(_STUB)
            struct.pack_into("<i", self._memory, place, entry + addend - here)
        else:
            raise TinyTCError(f"expected relocations of position-independent code, got {kind}")

    def _target(self, symbol: _Symbol) -> int:
        if symbol.section in self._places:
            return self._base + self._places[symbol.section] + symbol.value
        return _address_of(symbol.name)

    def _stub(self, symbol: _Symbol) -> int:
        """Return the place of a jump to a symbol, which has the address in it."""
        key = symbol.name or f"{symbol.section}+{symbol.value}"
        place = self._stubs.get(key)
        if place is None:
            place = self._stubs[key] = self._next_stub
            self._next_stub += _STUB_BYTES
            code = _STUB + struct.pack("<Q", self._target(symbol))
            self._memory[place : place + len(code)] = code
        return place

    def _protect(self, size: int) -> None:
        """Let the code run, and no one write it any more."""
        protect = _libraries()[0].mprotect
        protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        if protect(self._base, max(size, 1), mmap.PROT_READ | mmap.PROT_EXEC) != 0:
            raise TinyTCError("expected memory that code can run in, got none from the system")
