"""By how much two right runs of a kernel may differ, as counts of its roundings certify."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tinytc_mlir as tt
from cases.case import Case
from cases.memory import GUARD, Memory
from tinytc_mlir.scalars import SCALAR_TYPES
from tinytc_mlir.verification.measures import Measure, Roundings, Sizes
from tinytc_mlir.verification.unshown import Unshown

Run = Callable[..., None]


def certified_bounds(case: Case, run: Run) -> list[Any] | None:
    """Return a bound for each element of each array, None if the method does not apply.

    Both runs are off by at most the relative error of all roundings on the way to a result, times
    what the kernel computes of absolute values. A number may underflow at each rounding.

    Args:
        case: the kernel.
        run: runs the reference, given `args` and `arithmetic`.
    """
    try:
        errors = _after(case, run, Roundings(), np.zeros_like)
        sizes = _after(case, run, Sizes(), np.abs)
    except (Unshown, tt.errors.InterpreterError):
        return None
    bounds = []
    types = (type_ for _, type_, _ in Memory(case.parameters, np.copy).arrays())
    for type_, error, size in zip(types, errors, sizes, strict=True):
        scalar_type = SCALAR_TYPES[type_]
        bound = np.zeros(error.shape)
        if scalar_type.precision:
            least = float(np.finfo(scalar_type.real.value_dtype).smallest_normal)
            relative = np.maximum(error, 0)
            roundings = 1 + relative / (scalar_type.epsilon / 2)
            bound = 2 * (relative * size + roundings * least)
        bound[:GUARD] = bound[len(bound) - GUARD :] = 0
        bounds.append(bound)
    return bounds


def _after(
    case: Case, run: Run, measure: Measure, begin: Callable[[Any], Any]
) -> list[np.ndarray[Any, Any]]:
    """Return what a measure gives for all elements, after those of numbers began with a bound."""
    memory = Memory(case.parameters, np.copy)
    stored = [
        (SCALAR_TYPES[buffer.type_], data)
        for name, buffers in memory.buffers.items()
        for buffer, data in zip(buffers, memory.data[name], strict=True)
    ]
    with np.errstate(all="ignore"):
        for scalar_type, data in stored:
            if scalar_type.precision:
                parts = np.asarray(scalar_type.from_memory(data))
                bounds = begin(np.maximum(np.abs(parts.real), np.abs(parts.imag)))
                held = np.asarray(bounds, np.float64).astype(measure.value_dtype(scalar_type))
                data[...] = measure.to_memory(scalar_type, held)
        run(args=memory.arguments, arithmetic=measure)
        return [np.real(measure.from_memory(each, data)).astype(float) for each, data in stored]
