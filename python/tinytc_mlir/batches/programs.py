# SPDX-License-Identifier: BSD-3-Clause
"""Programs of batched functions: for each kind of arguments, what is read and how it is written."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..errors import ParseError
from ..kernels.building import build, lazy_module
from ..kernels.places import target_of
from ..kernels.types import SCALARS, Scalar
from .arrays import Array, Block, Region, Shape, scalar_of, walk
from .emission import Emission, Parameter, Program, kernel_name
from .factored import IN_MEMORY
from .memory import Memory
from .reading import Reading
from .rewriting import rewritten
from .scalars import Scalars
from .signature import names_in, value_of
from .solving import steps_of_solve

if TYPE_CHECKING:
    from ..compiler import Module
    from ..runtime.kernel import Kernel
    from .described import DescribedFunction

MOST_STEPS = 2500
"""Operations on numbers up to which all elements are in registers."""
MOST_NUMBERS = 600
"""Elements of arguments and results up to which they are."""
ROW = 32
"""Numbers in a row from which on they fill vectors themselves: arrays are then in local memory."""


Modes: TypeAlias = tuple[tuple[int, ...], bool, bool]


class Plan:
    """A function for one kind of arguments: the program, compiled when it is needed.

    Args:
        function: the function.
        types: type and shape of an element of each argument.
    """

    def __init__(self, function: DescribedFunction, types: Sequence[tuple[Scalar, Shape]]) -> None:
        self.function = function
        self.types = tuple(types)
        self._modules: dict[object, Module] = {}
        self._kernels: dict[object, Kernel] = {}

    @functools.cached_property
    def block(self) -> Block:
        """The operations."""
        source = self.function.source
        given = {
            node.arg: Array("parameter", (), shape, type_, (node, source), node.arg)
            for node, (type_, shape) in zip(source.tree.args.args, self.types, strict=True)
        }
        reading = Reading(source, _default_type(self.types))
        return rewritten(reading.function(given))

    @functools.cached_property
    def results(self) -> tuple[tuple[str, Scalar, Shape], ...]:
        """Name, type and shape of an element of each result."""
        found = []
        ends = self.block.ends
        for number, end in enumerate(ends):
            name = "result" if len(ends) == 1 else f"result_{number + 1}"
            while name in self.function.names:
                name += "_"
            found.append((name, end.type, end.shape))
        return tuple(found)

    def program(
        self,
        modes: Sequence[Modes],
        out: Sequence[Modes],
    ) -> Program:
        """Return the program for some modes of the batch.

        Args:
            modes: for each argument, the dimensions of the grid that it has modes for, whether the
                numbers of an element are next to each other, and whether all numbers are.
            out: the same for results.
        """
        inputs = tuple(
            Parameter(argument.name, type_, shape, *mode, boxes=argument.boxes)
            for argument, (type_, shape), mode in zip(
                self.function.arguments, self.types, modes, strict=True
            )
        )
        outputs = tuple(
            Parameter(*result, *mode) for result, mode in zip(self.results, out, strict=True)
        )
        return Program(self.block, inputs, outputs)

    @functools.cached_property
    def emission(self) -> type[Emission]:
        """How it is written: with all elements in registers, or with arrays in local memory."""
        numbers = sum(end.size for end in self.block.ends)
        numbers += sum(each.size for each in self.block.arrays if each.op == "parameter")
        is_long = any(e.shape[-1:] >= (ROW,) or e.op in IN_MEMORY for e in walk(self.block))
        is_small = steps(self.block) <= MOST_STEPS and numbers <= MOST_NUMBERS and not is_long
        return Scalars if is_small else Memory

    def module_of(self, program: Program) -> Module:
        """Return a program as a module of the language."""
        key = (program.inputs, program.outputs)
        if key not in self._modules:
            source = self.function.source

            def make() -> Module:
                translation = self._translation(program)
                return build(source, program.types(), {}, {}, translation)

            written = [repr(self.types), repr(key), self.emission.__name__]
            lazy = lazy_module(source, ["batched", *written], make)
            self._modules[key] = lazy
        return self._modules[key]

    @property
    def module(self) -> Module:
        """The program for one mode of the batch."""
        one: Modes = (0,), True, True
        program = self.program([one] * len(self.types), [one] * len(self.results))
        return build(self.function.source, program.types(), {}, {}, self._translation(program))

    def _translation(self, program: Program) -> Callable[..., Emission]:
        def translation(*given: Any) -> Emission:
            made = self.emission(*given)
            made.program = program
            return made

        return translation

    def kernel(self, program: Program) -> Kernel:
        """Return the compiled kernel of a program, for arrays of the host."""
        key = (program.inputs, program.outputs)
        if key not in self._kernels:
            module = self.module_of(program)
            self._kernels[key] = module.compile(target_of(()))[kernel_name(self.function.name)]
        return self._kernels[key]


def plan_of(function: DescribedFunction, dtypes: Sequence[Any], shapes: Sequence[Shape]) -> Plan:
    """Return the function for elements of some dtypes and shapes, that of earlier calls."""
    types = tuple((scalar_of(d), s) for d, s in zip(dtypes, shapes, strict=True))
    return function.found(types, lambda: Plan(function, types))  # type: ignore[no-any-return]


def _default_type(types: Sequence[tuple[Scalar, Shape]]) -> Scalar:
    """Return the type of new arrays: that of the first argument that is not an integer."""
    reals = [type_.real for type_, _ in types if type_.kind in ("floating", "complex")]
    return reals[0] if reals else SCALARS["f64"]


def steps(block: Block) -> int:
    """Return about how many operations on numbers a block takes as it is written."""
    return sum(map(_steps, walk(block)))


def _steps(array: Array) -> int:
    if array.is_elementwise:
        return array.size
    match array.op:
        case "matmul" | "gemm":
            inner = array.args[-1 if array.op == "matmul" else 2].shape[0]
            return 2 * array.size * inner
        case "reduce" | "cumsum":
            return array.args[0].size
        case "slice" | "update" if len(array.args) > (1 if array.op == "slice" else 2):
            return 2 * array.size * array.args[0].size
        case "if" if isinstance(array.data, Region):
            return sum(end.size for end in array.data.blocks[0].ends)
    return steps_of_solve(array)


def sizes_of_results(function: DescribedFunction) -> list[tuple[int | str, ...]]:
    """Return the sizes of results, as names of sizes of arguments where they are such.

    Raises:
        ParseError: the function is none for any of the sizes that are tried.
    """
    names = _names(function)
    tries, shapes, wrong = [], [], None
    for number in range(4 * len(names) + 4):  # some functions want more rows than columns
        known = dict(zip(names, _example(len(names), number), strict=True))
        try:
            plan = example_plan(function, known)
            shapes.append([shape for *_, shape in plan.results])
            tries.append(known)
        except ParseError as error:
            wrong = wrong or error
        if len(tries) == len(names) + 3:
            break
    if wrong and not tries:
        raise wrong
    return [
        tuple(_size(found, tries) for found in zip(*each, strict=True))
        for each in zip(*shapes, strict=True)
    ]


def _example(count: int, number: int) -> list[int]:
    """Return different sizes: for the first try, those that `text` shows."""
    if number < 2:  # in both orders
        return [3 + 2 * k for k in range(count)][:: 1 - 2 * number]
    return random.Random(number).sample(range(3, 5 + 2 * count), count)


def _names(function: DescribedFunction) -> list[str]:
    sizes = [size for shape in function.sizes() for size in shape if isinstance(size, str)]
    return list(dict.fromkeys(name for size in sizes for name in names_in(size)))


def example_plan(function: DescribedFunction, known: Mapping[str, int] | None = None) -> Plan:
    """Return the program for numbers of all names of sizes, 3 and more if none are given."""
    names = _names(function)
    shapes = function.sizes_for(known or dict(zip(names, _example(len(names), 0), strict=True)))
    last = (
        [type_ for type_, _ in function._last.types]
        if function._last
        else itertools.repeat(SCALARS["f64"])
    )
    types = [each.type or other for each, other in zip(function.arguments, last, strict=False)]
    return Plan(function, list(zip(types, shapes, strict=True)))


def _size(found: Sequence[int], tries: Sequence[Mapping[str, int]]) -> int | str:
    """Return a size that has some values for numbers of all names: a sum of names, or another.

    >>> _size([5, 7, 6], [{"n": 3}, {"n": 5}, {"n": 4}])
    'n + 2'
    """
    if len(set(found)) == 1:
        return found[0]
    names = list(tries[0])
    table = np.array([[*known.values(), 1] for known in tries])
    factors = np.rint(np.linalg.lstsq(table, np.array(found, float), rcond=None)[0]).astype(int)
    if (table @ factors == found).all():
        return _sum_of([*names, ""], factors.tolist())
    for one, other in itertools.combinations_with_replacement(names, 2):
        for size in (f"{one} * {other}", f"min({one}, {other})", f"max({one}, {other})"):
            if all(value_of(size, known) == each for known, each in zip(tries, found, strict=True)):
                return size
    return f"size_{found[0]}"


def _sum_of(names: Sequence[str], factors: Sequence[int]) -> str:
    """Return a sum of multiples of names; subtracted ones come last.

    >>> _sum_of(["m", "n", ""], [-1, 2, 3])
    '2 * n + 3 - m'
    """
    terms = [
        (
            factor < 0,
            " * ".join(filter(None, (str(abs(factor)) * (abs(factor) > 1 or not name), name))),
        )
        for name, factor in zip(names, factors, strict=True)
        if factor
    ]
    signed = [
        f"{'-' if is_less else '+'} {term}" for is_less, term in sorted(terms, key=lambda t: t[0])
    ]
    return " ".join(signed).removeprefix("+ ")
