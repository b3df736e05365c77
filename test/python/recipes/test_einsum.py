"""Chains of contractions against NumPy's einsum: fixed ones, random ones, types, errors."""

import random

import numpy as np
import pytest
from numbers_of import TYPES, Guarded, random_values

import tinytc_mlir as tt
from target_under_test import TARGET
from tinytc_mlir.shapes import packed_stride

COUNT = 5
BATCH = None
SIZES = {"i": 4, "j": 3, "k": 2, "l": 5, "m": 3, "n": 6}


def run(subscripts, batched, type_="f64", sizes=SIZES, allocate=np.empty, **options):
    """Compute with several factors and compare with NumPy."""
    left, right = subscripts.split("->")
    terms = left.split(",")
    shapes = [tuple(sizes[i] for i in term) for term in terms]
    batches = [(BATCH,) if number in batched else () for number in range(len(terms))]
    recipe = tt.recipes.einsum(
        subscripts,
        *(shape + batch for shape, batch in zip(shapes, batches, strict=True)),
        dtype=type_,
        target=TARGET,
        **options,
    )
    rng = np.random.default_rng(len(subscripts))
    counts = [(COUNT,) * len(batch) for batch in batches]
    values = [
        random_values(rng, type_, shape + count)
        for shape, count in zip(shapes, counts, strict=True)
    ]
    ellipses = ["..." * len(count) for count in counts]
    text = ",".join(term + dots for term, dots in zip(terms, ellipses, strict=True))
    product = np.einsum(f"{text}->{right}{max(ellipses)}", *values)
    inputs = [Guarded(type_, v, v.shape, packed_stride(v.shape), allocate).array for v in values]
    summed = {i: size for i, size in sizes.items() if i in left and i not in right}
    terms_of_sum = int(np.prod(list(summed.values()))) + 3 * len(terms)
    initial = random_values(rng, type_, product.shape)
    for alpha, beta, before in ((1, 0, None), (2, 3, initial)):
        out = Guarded(type_, before, product.shape, packed_stride(product.shape), allocate)
        assert recipe(*inputs, out=out.array, alpha=alpha, beta=beta) is out.array
        out.assert_only(alpha * product + (beta * initial if beta else 0), terms_of_sum)
    return recipe


@pytest.mark.similar
@pytest.mark.parametrize(
    "subscripts, batched",
    [
        ("ij,jk->ik", [0]),
        ("ij,jk->ki", [0, 1]),
        ("ji,jk->ik", []),
        ("ij,jk,kl->il", [0, 2]),
        ("ij,jk,kl,lm->mi", [1]),
        ("ijk,kl->ijl", [0]),
        ("ijk,jl->ilk", [0]),
        ("ijk,il->ljk", [0, 1]),
        ("ijk,jil->lk", [0, 1]),
        ("ijk,ijl->kl", [0]),
        ("ijk,kjl->il", [1]),
        ("ijk,il,jm,kn->lmn", [0]),
        ("ijkl,ml,jn->inkm", [0]),
        ("abc,bcd,de->ea", [0, 2]),
        ("ij,j->i", [0]),
        ("j,ij->i", [0]),
        ("i,j->ij", [0]),
        ("i,j->ji", [1]),
        ("i,i->", [0]),
        ("i,i->i", [0, 1]),
        ("ij,ij->ji", [0]),
        ("ij,i->ij", [0]),
        ("ij,j->ij", [0]),
        ("ij,ij->i", [0]),
        ("ij,ij->j", [0]),
        ("ij,ij->", []),
        ("ij,kl->ik", [0]),
        ("ijk,jl,j->lk", [0]),
        (",i->i", [0]),
        (",->", [0]),
        ("->", [0]),
        ("ij->ji", [0]),
        ("ijk->kji", [0]),
        ("ijk->jik", []),
        ("ijk->ik", [0]),
        ("ijk->j", [0]),
        ("ij->", [0]),
    ],
)
def test_subscripts(subscripts, batched):
    run(subscripts, batched, sizes={**SIZES, **dict(zip("abcde", (2, 3, 4, 5, 2), strict=True))})


@pytest.mark.similar
@pytest.mark.parametrize("seed", range(12))
def test_random_chains(seed):
    rng = random.Random(seed)
    letters = "ijklmn"
    terms = ["".join(rng.sample(letters, rng.randint(1, 3))) for _ in range(rng.randint(2, 5))]
    present = sorted(set("".join(terms)))
    result = "".join(rng.sample(present, rng.randint(0, min(3, len(present)))))
    batched = [number for number in range(len(terms)) if rng.random() < 0.5]
    sizes = {letter: rng.randint(1, 3) for letter in letters}
    run(f"{','.join(terms)}->{result}", batched, "i64", sizes)


@pytest.mark.similar
@pytest.mark.parametrize("type_", TYPES)
def test_types(type_):
    run("ij,jk,kl->il", [0], type_)


@pytest.mark.parametrize("optimize", ["optimal", "greedy", True, False])
def test_orders_of_contractions(optimize):
    run("ij,jk,kl,lm->im", [0], optimize=optimize)


def test_usm_arrays():
    run("ijk,jl->ilk", [0], "f32", allocate=tt.empty)


def test_temporaries_have_modes_in_a_good_order():
    recipe = tt.recipes.einsum(
        "ijk,il,jm,kn->lmn", (8, 8, 8, BATCH), (8, 8), (8, 8), (8, 8), dtype="f32"
    )
    first, second = recipe.text.split("func @einsum_beta0")
    for text in (first, second):
        assert text.count("gemm.") == 3
        assert "for " not in text


def test_the_text_is_the_program(tmp_path):
    recipe = tt.recipes.einsum("ij,jk", (2, 3, BATCH), (3, 4), dtype=np.float32, target=TARGET)
    assert recipe.text.startswith(
        "; result := alpha ij,jk->ik + beta result, i = 2, j = 3, k = 4\n"
    )
    recipe.save(tmp_path / "einsum.ir")
    module = tt.Context().parse_file(tmp_path / "einsum.ir")
    assert list(module.compile("cpu")) == ["einsum", "einsum_beta0"]


def test_submit_and_bind():
    recipe = tt.recipes.einsum("ij,jk->ik", (2, 2, BATCH), (2, 2), dtype="f32", target=TARGET)
    a, b = tt.asarray(np.ones((2, 2, 7), np.float32)), tt.asarray(np.ones((2, 2), np.float32))
    c = recipe(a, b)
    assert c.shape == (2, 2, 7)
    recipe.submit(a, b, out=c, beta=1).wait()
    assert (c == 4).all()
    recipe.bind(a, b, out=c, alpha=3)()
    assert (c == 6).all()


@pytest.mark.parametrize(
    "subscripts, shapes, message",
    [
        (3, [], "argument 'subscripts': expected a text such as 'ij,jk->ik', got 3"),
        (
            "i1",
            [],
            "argument 'subscripts': expected letters, ',', '->' and one '...' for an operand, got "
            "'1' in 'i1'",
        ),
        (
            "ij->ik",
            [],
            "argument 'subscripts': expected indices of operands in the result, got 'k' in 'ik'",
        ),
        ("ij->ii", [], "argument 'subscripts': expected every index of the result once, got 'i' 2"),
        ("i,j->ij", [(3,)], "argument 'shapes': expected 2 shapes for 'i,j->ij', got 1"),
        ("ij->i", [3], "argument 'shapes': expected a tuple of sizes for operand 0, got 3"),
        (
            "ij->i",
            [(3, 4, 5)],
            r"argument 'shapes': expected a size for each of the indices 'ij' of operand 0, and "
            r"None for a batch mode, got \(3, 4, 5\)",
        ),
        (
            "ij->i",
            [(3, None)],
            "argument 'shapes': expected an integer from 0 to .* as size of index 'j' of operand 0",
        ),
        (
            "ij,jk->ik",
            [(3, 4), (5, 6)],
            "argument 'shapes': expected size 4 or 1 for index 'j' of operand 1, as in the "
            "operands before, got 5",
        ),
    ],
)
def test_wrong_parameters(subscripts, shapes, message):
    with pytest.raises(tt.ArgumentError, match=f"^einsum: {message}"):
        tt.recipes.einsum(subscripts, *shapes, dtype="f32")


@pytest.mark.parametrize("optimize", ["fastest", None, 3, [(0, 7), (0, 1)]])
def test_wrong_search(optimize):
    with pytest.raises(tt.ArgumentError, match="einsum: argument 'optimize': expected .*, got"):
        tt.recipes.einsum("i,j,k->ijk", (3,), (3,), (3,), dtype="f32", optimize=optimize)


def test_wrong_type():
    with pytest.raises(tt.ArgumentError, match="einsum: argument 'dtype': expected .*, got None"):
        tt.recipes.einsum("i->i", (3,), dtype=None)


def test_wrong_arrays():
    recipe = tt.recipes.einsum("ij,jk->ik", (2, 3, BATCH), (3, 4), dtype="f32", target=TARGET)
    a, b = np.zeros((2, 3, 5), np.float32, order="F"), np.zeros((3, 4), np.float32, order="F")
    with pytest.raises(tt.ArgumentError, match="einsum: expected 2 operands, got 1"):
        recipe(a)
    with pytest.raises(tt.ArgumentError, match="'out': expected an array for beta = 1, got None"):
        recipe(a, b, beta=1)
    with pytest.raises(tt.ArgumentError, match=r"'out': .* beta = an array of shape \(3,\), got"):
        recipe(a, b, beta=np.ones(3))
    with pytest.raises(
        tt.ArgumentError, match="'operand0': expected an array of 3 modes, the last"
    ):
        recipe(b, b)
    with pytest.raises(
        tt.ArgumentError, match=r"'operand1': expected shape \(3, 4\), got \(3, 3\)"
    ):
        recipe(a, b[:, :3])
    out = np.zeros((2, 4, 6), np.float32, order="F")
    with pytest.raises(
        tt.ArgumentError, match="'result': expected 5 groups as in 'operand0', got 6"
    ):
        recipe(a, b, out=out)
    with pytest.raises(tt.ArgumentError, match="'operand0': expected a NumPy or USM array, got 1"):
        recipe(1, b)
