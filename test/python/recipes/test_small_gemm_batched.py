"""Batched products of small matrices: types, transposes, strides, beta of zero, errors."""

import numpy as np
import pytest
from numbers_of import TYPES, Guarded, random_values

import tinytc_mlir as tt
from target_under_test import TARGET

COUNT = 5
PAIRS = [(a, b) for a in (False, True) for b in (False, True)]
UNPADDED = ((0, 0),) * 3


def stored(values, is_transposed, is_conjugated):
    """Return matrices as they lie in memory."""
    values = values.swapaxes(0, 1) if is_transposed else values
    return values.conj() if is_conjugated else values


def run(
    type_, sizes, transposes=PAIRS[0], paddings=UNPADDED, allocate=np.empty, conjugates=PAIRS[0]
):
    """Compute with betas of any value and zero, and compare with NumPy."""
    m, n, k = sizes
    rng = np.random.default_rng(m + 100 * n + 10000 * k)
    a, b, c = (random_values(rng, type_, (*s, COUNT)) for s in ((m, k), (k, n), (m, n)))
    options, layouts = {}, []
    stored_values = (*map(stored, (a, b), transposes, conjugates), c)
    for letter, values, (rows, gap) in zip("abc", stored_values, paddings, strict=True):
        leading = values.shape[0] + rows
        stride = leading * values.shape[1] + gap
        options |= {f"ld{letter}": leading, f"stride_{letter}": stride}
        layouts.append((1, leading, stride))
    recipe = tt.recipes.small_gemm_batched(
        type_,
        *sizes,
        transpose_a=transposes[0],
        transpose_b=transposes[1],
        conjugate_a=conjugates[0],
        conjugate_b=conjugates[1],
        **options,
        target=TARGET,
    )
    product = np.einsum("mki,kni->mni", a, b)
    operands = [
        Guarded(type_, values, values.shape, layout, allocate)
        for values, layout in zip(stored_values[:2], layouts, strict=False)
    ]
    for beta, initial in ((2, c), (0, None), (1, c)):
        result = Guarded(type_, initial, c.shape, layouts[2], allocate)
        recipe(2, operands[0].array, operands[1].array, beta, result.array)
        result.assert_only(2 * product + (beta * c if beta else 0), k)


@pytest.mark.similar
@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("sizes", [(1, 1, 1), (7, 3, 5), (17, 9, 4)], ids=str)
def test_types(type_, sizes):
    run(type_, sizes)


@pytest.mark.similar
@pytest.mark.parametrize("type_", ["f32", "f64", "c32"])
@pytest.mark.parametrize("transposes", PAIRS, ids=str)
@pytest.mark.parametrize("is_padded", [False, True])
def test_layouts(type_, transposes, is_padded):
    paddings = ((3, 5), (1, 0), (2, 7)) if is_padded else UNPADDED
    run(type_, (13, 6, 11), transposes, paddings)


@pytest.mark.similar
@pytest.mark.parametrize("type_", ["c32", "c64", "f32"])
@pytest.mark.parametrize("transposes", PAIRS, ids=str)
@pytest.mark.parametrize("conjugates", PAIRS[1:], ids=str)
def test_conjugates(type_, transposes, conjugates):
    run(type_, (5, 3, 4), transposes, conjugates=conjugates)


def test_usm_arrays():
    run("f32", (10, 9, 9), (False, True), ((6, 1), (0, 0), (6, 16)), tt.empty)


def test_an_operand_for_all_products():
    rng = np.random.default_rng(0)
    a, b = (random_values(rng, "f64", s) for s in ((4, 3, COUNT), (3, 2)))
    recipe = tt.recipes.small_gemm_batched(np.float64, 4, 2, 3, stride_b=0, target=TARGET)
    c = np.full((4, 2, COUNT), np.nan, order="F")
    recipe(1, np.asfortranarray(a), np.asfortranarray(b), 0, c)
    np.testing.assert_array_equal(c, np.einsum("mki,kn->mni", a, b))


def test_some_of_the_matrices_and_later():
    recipe = tt.recipes.small_gemm_batched("i32", 2, 2, 2, target=TARGET)
    a = tt.asarray(np.ones((2, 2, 4), np.int32))
    c = tt.asarray(np.zeros((2, 2, 4), np.int32))
    recipe(1, a, a, 0, c, howmany=3)
    assert c[0, 0].tolist() == [2, 2, 2, 0]
    recipe.submit(1, a, a, 1, c).wait()
    assert c[0, 0].tolist() == [4, 4, 4, 2]
    launch = recipe.bind(1, a, a, 0, c, howmany=4)
    launch()
    assert c[1, 1].tolist() == [2, 2, 2, 2]
    with pytest.raises(tt.ArgumentError, match="expected at most 4 groups"):
        recipe(1, a, a, 0, c, howmany=5)


def test_the_text_is_the_program(tmp_path):
    recipe = tt.recipes.small_gemm_batched("f32", 8, 4, 2, ldc=16, transpose_a=True, target=TARGET)
    recipe.save(tmp_path / "gemm.ir")
    module = tt.Context().parse_file(tmp_path / "gemm.ir")
    assert list(module.compile("cpu")) == list(recipe.program) == ["gemm", "gemm_beta0"]
    assert (tmp_path / "gemm.ir").read_text() == recipe.text
    assert repr(recipe) == "<SmallGemmBatched: C_i := alpha A_i^T B_i + beta C_i, 8 x 4 x 2>"


def test_the_text_names_conjugates():
    options = {"conjugate_a": True, "conjugate_b": True, "transpose_b": True, "stride_b": 0}
    recipe = tt.recipes.small_gemm_batched("c64", 2, 2, 2, **options, target=TARGET)
    assert "C_i := alpha conj(A_i) B^H + beta C_i" in repr(recipe)


@pytest.mark.parametrize(
    "options, message",
    [
        (
            {"dtype": "f31"},
            "argument 'dtype': expected a NumPy dtype or one of .*; did you mean 'f3",
        ),
        ({"dtype": np.bool_}, "argument 'dtype': expected the dtype of one of .*, got bool"),
        ({"m": -1}, r"argument 'm': expected an integer from 0 to \d+ as size, got -1"),
        ({"k": 2.0}, r"argument 'k': expected an integer from 0 to \d+ as size, got 2.0"),
        ({"transpose_a": "t"}, "argument 'transpose_a': expected True or False, got 't'"),
        ({"conjugate_b": 1}, "argument 'conjugate_b': expected True or False, got 1"),
        ({"lda": 7}, "argument 'lda': expected at least 8, the rows of A, got 7"),
        ({"lda": 3, "transpose_a": True}, "argument 'lda': expected at least 4, the rows of A"),
        (
            {"lda": 2**62},
            r"argument 'stride_a': expected at most \d+, got \d+, lda times the columns of A = ",
        ),
        ({"ldb": -1}, "argument 'ldb': expected an integer from 0"),
        (
            {"lda": 10, "stride_a": 39},
            r"argument 'stride_a': expected at least 40, lda times the columns of A = 10 \* 4, "
            "or 0 for a single A, got 39",
        ),
        (
            {"stride_c": 0},
            r"argument 'stride_c': expected at least 16, ldc times the columns of C = 8 \* 2, "
            "got 0",
        ),
    ],
)
def test_wrong_parameters(options, message):
    arguments = {"dtype": "f32", "m": 8, "n": 2, "k": 4, **options}
    with pytest.raises(tt.ArgumentError, match=f"^small_gemm_batched: {message}"):
        tt.recipes.small_gemm_batched(**arguments)


def test_wrong_arrays():
    recipe = tt.recipes.small_gemm_batched("f32", 8, 2, 4, lda=10, target=TARGET)
    a, b, c = (np.zeros(s, np.float32, order="F") for s in ((8, 4, 3), (4, 2, 3), (8, 2, 3)))
    with pytest.raises(
        tt.ArgumentError,
        match=r"argument 'A': expected strides \(1, 10, 40\) in elements, got \(1, 8",
    ):
        recipe(1, tt.asarray(a), b, 0, c)
    padded = np.zeros((10, 4, 3), np.float32, order="F")[:8]
    with pytest.raises(tt.ArgumentError, match=r"argument 'C': expected shape \(8, 2, \?\)"):
        recipe(1, padded, b, 0, b.copy("F"))
    with pytest.raises(tt.ArgumentError, match="argument 'beta': expected"):
        recipe(1, padded, b, "0", c)
