# SPDX-License-Identifier: BSD-3-Clause
"""Calls of kernels by programs of XLA, and the primitive of JAX that stands for them."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import mlir
from jax.sharding import NamedSharding, PartitionSpec

from .. import _arrays
from ..errors import ArgumentError
from ..runtime.kernel_info import MemrefArgument
from .functional import Derived, FunctionalKernel
from .native_calls import NativeCalls, dtype

_TARGET = "tinytc_kernel"


class Call:
    """A function, or a batch of calls of it, as the primitive knows it.

    Args:
        base: the function.
        batch: inputs that each call of a batch has its own of; none if there is no batch.
        tangents: if it is linear in tangents, how it was derived.
    """

    def __init__(
        self, base: FunctionalKernel, batch: frozenset[str], tangents: Tangents | None = None
    ) -> None:
        self.base, self.batch, self.tangents = base, batch, tangents
        self.function = base.batched(batch) if batch else base
        self._others: dict[object, Call] = {}
        # The handler returns results, and then the other arrays that the kernel writes.
        updated = [each for each in self.function.inputs if self.function.is_updated(each)]
        more = [*updated, *sorted(self.function.hidden)]
        results = self.function.results
        self.written = (*results, *(each for each in more if each not in results))
        self._native = NativeCalls(self.function, (*self.function.inputs, *self.written))
        self.run = jax.jit(lambda *arrays: primitive.bind(*arrays, call=self))

    def other(
        self, base: FunctionalKernel, batch: frozenset[str], tangents: Tangents | None = None
    ) -> Call:
        """Return the call of a derivative or of a batch."""
        key = base, batch
        if key not in self._others:
            self._others[key] = Call(base, batch, tangents)
        return self._others[key]

    def shape(self, name: str, given: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
        """Return the shape of a parameter, given those of the inputs."""
        if name in self.function.buffers:
            return self._native.buffer_shapes(given)[name]
        return self.function.shape(name, given)

    def avals(self, names: Sequence[str], inputs: Sequence[Any]) -> list[Any]:
        """Return the types of arrays, given those of the inputs."""
        function = self.function
        given = {n: tuple(each.shape) for n, each in zip(function.inputs, inputs, strict=True)}
        shapes = [self.shape(each, given) for each in names]
        dtypes = [dtype(function, each) for each in names]
        like = next((each for each in inputs if varying(each)), None)
        if like is None:
            return list(map(jax.core.ShapedArray, shapes, dtypes))
        return [  # in a shard_map, results vary as the inputs do
            like.update(
                shape=shape,
                dtype=dtype,
                weak_type=False,
                sharding=NamedSharding(like.sharding.mesh, PartitionSpec(*[None] * len(shape))),
            )
            for shape, dtype in zip(shapes, dtypes, strict=True)
        ]

    def _run(self, *arrays: Any) -> Sequence[Any]:
        """Call the handler, unless the batch is empty."""
        shapes = tuple(tuple(array.shape) for array in arrays)
        function = self.function
        if 0 in function.counts(dict(zip(function.inputs, shapes, strict=True))):
            return self._unchanged(arrays)
        key = self._defined(shapes)
        results = self.avals(self.written, list(map(jax.typeof, arrays)))
        call = jax.ffi.ffi_call(
            _TARGET,
            results,
            input_layouts=[_layout(function, each) for each in function.inputs],
            output_layouts=[_layout(function, each) for each in self.written],
            input_output_aliases={
                number: self.written.index(each)
                for number, each in enumerate(function.inputs)
                if function.is_updated(each)
            },
        )
        return list(call(*arrays, kernel=key))[: len(function.results)]

    def _unchanged(self, arrays: Sequence[Any]) -> list[Any]:
        """Return the results if the kernel does nothing."""
        given = dict(zip(self.function.inputs, arrays, strict=True))
        avals = self.avals(self.function.results, list(map(jax.typeof, arrays)))
        zeros = (
            jax.lax.pcast(jnp.zeros(aval.shape, aval.dtype), tuple(varying(aval)), to="varying")
            if varying(aval)
            else jnp.zeros(aval.shape, aval.dtype)
            for aval in avals
        )
        return [
            given.get(name, zero) for name, zero in zip(self.function.results, zeros, strict=True)
        ]

    @functools.cache  # noqa: B019 (operations last as long as the process)
    def _defined(self, shapes: tuple[tuple[int, ...], ...]) -> str:
        """Let the handler find the kernel for inputs of some shapes; return its key."""
        given = dict(zip(self.function.inputs, shapes, strict=True))
        for name in (*self.function.inputs, *self.written):
            _check_packed(self.function, name, self.shape(name, given))
        function, planned = self.function, self._native.plan(given)
        origin = function.text, function.kernel.program.digest, sorted(function.cleared(given))
        text = repr((*origin, function.counts(given), shapes, planned.slots))
        key = hashlib.sha256(text.encode()).hexdigest()
        _arrays.define_xla_kernel(key, planned)
        return key


class Tangents(NamedTuple):
    """How a function that is linear in tangents was derived: of what, and the derivative."""

    call: Call
    derived: Derived


def _layout(function: FunctionalKernel, name: str) -> tuple[int, ...]:
    """Return the modes of an array from the one of the largest stride on."""
    argument = function.arguments[name]
    if not isinstance(argument, MemrefArgument):
        return ()
    return tuple(argument.modes or range(len(argument.shape)))[::-1]


def _check_packed(function: FunctionalKernel, name: str, shape: Sequence[int]) -> None:
    """Check that an array that the kernel uses in place has no padding."""
    if not isinstance(function.arguments[name], MemrefArgument):
        return
    strides = function.strides(name, shape)
    expected = 1
    for stride, size in sorted(zip(strides, shape, strict=True)):
        if size > 1 and stride != expected and 0 not in shape:
            raise ArgumentError(
                f"{function.name}: argument {name!r}: expected a packed array for JAX, got strides "
                f"{tuple(strides)} for shape {tuple(shape)}",
                argument=name,
            )
        expected *= size


def _abstract(*avals: Any, call: Call) -> list[Any]:
    function = call.function
    for name, aval in zip(function.inputs, avals, strict=True):
        argument = function.arguments[name]
        expected = argument.shape if isinstance(argument, MemrefArgument) else ()
        modes = getattr(argument, "modes", None)
        found = tuple(aval.shape) if modes is None else tuple(aval.shape[mode] for mode in modes)
        if len(found) != len(expected) or any(
            want not in (None, size) for want, size in zip(expected, found, strict=True)
        ):
            raise ArgumentError(
                f"{function.name}: argument {name!r}: expected shape {expected}, got {found}",
                argument=name,
            )
    return call.avals(function.results, avals)


def varying(aval: Any) -> frozenset[Any]:
    """Return the axes of a mesh along which an array in a shard_map varies."""
    kind = getattr(aval, "mat", None)
    return frozenset(getattr(aval, "vma", ()) if kind is None else kind.varying)


def bind(values: Sequence[Any], call: Call) -> list[Any]:
    """Call the primitive, with inputs that vary along the same axes."""
    axes = [varying(jax.typeof(value)) for value in values]
    every = frozenset[Any]().union(*axes)
    given = [
        value if found == every else jax.lax.pcast(value, tuple(every - found), to="varying")
        for value, found in zip(values, axes, strict=True)
    ]
    return list(primitive.bind(*given, call=call))


def _run(*arrays: Any, call: Call) -> Sequence[Any]:
    """Run the primitive, as a program of XLA even if `jax.jit` is disabled."""
    with jax.disable_jit(False):
        return call.run(*arrays)  # type: ignore[no-any-return]


primitive = Primitive(_TARGET)
primitive.multiple_results = True
primitive.def_impl(_run)
primitive.def_abstract_eval(_abstract)
mlir.register_lowering(
    primitive,
    mlir.lower_fun(lambda *arrays, call: call._run(*arrays), multiple_results=True),
    platform="cpu",
)
jax.ffi.register_ffi_target(_TARGET, _arrays.xla_handler(), platform="cpu")
