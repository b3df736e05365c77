# SPDX-License-Identifier: BSD-3-Clause
"""The elements of constant memrefs: nested lists of the text, or arrays of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from mlir import ir

from tinytc_mlir.dialects.dense import dense_constant
from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.preprocessor import describe
from tinytc_mlir.frontend.resolver import Resolver, Type
from tinytc_mlir.frontend.source import TextError, counted


def dense_value(resolver: Resolver, node: ast.Dense, type_: Type) -> ir.Attribute:
    """Return the value of a constant memref.

    Raises:
        TextError: the type is none of a constant memref, or its elements are others.
    """
    if type_.kind != "memref" or type_.element is None:
        raise TextError(f"expected a memref type after 'dense', got {type_.text}", node.span)
    shape = [size for size in type_.shape if size is not None]
    if len(shape) != len(type_.shape):
        message = f"expected a constant memref of static shape, got {type_.text}"
        raise TextError(message, node.span)
    value: Any = node.value
    if isinstance(value, (ast.Elements, *ast.CONSTANTS)):
        value = _Elements(resolver, type_.element, shape).array(value)
    with ir.Location.unknown(type_.mlir.context):
        return dense_constant(type_.mlir, value)


class _Elements:
    """Reads nested lists.

    Args:
        resolver: checks that the type can hold the numbers.
        element: type of the elements.
        shape: sizes of the modes.
    """

    def __init__(self, resolver: Resolver, element: Type, shape: list[int]) -> None:
        self._resolver = resolver
        self._element = element
        self._shape = shape
        self._flat: list[complex] = []

    def array(self, node: ast.Elements | ast.Constant) -> npt.NDArray[Any]:
        """Return the elements; one number stands for all of them."""
        number = self._as_number(node)
        if number is not None:
            return np.full(self._shape, self._value(number))
        self._add(node, 0)
        dtypes = {"integer": np.int64, "floating": np.float64, "complex": np.complex128}
        return np.array(self._flat, dtypes.get(self._element.kind)).reshape(self._shape)

    def _as_number(self, node: ast.Elements | ast.Constant) -> ast.Constant | None:
        """Return a node as a constant; a complex one is written as a list of its parts."""
        if not isinstance(node, ast.Elements):
            return node
        parts = [each for each in node.items if isinstance(each, (ast.Floating, ast.Variable))]
        if self._element.kind != "complex" or len(node.items) != 2 or len(parts) != 2:
            return None
        return ast.Complex(node.span, (parts[0], parts[1]))

    def _value(self, node: ast.Constant) -> complex:
        literal = self._resolver.literal(node, self._element)
        return complex(*literal) if isinstance(literal, tuple) else literal

    def _add(self, node: ast.Elements | ast.Constant, mode: int) -> None:
        if mode == len(self._shape):
            number = self._as_number(node)
            if number is None:
                nested = counted(len(self._shape), "list")
                raise TextError(f"expected a number in {nested}, got another list", node.span)
            self._flat.append(self._value(number))
            return
        size = self._shape[mode]
        expected = f"expected a list of {counted(size, 'element')} for mode {mode}"
        if not isinstance(node, ast.Elements):
            raise TextError(f"{expected}, got {describe(node)}", node.span)
        if len(node.items) != size:
            raise TextError(f"{expected}, got {len(node.items)}", node.span)
        for item in node.items:
            self._add(item, mode + 1)
