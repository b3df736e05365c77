# SPDX-License-Identifier: BSD-3-Clause
"""Calls of batched functions with arrays of NumPy: how their first modes become the batch."""

from __future__ import annotations

import dataclasses
import math
import operator
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import switches
from .._arrays import PlannedLaunch, address_of
from ..errors import ArgumentError, UncheckedWarning
from ..kernels.types import type_of
from ..runtime.launches.by_address import planned_launch
from ..runtime.tracing import hooks
from .arrays import Shape, framework_of, one_or_several

if TYPE_CHECKING:
    from ..runtime.kernel import Kernel
    from .described import DescribedFunction
    from .programs import Plan

Casting: TypeAlias = Literal["safe", "same_kind"]
Numbers: TypeAlias = npt.NDArray[Any]
_DIMENSIONS = 3
_TURNED: Callable[[Numbers], Numbers] = operator.attrgetter("T")


@dataclasses.dataclass(frozen=True)
class Route:
    """How arrays of some shapes, strides and types are passed to a kernel.

    Args:
        kernel: the kernel, None for an empty batch.
        groups: the numbers of groups.
        views: make the kernel's arguments of the arrays and of results.
        results: shape and dtype of new arrays for results.
        planned: the launch for such arrays, by their addresses; None if each is checked.
    """

    kernel: Kernel | None
    groups: tuple[int, ...]
    views: tuple[Callable[[Numbers], Numbers], ...]
    results: tuple[tuple[Shape, Any], ...]
    planned: PlannedLaunch | None


def run(function: DescribedFunction, values: Sequence[Any]) -> Any:
    """Run a function for a batch, as `BatchedFunction.__call__` says."""
    arrays: list[Numbers] | None = list(values)
    for value in values:
        if type(value) is not np.ndarray:
            if found := framework_of(value):
                return getattr(function, found)(*values)
            arrays = None
    function.source.check_outside()
    if arrays is None:
        arrays = _quickly(function, values) or converted(function, values)
    route = function._plans.get(tuple([(a.dtype, a.shape, a.strides) for a in arrays]))
    if route is None:
        return launch(function, converted(function, values))
    return called(route, arrays)


def routed(function: DescribedFunction, values: Sequence[Any]) -> tuple[Route, list[Numbers]]:
    """Return how a function runs for arguments, and the arrays that it takes."""
    arrays = _quickly(function, values) or converted(function, values)
    route = function._plans.get(tuple([(a.dtype, a.shape, a.strides) for a in arrays]))
    return (route, arrays) if route else _route_for(function, converted(function, values))


def _quickly(function: DescribedFunction, values: Sequence[Any]) -> list[Numbers] | None:
    """Return arguments as arrays where no type must be found for one, else None."""
    if len(values) != len(function.arguments):
        return None
    found = []
    for value, argument in zip(values, function.arguments, strict=True):
        if type(value) is np.ndarray or isinstance(value, np.generic):
            found.append(np.asarray(value))
        elif type(value) in (int, float) and argument.type and argument.type.kind == "floating":
            found.append(np.asarray(value, argument.type.dtype))
        else:
            return None
    return found


def called(route: Route, arrays: Sequence[Numbers], given: Sequence[Numbers] | None = None) -> Any:
    """Return the results for arrays, which are `given` or new arrays."""
    made = given or [np.empty(*each) for each in route.results]
    if route.kernel is None:
        return one_or_several(made)
    planned = None if hooks.active or switches.INTERPRET.is_on() else route.planned
    if planned is None or planned.run([address_of(a) for a in (*arrays, *made)]):
        views = [view(a) for view, a in zip(route.views, (*arrays, *made), strict=True)]
        route.kernel(*views, groups=route.groups)
    return made[0] if len(made) == 1 else tuple(made)


def converted(function: DescribedFunction, values: Sequence[Any]) -> list[Numbers]:
    """Return the arguments as arrays of the types of the function.

    Raises:
        ArgumentError: there are too few or too many, or one has another type.
    """
    names = function.names
    expect_count(function, values)
    arrays = [np.asarray(value) for value in values]
    for name, value in zip(names, values, strict=True):
        if np.ma.is_masked(value):
            message = (
                f"{function.name}: argument {name!r}: expected an array without a mask, got one"
            )
            raise ArgumentError(f"{message} that is masked: write {name}.filled(0)", argument=name)
    strong = [a.dtype for a, v in zip(arrays, values, strict=True) if not is_weak(v)]
    found = []
    for argument, array, value in zip(function.arguments, arrays, values, strict=True):
        dtype = argument.type.dtype if argument.type else array.dtype
        if argument.type is None and is_weak(value) and strong:
            dtype = np.result_type(*strong, value)
        dtype = np.dtype(dtype).newbyteorder("=")
        if argument.type is None:
            type_of(function.name, argument.name, np.empty((1,), dtype))  # an error for others
        if is_weak(value):
            expect_weak(function, argument.name, value, dtype)
        else:
            expect_fitting(function, argument.name, array.dtype, dtype)
        cast = np.asarray(array).astype(dtype, copy=False)
        if dtype.kind == "i" and cast.dtype != array.dtype and not np.array_equal(cast, array):
            raise _no_integers(function, argument.name, dtype)
        found.append(_usable(cast))
    return found


def expect_count(function: DescribedFunction, values: Sequence[Any]) -> None:
    """Expect as many arguments as a function has.

    Raises:
        ArgumentError: there are too few or too many.
    """
    names = function.names
    if len(values) != len(names):
        raise ArgumentError(
            f"{function.name}: expected {len(names)} arguments ({', '.join(names)}), got "
            f"{len(values)}"
        )


def _no_integers(function: DescribedFunction, name: str, dtype: Any) -> ArgumentError:
    message = f"expected integers of {dtype}, got some that it does not have"
    return ArgumentError(f"{function.name}: argument {name!r}: {message}", argument=name)


_KINDS = "biufc"
"""Kinds of dtypes, each of which has the numbers of those before."""


def expect_weak(function: DescribedFunction, name: str, value: complex, wanted: Any) -> None:
    """Expect a number of Python that a dtype has, but for its precision.

    Raises:
        ArgumentError: the dtype has no such numbers.
    """
    given = {bool: "b", int: "i", float: "f", complex: "c"}[type(value)]
    has = "f" if wanted.kind == "V" else wanted.kind  # as bf16 has
    if _KINDS.index(given) > _KINDS.index(has):
        message = f"{function.name}: argument {name!r}: expected a number of {wanted}, got {value}"
        raise ArgumentError(message, argument=name)
    if has in "iu" and not np.iinfo(wanted).min <= int(value.real) <= np.iinfo(wanted).max:
        raise _no_integers(function, name, wanted)


def expect_fitting(
    function: DescribedFunction,
    name: str,
    given: Any,
    wanted: Any,
    casting: Casting = "same_kind",
) -> None:
    """Expect an argument of a dtype whose numbers another one has.

    Args:
        function: the function.
        name: of the argument.
        given: its dtype.
        wanted: the other one.
        casting: "safe" if sizes of integers count, too.

    Raises:
        ArgumentError: the other one is narrower, or of another kind.
    """
    sizes = [each.itemsize // (1 + (each.kind == "c")) for each in (wanted, given)]
    if (given.kind in "fc" and sizes[0] < sizes[1]) or not np.can_cast(given, wanted, casting):
        message = f"{function.name}: argument {name!r}: expected dtype {wanted}, got {given}"
        raise ArgumentError(message, argument=name)


def is_weak(value: object) -> bool:
    """Whether a value is a number of Python, which takes the type of what it meets."""
    return type(value) in (bool, int, float, complex)


def _usable(array: Numbers) -> Numbers:
    """Return an array whose strides are multiples of the size of an element, a copy if need be."""
    size = array.dtype.itemsize
    is_even = array.flags.aligned and not any(stride % size for stride in array.strides)
    return array if is_even else array.copy()


def plan_for(function: DescribedFunction, arrays: Sequence[Numbers]) -> Plan:
    """Return the program for arrays of some types and shapes."""
    from .programs import plan_of

    shapes = function.shapes_of([a.shape for a in arrays])
    plan = plan_of(function, [a.dtype for a in arrays], shapes)
    function._last = plan
    return plan


def launch(function: DescribedFunction, arrays: list[Numbers]) -> Any:
    """Run a function for arrays that have been converted; keep how for the next call."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UncheckedWarning)
        return called(*_route_for(function, arrays))


def _route_for(function: DescribedFunction, arrays: list[Numbers]) -> tuple[Route, list[Numbers]]:
    with warnings.catch_warnings():  # indices of run time are kept in their arrays
        warnings.simplefilter("ignore", UncheckedWarning)
        with function.source.lock:
            return _prepared(function, arrays)


def _prepared(function: DescribedFunction, arrays: list[Numbers]) -> tuple[Route, list[Numbers]]:
    """Return how a function runs for arrays, and those that it takes."""
    plan = plan_for(function, arrays)
    cores = [shape for _, shape in plan.types]
    _, batch = function.batch_of([a.shape for a in arrays], cores)
    results = [((*batch, *shape), np.dtype(t.dtype)) for _, t, shape in plan.results]
    made = [np.empty(*each) for each in results]
    all_cores = [*cores, *(shape for *_, shape in plan.results)]
    if len(_merged([*arrays, *made], all_cores, batch)) > _DIMENSIONS:
        arrays = [
            np.ascontiguousarray(np.broadcast_to(a, (*batch, *core)))
            for a, core in zip(arrays, cores, strict=True)
        ]
    route = _route(plan, arrays, made, batch, results)
    function.keep(tuple([(a.dtype, a.shape, a.strides) for a in arrays]), route)
    return route, arrays


def _strides(array: Numbers, core: Shape, batch: Shape) -> tuple[int, ...]:
    """Return the strides of an array along the modes of the batch, 0 where it is broadcast."""
    own = array.ndim - len(core)
    missing = len(batch) - own
    return (0,) * missing + tuple(
        0 if size == 1 else stride
        for size, stride in zip(array.shape[:own], array.strides, strict=False)
    )


def _merged(arrays: Sequence[Numbers], cores: Sequence[Shape], batch: Shape) -> list[list[int]]:
    """Return the modes of the batch that are one mode of all arrays, those of size 1 left out."""
    strides = [_strides(a, core, batch) for a, core in zip(arrays, cores, strict=True)]
    found: list[list[int]] = []
    for mode, size in enumerate(batch):
        if size == 1:
            continue
        before = found[-1][-1] if found else None
        if before is not None and all(s[before] == s[mode] * size for s in strides):
            found[-1].append(mode)
        else:
            found.append([mode])
    return found


def _route(
    plan: Plan,
    arrays: Sequence[Numbers],
    made: Sequence[Numbers],
    batch: Shape,
    results: Sequence[tuple[Shape, Any]],
) -> Route:
    if 0 in batch:
        return Route(None, (0,), (), tuple(results), None)
    cores = [shape for _, shape in plan.types] + [shape for _, _, shape in plan.results]
    every = [*arrays, *made]
    merged = _merged(every, cores, batch)
    sizes = [math.prod(batch[m] for m in modes) for modes in merged]
    views: list[Callable[[Numbers], Numbers]] = []
    kinds = []
    for array, core in zip(every, cores, strict=True):
        strides = _strides(array, core, batch)
        own = [n for n, modes in enumerate(merged) if any(strides[m] for m in modes)]
        if len(views) >= len(arrays):
            own = list(range(len(merged)))  # each group has its own result
        view = _as_bytes(array, core, [merged[n] for n in own], batch, [sizes[n] for n in own])
        dimensions = tuple(len(merged) - 1 - n for n in own)  # x for the last mode
        is_dense = _is_packed(view(array).T)
        is_packed = is_dense or _is_packed(array[(0,) * (array.ndim - len(core))])
        kinds.append((dimensions, is_packed, is_dense))
        views.append(view)
    count = len(arrays)
    kernel = planned = None
    groups = tuple(sizes[::-1]) if sizes else (1,)
    if any(math.prod(shape) for _, _, shape in plan.results):
        kernel = plan.kernel(plan.program(kinds[:count], kinds[count:]))
        given = [view(a) for view, a in zip(views, every, strict=True)]
        names = [argument.name for argument in kernel.info.arguments]
        planned = planned_launch(kernel, given, groups, names)
    return Route(kernel, groups, tuple(views), tuple(results), planned)


def _is_packed(array: Numbers) -> bool:
    """Return whether numbers are next to each other, in the order of C."""
    expected = array.dtype.itemsize
    for size, stride in zip(array.shape[::-1], array.strides[::-1], strict=True):
        if size > 1 and stride != expected:
            return False
        expected *= size
    return True


def _view(
    array: Numbers, core: Shape, modes: Sequence[Sequence[int]], batch: Shape, sizes: Sequence[int]
) -> Callable[[Numbers], Numbers]:
    """Return what makes the kernel's argument of an array: its modes in the opposite order."""
    own = array.ndim - len(core)
    first = len(batch) - own
    kept = {mode - first for each in modes for mode in each}
    index = (*(slice(None) if mode in kept else 0 for mode in range(own)), ...)
    shape = (*sizes, *core)
    if array.shape == shape:
        return _TURNED if array.ndim != 1 else _same
    if all(mode in kept for mode in range(own)):
        return lambda a: a.reshape(shape).T
    return lambda a: a[index].reshape(shape).T


def _as_bytes(array: Numbers, *given: Any) -> Callable[[Numbers], Numbers]:
    """Return what `_view` does, of the bytes of truth values."""
    found = _view(array, *given)
    return found if array.dtype != bool else lambda a: found(a.view(np.int8))


def _same(array: Numbers) -> Numbers:
    return array
