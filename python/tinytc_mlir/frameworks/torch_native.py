# SPDX-License-Identifier: BSD-3-Clause
"""Launches of native code with tensors of the host: all but addresses is checked once."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import _C
from torch.autograd import forward_ad

from .. import switches
from .._arrays import PlannedLaunch
from ..errors import ArgumentError
from ..runtime.kernel_info import ScalarArgument
from ..runtime.launches.packing import packer
from ..runtime.tracing import hooks
from ..scalars import SCALAR_TYPES
from .functional import FunctionalKernel, element_type
from .native_calls import NativeCalls
from .ops import NATIVE

DTYPES = {name: getattr(torch, each.dtype_names()[0]) for name, each in SCALAR_TYPES.items()}
# Dtypes of the same bits for NumPy, which does not have those types.
_BITS = {
    DTYPES[name]: getattr(torch, each.numpy) for name, each in SCALAR_TYPES.items() if each.is_bits
}
# Of classes that change nothing of what operations do.
PLAIN_TYPES = (torch.Tensor, torch.nn.Parameter)


class _Plan(NamedTuple):
    """What is the same for all calls with some shapes and integers.

    Args:
        launch: the launch.
        inputs: their dtypes, the strides of arrays, and whether the kernel updates them; None and
            the bits for integers.
        others: shapes, strides and dtypes of the other arrays; no dtype if nothing accesses it.
        results: numbers of the results among all arrays.
    """

    launch: PlannedLaunch
    inputs: Sequence[tuple[torch.dtype | None, Any, bool]]
    others: Sequence[tuple[tuple[int, ...], tuple[int, ...], torch.dtype | None]]
    results: Sequence[int]


class TensorCalls:
    """The native code of a function for tensors of the host."""

    def __init__(self, function: FunctionalKernel) -> None:
        self._function = function
        self._launches: dict[object, PlannedLaunch] = {}

    def run(self, values: Sequence[Any]) -> list[Any] | None:
        """Return the results of a call, None if it takes more care."""
        if hooks.active or switches.INTERPRET.is_on():
            return None
        plan = self._plan(tuple([v.shape if isinstance(v, torch.Tensor) else v for v in values]))
        if plan is None:
            return None
        tensors: list[Any] = []
        given: list[int] = []
        for value, (dtype, strides, is_updated) in zip(values, plan.inputs, strict=True):
            if dtype is None:
                tensors.append(value)
                given.append(strides)
                continue
            if not _is_plain(value, dtype):
                return None
            tensor = value
            if is_updated or (strides is not None and value.stride() != strides):
                tensor = in_place(value, strides, is_updated=is_updated)
            tensors.append(tensor)
            given.append(tensor.data_ptr())
        for shape, strides, dtype in plan.others:
            tensor = None if dtype is None else torch.empty_strided(shape, strides, dtype=dtype)
            tensors.append(tensor)
            given.append(0 if tensor is None else tensor.data_ptr())
        if plan.launch.run(given):
            return None  # a launch that checks all says what is wrong
        return [tensors[number] for number in plan.results]

    @functools.lru_cache(maxsize=4096)  # noqa: B019 (operations last as long as the process)
    def _plan(self, given: tuple[Any, ...]) -> _Plan | None:
        """Return what is the same for all calls with some shapes and integers, if there is."""
        function = self._function
        known = dict(zip(function.inputs, given, strict=True))
        if function.target != NATIVE or not function.is_of_arrays:
            return None
        try:
            counts = function.counts(known)
            if 0 in counts:
                return None
            shapes = {each: function.shape(each, known) for each in self._outputs}
            shapes |= dict(sorted(self._native.buffer_shapes(known).items()))
            cleared = function.cleared(known)
            key = (
                tuple(None if name in self._integers else known[name] for name in function.inputs),
                *(counts, *shapes.values()),
                frozenset(cleared),
            )
            if key not in self._launches:
                self._launches[key] = self._native.plan(known).launch
            inputs = [self._input(name, known[name]) for name in function.inputs]
        except (ArgumentError, ValueError):
            return None
        arguments = function.arguments
        used = {name for name in shapes if getattr(arguments[name], "access", "") != "none"}
        used |= {*function.results, *cleared}
        others = [
            (shape, function.strides(name, shape), self._dtype(name) if name in used else None)
            for name, shape in shapes.items()
        ]
        names = [*function.inputs, *shapes]
        return _Plan(self._launches[key], inputs, others, list(map(names.index, function.results)))

    @functools.cached_property
    def _native(self) -> NativeCalls:
        function = self._function
        passed = (*function.inputs, *self._outputs, *sorted(function.buffers))
        return NativeCalls(function, passed, self._integers)

    @functools.cached_property
    def _outputs(self) -> list[str]:
        return sorted(self._function.hidden - self._function.buffers)

    @functools.cached_property
    def _integers(self) -> list[str]:
        return [name for name in self._function.inputs if not is_tensor(self._function, name)]

    def _dtype(self, name: str) -> torch.dtype:
        return DTYPES[element_type(self._function.arguments[name])]

    def _input(self, name: str, shape: Any) -> tuple[torch.dtype | None, Any, bool]:
        """Return what a plan says of an input; raises ValueError if it does not fit."""
        function, argument = self._function, self._function.arguments[name]
        if name in self._integers:
            packed: Any = packer(element_type(argument))(shape)
            return None, packed.value & (2**64 - 1), False
        strides = None if isinstance(argument, ScalarArgument) else function.strides(name, shape)
        if strides is None and shape:
            raise ValueError(f"expected a tensor of order 0, got shape {shape}")
        return self._dtype(name), strides, function.is_updated(name)


def is_tensor(function: FunctionalKernel, name: str) -> bool:
    """Whether the operation takes a tensor for a parameter, not a number."""
    argument = function.arguments[name]
    kind = SCALAR_TYPES[element_type(argument)].kind
    return not isinstance(argument, ScalarArgument) or kind in ("floating", "complex")


def is_eager() -> bool:
    """Whether PyTorch's dispatcher has nothing to do but to call an operation."""
    return not (
        torch.compiler.is_compiling()
        or _C._are_functorch_transforms_active()
        or _C._len_torch_dispatch_stack()
        or _C._len_torch_function_stack()
        or forward_ad._current_level >= 0
        or _C._get_tracing_state() is not None
        or torch.autograd._profiler_enabled()
    )


def is_differentiated(values: Sequence[Any]) -> bool:
    """Whether a call may be differentiated."""
    if _C._are_functorch_transforms_active() or forward_ad._current_level >= 0:
        return True
    return torch.is_grad_enabled() and any(
        isinstance(v, torch.Tensor) and v.requires_grad for v in values
    )


def _is_plain(value: Any, dtype: torch.dtype) -> bool:
    """Whether a tensor of a dtype has its elements in memory of the host, as they are."""
    return (
        type(value) in PLAIN_TYPES
        and value.dtype is dtype
        and value.is_cpu
        and value.layout is torch.strided
        and not (value.is_conj() or value.is_neg())
    )


def in_place(value: Any, strides: Sequence[int], *, is_updated: bool) -> Any:
    """Return a tensor that the kernel uses in place, a copy of what it writes."""
    plain = value.detach() if value.requires_grad else value
    shape = value.shape
    if is_updated and (copy := plain.clone()).stride() == strides:
        return copy
    if len(strides) != len(shape) or (not is_updated and _same(value.stride(), strides, shape)):
        return plain
    return torch.empty_strided(shape, strides, dtype=value.dtype, device=value.device).copy_(plain)


def launched(value: Any) -> Any:
    """Return a tensor as launches take it."""
    if not isinstance(value, torch.Tensor) or value.device.type != "cpu":
        return value
    return (value.view(_BITS[value.dtype]) if value.dtype in _BITS else value).numpy()


def _same(strides: Sequence[int], expected: Sequence[int], shape: Sequence[int]) -> bool:
    """Whether strides are as expected where there is more than one index."""
    return all(
        stride == want or size <= 1
        for stride, want, size in zip(strides, expected, shape, strict=True)
    )
