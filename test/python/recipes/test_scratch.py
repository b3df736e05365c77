"""Temporaries in global memory, where local memory does not suffice."""

import importlib

import numpy as np
import pytest
import random_expressions
import random_subscripts

import tinytc_mlir as tt
from nearness import whole_numbers
from target_under_test import TARGET

CHAIN = importlib.import_module("tinytc_mlir.recipes.chain")
SIZES = ((300, 7, None), (7, 300), (300, 5, None))
COUNT = 6


def create(target=TARGET):
    """Return a recipe whose first temporary has 360 kB, and its second one 6 kB."""
    return tt.recipes.einsum(
        "ij,jk,kl,l->il", *SIZES, (5,), dtype="f32", optimize=False, target=target
    )


def operands(allocate=tt.asarray):
    rng = np.random.default_rng(1)
    shapes = [tuple(COUNT if size is None else size for size in shape) for shape in (*SIZES, (5,))]
    return [allocate(np.asfortranarray(whole_numbers(rng, s).astype("f4"))) for s in shapes]


def expected(values):
    a, b, c, d = (np.asarray(value, np.float64) for value in values)
    return np.einsum("ijg,jk,klg,l->ilg", a, b, c, d, optimize=True)


def test_large_temporaries_are_in_global_memory():
    recipe = create()
    assert recipe.scratch_size == 300 * 300
    assert "%scratch: memref<f32x90000x?>" in recipe.text
    assert recipe.text.count("local>\n") > 0
    values = operands(np.asfortranarray)
    np.testing.assert_array_equal(recipe(*values), expected(values))


def test_small_temporaries_need_no_target():
    recipe = tt.recipes.einsum("ij,jk,kl->il", (9, 9), (9, 9), (9, 9), dtype="f32", target="none")
    assert recipe.scratch_size == 0
    with pytest.raises(tt.LoweringError, match="target.*, got 'none'"):
        create(target="none")


def test_how_much_is_local_is_the_targets():
    sizes = ((64, 4), (4, 256), (256, 8))  # 64 KiB
    texts = [
        tt.recipes.einsum("ij,jk,kl->il", *sizes, dtype="f32", optimize=False, target=target)
        for target in ("cpu", "intel-gpu:dg2", "cuda:sm_90")
    ]
    assert [recipe.scratch_size for recipe in texts] == [0, 0, 0]
    twice = [
        tt.recipes.einsum("ij,jk,kl->il", *sizes, dtype="f64", optimize=False, target=target)
        for target in ("cpu", "intel-gpu:dg2", "cuda:sm_90")
    ]
    assert [recipe.scratch_size for recipe in twice] == [0, 64 * 256, 0]


@pytest.mark.parametrize("columns", [1, 2, COUNT, COUNT + 3])
def test_groups_take_turns_with_the_columns_of_scratch(columns):
    recipe, values = create(), operands()
    scratch = tt.empty((recipe.scratch_size, columns), np.float32)
    out = recipe(*values, scratch=scratch)
    np.testing.assert_array_equal(out, expected(values))
    host = np.zeros((recipe.scratch_size, columns), np.float32, order="F")
    assert (recipe(*values, scratch=host) == out).all()


def test_submit_and_bind():
    recipe, values = create(), operands()
    out = recipe(*values)
    later = tt.asarray(np.ones(out.shape, np.float32))
    recipe.submit(*values, out=later, alpha=0, beta=2).wait()
    assert (later == 2).all()
    recipe.submit(*values, out=later).wait()
    assert (later == out).all()
    scratch = tt.empty((recipe.scratch_size, 2), np.float32)
    for launch in (
        recipe.bind(*values, out=later),
        recipe.bind(*values, out=later, scratch=scratch),
    ):
        later[...] = np.nan
        launch()
        assert (later == out).all()


def test_saved_programs_take_scratch_as_an_argument(tmp_path):
    recipe, values = create(), operands()
    recipe.program.save(tmp_path / "chain.tinytc")
    kernel = tt.load(tmp_path / "chain.tinytc")["einsum_beta0"]
    out = tt.empty((300, 5, COUNT), np.float32)
    scratch = tt.empty((recipe.scratch_size, 2), np.float32)
    kernel(1, *values, 0, out, scratch, groups=2)
    np.testing.assert_array_equal(out, expected(values))
    with pytest.raises(tt.ArgumentError, match="expected at most 2 groups"):
        kernel(1, *values, 0, out, scratch, groups=3)


def test_without_a_batch():
    recipe = tt.recipes.contract(
        "t[ij] = A[i] * A[j]\nscratch[i] += t[ij] * A[j] + t[ii]",
        {"A": (300,), "scratch": (300,)},
        dtype="f32",
        target=TARGET,
    )
    assert recipe.scratch_size == 300 * 300
    a = np.ones(300, np.float32)
    c = np.ones(300, np.float32)
    recipe({"A": a, "scratch": c})
    assert (c == 302).all()


def test_an_empty_batch():
    recipe = create()
    a, b, c, d = operands()
    assert recipe(a[..., :0], b, c[..., :0], d).size == 0


def test_scratch_of_a_launch_is_bounded(monkeypatch):
    monkeypatch.setattr(CHAIN, "_SCRATCH_BYTES", 3 * 360_000)
    shapes = []
    empty = CHAIN.empty
    monkeypatch.setattr(CHAIN, "empty", lambda s, *a, **o: shapes.append(s) or empty(s, *a, **o))
    recipe, values = create(), operands()
    np.testing.assert_array_equal(recipe(*values), expected(values))
    assert shapes == [(90000, 3)]


@pytest.mark.parametrize(
    "scratch, message",
    [
        (np.zeros((3, 2), np.float32), r"expected shape \(90000, n\) for n groups at a time, got"),
        (np.zeros(90000, np.float32), r"expected shape \(90000, n\) for n groups at a time, got"),
        (np.zeros((90000, 0), np.float32), r"expected shape \(90000, n\) for n groups at a time"),
        (3, "expected a NumPy or USM array, got 3"),
        (np.zeros((90000, 2)), "expected dtype float32, got float64"),
    ],
)
def test_wrong_scratch(scratch, message):
    recipe, values = create(), operands()
    for launch in (recipe, recipe.submit, recipe.bind):
        with pytest.raises(tt.ArgumentError, match=f"argument 'scratch': {message}"):
            launch(*values, out=tt.empty((300, 5, COUNT)), scratch=scratch)


@pytest.mark.parametrize("local_bytes", [0, 200])
@pytest.mark.parametrize("seed", range(100, 104))
def test_random_recipes(seed, local_bytes, monkeypatch):
    monkeypatch.setattr(CHAIN, "_fits", lambda size_bytes, target: size_bytes <= local_bytes)
    random_subscripts.check(seed)
    random_expressions.check(seed)
