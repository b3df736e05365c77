# SPDX-License-Identifier: BSD-3-Clause
"""Batched functions as operations of PyTorch and JAX, and their derivatives with NumPy.

The modes of the batch become one mode, that of the kernel's groups; an argument without a batch is
shared by all groups. Arrays are transposed views: the kernel's modes are in the opposite order.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import ArgumentError, got
from ..kernels.types import SCALARS, Scalar
from .arrays import Shape, as_several, one_or_several
from .calls import Casting, converted, expect_fitting
from .emission import in_memory, kernel_name
from .framework_arguments import dtype_name, jax_arguments, torch_arguments
from .programs import Plan, plan_of

if TYPE_CHECKING:
    from ..compiler import Module
    from ..compiler.derivative import Derivative
    from .described import DescribedFunction


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A function for arguments of one kind, each with a mode for the batch or without.

    Args:
        plan: the function for such arguments.
        shared: for each argument, whether all groups share it.
        name: name of the kernel.
        module: the kernel.
    """

    plan: Plan
    shared: tuple[bool, ...]
    name: str
    module: Module

    def options(self) -> dict[str, Any]:
        """Return what makes an operation of it."""
        arguments = self.plan.function.arguments
        pairs = zip(arguments, self.plan.types, self.shared, strict=True)
        batch = next((a.name, len(shape)) for a, (_, shape), shared in pairs if not shared)
        results = {
            name: [*shape[::-1], batch] for name, _, shape in self.plan.results if math.prod(shape)
        }
        return {"outputs": list(results), "shapes": results, "groups": [batch]}


def kernel_for(
    function: DescribedFunction,
    dtypes: tuple[str, ...],
    shapes: tuple[Shape, ...],
    shared: tuple[bool, ...],
) -> Kernel:
    """Return the kernel for elements of some shapes."""

    def make() -> Kernel:
        plan = plan_of(function, dtypes, shapes)
        modes = [((), True, True) if each else ((0,), True, True) for each in shared]
        program = plan.program(modes, [((0,), True, True)] * len(plan.results))
        module = plan.module_of(program)
        return Kernel(plan, shared, kernel_name(function.name), module)

    found: Kernel = function.found(("kernel", dtypes, shapes, shared), make)
    return found


@dataclasses.dataclass(frozen=True)
class Batch:
    """The modes of the batch of a call.

    Args:
        shape: their sizes.
        cores: the shape of an element of each argument.
        shared: whether an argument has one element for all.
    """

    shape: Shape
    cores: tuple[Shape, ...]
    shared: tuple[bool, ...]

    @classmethod
    def of(cls, function: DescribedFunction, shapes: Sequence[Shape]) -> Batch:
        """Return the batch of arguments of some shapes."""
        cores = tuple(tuple(map(int, core)) for core in function.shapes_of(shapes))
        own, shape = function.batch_of(shapes, cores)
        shared = tuple(math.prod(each) == 1 and len(shapes) > 1 for each in own)
        if all(shared):
            shared = (False, *shared[1:])
        return cls(shape, cores, shared)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    def flat(self, value: Any, place: int, library: Any) -> Any:
        """Return an argument as the kernel takes it, with modes in the opposite order.

        Args:
            value: the argument.
            place: its number.
            library: `numpy`, `torch` or `jax.numpy`.
        """
        core = self.cores[place]
        if str(value.dtype).endswith("bool"):
            value = value.view(library.int8)
        if self.shared[place]:
            return _turned(_shaped(value, core))
        whole = (*self.shape, *core)
        wide = value if tuple(value.shape) == whole else library.broadcast_to(value, whole)
        return _turned(_shaped(wide, (self.size, *core)))

    def back(self, value: Any, type_: Scalar, core: Shape) -> Any:
        """Return what a kernel has computed with the modes of the batch."""
        found = _shaped(_turned(value), (*self.shape, *core))
        return found if type_.kind != "bool" else found != 0


def _shaped(array: Any, shape: Shape) -> Any:
    """Return an array of a shape; PyTorch takes microseconds, twice, for the same one."""
    return array if tuple(array.shape) == shape else array.reshape(shape)


def _turned(array: Any) -> Any:
    """Return an array with its modes in the opposite order."""
    is_tensor = hasattr(array, "permute")
    return array.permute(tuple(range(array.ndim))[::-1]) if is_tensor else array.T


def run_torch(function: DescribedFunction, values: Sequence[Any]) -> Any:
    """Run a function on tensors; see `BatchedFunction.torch`."""
    import torch

    def operation(kernel: Kernel, digest: str) -> Any:
        from ..frameworks import torch as door

        return door.op(kernel, f"tinytc::{kernel.name}_{digest}", **kernel.options())

    def cast(tensor: Any, dtype: str) -> Any:
        return tensor.to(getattr(torch, dtype))

    framework = _Framework("torch", operation, torch, cast)
    return _run(framework, function, torch_arguments(function, values))


class _Framework(NamedTuple):
    """What a call needs of PyTorch or JAX.

    Args:
        name: its name, and what else `cast` depends on.
        operation: makes an operation of a kernel, and of a digest that tells it from others.
        library: what `Batch.flat` takes.
        cast: returns an array with another dtype.
    """

    name: str
    operation: Callable[[Kernel, str], Any]
    library: Any
    cast: Callable[[Any, str], Any]


def _run(framework: _Framework, function: DescribedFunction, arrays: Sequence[Any]) -> Any:
    """Run a function on arrays of a framework, by an operation for those that look alike."""
    shapes = tuple([a.shape for a in arrays])
    key = framework.name, tuple([a.dtype for a in arrays]), shapes
    try:
        known = function._plans.get(key)
    except TypeError:  # sizes are symbols
        known = _call_for(framework, function, arrays)
    if known is None:
        known = _call_for(framework, function, arrays)
        function.keep(key, known)
    if known.wanted is not None:
        arrays = [
            each if new is None else framework.cast(each, new)
            for each, new in zip(arrays, known.wanted, strict=True)
        ]
    batch = known.batch
    given = [batch.flat(each, number, framework.library) for number, each in enumerate(arrays)]
    found = as_several(known.operation(*given))
    return one_or_several([batch.back(a, *r) for a, r in zip(found, known.results, strict=True)])


class _Call(NamedTuple):
    """How a function runs on arrays that look alike.

    Args:
        wanted: the dtypes that arguments are cast to, each None if it has that; None for no cast.
        batch: the modes of the batch.
        operation: the operation of the framework.
        results: types and shapes of an element of each result.
    """

    wanted: Sequence[str | None] | None
    batch: Batch
    operation: Any
    results: Sequence[tuple[Scalar, Shape]]


def _call_for(framework: _Framework, function: DescribedFunction, arrays: Sequence[Any]) -> _Call:
    """Return how a function runs on arrays; the arguments are those of `_run`."""
    name, operation, library, cast = framework
    given = tuple(dtype_name(a) for a in arrays)
    dtypes = _dtypes(function, given)
    wanted = [new if old != new else None for old, new in zip(given, dtypes, strict=True)]
    if any(wanted):  # which the framework may have for something else
        pairs = zip(arrays, wanted, strict=True)
        dtypes = tuple(dtype_name(cast(a, new) if new else a) for a, new in pairs)
    batch = Batch.of(function, [tuple(a.shape) for a in arrays])
    plan = plan_of(function, dtypes, batch.cores)
    key = (name, dtypes, batch.cores, batch.shared)

    def run(*given: Any) -> Any:
        """Return results of which some have no elements: those depend on arguments, too."""
        nothing = sum(each.reshape(-1)[:0].real.sum() for each in given)
        empty = {
            result: library.broadcast_to(
                cast(nothing, np.dtype(in_memory(type_).dtype).name), (*core[::-1], batch.size)
            )
            for result, type_, core in plan.results
            if not math.prod(core)
        }
        full = iter(as_several(found(*given, **empty)) if found else ())
        return tuple([empty[each] if each in empty else next(full) for each, *_ in plan.results])

    def make() -> Any:
        kernel = kernel_for(function, dtypes, batch.cores, batch.shared)
        digest = hashlib.sha256(f"{function.source.key()}{key}".encode()).hexdigest()[:12]
        return operation(kernel, digest)

    sizes = [math.prod(core) for *_, core in plan.results]
    found = function.found(key, make) if any(sizes) else None
    results = [each[1:] for each in plan.results]
    return _Call(wanted if any(wanted) else None, batch, found if all(sizes) else run, results)


def _dtypes(function: DescribedFunction, dtypes: Sequence[str]) -> tuple[str, ...]:
    """Return the dtypes that arguments have after their annotations."""
    found = []
    for argument, name in zip(function.arguments, dtypes, strict=True):
        given = SCALARS["bf16"].dtype if name == "bfloat16" else np.dtype(name)
        wanted = given if argument.type is None else np.dtype(argument.type.dtype)
        # Tensors may have no numbers yet, so integers are not looked at.
        casting: Casting = "safe" if given.kind in "iu" and wanted.kind == "i" else "same_kind"
        expect_fitting(function, argument.name, given, wanted, casting)
        found.append(name if argument.type is None else wanted.name)
    return tuple(found)


def enter_torch(function: DescribedFunction) -> None:
    """Make the function of tensors, which graphs of `torch.compile` call as it is."""
    if function._torch is None:
        import torch

        def run(*values: Any) -> Any:
            function.source.check_outside()
            return run_torch(function, values)

        function._torch = torch.compiler.allow_in_graph(run)


enter_torch._dynamo_marked_constant = True  # type: ignore[attr-defined]  # called, not traced


def run_jax(function: DescribedFunction, values: Sequence[Any]) -> Any:
    """Run a function on arrays of JAX; see `BatchedFunction.jax`."""
    import jax
    import jax.numpy as jnp

    from ..frameworks import jax as door

    def operation(kernel: Kernel, _: str) -> Any:
        return door.op(kernel, **kernel.options())

    def cast(array: Any, dtype: str) -> Any:  # f64 is f32 unless "jax_enable_x64"
        return array.astype(jax.dtypes.canonicalize_dtype(dtype))

    has_f64 = jax.config.jax_enable_x64
    arrays = jax_arguments(function, values)
    found = _run(_Framework(f"jax, f64: {has_f64}", operation, jnp, cast), function, arrays)
    if has_f64:
        return found
    return one_or_several([cast(each, each.dtype) for each in as_several(found)])


# Derivatives with NumPy -------------------------------------------------------------------------


class BatchedDerivative:
    """The derivative of a batched function for arrays of NumPy; made by `vjp` and `jvp`.

    Args:
        function: the function.
        is_reverse: whether it takes adjoints of results, rather than tangents of arguments.
        wrt: names of arguments to differentiate with respect to; None for all that can be.
        atomic: let elements add to the gradient of what they share in any order.
    """

    def __init__(
        self,
        function: DescribedFunction,
        wrt: Sequence[str] | None,
        *,
        is_reverse: bool,
        atomic: bool = False,
    ) -> None:
        for name in wrt or ():
            if name not in function.names:
                message = f"{function.name}: expected an argument, {got(name, function.names)}"
                raise ArgumentError(message, argument=name)
        self.function, self.is_reverse, self._atomic = function, is_reverse, atomic
        self._wrt = None if wrt is None else tuple(wrt)

    def _names(self, plan: Plan) -> list[str]:
        """Return the arguments that it is differentiated by."""
        pairs = zip(self.function.arguments, plan.types, strict=True)
        real = [a.name for a, (type_, _) in pairs if type_.kind in ("floating", "complex")]
        return real if self._wrt is None else [name for name in real if name in self._wrt]

    def __call__(self, /, *values: Any) -> Any:
        """Return gradients for adjoints of the results, or tangents of results.

        Args:
            values: the arguments; then an adjoint for each result, or a tangent for each of the
                arguments to differentiate by, with the modes of the batch.

        Returns:
            An array, or a tuple of several: in reverse mode, gradients of the shapes of arguments.

        Raises:
            ArgumentError: there are too few or too many values.
        """
        count = len(self.function.arguments)
        arrays, batch, kernel = self._prepared(values[:count])
        names = self._names(kernel.plan)
        wanted = len(kernel.plan.results) if self.is_reverse else len(names)
        given = values[count:]
        if len(given) != wanted:
            kind = "adjoints of results" if self.is_reverse else "tangents of arguments"
            message = f"expected {count} arguments and {wanted} {kind}, got {len(values)} values"
            raise ArgumentError(f"{self.function.name}: {message}")
        derivative = self._derivative(kernel, names)
        if self.is_reverse:
            return self._gradients(derivative, kernel, batch, arrays, given, names)
        return self._tangents(derivative, kernel, batch, arrays, given, names)

    def _prepared(self, values: Sequence[Any]) -> tuple[list[Any], Batch, Kernel]:
        """Return arguments as arrays, their batch, and the kernel for them."""
        self.function.source.check_outside()
        arrays = converted(self.function, values)
        batch = Batch.of(self.function, [a.shape for a in arrays])
        dtypes = tuple(str(a.dtype) for a in arrays)
        return arrays, batch, kernel_for(self.function, dtypes, batch.cores, batch.shared)

    def gradients(self, values: Sequence[Any]) -> dict[str, Any]:
        """Return the gradient of the sum of all results by each argument, by its name."""
        arrays, batch, kernel = self._prepared(values)
        names = self._names(kernel.plan)
        ones = [np.ones((), t.dtype) for _, t, _ in kernel.plan.results]
        derivative = self._derivative(kernel, names)
        found = self._gradients(derivative, kernel, batch, arrays, ones, names)
        return dict(zip(names, as_several(found), strict=True))

    def _derivative(self, kernel: Kernel, names: Sequence[str]) -> Derivative:
        key = ("derivative", self.is_reverse, self._atomic, tuple(names), id(kernel))

        def make() -> Derivative:
            if self.is_reverse:
                return kernel.module.vjp(kernel.name, wrt=names, atomic=self._atomic)
            return kernel.module.jvp(kernel.name, wrt=names)

        found: Derivative = self.function.found(key, make)
        return found

    def _flat(self, batch: Batch, arrays: Sequence[Any]) -> list[Any]:
        return [batch.flat(a, n, np) for n, a in enumerate(arrays)]

    def _results(self, kernel: Kernel, batch: Batch) -> dict[str, Any]:
        """Return new arrays for the results."""
        return {
            name: np.empty((batch.size, *shape), in_memory(type_).dtype).T
            for name, type_, shape in kernel.plan.results
        }

    def _given(self, kernel: Kernel, batch: Batch, arrays: Sequence[Any]) -> dict[str, Any]:
        names = [each.name for each in self.function.arguments]
        return dict(zip(names, self._flat(batch, arrays), strict=True)) | self._results(
            kernel, batch
        )

    def _gradients(
        self, derivative: Derivative, kernel: Kernel, batch: Batch, arrays: Sequence[Any],
        adjoints: Sequence[Any], names: Sequence[str],
    ) -> Any:  # fmt: skip
        given = self._given(kernel, batch, arrays)
        places = {each.name: n for n, each in enumerate(self.function.arguments)}
        of_results = {
            name: np.array(np.broadcast_to(a, (*batch.shape, *shape)), type_.dtype).reshape(
                batch.size, *shape
            ).T
            for (name, type_, shape), a in zip(kernel.plan.results, adjoints, strict=True)
        }  # fmt: skip
        every = {}
        for each in derivative.parameters:
            if each.of in of_results:
                every[each.name] = of_results[each.of]
            else:
                every[each.name] = np.zeros_like(given[each.of], order="F")
        if batch.size:
            derivative(**given, **every, queue=_native())
        of = {each.of: every[each.name] for each in derivative.parameters}
        found = []
        for name in names:
            array, place = arrays[places[name]], places[name]
            gradient = of.get(name, np.zeros_like(given[name], order="F"))
            if batch.shared[place]:
                found.append(gradient.T.reshape(array.shape))
            else:
                wide = gradient.T.reshape(*batch.shape, *batch.cores[place])
                found.append(_summed(wide, array.shape))
        return one_or_several(found)

    def _tangents(
        self, derivative: Derivative, kernel: Kernel, batch: Batch, arrays: Sequence[Any],
        tangents: Sequence[Any], names: Sequence[str],
    ) -> Any:  # fmt: skip
        given = self._given(kernel, batch, arrays)
        places = {each.name: n for n, each in enumerate(self.function.arguments)}
        every = {}
        of = dict(zip(names, tangents, strict=True))
        for each in derivative.parameters:
            if each.of in of:
                place = places[each.of]
                own = np.broadcast_to(
                    np.asarray(of[each.of], arrays[place].dtype), arrays[place].shape
                )
                every[each.name] = batch.flat(own, place, np)
            else:
                every[each.name] = np.zeros_like(given[each.of], order="F")
        if batch.size:
            derivative(**given, **every, queue=_native())
        of_result = {each.of: every[each.name] for each in derivative.parameters}
        found = [
            batch.back(of_result.get(n, np.zeros_like(given[n], order="F")), type_, shape)
            for n, type_, shape in kernel.plan.results
        ]
        return one_or_several(found)


def _native() -> str | None:
    """Return the queue of the host where native code runs."""
    from ..kernels.places import target_of

    return "native" if target_of(()) == "native" else None


def _summed(array: Any, shape: Shape) -> Any:
    """Return the sum over the modes in which an argument was broadcast."""
    array = array.sum(tuple(range(array.ndim - len(shape))))
    modes = tuple(m for m, size in enumerate(shape) if size == 1 and array.shape[m] != 1)
    return array.sum(modes, keepdims=True) if modes else array


class BatchedGradient:
    """The gradients of the sum of all results; made by `tt.grad`."""

    def __init__(self, derivative: BatchedDerivative) -> None:
        self._derivative = derivative

    def __call__(self, /, *values: Any) -> Mapping[str, Any]:
        """Return the gradient by each argument, by its name."""
        return self._derivative.gradients(values)
