"""Forms of NumPy's einsum beyond chains: types, an ellipsis, and random subscripts."""

import numpy as np
import pytest
from numbers_of import Guarded, random_values
from random_subscripts import check

import tinytc_mlir as tt
from nearness import whole_numbers
from target_under_test import TARGET
from tinytc_mlir.shapes import packed_stride

COUNT = 4


def run(subscripts, *shapes, type_="f64"):
    """Compute a batch and compare each group with NumPy, with C of NaN and with beta."""
    rng = np.random.default_rng(len(subscripts))
    values = [random_values(rng, type_, (*shape, COUNT)) for shape in shapes]
    product = np.stack(
        [np.einsum(subscripts, *(v[..., group] for v in values)) for group in range(COUNT)], axis=-1
    )
    shapes_and_batches = [(*shape, None) for shape in shapes]
    recipe = tt.recipes.einsum(subscripts, *shapes_and_batches, dtype=type_, target=TARGET)
    inputs = [Guarded(type_, v, v.shape, packed_stride(v.shape)).array for v in values]
    initial = random_values(rng, type_, product.shape)
    for alpha, beta, before in ((1, 0, None), (2, -1, initial)):
        out = Guarded(type_, before, product.shape, packed_stride(product.shape))
        recipe(*inputs, out=out.array, alpha=alpha, beta=beta)
        expected = alpha * product + (beta * initial if beta else 0)
        out.assert_only(expected, 40, 40.0)


@pytest.mark.parametrize("type_", ["bf16", "f32", "c64", "i8"])
def test_types(type_):
    run("iij,...j->...i", (3, 3, 4), (2, 4), type_=type_)


def test_an_ellipsis_and_no_batch():
    recipe = tt.recipes.einsum("...ij,j->...i", (2, 3, 4), (4,), dtype="f64", target=TARGET)
    rng = np.random.default_rng(0)
    a, b = np.asfortranarray(whole_numbers(rng, (2, 3, 4))), whole_numbers(rng, 4)
    np.testing.assert_array_equal(recipe(a, b), np.einsum("...ij,j->...i", a, b))


@pytest.mark.similar
@pytest.mark.parametrize("seed", range(10))
def test_random_subscripts(seed):
    check(seed)


@pytest.mark.parametrize(
    "subscripts, shapes, message",
    [
        ("i.j", [(3, 3)], "'subscripts': expected letters, .* got '.' in 'i.j'"),
        ("i......", [(3, 3)], "'subscripts': expected letters, .* one '...' for an operand, got '"),
        ("ii->i", [(1, 3)], "'shapes': expected one size for index 'i' of operand 0, got 1 and 3"),
        (
            "...i,...i->...",
            [(2, 4, 5), (3, 5)],
            r"'shapes': expected size 4 or 1 for mode 0 \(in '...'\) of operand 1, as in the "
            "operands before, got 3",
        ),
        (
            "i...->i",
            [(3, 2)],
            "'subscripts': expected '...' in the result, as operand 0 has modes there, got 'i'",
        ),
        ("...ij", [(3,)], r"'shapes': expected a size for each of the indices '...ij' of operand"),
        ("...i", [(-1, 3)], r"'shapes': expected an integer .* of mode 0 \(in '...'\) of op"),
        ("i...", [(3, *[1] * 60)], "'shapes': expected at most 51 modes in place of '...', got 60"),
        ("ij->ij...k", [(3, 3)], "'subscripts': expected indices of operands in the result, got "),
    ],
)
def test_wrong_parameters(subscripts, shapes, message):
    with pytest.raises(tt.ArgumentError, match=f"^einsum: argument {message}"):
        tt.recipes.einsum(subscripts, *shapes, dtype="f32")
