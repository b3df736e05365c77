"""Products from slices: how many slices, launches, batches, errors."""

import sys

import numpy as np
import pytest

import tinytc_mlir as tt
from target_under_test import TARGET

SIZES = (6, 5, 4)
M, N, K = SIZES


def numbers(*shape):
    return np.asfortranarray(np.random.default_rng(0).integers(-9, 10, shape), np.float64)


@pytest.mark.parametrize(
    ("type_", "options", "splits"),
    [
        ("f64", {}, 9),
        (np.float32, {}, 4),
        ("f64", {"rtol": 1e-15}, 8),
        ("f64", {"rtol": 1e-6}, 4),
        ("f64", {"rtol": np.float32(1)}, 1),
        ("f64", {"rtol": 1e-100}, 49),
        ("f64", {"splits": 3}, 3),
        ("f64", {"splits": np.int64(64)}, 64),
        ("f32", {"splits": 16}, 16),
    ],
)
def test_the_number_of_slices(type_, options, splits):
    """The smallest one with a bound that is small enough."""
    recipe = tt.recipes.ozaki_gemm(*SIZES, type_, target=TARGET, **options)
    assert recipe.splits == splits
    assert recipe.error_bound == 4 * (splits + 1) * 2.0 ** (-7 * splits)
    bound = options.get("rtol")
    if bound is not None:
        assert recipe.error_bound <= bound
        assert splits == 1 or bound < 4 * splits * 2.0 ** (-7 * (splits - 1))


def test_a_batch_in_parts_and_its_first_members(monkeypatch):
    """Slices of two products have room at a time."""
    module = sys.modules["tinytc_mlir.recipes.ozaki_launches"]
    recipe = tt.recipes.ozaki_gemm(*SIZES, splits=2, target=TARGET)
    monkeypatch.setattr(module, "_SCRATCH_BYTES", 2 * (64 + 64) * 128)
    a, b = numbers(M, K, 5), numbers(K, N, 5)
    c = np.full((M, N, 5), np.nan, order="F")
    recipe(1, a, b, 0, c)
    np.testing.assert_array_equal(c, np.einsum("mki,kni->mni", a, b))
    c[...] = np.nan
    recipe(1, a, b, 0, c, howmany=3)
    np.testing.assert_array_equal(c[:, :, :3], np.einsum("mki,kni->mni", a, b)[:, :, :3])
    assert np.isnan(c[:, :, 3:]).all()


@pytest.mark.parametrize("shared", ["a", "b"])
def test_a_factor_of_all_products(shared, monkeypatch):
    module = sys.modules["tinytc_mlir.recipes.ozaki_launches"]
    monkeypatch.setattr(module, "_SCRATCH_BYTES", 1)
    recipe = tt.recipes.ozaki_gemm(*SIZES, splits=2, **{f"stride_{shared}": 0}, target=TARGET)
    a, b = (numbers(M, K), numbers(K, N, 3)) if shared == "a" else (numbers(M, K, 3), numbers(K, N))
    c = np.full((M, N, 3), np.nan, order="F")
    recipe(1, a, b, 0, c)
    modes = "mk,kni->mni" if shared == "a" else "mki,kn->mni"
    np.testing.assert_array_equal(c, np.einsum(modes, a, b))


def test_launches_of_arrays_in_place():
    """Repeated with other numbers: exponents are searched for again."""
    recipe = tt.recipes.ozaki_gemm(*SIZES, splits=3, target=TARGET)
    a, b = (tt.asarray(x) for x in (numbers(M, K, 2), numbers(K, N, 2)))
    c = tt.zeros((M, N, 2), np.float64)
    recipe.submit(1, a, b, 0, c).wait()
    np.testing.assert_array_equal(c, np.einsum("mki,kni->mni", a, b))
    launch = recipe.bind(1, a, b, 1, c)
    a[...] /= 1024
    b[...] /= 4
    before = c.copy()
    launch()
    np.testing.assert_array_equal(c, before + np.einsum("mki,kni->mni", a, b))
    launch.submit().wait()
    np.testing.assert_array_equal(c, before + 2 * np.einsum("mki,kni->mni", a, b))


def test_the_text_is_the_program(tmp_path):
    recipe = tt.recipes.ozaki_gemm(*SIZES, "f32", transpose_b=True, stride_a=0, target=TARGET)
    recipe.save(tmp_path / "gemm.ir")
    module = tt.Context().parse_file(tmp_path / "gemm.ir")
    factor = ["clear", "exponents", "split"]
    kernels = ["gemm", "gemm_beta0", *(f"{x}_{y}" for y in "ab" for x in factor)]
    assert list(module.compile("cpu")) == list(recipe.program) == kernels
    assert repr(recipe) == "<OzakiGemm: C_i := alpha A B_i^T + beta C_i, 6 x 5 x 4, 4 slices>"


MOST = r"expected an integer from 1 to \d+ as size"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dtype": "f16"}, "argument 'dtype': expected f64 or f32, got f16"),
        ({"dtype": "f63"}, "argument 'dtype': expected a NumPy dtype or one of "),
        ({"k": 0}, f"argument 'k': {MOST}, got 0"),
        ({"splits": 0}, f"argument 'splits': {MOST}, got 0"),
        ({"splits": 65}, "argument 'splits': expected from 1 to 64 for f64, got 65"),
        ({"splits": 17, "dtype": "f32"}, "argument 'splits': expected from 1 to 16 for f32, got"),
        ({"splits": 3, "rtol": 1e-9}, "argument 'rtol': expected None beside 'splits', got 1e-09"),
        ({"rtol": "small"}, "argument 'rtol': expected a number, got 'small'"),
        ({"rtol": True}, "argument 'rtol': expected a number, got True"),
        ({"rtol": 0}, "argument 'rtol': expected at least 3.58e-133, the bound for 64 slices, got"),
        ({"rtol": np.nan}, "argument 'rtol': expected at least 3.58e-133, .*, got nan"),
        ({"transpose_a": 1}, "argument 'transpose_a': expected True or False, got 1"),
        ({"lda": 5}, "argument 'lda': expected at least 6, the rows of A, got 5"),
        ({"stride_c": 0}, "argument 'stride_c': expected at least 30, "),
        ({"k": 2**60}, r"argument 'k': expected an array of less than 2\^63 bytes, got \d+"),
    ],
)
def test_wrong_parameters(options, message):
    parameters = dict(zip("mnk", SIZES, strict=True)) | {"target": TARGET, **options}
    with pytest.raises(tt.ArgumentError, match=f"^ozaki_gemm: {message}"):
        tt.recipes.ozaki_gemm(**parameters)


def test_wrong_arrays():
    recipe = tt.recipes.ozaki_gemm(*SIZES, splits=1, target=TARGET)
    a, b, c = numbers(M, K, 3), numbers(K, N, 3), numbers(M, N, 3)
    for arrays, argument, message in (
        ((a[:, :, :2], b, c), "A", "expected 3 matrices, got 2"),
        ((a, b[:, :, 0], c), "B", "expected an array of 3 modes, .*, got shape (4, 5)"),
        ((a, b, 3.0), "C", "expected a NumPy or USM array, got 3.0"),
    ):
        with pytest.raises(tt.ArgumentError) as caught:
            recipe(1, *arrays[:2], 0, arrays[2])
        assert caught.value.argument == argument
        assert message.split(".*")[0] in str(caught.value)
    with pytest.raises(tt.ArgumentError, match="argument 'C': expected an array that does not ov"):
        recipe(1, a[:, :, :1], b[:, :, :1], 0, a[:, :, :1])


def test_sums_of_targets_without_f64():
    """They are in f32 there, and only products of f32 can be."""
    recipe = tt.recipes.ozaki_gemm(*SIZES, "f32", target="intel-gpu:dg2")
    assert recipe.program.spirv
    assert "f64" not in recipe.text
    assert "f64" in tt.recipes.ozaki_gemm(*SIZES, "f32", target=TARGET).text
    with pytest.raises(tt.ArgumentError, match="argument 'dtype': expected no f64 on target"):
        assert tt.recipes.ozaki_gemm(*SIZES, target="intel-gpu:dg2").program
