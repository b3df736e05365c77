# SPDX-License-Identifier: BSD-3-Clause
"""Calls with `out`, `axes` and `axis`, as generalised universal functions of NumPy have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError, describe
from .arrays import as_several, one_or_several
from .calls import Route, called, converted, launch, plan_for, routed

if TYPE_CHECKING:
    from .described import DescribedFunction

Numbers = npt.NDArray[Any]


def run_with(
    function: DescribedFunction,
    values: Sequence[Any],
    out: Any,
    axes: Any,
    axis: Any,
) -> Any:
    """Run a function for a batch, as `BatchedFunction.__call__` says."""
    if axes is None and axis is None:
        route, arrays = routed(function, values)
        given = _outputs(function, out, len(route.results))
        _into(function, route, arrays, given, given)
        return one_or_several(given)
    arrays = converted(function, values)
    ranks = [len(each.sizes or ()) for each in function.arguments]
    places = _places(function, axes, axis, ranks)
    arrays = [
        _moved(function, each.name, array, place)
        for each, array, place in zip(function.arguments, arrays, places, strict=False)
    ]
    results = plan_for(function, arrays).results
    own = places[len(arrays) :] or [None] * len(results)
    if axis is not None:
        own = [(axis,) * (len(shape) > 0) for *_, shape in results]
    if len(own) != len(results):
        count = len(arrays) + len(results)
        raise ArgumentError(f"{function.name}: expected {count} items of 'axes', got {len(places)}")
    if out is None:
        made = as_several(launch(function, arrays))
        return one_or_several(
            [_back(m, p, len(s)) for m, p, (*_, s) in zip(made, own, results, strict=True)]
        )
    given = _outputs(function, out, len(results))
    turned = [
        _moved(function, name, array, place)
        for (name, *_), array, place in zip(results, given, own, strict=True)
    ]
    route, arrays = routed(function, arrays)
    _into(function, route, arrays, given, turned)
    return one_or_several(given)


def _places(
    function: DescribedFunction,
    axes: Any,
    axis: Any,
    ranks: Sequence[int],
) -> list[tuple[int, ...] | None]:
    """Return the modes of the element for each argument, and for results if they are given."""
    if axis is not None:
        if axes is not None or any(rank > 1 for rank in ranks):
            message = "expected arguments of at most one mode for 'axis', and no 'axes', got others"
            raise ArgumentError(f"{function.name}: {message}", argument="axis")
        return [(axis,) * rank for rank in ranks]
    if axes is None:
        return [None] * len(ranks)
    if not isinstance(axes, (list, tuple)) or len(axes) < len(ranks):
        message = f"expected a list of modes for each argument in 'axes', got {describe(axes)}"
        raise ArgumentError(f"{function.name}: {message}", argument="axes")
    return [(each,) if isinstance(each, int) else tuple(each) for each in axes]


def _moved(
    function: DescribedFunction, name: str, array: Numbers, place: tuple[int, ...] | None
) -> Numbers:
    """Return a view whose last modes are those of the element."""
    if place is None:
        return array
    try:
        return np.moveaxis(array, place, range(-len(place), 0))
    except ValueError as error:
        message = f"{function.name}: argument {name!r}: expected modes of an array, got {error}"
        raise ArgumentError(message, argument=name) from None


def _back(array: Numbers, place: tuple[int, ...] | None, rank: int) -> Numbers:
    return array if not place or not rank else np.moveaxis(array, range(-rank, 0), place)


def _outputs(function: DescribedFunction, out: Any, count: int) -> list[Numbers]:
    given = list(out) if isinstance(out, (tuple, list)) else [out]
    if len(given) != count or not all(isinstance(each, np.ndarray) for each in given):
        message = f"expected {count} arrays in 'out', got {describe(out)}"
        raise ArgumentError(f"{function.name}: {message}", argument="out")
    return given


def _into(
    function: DescribedFunction,
    route: Route,
    arrays: Sequence[Numbers],
    given: Sequence[Numbers],
    turned: Sequence[Numbers],
) -> None:
    """Store results in views of arrays that are given, which may overlap arguments."""
    turned = [np.asarray(each) for each in turned]
    for whole, array, (shape, dtype) in zip(given, turned, route.results, strict=True):
        if array.shape != shape or not np.can_cast(dtype, array.dtype, "same_kind"):
            raise ArgumentError(
                f"{function.name}: expected an array of {dtype} and shape {shape} in 'out', got "
                f"{array.dtype} and {array.shape}",
                argument="out",
            )
        if not whole.flags.writeable:
            raise ArgumentError(
                f"{function.name}: expected an array that can be written in 'out', got one that "
                "is read-only",
                argument="out",
            )
        if isinstance(whole, np.ma.MaskedArray):
            whole.mask = np.ma.nomask
    if _are_like_new(route, arrays, turned):
        called(route, arrays, turned)
        return
    made = as_several(called(route, arrays))
    for array, result in zip(turned, made, strict=True):
        array[...] = result


def _are_like_new(route: Route, arrays: Sequence[Numbers], given: Sequence[Numbers]) -> bool:
    """Return whether results may be written where they are given, as to new arrays."""
    for number, (array, (_, dtype)) in enumerate(zip(given, route.results, strict=True)):
        if array.dtype != dtype or not (array.flags.c_contiguous and array.flags.aligned):
            return False
        if any(np.may_share_memory(array, other) for other in (*arrays, *given[:number])):
            return False
    return True
