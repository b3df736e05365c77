# SPDX-License-Identifier: BSD-3-Clause
"""The `.tinytcb` file: the code of a program and its manifest, with a checksum over both."""

from __future__ import annotations

import hashlib
import struct

from ..errors import TinyTCError
from ..files import COMPILED_MAGIC, COMPILED_SUFFIX, is_compiled, is_text
from .manifest import Manifest

FORMAT_VERSION = 2
# Files of version 1 hold SPIR-V, whose format the manifest did not name.
_READABLE_VERSIONS = (1, FORMAT_VERSION)
# magic, version, SHA-256 of all that follows the digest, bytes of the manifest and of the binary
_HEAD = struct.Struct("<8sI32s")
_SIZES = struct.Struct("<QQ")


def pack(code: bytes, manifest: Manifest) -> bytes:
    """Return the contents of a `.tinytcb` file.

    >>> len(pack(b"", Manifest("cpu", ()))) > _HEAD.size
    True
    """
    json = manifest.to_json().encode()
    payload = _SIZES.pack(len(json), len(code)) + json + code
    return _HEAD.pack(COMPILED_MAGIC, FORMAT_VERSION, hashlib.sha256(payload).digest()) + payload


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
    _, version, digest = _HEAD.unpack_from(data)
    if version not in _READABLE_VERSIONS:
        readable = " or ".join(map(str, _READABLE_VERSIONS))
        raise TinyTCError(f"{filename}: expected format {readable}, got {version}")
    payload = data[_HEAD.size :]
    actual = hashlib.sha256(payload).digest()
    if actual != digest:
        raise TinyTCError(
            f"{filename}: expected checksum {digest.hex()[:16]}, got {actual.hex()[:16]}; "
            "the file is truncated or was changed"
        )
    return _split(payload, filename)


def _split(payload: bytes, filename: str) -> tuple[bytes, Manifest]:
    json_size, code_size = _SIZES.unpack_from(payload)
    if _SIZES.size + json_size + code_size != len(payload):
        raise TinyTCError(
            f"{filename}: expected {json_size} + {code_size} bytes of contents, "
            f"got {len(payload) - _SIZES.size}"
        )
    json = payload[_SIZES.size : _SIZES.size + json_size]
    return payload[_SIZES.size + json_size :], Manifest.from_json(json)
