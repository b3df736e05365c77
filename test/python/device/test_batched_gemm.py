"""Batched products: dynamic batch, all transpositions, f32 and f64, sizes of any kind."""

import pathlib

import numpy as np
import pytest

import tinytc_mlir as tt
from binaries import SPIRV_TARGETS, needs_spirv_val, validate
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


@pytest.mark.parametrize("batch", [1, 2, 513])
def test_batch_size_is_dynamic(context, batch):
    kernel = compiled(context, "f32", SIZES[0])["gemm_nt"]
    a, b, c, product = operands("nt", SIZES[0], batch, np.float32)
    kernel(1.0, a, b, 0.0, c, groups=batch)
    check(c, product, SIZES[0][2])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_result_is_not_read_if_beta_is_zero(context, value):
    kernel = compiled(context, "f64", SIZES[0])["gemm_nn"]
    a, b, c, product = operands("nn", SIZES[0], 5, np.float64)
    c[...] = value
    kernel(1.0, a, b, 0.0, c, groups=5)
    check(c, product, SIZES[0][2])


def test_one_kernel_for_every_batch_shares_its_inputs(context):
    kernel = compiled(context, "f64", SIZES[0])["gemm_nn"]
    a, b, c, product = operands("nn", SIZES[0], 5, np.float64)
    first, second = c.copy(order="F"), c.copy(order="F")
    kernel(1.0, a, b, 0.0, first, groups=5)
    kernel(1.0, tt.asarray(a), tt.asarray(b), 0.0, second, groups=5)
    assert (first == second).all()
    check(first, product, SIZES[0][2])


@needs_spirv_val
@pytest.mark.parametrize("target", SPIRV_TARGETS)
@pytest.mark.parametrize("sizes", SIZES[:3], ids=lambda sizes: "x".join(map(str, sizes)))
def test_binaries_are_valid(context, sizes, target):
    validate(compiled(context, "f32", sizes, target).spirv)
