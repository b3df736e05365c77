"""Factors of complex and real types in all forms: as they are, transposed, conjugated, and both."""

import itertools

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import whole_numbers

DTYPES = {"c32": np.complex64, "c64": np.complex128, "f64": np.float64}
SIZES = ((1, 1, 1), (3, 5, 7), (17, 9, 33), (8, 1, 4))
BETAS = (0, 1, -0.5)


def in_form(x, form):
    """Return a matrix in a form."""
    x = x.T if form in "tc" else x
    return x.conj() if form in "rc" else x


def memref(type_, shape, is_dynamic):
    """Return the type of an array."""
    return f"memref<{type_}x{'x'.join('?' if is_dynamic else str(size) for size in shape)}>"


def program(type_, arrays, is_dynamic, forms, adds):
    """Return all instructions with factors in two forms; groups may add to the same results."""
    a, b = forms
    end, t = (".atomic", "%one") if adds else ("", "%t")
    one = "[1.0, 0.0]" if type_.startswith("c") else "1.0"
    types = {name: memref(type_, each.shape, is_dynamic) for name, each in arrays.items()}
    parameters = ", ".join(f"%{name}: {text}" for name, text in types.items())
    return f"""func @f(%s: {type_}, %t: {type_}, {parameters}) {{
      %one = constant {one} : {type_}
      gemm.{a}.{b}{end} %s, %A, %B, {t}, %C
      gemv.{a}{end} %s, %A, %x, {t}, %y
      sum.{a}{end} %s, %A, {t}, %z
      axpby.{a}{end} %s, %A, {t}, %D
    }}"""


def numbers(generator, dtype, shape):
    """Return random numbers."""
    return np.asfortranarray(whole_numbers(generator, shape, dtype))


@pytest.mark.similar
@pytest.mark.parametrize("target", ["cpu", "native"])
@pytest.mark.parametrize("forms", list(map("".join, itertools.product("ntrc", repeat=2))))
@pytest.mark.parametrize("type_", DTYPES)
def test_forms(type_, forms, target):
    generator, dtype = np.random.default_rng(3), DTYPES[type_]
    for place, (m, n, k) in enumerate(SIZES):
        shapes = {"A": (m, k), "B": (k, n), "C": (m, n), "x": (k,), "y": (m,), "z": (m,)}
        shapes["D"] = (m, k)
        for name, form in zip("AB", forms, strict=True):
            shapes[name] = shapes[name][:: -1 if form in "tc" else 1]
        arrays = {name: numbers(generator, dtype, shape) for name, shape in shapes.items()}
        s, t = dtype(1.5), dtype(BETAS[place % len(BETAS)])
        if t == 0:
            for name in "CyzD":  # what is not read may be NaN
                arrays[name][...] = np.nan
        a, b = (in_form(arrays[name], form) for name, form in zip("AB", forms, strict=True))
        products = {"C": a @ b, "y": a @ arrays["x"], "z": a.sum(1), "D": a}
        groups = 3 if t == 1 else 1
        expected = {
            name: groups * s * each + (t * arrays[name] if t else 0)
            for name, each in products.items()
        }
        text = program(type_, arrays, place % 2 == 1, forms, adds=groups > 1)
        tt.Context().parse(text).compile(target)["f"](s, t, *arrays.values(), groups=groups)
        for name, values in expected.items():
            np.testing.assert_array_equal(arrays[name], values)
