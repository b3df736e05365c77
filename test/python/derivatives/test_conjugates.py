"""Derivatives of instructions with conjugated factors agree with differences."""

import itertools

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import assert_near

M, N, K, STEP = 2, 3, 2, 1e-6
SHAPES = {"A": (M, K), "B": (K, N), "C": (M, N), "x": (K,), "y": (M,), "z": (M,), "D": (M, K)}


def in_form(x, form):
    """Return a matrix in a form."""
    x = x.T if form in "tc" else x
    return x.conj() if form in "rc" else x


def result(s, v, forms):
    """Return what the kernel stores in its results."""
    a, b = in_form(v["A"], forms[0]), in_form(v["B"], forms[1])
    parts = {"C": a @ b, "y": a @ v["x"], "z": a.sum(1), "D": a}
    return {name: s * part + 0.5 * v[name] for name, part in parts.items()}


@pytest.mark.similar
@pytest.mark.parametrize("forms", list(map("".join, itertools.product("ntrc", repeat=2))))
def test_forms(forms):
    shapes = dict(SHAPES)
    for name, form in zip("AB", forms, strict=True):
        shapes[name] = shapes[name][:: -1 if form in "tc" else 1]
    parameters = ", ".join(
        f"%{name}: memref<c64x{'x'.join(map(str, shape))}>" for name, shape in shapes.items()
    )
    module = tt.Context().parse(f"""func @f(%s: c64, {parameters}) {{
      %half = constant [0.5, 0.0] : c64
      gemm.{forms[0]}.{forms[1]} %s, %A, %B, %half, %C
      gemv.{forms[0]} %s, %A, %x, %half, %y
      sum.{forms[0]} %s, %A, %half, %z
      axpby.{forms[0]} %s, %A, %half, %D
    }}""")
    generator = np.random.default_rng(5)

    def numbers(shape):
        parts = generator.standard_normal((2, *shape))
        return np.asfortranarray(parts[0] + 1j * parts[1])

    values, tangents = ({n: numbers(s) for n, s in shapes.items()} for _ in range(2))
    s, names = 0.75 - 0.5j, list(shapes)
    ahead, behind = (
        result(s, {n: values[n] + h * tangents[n] for n in names}, forms) for h in (STEP, -STEP)
    )
    difference = {name: (ahead[name] - behind[name]) / (2 * STEP) for name in ahead}
    given = {f"{name}_tangent": tangents[name].copy(order="F") for name in names}
    forward = module.jvp("f", wrt=names).compile("native")["f_jvp"]
    forward(s=s, **{n: v.copy(order="F") for n, v in values.items()}, **given, groups=1)
    for name, expected in difference.items():
        assert_near(given[f"{name}_tangent"], expected, differences=STEP)

    weights = {name: numbers(shapes[name]) for name in difference}
    adjoints = {f"{name}_adjoint": w.copy(order="F") for name, w in weights.items()}
    inputs = [name for name in names if name not in difference]
    adjoints |= {f"{n}_partial": np.zeros((*shapes[n], 1), complex, order="F") for n in inputs}
    reverse = module.vjp("f", wrt=names).compile("native")["f_vjp"]
    reverse(s=s, **{n: v.copy(order="F") for n, v in values.items()}, **adjoints, groups=1)
    found = {n: adjoints.get(f"{n}_adjoint", adjoints.get(f"{n}_partial")) for n in names}
    pairs = sum((found[n].reshape(shapes[n], order="F") * tangents[n]).sum() for n in names)
    expected = sum((weights[name] * each).sum() for name, each in difference.items())
    assert_near(pairs.real, expected.real, differences=STEP)
