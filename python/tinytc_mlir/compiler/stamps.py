# SPDX-License-Identifier: BSD-3-Clause
"""The first line of printed stages, which says what version printed them."""

from __future__ import annotations

import re

from ..errors import VerificationError
from ..version import __version__

_NAME = "tinytc-mlir"
_STAMP = re.compile(rf"// {_NAME} (\S+)\r?\n".encode())


def stamped(text: str) -> str:
    r"""Return a printed stage with the line that names this version.

    >>> stamped("module {\n}\n").splitlines()[1:]
    ['module {', '}']
    """
    return f"// {_NAME} {__version__}\n{text}"


def check_stamp(text: str | bytes, filename: str) -> None:
    r"""Check that a stage was printed by a version whose stages this one reads.

    Texts without the line are other people's, or edited.

    Args:
        text: MLIR assembly or bytecode.
        filename: name that the error carries.

    Raises:
        VerificationError: it was printed by another version, other than in the last number.

    >>> check_stamp("// written by hand\nmodule { }", "a.mlir")
    """
    if isinstance(text, str):
        text = text.encode(errors="replace")
    found = _STAMP.match(text) if isinstance(text, (bytes, bytearray, memoryview)) else None
    if found is None:
        return
    version = found[1].decode(errors="replace")
    if _series(version) != _series(__version__):
        raise VerificationError(
            f"{filename}: expected a stage that {_NAME} {__version__} printed, got one of version "
            f"{version}: keep the program, and print the stage again"
        )


def _series(version: str) -> list[str]:
    return version.split(".")[:2]
