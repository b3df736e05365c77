# SPDX-License-Identifier: BSD-3-Clause
"""The exceptions that the package raises, the diagnostics that they carry, and hints in them."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Sequence
from typing import Any

_COLOURS = {"error": "\x1b[1;31m", "warning": "\x1b[1;35m", "note": "\x1b[1;36m"}
_BOLD = "\x1b[1m"
_RESET = "\x1b[0m"
# Of arrays that kernels may use in place; NumPy's own is without a library's name.
_ARRAY_PROTOCOL = re.compile(r"__\w+_array_interface__")
_LONGEST_NAME = 60


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """One message about one place in a text.

    Args:
        severity: "error", "warning" or "note".
        message: what was expected and what was found; lower case, no full stop.
        filename: file that the place is in, None if there is no place.
        line: line of the place, counted from 1.
        column: column of the place in characters, counted from 1.
        length: number of characters that are meant, starting at the column.
        notes: further places that explain the message.
        excerpt: line of the source text, or part of a very long line.
        excerpt_column: column of the first character of the excerpt.

    >>> print(Diagnostic("error", "expected ')', got ','", "a.ir", 3, 7, 1, excerpt="  f(1,,)"))
    a.ir:3:7: error: expected ')', got ','
      f(1,,)
          ^
    """

    severity: str
    message: str
    filename: str | None = None
    line: int | None = None
    column: int | None = None
    length: int = 1
    notes: tuple[Diagnostic, ...] = ()
    excerpt: str | None = None
    excerpt_column: int = 1

    def __str__(self) -> str:
        return self.format()

    def format(self, *, colour: bool = False) -> str:
        """Return the message with its place, the source line, a caret line and the notes.

        Args:
            colour: whether to emit the escape sequences of a terminal.
        """
        lines = [self._format_head(colour)]
        if self.excerpt is not None:
            lines += [self.excerpt, self._format_carets(colour)]
        lines += [note.format(colour=colour) for note in self.notes]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that tools read, as plain data for JSON."""
        return {
            "severity": self.severity,
            "message": self.message,
            "filename": self.filename,
            "line": self.line,
            "column": self.column,
            "length": self.length,
            "notes": [note.to_dict() for note in self.notes],
        }

    def _format_head(self, colour: bool) -> str:
        parts = [str(p) for p in (self.filename, self.line, self.column) if p is not None]
        place = ":".join([*parts, " "]) if parts else ""
        if not colour:
            return f"{place}{self.severity}: {self.message}"
        severity_colour = _COLOURS.get(self.severity, _BOLD)
        return (
            f"{_BOLD}{place}{severity_colour}{self.severity}: {_RESET}{_BOLD}{self.message}{_RESET}"
        )

    def _format_carets(self, colour: bool) -> str:
        assert self.excerpt is not None
        start = max((self.column or 1) - self.excerpt_column, 0)
        indent = "".join("\t" if c == "\t" else " " for c in self.excerpt[:start])
        width = max(min(self.length, len(self.excerpt) - start), 1)
        carets = "^" + "~" * (width - 1)
        return f"{indent}\x1b[1;32m{carets}{_RESET}" if colour else indent + carets


class TinyTCError(Exception):
    """Base class of every error that the package raises."""


class _DiagnosedError(TinyTCError):
    """An error that points to places in the program.

    Args:
        diagnostics: the errors found, in source order, or one message without a place.
    """

    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, diagnostics: Sequence[Diagnostic] | str) -> None:
        if isinstance(diagnostics, str):
            diagnostics = (Diagnostic("error", diagnostics),)
        self.diagnostics = tuple(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        return self.format()

    def format(self, *, colour: bool = False) -> str:
        """Return all diagnostics as text, with carets below the source lines.

        Args:
            colour: whether to emit the escape sequences of a terminal.
        """
        return "\n".join(d.format(colour=colour) for d in self.diagnostics)


class CompileError(_DiagnosedError):
    """A program cannot be compiled; `diagnostics` says where and why.

    Args:
        diagnostics: the errors found, in source order, or one message without a place.

    >>> error = CompileError("expected the abi to be one of packed, plain, got 'flat'")
    >>> error.diagnostics[0].message
    "expected the abi to be one of packed, plain, got 'flat'"
    """


class InterpreterError(_DiagnosedError):
    """The reference interpreter found undefined behaviour; `diagnostics` says what and where.

    Args:
        diagnostics: the error with its place, or one message without a place.

    >>> print(InterpreterError("expected divisor 'b' to differ from 0, got 0"))
    error: expected divisor 'b' to differ from 0, got 0
    """


class ParseError(CompileError):
    """The text does not follow the grammar, or misuses names or constants."""


class VerificationError(CompileError):
    """The text follows the grammar but violates a restriction of the language."""


class LoweringError(CompileError):
    """A stage cannot lower the program for the chosen target."""


class LaunchError(TinyTCError):
    """A kernel cannot be launched as requested."""


class ArgumentError(LaunchError):
    """An argument of a launch, or of the allocation of an array, does not fit its parameter.

    Args:
        message: the whole message, naming the argument, what was expected and what was given.
        argument: name of the parameter, None if the number of arguments is wrong.
    """

    argument: str | None

    def __init__(self, message: str, *, argument: str | None = None) -> None:
        super().__init__(message)
        self.argument = argument


class ProgramWarning(UserWarning):
    """Part of a program has no effect.

    Args:
        diagnostic: the warning, with its place.
    """

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class UncheckedWarning(UserWarning):
    """A launch may access elements outside of its arrays, as far as the runtime can tell.

    A kernel warns once. A debug build checks each access, and never warns.
    """


class ArrayOrderWarning(UserWarning):
    """A launch copies arrays of the host in another order, which takes longer than its kernel.

    A kernel warns once, and only of copies of a mebibyte or more.
    """


class CheckError(_DiagnosedError):
    """A launch ran into what the language leaves undefined, or its results are not finite.

    Kernels of `compile(debug=True)` raise it after the launch, with the place in the program;
    launches with `verify=True` raise it where an array holds NaN or infinity.

    Args:
        diagnostics: the first violation with its place, or one message without a place.
    """


class DeviceError(TinyTCError):
    """A device is missing, lacks a feature that the kernel needs, or rejects the program.

    Args:
        message: what failed on which device.
        build_log: the driver's messages from building the program, if there are any.
    """

    build_log: str | None

    def __init__(self, message: str, *, build_log: str | None = None) -> None:
        super().__init__(message)
        self.build_log = build_log

    def __str__(self) -> str:
        message = super().__str__()
        return f"{message}\n{self.build_log}" if self.build_log else message


def got(name: object, choices: Sequence[str]) -> str:
    """Return the end of a message that expected one of some names.

    >>> got("gem", ["gemm", "sum"]), got(3, ["gemm", "gemv"])
    ("got 'gem'; did you mean 'gemm'?", 'got an object of type int')
    """
    if name is None:
        return "got None"
    if not isinstance(name, str):
        return f"got an object of type {type(name).__name__}"
    shown = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 3] + "..."
    return f"got {shown!r}{hint(shown, choices)}"


def hint(name: str, choices: Sequence[str]) -> str:
    """Return `; did you mean ...?` if a choice looks like the name, else the empty string."""
    from difflib import get_close_matches  # which a right program does not need

    close = get_close_matches(name, choices, 1)
    return f"; did you mean {close[0]!r}?" if close else ""


def describe(value: object) -> str:
    """Return a short description of a value that an error message can print.

    >>> import numpy as np
    >>> describe(np.zeros((2, 3)))
    'an array of shape (2, 3)'
    >>> describe(1.5)
    '1.5 (float)'
    """
    if value is None:
        return "None"
    numpy = sys.modules.get("numpy")  # without it, there is no array
    if numpy is not None and isinstance(value, numpy.ndarray):
        return f"an array of shape {value.shape}"
    name = type(value).__name__
    try:
        if any(_ARRAY_PROTOCOL.fullmatch(attribute) for attribute in dir(type(value))):
            return f"an array of device memory ({name})"
        text = repr(value)
    except Exception:  # a huge integer, or a class of the caller's
        return f"an object of type {name}"
    if len(text) > 60:
        text = text[:57] + "..."
    return f"{text} ({name})"
