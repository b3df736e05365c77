# SPDX-License-Identifier: BSD-3-Clause
"""Calls with tensors: what depends on shapes is decided once, for the host even the launch."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import torch
from torch import _C
from torch.autograd import forward_ad

from .. import switches
from .._arrays import PlannedLaunch
from ..compiler import target_name
from ..errors import ArgumentError
from ..runtime.bounds.launch_values import Counts
from ..runtime.kernel_info import GroupArgument, ScalarArgument
from ..runtime.launches.packing import packer
from ..runtime.tracing import hooks
from ..scalars import SCALAR_TYPES
from .functional import FunctionalKernel, element_type
from .native_calls import NativeCalls
from .ops import NATIVE
from .sizes import Known

DTYPES = {name: getattr(torch, each.dtype_names()[0]) for name, each in SCALAR_TYPES.items()}
# Dtypes of the same bits for NumPy, which does not have those types.
_BITS = {
    DTYPES[name]: getattr(torch, each.numpy) for name, each in SCALAR_TYPES.items() if each.is_bits
}
# Of classes that change nothing of what operations do.
PLAIN_TYPES = (torch.Tensor, torch.nn.Parameter)
_HOST = torch.device("cpu")


class _Input(NamedTuple):
    """What is known of an input.

    Args:
        dtype: that of tensors, None for numbers.
        strides: those of arrays that the kernel uses in place, None for scalars.
        is_updated: whether the kernel writes it.
        bits: those of an integer.
        fits: whether a number has the type, and a scalar the order; a launch refuses others.
    """

    dtype: torch.dtype | None
    strides: tuple[int, ...] | None = None
    is_updated: bool = False
    bits: int = 0
    fits: bool = True


class _Plan(NamedTuple):
    """What is the same for all calls with some shapes and integers.

    Args:
        counts: numbers of groups.
        launch: the launch by addresses, None if each call is checked.
        inputs: what is known of them.
        others: shapes, strides and dtypes of the other arrays, and whether anything accesses them;
            those of buffers, too, if the launch is by addresses.
        cleared: names of the arrays that are 0 before.
        results: numbers of the results among all arrays.
    """

    counts: Counts
    launch: PlannedLaunch | None
    inputs: Sequence[_Input]
    others: Sequence[tuple[tuple[int, ...], tuple[int, ...], torch.dtype, bool]]
    cleared: Collection[str]
    results: Sequence[int]


class TensorCalls:
    """How a function is called with tensors."""

    def __init__(self, function: FunctionalKernel) -> None:
        self._function = function
        self._launches: dict[object, PlannedLaunch] = {}

    def run(self, values: Sequence[Any]) -> list[Any]:
        """Return the results of a call."""
        plan = self._plan(tuple([v.shape if isinstance(v, torch.Tensor) else v for v in values]))
        launch = None if hooks.active or switches.INTERPRET.is_on() else plan.launch
        tensors: list[Any] = []
        given: list[int] = []
        for number, (value, known) in enumerate(zip(values, plan.inputs, strict=True)):
            dtype, strides, is_updated, bits, _ = known
            tensor, address = value, bits
            if dtype is not None:
                if not _is_plain(tensor, dtype):
                    tensor = self._dense(number, tensor).resolve_conj().resolve_neg()
                    launch = launch if _is_plain(tensor, dtype) else None
                if strides is not None and (is_updated or tensor.stride() != strides):
                    tensor = in_place(tensor, strides, is_updated=is_updated)
                address = 0 if launch is None else tensor.data_ptr()
            tensors.append(tensor)
            given.append(address)
        if launch is None:
            return self._checked(plan, tensors, device_of(values))
        for shape, strides, dtype, is_used in plan.others:
            if is_used:
                tensors.append(torch.empty_strided(shape, strides, dtype=dtype, device=_HOST))
                given.append(tensors[-1].data_ptr())
            else:
                tensors.append(None)
                given.append(0)
        if launch.run(given):  # a launch that checks all says what is wrong
            return self._checked(plan, tensors[: len(values)], device_of(values))
        return [tensors[number] for number in plan.results]

    def _checked(self, plan: _Plan, inputs: Sequence[Any], device: Any) -> list[Any]:
        """Return the results of a call that is checked as any launch."""
        function, tensors = self._function, dict(zip(self._function.inputs, inputs, strict=True))
        for (name, value), known in zip(tensors.items(), plan.inputs, strict=True):
            if 0 in plan.counts and known.strides is not None and value.dtype is not known.dtype:
                given, wanted = (str(d).removeprefix("torch.") for d in (value.dtype, known.dtype))
                raise _error(function, name, f"expected dtype {wanted}, got {given}")
        for name, (shape, strides, dtype, _) in zip(self._outputs, plan.others, strict=False):
            tensors[name] = torch.empty_strided(shape, strides, dtype=dtype, device=device)
            if name in plan.cleared:
                tensors[name].zero_()
        arrays = {name: _launched(function, name, value) for name, value in tensors.items()}
        if device.type == "cuda":
            with torch.cuda.device(device):
                stream = torch.cuda.current_stream(device)
                function.launch(arrays, plan.counts, stream, _target(device))
        else:
            function.launch(arrays, plan.counts)
        return [tensors[name] for name in function.results]

    def _dense(self, number: int, value: Any) -> Any:
        """Return an input; raises ArgumentError for what is no dense tensor."""
        layout = getattr(value, "layout", None)
        if layout is torch.strided:
            return value
        message = f"expected a dense tensor, got {f'one of {layout}' if layout else value}"
        raise _error(self._function, self._function.inputs[number], message)

    def known(self, given: Iterable[Any]) -> Known:
        """Return shapes and integers of the inputs by name.

        Raises:
            ArgumentError: a tensor has another order than the parameter.
        """
        function = self._function
        known = dict(zip(function.inputs, given, strict=True))
        for name, shape in known.items():
            argument = function.arguments[name]
            if isinstance(argument, ScalarArgument):
                if isinstance(shape, tuple) and shape:
                    message = f"expected a number or a tensor of order 0, got shape {tuple(shape)}"
                    raise _error(function, name, message)
                continue
            order = len(argument.shape) + isinstance(argument, GroupArgument)
            if len(shape) != order:
                message = f"expected a tensor of {order} modes, got shape {tuple(shape)}"
                raise _error(function, name, message)
        return known

    @functools.lru_cache(maxsize=4096)  # noqa: B019 (operations last as long as the process)
    def _plan(self, given: tuple[Any, ...]) -> _Plan:
        """Return what is the same for all calls with some shapes and integers."""
        function = self._function
        known = self.known(given)
        counts = function.counts(known)
        outputs = {name: function.shape(name, known) for name in self._outputs}
        cleared = frozenset(outputs if 0 in counts else function.cleared(known))
        inputs = [self._input(name, known[name]) for name in function.inputs]
        launch, buffers = None, {}
        is_native = function.target == NATIVE and function.is_of_arrays and 0 not in counts
        if is_native and all(each.fits for each in inputs):
            with contextlib.suppress(ArgumentError, ValueError):  # which calls raise
                buffers = dict(sorted(self._native.buffer_shapes(known).items()))
                shapes = [None if name in self._integers else known[name] for name in known]
                key = (*shapes, counts, *outputs.values(), *buffers.values(), cleared)
                if key not in self._launches:
                    self._launches[key] = self._native.plan(known)
                launch = self._launches[key]
        arguments = function.arguments
        used = {n for n in (*outputs, *buffers) if getattr(arguments[n], "access", "") != "none"}
        used |= {*function.results, *cleared}
        others = [
            (shape, function.strides(name, shape), self._dtype(name), name in used)
            for name, shape in (outputs | buffers).items()
        ]
        names = [*function.inputs, *outputs]
        return _Plan(
            counts, launch, inputs, others, cleared, list(map(names.index, function.results))
        )

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

    def _input(self, name: str, shape: Any) -> _Input:
        function, argument = self._function, self._function.arguments[name]
        if name in self._integers:
            try:
                packed: Any = packer(element_type(argument))(shape)
            except ValueError:
                return _Input(None, fits=False)
            return _Input(None, bits=packed.value & (2**64 - 1))
        if isinstance(argument, ScalarArgument):
            return _Input(self._dtype(name))
        return _Input(self._dtype(name), function.strides(name, shape), function.is_updated(name))


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


def _launched(function: FunctionalKernel, name: str, value: Any) -> Any:
    """Return an input as launches take it."""
    if not isinstance(value, torch.Tensor):
        return value
    if isinstance(function.arguments[name], ScalarArgument):
        return value.item()
    value = value.detach()
    if value.device.type != "cpu":
        return value
    return (value.view(_BITS[value.dtype]) if value.dtype in _BITS else value).numpy()


def _error(function: FunctionalKernel, name: str, message: str) -> ArgumentError:
    return ArgumentError(f"{function.name}: argument {name!r}: {message}", argument=name)


def device_of(values: Iterable[Any]) -> Any:
    """Return the device of the tensors, where scalars do not count, unless they have no numbers.

    Raises:
        ArgumentError: there are several.
    """
    tensors = [value for value in values if isinstance(value, torch.Tensor)]
    found = dict.fromkeys(each.device for each in tensors if each.dim() or each.is_meta)
    if len(found) > 1:
        names = " and ".join(map(str, found))
        raise ArgumentError(f"expected tensors on one device, got tensors on {names}")
    scalars = dict.fromkeys(each.device for each in tensors)
    return next(iter(found or scalars), _HOST)


@functools.cache
def _target(device: Any) -> str:
    """Return the name of the target of a CUDA device, the current one."""
    return target_name(torch.cuda.current_stream(device))


def _same(strides: Sequence[int], expected: Sequence[int], shape: Sequence[int]) -> bool:
    """Whether strides are as expected where there is more than one index."""
    return all(
        stride == want or size <= 1
        for stride, want, size in zip(strides, expected, shape, strict=True)
    )
