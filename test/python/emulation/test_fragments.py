"""Fragments of matrix instructions, against a source that is not the compiler's.

The layouts are those of CuTe (CUTLASS, include/cute/atom/mma_traits_sm80.hpp and
mma_traits_sm90.hpp): shapes and strides that take lane and element to the number of the element in
a column-major matrix, A as M x K, B as N x K and C as M x N.
"""

import itertools

import numpy as np
import pytest

from tinytc_mlir.emulators.ptx.fragments import LANES, fragments, multiply_add

SUMS = (((4, 8), (2, 2)), ((32, 1), (16, 8)))
WORDS = {"a": (((4, 8), (2, 2)), ((16, 1), (8, 64))), "b": (((4, 8), (2,)), ((8, 1), (32,)))}
HALVES = {
    "a": (((4, 8), (2, 2, 2)), ((32, 1), (16, 8, 128))),
    "b": (((4, 8), (2, 2)), ((16, 1), (8, 64))),
}
LAYOUTS = {
    ("m16n8k16", "f16"): HALVES,
    ("m16n8k16", "bf16"): HALVES,
    ("m16n8k8", "f16"): {"a": SUMS, "b": (((4, 8), (2,)), ((16, 1), (8,)))},
    ("m16n8k8", "tf32"): WORDS,
    ("m16n8k8", "f64"): WORDS,
    ("m16n8k4", "tf32"): {
        "a": (((4, 8), (2,)), ((16, 1), (8,))),
        "b": (((4, 8), (1,)), ((8, 1), (0,))),
    },
    ("m16n8k16", "s8"): {
        "a": (((4, 8), (4, 2)), ((64, 1), (16, 8))),
        "b": (((4, 8), (4,)), ((32, 1), (8,))),
    },
    ("m16n8k32", "s8"): {
        "a": (((4, 8), (4, 2, 2)), ((64, 1), (16, 8, 256))),
        "b": (((4, 8), (4, 2)), ((32, 1), (8, 128))),
    },
    ("m8n8k4", "f64"): {
        "a": (((4, 8), (1,)), ((8, 1), (0,))),
        "b": (((4, 8), (1,)), ((8, 1), (0,))),
        "c": (((4, 8), (2,)), ((16, 1), (8,))),
    },
}


def evaluate(layout, rows):
    """Return rows and columns by lane and element."""
    numbers = []
    for shape, stride in zip(*layout, strict=True):
        places = itertools.product(*(range(size) for size in reversed(shape)))
        steps = tuple(reversed(stride))
        numbers.append([sum(i * s for i, s in zip(place, steps, strict=True)) for place in places])
    table = np.add.outer(*map(np.array, numbers))
    return table % rows, table // rows


@pytest.mark.parametrize(("shape", "type_"), LAYOUTS)
def test_fragments_are_those_of_cute(shape, type_):
    layouts = {"c": SUMS, **LAYOUTS[shape, type_]}
    a, b, c, (m, n, _) = fragments(shape, type_)
    for places, layout, rows in ((a, layouts["a"], m), (c, layouts["c"], m)):
        np.testing.assert_array_equal(places, evaluate(layout, rows))
    column, row = evaluate(layouts["b"], n)
    np.testing.assert_array_equal(b, (row, column))


@pytest.mark.parametrize(("shape", "type_"), LAYOUTS)
def test_each_element_is_in_one_place(shape, type_):
    a, b, c, (m, n, k) = fragments(shape, type_)
    for (rows, columns), size in ((a, (m, k)), (b, (k, n)), (c, (m, n))):
        held = sorted(zip(rows.ravel().tolist(), columns.ravel().tolist(), strict=True))
        assert held == list(itertools.product(*map(range, size)))


def test_products_are_those_of_numpy():
    rng = np.random.default_rng(1)
    a, b, c = (rng.integers(-9, 9, shape).astype(float) for shape in ((16, 8), (8, 8), (16, 8)))
    at_a, at_b, at_c, _ = fragments("m16n8k8", "f64")
    registers = [x[tuple(at)][None].view(np.uint64) for x, at in ((a, at_a), (b, at_b), (c, at_c))]
    result = multiply_add("m16n8k8", ["f64"] * 4, *registers).view(np.float64)
    assert result.shape == (1, LANES, 4)
    np.testing.assert_array_equal(result[0], (a @ b + c)[tuple(at_c)])
