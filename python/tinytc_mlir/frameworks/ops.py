# SPDX-License-Identifier: BSD-3-Clause
"""The common part of operations of PyTorch and JAX: their kernels and arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Protocol, TypeAlias, cast

from ..compiler import Module
from ..compiler.derivative import only_kernel
from ..compiler.stages import kernel_names
from ..errors import ArgumentError, DeviceError, describe, got
from ..recipes.recipe import AsOperation
from ..runtime.launches.arguments import checked_counts
from .functional import Constants, FunctionalKernel, kernel_text
from .sizes import Shapes, Size, Sizes, sizes_of

NATIVE = "native"
# Numbers of groups of an operation: numbers, or modes of inputs.
Groups: TypeAlias = "int | Sequence[Size] | None"


class _HasModule(Protocol):
    """A function that is a kernel."""

    name: str
    module: Module


class _Recipe(Protocol):
    """A recipe."""

    _module: Module

    def _as_operation(self) -> AsOperation: ...


class KernelOp:
    """A kernel as an operation of a framework."""

    def __init__(self, name: str, function: FunctionalKernel) -> None:
        self.name = name
        self.parameters = function.inputs
        self.results = function.results

    def _ordered(self, values: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
        """Return the arguments of a call in the order of the parameters."""
        given = dict(zip(self.parameters, values, strict=False)) | dict(named)
        if len(values) + len(named) != len(self.parameters) or set(given) != set(self.parameters):
            raise ArgumentError(
                f"{self.name}: expected {len(self.parameters)} arguments "
                f"({', '.join(self.parameters)}), got {len(values)}"
                + "".join(f", {each}" for each in named)
            )
        return [given[each] for each in self.parameters]

    def __repr__(self) -> str:
        return f"<Op {self.name}({', '.join(self.parameters)}) -> {', '.join(self.results)}>"


def functional_kernel(  # noqa: PLR0913 (by keyword)
    kernel: object,
    *,
    name: str | None,
    outputs: str | Sequence[str] | None,
    constants: Constants | None,
    shapes: Shapes | None,
    groups: Groups,
    target: str | None,
    atomic: bool,
) -> FunctionalKernel:
    """Return a kernel as a function; the arguments are those of `tinytc_mlir.torch.op`."""
    module, (kernel_name, fixed, known_shapes, known_groups, temporaries) = _source(kernel, name)
    text = kernel_text(module.to_text(), kernel_name)
    given = {**fixed, **(constants or {})}
    counts = _group_counts(kernel_name, groups) or known_groups

    def sizes(function: FunctionalKernel) -> Sizes:
        arrays, every = function.hidden - function.buffers, {**known_shapes, **(shapes or {})}
        return sizes_of(function.kernel.info, arrays, every, counts)

    chosen = given, sizes, _default_target(target), atomic
    probe = FunctionalKernel(text, kernel_name, (), (), *chosen)
    arrays = [each for each in probe.arguments if each not in probe.buffers]
    written = [each for each in arrays if probe.is_updated(each)]
    if not written:
        raise ArgumentError(f"{kernel_name}: expected a kernel that writes an array, got none")
    for constant in given:
        if constant not in probe.arguments or constant in written:
            raise ArgumentError(
                f"{kernel_name}: expected parameters with constant values that it reads, "
                f"{got(constant, list(probe.arguments))}",
                argument="constants",
            )
    if outputs is None:
        read = probe.overwriting.read
        hidden = [each for each in written if each not in read]
    else:
        hidden = [outputs] if isinstance(outputs, str) else list(outputs)
        for each in hidden:
            if each not in written:
                raise ArgumentError(
                    f"{kernel_name}: expected arrays that the kernel writes "
                    f"({', '.join(written)}), {got(each, written)}",
                    argument="outputs",
                )
    results = [each for each in written if each not in temporaries]
    hidden += [each for each in temporaries if each not in hidden]
    function = FunctionalKernel(text, kernel_name, hidden, results, *chosen)
    options = given, known_shapes, shapes, counts, function.target, atomic
    function.source = module
    function.options = text, kernel_name, hidden, results, repr(options)
    return function


def _group_counts(kernel: str, groups: Groups) -> tuple[Size, ...]:
    """Return the numbers of groups of an operation that are given."""
    if groups is None:
        return ()
    given = (groups,) if isinstance(groups, int) else tuple(groups)
    try:
        checked_counts([each if isinstance(each, int) else 1 for each in given])
    except ValueError as error:
        raise ArgumentError(f"{kernel}: {error}", argument="groups") from None
    return given


def join_batches(
    given: dict[str, Any],
    every: AbstractSet[str],
    new: AbstractSet[str],
    batch: AbstractSet[str],
    size: int,
    broadcast_to: Callable[[Any, tuple[int, ...]], Any],
) -> int | None:
    """Give the inputs of a batch of calls their last mode, and join it with that of a batch before.

    Args:
        given: the inputs by name, changed in place.
        every: those that each call of the new batch has its own of.
        new: those of `every` that have the last mode.
        batch: those that each call of the batch before has its own of; none if there is none.
        size: the number of calls of the new batch.
        broadcast_to: the function of the framework.

    Returns:
        The number of calls of the batch before, None if there is none.
    """
    old = None
    if batch:
        some = min(batch)
        old = given[some].shape[-2 if some in new else -1]
    for each in every:
        value = given[each]
        if each not in new:
            value = broadcast_to(value[..., None], (*value.shape, size))
        if old is not None:
            if each not in batch:
                value = broadcast_to(value[..., None, :], (*value.shape[:-1], old, size))
            value = value.reshape(*value.shape[:-2], old * size)
        given[each] = value
    return old


def _default_target(target: str | None) -> str | None:
    """Return the target of arrays of the host: native code uses their memory in place."""
    if target is not None:
        return target
    from ..runtime.native.processor import LOADER

    try:
        LOADER.devices()
    except DeviceError:
        return None
    return NATIVE


def _source(kernel: object, name: str | None) -> tuple[Module, AsOperation]:
    """Return the module of a kernel, and what is known of the operation."""
    if isinstance(kernel, Module):
        return kernel, AsOperation(only_kernel(kernel_names(kernel._operation), name), {}, {})
    if hasattr(kernel, "_as_operation"):
        recipe = cast("_Recipe", kernel)
        return recipe._module, recipe._as_operation()
    found = getattr(kernel, "module", None)
    if not isinstance(found, Module):
        raise ArgumentError(
            "op: argument 'kernel': expected a module, a function that is a kernel, a derivative "
            f"or a recipe, got {describe(kernel)}",
            argument="kernel",
        )
    return found, AsOperation(cast("_HasModule", kernel).name, {}, {})
