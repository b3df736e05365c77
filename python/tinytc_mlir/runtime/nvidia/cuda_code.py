# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the code that NVIDIA's driver takes. Needs no CUDA."""

from __future__ import annotations

import dataclasses
import re

from ...errors import TinyTCError
from ..kernel_info import CUBIN, PTX, GroupArgument, KernelInfo, MemrefArgument
from ..manifest import Manifest

FORMATS = (PTX, CUBIN)
_STATIC_LOCAL_BYTES = 48 * 1024  # what a kernel may use without asking for more
_ELF = b"\x7fELF"
_ELF_HEADER_BYTES = 64
_SECTION = re.compile(rb"\0\.text\.([\w$]+)(?=\0)")  # of a kernel's instructions
_ENTRY = re.compile(rb"^\s*(?:\.visible\s+)?\.entry\s+([\w$]+)", re.MULTILINE)


def check_code(code: bytes, manifest: Manifest, name: str) -> None:
    """Check as far as possible without the driver that code is whole.

    Args:
        code: PTX or a cubin, as the manifest says.
        manifest: the kernels that it must have.
        name: what errors call the program.

    Raises:
        TinyTCError: the code is damaged.
    """
    if manifest.format == CUBIN:
        if code[: len(_ELF)] != _ELF or len(code) < _ELF_HEADER_BYTES:
            raise TinyTCError(f"{name}: expected a cubin, got other contents")
        kind, entries = "cubin", {entry.decode() for entry in _SECTION.findall(code)}
    else:
        if b".version" not in code or b".target" not in code:
            raise TinyTCError(f"{name}: expected PTX, got other contents")
        if b"\0" in code:
            raise TinyTCError(f"{name}: expected PTX without zero bytes, got one")
        kind, entries = "PTX", {entry.decode() for entry in _ENTRY.findall(code)}
    for kernel in manifest.kernels:
        for entry in kernel.entries:
            if entry not in entries:
                raise TinyTCError(f"{name}: expected the kernel {entry} in the {kind}, got none")


def dynamic_local_bytes(info: KernelInfo) -> int:
    """Return the local memory that launches of a kernel ask for, 0 if they need not."""
    size = info.local_memory_bytes
    return size if size > _STATIC_LOCAL_BYTES else 0


@dataclasses.dataclass(frozen=True)
class ArrayPositions:
    """Which arguments in the order of the ABI are pointers to arrays, and which tables of groups.

    Args:
        all: the positions of all arrays that are not members of groups.
        written: those whose elements the kernel may write.
        only_read: those whose elements it may read and does not write. Where arrays of the variant
            may overlap, a launch has to look at neither.
        tables: those of the tables of groups.
        strided: those of arrays with strides that a launch has to look at.
    """

    all: tuple[int, ...] = ()
    written: tuple[int, ...] = ()
    only_read: tuple[int, ...] = ()
    tables: tuple[int, ...] = ()
    strided: tuple[int, ...] = ()


def array_positions(info: KernelInfo) -> ArrayPositions:
    """Return where a launch finds the arrays of a kernel.

    >>> from tinytc_mlir.runtime.kernel_info import ScalarArgument
    >>> arrays = (MemrefArgument(name, "f32", (None,), (1,), "read") for name in "AB")
    >>> array_positions(KernelInfo("f", (ScalarArgument("x", "f32"), *arrays), (32, 1, 1), 32))
    ArrayPositions(all=(1, 3), written=(), only_read=(1, 3), tables=(), strided=())
    """
    found: dict[int, MemrefArgument] = {}
    tables: list[int] = []
    position = 0
    for argument in info.arguments:
        is_group = isinstance(argument, GroupArgument)
        if isinstance(argument, MemrefArgument):
            if is_group:
                tables.append(position)
            else:
                found[position] = argument
            position += (*argument.shape, *argument.stride).count(None)
        if isinstance(argument, GroupArgument):
            position += (argument.size, argument.offset).count(None)
        position += 1
    strided = tuple(i for i, argument in found.items() if None in argument.stride[1:])
    positions = ArrayPositions(
        tuple(found), tables=tuple(tables), strided=strided if info.aligned_strides else ()
    )
    if info.variant_may_overlap:
        return positions
    return dataclasses.replace(
        positions,
        written=tuple(i for i, argument in found.items() if argument.is_written),
        only_read=tuple(
            i for i, argument in found.items() if argument.is_read and not argument.is_written
        ),
    )
