"""Factorisations and solves of matrices whose factors are small integers: results are exact."""

import random

import numpy as np
import pytest

import profiles
from cases.factor_kernel import Kernel, integers, triangle, triangular
from cases.matrices import TYPES
from cases.operands import LAYOUTS
from cases.running import compares, comparison
from interpreting import COMPLEX

SIZES = (1, 2, 3, 5, 8, 13, 16, 17, 31, 33, 48, 67) if profiles.IS_NIGHTLY else (1, 2, 5, 16, 17)
LARGEST_SOLVED = 31 if profiles.IS_NIGHTLY else 5  # compilers take long for more


def sizes(type_):
    """Return the sizes of a type; in a commit few of c64, for which drivers take long."""
    return SIZES if profiles.IS_NIGHTLY or type_ != "c64" else SIZES[:3]


def cholesky(rng, type_, size, word, layout):
    kernel = Kernel(rng, type_, layout)
    kernel.read("L", triangle(rng, type_, size, "l"))
    kernel.written("info", "i32", ())
    product = "gemm.n.c %one, %L, %L, %zero, %A"
    return kernel.case("cholesky", "A", (size, size), product, f"cholesky.{word} %A, %info")


def factors(kernel, rng, type_, rows, columns):
    """Add L and U, whose product has them as factors for the pivots P, which are added, too."""
    count = min(rows, columns)
    lower = np.tril(integers(rng, type_, (rows, count)), -1) / (4 if type_ in COMPLEX else 2)
    kernel.read("L", lower + np.eye(rows, count))
    upper = np.triu(integers(rng, type_, (count, columns)), 1)
    upper[range(count), range(count)] = rng.choices((1, 2, -1), k=count)
    kernel.read("U", upper)
    kernel.read("P", np.array([rng.randint(j + 1, rows) for j in range(count)]), "i32")
    return "gemm %one, %L, %U, %zero, %A\nswap_rows.reverse %P, %A"


def lu(rng, type_, rows, columns, layout):
    kernel = Kernel(rng, type_, layout)
    product = factors(kernel, rng, type_, rows, columns)
    kernel.written("info", "i32", ())
    kernel.written("piv", "i32", (min(rows, columns),))
    return kernel.case("lu", "A", (rows, columns), product, "lu %A, %piv, %info")


def lu_without_pivots(rng, type_, size, layout):
    kernel = Kernel(rng, type_, layout)
    kernel.read("L", triangle(rng, type_, size, "l", diagonal=(1,)))
    kernel.read("U", triangle(rng, type_, size, "u", diagonal=(1, 2, -1)))
    product = "gemm %one, %L, %U, %zero, %A"
    return kernel.case("lu", "A", (size, size), product, "lu %A")


def solve(rng, type_, size, word, layout):
    kernel = Kernel(rng, type_, layout)
    columns = rng.choice((None, 1, 3, 16, 20))
    shape = (size,) if columns is None else (size, columns)
    lines = [f"%A = alloca : memref<{type_}x{size}x{size}>"]
    if word == "lu":
        lines.append(factors(kernel, rng, type_, size, size))
        kernel.written("piv", "i32", (size,))
        solved = "solve.lu %A, %piv, %B, %info"
    else:
        kernel.read("L", triangle(rng, type_, size, "l"))
        lines.append("gemm.n.c %one, %L, %L, %zero, %A")
        solved = f"solve.spd.{word} %A, %B, %info"
    kernel.read("X", integers(rng, type_, shape))
    kernel.written("info", "i32", ())
    product = "gemv" if columns is None else "gemm"
    lines += [f"{product} %one, %A, %X, %zero, %B", solved]
    return kernel.case(f"solve {word}", "B", shape, *lines)


def syrk(rng, type_, size, layout):
    word, form = rng.choice("lu"), rng.choice("ntcr")
    inner = rng.choice((1, 4, 16, 21))
    kernel = Kernel(rng, type_, layout)
    shape = (inner, size) if form in "tc" else (size, inner)
    kernel.read("J", integers(rng, type_, shape))
    beta = rng.choice(("%zero", "%one"))
    atomic = rng.choice(("", ".atomic"))
    text = f"syrk.{word}.{form}{atomic} %one, %J, {beta}, %C"
    return kernel.case(text, "C", (size, size), text)


def trsm(rng, type_, size, layout):
    kernel, side, word, form, unit, shape = triangular(rng, type_, size, layout)
    matrix = triangle(rng, type_, size, word, diagonal=(1,) if unit else (1, 2))
    kernel.read("T", matrix)
    kernel.read("X", integers(rng, type_, shape))
    product = f"gemm.n.{form} %one, %X, %T" if side else f"gemm.{form}.n %one, %T, %X"
    solve = f"trsm{side}.{word}.{form}{unit} %one, %T, %B"
    return kernel.case(solve, "B", shape, f"{product}, %zero, %B", solve)


@pytest.mark.similar
@pytest.mark.parametrize("type_", TYPES)
@compares
def test_cholesky(type_):
    rng = random.Random(f"cholesky {type_}")
    return comparison(
        cholesky(rng, type_, size, word, layout)
        for word in "lu"
        for size in sizes(type_)
        for layout in rng.sample(LAYOUTS, 2)
    )


@pytest.mark.similar
@pytest.mark.parametrize("type_", TYPES)
@compares
def test_trsm(type_):
    rng = random.Random(f"trsm {type_}")
    return comparison(
        trsm(rng, type_, size, layout) for size in sizes(type_) for layout in rng.sample(LAYOUTS, 4)
    )


@pytest.mark.similar
@pytest.mark.parametrize("type_", TYPES)
@compares
def test_lu(type_):
    rng = random.Random(f"lu {type_}")
    some = sizes(type_)
    shapes = [(size, rng.choice((size, rng.choice(some)))) for size in some for _ in range(2)]
    return comparison(
        [
            *(lu(rng, type_, *shape, rng.choice(LAYOUTS)) for shape in shapes),
            *(lu_without_pivots(rng, type_, size, rng.choice(LAYOUTS)) for size in some),
        ]
    )


@pytest.mark.similar
@pytest.mark.parametrize("type_", TYPES)
@compares
def test_solves(type_):
    rng = random.Random(f"solves {type_}")
    return comparison(
        solve(rng, type_, size, word, rng.choice(LAYOUTS))
        for word in ("l", "u", "lu")
        for size in SIZES
        if size <= LARGEST_SOLVED
    )


@pytest.mark.similar
@pytest.mark.parametrize("type_", TYPES)
@compares
def test_syrk(type_):
    rng = random.Random(f"syrk {type_}")
    return comparison(
        syrk(rng, type_, size, layout) for size in sizes(type_) for layout in rng.sample(LAYOUTS, 3)
    )
