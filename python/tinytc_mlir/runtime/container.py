# SPDX-License-Identifier: BSD-3-Clause
"""The `.tinytcb` file: the code of a program and its manifest, with a checksum over both.

A file for several targets holds such files, one after the other.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence

from ..errors import TinyTCError
from ..files import COMPILED_MAGIC, COMPILED_SUFFIX, is_compiled, is_text
from .manifest import Manifest

FORMAT_VERSION = 2
# Files of version 1 hold SPIR-V, whose format the manifest did not name.
_READABLE_VERSIONS = (1, FORMAT_VERSION)
# Files of several programs, which are files of their own in it.
BUNDLE_VERSION = 3
# magic, version, SHA-256 of all that follows the digest, bytes of the manifest and of the binary
_HEAD = struct.Struct("<8sI32s")
_SIZES = struct.Struct("<QQ")
_SIZE = struct.Struct("<Q")  # bytes of a file that follows in another


def pack(code: bytes, manifest: Manifest) -> bytes:
    """Return the contents of a `.tinytcb` file.

    >>> len(pack(b"", Manifest("cpu", ()))) > _HEAD.size
    True
    """
    json = manifest.to_json().encode()
    payload = _SIZES.pack(len(json), len(code)) + json + code
    return _file(FORMAT_VERSION, payload)


def pack_all(files: Sequence[bytes]) -> bytes:
    """Return the contents of a file that holds several.

    >>> file = pack(b"code", Manifest("cpu", ()))
    >>> [code for code, _ in unpack_all(pack_all([file, file]), "a")]
    [b'code', b'code']
    """
    return _file(BUNDLE_VERSION, b"".join(_SIZE.pack(len(file)) + file for file in files))


def _file(version: int, payload: bytes) -> bytes:
    return _HEAD.pack(COMPILED_MAGIC, version, hashlib.sha256(payload).digest()) + payload


def unpack_all(data: bytes, filename: str) -> list[tuple[bytes, Manifest]]:
    """Return the code, unchecked, and the manifest of each program in a file.

    Args:
        data: contents of the file.
        filename: name that errors carry.

    Raises:
        TinyTCError: the contents are not a whole, unchanged `.tinytcb` file of this version.
    """
    if _version(data) != BUNDLE_VERSION:
        return [unpack(data, filename)]
    payload = _checked_payload(data, filename)
    found: list[tuple[bytes, Manifest]] = []
    while payload:
        size = _SIZE.unpack_from(payload)[0] if len(payload) >= _SIZE.size else len(payload)
        file, payload = payload[_SIZE.size : _SIZE.size + size], payload[_SIZE.size + size :]
        found.append(unpack(file, f"{filename}, program {len(found) + 1}"))
    if not found:
        raise TinyTCError(f"{filename}: expected at least one program, got none")
    return found


def _version(data: bytes) -> int:
    """Return the version of a compiled file, 0 of others."""
    is_whole = is_compiled(data) and len(data) >= _HEAD.size
    return int(_HEAD.unpack_from(data)[1]) if is_whole else 0


def unpack(data: bytes, filename: str) -> tuple[bytes, Manifest]:
    r"""Return the code, unchecked, and the manifest of a `.tinytcb` file.

    Args:
        data: contents of the file.
        filename: name that errors carry.

    Raises:
        TinyTCError: the contents are not a whole, unchanged `.tinytcb` file of this version.

    >>> unpack(b"GIF\0", "a")
    Traceback (most recent call last):
        ...
    tinytc_mlir.errors.TinyTCError: a: expected a compiled program (.tinytcb), got other contents
    >>> unpack(b"func @f() { }", "gemm.tinytc")
    Traceback (most recent call last):
        ...
    tinytc_mlir.errors.TinyTCError: gemm.tinytc is a program in text, compile it first
    """
    if not is_compiled(data):
        if is_text(data):
            raise TinyTCError(f"{filename} is a program in text, compile it first")
        expected = f"expected a compiled program ({COMPILED_SUFFIX})"
        raise TinyTCError(f"{filename}: {expected}, got other contents")
    minimum = _HEAD.size + _SIZES.size
    if len(data) < minimum:
        raise TinyTCError(f"{filename}: expected at least {minimum} bytes, got {len(data)}")
    version = _version(data)
    if version not in _READABLE_VERSIONS:
        readable = " or ".join(map(str, _READABLE_VERSIONS))
        raise TinyTCError(f"{filename}: expected format {readable}, got {version}")
    return _split(_checked_payload(data, filename), filename)


def _checked_payload(data: bytes, filename: str) -> bytes:
    """Return what follows the head of a file, once its checksum has been verified."""
    _, _, digest = _HEAD.unpack_from(data)
    payload = data[_HEAD.size :]
    actual = hashlib.sha256(payload).digest()
    if actual != digest:
        raise TinyTCError(
            f"{filename}: expected checksum {digest.hex()[:16]}, got {actual.hex()[:16]}; "
            "the file is truncated or was changed"
        )
    return payload


def _split(payload: bytes, filename: str) -> tuple[bytes, Manifest]:
    json_size, code_size = _SIZES.unpack_from(payload)
    if _SIZES.size + json_size + code_size != len(payload):
        raise TinyTCError(
            f"{filename}: expected {json_size} + {code_size} bytes of contents, "
            f"got {len(payload) - _SIZES.size}"
        )
    json = payload[_SIZES.size : _SIZES.size + json_size]
    return payload[_SIZES.size + json_size :], Manifest.from_json(json)
