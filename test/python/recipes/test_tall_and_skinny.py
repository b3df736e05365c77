"""Products of a tall and a small matrix: types, sizes, remainders, static sizes, alignment."""

import numpy as np
import pytest
from numbers_of import TYPES, Guarded, random_values

import tinytc_mlir as tt
from target_under_test import TARGET


def run(type_, m, n, k, paddings=(0, 0, 0), allocate=np.empty, is_static=False, **options):
    """Compute with betas of any value and zero, and compare with NumPy."""
    rng = np.random.default_rng(m + 100 * n + 10000 * k)
    a, b, c = (random_values(rng, type_, s) for s in ((m, k), (k, n), (m, n)))
    options["m"] = m if is_static else None
    recipe = tt.recipes.tall_and_skinny(type_, n, k, **options, target=TARGET)
    layouts = [(1, v.shape[0] + p) for v, p in zip((a, b, c), paddings, strict=True)]
    operands = [
        Guarded(type_, values, values.shape, layout, allocate)
        for values, layout in zip((a, b), layouts, strict=False)
    ]
    for beta, initial in ((2, c), (0, None), (1, c)):
        result = Guarded(type_, initial, c.shape, layouts[2], allocate)
        recipe(2, operands[0].array, operands[1].array, beta, result.array)
        result.assert_only(2 * a @ b + (beta * c if beta else 0), k)
    return recipe


@pytest.mark.similar
@pytest.mark.parametrize("type_", TYPES)
def test_types(type_):
    run(type_, 300, 5, 7)


@pytest.mark.similar
@pytest.mark.parametrize("m", [1, 15, 16, 17, 127, 128, 129, 640])
@pytest.mark.parametrize("is_static", [False, True])
def test_remainders(m, is_static):
    run("f32", m, 3, 4, is_static=is_static)
    run("f64", m, 1, 9, m_block_size=16, is_static=is_static)


@pytest.mark.parametrize("n, k", [(1, 1), (1, 33), (17, 1), (16, 32)])
def test_sizes(n, k):
    run("f32", 261, n, k)


@pytest.mark.similar
@pytest.mark.parametrize("n, width", [(3, 3), (4, 2), (9, 3), (5, 1)])
def test_last_block_in_few_columns(n, width):
    """For CPUs with a driver, the block of unknown rows is a loop over columns: less code."""
    for m in (7, 40, 150):
        run("f32", m, n, 6, (3, 2, 5))
    run("c64", 133, n, 3)
    on_cpu = tt.recipes.tall_and_skinny("f32", n, 6, target="cpu")
    assert (f"for %j = 0, {n}, {width} {{" in on_cpu.text) == (width < n)
    on_gpu = tt.recipes.tall_and_skinny("f32", n, 6, target="intel-gpu:pvc")
    assert "for " not in on_gpu.text


@pytest.mark.parametrize("is_static", [False, True])
def test_leading_dimensions(is_static):
    options = {"lda": 205, "ldb": 9, "ldc": 207} if is_static else {}
    run("f64", 200, 4, 8, (5, 1, 7), **options)
    run("c32", 200, 4, 8, (5, 1, 7), is_static=True, **options)


def test_usm_arrays():
    run("f32", 1000, 8, 8, (24, 8, 24), tt.empty)


def test_block_sizes():
    create = tt.recipes.tall_and_skinny
    assert create("f32", 2, 2).m_block_size == 128
    assert create("f32", 2, 2, m=40).m_block_size == 40
    assert create("f32", 2, 2, m=40, m_block_size=64).m_block_size == 64


def test_submit_and_bind():
    recipe = tt.recipes.tall_and_skinny("f32", 2, 2, target=TARGET)
    a = tt.asarray(np.ones((300, 2), np.float32))
    b = tt.asarray(np.ones((2, 2), np.float32))
    c = tt.asarray(np.zeros((300, 2), np.float32))
    recipe.submit(1, a, b, 0, c).wait()
    assert (c == 2).all()
    launch = recipe.bind(1, a, b, 1, c)
    launch()
    launch()
    assert (c == 6).all()


def test_alignment_is_promised_and_checked():
    recipe = tt.recipes.tall_and_skinny("f32", 2, 2, alignment_a=64, alignment_c=128, target=TARGET)
    assert "%A: memref<f32x?x2> {alignment=64}" in recipe.text
    a, c = (tt.empty((65 + 128 // 4, 2)) for _ in "ac")
    a, c = (array[-array.ctypes.data % 128 // 4 :][:65] for array in (a, c))
    b = np.ones((2, 2), np.float32, order="F")
    a[...] = 1
    recipe(1, a[:64], b, 0, c[:64])
    assert (c[:64] == 2).all()
    with pytest.raises(
        tt.ArgumentError, match=r"'A': expected an address .* multiple of 64 \(alig"
    ):
        recipe(1, a[1:], b, 0, c[:64])
    with pytest.raises(
        tt.ArgumentError, match=r"'C': expected an address .* multiple of 128 \(ali"
    ):
        recipe(1, a[:49], b, 0, c[16:])
    host, result = (np.ones((65, 2), np.float32, order="F")[1:] for _ in "ac")
    recipe(1, host, b, 0, result)  # the copies on the device are aligned
    assert (result == 2).all()


@pytest.mark.parametrize(
    "options, message",
    [
        ({"n": -1}, "argument 'n': expected an integer from 0"),
        ({"m": -1}, "argument 'm': expected an integer from 0"),
        ({"m_block_size": -1}, "argument 'm_block_size': expected an integer from 0"),
        ({"m": 100, "lda": 99}, "argument 'lda': expected at least 100, the rows of A, got 99"),
        ({"ldb": 3}, "argument 'ldb': expected at least 4, the rows of B, got 3"),
        ({"m": 100, "ldc": 99}, "argument 'ldc': expected at least 100, the rows of C, got 99"),
        ({"alignment_b": 48}, "argument 'alignment_b': expected 0 or a power of two, got 48"),
    ],
)
def test_wrong_parameters(options, message):
    arguments = {"dtype": "f32", "n": 2, "k": 4, **options}
    with pytest.raises(tt.ArgumentError, match=f"^tall_and_skinny: {message}"):
        tt.recipes.tall_and_skinny(**arguments)


@pytest.mark.parametrize("name", "ac")
def test_more_rows_than_the_leading_dimension(name):
    recipe = tt.recipes.tall_and_skinny("f32", 5, 8, **{f"ld{name}": 17}, target=TARGET)
    a, b, c = (np.zeros(shape, np.float32, order="F") for shape in ((40, 8), (8, 5), (40, 5)))
    message = f"^tall_and_skinny: argument '{name}': expected at most ld{name} = 17 rows, got 40$"
    with pytest.raises(tt.ArgumentError, match=message):
        recipe(1, a, b, 0, c)


def test_wrong_arrays():
    recipe = tt.recipes.tall_and_skinny("f32", 2, 4, m=64, lda=70, target=TARGET)
    a = np.zeros((70, 4), np.float32, order="F")
    b, c = np.zeros((4, 2), np.float32, order="F"), np.zeros((64, 2), np.float32, order="F")
    recipe(1, a[:64], b, 0, c)
    with pytest.raises(tt.ArgumentError, match="argument 'a': expected the 64 rows of C, got 63"):
        recipe(1, a[:63], b, 0, c)
    with pytest.raises(tt.ArgumentError, match=r"'A': expected strides \(1, 70\)"):
        recipe(1, tt.asarray(a[:64]), b, 0, c)
    with pytest.raises(tt.ArgumentError, match="'C': expected a NumPy or USM array, got None"):
        recipe(1, a[:64], b, 0, None)
    with pytest.raises(tt.ArgumentError, match=r"'C': expected an array of 2 modes"):
        recipe(1, a[:64], b, 0, np.zeros((), np.float32))
