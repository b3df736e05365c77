"""The linalg stage that was printed and then transformed by upstream gives the same numbers."""

import re

import numpy as np
import pytest
from mlir import ir
from mlir.dialects.transform import interpreter
from mlir.passmanager import PassManager

import tinytc_mlir as tt
from nearness import whole_numbers

M, N, K = 21, 10, 7
ANY = "!transform.any_op"
REDUCTION = "#linalg.iterator_type<reduction>"
PARALLEL = "#linalg.iterator_type<parallel>"
SCRIPT = """
module attributes {{transform.with_named_sequence}} {{
transform.named_sequence @__transform_main(%root: !transform.any_op {{transform.readonly}}) {{
  %op = transform.structured.match ops{{["{name}"]}} {attributes} in %root : ({ANY}) -> {ANY}
  {step}
  transform.yield
}}
}}
"""
SUM = f"attributes{{iterator_types = [{PARALLEL}, {PARALLEL}, {REDUCTION}]}}"
ELEMENTWISE = f"attributes{{iterator_types = [{PARALLEL}, {PARALLEL}]}}"
# The same on every machine.
TYPICAL = {"target": "cpu", "abi": "plain", "vector_bytes": 0}


def tile(sizes):
    """Return a step that tiles with scf.for."""
    names = ", ".join(["%t", *(f"%l{i}" for i, size in enumerate(sizes) if size)])
    types = ", ".join([ANY] * (1 + sum(size != 0 for size in sizes)))
    tiled = f"{names} = transform.structured.tile_using_for %op tile_sizes {sizes}"
    return f"{tiled} : ({ANY}) -> ({types})"


FORALL = (
    "%t, %l = transform.structured.tile_using_forall %op tile_sizes [4, 8]"
    f" : ({ANY}) -> ({ANY}, {ANY})"
)
INTERCHANGE = (
    f"%t = transform.structured.interchange %op iterator_interchange = {{}} : ({ANY}) -> {ANY}"
)
GENERALIZE = f"%t = transform.structured.generalize %op : ({ANY}) -> {ANY}"
#: Name of the op, its attributes, what is done with it.
STEPS = {
    "sum tiled by rows and columns": ("linalg.generic", SUM, tile([4, 8, 0])),
    "sum tiled along itself": ("linalg.generic", SUM, tile([0, 0, 3])),
    "sum tiled in three": ("linalg.generic", SUM, tile([7, 5, 3])),
    "sum tiled in any order": ("linalg.generic", SUM, FORALL),
    "sum interchanged": ("linalg.generic", SUM, INTERCHANGE.format("[2, 1, 0]")),
    "update tiled": ("linalg.generic", ELEMENTWISE, tile([4, 8])),
    "update interchanged": ("linalg.generic", ELEMENTWISE, INTERCHANGE.format("[1, 0]")),
    "fill tiled": ("linalg.fill", "", tile([5, 0])),
    "fill generalised": ("linalg.fill", "", GENERALIZE),
}
PASSES = ["linalg-generalize-named-ops", "linalg-specialize-generic-ops", "canonicalize,cse"]


def program(type_="f32", transpose="n", rows=M, beta="0.5"):
    """Return a product with the sum of all it reads scaled."""
    a = f"memref<{type_}x{rows}x{K}>" if transpose == "n" else f"memref<{type_}x{K}x{rows}>"
    return f"""
func @f(%A: {a}, %B: memref<{type_}x{K}x{N}>, %C: memref<{type_}x{rows}x{N}>) {{
  %alpha = constant 2.0 : {type_}
  %beta = constant {beta} : {type_}
  gemm.{transpose}.n %alpha, %A, %B, %beta, %C
}}
"""


def check(text, transform, dtype=np.float32, transpose="n"):
    """Print the linalg stage, transform and compile what is read, and launch that."""
    printed = str(tt.Context().parse(text).lower("linalg", **TYPICAL).operation)
    context = tt.Context()
    with context.mlir_context:
        module = ir.Module.parse(printed)
        before = str(module)
        transform(module)
        changed = str(module)
    rng = np.random.default_rng(7)
    shape = (M, K) if transpose == "n" else (K, M)
    a = np.asfortranarray(whole_numbers(rng, shape), dtype)
    b = np.asfortranarray(whole_numbers(rng, (K, N)), dtype)
    c = np.asfortranarray(whole_numbers(rng, (M, N)), dtype)
    expected = 2 * (a if transpose == "n" else a.T) @ b + dtype(0.5) * c
    context.parse_mlir(changed).compile("cpu")["f"](a, b, c, groups=1)
    np.testing.assert_array_equal(c, expected)
    return before != changed


def interpret(name, attributes, step):
    """Return a transformation by a script."""

    def transform(module):
        script = ir.Module.parse(
            SCRIPT.format(name=name, attributes=attributes, step=step, ANY=ANY)
        )
        sequence = script.body.operations[0]
        interpreter.apply_named_sequence(module, sequence, script)

    return transform


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("transpose", ["n", "t"])
def test_script(name, transpose):
    assert check(program(transpose=transpose), interpret(*STEPS[name]), transpose=transpose)


@pytest.mark.parametrize("name", ["sum tiled in three", "update tiled", "fill tiled"])
@pytest.mark.parametrize(("type_", "dtype"), [("f64", np.float64), ("c32", np.complex64)])
def test_types(name, type_, dtype):
    text = program(type_)
    if type_ == "c32":
        text = text.replace("2.0 :", "[2.0, 0.0] :").replace("0.5 :", "[0.5, 0.0] :")
    assert check(text, interpret(*STEPS[name]), dtype)


@pytest.mark.parametrize("passes", PASSES)
def test_pass(passes):
    def transform(module):
        PassManager.parse(f"builtin.module({passes})").run(module.operation)

    check(program(), transform)


def test_vector_and_sum():
    """Sums along lines, tiled along the summed mode."""
    text = f"""
func @f(%A: memref<f32x{K}x{M}>, %x: memref<f32x{K}>, %y: memref<f32x{M}>) {{
  %one = constant 1.0 : f32
  gemv.t %one, %A, %x, %one, %y
}}"""
    printed = str(tt.Context().parse(text).lower("linalg", **TYPICAL).operation)
    context = tt.Context()
    attributes = f"attributes{{iterator_types = [{PARALLEL}, {REDUCTION}]}}"
    with context.mlir_context:
        module = ir.Module.parse(printed)
        interpret("linalg.generic", attributes, tile([6, 4]))(module)
        changed = str(module)
    assert changed.count("scf.for") == 2
    rng = np.random.default_rng(8)
    a = np.asfortranarray(whole_numbers(rng, (K, M)), np.float32)
    x, y = (whole_numbers(rng, size).astype(np.float32) for size in (K, M))
    expected = a.T @ x + y
    context.parse_mlir(changed).compile("cpu")["f"](a, x, y, groups=1)
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("step", [1, 3, 20])
def test_steps_of_a_loop(step):
    """A loop that work-items share may have other steps than 1."""
    text = """
func @f(%C: memref<f32x21>) {
  %x = constant 2.0 : f32
  foreach (%i)=(1),(20) { store %x, %C[%i] }
}"""
    printed = str(tt.Context().parse(text).lower("linalg", **TYPICAL).operation)
    changed = re.sub(r"step \(.*?\)", f"step ({step})", printed)
    assert changed != printed
    c = np.zeros(21, np.float32)
    tt.Context().parse_mlir(changed).compile("cpu")["f"](c, groups=1)
    expected = np.zeros(21, np.float32)
    expected[1:20:step] = 2
    np.testing.assert_array_equal(c, expected)
