"""Which work-item holds which element, as PTX has it: figures of its manual, and a whole product.

What the compiler says of fragments is compared with that by running what it makes of products.
"""

import itertools

import numpy as np
import pytest

from tinytc_mlir.gpu_stage.convergence import WarpProduct, warp_fragments
from tinytc_mlir.gpu_stage.fragments import LANES
from tinytc_mlir.reference.arithmetic import NUMPY
from tinytc_mlir.reference.machine import Site

TYPES = {"f16": 16, "bf16": 16, "i8": 32, "f64": 8}
"""The summed mode of each operation."""

ROWS, COLUMNS = 16, 8


@pytest.mark.parametrize(("type_", "depth"), TYPES.items())
def test_each_element_has_one_place(type_, depth):
    at_a, at_b, at_c, sizes = warp_fragments(type_)
    assert sizes == (ROWS, COLUMNS, depth)
    shapes = (ROWS, depth), (depth, COLUMNS), (ROWS, COLUMNS)
    for places, shape in zip((at_a, at_b, at_c), shapes, strict=True):
        held = sorted(zip(*(each.ravel().tolist() for each in places), strict=True))
        assert held == sorted(itertools.product(*map(range, shape)))


@pytest.mark.parametrize(
    ("type_", "matrix", "row", "column", "holder"),
    [
        # The corners of the figures in the manual: T<lane>: {element}.
        ("f16", "a", 0, 0, (0, 0)),
        ("f16", "a", 0, 1, (0, 1)),
        ("f16", "a", 0, 7, (3, 1)),
        ("f16", "a", 0, 8, (0, 4)),
        ("f16", "a", 7, 15, (31, 5)),
        ("f16", "a", 8, 0, (0, 2)),
        ("f16", "a", 15, 8, (28, 6)),
        ("f16", "a", 15, 15, (31, 7)),
        ("f16", "b", 0, 0, (0, 0)),
        ("f16", "b", 1, 0, (0, 1)),
        ("f16", "b", 7, 7, (31, 1)),
        ("f16", "b", 8, 1, (4, 2)),
        ("f16", "b", 15, 7, (31, 3)),
        ("f16", "c", 0, 1, (0, 1)),
        ("f16", "c", 8, 0, (0, 2)),
        ("f16", "c", 15, 7, (31, 3)),
        ("i8", "a", 0, 3, (0, 3)),
        ("i8", "a", 0, 16, (0, 8)),
        ("i8", "a", 8, 0, (0, 4)),
        ("i8", "a", 15, 31, (31, 15)),
        ("i8", "b", 15, 0, (3, 3)),
        ("i8", "b", 16, 0, (0, 4)),
        ("i8", "b", 31, 7, (31, 7)),
        ("i8", "c", 8, 1, (0, 3)),
        ("f64", "a", 0, 3, (3, 0)),
        ("f64", "a", 8, 0, (0, 1)),
        ("f64", "a", 0, 4, (0, 2)),
        ("f64", "a", 15, 7, (31, 3)),
        ("f64", "b", 3, 7, (31, 0)),
        ("f64", "b", 4, 0, (0, 1)),
        ("f64", "c", 7, 6, (31, 0)),
    ],
)
def test_figures(type_, matrix, row, column, holder):
    rows, columns = warp_fragments(type_)["abc".index(matrix)]
    assert (rows[holder], columns[holder]) == (row, column)


@pytest.mark.parametrize(("type_", "depth"), TYPES.items())
def test_products(type_, depth):
    """Work-items bring the elements that they hold, and get those of the result."""
    rng = np.random.default_rng(3)
    dtype = np.int64 if type_ == "i8" else np.float64
    a, b, c = (
        rng.integers(-9, 9, (2, *shape)).astype(dtype)
        for shape in ((ROWS, depth), (depth, COLUMNS), (ROWS, COLUMNS))
    )
    *at, _ = warp_fragments(type_)
    brought = [
        matrix[:, rows[:, i], columns[:, i]]
        for matrix, (rows, columns) in zip((a, b, c), at, strict=True)
        for i in range(rows.shape[1])
    ]
    running = np.ones(brought[0].shape, bool)
    results = WarpProduct(Site(0, "product", None), NUMPY, type_).exchange(running, *brought)
    assert len(results) == ROWS * COLUMNS // LANES
    expected, (rows, columns) = a @ b + c, at[2]
    for i, each in enumerate(results):
        np.testing.assert_array_equal(each, expected[:, rows[:, i], columns[:, i]])
