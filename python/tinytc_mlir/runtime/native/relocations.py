# SPDX-License-Identifier: BSD-3-Clause
"""Writes addresses into machine code: the relocations of position-independent code.

The kinds and their formulas are those of the ELF supplements for x86-64 and for AArch64.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import ClassVar, NamedTuple

from ...errors import TinyTCError

#: Bytes of a jump to any address, and of the address.
STUB_BYTES = 16
_WORD = struct.Struct("<I")


class Machine(NamedTuple):
    """The facts of a processor that the loader needs.

    Args:
        stub: code that jumps to the address that follows it.
        through_stub: relocations that reach near addresses only, so that functions elsewhere are
            called through a stub.
        through_table: relocations of the place where an address is, for which the address in a stub
            serves.
        write: writes into memory, at a place in it, the relocation of a kind: the address of a
            target, seen from the address of the place.
    """

    stub: bytes
    through_stub: frozenset[int]
    through_table: frozenset[int]
    write: Callable[[bytearray, int, int, int, int], None]


class _X86:
    ABS64, PC32, PLT32, PC64 = 1, 2, 4, 24
    TABLE = frozenset({9, 41, 42})  # GOTPCREL, GOTPCRELX, REX_GOTPCRELX


class _Arm:
    ABS64, PREL64, PREL32 = 257, 260, 261
    # The page of an address, relative to the place: of a symbol, and of its entry in a table.
    PAGES = frozenset({275, 276, 311})
    BRANCHES = frozenset({282, 283})  # JUMP26, CALL26
    # An offset in a page, divided by the bytes of the access: ADD, loads and stores of 1 to 16
    # bytes, and the load of an entry of a table.
    SHIFT_OF: ClassVar = {277: 0, 278: 0, 284: 1, 285: 2, 286: 3, 299: 4, 312: 3}
    TABLE = frozenset({311, 312})


def _unknown(kind: int) -> TinyTCError:
    return TinyTCError(f"expected relocations of position-independent code, got {kind}")


def _write_x86(memory: bytearray, place: int, kind: int, target: int, here: int) -> None:
    if kind == _X86.ABS64:
        struct.pack_into("<Q", memory, place, target)
    elif kind == _X86.PC64:
        struct.pack_into("<q", memory, place, target - here)
    elif kind in (_X86.PC32, _X86.PLT32) or kind in _X86.TABLE:
        struct.pack_into("<i", memory, place, target - here)
    else:
        raise _unknown(kind)


def _write_aarch64(memory: bytearray, place: int, kind: int, target: int, here: int) -> None:
    if kind == _Arm.ABS64:
        struct.pack_into("<Q", memory, place, target)
    elif kind == _Arm.PREL64:
        struct.pack_into("<q", memory, place, target - here)
    elif kind == _Arm.PREL32:
        struct.pack_into("<i", memory, place, target - here)
    else:
        (word,) = _WORD.unpack_from(memory, place)
        _WORD.pack_into(memory, place, word | _field_aarch64(kind, target, here))


def _field_aarch64(kind: int, target: int, here: int) -> int:
    """Return the bits that a relocation sets in an instruction, where they were 0."""
    if kind in _Arm.PAGES:
        pages = (target >> 12) - (here >> 12)
        return (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5
    if kind in _Arm.BRANCHES:
        return (target - here) >> 2 & 0x3FFFFFF
    if kind in _Arm.SHIFT_OF:
        return (target & 0xFFF) >> _Arm.SHIFT_OF[kind] << 10
    raise _unknown(kind)


MACHINES = {
    "x86-64": Machine(
        b"\xff\x25\x00\x00\x00\x00",  # jmp *0(%rip)
        frozenset({_X86.PC32, _X86.PLT32}),
        _X86.TABLE,
        _write_x86,
    ),
    "aarch64": Machine(
        struct.pack("<II", 0x58000050, 0xD61F0200),  # ldr x16, 8; br x16
        _Arm.BRANCHES,
        _Arm.TABLE,
        _write_aarch64,
    ),
}
