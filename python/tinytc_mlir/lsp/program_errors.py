# SPDX-License-Identifier: BSD-3-Clause
"""Errors of a program: the parser's, and the verifier's where MLIR is installed."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

from tinytc_mlir.errors import CompileError, Diagnostic, ParseError, ProgramWarning
from tinytc_mlir.frontend import parse
from tinytc_mlir.frontend.parser import parse_program
from tinytc_mlir.frontend.source import Reporter, Source

FILENAME = "<editor>"
"""The name of the text in diagnostics."""


def find(text: str, defines: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Return the errors of a program, in source order, or its warnings.

    Args:
        text: the program.
        defines: values of compile-time variables, names without the `$`.

    >>> [each.message for each in find("func @f(%a: f33) { }", {})]
    ["expected a type, got 'f33'"]
    """
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            parse(text, FILENAME, defines)
        found = (each.message for each in caught)
        return tuple(each.diagnostic for each in found if isinstance(each, ProgramWarning))
    except ImportError:
        reporter = Reporter(Source(text, FILENAME))
        parse_program(reporter)
        return tuple(reporter.diagnostics())
    except CompileError as error:
        return error.diagnostics


def problem_of_defines(defines: object) -> str | None:
    """Return what is wrong with the editor's values of compile-time variables, None if nothing.

    >>> problem_of_defines({"N": 3})
    >>> problem_of_defines(["N"])
    "expected values by name, such as {'N': 16}, got ['N']"
    """
    if not isinstance(defines, dict):
        return f"expected values by name, such as {{'N': 16}}, got {defines!r}"
    try:
        from tinytc_mlir.frontend.defines import outside_values

        outside_values(defines)
    except ParseError as error:
        return str(error)
    return None
