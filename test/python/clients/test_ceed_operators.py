"""Kernels of whole operators against NumPy, without libCEED."""

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import whole_numbers
from tinytc_mlir.clients.ceed_operators import BLOCK, DIFFUSION, MASS, OperatorKernel

NODES_OF_MESH, BLOCKS = 70, 3
#: libCEED's order of the entries of a symmetric matrix.
SYMMETRIC = np.array([[0, 5, 4], [5, 1, 3], [4, 3, 2]])


def applied(kind, u, interpolation, derivative, data):
    """Return what elements make of their values, both with axes z, y, x."""
    points = np.einsum("ezyx,xa,yb,zc->ecba", u, *[interpolation] * 3)
    if kind == MASS:
        results = points * data[:, 0]
    else:
        axes = ("ax,ecba->ecbx", "by,ecba->ecya", "cz,ecba->ezba")
        slopes = np.stack([np.einsum(axis, derivative, points) for axis in axes])
        tested = np.einsum("ijecba,jecba->iecba", np.moveaxis(data, 1, 0)[SYMMETRIC], slopes)
        back = ("ax,ecbx->ecba", "by,ecya->ecba", "cz,ezba->ecba")
        results = sum(np.einsum(b, derivative, t) for b, t in zip(back, tested, strict=True))
    return np.einsum("ecba,xa,yb,zc->ezyx", results, *[interpolation] * 3)


@pytest.mark.filterwarnings("ignore:.*groups cannot be checked:tinytc_mlir.UncheckedWarning")
@pytest.mark.parametrize("target", ["native", "cpu"])
@pytest.mark.parametrize("kind", [MASS, DIFFUSION])
@pytest.mark.parametrize("nodes, points", [(2, 3), (3, 3), (4, 2), (1, 2)])
def test_results(kind, nodes, points, target):
    rng = np.random.default_rng(nodes)
    kernel = OperatorKernel(kind, nodes, points)
    places = rng.integers(0, NODES_OF_MESH, (BLOCKS, nodes**3, BLOCK)).astype(np.int32)
    data = whole_numbers(rng, (BLOCKS, kernel.entries, points**3, BLOCK))
    interpolation = np.asfortranarray(whole_numbers(rng, (nodes, points)))
    derivative = np.asfortranarray(whole_numbers(rng, (points, points)))
    u = whole_numbers(rng, NODES_OF_MESH)
    program = tt.Context().parse(kernel.text()).compile(target, abi="plain")
    for block in range(BLOCKS):  # a result is that of one block
        result = np.full((BLOCK, nodes**3), np.nan, order="F")
        some = slice(block, block + 1)
        arrays = (data[some].T, places[some].T, u, result)
        program[kernel.name](interpolation, derivative, *arrays, groups=1)
        values = u[places[block].T].reshape(BLOCK, nodes, nodes, nodes)
        shape = (BLOCK, kernel.entries, points, points, points)
        matrices = (interpolation, derivative, np.moveaxis(data[block], 2, 0).reshape(shape))
        expected = applied(kind, values, *matrices).reshape(BLOCK, -1)
        np.testing.assert_array_equal(result, expected)
