"""What libCEED's own tests of bases and operators expect of a back end, on ours.

Bases reproduce polynomials, transposes are adjoint, operators add, repeat and are symmetric;
libCEED derives diagonals from them, and sums of operators.
"""

import itertools

import numpy as np
import pytest

from clients.ceed_problems import (
    BACK_ENDS,
    DIFFUSION,
    MASS,
    PROBLEMS,
    REFERENCE,
    VECTOR_MASS,
    libceed,
    operator,
    vector,
)
from nearness import assert_near

NODES, POINTS = 4, 5


def values_of(made):
    with made.array_read() as array:
        return array.copy()


def lagrange(ceed, dimension, components, nodes=NODES, points=POINTS, quadrature=None):
    kind = libceed.GAUSS if quadrature is None else quadrature
    return ceed.BasisTensorH1Lagrange(dimension, components, nodes, points, kind)


def places(ceed, dimension, nodes, quadrature):
    """Return the places of the nodes or points of an element, by the map of its corners."""
    corners = np.array(list(itertools.product((-1.0, 1.0), repeat=dimension)))[:, ::-1]
    basis = lagrange(ceed, dimension, dimension, 2, nodes, quadrature)
    found = ceed.Vector(dimension * nodes**dimension)
    basis.apply(1, libceed.EVAL_INTERP, vector(ceed, corners.T.ravel()), found)
    return values_of(found).reshape(dimension, -1)


def polynomial(x):
    """Return a polynomial of degree 3 in each coordinate, and its derivatives."""
    factors = [1 + (k + 1) * each - 0.5 * each**3 for k, each in enumerate(x)]
    slopes = [(k + 1) - 1.5 * each**2 for k, each in enumerate(x)]
    gradient = [
        np.prod([*factors[:k], slopes[k], *factors[k + 1 :]], axis=0) for k in range(len(x))
    ]
    return np.prod(factors, axis=0), np.array(gradient)


@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize("resource", BACK_ENDS)
def test_polynomials_are_reproduced(back_end, resource, dimension):
    ceed = libceed.Ceed(resource)
    at_nodes, _ = polynomial(places(ceed, dimension, NODES, libceed.GAUSS_LOBATTO))
    expected, slopes = polynomial(places(ceed, dimension, POINTS, libceed.GAUSS))
    basis, given = lagrange(ceed, dimension, 1), vector(ceed, at_nodes)
    for mode, right in ((libceed.EVAL_INTERP, expected), (libceed.EVAL_GRAD, slopes.ravel())):
        found = ceed.Vector(right.size)
        basis.apply(1, mode, given, found)
        assert_near(values_of(found), right)


@pytest.mark.parametrize("resource", BACK_ENDS)
def test_transposes_are_adjoint(back_end, resource):
    ceed, rng = libceed.Ceed(resource), np.random.default_rng(0)
    for dimension, components, elements in ((1, 2, 9), (2, 1, 8), (3, 2, 3)):
        basis = lagrange(ceed, dimension, components)
        for mode, count in ((libceed.EVAL_INTERP, 1), (libceed.EVAL_GRAD, dimension)):
            u = rng.standard_normal(elements * components * NODES**dimension)
            v = rng.standard_normal(elements * components * count * POINTS**dimension)
            forward, backward = ceed.Vector(v.size), ceed.Vector(u.size)
            basis.apply(elements, mode, vector(ceed, u), forward)
            basis.apply(elements, mode, vector(ceed, v), backward, libceed.TRANSPOSE)
            assert_near(values_of(forward) @ v, u @ values_of(backward))


@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize("resource", BACK_ENDS)
def test_weights_are_the_volume(back_end, resource, dimension):
    ceed = libceed.Ceed(resource)
    weights = ceed.Vector(POINTS**dimension)
    lagrange(ceed, dimension, 1).apply(1, libceed.EVAL_WEIGHT, libceed.VECTOR_NONE, weights)
    assert_near(values_of(weights).sum(), 2.0**dimension)


@pytest.mark.parametrize("names", PROBLEMS, ids=lambda names: names[1])
@pytest.mark.parametrize("resource", BACK_ENDS)
def test_operators_add_repeat_and_are_symmetric(back_end, resource, names):
    ceed, rng = libceed.Ceed(resource), np.random.default_rng(1)
    made, _kept, size = operator(ceed, 2, NODES, POINTS, names)
    u, v, before = (rng.standard_normal(size) for _ in range(3))
    first, second, added = (vector(ceed, before) for _ in range(3))
    made.apply(vector(ceed, u), first)
    made.apply(vector(ceed, v), second)
    made.apply_add(vector(ceed, u), added)
    image = values_of(first)
    assert_near(values_of(added), before + image)
    assert_near(image @ v, values_of(second) @ u)
    made.apply(vector(ceed, u), first)
    assert (values_of(first) == image).all()
    both = ceed.Vector(size)
    made.apply(vector(ceed, u - 2 * v), both)
    assert_near(values_of(both), image - 2 * values_of(second))


@pytest.mark.parametrize("names", [MASS, DIFFUSION, VECTOR_MASS], ids=lambda names: names[1])
@pytest.mark.parametrize("resource", BACK_ENDS)
def test_diagonals(back_end, resource, names):
    """The diagonal is what unit vectors are mapped to; blocks are those of the components."""
    ceed = libceed.Ceed(resource)
    made, _kept, size = operator(ceed, 1, NODES, POINTS, names)
    diagonal, unit, image = (ceed.Vector(size) for _ in range(3))
    made.linear_assemble_diagonal(diagonal)
    found = values_of(diagonal)
    for place in range(0, size, 7):
        unit.set_array((np.arange(size) == place).astype(float), cmode=libceed.COPY_VALUES)
        made.apply(unit, image)
        assert_near(found[place], values_of(image)[place])


@pytest.mark.parametrize("resource", BACK_ENDS)
def test_composites(back_end, resource):
    """A sum of operators is one operator."""
    ceed, rng = libceed.Ceed(resource), np.random.default_rng(2)
    parts = [operator(ceed, 2, NODES, POINTS, names) for names in (MASS, DIFFUSION)]
    whole = ceed.CompositeOperator()
    for part, _kept, _size in parts:
        whole.add_sub(part)
    size = parts[0][2]
    u, sums = vector(ceed, rng.standard_normal(size)), np.zeros(size)
    image = ceed.Vector(size)
    for part, _kept, _size in parts:
        part.apply(u, image)
        sums += values_of(image)
    whole.apply(u, image)
    assert_near(values_of(image), sums)


@pytest.mark.parametrize("names", [MASS, DIFFUSION], ids=["mass", "diffusion"])
def test_one_element_and_another_back_end(back_end, names):
    """One element is a block that is not full; all back ends agree with the reference."""
    given = np.random.default_rng(3).standard_normal(NODES**3)
    found = []
    for resource in (REFERENCE, *BACK_ENDS):
        ceed = libceed.Ceed(resource)
        made, _kept, size = operator(ceed, 1, NODES, POINTS, names)
        image = ceed.Vector(size)
        made.apply(vector(ceed, given), image)
        found.append(values_of(image))
    for each in found[1:]:
        assert_near(each, found[0])
