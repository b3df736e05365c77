# SPDX-License-Identifier: BSD-3-Clause
"""Front-end of the language: reads a text and makes a module of the tinytc dialect.

The lexer and the parser turn the text into a syntax tree. The emitter replaces compile-time
variables, looks up names and types and makes the ops. Finally the dialect's own verifier checks
every rule that cannot be decided from the text alone.
"""

from __future__ import annotations

import contextlib
import gc
import warnings
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tinytc_mlir.errors import ParseError, ProgramWarning, VerificationError
from tinytc_mlir.frontend.source import Reporter, Source, TooManyErrors, checked_filename, decode

if TYPE_CHECKING:
    from mlir import ir

    from tinytc_mlir.frontend import ast
    from tinytc_mlir.frontend.emit import Emitter
    from tinytc_mlir.frontend.formatter import format_source as format_source
    from tinytc_mlir.frontend.preprocessor import Preprocessor

__all__ = ["checked_filename", "decode", "format_source", "parse"]


def parse(
    text: str | bytes,
    filename: str = "<string>",
    defines: Mapping[str, str | complex] | None = None,
    mlir_context: ir.Context | None = None,
) -> ir.Module:
    """Return the module of a program.

    Args:
        text: the program; bytes are read as UTF-8.
        filename: what locations and errors call the text.
        defines: values of compile-time variables; they replace definitions in the text.
        mlir_context: context with the tinytc dialect, by default a new one.

    Raises:
        ParseError: if the text violates the grammar, or misuses names, types or constants.
        VerificationError: if an instruction violates a restriction of the language.

    Warns:
        ProgramWarning: something says nothing, such as divisors of modes that there are not.

    Source: tensor language reference, preprocessor reference.

    >>> print(parse("func @f(%x: f32) { }", "f.ir"))
    module {
      tinytc.func @f(%arg0: f32) {
      }
    }
    <BLANKLINE>
    """
    from mlir import ir

    from tinytc_mlir.dialects.tinytc import register_dialect

    text = decode(text, checked_filename(filename))
    if mlir_context is None:
        mlir_context = ir.Context()
        register_dialect(mlir_context)
    with _no_garbage_collection():
        return _parse(Source(text, filename), {} if defines is None else defines, mlir_context)


def _parse(source: Source, defines: Mapping[str, str | complex], context: ir.Context) -> ir.Module:
    """Read, emit and verify; each step reports all of its errors at once."""
    from tinytc_mlir.frontend.defines import outside_values
    from tinytc_mlir.frontend.parser import parse_program
    from tinytc_mlir.frontend.preprocessor import Preprocessor

    reporter = Reporter(source)
    preprocessor = Preprocessor(outside_values(defines))
    program = parse_program(reporter)
    if program is None:
        raise ParseError(reporter.diagnostics())
    preprocessor.definitions = program.definitions
    return module_of(program, reporter, context, preprocessor)


def module_of(
    program: ast.Program, reporter: Reporter, context: ir.Context, preprocessor: Preprocessor
) -> ir.Module:
    """Return the module of a syntax tree, verified.

    Args:
        program: the syntax tree.
        reporter: where errors and warnings go; it knows the text.
        context: context with the tinytc dialect.
        preprocessor: what compile-time variables stand for.

    Raises:
        ParseError: the program misuses names, types or constants.
        VerificationError: an instruction violates a restriction of the language.
    """
    from tinytc_mlir.frontend.emit import Emitter

    emitter = Emitter(reporter, context, preprocessor)
    with contextlib.suppress(TooManyErrors):
        emitter.program(program)
    return verified(emitter)


def verified(emitter: Emitter) -> ir.Module:
    """Return the module that an emitter has made.

    Raises:
        ParseError: there were errors.
        VerificationError: an instruction violates a restriction of the language.
    """
    from tinytc_mlir.frontend.verification import verify

    reporter = emitter.reporter
    if reporter:
        raise ParseError(reporter.diagnostics())
    verify(emitter.module, reporter, emitter.nodes)
    if reporter:
        raise VerificationError(reporter.diagnostics())
    for each in reporter.warnings:
        warnings.warn_explicit(ProgramWarning(each), None, reporter.source.filename, each.line or 1)
    return emitter.module


@contextlib.contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Pause the garbage collector, which takes 40 % of the time on large trees without cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def __getattr__(name: str) -> object:
    """Import the formatter when it is used: kernels in Python need only the classes of sources."""
    if name != "format_source":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    from tinytc_mlir.frontend.formatter import format_source

    return format_source
