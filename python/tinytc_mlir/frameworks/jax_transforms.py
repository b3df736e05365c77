# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives and batches of calls of kernels in JAX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.interpreters import ad, batching

from ..errors import ArgumentError
from .functional import Derived
from .native_calls import dtype
from .ops import join_batches
from .xla_calls import Call, Tangents, bind, primitive


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], *, call: Call) -> Any:
    base = call.base
    results = bind(primals, call)
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
    call: Call,
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
    arguments = derived.arguments(given, of, lambda name: _zeros(call, name, given))
    found = derived.passed_on(arguments)
    if not derived.results:
        return found
    batch = frozenset() if batched is None else derived.batch(batched, is_reverse=is_reverse)
    tangents = None if is_reverse else Tangents(call, derived)
    other = call.other(derived.function, batch, tangents)
    results = bind(list(arguments.values()), other)
    return found | dict(zip(derived.results, results, strict=True))


def _zeros(call: Call, name: str, given: Mapping[str, Any]) -> Any:
    """Return zeros like a parameter."""
    if name in given:
        return jnp.zeros_like(given[name])  # an array that the kernel reads and writes
    names = dict(zip(call.base.arguments, call.function.arguments, strict=True))
    shapes = {names[each]: tuple(array.shape) for each, array in given.items()}
    shape = call.shape(names[name], shapes)
    return jnp.zeros(shape, dtype(call.base, name))


def _transpose(adjoints: Sequence[Any], *values: Any, call: Call) -> list[Any]:
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


def _batch(values: Sequence[Any], dims: Sequence[Any], *, call: Call) -> Any:
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
    old = join_batches(given, every, new, call.batch, size, jnp.broadcast_to)
    results = bind(list(given.values()), other)
    if old is not None:
        results = [each.reshape(*each.shape[:-1], old, size) for each in results]
    return results, [each.ndim - 1 for each in results]


def _batch_one_by_one(values: Sequence[Any], dims: Sequence[Any], call: Call) -> Any:
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
        return list(bind(arrays, call))

    results = jax.lax.map(one, each_call)
    return results, [0] * len(results)


ad.primitive_jvps[primitive] = _jvp
ad.primitive_transposes[primitive] = _transpose
batching.primitive_batchers[primitive] = _batch
