# SPDX-License-Identifier: BSD-3-Clause
"""Types of Python's numbers that are passed for parameters without a type.

As in NumPy, such a number has the type of what it is combined with. Nothing here needs MLIR.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from ..errors import TinyTCError
from ..scalars import SCALAR_TYPES
from .types import Group, Memref, Scalar

_MOST = 64  # typings that are tried
NUMBERS = (int, float, complex)


class _HasModule(Protocol):
    @property
    def module(self) -> object:
        """The program; an error if there is none."""


_Kernel = TypeVar("_Kernel", bound=_HasModule)


def typings(
    numbers: Mapping[str, type], others: Iterable[object], tree: ast.AST
) -> Iterator[dict[str, Scalar]]:
    """Yield the types that numbers may have, the first of which that a kernel allows is theirs.

    A real or complex number has the precision of the arrays, or of the most precise type among
    those of arrays and those that the kernel names. An integer may be a size or an index, or it is
    combined with elements of arrays; launches check that its type holds it.

    Args:
        numbers: `int`, `float` or `complex` for the names of parameters.
        others: types of the other parameters.
        tree: the function.

    >>> tree = ast.parse("def f(n, a, x): x[n] = a * x[n]")
    >>> list(typings({"n": int, "a": float}, [Scalar("f32")[None]], tree))
    [{'n': index, 'a': f32}, {'n': f32, 'a': f32}]
    """
    elements = list(dict.fromkeys(filter(None, map(_element, others))))
    named = (getattr(n, "attr", getattr(n, "id", "")) for n in ast.walk(tree))
    reals = {SCALAR_TYPES[each].real for each in (*elements, *named) if each in SCALAR_TYPES}
    floating = [each for each in reals if each.kind == "floating"]
    widest = max(floating, key=lambda each: each.bits, default=SCALAR_TYPES["f64"])
    if len([each for each in floating if each.bits == widest.bits]) > 1:
        widest = SCALAR_TYPES["f64"]
    choices = [_choices(kind, elements, widest.name) for kind in numbers.values()]
    for names in itertools.islice(itertools.product(*choices), _MOST):
        yield dict(zip(numbers, map(Scalar, names), strict=True))


def first_valid(kernels: Iterable[_Kernel]) -> _Kernel:
    """Return the first kernel that is one, or else the only one; the others are not compiled.

    Raises:
        TinyTCError: none is, for the first reason.
    """
    tried = [*kernels]
    errors: list[TinyTCError] = []
    for kernel in tried if len(tried) > 1 else ():
        try:
            _ = kernel.module
        except TinyTCError as error:
            errors.append(error)
        else:
            return kernel
    if errors:
        raise errors[0]
    return tried[0]


def _element(type_: object) -> str | None:
    """Return the name of the scalars that a parameter holds, None for what is no number."""
    memref = type_.memref if isinstance(type_, Group) else type_
    scalar = memref.element if isinstance(memref, Memref) else memref
    return scalar.name if isinstance(scalar, Scalar) and scalar.kind != "bool" else None


def _choices(kind: type, elements: Sequence[str], real: str) -> Sequence[str]:
    if kind is int:
        return list(dict.fromkeys(["index", *elements]))
    if kind is float:
        return [real]
    return [
        next((n for n, t in SCALAR_TYPES.items() if n[0] == "c" and t.real.name == real), "c64")
    ]
