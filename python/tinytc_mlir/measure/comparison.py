"""Compares what a kernel computes with the NumPy reference of the language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..runtime.arguments import Group
from ..runtime.manifest import Argument, MemrefArgument
from ..scalars import SCALAR_TYPES, bfloat16_values

if TYPE_CHECKING:
    from ..reference.interpreter import Interpretable
    from ..runtime.kernel import Kernel

_MOST_GROUPS = 1000  # the reference takes about a millisecond for each
_EPSILON_BFLOAT16 = 2.0**-7


def compare_with_reference(
    module: Interpretable, kernel: Kernel, values: dict[str, Any], groups: int, queue: object
) -> str:
    """Return in words how far the results of one launch are from the reference.

    The arguments themselves keep their values.

    Args:
        module: the program at the stage of the dialect.
        kernel: the compiled kernel.
        values: arguments by name.
        groups: number of groups; if there are many, only the first are compared.
        queue: dpctl queue to launch on.
    """
    from ..reference import interpret

    groups = min(groups, _MOST_GROUPS)
    expected = {name: copied(value) for name, value in values.items()}
    actual = {name: copied(value) for name, value in values.items()}
    interpret(module, kernel.info.name, expected, groups)
    kernel(**actual, groups=groups, queue=queue)
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
    result = np.ndarray(value.shape, value.dtype, buffer, 0, value.strides)
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


def _describe(argument: Argument, actual: Any, expected: Any) -> str:
    assert isinstance(argument, MemrefArgument)
    pairs = [(actual, expected)]
    if isinstance(actual, Group):
        pairs = list(zip(actual.members, expected.members, strict=True))
    element_type = SCALAR_TYPES[argument.element_type]
    if element_type.name == "bf16":
        pairs = [(bfloat16_values(a), bfloat16_values(e)) for a, e in pairs]
    error = max((relative_error(a, e) for a, e in pairs), default=0.0)
    if element_type.kind in ("integer", "bool"):
        return "exact" if error == 0 else f"wrong, by {error:.1e} of the largest value"
    epsilon = _EPSILON_BFLOAT16
    if element_type.name != "bf16":
        epsilon = float(np.finfo(element_type.dtype).eps)
    return f"{error:.1e} of the largest value ({error / epsilon:.1f} epsilon)"
