"""Compares what a kernel computes with the NumPy reference of the language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..runtime.arguments import Group, Groups, checked_counts
from ..runtime.manifest import MemrefArgument
from ..scalars import SCALAR_TYPES

if TYPE_CHECKING:
    from ..reference.interpreter import Interpretable
    from ..runtime.kernel import Kernel

_MOST_GROUPS = 1000  # the reference takes about a millisecond for each


def compare_with_reference(
    module: Interpretable, kernel: Kernel, values: dict[str, Any], groups: Groups, queue: object
) -> str:
    """Return in words how far the results of one launch are from the reference.

    The arguments themselves keep their values.

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
    for count in checked_counts(groups):
        counts.append(min(count, most))
        most //= counts[-1]
    expected = {name: copied(value) for name, value in values.items()}
    actual = {name: copied(value) for name, value in values.items()}
    interpret(module, kernel.info.name, expected, counts)
    kernel(actual, groups=counts, queue=queue)
    errors = [
        f"{argument.name}: {_describe(argument, actual[argument.name], expected[argument.name])}"
        for argument in kernel.info.arguments
        if isinstance(argument, MemrefArgument) and argument.is_written
    ]
    return "; ".join(errors) or "none: the kernel writes nothing"


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


def _describe(argument: MemrefArgument, actual: Any, expected: Any) -> str:
    error = argument_error(argument, actual, expected)
    epsilon = SCALAR_TYPES[argument.element_type].epsilon
    if not epsilon:
        return "exact" if error == 0 else f"wrong, by {error:.1e} of the largest value"
    return f"{error:.1e} of the largest value ({error / epsilon:.1f} epsilon)"
