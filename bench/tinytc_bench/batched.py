# SPDX-License-Identifier: BSD-3-Clause
"""Functions of one element (`@tt.batched`) beside kernels, NumPy, JAX and Numba."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import types
from collections.abc import Callable
from typing import Any

import numpy as np

import tinytc_mlir as tt
from tinytc_mlir.measure.timing import Candidate, Settings, interleave

from . import batched_kernels as kernels
from .measurements import Batched, BatchedRun

_BATCH = 2000
_TOLERANCE = 1e-10


@tt.batched("(b,b),(q,q),(b,q)->(b,q)")
def chain(K, A, Q):
    """Return two time derivatives of SeisSol and their integral."""
    first = K @ Q @ A
    return Q + 0.5 * first + 0.125 * K @ first @ A


@tt.batched("(n),(n,n),(n),(),()->(n),(n,n)")
def kalman(x, P, h, r, z):
    """Return the state and the covariance of a filter after one measurement."""
    ph = P @ h
    gain = ph / (h @ ph + r)
    return x + gain * (z - h @ x), P - np.outer(gain, ph)


@tt.batched("(c,3),(3),(c,c)->(c,3)")
def equivariant(x, r, W):
    """Return the cross products of features with an edge, mixed by weights."""
    return W @ np.cross(x, r)


@tt.batched("(m,n),(m,k),(k,n),(n)->(m)")
def lora(W, B, A, x):
    """Return a product with a matrix that has an update of low rank."""
    return W @ x + 0.5 * (B @ (A @ x))


@tt.batched("(3,3)->(3,3)")
def inverse(A):
    """Return the inverse of a matrix with 3 rows."""
    a, b, c = A
    bc, ca, ab = np.cross(b, c), np.cross(c, a), np.cross(a, b)
    return np.stack([bc, ca, ab], axis=1) * (1 / np.dot(a, bc))


@tt.batched("(n)->(n)")
def softmax(x):
    """Return the softmax of a row."""
    powers = np.exp(x - np.max(x))
    return powers / np.sum(powers)


@tt.batched("(n),(n),(n)->(n)")
def layernorm(x, gain, bias):
    """Return a normalised row."""
    apart = x - np.mean(x)
    return gain * apart / np.sqrt(np.mean(apart * apart) + 1e-5) + bias


@tt.batched("(4),(3)->(3)")
def rotation(q, v):
    """Return a vector that a quaternion turns."""
    t = 2 * np.cross(q[1:], v)
    return v + q[0] * t + np.cross(q[1:], t)


@tt.batched("(n,n),(n),(n,n),(),(n,n)->(n,n)")
def riccati(A, b, Q, r, P):
    """Return a step of a Riccati equation with one control."""
    PA = P @ A
    g = b @ PA
    return Q + A.T @ PA - np.outer(g, g) / (r + b @ P @ b)


@tt.batched("(n),(n,n),()->(n)")
def runge_kutta(x, A, h):
    """Return a step of x' = A x - x^3 by the method of fourth order."""
    k1 = A @ x - x**3
    y = x + 0.5 * h * k1
    k2 = A @ y - y**3
    y = x + 0.5 * h * k2
    k3 = A @ y - y**3
    y = x + h * k3
    k4 = A @ y - y**3
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


_SIZES = {"n": 6, "m": 16, "k": 4, "b": 20, "q": 9, "c": 8}
_ROWS = {"softmax": 16, "layernorm": 32, "lora": 16}
_SHARED = {
    "chain": ("K",),
    "equivariant": ("W",),
    "layernorm": ("gain", "bias"),
    "lora": ("W",),
    "riccati": ("Q", "r"),
    "runge_kutta": ("h",),
}
_EVERY = (chain, kalman, equivariant, lora, inverse, softmax, layernorm, rotation, riccati)
FUNCTIONS = {each.name: each for each in (*_EVERY, runge_kutta)}


def arguments(name: str) -> list[Any]:
    """Return random arguments of a function: those that elements share have no batch."""
    function = FUNCTIONS[name]
    random = np.random.default_rng(0)
    sizes = {**_SIZES, "n": _ROWS.get(name, _SIZES["n"])}
    shared = _SHARED.get(name, ())
    found = []
    for argument, shape in zip(function.arguments, function.sizes_for(sizes), strict=True):
        batch = () if argument.name in shared else (_BATCH,)
        found.append(0.3 * random.standard_normal((*batch, *shape)))
    return found


def measure(settings: Settings) -> Batched:
    """Return the times of all functions, and of the others that compute the same."""
    runs: list[BatchedRun] = []
    problems: dict[str, str] = {}
    has_jax, has_numba = (importlib.util.find_spec(each) is not None for each in ("jax", "numba"))
    loops: Any = importlib.import_module(f"{__package__}.batched_numba") if has_numba else None
    for name, function in FUNCTIONS.items():
        given = arguments(name)
        expected = _tuple(getattr(kernels, f"{name}_numpy")(*given))
        calls: dict[str, Callable[[], Any]] = {
            "ours": functools.partial(function, *given),
            "kernel": getattr(kernels, f"{name}_kernel")(*given),
            "numpy": functools.partial(getattr(kernels, f"{name}_numpy"), *given),
        }
        if has_jax:
            calls["jax"] = _jax(function, given)
        if has_numba:
            calls["numba"] = functools.partial(getattr(loops, name), *given)
        for who, call in calls.items():
            for one, other in zip(_tuple(call()), expected, strict=True):
                error = np.abs(np.asarray(one) - other).max() / np.abs(other).max()
                if not error <= _TOLERANCE:
                    problems[who] = f"{name}: relative difference {error}"
        candidates = {who: Candidate(call) for who, call in calls.items()}
        times = interleave(candidates, settings)
        runs.append({"name": name, "elements": _BATCH, "times_ns": times})
    found: Batched = {"runs": runs}
    if problems:
        found["problems"] = problems
    return found


def _tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _jax(function: Any, given: list[Any]) -> Callable[[], Any]:
    """Return a call of the same function by JAX, for a batch."""
    jax: Any = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    written = function._function
    names = {**written.__globals__, "np": jax.numpy}
    one = types.FunctionType(written.__code__, names)
    ranks = zip(function.arguments, given, strict=True)
    axes = tuple(0 if value.ndim > len(a.sizes) else None for a, value in ranks)
    batch = jax.jit(jax.vmap(one, axes))
    arrays = [jax.numpy.asarray(each) for each in given]
    return lambda: jax.block_until_ready(batch(*arrays))
