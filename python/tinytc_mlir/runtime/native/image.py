# SPDX-License-Identifier: BSD-3-Clause
"""Puts object files of kernels into memory: what a linker does, for the little they need.

The compiler writes position-independent code, so that sections are copied next to each other and a
few kinds of relocations are left. Functions of the C library are called through stubs, since they
may be too far away.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import os
import platform
import struct
from collections.abc import Callable, Sequence

from ... import switches
from ..._arrays import clear_instruction_cache
from ...errors import TinyTCError
from .elf import ObjectFile, Symbol
from .relocations import MACHINES, STUB_BYTES


def _aligned(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment


class Image:
    """Code and constants of an object file, as they are in memory at some address.

    Args:
        file: the file.
        address_of: returns the address of a function that the file needs.

    Raises:
        TinyTCError: the code is for an unknown machine.
    """

    def __init__(self, file: ObjectFile, address_of: Callable[[str], int]) -> None:
        if file.machine not in MACHINES:
            raise TinyTCError(f"expected code for {' or '.join(MACHINES)}, got {file.machine}")
        self._file, self._address_of = file, address_of
        self._machine = MACHINES[file.machine]
        self._places: dict[int, int] = {}
        end = 0
        for number, section in enumerate(file.sections):
            if section.is_loaded:
                self._places[number] = end = _aligned(end, max(section.alignment, 1))
                end += section.size
        self._first_stub = _aligned(end, STUB_BYTES)
        #: Bytes that it has.
        self.size = max(self._first_stub + STUB_BYTES * len(file.symbols), 1)

    def at(self, base: int) -> bytearray:
        """Return the bytes for an address, which is a multiple of 4096."""
        memory = bytearray(self.size)
        for number, place in self._places.items():
            contents = self._file.contents(self._file.sections[number])
            memory[place : place + len(contents)] = contents
        stubs: dict[str, int] = {}
        for owner, offset, kind, symbol, addend in self._file.relocations():
            if owner not in self._places:
                continue
            place = self._places[owner] + offset
            is_in_table = kind in self._machine.through_table
            if is_in_table or (symbol.section == 0 and kind in self._machine.through_stub):
                target = base + self._stub(symbol, base, memory, stubs)
                target += len(self._machine.stub) if is_in_table else 0
            else:
                target = self._target(symbol, base)
            self._machine.write(memory, place, kind, target + addend, base + place)
        return memory

    def addresses(self, base: int) -> dict[str, int]:
        """Return the addresses of symbols, by name."""
        return {
            s.name: base + self._places[s.section] + s.value
            for s in self._file.symbols
            if s.name and s.section in self._places
        }

    def _target(self, symbol: Symbol, base: int) -> int:
        if symbol.section in self._places:
            return base + self._places[symbol.section] + symbol.value
        return self._address_of(symbol.name)

    def _stub(self, symbol: Symbol, base: int, memory: bytearray, stubs: dict[str, int]) -> int:
        """Return the place of a jump to a symbol, which has the address in it."""
        key = symbol.name or f"{symbol.section}+{symbol.value}"
        if key not in stubs:
            place = stubs[key] = self._first_stub + STUB_BYTES * len(stubs)
            code = self._machine.stub + struct.pack("<Q", self._target(symbol, base))
            memory[place : place + len(code)] = code
        return stubs[key]


@functools.cache
def _libraries() -> Sequence[ctypes.CDLL]:
    everything = ctypes.CDLL(None)
    # The C library of macOS has the functions of math, too.
    return (everything, ctypes.CDLL("libm.so.6")) if platform.system() == "Linux" else (everything,)


def _address_of(name: str) -> int:
    """Return the address of a function of the C library."""
    for library in _libraries():
        try:
            function = library[name]
        except AttributeError:
            continue
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    raise TinyTCError(f"expected a function of the C library, got {name}")


class LoadedObject:
    """The code of an object file in memory, as long as this lives.

    Raises:
        TinyTCError: the file needs what this process does not have.
    """

    def __init__(self, file: ObjectFile) -> None:
        image = Image(file, _address_of)
        self._memory = mmap.mmap(-1, image.size, prot=mmap.PROT_READ | mmap.PROT_WRITE)
        self._anchor = ctypes.c_char.from_buffer(self._memory)
        base = ctypes.addressof(self._anchor)
        self._memory[:] = image.at(base)
        self.addresses = image.addresses(base)
        _let_run(base, image.size)
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


def _let_run(base: int, size: int) -> None:
    """Make code in memory executable and read-only."""
    clear_instruction_cache(base, size)
    protect = _libraries()[0].mprotect
    protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    if protect(base, size, mmap.PROT_READ | mmap.PROT_EXEC) != 0:
        raise TinyTCError("expected memory that code can run in, got none from the system")
