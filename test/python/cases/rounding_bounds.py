"""By how much two right runs of a kernel may differ, as a running error analysis certifies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tinytc_mlir as tt
from cases.case import Case
from cases.enclosures import Enclosures
from cases.memory import GUARD, Memory, described, difference, is_same
from tinytc_mlir.scalars import SCALAR_TYPES
from tinytc_mlir.verification.unshown import Unshown

Run = Callable[..., None]


def disagreement(case: Case, expected: Memory, actual: Memory, run: Run) -> str:
    """Return where two runs differ by more than a case allows; empty if nowhere.

    Args:
        case: the kernel.
        expected: arguments after the run of the reference.
        actual: arguments after the other run.
        run: runs the reference, given `args` and `arithmetic`.
    """
    message = difference(expected, actual, case.tolerance)
    return beyond_rounding(case, expected, actual, run) if message and case.may_round else message


def beyond_rounding(case: Case, expected: Memory, actual: Memory, run: Run) -> str:
    """Return where two runs differ by more than rounding explains; empty if nowhere.

    It is empty, too, if rounding decides what the kernel does.

    Args:
        case: the kernel.
        expected: arguments after the run of the reference.
        actual: arguments after the other run.
        run: runs the reference, given `args` and `arithmetic`.
    """
    allowed = certified_bounds(case, run)
    if allowed is None:
        return ""
    for (name, _, right), (_, _, left), bound in zip(
        expected.arrays(), actual.arrays(), allowed, strict=True
    ):
        with np.errstate(all="ignore"):
            # The bound of an element that may overflow is infinite.
            same = is_same(left, right) | (_distance(left, right) <= bound) | np.isinf(bound)
        if not same.all():
            return f"%{name}: {described(left, right, same)}"
    return ""


def _distance(a: Any, b: Any) -> Any:
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    return np.abs(np.asarray(a, wide) - np.asarray(b, wide))


def certified_bounds(case: Case, run: Run) -> list[Any] | None:
    """Return a bound for each element of each array, None if rounding decides what happens.

    Both runs are off by at most the error of all roundings on the way to a result. A number may
    underflow at each rounding.

    Args:
        case: the kernel.
        run: runs the reference, given `args` and `arithmetic`.
    """
    numbers, memory = Enclosures(), Memory(case.parameters, np.copy)
    stored = [
        (SCALAR_TYPES[buffer.type_], data)
        for name, buffers in memory.buffers.items()
        for buffer, data in zip(buffers, memory.data[name], strict=True)
    ]
    for scalar_type, data in stored:
        if scalar_type.precision:
            values = np.asarray(scalar_type.from_memory(data))
            data[...] = numbers.to_memory(scalar_type, numbers.of_exact(scalar_type, values))
    try:
        run(args=memory.arguments, arithmetic=numbers)
    except (Unshown, tt.errors.InterpreterError):
        return None
    bounds = []
    for scalar_type, data in stored:
        bound = np.zeros(data.shape)
        if scalar_type.precision:
            bound = numbers.distance(scalar_type, numbers.from_memory(scalar_type, data))
        bound[:GUARD] = bound[len(bound) - GUARD :] = 0
        bounds.append(bound)
    return bounds
