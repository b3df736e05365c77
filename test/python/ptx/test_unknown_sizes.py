"""Products whose sizes only a launch knows: a grid of lanes, each with a tile of its own."""

import pytest

import tinytc_mlir as tt
from tinytc_bench import ptxas

pytestmark = pytest.mark.skipif(not ptxas.is_installed(), reason="ptxas is not installed")

# Multiply-adds of the largest tile in four steps of the sum.
TILES = {"f32": 4 * 8 * 8, "f64": 4 * 4 * 4}
# Bytes for each thread that ptxas spills in variants for aligned arrays; elsewhere none.
SPILLED = {("f64", "n", "t"): 120, ("f64", "t", "n"): 16}


def kernel(type_, transpose_a, transpose_b):
    matrix = f"memref<{type_}x?x?,strided<1,?>>"
    return f"""
func @f(%alpha: {type_}, %A: {matrix}, %B: {matrix}, %C: {matrix}) {{
  gemm.{transpose_a}.{transpose_b} %alpha, %A, %B, %alpha, %C
}}
"""


@pytest.mark.similar
@pytest.mark.parametrize("transpose_b", "nt")
@pytest.mark.parametrize("transpose_a", "nt")
@pytest.mark.parametrize("type_", TILES)
def test_counts(type_, transpose_a, transpose_b):
    text = kernel(type_, transpose_a, transpose_b)
    program = tt.Context().parse(text).compile(ptxas.CHIPS["sm_90"])
    info = program.kernels["f"]
    assert info.aligned_strides
    found = ptxas.measure(program.ptx, "sm_90")
    plain, aligned = found["f"], found[info.aligned_variant]
    assert plain["spilled_bytes"] == 0
    assert aligned["spilled_bytes"] <= SPILLED.get((type_, transpose_a, transpose_b), 0)
    for counts in (plain, aligned):
        assert counts["multiply_adds"] >= TILES[type_]
    assert plain["wide_loads"] == 0 and aligned["wide_loads"] > 100
