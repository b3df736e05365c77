# SPDX-License-Identifier: BSD-3-Clause
"""Kernels as operations of JAX: a primitive whose native code programs of XLA call."""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jax.sharding import NamedSharding, PartitionSpec

from .. import _arrays
from ..errors import ArgumentError
from ..runtime.launches import launch
from ..runtime.launches.arguments import NoGroupsError
from ..runtime.manifest import GroupArgument, MemrefArgument, ScalarArgument
from ..runtime.native.processor import usual_threads
from ..scalars import SCALAR_TYPES
from .functional import Constants, Derived, FunctionalKernel, element_type, functional_kernel
from .sizes import Shapes

__all__ = ["Op", "op"]

# The address of a kernel's function, bits of its arguments, and numbers of work-groups.
_Words: TypeAlias = "tuple[int, list[tuple[int, bool]], tuple[int, int, int]]"
_TARGET = "tinytc_kernel"
_CONSTANT, _ADDRESS, _CONTENTS = range(3)  # sources of arguments for the handler
# Programs of XLA may call a kernel as long as the process lives.
_kernels: dict[str, object] = {}


def op(
    kernel: object,
    *,
    name: str | None = None,
    outputs: str | Sequence[str] | None = None,
    constants: Constants | None = None,
    shapes: Shapes | None = None,
    groups: int | Sequence[int] | None = None,
    atomic: bool = False,
) -> Op:
    """Return a kernel as an operation of JAX, native code that programs of XLA call.

    The operation takes the kernel's parameters and returns the arrays that the kernel writes, as
    new arrays. It works with `jax.jit`, `jax.vmap`, `jax.shard_map` and all derivatives. Arrays
    have the order of modes that the kernel wants without a copy, if XLA can arrange that.

    Args:
        kernel: a module, a function that is a kernel, a derivative, or a recipe.
        name: the kernel of a module, if there are several.
        outputs: arrays that the kernel writes and whose values before do not matter: they are no
            parameters of the operation, and are 0 before. None for those that the kernel
            overwrites as far as the program shows.
        constants: parameters with fixed values. Factors of recipes, `alpha` and `beta`, are 1 and
            0.
        shapes: shapes of outputs that no input tells: for each mode a size, or a mode of an input
            as in ("A", 1).
        groups: number of groups; None for the number that fits the arrays.
        atomic: in gradients, let groups add to what they share in any order, instead of in a second
            kernel.

    Raises:
        ArgumentError: an argument does not fit the kernel, or the kernel has groups of arrays.

    >>> import jax
    >>> import jax.numpy as jnp
    >>> import tinytc_mlir as tt
    >>> module = tt.Context().parse('''
    ... func @square(%x: memref<f32x?>, %y: memref<f32x?>) {
    ...   %i = group_id.x : index
    ...   %a = load %x[%i] : f32
    ...   %b = arith.mul %a, %a : f32
    ...   store %b, %y[%i]
    ... }''')
    >>> square = tt.jax.op(module)
    >>> jax.grad(lambda x: square(x).sum())(jnp.array([1.0, 2.0, 3.0]))
    Array([2., 4., 6.], dtype=float32)
    """
    function = functional_kernel(
        kernel,
        name=name,
        outputs=outputs,
        constants=constants,
        shapes=shapes,
        groups=groups,
        target="native",
        atomic=atomic,
    )
    for argument in function.arguments.values():
        if isinstance(argument, GroupArgument) or getattr(argument, "optional", False):
            raise ArgumentError(
                f"{function.name}: expected arrays that are no groups and never missing, got "
                f"{argument}"
            )
    return Op(function)


class Op:
    """A kernel as an operation of JAX; made by `op`."""

    def __init__(self, function: FunctionalKernel) -> None:
        self.name = function.name
        self.parameters = function.inputs
        self.results = function.results
        self._call = _Call(function, frozenset())
        self._dtypes = [_dtype(function, each) for each in function.inputs]

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Return the arrays that the kernel writes: an array, or a tuple of several.

        Args:
            values: inputs by position: arrays; for scalars, arrays of order 0 or numbers.
            named: further inputs by name.
        """
        given = dict(zip(self.parameters, values, strict=False)) | named
        if len(values) + len(named) != len(self.parameters) or set(given) != set(self.parameters):
            raise ArgumentError(
                f"{self.name}: expected {len(self.parameters)} arguments "
                f"({', '.join(self.parameters)}), got {len(values)}"
                + "".join(f", {each}" for each in named)
            )
        arrays = [
            self._array(each, given[each], dtype)
            for each, dtype in zip(self.parameters, self._dtypes, strict=True)
        ]
        results = _bind(arrays, self._call)
        return results[0] if len(results) == 1 else tuple(results)

    def _array(self, name: str, value: Any, dtype: Any) -> Any:
        if isinstance(value, (bool, int, float, complex)):
            value = np.asarray(value, dtype)
        array = jnp.asarray(value)
        if array.dtype != dtype:
            is_missing = jax.dtypes.canonicalize_dtype(dtype) != dtype
            hint = "; jax.config.update('jax_enable_x64', True)" if is_missing else ""
            raise ArgumentError(
                f"{self.name}: argument {name!r}: expected dtype {dtype}, got {array.dtype}{hint}",
                argument=name,
            )
        return array

    def __repr__(self) -> str:
        return f"<Op {self.name}({', '.join(self.parameters)}) -> {', '.join(self.results)}>"


class _Call:
    """A function, or a batch of calls of it, as the primitive knows it.

    Args:
        base: the function.
        batch: inputs that each call of a batch has its own of; none if there is no batch.
        tangents: if it is linear in tangents, how it was derived.
    """

    def __init__(
        self, base: FunctionalKernel, batch: frozenset[str], tangents: _Tangents | None = None
    ) -> None:
        self.base, self.batch, self.tangents = base, batch, tangents
        self.function = base.batched(batch) if batch else base
        self._others: dict[object, _Call] = {}
        # The handler returns results, and then the other arrays that the kernel writes.
        updated = [each for each in self.function.inputs if self.function.is_updated(each)]
        more = [*updated, *sorted(self.function.hidden)]
        results = self.function.results
        self.written = (*results, *(each for each in more if each not in results))
        self.run = jax.jit(lambda *arrays: _primitive.bind(*arrays, call=self))

    def other(
        self, base: FunctionalKernel, batch: frozenset[str], tangents: _Tangents | None = None
    ) -> _Call:
        """Return the call of a derivative or of a batch."""
        key = base, batch
        if key not in self._others:
            self._others[key] = _Call(base, batch, tangents)
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
        buffers = function.kernel.buffers
        assert buffers is not None
        return buffers.shapes(values, function.groups(self._batch_size(given)) or None)

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
        dtypes = [_dtype(function, each) for each in names]
        like = next((each for each in inputs if _varying(each)), None)
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
        try:
            if self._batch_size(dict(zip(self.function.inputs, shapes, strict=True))) == 0:
                return self._unchanged(arrays)
            key = self._defined(shapes)
        except NoGroupsError:
            return self._unchanged(arrays)
        function = self.function
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
            jax.lax.pcast(jnp.zeros(aval.shape, aval.dtype), tuple(_varying(aval)), to="varying")
            if _varying(aval)
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
        parts = function.kernel.signature.parts(list(values.values()), {})
        groups = function.groups(self._batch_size(given)) or None
        prepared = launch._prepare(function.kernel, parts, groups, None)
        address, words, sizes = cast("_Words", prepared.launch.native_arguments)
        slots, zeros = self._slots(words), self._zeros(given)
        text = repr((function.text, function.kernel.program.digest, slots, sizes, zeros))
        key = hashlib.sha256(text.encode()).hexdigest()
        local_bytes = prepared.kernel.local_bytes  # type: ignore[attr-defined]
        _kernels[key] = prepared.kernel
        _arrays.define_xla_kernel(key, address, slots, sizes, local_bytes, usual_threads(), zeros)
        return key

    def _batch_size(self, given: Mapping[str, Sequence[int]]) -> int | None:
        for name, base in zip(self.function.inputs, self.base.inputs, strict=True):
            if base in self.batch:
                return given[name][-1]
        return None

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
            size = _dtype(function, name).itemsize // count
            for part in range(count if name in numbers else 0):
                is_real = slots[position + part][-1]
                slots[position + part] = (_CONTENTS, numbers[name], part * size, size, is_real)
            position += count
        return slots

    def _zeros(self, given: Mapping[str, Sequence[int]]) -> list[tuple[int, int]]:
        """Return the numbers and the bytes of the results that are 0 before."""
        function, first = self.function, len(self.function.inputs)
        return [
            (
                first + number,
                math.prod(function.shape(each, given)) * _dtype(function, each).itemsize,
            )
            for number, each in enumerate(self.written)
            if each in function.hidden - function.buffers
        ]


class _Tangents:
    """How a function that is linear in tangents was derived.

    Args:
        call: the function that was differentiated.
        derived: the derivative.
    """

    def __init__(self, call: _Call, derived: Derived) -> None:
        self.call, self.derived = call, derived


def _dtype(function: FunctionalKernel, name: str) -> np.dtype[Any]:
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


# The primitive -------------------------------------------------------------------------------


def _abstract(*avals: Any, call: _Call) -> list[Any]:
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


def _varying(aval: Any) -> frozenset[Any]:
    """Return the axes of a mesh along which an array in a shard_map varies."""
    kind = getattr(aval, "mat", None)
    return frozenset(getattr(aval, "vma", ()) if kind is None else kind.varying)


def _bind(values: Sequence[Any], call: _Call) -> list[Any]:
    """Call the primitive, with inputs that vary along the same axes."""
    axes = [_varying(jax.typeof(value)) for value in values]
    every = frozenset[Any]().union(*axes)
    given = [
        value if found == every else jax.lax.pcast(value, tuple(every - found), to="varying")
        for value, found in zip(values, axes, strict=True)
    ]
    return list(_primitive.bind(*given, call=call))


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], *, call: _Call) -> Any:
    base = call.base
    results = _bind(primals, call)
    of = {
        each: tangent
        for each, tangent in zip(base.inputs, tangents, strict=True)
        if type(tangent) is not ad.Zero and each in base.differentiable
    }
    found: dict[str, Any] = {}
    if of:
        derived = base.jvp(list(of))
        given = dict(zip(base.inputs, primals, strict=True))
        found = _derivatives(call, call.batch or None, derived, given, of)
    zeros = [ad.Zero(jax.typeof(each).to_tangent_aval()) for each in results]
    return results, [found.get(each, zero) for each, zero in zip(base.results, zeros, strict=True)]


def _derivatives(
    call: _Call,
    batched: frozenset[str] | None,
    derived: Derived,
    given: Mapping[str, Any],
    of: Mapping[str, Any],
    *,
    is_reverse: bool = False,
) -> dict[str, Any]:
    """Return the derivatives that a derived function computes.

    Args:
        call: the function that is differentiated.
        batched: its inputs that each call of a batch has its own of; None if there is no batch.
        derived: the derivative.
        given: the inputs.
        of: tangents of inputs or adjoints of results.
        is_reverse: whether it has adjoints.
    """
    function = derived.function
    values = []
    for each in function.inputs:
        if each not in derived.given:
            values.append(given[each])
            continue
        value = of.get(derived.given[each])
        values.append(_zeros(call, derived.given[each], given) if value is None else value)
    found = {
        derived.given[each]: value
        for each, value in zip(function.inputs, values, strict=True)
        if each in derived.given and derived.given[each] in derived.unchanged
    }
    if not derived.results:
        return found
    batch = frozenset[str]()
    if batched is not None:
        batch = frozenset(
            each
            for each in function.inputs
            if function.is_updated(each)
            or each in batched
            or (each in derived.given and (is_reverse or derived.given[each] in batched))
        )
    tangents = None if is_reverse else _Tangents(call, derived)
    other = call.other(function, batch, tangents)
    results = _bind(values, other)
    return found | dict(zip(derived.results, results, strict=True))


def _zeros(call: _Call, name: str, given: Mapping[str, Any]) -> Any:
    """Return zeros like a parameter."""
    if name in given:
        return jnp.zeros_like(given[name])  # an array that the kernel reads and writes
    names = dict(zip(call.base.arguments, call.function.arguments, strict=True))
    shape = call.shape(names[name], list(given.values()))
    return jnp.zeros(shape, _dtype(call.base, name))


def _transpose(adjoints: Sequence[Any], *values: Any, call: _Call) -> list[Any]:
    """Return the adjoints of the tangents that a call is linear in."""
    names = call.base.inputs
    linear = [
        each for each, value in zip(names, values, strict=True) if ad.is_undefined_primal(value)
    ]
    result: list[Any] = [None] * len(values)
    tangents = call.tangents
    if tangents is None or any(each not in tangents.derived.given for each in linear):
        raise ArgumentError(
            f"{call.base.name}: expected a transpose with respect to tangents, got one with "
            f"respect to {', '.join(linear)}"
        )
    parent, of = tangents.call, tangents.derived
    given = {
        each: value
        for each, value in zip(names, values, strict=True)
        if each in parent.base.inputs and each not in of.given
    }
    cotangents = {
        each: adjoint
        for each, adjoint in zip(of.results, adjoints, strict=True)
        if type(adjoint) is not ad.Zero
    }
    if not cotangents:
        return result
    derived = parent.base.vjp([of.given[each] for each in linear], scalar_sizes=False)
    batch = call.batch.intersection(parent.base.inputs) if call.batch else None
    found = _derivatives(parent, batch, derived, given, cotangents, is_reverse=True)
    for each, partial in found.items():
        tangent = next((name for name in linear if of.given[name] == each), None)
        if tangent is None:
            continue
        value = partial.sum(derived.axes(each, is_batch=bool(call.batch)))
        if call.batch and tangent not in call.batch:
            value = value.sum(-1)
        result[names.index(tangent)] = value
    for number, value in enumerate(values):
        if ad.is_undefined_primal(value) and result[number] is None:
            result[number] = ad.Zero(value.aval)
    return result


def _batch(values: Sequence[Any], dims: Sequence[Any], *, call: _Call) -> Any:
    """Run a batch of calls as one launch, or one after the other if that is not possible."""
    inputs = call.base.inputs
    new = {each for each, dim in zip(inputs, dims, strict=True) if dim is not None}
    every = frozenset(new | call.batch | {n for n in inputs if call.base.is_updated(n)})
    try:
        other = call.other(call.base, every, call.tangents)
    except ArgumentError:
        return _batch_one_by_one(values, dims, call)
    size = next(
        value.shape[dim] for value, dim in zip(values, dims, strict=True) if dim is not None
    )
    given = {
        each: value if dim is None else jnp.moveaxis(value, dim, -1)
        for each, value, dim in zip(inputs, values, dims, strict=True)
    }
    shapes = {name: value.shape for name, value in zip(call.function.inputs, values, strict=True)}
    old = call._batch_size(_unbatched(shapes, dims)) if call.batch else None
    for each in every:
        value = given[each]
        if each not in new:
            value = jnp.broadcast_to(value[..., None], (*value.shape, size))
        if old is not None:
            if each not in call.batch:
                value = jnp.expand_dims(value, -2)
                value = jnp.broadcast_to(value, (*value.shape[:-2], old, size))
            value = value.reshape(*value.shape[:-2], old * size)
        given[each] = value
    results = _bind(list(given.values()), other)
    if old is not None:
        results = [each.reshape(*each.shape[:-1], old, size) for each in results]
    return results, [each.ndim - 1 for each in results]


def _batch_one_by_one(values: Sequence[Any], dims: Sequence[Any], call: _Call) -> Any:
    each_call = [
        jnp.moveaxis(value, dim, 0)
        for value, dim in zip(values, dims, strict=True)
        if dim is not None
    ]

    def one(some: Sequence[Any]) -> Any:
        rest = iter(some)
        arrays = [
            value if dim is None else next(rest) for value, dim in zip(values, dims, strict=True)
        ]
        return list(_bind(arrays, call))

    results = jax.lax.map(one, each_call)
    return results, [0] * len(results)


def _unbatched(shapes: Mapping[str, Sequence[int]], dims: Sequence[Any]) -> dict[str, list[int]]:
    """Return shapes without the dimensions of a new batch."""
    return {
        name: [size for number, size in enumerate(shape) if number != dim]
        for (name, shape), dim in zip(shapes.items(), dims, strict=True)
    }


_primitive = Primitive(_TARGET)
_primitive.multiple_results = True
_primitive.def_impl(lambda *arrays, call: call.run(*arrays))
_primitive.def_abstract_eval(_abstract)
ad.primitive_jvps[_primitive] = _jvp
ad.primitive_transposes[_primitive] = _transpose
batching.primitive_batchers[_primitive] = _batch
mlir.register_lowering(
    _primitive,
    mlir.lower_fun(lambda *arrays, call: call._run(*arrays), multiple_results=True),
    platform="cpu",
)
jax.ffi.register_ffi_target(_TARGET, _arrays.xla_handler(), platform="cpu")
