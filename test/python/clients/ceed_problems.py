"""libCEED's operators on a cube, for tests of this package's back ends."""

import numpy as np
import pytest

import profiles

libceed = pytest.importorskip("libceed", reason="pip install libceed has no wheel here")

#: Nodes and points in 1-D that there are kernels for, and some that there are none for.
SIZES = ((2, 3), (4, 5)) if profiles.IS_NIGHTLY else ((4, 5),)
OTHERS = ((3, 3), (5, 2)) if profiles.IS_NIGHTLY else ((3, 3),)
BACK_ENDS = tuple(f"/cpu/self/tinytc/{name}" for name in ("serial", "blocked", "fused"))
REFERENCE = "/cpu/self/ref/serial"


def vector(ceed, values):
    made = ceed.Vector(values.size)
    made.set_array(values.copy(), cmode=libceed.COPY_VALUES)
    return made


def offsets(count, nodes):
    """Return the numbers of the nodes of each element of a cube, and how many nodes there are."""
    line = count * (nodes - 1) + 1
    x = np.arange(count)[:, None] * (nodes - 1) + np.arange(nodes)
    z, y = x[:, None, None, :, None, None], x[None, :, None, None, :, None]
    numbers = line * (line * z + y) + x[None, None, :, None, None, :]
    return numbers.reshape(count**3, nodes**3).astype(np.int32), line**3


def operator(ceed, count, nodes, points, names):
    """Return an operator of a cube, what it keeps alive, and its number of values."""
    build, apply, mode, size, components = names
    corners, corner_count = offsets(count, 2)
    numbers, node_count = offsets(count, nodes)
    elements, dofs, total = count**3, points**3, components * node_count
    geometry = ceed.ElemRestriction(elements, 8, 3, corner_count, 3 * corner_count, corners.ravel())
    # Components of a node are one after the other, or as far apart as there are nodes.
    is_close = apply == "Vector3Poisson3DApply"
    step, distance = (components, 1) if is_close else (1, node_count)
    values = ceed.ElemRestriction(
        elements, nodes**3, components, distance, total, step * numbers.ravel()
    )
    strides = np.array([1, dofs, size * dofs], np.int32)
    data = ceed.StridedElemRestriction(elements, dofs, size, size * elements * dofs, strides)
    linear = ceed.BasisTensorH1Lagrange(3, 3, 2, points, libceed.GAUSS)
    basis = ceed.BasisTensorH1Lagrange(3, components, nodes, points, libceed.GAUSS)
    places = np.meshgrid(*[np.linspace(0, 1, count + 1)] * 3, indexing="ij")[::-1]
    weights = ceed.Vector(size * elements * dofs)
    first = ceed.Operator(ceed.QFunctionByName(build))
    first.set_field("dx", geometry, linear, libceed.VECTOR_ACTIVE)
    nowhere = libceed.ELEMRESTRICTION_NONE
    first.set_field("weights", nowhere, linear, libceed.VECTOR_NONE)
    first.set_field("qdata", data, libceed.BASIS_NONE, libceed.VECTOR_ACTIVE)
    first.apply(vector(ceed, np.stack(places).ravel()), weights)
    made = ceed.Operator(ceed.QFunctionByName(apply))
    made.set_field(mode[0], values, basis, libceed.VECTOR_ACTIVE)
    made.set_field("qdata", data, libceed.BASIS_NONE, weights)
    made.set_field(mode[1], values, basis, libceed.VECTOR_ACTIVE)
    return made, (ceed, geometry, values, data, linear, basis, weights, first), total


MASS = ("Mass3DBuild", "MassApply", ("u", "v"), 1, 1)
DIFFUSION = ("Poisson3DBuild", "Poisson3DApply", ("du", "dv"), 6, 1)
VECTOR_MASS = ("Mass3DBuild", "Vector3MassApply", ("u", "v"), 1, 3)
VECTOR_DIFFUSION = ("Poisson3DBuild", "Vector3Poisson3DApply", ("du", "dv"), 6, 3)
PROBLEMS = [MASS, DIFFUSION, VECTOR_MASS, VECTOR_DIFFUSION]
