# SPDX-License-Identifier: BSD-3-Clause
"""Sizes of the arguments of batched functions: names, numbers, and sums and multiples of names."""

from __future__ import annotations

import ast
import dataclasses
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from ..errors import ArgumentError

Size: TypeAlias = "int | str | None"
Shape: TypeAlias = tuple[int, ...]

_OPERATORS: dict[type[ast.AST], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}
_LIST = re.compile(r"\(([^()]*)\)")


def value_of(size: str, known: Mapping[str, int]) -> int:
    """Return the number that a size stands for.

    Raises:
        KeyError: a name has no number.

    >>> value_of("2 * n + 1", {"n": 3})
    7
    """

    def read(node: ast.expr) -> int:
        match node:
            case ast.Constant(value=int() as number):
                return number
            case ast.Name(id=name):
                return known[name]
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return _OPERATORS[type(op)](read(left), read(right))
            case ast.Call(func=ast.Name(id="min" | "max" as name), args=[left, right], keywords=[]):
                return (min if name == "min" else max)(read(left), read(right))
        raise ValueError(size)

    return known[size] if size in known else read(ast.parse(size, mode="eval").body)


def names_in(size: str) -> list[str]:
    """Return the names that a size is computed of.

    >>> names_in("min(m, n + 1)")
    ['m', 'n']
    """
    return re.findall(r"[A-Za-z_]\w*(?!\w|\s*\()", size)


def check(size: Size) -> str:
    """Return what is wrong with a size, nothing if it is one.

    >>> check("n + 1"), check("n/2")
    ('', "expected a size such as n, 'n + 1' or '2 * n', got 'n/2'")
    """
    if not isinstance(size, str):
        return ""
    try:
        value_of(size, dict.fromkeys(names_in(size), 1))
    except (SyntaxError, ValueError, KeyError, ZeroDivisionError):
        return f"expected a size such as n, 'n + 1' or '2 * n', got {size!r}"
    return ""


def parsed(signature: str) -> tuple[list[tuple[Size, ...]], list[tuple[Size, ...]]]:
    """Return the sizes of arguments and results in a signature as NumPy writes it.

    Raises:
        ValueError: it is none.

    >>> parsed("(n),(n,3)->(n)")
    ([('n',), ('n', 3)], [('n',)])
    """
    left, arrow, right = signature.partition("->")
    found = []
    for part in (left, right) if arrow else (left,):
        rest = _LIST.sub("", part).replace(" ", "").strip(",")
        shapes = [_sizes(inner) for inner in _LIST.findall(part)]
        if rest or not shapes or any(map(check, (s for shape in shapes for s in shape))):
            raise ValueError(f"expected a signature such as '(n),(n,n)->(n)', got {signature!r}")
        found.append(shapes)
    return found[0], found[1] if arrow else []


def _sizes(inner: str) -> tuple[Size, ...]:
    items = [each.strip() for each in inner.split(",") if each.strip()]
    return tuple(int(each) if each.isdigit() else each for each in items)


@dataclasses.dataclass
class Unification:
    """The numbers that names of sizes stand for in a call.

    Args:
        function: name of the function, for messages.
    """

    function: str
    known: dict[str, int] = dataclasses.field(default_factory=dict)
    given: dict[str, str] = dataclasses.field(default_factory=dict)

    def unify(self, arguments: Sequence[tuple[str, Sequence[Size], Shape]]) -> None:
        """Find the numbers; plain names first, so that `n + 1` may come before `n`.

        Args:
            arguments: for each argument its name, its sizes, and the shape that it has.

        Raises:
            ArgumentError: two do not fit.
        """
        pairs = [
            (name, mode, size, found)
            for name, sizes, shape in arguments
            for mode, (size, found) in enumerate(zip(sizes, shape, strict=True))
        ]
        for name, mode, size, found in pairs:
            if isinstance(size, str) and size.isidentifier() and size not in self.known:
                self.known[size] = found
                self.given[size] = f"mode {mode} of '{name}'"
        for name, mode, size, found in pairs:
            if size is not None:
                self._check(name, mode, size, found)

    def _check(self, name: str, mode: int, size: int | str, found: int) -> None:
        try:
            expected = size if isinstance(size, int) else value_of(size, self.known)
        except KeyError as error:
            message = f"expected the size {error} of an argument for '{size}', got none"
            raise self._error(name, message) from None
        if expected != found:
            names = () if isinstance(size, int) else names_in(size)
            why = ", ".join(f"{n} = {self.known[n]} from {self.given[n]}" for n in names)
            why = f" ({size}; {why})" if why else ""
            raise self._error(name, f"expected size {expected} of mode {mode}{why}, got {found}")

    def _error(self, name: str, message: str) -> ArgumentError:
        return ArgumentError(f"{self.function}: argument {name!r}: {message}", argument=name)


def written(inputs: Sequence[Sequence[Size]], results: Sequence[Sequence[Size]]) -> str:
    """Return a signature of NumPy; what is neither a name nor a number gets a name.

    >>> written([("n", "n + 1")], [(3,)])
    '(n,n_plus_1)->(3)'
    """
    parts = [[f"({','.join(map(_dimension, s))})" for s in each] for each in (inputs, results)]
    return "->".join(",".join(each) for each in parts)


def _dimension(size: Size) -> str:
    if isinstance(size, int) or (isinstance(size, str) and size.isidentifier()):
        return str(size)
    words = {"+": "plus", "-": "minus", "*": "times", "//": "over"}
    found = re.sub(r"\+|-|\*|//", lambda m: f" {words[m[0]]} ", str(size))
    found = "_".join(re.sub("[(),]", " ", found).split())
    return f"size_{found}" if found[0].isdigit() else found
