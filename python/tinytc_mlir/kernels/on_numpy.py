# SPDX-License-Identifier: BSD-3-Clause
"""Runs the function of a kernel itself, on NumPy arrays: one group after the other.

The code is that of the function, so debuggers stop in it. What it takes from `tt` means here what
it means in kernels; what work-items do together, only the interpreter knows.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import itertools
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import ArgumentError
from ..frontend.instructions import MATH
from ..reference import arithmetic
from ..scalars import SCALAR_TYPES
from .expressions import PACKAGE
from .names import InstructionName, Named, named
from .operators import larger, quotient, remainder, smaller
from .source import FunctionSource
from .types import OBJECTS, Group, Memref, Scalar


class KernelArray(np.ndarray[Any, Any]):
    """An array with the methods that arrays have in kernels."""

    @property
    def H(self) -> Any:  # noqa: ANN401, N802, as in kernels
        """The conjugate transpose."""
        return self.T.conj()

    def max(self, *axes: Any, **named: Any) -> Any:  # noqa: ANN401, a number
        """Return the largest element, as `max` of two numbers finds it."""
        return np.fmax.reduce(self, *(axes or (None,)), **named)

    def min(self, *axes: Any, **named: Any) -> Any:  # noqa: ANN401, a number
        """Return the smallest element, as `min` of two numbers finds it."""
        return np.fmin.reduce(self, *(axes or (None,)), **named)

    def expand(self, mode: int, sizes: Sequence[int]) -> Any:  # noqa: ANN401, a view
        """Return a view with one mode split into several."""
        shape = (*self.shape[:mode], *sizes, *self.shape[mode + 1 :])
        return _reshaped(self, shape)

    def fuse(self, first: int, last: int) -> Any:  # noqa: ANN401, a view
        """Return a view with neighbouring modes made one."""
        return _reshaped(self, (*self.shape[:first], -1, *self.shape[last + 1 :]))


def _reshaped(array: KernelArray, shape: tuple[int, ...]) -> Any:  # noqa: ANN401, a view
    view = np.reshape(array, shape, order="F")
    assert np.shares_memory(view, array)
    return view


class _Number(int):
    """A number of a grid, which may be called, and the only index of a loop."""

    def __new__(cls, *modes: int) -> _Number:
        made = super().__new__(cls, modes[0])
        if len(modes) == 3:
            made.x, made.y, made.z = map(_Number, modes)  # type: ignore[attr-defined]
        return made

    def __call__(self) -> _Number:
        return self

    def __iter__(self) -> Iterator[int]:
        yield int(self)


class _Language:
    """The namespace `tt` while a function runs."""

    group_id: _Number
    group_size: _Number

    def __init__(self) -> None:
        self.parallel = contextlib.nullcontext
        self.outer = np.outer

    @property
    def num_groups(self) -> _Number:
        """Number of groups."""
        return self.group_size

    def globals(self) -> dict[str, Any]:
        """Return what Python's own names stand for in kernels."""
        return {"max": _fold(larger), "min": _fold(smaller), "range": _range, "@divisor": _Divisor}

    def rewriter(self, words: Mapping[str, tuple[str, ...]]) -> ast.NodeTransformer:
        """Return what rewrites a function, whose names of the language are words of it."""
        return _Rewriter(words)

    def local(self, type: Any, shape: Any = None, **options: object) -> Any:  # noqa: A002, ANN401
        """Return memory, full of NaN where there is one."""
        memref = type if isinstance(type, Memref) else Memref(_scalar(type), tuple(shape))
        dtype = SCALAR_TYPES[memref.element.name].value_dtype
        value = np.nan if dtype.kind in "fc" else 0
        made: KernelArray = np.full(memref.shape, value, dtype, order="F").view(KernelArray)  # type: ignore[call-overload]
        return made

    def foreach(self, *ranges: Any) -> Iterator[Any]:  # noqa: ANN401, as in kernels
        """Yield the indices of a grid."""
        if len(ranges) == 2 and isinstance(ranges[0], tuple):
            pairs = list(zip(*ranges, strict=True))
        else:
            ends = ranges[0] if isinstance(ranges[0], tuple) else ranges
            pairs = [(0, end) for end in ends]
        for indices in itertools.product(*(range(*pair) for pair in pairs)):
            yield _Number(indices[0]) if len(indices) == 1 else indices

    def foreach_tile(self, *ranges: Any) -> Iterator[tuple[int, ...]]:  # noqa: ANN401, as in kernels
        """Yield where tiles begin, and their sizes."""
        *ends, sizes = ranges
        sizes = sizes if isinstance(sizes, tuple) else (sizes,)
        steps = [range(0, end, size) for end, size in zip(ends, sizes, strict=True)]
        for starts in itertools.product(*steps):
            extents = [min(s, e - b) for b, e, s in zip(starts, ends, sizes, strict=True)]
            yield (*starts, *extents)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401, functions and types
        found = OBJECTS.get(name)
        first = named((name,))
        if isinstance(first, Named) and first.spec.name.startswith("builtin."):
            raise _refused(name)
        return _Conversion(found) if isinstance(found, Scalar) else found or _Call((name,))


class _Conversion:
    """A scalar type, which converts numbers."""

    def __init__(self, scalar: Scalar) -> None:
        self.scalar = scalar

    def __getitem__(self, shape: object) -> Memref:
        return self.scalar[shape]  # type: ignore[no-any-return]

    def __call__(self, value: object) -> Any:  # noqa: ANN401, a NumPy scalar
        dtype = SCALAR_TYPES[self.scalar.name].value_dtype
        return np.asarray(value).astype(dtype)[()]


def _scalar(type_: Any) -> Scalar:  # noqa: ANN401
    return type_.scalar if isinstance(type_, _Conversion) else type_


def _refused(name: str) -> ArgumentError:
    return ArgumentError(
        f"expected code that NumPy can run, got tt.{name}; tt.interpret runs what work-items do "
        "together"
    )


class _Call:
    """`tt.gemm.n`, which computes with NumPy when it is called."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self._words = words

    def __getattr__(self, word: str) -> _Call:
        if word.startswith("__"):
            raise AttributeError(word)
        return _Call((*self._words, word))

    def __call__(self, *values: Any, **options: Any) -> Any:  # noqa: ANN401, as in kernels
        found = named(self._words)
        if isinstance(found, str):
            raise ArgumentError(found)
        name = found.spec.name
        short = name.split(".")[-1].removeprefix("native_")
        if self._words == ("cumsum",) and len(values) == 2:  # in an assignment
            return _running_sum(*values, **options)
        if name in _COLLECTIVE:
            names = [n.lstrip("#") for n in found.spec.operands]
            given = dict(zip(names, values, strict=False)) | options
            if set(given) != set(names):
                expected, shown = ", ".join(names), ".".join(self._words)
                raise ArgumentError(f"expected the operands {expected} of tt.{shown}, got others")
            _collective(found, given)
            return None
        if rule := _SIMPLE.get(name):
            return rule(*values, **options)
        function = arithmetic.plain(short)
        if function is None:
            raise _refused(".".join(self._words))
        return _in_own_type(name, function, values)


def _in_own_type(name: str, function: Callable[..., Any], values: Sequence[Any]) -> Any:  # noqa: ANN401
    """Return the value of a function; those of math keep the type of their operands."""
    value = function(*values)
    return np.asanyarray(value).astype(np.result_type(*values))[()] if name in MATH else value


def _updating(word: str) -> Callable[..., Any]:
    """Return a function that changes an element, and returns its value of before."""
    function = arithmetic.plain(word)
    assert function is not None

    def updated(value: Any, dest: Any, *indices: Any) -> Any:  # noqa: ANN401, as in kernels
        before = dest[indices]
        dest[indices] = function(before, value)
        return before

    return updated


_COLLECTIVE = ("axpby", "cumsum", "gemm", "gemv", "ger", "hadamard_product", "sum")
_SIMPLE: dict[str, Callable[..., Any]] = {
    "arith.div": lambda a, b: a / b if np.result_type(a, b).kind in "fc" else quotient(a, b),
    "arith.rem": remainder,
    "associated": lambda source: source is not None,
    "atomic_load": lambda source, *indices: source[indices],
    "atomic_store": lambda value, dest, *indices: dest.__setitem__(indices, value),
    **{f"atomic_{name}": _updating(name) for name in ("add", "max", "min")},
    "barrier": lambda: None,
    "cast": lambda value, type: _Conversion(_scalar(type))(value),  # noqa: A006, as in kernels
    "constant": lambda value, type: _Conversion(_scalar(type))(value),  # noqa: A006, as in kernels
    "fuse": lambda source, first, last: source.fuse(first, last),
    "lifetime_stop": lambda memref: None,
    "load": lambda source, *indices: source[indices],
    "print": lambda text, *values: print(f"{text}: {', '.join(map(str, values))}"),
    "select": np.where,
    "size": lambda source, mode: source.shape[mode],
    "store": lambda value, dest, *indices: dest.__setitem__(indices, value),
}


def _running_sum(a: Any, mode: int, *, reverse: bool = False) -> Any:  # noqa: ANN401, an array
    """Return running sums, from the end if `reverse`."""
    ordered = np.flip(a, mode) if reverse else a
    sums = np.cumsum(ordered, axis=mode)
    return np.flip(sums, mode) if reverse else sums


def _collective(found: Named, given: Mapping[str, Any]) -> None:
    """Compute a collective instruction."""
    words = dict(zip((m.attribute for m in found.spec.modifiers), found.modifiers, strict=True))
    name, a = found.spec.name, given["a"]
    dest = given["b"] if name in ("axpby", "cumsum", "sum") else given["c"]
    a = _in_form(a, words.get("transpose_a") or words.get("transpose"))
    b = _in_form(given["b"], words.get("transpose_b"))
    made: dict[str, Callable[[], Any]] = {
        "axpby": lambda: a,
        "cumsum": lambda: _running_sum(a, given["mode"], reverse=bool(words["reverse"])),
        "gemm": lambda: a @ b,
        "gemv": lambda: a @ b,
        "ger": lambda: np.outer(a, b),
        "hadamard_product": lambda: a * b,
        "sum": lambda: a.sum(axis=-1),
    }
    value = given["alpha"] * np.asarray(made[name]())
    dest[...] = value if given["beta"] == 0 else value + given["beta"] * dest


def _in_form(values: Any, form: str | None) -> Any:  # noqa: ANN401, an array
    ordered = values.T if form in ("t", "c") else values
    return ordered.conj() if form in ("r", "c") else ordered


def run(
    source: FunctionSource,
    types_: Mapping[str, object],
    arguments: Mapping[str, Any],
    counts: Sequence[int],
) -> None:
    """Run a function for each group.

    Args:
        source: the function.
        types_: what each parameter is.
        arguments: values of the parameters.
        counts: number of groups in three modes.
    """
    language = _Language()
    function = function_of(source, language, {})
    values = {name: _prepared(types_[name], value) for name, value in arguments.items()}
    language.group_size = _Number(*counts)
    for place in itertools.product(*(range(count) for count in reversed(counts))):
        language.group_id = _Number(*reversed(place))
        function(**values)
    for name, value in arguments.items():
        _copy_back(values[name], value)


def _prepared(type_: object, value: Any) -> Any:  # noqa: ANN401, any argument
    """Return an argument as the function gets it: arrays are column-major, as in kernels."""
    if isinstance(type_, Group):
        return [np.asarray(each, order="F").view(KernelArray) for each in value]
    if isinstance(value, np.ndarray):
        return np.asarray(value, order="F").view(KernelArray)
    if isinstance(value, Scalar):  # of a `tt.const` parameter
        return _Conversion(value)
    return _Conversion(type_)(value) if isinstance(type_, Scalar) else value


def _copy_back(prepared: Any, given: Any) -> None:  # noqa: ANN401, any argument
    """Store what a function has written to the copy of an array of another order."""
    if isinstance(prepared, list):
        for each, member in zip(prepared, given, strict=True):
            _copy_back(each, member)
    elif (
        isinstance(prepared, KernelArray)
        and not np.may_share_memory(prepared, given)
        and given.flags.writeable
    ):
        given[...] = prepared


def function_of(
    source: FunctionSource,
    language: Any,  # noqa: ANN401, has `globals` and `rewriter`
    known: dict[int, Callable[..., Any]],
) -> Callable[..., Any]:
    """Return a function, compiled again, that finds the language where it finds `tt`.

    Lines are those of the file. Names from outside are globals of its own, also those of functions
    around it.
    """
    if id(source) in known:
        return known[id(source)]
    words = {n: w for n, v in source.outside.items() if (w := _words(v))}
    tree = language.rewriter(words).visit(copy.deepcopy(source.tree))
    tree.decorator_list, tree.returns = [], None
    for argument in tree.args.args:
        argument.annotation = None
    module = ast.fix_missing_locations(ast.Module([tree], []))
    scope: dict[str, Any] = {**language.globals(), "@tt": language}
    exec(compile(module, source.filename, "exec", dont_inherit=True), scope)
    known[id(source)] = found = scope.pop(source.name)
    visible = dict(source.names) | {n: v for n, v in source.outside.items() if "." not in n}
    scope.update({n: _replaced(v, language, known) for n, v in visible.items()})
    return found  # type: ignore[no-any-return]


def _fold(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Return a function of two or more numbers."""
    return lambda *values: functools.reduce(function, values)


def _range(*bounds: int, **attributes: object) -> range:
    """Return the range of a loop, whose step is positive."""
    if len(bounds) == 3 and bounds[2] <= 0:
        raise ArgumentError(f"expected a positive step, got {bounds[2]}")
    return range(*bounds)


class _Divisor:
    """The right side of `//` or `%`, which round towards zero in kernels, and down in Python."""

    __array_ufunc__ = None  # NumPy leaves the operators to it

    def __init__(self, value: Any) -> None:  # noqa: ANN401, a number
        self._value = value

    def __rfloordiv__(self, left: Any) -> Any:  # noqa: ANN401, a number
        return quotient(left, self._value)

    def __rmod__(self, left: Any) -> Any:  # noqa: ANN401, a number
        return remainder(left, self._value)


class LanguageNames(ast.NodeTransformer):
    """Makes names from outside those of the language.

    Args:
        words: what they are called there.
    """

    def __init__(self, words: Mapping[str, tuple[str, ...]]) -> None:
        self._words = words

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace a name of the language."""
        return self._of_language(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Replace a path of the language."""
        made = self._of_language(node)
        return self.generic_visit(node) if made is node else made  # type: ignore[return-value]

    def _of_language(self, node: ast.expr) -> ast.expr:
        words = self._words.get(ast.unparse(node))
        if not words or not isinstance(node.ctx, ast.Load):  # type: ignore[attr-defined]
            return node
        made: ast.expr = ast.Name("@tt", ast.Load())
        for word in words:
            made = ast.Attribute(made, word, ast.Load())
        return ast.copy_location(made, node)


class _Rewriter(LanguageNames):
    """Makes divisors of the right sides; nothing is computed twice, or in another order."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, (ast.FloorDiv, ast.Mod)):
            node.right = _divisor(node.right)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.generic_visit(node)
        if isinstance(node.op, (ast.FloorDiv, ast.Mod)):
            node.value = _divisor(node.value)
        return node


def _divisor(node: ast.expr) -> ast.expr:
    called = ast.Call(ast.Name("@divisor", ast.Load()), [node], [])
    return ast.copy_location(called, node)


def _words(value: object) -> tuple[str, ...]:
    """Return what a name from outside is called in the language, nothing if it is not of it."""
    if isinstance(value, InstructionName):
        return value.instruction_words
    return (value.name,) if isinstance(value, Scalar) else ()


def _replaced(value: object, language: Any, known: dict[int, Callable[..., Any]]) -> object:  # noqa: ANN401
    if isinstance(value, types.ModuleType) and value.__name__ == PACKAGE:
        return language
    inner = getattr(value, "inlined_source", None)
    return function_of(inner, language, known) if isinstance(inner, FunctionSource) else value
