# SPDX-License-Identifier: BSD-3-Clause
"""Values of expressions while a function is read."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, TypeAlias

from ..frontend import ast as text
from ..frontend.source import Span
from .nodes import type_of_value
from .types import Type

if TYPE_CHECKING:
    from ..frontend import builder


@dataclasses.dataclass(frozen=True)
class Local:
    """A value of the program.

    Args:
        name: its identifier there, without `%`.
        value: the value of the IR with its type.
    """

    name: str
    value: builder.Value

    @functools.cached_property
    def type(self) -> Type:
        """Its type."""
        return type_of_value(self.value.type)


@dataclasses.dataclass(frozen=True)
class Static:
    """A value of Python: a number whose type is decided where it is used, a type, a module."""

    value: object

    @property
    def is_number(self) -> bool:
        """Whether it is a number or a truth value."""
        return isinstance(self.value, (bool, int, float, complex))


@dataclasses.dataclass(frozen=True)
class Choice:
    """`1 if c else 0`, and sums of it: like a number, its type is decided where it is used."""

    operation: text.Choice
    numbers: tuple[object, ...]


@dataclasses.dataclass(frozen=True)
class InForm:
    """`A.T`, `A.conj()` or `A.H`.

    Args:
        matrix: the array.
        form: the modifier of instructions that read it so: t, r or c.
    """

    matrix: Local
    form: str


@dataclasses.dataclass(frozen=True)
class Instruction:
    """`tt.gemm.n`, before it is called."""

    words: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Method:
    """`A.fuse`, before it is called; its array may be in another form."""

    holder: Local
    name: str
    form: str = "n"


@dataclasses.dataclass(frozen=True)
class OutOfScope:
    """A name that cannot be used here.

    Args:
        span: where it was defined.
        reason: why not; empty if that has been reported.
    """

    span: Span
    reason: str = ""


Value: TypeAlias = Local | Static | Choice | InForm | Instruction | Method
