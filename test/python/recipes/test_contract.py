"""Sums of contractions against NumPy: accumulation, factors, slices, temporaries, launches."""

import numpy as np
import pytest
from numbers_of import TYPES, Guarded, random_values
from random_expressions import check

import tinytc_mlir as tt
from target_under_test import TARGET
from tinytc_mlir.shapes import packed_stride

COUNT = 3
BATCH = None


def run(expression, shapes, expected, type_="f64", factors=(), kept=True):
    """Compute and compare what is written with NumPy.

    Args:
        expression: the assignments.
        shapes: shape of each tensor; all are batches.
        expected: returns the values of what is written, given those of all tensors before, whose
            last mode is the batch.
        type_: scalar type of the tensors.
        factors: value of each factor.
        kept: whether what is written holds numbers before, not NaN.
    """
    rng = np.random.default_rng(len(expression))
    values = {
        name: random_values(rng, type_, (*shape, COUNT)) for name, shape in sorted(shapes.items())
    }
    batches = {name: (*shape, BATCH) for name, shape in shapes.items()}
    recipe = tt.recipes.contract(expression, batches, dtype=type_, target=TARGET)
    results = expected(**values)
    arrays = {
        name: Guarded(
            type_, v if kept or name not in results else None, v.shape, packed_stride(v.shape)
        )
        for name, v in values.items()
    }
    recipe({name: guarded.array for name, guarded in arrays.items()} | dict(factors))
    for name, result in results.items():
        arrays[name].assert_only(result, 40, 10.0)
    return recipe


@pytest.mark.parametrize("type_", TYPES)
def test_types(type_):
    run(
        "c[ik] = beta * c[ik] + 2 * a[ij] * b[jk] - alpha * a[lj] * d[ljki]",
        {"c": (4, 3), "a": (4, 5), "b": (5, 3), "d": (4, 5, 3, 4)},
        lambda a, b, c, d: {
            "c": -c
            + 2 * np.einsum("ij...,jk...->ik...", a, b)
            - 2 * np.einsum("lj...,ljki...->ik...", a, d)
        },
        type_,
        {"alpha": 2, "beta": -1},
    )


def test_complex_factors():
    run(
        "c[i] = 1j * z * a[i] + 3j * a[i]",
        {"c": (4,), "a": (4,)},
        lambda a, c: {"c": 1j * (1 - 2j) * a + 3j * a},
        "c32",
        {"z": 1 - 2j},
        kept=False,
    )


@pytest.mark.parametrize(
    "expression, old, sign",
    [
        ("c[ij] = a[ij]", 0, 1),
        ("c[ij] = -a[ij]", 0, -1),
        ("c[ij] += a[ij]", 1, 1),
        ("c[ij] -= 2 * a[ij]", 1, -2),
        ("c[ij] = -c[ij] * beta + a[ij]", -3, 1),
        ("c[ij] = a[ij] - 0 * c[ij]", 0, 1),
        ("c[ij] = 0.5 * (a[ij] + a[ij])", 0, 1),
    ],
)
def test_old_values(expression, old, sign):
    run(
        expression,
        {"c": (5, 3), "a": (5, 3)},
        lambda a, c: {"c": old * c + sign * a},
        factors={"beta": 3} if "beta" in expression else {},
        kept=bool(old),
    )


def test_a_factor_of_zero_does_not_read_the_target():
    recipe = tt.recipes.contract(
        "C[ik] = beta * C[ik] + A[ij] * B[jk] + A[ij] * A[kj]",
        {"C": (3, 3), "A": (3, 2), "B": (2, 3)},
        dtype="f32",
        target=TARGET,
    )
    a, b = np.ones((3, 2), np.float32, order="F"), np.ones((2, 3), np.float32, order="F")
    c = np.full((3, 3), np.nan, np.float32, order="F")
    recipe(C=c, A=a, B=b, beta=0)
    assert (c == 4).all()


def test_temporaries():
    """Letters mean something else in each assignment; temporaries are overwritten and added to."""
    run(
        """
        t[jq] = a[iq] * a[ij]; t[ij] += 2 * b[i] * b[j]
        c[ij] = t[ji]
        t[ij] = c[ji]
        d[i] += t[ii]
        """,
        {"a": (4, 3), "b": (3,), "c": (3, 3), "d": (3,)},
        lambda a, b, c, d: {
            "c": (t := np.einsum("iq...,ij...->qj...", a, a) + 2 * b[:, None] * b[None]),
            "d": d + np.einsum("ii...->i...", t),
        },
    )


def test_names_that_the_kernel_uses_too():
    """Loop variables, constants and memory of the kernel have names of their own."""
    run(
        "i[ijk] += group * zero[ijk] * v1[j] * (one[ik] + c0[i]) * scratch[k]",
        {
            "i": (3, 2, 4),
            "zero": (3, 2, 4),
            "v1": (2,),
            "one": (3, 4),
            "c0": (3,),
            "scratch": (4,),
        },
        lambda i, zero, v1, one, c0, scratch: {
            "i": i + 2 * zero * v1[None, :, None] * (one + c0[:, None])[:, None] * scratch
        },
        factors={"group": 2},
    )


def test_submit_and_bind():
    recipe = tt.recipes.contract(
        "C[ik] += alpha * A[ij] * B[jk]",
        {"C": (2, 2, BATCH), "A": (2, 2, BATCH), "B": (2, 2)},
        dtype="f32",
        target=TARGET,
    )
    a, c = (tt.asarray(np.full((2, 2, 7), value, np.float32)) for value in (1, 0))
    b = tt.asarray(np.ones((2, 2), np.float32))
    event = recipe.submit({"A": a, "B": b}, C=c, alpha=1)
    recipe.submit({"A": a, "B": b}, C=c, alpha=1, depends=[event]).wait()
    assert (c == 4).all()
    launch = recipe.bind(A=a, B=b, C=c, alpha=0.5)
    launch()
    assert (c == 5).all()
    assert repr(recipe) == "<Contraction: C[ik] += alpha * A[ij] * B[jk]>"


@pytest.mark.parametrize("seed", range(8))
def test_random_expressions(seed):
    check(seed)
