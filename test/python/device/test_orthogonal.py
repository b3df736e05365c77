"""Reflections, eigenvectors and products of triangles on the device and in the interpreter."""

import random

import numpy as np
import pytest

import profiles
from cases.factor_kernel import Kernel, integers, triangular
from cases.matrices import TYPES
from cases.operands import LAYOUTS
from cases.running import compares, comparison

SIZES = (1, 2, 3, 5, 8, 13, 16, 17, 31, 33, 48, 67) if profiles.IS_NIGHTLY else (1, 2, 5, 17)
LARGEST_REDUCED = 31 if profiles.IS_NIGHTLY else 5  # compilers take long for more


def _tolerance(type_, size):
    """Return a bound of what orders of sums change, relative to what `_raise` adds.

    Each side rounds sums of `size` products, and two more numbers (Higham, theorem 19.4: errors of
    reflections are those of one product each).
    """
    return 2 * (size + 2) * float(np.finfo(TYPES[type_]).eps)


def _raise(kernel, name, *shape):
    """Return a line that adds 64 to elements, so that errors are relative to that."""
    kernel.read(f"{name}64", np.full(shape, 64.0))
    return f"axpby %one, %{name}64, %one, %{name}"


def trmm(rng, type_, size, layout):
    kernel, side, word, form, unit, shape = triangular(rng, type_, size, layout)
    kernel.read("T", integers(rng, type_, (size, size)))
    text = f"trmm{side}.{word}.{form}{unit} %one, %T, %B"
    return kernel.case(text, "B", shape, text)


def qr(rng, type_, rows, columns, layout):
    """A multiple of a unit matrix is added, so that no column depends on others."""
    kernel = Kernel(rng, type_, layout)
    shape, count = (rows, columns), min(rows, columns)
    kernel.read("X", integers(rng, type_, shape) + 4 * count * np.eye(rows, columns))
    kernel.read("Y", integers(rng, type_, (rows, 3)))
    kernel.written("tau", type_, (count,))
    kernel.written("Z", type_, (rows, 3))
    side, word = rng.choice(("", ".right")), rng.choice("ntcr")
    lines = ["axpby %one, %X, %zero, %A", "axpby %one, %Y, %zero, %Z", "qr %A, %tau"]
    if side:
        lines.append(f"%W = alloca : memref<{type_}x3x{rows}>")
        lines += ["axpby.t %one, %Y, %zero, %W", f"apply_q.right.{word} %A, %tau, %W"]
        lines.append("axpby.t %one, %W, %zero, %Z")
    else:
        lines.append(f"apply_q.{word} %A, %tau, %Z")
    lines += [_raise(kernel, "Z", rows, 3), _raise(kernel, "A", *shape)]
    return kernel.case(f"qr{side}.{word}", "A", shape, *lines, tolerance=_tolerance(type_, rows))


def eigh(rng, type_, size, word, layout):
    """Eigenvalues are far apart."""
    kernel = Kernel(rng, type_, layout)
    apart = 5.0 * size * np.array(rng.sample(range(1, size + 1), size))
    matrix = np.diag(apart) + integers(rng, type_, (size, size))
    matrix = np.tril(matrix) if word == "l" else np.triu(matrix)
    kernel.read("X", matrix)
    kernel.written("w", {"c32": "f32", "c64": "f64"}.get(type_, type_), (size,))
    kernel.written("info", "i32", ())
    lines = (
        "axpby %one, %X, %zero, %A",
        f"eigh.{word} %A, %w, %info",
        _raise(kernel, "A", size, size),
    )
    return kernel.case("eigh", "A", (size, size), *lines, tolerance=_tolerance(type_, size))


@pytest.mark.similar
@pytest.mark.parametrize("type_", TYPES)
@compares
def test_trmm(type_):
    rng = random.Random(f"trmm {type_}")
    return comparison(
        trmm(rng, type_, size, layout) for size in SIZES for layout in rng.sample(LAYOUTS, 4)
    )


@pytest.mark.similar
@pytest.mark.parametrize("type_", TYPES)
@compares
def test_qr(type_):
    rng = random.Random(f"qr {type_}")
    # Drivers take long for c64.
    sizes = SIZES if profiles.IS_NIGHTLY or type_ != "c64" else SIZES[:3]
    return comparison(
        qr(rng, type_, size, rng.choice((size, rng.choice(sizes))), rng.choice(LAYOUTS))
        for size in sizes
    )


@pytest.mark.similar
@pytest.mark.parametrize("type_", TYPES)
@compares
def test_eigh(type_):
    rng = random.Random(f"eigh {type_}")
    return comparison(
        eigh(rng, type_, size, word, rng.choice(LAYOUTS))
        for word in "lu"
        for size in SIZES
        if size <= LARGEST_REDUCED
    )
