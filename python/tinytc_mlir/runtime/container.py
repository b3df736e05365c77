"""The `.tinytc` file: a SPIR-V binary and its manifest, with a checksum over both.

A broken SPIR-V binary can crash the process inside the driver, so nothing reaches it unchecked.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator

from ..errors import TinyTCError
from .manifest import Manifest

MAGIC = b"\x89TTC\r\n\x1a\n"
FORMAT_VERSION = 1
# magic, version, SHA-256 of all that follows the digest, bytes of the manifest and of the binary
_HEAD = struct.Struct("<8sI32s")
_SIZES = struct.Struct("<QQ")

_SPIRV_MAGIC = 0x07230203
_SPIRV_HEAD_WORDS = 5
_OP_ENTRY_POINT = 15
_OP_FUNCTION_END = 56
_LONGEST_NAME = 100  # in messages


def pack(spirv: bytes, manifest: Manifest) -> bytes:
    """Return the contents of a `.tinytc` file.

    >>> len(pack(b"", Manifest("cpu", ()))) > _HEAD.size
    True
    """
    json = manifest.to_json().encode()
    payload = _SIZES.pack(len(json), len(spirv)) + json + spirv
    return _HEAD.pack(MAGIC, FORMAT_VERSION, hashlib.sha256(payload).digest()) + payload


def unpack(data: bytes, filename: str) -> tuple[bytes, Manifest]:
    """Return the SPIR-V binary and the manifest of a `.tinytc` file.

    Args:
        data: contents of the file.
        filename: name that errors carry.

    Raises:
        TinyTCError: the contents are not a whole, unchanged `.tinytc` file of this version.

    >>> unpack(b"GIF89a", "cat.gif")
    Traceback (most recent call last):
        ...
    tinytc_mlir.errors.TinyTCError: cat.gif: expected a .tinytc file, got other contents
    """
    if data[: len(MAGIC)] != MAGIC:
        raise TinyTCError(f"{filename}: expected a .tinytc file, got other contents")
    minimum = _HEAD.size + _SIZES.size
    if len(data) < minimum:
        raise TinyTCError(f"{filename}: expected at least {minimum} bytes, got {len(data)}")
    _, version, digest = _HEAD.unpack_from(data)
    if version != FORMAT_VERSION:
        raise TinyTCError(f"{filename}: expected format {FORMAT_VERSION}, got {version}")
    payload = data[_HEAD.size :]
    actual = hashlib.sha256(payload).digest()
    if actual != digest:
        raise TinyTCError(
            f"{filename}: expected checksum {digest.hex()[:16]}, got {actual.hex()[:16]}; "
            "the file is truncated or was changed"
        )
    return _split(payload, filename)


def _split(payload: bytes, filename: str) -> tuple[bytes, Manifest]:
    json_size, spirv_size = _SIZES.unpack_from(payload)
    if _SIZES.size + json_size + spirv_size != len(payload):
        raise TinyTCError(
            f"{filename}: expected {json_size} + {spirv_size} bytes of contents, "
            f"got {len(payload) - _SIZES.size}"
        )
    json = payload[_SIZES.size : _SIZES.size + json_size]
    spirv = payload[_SIZES.size + json_size :]
    manifest = Manifest.from_json(json)
    check_spirv(spirv, manifest, filename)
    return spirv, manifest


def check_spirv(spirv: bytes, manifest: Manifest, name: str) -> None:
    """Check that a binary is a whole SPIR-V module with the kernels of the manifest.

    Args:
        spirv: the binary.
        manifest: names the kernels.
        name: name of the binary in errors.

    Raises:
        TinyTCError: the binary is not a SPIR-V module, is truncated, or lacks a kernel.
    """
    if len(spirv) % 4 or len(spirv) < 4 * _SPIRV_HEAD_WORDS:
        raise TinyTCError(f"{name}: expected SPIR-V in whole words, got {len(spirv)} bytes")
    words = struct.unpack(f"<{len(spirv) // 4}I", spirv)
    if words[0] != _SPIRV_MAGIC:
        raise TinyTCError(f"{name}: expected SPIR-V magic {_SPIRV_MAGIC:#x}, got {words[0]:#x}")
    found = {_entry_name(words[at : at + size]) for at, size in _entry_points(words, name)}
    for kernel in manifest.kernels:
        if kernel.name not in found:
            raise TinyTCError(
                f"{name}: expected kernel {kernel.name[:_LONGEST_NAME]!r} in the SPIR-V binary, "
                f"got {', '.join(sorted(found)) or 'none'}"
            )


def _entry_points(words: tuple[int, ...], name: str) -> Iterator[tuple[int, int]]:
    """Yield position and number of words of every OpEntryPoint."""
    position = _SPIRV_HEAD_WORDS
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


def _entry_name(words: tuple[int, ...]) -> str:
    text = struct.pack(f"<{len(words) - 3}I", *words[3:])
    return text.split(b"\0", 1)[0].decode(errors="replace")
