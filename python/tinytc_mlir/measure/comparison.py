# SPDX-License-Identifier: BSD-3-Clause
"""Compares what a kernel computes with the NumPy reference of the language."""

from __future__ import annotations

import contextlib
import dataclasses
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..runtime.kernel_info import MemrefArgument
from ..runtime.launches.arguments import Group, Groups, checked_counts
from ..scalars import SCALAR_TYPES

if TYPE_CHECKING:
    from ..reference.interpreter import Interpretable
    from ..runtime.kernel import Kernel

_MOST_GROUPS = 1000  # the reference takes about a millisecond for each

_Array: TypeAlias = "np.ndarray[Any, Any]"


@dataclasses.dataclass(frozen=True)
class Comparison:
    """The outcome of a comparison of results with the reference.

    Args:
        text: how far the results are from the reference, in words.
        problems: why they are wrong or cannot be compared; none if they are right.
    """

    text: str
    problems: tuple[str, ...]


def compare_with_reference(
    module: Interpretable, kernel: Kernel, values: dict[str, Any], groups: Groups, queue: object
) -> Comparison:
    """Return how far the results of one launch are from the reference.

    A result without one finite number cannot be compared: it is a problem, unless an argument was
    not finite either. The arguments themselves keep their values.

    Args:
        module: the program at the stage of the dialect.
        kernel: the compiled kernel.
        values: arguments by name.
        groups: number of groups, or up to three of them; if there are many, only the first are
            compared.
        queue: dpctl queue to launch on.
    """
    from ..reference import interpret

    most, counts = _MOST_GROUPS, []
    for count in checked_counts(groups, 1):
        counts.append(min(count, most))
        most //= counts[-1]
    expected = {name: copied(value) for name, value in values.items()}
    actual = {name: copied(value) for name, value in values.items()}
    with contextlib.redirect_stdout(io.StringIO()):  # the launch prints the same lines
        interpret(module, kernel.info.name, expected, counts)
    kernel(actual, groups=counts, queue=queue)
    written = {
        argument.name: _Results(argument, values, actual, expected)
        for argument in kernel.info.arguments
        if isinstance(argument, MemrefArgument) and argument.is_written
    }
    are_finite = all(
        bool(np.isfinite(array).all())
        for value in values.values()
        for array in members_of(value)
        if array is not None and np.asarray(array).dtype.kind in "fc"
    )
    texts = [f"{name}: {results}" for name, results in written.items()]
    problems = [
        f"argument {name!r}: {problem}"
        for name, results in written.items()
        for problem in results.problems(are_finite)
    ]
    return Comparison("; ".join(texts) or "none: the kernel writes nothing", tuple(problems))


def copied(value: Any) -> Any:
    """Return a copy of an argument in plain host memory, with the same strides.

    >>> copied(np.zeros((4, 3), order="F")[:2]).strides
    (8, 32)
    """
    if isinstance(value, Group):
        return Group([copied(member) for member in value.members], value.offset, value.shape)
    if not isinstance(value, np.ndarray):
        return value
    extent_bytes = value.itemsize + sum(
        (size - 1) * stride for size, stride in zip(value.shape, value.strides, strict=True)
    )
    buffer = np.zeros(max(extent_bytes, value.itemsize), np.uint8)
    result: np.ndarray[Any, Any] = np.ndarray(value.shape, value.dtype, buffer, 0, value.strides)
    result[...] = value
    return result


def relative_error(actual: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> float:
    """Return the largest difference in units of the largest expected magnitude.

    Equal infinities differ by 0, a NaN on one side only by infinity.

    >>> relative_error(np.array([1.0, 2.0]), np.array([1.0, 2.5]))
    0.2
    """
    if expected.size == 0:
        return 0.0
    same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    if bool(same.all()):
        return 0.0
    wide = np.complex128 if np.iscomplexobj(expected) else np.float64
    with np.errstate(invalid="ignore"):
        difference = np.abs(actual.astype(wide) - expected.astype(wide))
    difference = np.where(same, 0.0, np.nan_to_num(difference, nan=np.inf, posinf=np.inf))
    magnitudes = np.abs(expected.astype(wide))
    scale = float(np.max(magnitudes, initial=0.0, where=np.isfinite(magnitudes)))
    return float(difference.max()) / (scale or 1.0)


def argument_error(argument: MemrefArgument, actual: Any, expected: Any) -> float:
    """Return the largest relative error of the arrays that a parameter was given.

    Args:
        argument: the parameter.
        actual: array or group after a launch.
        expected: the same with the values that it should have.
    """
    from_memory = SCALAR_TYPES[argument.element_type].from_memory
    pairs = zip(members_of(actual), members_of(expected), strict=True)
    return max((relative_error(from_memory(a), from_memory(e)) for a, e in pairs), default=0.0)


def members_of(value: Any) -> list[Any]:
    """Return the arrays of what a memref or group parameter was given."""
    return list(value.members) if isinstance(value, Group) else [value]


class _Results:
    """The elements that a launch has written to the arrays of a parameter, and the expected ones.

    Args:
        argument: the parameter.
        before: all arguments before the launch, by name.
        actual: after the launch.
        expected: after the reference's.
    """

    def __init__(
        self,
        argument: MemrefArgument,
        before: Mapping[str, Any],
        actual: Mapping[str, Any],
        expected: Mapping[str, Any],
    ) -> None:
        from_memory = SCALAR_TYPES[argument.element_type].from_memory
        old, new, right = (
            [from_memory(member) for member in members_of(values[argument.name])]
            for values in (before, actual, expected)
        )
        self._epsilon = SCALAR_TYPES[argument.element_type].epsilon
        self._written = self._finite = 0
        self._error = 0.0
        # By word: how many are so in both, in the launch only, in the reference only.
        self._odd = {"NaN": [0, 0, 0], "infinite": [0, 0, 0]}
        for one, other, third in zip(old, new, right, strict=True):
            self._count(one, other, third)

    def _count(self, before: _Array, actual: _Array, expected: _Array) -> None:
        """Add what is found in one array; elements that nobody changes do not count."""
        changed = ~((actual == before) & (expected == before))
        self._written += int(changed.sum())
        same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
        for word, is_odd in (("NaN", np.isnan), ("infinite", np.isinf)):
            here, there = is_odd(actual), is_odd(expected)
            both = here & there & same
            for place, found in enumerate((both, here & ~both, there & ~here)):
                self._odd[word][place] += int(found.sum())
        finite = np.isfinite(actual) & np.isfinite(expected)
        self._finite += int((finite & changed).sum())
        self._error = max(self._error, relative_error(actual[finite], expected[finite]))

    def __str__(self) -> str:
        parts = [self._error_text()] if self._finite or not self._written else []
        parts += [
            f"{self._share(counts[place])} are {text}"
            for word, counts in self._odd.items()
            for place, text in enumerate((word, *self._differences(word)))
            if counts[place]
        ]
        return ", ".join(parts)

    def _error_text(self) -> str:
        if not self._epsilon:
            return (
                "exact" if not self._error else f"wrong, by {self._error:.1e} of the largest value"
            )
        return f"{self._error:.1e} of the largest value ({self._error / self._epsilon:.1f} epsilon)"

    def _share(self, count: int) -> str:
        return f"{count} of {self._written}"

    @staticmethod
    def _differences(word: str) -> tuple[str, str]:
        return f"{word}, unlike in the reference", f"not {word}, unlike in the reference"

    def problems(self, are_arguments_finite: bool) -> list[str]:
        """Return why the results are wrong or cannot be compared.

        Args:
            are_arguments_finite: whether all arguments of the launch were.
        """
        found = [
            f"expected the results of the reference, got {self._share(count)} that are {text}"
            for word, (_, *counts) in self._odd.items()
            for count, text in zip(counts, self._differences(word), strict=True)
            if count
        ]
        if not found and self._written and not self._finite and are_arguments_finite:
            found = [f"expected finite numbers to compare with the reference, got none: {self}"]
        if not self._epsilon and self._error:
            found.append(f"expected the results of the reference, got {self._error_text()}")
        return found
