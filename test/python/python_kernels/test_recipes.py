"""Texts of recipes, printed as functions of Python, make the same modules."""

import pytest
from test_round_trip import assert_same

import tinytc_mlir as tt
from tinytc_mlir import recipes

GENERATED = {
    "small_gemm_batched": lambda: recipes.small_gemm_batched("c32", 3, 4, 5, transpose_a=True),
    "tall_and_skinny": lambda: recipes.tall_and_skinny("f32", 7, 5, target="cpu"),
    "ozaki_gemm": lambda: recipes.ozaki_gemm(40, 30, 20, transpose_b=True, target="cpu"),
    "ozaki_gemm of f32": lambda: recipes.ozaki_gemm(4, 3, 2, "f32", target="cpu"),
    "contract": lambda: recipes.contract(
        "Q[kp] += dt * (K[kl] * I[lq] * A[qp] - 0.5 * I[kq] * E[qp])",
        {"Q": (4, 3, None), "I": (4, 3, None), "K": (4, 4), "A": (3, 3, None), "E": (3, 3)},
        dtype="f64",
        target="cpu",
    ),
    "einsum": lambda: recipes.einsum("ij,jk->ik", (4, 5), (5, 6), dtype="f32", target="cpu"),
}


@pytest.mark.parametrize("name", GENERATED)
def test_one_call_for_each_instruction(name, tmp_path):
    assert_same(tt.Context().parse(GENERATED[name]().text), tmp_path)
