"""Results of recipes that overlap an operand, which a kernel would overwrite while it reads it."""

import numpy as np
import pytest

import tinytc_mlir as tt
from target_under_test import TARGET

GEMM = tt.recipes.small_gemm_batched("f32", 4, 4, 4, lda=8, ldb=8, ldc=8, target=TARGET)
TALL = tt.recipes.tall_and_skinny("f32", 4, 4, target=TARGET)
CHAIN = tt.recipes.einsum("ij,jk->ik", (4, 4, None), (4, 4, None), dtype="f32", target=TARGET)


def arrays(rows=4):
    return [tt.asarray(np.ones((rows, 4, 5), np.float32)) for _ in range(2)]


@pytest.mark.parametrize("launch", [GEMM, GEMM.submit, GEMM.bind])
def test_batches(launch):
    a, b = (array[:4] for array in arrays(8))
    for name, result in (("A", a), ("B", b)):
        with pytest.raises(tt.ArgumentError, match=f"argument 'C': .* not overlap {name!r}, got"):
            launch(1, a, b, 0, result)


@pytest.mark.parametrize("launch", [TALL, TALL.submit, TALL.bind])
def test_tall_matrices(launch):
    a, b = (tt.asarray(np.ones((rows, 4), np.float32)) for rows in (100, 4))
    with pytest.raises(tt.ArgumentError, match="argument 'C': .* not overlap 'A', got"):
        launch(1, a, b, 0, a)
    with pytest.raises(tt.ArgumentError, match="argument 'C': .* not overlap 'B', got"):
        launch(1, tt.asarray(np.ones((4, 4), np.float32)), b, 0, b)


@pytest.mark.parametrize("launch", [CHAIN, CHAIN.submit, CHAIN.bind])
def test_chains(launch):
    a, b = arrays()
    with pytest.raises(tt.ArgumentError, match="'result': .* not overlap 'operand1', got"):
        launch(a, b, out=b)


def test_neighbours_do_not_overlap():
    whole, b = (array for array in arrays(8))
    GEMM(1, whole[:4], b[:4], 0, whole[4:])
    assert (whole[4:] == 4).all()
    assert (whole[:4] == 1).all()


def test_plain_arrays():
    a, b = (np.ones((4, 4, 5), np.float32, order="F") for _ in range(2))
    with pytest.raises(tt.ArgumentError, match="'result': .* not overlap 'operand0', got"):
        CHAIN(a, b, out=a)
    CHAIN(a, a, out=b)
    assert (b == 4).all()
