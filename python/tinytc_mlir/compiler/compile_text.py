# SPDX-License-Identifier: BSD-3-Clause
"""From a text to a program in one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .interface import Context

if TYPE_CHECKING:
    from ..runtime.program import Program


def compile(  # noqa: A001
    text: str | bytes,
    target: object = None,
    *,
    filename: str = "<string>",
    defines: Mapping[str, str | complex] | None = None,
    debug: bool = False,
) -> Program:
    """Return the program of a text for a target.

    `Context().parse(text).compile(target)` is the same, with all options, and lets you see the
    stages in between.

    Args:
        text: the program; bytes are read as UTF-8.
        target: name of a target, a dpctl device or queue, or None for the default device.
        filename: name that diagnostics and locations carry.
        defines: values of preprocessor variables, names without the `$`.
        debug: report accesses out of bounds and whatever else the language leaves undefined.

    Raises:
        CompileError: the text has an error.
        DeviceError: a device or queue is not for any target.

    >>> program = compile("func @scale(%x: f32) { }", "cpu")
    >>> list(program)
    ['scale']
    """
    module = Context().parse(text, filename, defines=defines)
    return module.compile(target, debug=debug)
