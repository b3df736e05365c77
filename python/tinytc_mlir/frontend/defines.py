# SPDX-License-Identifier: BSD-3-Clause
"""Compile-time variables whose values come from outside the text."""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Mapping
from typing import SupportsFloat, cast

import numpy as np

from tinytc_mlir.errors import ParseError, describe
from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.cursor import FLOATING
from tinytc_mlir.frontend.lexer import END_KIND
from tinytc_mlir.frontend.parser import Parser
from tinytc_mlir.frontend.preprocessor import Preprocessor, Value
from tinytc_mlir.frontend.source import Reporter, Source, TextError, TooManyErrors, quote
from tinytc_mlir.frontend.tokens import NAME
from tinytc_mlir.scalars import is_extension

_MOST_BITS = 1024  # worth printing; the language has 64


def outside_values(defines: Mapping[str, str | complex]) -> dict[str, Value]:
    """Return the values of compile-time variables that are given from outside.

    Args:
        defines: value for each name, a Python number or the text of a definition's value.

    Raises:
        ParseError: if a name is not an identifier or a value cannot be read.

    >>> outside_values({"M": 56})["M"].value
    56
    """
    if not isinstance(defines, Mapping):
        raise ParseError(f"expected a mapping of compile-time variables, got {describe(defines)}")
    values: dict[str, Value] = {}
    for name, value in defines.items():
        if not isinstance(name, str) or not NAME.fullmatch(name):
            shown = quote(name) if isinstance(name, str) else describe(name)
            raise ParseError(
                f"expected an identifier as name of a compile-time variable, got {shown}"
            )
        values[name] = _value(value_text(name, value), f"<definition of {name}>", values)
    return values


def value_text(name: str, value: object) -> str:
    """Return the text of a value, of Python or NumPy.

    A number of single precision becomes the shortest text that is rounded to it again.

    Args:
        name: name of the variable, for the error.
        value: a number, a truth value, or a text, which is returned as it is.

    Raises:
        ParseError: the value is none of these.

    >>> value_text("alpha", 1 - 2j), value_text("beta", np.float32(0.1))
    ('[1.0, -2.0]', '0.1')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    try:
        integer = operator.index(value)  # type: ignore[arg-type]
        if integer.bit_length() <= _MOST_BITS:
            return str(integer)
    except TypeError:
        if isinstance(value, np.generic) and is_extension(value.dtype):
            value = float(value)
        if isinstance(value, numbers.Real) and not isinstance(value, numbers.Rational):
            return _floating_text(value)
        if isinstance(value, numbers.Complex) and not isinstance(value, numbers.Real):
            return f"[{_floating_text(value.real)}, {_floating_text(value.imag)}]"
    rule = "a number in the range of i64, f64 or c64, a truth value or a text"
    raise ParseError(f"expected {rule} for ${name}, got {describe(value)}")


def _floating_text(value: object) -> str:
    number = float(cast("SupportsFloat", value))
    if math.isfinite(number):
        is_short = isinstance(value, np.floating) and value.dtype.itemsize < 8
        text = str(value) if is_short else repr(number)
        return text if set(text) & set(".e") else f"{text}.0"
    return "nan" if math.isnan(number) else "inf" if number > 0 else "-inf"


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
    # A definition in the text cannot be complex: there, brackets begin an array attribute.
    is_complex = parser.token.kind == "[" and parser.peek().kind == FLOATING
    node = parser.complex_constant() if is_complex else parser.definition_value()
    if parser.token.kind != END_KIND:
        raise parser.error("the end of the value")
    return node
