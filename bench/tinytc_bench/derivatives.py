# SPDX-License-Identifier: BSD-3-Clause
"""Reverse derivatives of SeisSol's chains, beside those of JAX and PyTorch if these are installed.

A chain computes the time derivatives of an element's solution and their integral over a time step.
It is linear in the solution, by which it is differentiated.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from tinytc_mlir.compiler import Context
from tinytc_mlir.measure.timing import Candidate, Settings, interleave
from tinytc_mlir.runtime.arrays.memory import asarray
from tinytc_mlir.scalars import SCALAR_TYPES

from .measurements import DerivativeRun, Derivatives

_PEERS = {"jax": "jax", "torch": "torch"}
_ORDERS = (3, 4, 5, 6)
_QUANTITIES, _STEP = 9, 0.5
_TARGET = "cpu"
_TEXT = """
$T = {type}
$B = {basis}
$Q = 9
func @ader(%dt: $T, %K: memref<$T x $B x $B x 3>, %A: memref<$T x $Q x $Q x 3 x ?>,
           %Q: memref<$T x $B x $Q x ?>, %I: memref<$T x $B x $Q x ?>) {{
  %g = group_id.x : index
  %kx = subview %K[:, :, 0] : memref<$T x $B x $B>
  %ky = subview %K[:, :, 1] : memref<$T x $B x $B>
  %kz = subview %K[:, :, 2] : memref<$T x $B x $B>
  %ax = subview %A[:, :, 0, %g] : memref<$T x $Q x $Q>
  %ay = subview %A[:, :, 1, %g] : memref<$T x $Q x $Q>
  %az = subview %A[:, :, 2, %g] : memref<$T x $Q x $Q>
  %q = subview %Q[:, :, %g] : memref<$T x $B x $Q>
  %i = subview %I[:, :, %g] : memref<$T x $B x $Q>
  %derivative = alloca : memref<$T x $B x $Q, local>
  %next = alloca : memref<$T x $B x $Q, local>
  %product = alloca : memref<$T x $B x $Q, local>
  %zero = constant 0.0 : $T
  %one = constant 1.0 : $T
  axpby %one, %q, %zero, %derivative
  axpby %dt, %q, %zero, %i
  %last = for %k = 1, {order} init(%factor = %dt) -> ($T) {{
    gemm %one, %kx, %derivative, %zero, %product
    gemm %one, %product, %ax, %zero, %next
    gemm %one, %ky, %derivative, %zero, %product
    gemm %one, %product, %ay, %one, %next
    gemm %one, %kz, %derivative, %zero, %product
    gemm %one, %product, %az, %one, %next
    %n = add %k, 1 : index
    %divisor = cast %n : $T
    %power = mul %factor, %dt : $T
    %new_factor = div %power, %divisor : $T
    axpby %new_factor, %next, %one, %i
    axpby %one, %next, %zero, %derivative
    yield (%new_factor)
  }}
}}
"""

_Calls = dict[str, Callable[[], Any]]


def measure_derivatives(footprint_bytes: int, settings: Settings) -> Derivatives:
    """Return times of all chains, their reverse derivatives, and those of the peers.

    Args:
        footprint_bytes: total size of the arrays.
        settings: how long to measure.
    """
    installed = [peer for peer, name in _PEERS.items() if importlib.util.find_spec(name)]
    runs: list[DerivativeRun] = []
    problems: dict[str, str] = {}
    for type_ in ("f32", "f64"):
        for order in _ORDERS:
            chain = _Chain(type_, order, footprint_bytes)
            calls = chain.ours(problems)
            for peer in installed:
                calls |= chain.peer(peer, problems)
            candidates = {name: Candidate(call) for name, call in calls.items()}
            times_ns = interleave(candidates, settings)
            runs.append({"chain": chain.name, "groups": chain.groups, "times_ns": times_ns})
    missing = [name for peer, name in _PEERS.items() if peer not in installed]
    return {"runs": runs, "missing": missing, "problems": problems}


class _Chain:
    """A chain of one order and type, with its arrays; a batch is the first mode in C order."""

    def __init__(self, type_: str, order: int, footprint_bytes: int) -> None:
        self.name = f"ader.{type_}.order{order}"
        self.order = order
        basis = order * (order + 1) * (order + 2) // 6
        self.text = _TEXT.format(type=type_, basis=basis, order=order)
        dtype = np.dtype(SCALAR_TYPES[type_].dtype)
        numbers = 3 * _QUANTITIES**2 + 3 * basis * _QUANTITIES
        self.groups = max(footprint_bytes // (numbers * dtype.itemsize), 2)
        rng = np.random.default_rng(1)
        shapes = {
            "K": (3, basis, basis),
            "A": (self.groups, 3, _QUANTITIES, _QUANTITIES),
            "Q": (self.groups, _QUANTITIES, basis),
            "w": (self.groups, _QUANTITIES, basis),
        }
        self.arrays = {
            name: (rng.standard_normal(shape) / shape[-1]).astype(dtype)
            for name, shape in shapes.items()
        }
        self.tolerance = 100 * basis * float(np.finfo(dtype).eps)
        self.adjoint: Any = None

    def ours(self, problems: dict[str, str]) -> _Calls:
        """Return launches of the kernel and of its derivative, after a check of the latter."""
        module = Context().parse(self.text, "<bench>")
        forward = module.compile(_TARGET)["ader"]
        reverse = module.vjp(wrt=["Q"]).compile(_TARGET)["ader_vjp"]
        given = {name: asarray(array.T) for name, array in self.arrays.items()}
        result, adjoint, weight = (asarray(np.zeros_like(given["Q"])) for _ in range(3))
        np.asarray(weight)[...] = np.asarray(given["w"])
        arguments = (_STEP, given["K"], given["A"], given["Q"], result)
        forward(*arguments)
        reverse(*arguments, adjoint, weight)
        self.adjoint = np.array(adjoint).T
        terms = np.asarray(given["w"]) * np.asarray(result)
        difference = terms.sum() - (self.adjoint * self.arrays["Q"]).sum()
        if not abs(difference) <= self.tolerance * np.abs(terms).sum():
            problems["ours"] = f"{self.name}: inner products differ by {difference}"
        return {
            "forward": lambda: forward(*arguments),
            "reverse": lambda: reverse(*arguments, adjoint, weight),
        }

    def peer(self, peer: str, problems: dict[str, str]) -> _Calls:
        """Return calls of a peer, after a comparison of its derivative with ours."""
        calls = (_jax_calls if peer == "jax" else _torch_calls)(self.arrays, self.order)
        found = np.asarray(calls[f"{peer}_reverse"]())
        error = np.abs(found - self.adjoint).max() / np.abs(self.adjoint).max()
        if not error <= self.tolerance:
            problems[peer] = f"{self.name}: relative difference {error}"
        return calls


def _integral(einsum: Callable[..., Any], order: int, K: Any, A: Any, Q: Any) -> Any:  # noqa: N803
    """Return what the kernel computes, by a library's `einsum`."""
    derivative, factor = Q, _STEP
    total = factor * Q
    for k in range(1, order):
        products = einsum("dcb,eqc->edqb", K, derivative)
        derivative = einsum("edqb,edpq->epb", products, A)
        factor *= _STEP / (k + 1)
        total = total + factor * derivative
    return total


def _jax_calls(arrays: dict[str, Any], order: int) -> _Calls:
    jax: Any = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    K, A, Q, w = (jax.numpy.asarray(arrays[name]) for name in ("K", "A", "Q", "w"))  # noqa: N806

    def integral(solution: Any) -> Any:
        return _integral(jax.numpy.einsum, order, K, A, solution)

    forward = jax.jit(integral)
    reverse = jax.jit(lambda solution, weight: jax.vjp(integral, solution)[1](weight)[0])
    return {
        "jax": lambda: forward(Q).block_until_ready(),
        "jax_reverse": lambda: reverse(Q, w).block_until_ready(),
    }


def _torch_calls(arrays: dict[str, Any], order: int) -> _Calls:
    torch: Any = importlib.import_module("torch")
    K, A, Q, w = (torch.from_numpy(arrays[name]) for name in ("K", "A", "Q", "w"))  # noqa: N806
    variable = Q.clone().requires_grad_()

    def reverse() -> Any:
        return torch.autograd.grad(_integral(torch.einsum, order, K, A, variable), variable, w)[0]

    return {"torch": lambda: _integral(torch.einsum, order, K, A, Q), "torch_reverse": reverse}
