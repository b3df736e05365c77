# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of discontinuous Galerkin methods on tetrahedra, in Dubiner's basis.

The basis is orthogonal and hierarchical, and functions are sorted by degree, so that stiffness and
flux matrices have blocks of zeros: a derivative lowers the degree, and a trace keeps it.

Source: Dubiner, doi 10.1007/BF01060030; Karniadakis and Sherwin, Spectral/hp Element Methods.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Numbers: TypeAlias = npt.NDArray[np.float64]


def jacobi(n: int, a: float, x: npt.NDArray[np.inexact]) -> npt.NDArray[np.inexact]:
    """Return Jacobi's polynomial P_n^(a, 0) at some points, real or complex.

    >>> jacobi(2, 0, np.array([1.0, 0.0])).tolist()
    [1.0, -0.5]
    """
    last, now = np.zeros_like(x), np.ones_like(x)
    for k in range(1, n + 1):
        s = 2 * k + a
        if k == 1:
            last, now = now, (a + (a + 2) * x) / 2
            continue
        lower = 2 * (k + a - 1) * (k - 1) * s
        upper = (s - 1) * (s * (s - 2) * x + a * a)
        last, now = now, (upper * now - lower * last) / (2 * k * (k + a) * (s - 2))
    return now


def degrees(order: int, dimensions: int) -> list[tuple[int, ...]]:
    """Return the degrees of all functions below a total degree, sorted by it.

    >>> len(degrees(6, 3)), len(degrees(6, 2))
    (56, 21)
    """
    found = itertools.product(range(order), repeat=dimensions)
    return sorted((d for d in found if sum(d) < order), key=lambda d: (sum(d), d))


def basis(order: int, points: Sequence[npt.NDArray[np.inexact]]) -> npt.NDArray[np.inexact]:
    """Return all functions at some points of the unit triangle or tetrahedron.

    Args:
        order: one more than the highest degree.
        points: the coordinates, (n,) arrays.

    Returns:
        (functions, n) array.
    """
    x = [np.asarray(each) for each in points]
    rows = []
    for d in degrees(order, len(x)):
        value = np.ones_like(x[0])
        before = 0
        for mode, n in enumerate(d):
            # 1 - (sum of later coordinates) scales the coordinate to an interval.
            rest = 1 - sum(x[mode + 1 :], np.zeros_like(x[0]))
            scaled = 2 * x[mode] / rest - 1
            value = value * jacobi(n, 2 * before + mode, scaled) * rest**n
            before += n
        rows.append(value)
    return np.array(rows)


def quadrature(dimensions: int, count: int) -> tuple[list[Numbers], Numbers]:
    """Return points and weights of a rule on the unit triangle or tetrahedron.

    >>> _, weights = quadrature(3, 4)
    >>> round(6 * float(weights.sum()), 12)
    1.0
    """
    nodes, factors = np.polynomial.legendre.leggauss(count)
    grids = np.meshgrid(*[(nodes + 1) / 2] * dimensions, indexing="ij")
    weights = np.ones_like(grids[0])
    for factor in np.meshgrid(*[factors / 2] * dimensions, indexing="ij"):
        weights = weights * factor
    points: list[Numbers] = []
    rest = np.ones_like(grids[0])
    for grid in reversed(grids):
        points.insert(0, grid * rest)
        weights = weights * rest
        rest = rest - points[0]
    return [each.ravel() for each in points], weights.ravel()


FACES: tuple[Callable[[Numbers, Numbers], tuple[Numbers, Numbers, Numbers]], ...] = (
    lambda s, t: (t, s, 0 * s),
    lambda s, t: (s, 0 * s, t),
    lambda s, t: (0 * s, t, s),
    lambda s, t: (1 - s - t, s, t),
)
"""The faces of the unit tetrahedron."""


def _clean(matrix: Numbers) -> Numbers:
    """Return a matrix with zeros in place of rounding errors."""
    return np.where(np.abs(matrix) > 1e-10 * np.abs(matrix).max(), matrix, 0)


def stiffness(order: int, direction: int) -> Numbers:
    """Return the integrals of phi_l times the derivative of phi_k, over those of phi_k^2.

    >>> matrix = stiffness(3, 0)
    >>> matrix.shape, int(np.count_nonzero(np.triu(matrix)))
    ((10, 10), 0)
    """
    points, weights = quadrature(3, order + 1)
    values = basis(order, points)
    step = 1e-30
    moved = [x + (1j * step if mode == direction else 0) for mode, x in enumerate(points)]
    slopes = np.imag(basis(order, moved)) / step
    mass = (values**2) @ weights
    return _clean((slopes * weights) @ values.T / mass[:, None])


def lift(order: int, face: int) -> Numbers:
    """Return the integrals of phi_k chi_j over a face, over those of phi_k^2."""
    points, weights = quadrature(2, order + 1)
    inner, volumes = quadrature(3, order + 1)
    mass = (basis(order, inner) ** 2) @ volumes
    traces = basis(order, FACES[face](*points))
    return _clean((traces * weights) @ basis(order, points).T / mass[:, None])


def trace(order: int, face: int) -> Numbers:
    """Return the integrals of chi_j phi_l over a face, over those of chi_j^2."""
    points, weights = quadrature(2, order + 1)
    functions = basis(order, points)
    mass = (functions**2) @ weights
    traces = basis(order, FACES[face](*points))
    return _clean((functions * weights) @ traces.T / mass[:, None])


def turn(order: int) -> Numbers:
    """Return the integrals of chi_j times chi_l on a face that is seen from the other side."""
    points, weights = quadrature(2, order + 1)
    s, t = points
    functions, turned = basis(order, points), basis(order, (t, s))
    mass = (functions**2) @ weights
    return _clean((functions * weights) @ turned.T / mass[:, None])
