"""Batched products: dynamic batch, all transpositions, f32 and f64, sizes of any kind."""

import pathlib

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import whole_numbers
from target_under_test import TARGET

SOURCE = pathlib.Path(__file__).parents[3] / "examples" / "01_batched_gemm.ir"
SIZES = [(13, 7, 11), (1, 1, 1), (16, 16, 16), (33, 5, 2), (3, 17, 31), (40, 9, 56)]
DTYPES = {"f32": np.float32, "f64": np.float64}
TRANSPOSES = ["nn", "nt", "tn", "tt"]


@pytest.fixture(scope="module")
def context():
    return tt.Context()


def compiled(context, type_name, sizes, target=TARGET):
    """Return the program with the four kernels of the example."""
    rows, columns, inner = sizes
    defines = {"T": type_name, "M": rows, "N": columns, "K": inner}
    return context.parse_file(SOURCE, defines=defines).compile(target)


def batch_of(random, shape, batch, dtype):
    return np.asfortranarray(whole_numbers(random, (*shape, batch)).astype(dtype))


def operands(transposes, sizes, batch, dtype):
    """Return A, B and C of a product, and op(A) op(B) in f64."""
    rows, columns, inner = sizes
    random = np.random.default_rng(3)
    a_shape = (rows, inner) if transposes[0] == "n" else (inner, rows)
    b_shape = (inner, columns) if transposes[1] == "n" else (columns, inner)
    a, b = batch_of(random, a_shape, batch, dtype), batch_of(random, b_shape, batch, dtype)
    modes = {"n": "{}{}i", "t": "{1}{0}i"}
    a_modes, b_modes = modes[transposes[0]].format("m", "k"), modes[transposes[1]].format("k", "n")
    wide = np.einsum(f"{a_modes},{b_modes}->mni", a.astype(np.float64), b.astype(np.float64))
    return a, b, batch_of(random, (rows, columns), batch, dtype), wide


def check(actual, expected, inner):
    # K products and one addition of C, each rounded once
    tolerance = (inner + 2) * np.finfo(actual.dtype).eps * max(np.abs(expected).max(), 1.0)
    assert np.abs(actual - expected).max() <= tolerance


@pytest.mark.similar
@pytest.mark.parametrize("sizes", SIZES, ids=lambda sizes: "x".join(map(str, sizes)))
@pytest.mark.parametrize("type_name", DTYPES)
def test_transposes(context, type_name, sizes):
    program = compiled(context, type_name, sizes)
    for transposes in TRANSPOSES:
        a, b, c, product = operands(transposes, sizes, 37, DTYPES[type_name])
        expected = 0.5 * product - 2.0 * c
        program[f"gemm_{transposes}"](0.5, a, b, -2.0, c, groups=37)
        check(c, expected, sizes[2])
