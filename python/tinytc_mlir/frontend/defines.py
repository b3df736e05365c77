"""Compile-time variables whose values come from outside the text."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from tinytc_mlir.errors import Diagnostic, ParseError
from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.lexer import END_KIND
from tinytc_mlir.frontend.parser import Parser
from tinytc_mlir.frontend.preprocessor import Preprocessor, Value
from tinytc_mlir.frontend.source import Reporter, Source, TextError, TooManyErrors

_NAME = re.compile(r"[0-9]+|[A-Za-z][A-Za-z0-9_]*")


def outside_values(defines: Mapping[str, str | int | float | bool]) -> dict[str, Value]:
    """Return the values of compile-time variables that are given from outside.

    Args:
        defines: value for each name, a Python number or the text of a definition's value.

    Raises:
        ParseError: if a name is no identifier or a value cannot be read.

    >>> outside_values({"M": 56})["M"].value
    56
    """
    values: dict[str, Value] = {}
    for name, value in defines.items():
        if not _NAME.fullmatch(name):
            message = f"expected an identifier as name of a compile-time variable, got '{name}'"
            raise ParseError([Diagnostic("error", message)])
        values[name] = _value(_text(value), f"<definition of {name}>", values)
    return values


def _text(value: str | int | float | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return str(value)


def _value(text: str, filename: str, earlier: Mapping[str, Value]) -> Value:
    """Return the value that a text describes; it may use the names before it."""
    reporter = Reporter(Source(text, filename))
    try:
        node = _read(Parser(reporter))
        if not reporter:
            return Preprocessor(earlier).value(node)
    except TextError as error:
        reporter.add(error)
    except TooManyErrors:
        pass
    raise ParseError(reporter.diagnostics())


def _read(parser: Parser) -> ast.DefinitionValue:
    node = parser.definition_value()
    if parser.token.kind != END_KIND:
        raise parser.error("the end of the value")
    return node
