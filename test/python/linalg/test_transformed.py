"""Products that upstream's transformations have changed give the same numbers."""

import numpy as np
import pytest
from kernels import Operand, function, launch
from mlir import ir
from mlir.passmanager import PassManager

import tinytc_mlir as tt

M, N, K = 13, 18, 7
SCRIPT = """
module attributes {{transform.with_named_sequence}} {{
{function}
transform.named_sequence @__transform_main(%root: !transform.any_op {{transform.readonly}}) {{
  %op = transform.structured.match ops{{["{match}"]}} in %root
    : (!transform.any_op) -> !transform.any_op
{steps}
  transform.yield
}}
}}
"""
ANY = "!transform.any_op"
TILED = "%tiled, %l1, %l2 = transform.structured.tile_using_for %op tile_sizes [4, 8, 0]"
STEPS = {
    "tiled": f"{TILED} : ({ANY}) -> ({ANY}, {ANY}, {ANY})",
    "tiled in three": (
        "%tiled, %l1, %l2, %l3 = transform.structured.tile_using_for %op tile_sizes [4, 8, 3]"
        f" : ({ANY}) -> ({ANY}, {ANY}, {ANY}, {ANY})"
    ),
    "tiled in any order": (
        "%tiled, %loops = transform.structured.tile_using_forall %op tile_sizes [4, 8]"
        f" : ({ANY}) -> ({ANY}, {ANY})"
    ),
    "generalised": f"%generic = transform.structured.generalize %op : ({ANY}) -> {ANY}",
    "tiled and generalised": (
        f"{TILED} : ({ANY}) -> ({ANY}, {ANY}, {ANY})\n"
        f"%generic = transform.structured.generalize %tiled : ({ANY}) -> {ANY}"
    ),
    "interchanged": (
        f"%generic = transform.structured.generalize %op : ({ANY}) -> {ANY}\n"
        "%changed = transform.structured.interchange %generic iterator_interchange = [2, 1, 0]"
        f" : ({ANY}) -> {ANY}"
    ),
    "loops": f"%loops = transform.structured.convert_to_loops %op : ({ANY}) -> {ANY}",
}


def transformed(text, match, steps):
    """Return a module after a transformation of its ops of one name."""
    context = tt.Context()
    with context.mlir_context:
        script = SCRIPT.format(function=text, match=match, steps=steps)
        module = ir.Module.parse(script)
        PassManager.parse("builtin.module(transform-interpreter)").run(module.operation)
        return str(module)


def operands(order="C", is_dynamic=False):
    rng = np.random.default_rng(3)
    return [Operand(rng, "f32", shape, order, is_dynamic) for shape in ((M, K), (K, N), (M, N))]


MATMUL = "linalg.matmul ins(%a, %b : T0, T1) outs(%c : T2)"


@pytest.mark.similar
@pytest.mark.parametrize(("order", "is_dynamic"), [("C", False), ("F", True)])
@pytest.mark.parametrize("name", STEPS)
def test_matmul(name, order, is_dynamic):
    a, b, c = arrays = operands(order, is_dynamic)
    text = transformed(function(MATMUL, arrays), "linalg.matmul", STEPS[name])
    changed = text.split("transform.named_sequence")[0]
    assert "linalg.matmul" not in changed or "scf." in changed
    launch(text, arrays)
    c.check(c.values + a.values @ b.values, "f32", terms=K)


def test_batch_that_was_generalised():
    rng = np.random.default_rng(4)
    shapes = ((6, M, K), (6, K, N), (6, M, N))
    a, b, c = arrays = [Operand(rng, "f64", shape) for shape in shapes]
    body = """
      %zero = arith.constant 0.0 : f64
      linalg.fill ins(%zero : f64) outs(%c : T2)
      linalg.batch_matmul ins(%a, %b : T0, T1) outs(%c : T2)"""
    text = transformed(function(body, arrays), "linalg.batch_matmul", STEPS["generalised"])
    assert "batch_matmul" not in text.split("transform.named_sequence")[0]
    launch(text, arrays, groups=None)
    c.check(a.values @ b.values, "f64", terms=K)


def test_batch_that_was_mapped_to_groups():
    rng = np.random.default_rng(5)
    shapes = ((6, M, K), (6, K, N), (6, M, N))
    a, b, c = arrays = [Operand(rng, "f64", shape) for shape in shapes]
    body = "linalg.batch_matmul ins(%a, %b : T0, T1) outs(%c : T2)"
    steps = (
        "%tiled, %loop = transform.structured.tile_using_forall %op tile_sizes [1]"
        f" (mapping = [#gpu.block<x>]) : ({ANY}) -> ({ANY}, {ANY})"
    )
    text = transformed(function(body, arrays), "linalg.batch_matmul", steps)
    launch(text, arrays, groups=6)
    c.check(c.values + a.values @ b.values, "f64", terms=K)


def test_elementwise_fused_into_loops():
    rng = np.random.default_rng(6)
    a, b = arrays = [Operand(rng, "f32", (M, N)) for _ in range(2)]
    body = """
      linalg.exp ins(%a : T0) outs(%b : T1)
      linalg.mul ins(%a, %b : T0, T1) outs(%b : T1)"""
    steps = (
        "%tiled, %loop = transform.structured.tile_using_for %op tile_sizes [5]"
        f" : ({ANY}) -> ({ANY}, {ANY})"
    )
    text = transformed(function(body, arrays), "linalg.mul", steps)
    launch(text, arrays)
    b.check(a.values * np.exp(a.values), "f32", terms=4)
