# SPDX-License-Identifier: BSD-3-Clause
"""Calls of kernels by programs of XLA, and the primitive of JAX that stands for them."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import mlir
from jax.sharding import NamedSharding, PartitionSpec

from .. import _arrays
from ..errors import ArgumentError
from ..runtime.bounds.launch_values import checked_scalars
from ..runtime.kernel import Kernel
from ..runtime.launches import launch
from ..runtime.manifest import MemrefArgument, ScalarArgument
from ..runtime.native.processor import usual_threads
from ..scalars import SCALAR_TYPES
from .functional import Derived, FunctionalKernel, element_type

# The address of a kernel's function, bits of its arguments, and numbers of work-groups.
_Words: TypeAlias = "tuple[int, list[tuple[int, bool]], tuple[int, int, int]]"
_TARGET = "tinytc_kernel"
_CONSTANT, _ADDRESS, _CONTENTS = range(3)  # sources of arguments for the handler
# Programs of XLA may call a kernel as long as the process lives.
_kernels: dict[str, object] = {}


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
        self.run = jax.jit(lambda *arrays: primitive.bind(*arrays, call=self))

    def other(
        self, base: FunctionalKernel, batch: frozenset[str], tangents: Tangents | None = None
    ) -> Call:
        """Return the call of a derivative or of a batch."""
        key = base, batch
        if key not in self._others:
            self._others[key] = Call(base, batch, tangents)
        return self._others[key]

    def shape(self, name: str, arrays: Sequence[Any]) -> tuple[int, ...]:
        """Return the shape of a parameter, given the inputs."""
        shapes = {
            each: array.shape for each, array in zip(self.function.inputs, arrays, strict=True)
        }
        if name in self.function.buffers:
            given = tuple(tuple(map(int, shape)) for shape in shapes.values())
            return self._buffer_shapes(given)[name]
        return self.function.shape(name, shapes)

    @functools.cache  # noqa: B019 (operations last as long as the process)
    def _buffer_shapes(self, shapes: tuple[tuple[int, ...], ...]) -> dict[str, tuple[int, ...]]:
        """Return the shapes of buffers for inputs of some shapes."""
        function = self.function
        given = dict(zip(function.inputs, shapes, strict=True))
        values = [v for n, v in self._values(given).items() if n not in function.buffers]
        buffers = self._kernel.buffers
        assert buffers is not None
        return buffers.shapes(values, function.counts(given))

    def _values(self, given: Mapping[str, tuple[int, ...]]) -> dict[str, object]:
        """Return what a launch takes for inputs of some shapes; None for buffers."""
        function = self.function
        values: dict[str, object] = {}
        for name, argument in function.arguments.items():
            if name in function.constants:
                values[name] = function.constants[name]
            elif isinstance(argument, ScalarArgument):
                values[name] = False if argument.type == "bool" else 0
            elif name in function.buffers:
                values[name] = None
            else:
                values[name] = _like(function, name, function.shape(name, given))
        return values

    def avals(self, names: Sequence[str], inputs: Sequence[Any]) -> list[Any]:
        """Return the types of arrays, given those of the inputs."""
        function = self.function
        shapes = [self.shape(each, inputs) for each in names]
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
        function = self.function
        given = dict(zip(function.inputs, shapes, strict=True))
        values = self._values(given)
        for name in function.buffers:
            values[name] = _like(function, name, self._buffer_shapes(shapes)[name])
        counts = function.counts(given)
        parts = self._kernel.signature.parts(list(values.values()), {})
        prepared = launch._prepare(self._kernel, parts, counts, None)
        address, words, sizes = cast("_Words", prepared.launch.native_arguments)
        slots, zeros = self._slots(words), self._zeros(given)
        text = repr(
            (function.text, self._kernel.program.digest, slots, sizes, zeros, counts, shapes)
        )
        key = hashlib.sha256(text.encode()).hexdigest()
        local_bytes = prepared.kernel.local_bytes  # type: ignore[attr-defined]
        _kernels[key] = prepared.kernel
        fixed = slots, sizes, local_bytes, usual_threads(), zeros
        scalars = self._checked_scalars
        check = functools.partial(self._fault, given)
        if not scalars:
            self._check(given, {})
        positions = [n for n, slot in enumerate(slots) if slot[:2] in scalars]
        _arrays.define_xla_kernel(key, address, *fixed, positions, check)
        return key

    @functools.cached_property
    def _kernel(self) -> Kernel:
        """The kernel without checks, as scalars are not known yet."""
        kernel = self.function.kernel
        checks: Any = dict.fromkeys(("group_bounds", "equal_sizes", "unchecked_uses"), ())
        return Kernel(kernel.program, dataclasses.replace(kernel.info, **checks))

    @functools.cached_property
    def _checked_scalars(self) -> dict[tuple[int, int], str]:
        """The scalars that checks of a launch depend on, by their slots."""
        function = self.function
        names = checked_scalars(function.kernel.info)
        return {
            (_CONTENTS, number): name
            for number, name in enumerate(function.inputs)
            if name in names
        }

    def _fault(self, given: Mapping[str, tuple[int, ...]], bits: Sequence[int]) -> str | None:
        """Return what a launch says against the scalars with some bits; None if nothing."""
        scalars = {
            name: np.frombuffer(each.to_bytes(8, "little"), dtype(self.function, name), 1)[0]
            for name, each in zip(self._checked_scalars.values(), bits, strict=True)
        }
        try:
            self._check(given, scalars)
        except ArgumentError as error:
            return str(error)
        return None

    def _check(self, given: Mapping[str, tuple[int, ...]], scalars: Mapping[str, object]) -> None:
        """Check the arguments of a call as a launch does."""
        function, signature = self.function, self.function.kernel.signature
        shapes = self._buffer_shapes(tuple(given.values())) if function.buffers else {}
        values = self._values(given) | dict(scalars)
        values |= {name: _like(function, name, shape) for name, shape in shapes.items()}
        signature.counts(function.counts(given), signature.parts(list(values.values()), {}))

    def _slots(self, words: Sequence[tuple[int, bool]]) -> list[tuple[int, int, int, int, bool]]:
        """Return where each argument of the kernel's function comes from."""
        function = self.function
        numbers = {each: number for number, each in enumerate(function.inputs)}
        numbers |= {
            each: len(function.inputs) + number
            for number, each in enumerate(self.written)
            if each not in numbers or function.is_updated(each)
        }
        slots = [(_CONSTANT, bits, 0, 0, is_real) for bits, is_real in words]
        position = 0
        for name, argument in function.arguments.items():
            if isinstance(argument, MemrefArgument):
                slots[position] = (_ADDRESS, numbers[name], 0, 0, False)
                position += 1 + (*argument.shape, *argument.stride).count(None)
                continue
            scalar = SCALAR_TYPES[argument.type]
            count = 1 + (scalar.kind == "complex")
            size = dtype(function, name).itemsize // count
            for part in range(count if name in numbers else 0):
                is_real = slots[position + part][-1]
                slots[position + part] = (_CONTENTS, numbers[name], part * size, size, is_real)
            position += count
        return slots

    def _zeros(self, given: Mapping[str, Sequence[int]]) -> list[tuple[int, int]]:
        """Return the numbers and the bytes of the results that are 0 before."""
        function, first = self.function, len(self.function.inputs)
        cleared = function.cleared(given)
        return [
            (
                first + number,
                math.prod(function.shape(each, given)) * dtype(function, each).itemsize,
            )
            for number, each in enumerate(self.written)
            if each in cleared
        ]


class Tangents(NamedTuple):
    """How a function that is linear in tangents was derived: of what, and the derivative."""

    call: Call
    derived: Derived


def dtype(function: FunctionalKernel, name: str) -> np.dtype[Any]:
    """Return the type of the elements of a parameter."""
    return SCALAR_TYPES[element_type(function.arguments[name])].array_dtype


def _layout(function: FunctionalKernel, name: str) -> tuple[int, ...]:
    """Return the modes of an array from the one of the largest stride on."""
    argument = function.arguments[name]
    if not isinstance(argument, MemrefArgument):
        return ()
    return tuple(argument.modes or range(len(argument.shape)))[::-1]


def _like(function: FunctionalKernel, name: str, shape: Sequence[int]) -> object:
    """Return an array that a launch takes as it would that of XLA; nothing is in it."""
    itemsize = SCALAR_TYPES[element_type(function.arguments[name])].dtype.itemsize
    strides = function.strides(name, shape)
    packed = sorted(zip(strides, shape, strict=True))
    expected = 1
    for stride, size in packed:
        if size > 1 and stride != expected and 0 not in shape:
            raise ArgumentError(
                f"{function.name}: argument {name!r}: expected a packed array for JAX, got strides "
                f"{tuple(strides)} for shape {tuple(shape)}",
                argument=name,
            )
        expected *= size
    dtype = SCALAR_TYPES[element_type(function.arguments[name])].dtype
    memory = np.empty(max(math.prod(shape), 1), dtype)
    return np.lib.stride_tricks.as_strided(memory, shape, [each * itemsize for each in strides])


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


primitive = Primitive(_TARGET)
primitive.multiple_results = True
primitive.def_impl(lambda *arrays, call: call.run(*arrays))
primitive.def_abstract_eval(_abstract)
mlir.register_lowering(
    primitive,
    mlir.lower_fun(lambda *arrays, call: call._run(*arrays), multiple_results=True),
    platform="cpu",
)
jax.ffi.register_ffi_target(_TARGET, _arrays.xla_handler(), platform="cpu")
