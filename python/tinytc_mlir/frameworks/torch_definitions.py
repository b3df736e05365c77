# SPDX-License-Identifier: BSD-3-Clause
"""Operations as PyTorch knows them: how they run, their derivatives and batches."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import _C
from torch._C._functorch import (
    get_single_level_autograd_function_allowed,
    set_single_level_autograd_function_allowed,
)
from torch.autograd.forward_ad import _set_fwd_grad_enabled

from ..errors import ArgumentError
from ..scalars import SCALAR_TYPES
from .derived_names import derived_name, find_derived, parse_name
from .functional import Derived, FunctionalKernel, element_type
from .ops import join_batches
from .torch_calls import (
    DTYPES,
    PLAIN_TYPES,
    TensorCalls,
    device_of,
    is_differentiated,
    is_eager,
    is_tensor,
)

# Whether a tensor stands for a batch, as adjoints do for `is_grads_batched`.
_is_legacy = _C._functorch.is_legacy_batchedtensor
_SCHEMA_TYPES: Mapping[type[int] | None, str] = {None: "Tensor", bool: "bool", int: "SymInt"}
# Definitions of operations last as long as the process, as those of PyTorch do.
_libraries: list[Any] = []
_definitions: dict[str, Definition] = {}
_versions: dict[str, list[Definition]] = {}  # by name, of what users made


class Definition:
    """An operation that PyTorch knows: a function, or a batch of calls of it.

    Args:
        base: the function.
        batched: inputs that each call of a batch has its own of; none if there is no batch.
        name: the qualified name.
        version: the name of the overload, "" for the default one.
    """

    def __init__(
        self, base: FunctionalKernel, batched: frozenset[str], name: str, version: str = ""
    ) -> None:
        self.base, self.batch, self.name, self._version = base, batched, name, version
        self.function = base.batched(batched) if batched else base
        self._calls = TensorCalls(self.function)
        self._numbers = [self._number(each) for each in self.function.inputs]
        self._others: dict[object, Definition] = {}
        namespace, _, short = name.partition("::")
        library = torch.library.Library(namespace, "FRAGMENT")
        find_derived(getattr(torch.ops, namespace), _find)
        suffix = f".{version}" if version else ""
        full, short_full = name + suffix, short + suffix
        _definitions.setdefault(full, self)  # PyTorch asks for the name before it defines that
        try:
            library.define(self._schema(short_full), tags=(torch.Tag.pt2_compliant_tag,))
        except RuntimeError as error:
            if _definitions[full] is self:
                del _definitions[full]
            raise ArgumentError(
                f"op: argument 'qualified_name': expected a new name, got {name!r}: {error}",
                argument="qualified_name",
            ) from None
        self.overload = getattr(getattr(torch.ops, namespace), short)
        self.overload = getattr(self.overload, version or "default")
        library.impl(short_full, self._run, "CompositeExplicitAutograd")
        torch.library.register_fake(full, self._fake, lib=library)
        torch.library.register_vmap(full, self._vmap, lib=library)
        self._kernel = self._autograd_kernel()
        library.impl(short_full, self._autograd, "Autograd", with_keyset=True)
        _libraries.append(library)

    @classmethod
    def of(cls, function: FunctionalKernel, name: str) -> Definition:
        """Return the operation of a function, a new overload if the name has been another's."""
        versions = _versions.setdefault(name, [])
        for known in versions:
            if known.function.options == function.options:
                return known
        version = f"v{len(versions) + 1}" if versions else ""
        versions.append(cls(function, frozenset(), name, version))
        return versions[-1]

    def _number(self, name: str) -> type[int] | None:
        """Return the type of numbers for an input, None for tensors."""
        if is_tensor(self.function, name):
            return None
        kind = SCALAR_TYPES[element_type(self.function.arguments[name])].kind
        return bool if kind == "bool" else int

    def _schema(self, short: str) -> str:
        types = []
        for name in self.function.inputs:
            types.append(f"{_SCHEMA_TYPES[self._number(name)]} {name}")
        count = len(self.function.results)
        results = "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"
        return f"{short}({', '.join(types)}) -> {results}"

    def _other(
        self, base: FunctionalKernel, batched: frozenset[str], kind: str, names: Iterable[str]
    ) -> Definition:
        """Return the operation of a derivative, or of a batch, by some inputs."""
        key = base, batched
        if key not in self._others:
            name = derived_name(self.name, kind, map(self.base.inputs.index, names))
            self._others[key] = Definition(base, batched, name, self._version)
        return self._others[key]

    def _derivative(self, derived: Derived, kind: str, wrt: Iterable[str]) -> Definition:
        is_reverse = kind == "vjp"
        batch = derived.batch(self.batch, is_reverse=is_reverse) if self.batch else frozenset()
        return self._other(derived.function, batch, kind, wrt)

    def derived(self, kind: str, numbers: Sequence[int]) -> Definition | None:
        """Return the operation of a derivative or of a batch by numbers of inputs, if there is."""
        if max(numbers) >= len(self.base.inputs):
            return None
        names = [self.base.inputs[number] for number in numbers]
        if kind == "batch":
            return self._other(self.base, frozenset(names), kind, names)
        derived = self.base.vjp(names) if kind == "vjp" else self.base.jvp(names)
        return self._derivative(derived, kind, names)

    # Execution ------------------------------------------------------------------------------

    def call(self, *values: Any) -> Any:
        """Return the results for some inputs where PyTorch's dispatcher has nothing to do."""
        has_grad = False
        for value, number in zip(values, self._numbers, strict=True):
            if number is not None:
                if type(value) is not number:
                    return self.overload(*values)  # which converts it
            elif type(value) not in PLAIN_TYPES or not value.is_cpu or _is_legacy(value):
                return self.overload(*values)  # it changes what operations do
            elif value.requires_grad:
                has_grad = True
        if has_grad and torch.is_grad_enabled():
            return self._differentiable(None, values)
        return _results(self._calls.run(values))

    def _run(self, *values: Any) -> Any:
        """Run the kernel on tensors."""
        return _results(self._calls.run(values))

    def _empty(self, name: str, given: Mapping[str, Any], device: Any) -> Any:
        known = {n: _shape_or_number(value) for n, value in given.items()}
        shape = self.function.shape(name, known)
        dtype = DTYPES[element_type(self.function.arguments[name])]
        strides = self.function.strides(name, shape)
        return torch.empty_strided(shape, strides, dtype=dtype, device=device)

    def _fake(self, *values: Any) -> Any:
        """Return tensors like the results, without contents."""
        self._calls.known(map(_shape_or_number, values))
        given = dict(zip(self.function.inputs, values, strict=True))
        device = device_of(given.values())
        return _results([self._empty(name, given, device) for name in self.function.results])

    # Derivatives ----------------------------------------------------------------------------

    def _autograd(self, keyset: Any, *values: Any) -> Any:
        """Run the operation so that autograd can differentiate it."""
        if not is_differentiated(values):
            with _C._AutoDispatchBelowAutograd():
                return self.overload.redispatch(keyset & _C._after_autograd_keyset, *values)
        return self._differentiable(keyset, values)

    def _differentiable(self, keyset: Any, values: Sequence[Any]) -> Any:
        """Return the results as what autograd can differentiate."""
        before = get_single_level_autograd_function_allowed()
        set_single_level_autograd_function_allowed(True)
        try:
            return self._kernel.apply(keyset, *values)
        finally:
            set_single_level_autograd_function_allowed(before)

    def _autograd_kernel(self) -> Any:
        definition, overload = self, self.overload

        class Kernel(torch.autograd.function._SingleLevelFunction):  # type: ignore[misc]
            """The operation for autograd."""

            @staticmethod
            def forward(keyset: Any, *values: Any) -> Any:
                if keyset is None:
                    return definition._run(*values)
                with _outer_levels(), _C._AutoDispatchBelowAutograd():
                    return overload.redispatch(keyset & _C._after_autograd_keyset, *values)

            @staticmethod
            def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
                tensors = [each for each in inputs[1:] if isinstance(each, torch.Tensor)]
                ctx.others = [None if _has_shape(each) else each for each in inputs[1:]]
                ctx.save_for_backward(*tensors)
                if inputs[0] is not None:
                    ctx.save_for_forward(*tensors)

            @staticmethod
            def backward(ctx: Any, *adjoints: Any) -> Any:
                needed = ctx.needs_input_grad[1:]
                return (None, *definition._vjp(_saved(ctx), needed, adjoints))

            @staticmethod
            def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
                return definition._jvp(_saved(ctx), tangents)

        return Kernel

    def _vjp(
        self, values: Sequence[Any], needed: Sequence[bool], adjoints: Sequence[Any]
    ) -> list[Any]:
        """Return the adjoints of the inputs."""
        base = self.base
        wrt, derived, definition = self._reverse(tuple(needed))
        if derived is None:
            return [None] * len(values)
        given = dict(zip(base.inputs, values, strict=True))
        named = zip(base.results, adjoints, strict=True)
        of = {each: _conjugate(adjoint) for each, adjoint in named if adjoint is not None}
        found = self._derivatives(derived, definition, given, of)
        result = []
        for each, value in given.items():
            adjoint = found.get(each)
            if adjoint is not None:
                if each in derived.partial:
                    adjoint = adjoint.sum(derived.axes(each, is_batch=bool(self.batch)))
                if self.batch and each not in self.batch:
                    adjoint = adjoint.sum(-1)
                adjoint = _conjugate(adjoint)
            elif each in wrt:
                adjoint = torch.zeros_like(value)
            result.append(adjoint)
        return result

    @functools.cache  # noqa: B019 (operations last as long as the process)
    def _reverse(
        self, needed: tuple[bool, ...]
    ) -> tuple[list[str], Derived | None, Definition | None]:
        """Return the inputs whose adjoints are needed, and what computes them."""
        wrt = [
            each
            for each, is_needed in zip(self.base.inputs, needed, strict=True)
            if is_needed and each in self.base.differentiable
        ]
        if not wrt:
            return wrt, None, None
        derived = self.base.vjp(wrt)
        return wrt, derived, self._derivative(derived, "vjp", wrt) if derived.results else None

    def _jvp(self, values: Sequence[Any], tangents: Sequence[Any]) -> Any:
        """Return the tangents of the results."""
        base = self.base
        given = dict(zip(base.inputs, values, strict=True))
        of = {
            each: tangent
            for each, tangent in zip(base.inputs, tangents, strict=True)
            if tangent is not None and each in base.differentiable
        }
        derived = base.jvp(list(of))
        definition = self._derivative(derived, "jvp", of) if derived.results else None
        found = self._derivatives(derived, definition, given, of)
        like = self._fake(*values) if len(found) < len(base.results) else None
        likes = like if isinstance(like, tuple) else (like,) * len(base.results)
        return _results(
            [
                found[each] if each in found else torch.zeros_like(likes[number])
                for number, each in enumerate(base.results)
            ]
        )

    def _derivatives(
        self,
        derived: Derived,
        definition: Definition | None,
        given: Mapping[str, Any],
        of: Mapping[str, Any],
    ) -> dict[str, Any]:
        """Return the derivatives that a derived function computes, by its operation if any."""
        values = derived.arguments(given, of, lambda name: self._zero(name, given))
        found = derived.passed_on(values)
        if definition is None:
            return found
        run = definition.call if is_eager() else definition.overload
        results = run(*values.values())
        results = results if isinstance(results, (tuple, list)) else (results,)
        return found | dict(zip(derived.results, results, strict=True))

    def _zero(self, name: str, given: Mapping[str, Any]) -> Any:
        """Return zeros like a parameter."""
        if name in given:
            return torch.zeros_like(given[name])
        names = dict(zip(self.base.arguments, self.function.arguments, strict=True))
        renamed = {names[each]: value for each, value in given.items()}
        return self._empty(names[name], renamed, device_of(given.values())).zero_()

    # Batches --------------------------------------------------------------------------------

    def _vmap(self, info: Any, in_dims: Sequence[int | None], *values: Any) -> Any:
        """Run a batch of calls as one launch, or one after the other if that is not possible."""
        inputs, size = self.base.inputs, info.batch_size
        given = {
            each: value if dim is None else value.movedim(dim, -1)
            for each, value, dim in zip(inputs, values, in_dims, strict=True)
        }
        new = {each for each, dim in zip(inputs, in_dims, strict=True) if dim is not None}
        every = frozenset(new | self.batch | {n for n in inputs if self.base.is_updated(n)})
        try:
            definition = self._other(self.base, every, "batch", filter(every.__contains__, inputs))
        except ArgumentError:
            return self._vmap_one_by_one(size, in_dims, values)
        old = join_batches(given, every, new, self.batch, size, torch.broadcast_to)
        results = definition.overload(*given.values())
        results = results if isinstance(results, (tuple, list)) else (results,)
        if old is not None:
            results = [each.unflatten(-1, (old, size)) for each in results]
        return _results(list(results)), _results([each.dim() - 1 for each in results])

    def run_for(self, numbers: Iterable[str], values: Sequence[Any]) -> Any:
        """Run a call whose numbers `torch.vmap` has several of, as a batch of one call.

        Args:
            numbers: the inputs that are numbers, of which each call of the batch has its own.
            values: the inputs.
        """
        inputs, function = self.base.inputs, self.base
        every = {*numbers, *(name for name in inputs if function.is_updated(name))}
        definition = self._other(function, frozenset(every), "batch", every)
        given = [
            value.to(DTYPES[element_type(function.arguments[name])])[..., None]
            if name in every
            else value
            for name, value in zip(inputs, values, strict=True)
        ]
        results = definition.overload(*given)
        results = results if isinstance(results, (tuple, list)) else (results,)
        return _results([each[..., 0] for each in results])

    def _vmap_one_by_one(self, size: int, in_dims: Sequence[int | None], values: Any) -> Any:
        if size == 0:
            return self._empty_batch(in_dims, values)
        calls = [
            self.overload(
                *(
                    value if dim is None else value.select(dim, number)
                    for value, dim in zip(values, in_dims, strict=True)
                )
            )
            for number in range(size)
        ]
        if isinstance(calls[0], torch.Tensor):
            return torch.stack(calls), 0
        return tuple(map(torch.stack, zip(*calls, strict=True))), (0,) * len(calls[0])

    def _empty_batch(self, in_dims: Sequence[int | None], values: Any) -> Any:
        """Return the results of no calls."""
        likes = self._fake(
            *(
                value if dim is None else value.new_empty(value.movedim(dim, 0).shape[1:])
                for value, dim in zip(values, in_dims, strict=True)
            )
        )
        if isinstance(likes, torch.Tensor):
            return likes.new_empty((0, *likes.shape)), 0
        return tuple(each.new_empty((0, *each.shape)) for each in likes), (0,) * len(likes)


def _find(name: str) -> Definition | None:
    """Return the operation of a name, which a derivative or a batch need not have had yet."""
    if name in _definitions:
        return _definitions[name]
    parts = parse_name(name)
    parent = None if parts is None else _find(parts[0])
    return None if parts is None or parent is None else parent.derived(parts[1], parts[2])


def is_of_batch(value: Any) -> bool:
    """Whether a tensor is one of `torch.func`'s, which may stand for several."""
    return bool(_C._functorch.is_functorch_wrapped_tensor(value))


def _has_shape(value: object) -> bool:
    return isinstance(value, torch.Tensor)


def _shape_or_number(value: Any) -> Any:
    return value.shape if _has_shape(value) else value


def _conjugate(value: Any) -> Any:
    return value.conj() if value.is_complex() else value


def _saved(ctx: Any) -> list[Any]:
    """Return the inputs of a call."""
    tensors = iter(ctx.saved_tensors)
    return [next(tensors) if each is None else each for each in ctx.others]


@contextlib.contextmanager
def _outer_levels() -> Iterator[None]:
    """Let the outer levels of `torch.func` differentiate, which a function turns off."""
    if not _C._are_functorch_transforms_active():
        yield
        return
    with torch.enable_grad(), _set_fwd_grad_enabled(True):
        yield


def _results(values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else tuple(values)
