# SPDX-License-Identifier: BSD-3-Clause
"""Checks of SPIR-V binaries before a driver sees them.

A broken one can crash the process inside the driver, so none reaches it unchecked.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from ...errors import TinyTCError
from ..manifest import Manifest

_MAGIC = 0x07230203
_HEAD_WORDS = 5
_OP_ENTRY_POINT = 15
_OP_FUNCTION = 54
_OP_FUNCTION_END = 56
_OP_DECORATE = 71
_BUILT_IN, _SUBGROUP_LOCAL_INVOCATION_ID = 11, 41
# Functions of a group and of a subgroup, but the broadcast, which gives all lanes the same.
_OPS_OF_LANES = frozenset({261, 262, *range(264, 272), *range(333, 367)})
_INLINE, _DONT_INLINE = 1, 2
_LONGEST_NAME = 100  # in messages


def check_spirv(spirv: bytes, manifest: Manifest, name: str) -> None:
    """Check that a binary is a whole SPIR-V module with the kernels of the manifest.

    Raises:
        TinyTCError: the binary is not a SPIR-V module, is truncated, or lacks a kernel.
    """
    if len(spirv) % 4 or len(spirv) < 4 * _HEAD_WORDS:
        raise TinyTCError(f"{name}: expected SPIR-V in whole words, got {len(spirv)} bytes")
    words = struct.unpack(f"<{len(spirv) // 4}I", spirv)
    if words[0] != _MAGIC:
        raise TinyTCError(f"{name}: expected SPIR-V magic {_MAGIC:#x}, got {words[0]:#x}")
    found = {entry_name(words[at : at + size]) for at, size in _entry_points(words, name)}
    for kernel in manifest.kernels:
        if kernel.name not in found:
            raise TinyTCError(
                f"{name}: expected kernel {kernel.name[:_LONGEST_NAME]!r} in the SPIR-V binary, "
                f"got {', '.join(sorted(found)) or 'none'}"
            )


def with_inlined_calls(spirv: bytes) -> bytes:
    """Return a module whose functions need not stay calls.

    PoCL gives subgroups to kernels alone, and to what is inlined in them.

    Args:
        spirv: a binary that `check_spirv` has checked.
    """
    words = list(struct.unpack(f"<{len(spirv) // 4}I", spirv))
    for position, opcode in _instructions(words):
        if opcode == _OP_FUNCTION and words[position + 3] & _DONT_INLINE:
            words[position + 3] ^= _DONT_INLINE | _INLINE
    return struct.pack(f"<{len(words)}I", *words)


def tells_lanes_apart(spirv: bytes) -> bool:
    """Whether a module computes with ids of lanes, or functions of a subgroup.

    Args:
        spirv: a binary that `check_spirv` has checked.
    """
    words = struct.unpack(f"<{len(spirv) // 4}I", spirv)
    for position, opcode in _instructions(words):
        decoration = words[position + 2 : position + 4] if opcode == _OP_DECORATE else ()
        if opcode in _OPS_OF_LANES or decoration == (_BUILT_IN, _SUBGROUP_LOCAL_INVOCATION_ID):
            return True
    return False


def _instructions(words: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield position and opcode of every instruction of a module that has been checked."""
    position = _HEAD_WORDS
    while position < len(words):
        yield position, words[position] & 0xFFFF
        position += words[position] >> 16


def _entry_points(words: tuple[int, ...], name: str) -> Iterator[tuple[int, int]]:
    """Yield position and number of words of every OpEntryPoint."""
    position = _HEAD_WORDS
    opcode = 0
    while position < len(words):
        size, opcode = words[position] >> 16, words[position] & 0xFFFF
        if size == 0 or position + size > len(words):
            raise TinyTCError(
                f"{name}: expected a SPIR-V instruction at word {position}, "
                f"got one of {size} words with {len(words) - position} words left"
            )
        if opcode == _OP_ENTRY_POINT and size > 3:
            yield position, size
        position += size
    if opcode != _OP_FUNCTION_END:
        raise TinyTCError(
            f"{name}: expected SPIR-V that ends with the end of a function, got opcode {opcode}"
        )


def entry_name(words: Sequence[int]) -> str:
    """Return the name of a kernel."""
    text = struct.pack(f"<{len(words) - 3}I", *words[3:])
    return text.split(b"\0", 1)[0].decode(errors="replace")
