# SPDX-License-Identifier: BSD-3-Clause
"""Bounds of a kernel for given arguments: the degree, the rounding errors, and exact integers."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..errors import InterpreterError
from ..measure.comparison import members_of
from ..reference import interpret
from ..reference.arithmetic import NUMPY, Arithmetic
from ..reference.interpreter import Interpretable
from ..reference.rounding import Array
from ..reference.untyped import Ir, operations
from ..runtime.kernel_info import KernelInfo, MemrefArgument
from ..scalars import SCALAR_TYPES, ScalarType
from .data import Arguments, changed, definite, is_number, nan_places, residues, type_of
from .measures import Degrees, Granules, Measure, Roundings, Sizes
from .residues import Residues

NO_SQUARES = "it takes roots, and points of fields have numbers that are no squares"
"""Why something is not shown of a kernel with roots."""

_NARROW_PRIME, _WIDE_PRIME = 65519, 2**31 - 1
_POINTS = 6  # half of the residues are squares
Run: TypeAlias = "Callable[[Arguments, Arithmetic], object]"


def _is_of_constants(op: Ir) -> bool:
    """Return whether an operation computes a number of constants alone."""
    if len(op.regions) or not any("f" in str(each.type).split("x")[-1] for each in op.results):
        return False
    owners = [getattr(each.owner, "name", "") for each in op.operands]
    return bool(owners) and all(each == "tinytc.constant" for each in owners)


@dataclasses.dataclass(frozen=True)
class Subject:
    """A kernel and the arguments that it is looked at with.

    Args:
        module: the program at the stage of the dialect.
        info: the kernel's signature.
        values: arguments by name.
        groups: number of groups.
    """

    module: Interpretable
    info: KernelInfo
    values: Mapping[str, Any]
    groups: Sequence[int]

    def run(self, values: Arguments, arithmetic: Arithmetic = NUMPY) -> Arguments:
        """Run the reference on arguments, in place, and return them."""
        self.interpret(self.module, self.info.name, values, arithmetic)
        return values

    def point(self, prime: int, seed: int, limit: int | None = None) -> Arguments:
        """Return arguments that are random residues; definite matrices where they must be.

        Args:
            prime: the field.
            seed: of the random numbers.
            limit: the numbers are below it; by default, below the prime.
        """
        values = residues(self.info, self.values, seed, limit or prime)
        if self.needs_definite:
            are_factors = bool(self._has_numbers_of_factors)
            return definite(self.info, values, Residues(prime), are_factors=are_factors)
        return values

    def has_numbers(self, values: Arguments, numbers: Residues) -> bool:
        """Return whether results are no NaN at a point.

        Args:
            values: the point, which becomes the results.
            numbers: the field.
        """
        self.run(values, numbers)
        return not any(
            nan_places(type_of(each), member, numbers).any()
            for each in self.written
            for member in members_of(values[each.name])
            if member is not None
        )

    @functools.cached_property
    def _has_numbers_of_factors(self) -> bool | None:
        """Whether square matrices should be triangular for factorisations to have results.

        None if these meet numbers that are no squares in either case.
        """
        numbers = Residues(_NARROW_PRIME if self.is_narrow else _WIDE_PRIME)

        def has_numbers(seed: int, are_factors: bool) -> bool:
            values = residues(self.info, self.values, seed, numbers.prime)
            values = definite(self.info, values, numbers, are_factors=are_factors)
            return self.has_numbers(values, numbers)

        for are_factors in (False, True):
            if all(has_numbers(seed, are_factors) for seed in range(_POINTS)):
                return are_factors
        return None

    @property
    def lacks_squares(self) -> bool:
        """Whether factorisations have no results at points of fields."""
        return self.needs_definite and self._has_numbers_of_factors is None

    def interpret(
        self, module: Interpretable, name: str, values: Arguments, arithmetic: Arithmetic
    ) -> None:
        """Run a kernel on arguments, in place, in work-groups of the compiled kernel's size.

        Args:
            module: a program at the stage of the dialect.
            name: the kernel.
            values: its arguments.
            arithmetic: what numbers are.
        """
        interpret(
            module,
            name,
            values,
            self.groups,
            work_group_size=self.info.local_size[:2],
            subgroup_size=self.info.subgroup_size,
            arithmetic=arithmetic,
        )

    @functools.cached_property
    def integers(self) -> list[str]:
        """The integers and truth values that the kernel gets, which are the same in all runs."""
        return [
            each.name
            for each in self.info.arguments
            if not is_number(type_of(each))
            and (not isinstance(each, MemrefArgument) or each.is_read)
        ]

    @functools.cached_property
    def is_narrow(self) -> bool:
        """Whether the program has numbers of 16 bits."""
        return "f16" in str(self.module.operation)

    @functools.cached_property
    def folds(self) -> bool:
        """Whether the compiler may compute numbers of constants, and round them."""
        return any(map(_is_of_constants, operations(self.module.operation)))

    @functools.cached_property
    def needs_definite(self) -> bool:
        """Whether the kernel factors matrices that must be positive definite."""
        text = str(self.module.operation)
        return "tinytc.cholesky" in text or "tinytc.solve.spd" in text

    @property
    def written(self) -> list[MemrefArgument]:
        """The parameters whose floating-point numbers the kernel writes."""
        return [
            each
            for each in self.info.arguments
            if isinstance(each, MemrefArgument) and each.is_written and is_number(type_of(each))
        ]

    def bounds(
        self, measure: Measure, bound: float, scalar: float, run: Run | None = None
    ) -> dict[str, Array]:
        """Return the bounds of the arrays that the kernel writes.

        Args:
            measure: what is computed.
            bound: that of each number in an array.
            scalar: the value of each floating-point scalar.
            run: runs the kernel on arguments, in place; by default the reference.
        """

        def fill(_: str, scalar_type: ScalarType, member: Array) -> None:
            values = np.full(member.shape, bound).astype(measure.value_dtype(scalar_type))
            member[...] = measure.to_memory(scalar_type, values)

        values = changed(self.info, self.values, fill, lambda *_: scalar)
        (run or self.run)(values, measure)
        return {
            each.name: np.concatenate(
                [
                    np.zeros(0),  # a group may be empty
                    *(
                        np.real(measure.from_memory(type_of(each), member)).ravel()
                        for member in members_of(values[each.name])
                        if member is not None
                    ),
                ]
            )
            for each in self.written
        }

    def degree(self, run: Run | None = None) -> float:
        """Return the largest degree of a result, or of an operand of a function.

        Args:
            run: runs the kernel on arguments, in place; by default the reference.

        Raises:
            Unshown: there is no bound.
        """
        measure = Degrees()
        found = self.bounds(measure, 1.0, 1.0, run)
        degrees = np.concatenate([np.zeros(1), *found.values()])
        # Two quotients are equal where a polynomial of twice the degree is 0, or there is none.
        degrees = np.where(degrees < measure.zero, 3 * np.abs(degrees), degrees)
        return max(1.0, measure.deepest, float(np.max(degrees)))

    def roundings(self) -> dict[str, float]:
        """Return the largest errors of results, in units of the roundoff of their types.

        Raises:
            Unshown: there is no bound.
        """
        measure = Roundings()
        found = self.bounds(measure, 0.0, 1.0)
        return {
            each.name: float(np.max(found[each.name], initial=0)) / (type_of(each).epsilon / 2)
            for each in self.written
        }

    def is_exact(self, largest: int) -> bool:
        """Return whether integers up to a size are computed without rounding in any order.

        Raises:
            Unshown: the kernel computes what is not exact.
        """
        sizes, granules = Sizes(), Granules()
        try:
            self.bounds(sizes, float(largest), float(largest))
            self.bounds(granules, 1.0, 1.0)
        except InterpreterError:  # bounds in place of numbers are no indices
            return False
        return all(
            size <= granules.least.get(name, 1.0) * 2.0 ** SCALAR_TYPES[name].precision
            and SCALAR_TYPES[name].round(size) < np.inf
            for name, size in sizes.largest.items()
        )
