# SPDX-License-Identifier: BSD-3-Clause
"""Factorisations and solves of batches beside LAPACK in loops of NumPy and PyTorch, MKL and JAX."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import tinytc_mlir as tt
from tinytc_mlir.measure.timing import Candidate, Settings, interleave

from . import mkl_compact
from .measurements import Batched, BatchedRun

_BATCH_BYTES = 1 << 20
_SIZES = (3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96)
_TYPES = {"f32": np.float32, "f64": np.float64}
_INSTRUCTIONS = {
    "cholesky": ("cholesky.l %f", ("cholesky",)),
    "lu": ("lu %f, %p", ("lu",)),
    "trsm": ("trsm.l.n %one, %a, %x", ("l.n",)),
    "solve.spd": ("solve.spd.l %f, %x", ("cholesky", "l.n", "l.t")),
    "solve.lu": ("solve.lu %f, %p, %x", ("lu", "l.unit", "u.n")),
}
"""The instruction, and what MKL's compact routines are called for."""

_TEXT = """
func @f(%A: memref<{t}x{n}x{n}x?>, %B: memref<{t}x{n}x{m}x?>, %F: memref<{t}x{n}x{n}x?>,
        %X: memref<{t}x{n}x{m}x?>, %P: memref<i32x{n}x?>) {{
  %g = group_id.x : index
  %one = constant 1.0 : {t}
  %zero = constant 0.0 : {t}
  %a = subview %A[:, :, %g] : memref<{t}x{n}x{n}>
  %b = subview %B[:, :, %g] : memref<{t}x{n}x{m}>
  %f = subview %F[:, :, %g] : memref<{t}x{n}x{n}>
  %x = subview %X[:, :, %g] : memref<{t}x{n}x{m}>
  %p = subview %P[:, %g] : memref<i32x{n}>
  {copies}
  {instruction}
}}
"""


class ProcessorTime(Candidate):
    """A candidate whose time is that of the processor, in all threads."""

    def block(self, launches: int) -> float:
        """Return the processor time of a launch, in ns."""
        begin = time.process_time_ns()
        for _ in range(launches):
            self.start()
        self.finish()
        return (time.process_time_ns() - begin) / launches


def measure(settings: Settings) -> Batched:
    """Return the processor times of all cases, and of the others that compute the same."""
    runs: list[BatchedRun] = []
    problems: dict[str, str] = {}
    for kind, type_, size in itertools.product(_INSTRUCTIONS, _TYPES, _SIZES):
        for columns in (1, size) if "solve" in kind else (size,):
            name = f"{kind}.{type_}.{size}" + (f"x{columns}" if columns != size else "")
            matrices, right = _arguments(kind, type_, size, columns)
            calls, found = _ours(kind, type_, matrices, right)
            calls["ours"]()
            error = _error(kind, matrices, right, found)
            if not error <= size * 100 * np.finfo(matrices.dtype).eps:
                problems["ours"] = f"{name}: relative difference {error}"
            calls |= _others(kind, type_, matrices, right)
            candidates = {who: ProcessorTime(call) for who, call in calls.items()}
            times = interleave(candidates, settings)
            runs.append({"name": name, "elements": len(matrices), "times_ns": times})
    found_all: Batched = {"runs": runs}
    if problems:
        found_all["problems"] = problems
    return found_all


def _arguments(kind: str, type_: str, size: int, columns: int) -> tuple[Any, Any]:
    """Return well-conditioned matrices and right sides, batch first."""
    random = np.random.default_rng(0)
    dtype = _TYPES[type_]
    count = max(_BATCH_BYTES // (size * size * np.dtype(dtype).itemsize), 1)
    matrices = random.standard_normal((count, size, size))
    if kind in ("cholesky", "solve.spd"):
        matrices = matrices @ matrices.swapaxes(1, 2)
    elif kind == "trsm":
        matrices = np.tril(matrices) / size
    matrices = matrices + 4 * size * np.eye(size)
    if "lu" in kind:
        matrices = np.roll(matrices, 1, axis=1)  # so that all rows are swapped
    return matrices.astype(dtype), random.standard_normal((count, size, columns)).astype(dtype)


def _batch_last(array: Any) -> Any:
    return np.asfortranarray(np.moveaxis(array, 0, -1))


def _ours(
    kind: str, type_: str, matrices: Any, right: Any
) -> tuple[dict[str, Callable[[], Any]], tuple[Any, Any]]:
    """Return the launch of a kernel that keeps its operands, and its two results."""
    instruction, _ = _INSTRUCTIONS[kind]
    copies = [
        f"axpby %one, %{source}, %zero, %{copy}"
        for source, copy in (("a", "f"), ("b", "x"))
        if f"%{copy}" in instruction
    ]
    _, size, columns = right.shape
    text = _TEXT.format(
        t=type_, n=size, m=columns, copies="\n  ".join(copies), instruction=instruction
    )
    kernel = tt.Context().parse(text).compile("native")["f"]
    operands = (_batch_last(matrices), _batch_last(right))
    results = tuple(np.zeros_like(each) for each in operands)
    pivots = np.zeros((size, len(matrices)), np.int32, order="F")
    run = functools.partial(kernel, *operands, *results, pivots, groups=len(matrices))
    return {"ours": run}, results


def _error(kind: str, matrices: Any, right: Any, found: tuple[Any, Any]) -> float:
    """Return how far products of the results are from what they should be."""
    factor, solution = (np.moveaxis(each, -1, 0).astype(float) for each in found)
    if kind == "cholesky":
        lower = np.tril(factor)
        product, expected = lower @ lower.swapaxes(1, 2), matrices
    elif kind == "lu":  # products of pivots are determinants
        product = np.abs(factor.diagonal(axis1=1, axis2=2)).prod(axis=1)
        expected = np.abs(np.linalg.det(matrices.astype(float)))
        return float(np.abs(product / expected - 1).max())
    else:
        product, expected = matrices @ solution, right
    return float(np.abs(product - expected).max() / np.abs(expected).max())


def _others(kind: str, type_: str, matrices: Any, right: Any) -> dict[str, Callable[[], Any]]:
    """Return what others compute."""
    # The loops over LAPACK behind numpy.linalg, here with arrays for their results.
    lapack = np.linalg._umath_linalg
    calls: dict[str, Callable[[], Any]] = {}
    if kind == "cholesky":
        calls["numpy"] = functools.partial(
            lapack.cholesky_lo, matrices, out=np.empty_like(matrices)
        )
    elif "solve" in kind:
        calls["numpy"] = functools.partial(lapack.solve, matrices, right, out=np.empty_like(right))
    operands = (_batch_last(matrices), _batch_last(right))
    calls |= mkl_compact.routines(_INSTRUCTIONS[kind][1], type_, *operands)
    if importlib.util.find_spec("torch") is not None:
        calls["torch"] = _torch(kind, matrices, right)
    if importlib.util.find_spec("jax") is not None:
        calls["jax"] = _jax(kind, matrices, right)
    return calls


def _torch(kind: str, matrices: Any, right: Any) -> Callable[[], Any]:
    torch: Any = importlib.import_module("torch")
    torch.set_num_threads(1)
    a, b = torch.from_numpy(matrices), torch.from_numpy(right)
    linalg = torch.linalg
    functions: dict[str, Callable[[], Any]] = {
        "cholesky": lambda: linalg.cholesky_ex(a),
        "lu": lambda: linalg.lu_factor_ex(a),
        "trsm": lambda: linalg.solve_triangular(a, b, upper=False),
        "solve.spd": lambda: torch.cholesky_solve(b, linalg.cholesky_ex(a)[0]),
        "solve.lu": lambda: linalg.solve_ex(a, b),
    }
    return functions[kind]


def _jax(kind: str, matrices: Any, right: Any) -> Callable[[], Any]:
    jax: Any = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    linalg = importlib.import_module("jax.scipy.linalg")
    functions: dict[str, Callable[[Any, Any], Any]] = {
        "cholesky": lambda a, b: linalg.cholesky(a, lower=True),
        "lu": lambda a, b: linalg.lu_factor(a),
        "trsm": lambda a, b: linalg.solve_triangular(a, b, lower=True),
        "solve.spd": lambda a, b: linalg.cho_solve(linalg.cho_factor(a), b),
        "solve.lu": jax.numpy.linalg.solve,
    }
    batch = jax.jit(jax.vmap(functions[kind]))
    arrays = (jax.numpy.asarray(matrices), jax.numpy.asarray(right))
    return lambda: jax.block_until_ready(batch(*arrays))
