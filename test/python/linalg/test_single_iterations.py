"""Loops of the linalg stage that work-items share, after passes of upstream."""

import numpy as np
import pytest
from mlir import ir
from mlir.passmanager import PassManager

import tinytc_mlir as tt

TYPICAL = {"target": "cpu", "abi": "plain", "vector_bytes": 0}
PROGRAM = """
func @f(%A: memref<f32x{m}x{k}>, %B: memref<f32x{k}x{n}>, %C: memref<f32x{m}x{n}>,
        %D: memref<f32x{m}x{k}>) {{
  %one = constant 1.0 : f32
  %first = constant 0 : index
  %last = constant 1 : index
  {body}
}}
"""
BODIES = {
    "foreach": """
  foreach (%i, %j) = (%first, %first), (%last, %last) {
    store.atomic_add %one, %C[%i, %j]
  }""",
    "axpby": "axpby.n.atomic %one, %C, %one, %C",
    "gemm": "gemm.n.n.atomic %one, %A, %B, %one, %C",
    "cumsum": "cumsum %one, %A, 1, %one, %D",
}
SHAPES = [(1, 1, 1), (1, 5, 3), (5, 1, 3), (1, 20, 1)]
PASSES = ["canonicalize", "canonicalize,cse,loop-invariant-code-motion,canonicalize"]


def launch(program, shape):
    """Return what a program leaves in its matrices."""
    m, n, k = shape
    rng = np.random.default_rng(7)
    sizes = [(m, k), (k, n), (m, n), (m, k)]
    matrices = [np.asfortranarray(rng.integers(1, 9, size), np.float32) for size in sizes]
    program["f"](*matrices, groups=1)
    return matrices


def check(name, shape, passes, loop):
    """Run passes on the linalg stage: the loop is of that kind, and numbers are as without them."""
    m, n, k = shape
    text = PROGRAM.format(m=m, n=n, k=k, body=BODIES[name])
    lowered = tt.Context().parse(text).lower("linalg", **TYPICAL)
    context = tt.Context()
    with context.mlir_context:
        module = ir.Module.parse(str(lowered.operation))
        PassManager.parse(f"builtin.module({passes})").run(module.operation)
        changed = str(module)
    assert str(lowered.operation).count("scf.forall (") == changed.count(f"{loop} (") == 1
    found = launch(context.parse_mlir(changed).compile("cpu"), shape)
    for ours, expected in zip(found, launch(lowered.compile("cpu"), shape), strict=True):
        np.testing.assert_array_equal(ours, expected)


@pytest.mark.similar
@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", BODIES)
def test_the_canonicalizer_keeps_loops(name, shape, passes):
    check(name, shape, passes, "scf.forall")


@pytest.mark.parametrize("name", BODIES)
def test_parallel_loops_are_shared(name):
    check(name, (5, 4, 3), "func.func(scf-forall-to-parallel)", "scf.parallel")
