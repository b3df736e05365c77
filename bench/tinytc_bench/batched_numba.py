# SPDX-License-Identifier: BSD-3-Clause
"""The functions of `batched` as loops for Numba's `guvectorize`, the way its users write them.

Importing this module compiles them all; it needs Numba.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, sqrt
from typing import Any

import numba
import numpy as np


def _gufunc(signature: str) -> Callable[[Callable[..., None]], Any]:
    """Return a decorator for a function of numbers of type f64."""
    parts = signature.replace("->", ",").split("),")
    types = ",".join(
        "f8[:,:]" if "," in part else "f8[:]" if part.strip("()") else "f8" for part in parts
    )
    return numba.guvectorize([f"void({types})"], signature, nopython=True, fastmath=True)  # type: ignore[no-any-return]


@numba.njit(fastmath=True)
def _product(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            c[i, j] = 0.0
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


@_gufunc("(b,b),(q,q),(b,q)->(b,q)")
def chain(K, A, Q, out):
    """Two time derivatives of SeisSol and their integral."""
    t, first = np.empty(Q.shape), np.empty(Q.shape)
    _product(K, Q, t)
    _product(t, A, first)
    _product(K, first, t)
    _product(t, A, out)
    for i in range(Q.shape[0]):
        for j in range(Q.shape[1]):
            out[i, j] = Q[i, j] + 0.5 * first[i, j] + 0.125 * out[i, j]


@_gufunc("(n),(n,n),(n),(),()->(n),(n,n)")
def kalman(x, P, h, r, z, X, C):
    """The state and the covariance of a filter after one measurement."""
    n = x.shape[0]
    ph = np.empty(n)
    s, apart = r, z
    for i in range(n):
        ph[i] = 0.0
        for j in range(n):
            ph[i] += P[i, j] * h[j]
        s += h[i] * ph[i]
        apart -= h[i] * x[i]
    for i in range(n):
        gain = ph[i] / s
        X[i] = x[i] + gain * apart
        for j in range(n):
            C[i, j] = P[i, j] - gain * ph[j]


@_gufunc("(c,d),(d),(c,c)->(c,d)")
def equivariant(x, r, W, out):
    """The cross products of features with an edge, mixed by weights."""
    t = np.empty(x.shape)
    for c in range(x.shape[0]):
        t[c, 0] = x[c, 1] * r[2] - x[c, 2] * r[1]
        t[c, 1] = x[c, 2] * r[0] - x[c, 0] * r[2]
        t[c, 2] = x[c, 0] * r[1] - x[c, 1] * r[0]
    _product(W, t, out)


@_gufunc("(m,n),(m,k),(k,n),(n)->(m)")
def lora(W, B, A, x, y):
    """A product with a matrix that has an update of low rank."""
    t = np.zeros(A.shape[0])
    for k in range(A.shape[0]):
        for j in range(x.shape[0]):
            t[k] += A[k, j] * x[j]
    for i in range(y.shape[0]):
        s = 0.0
        for j in range(x.shape[0]):
            s += W[i, j] * x[j]
        for k in range(A.shape[0]):
            s += 0.5 * B[i, k] * t[k]
        y[i] = s


@_gufunc("(d,d)->(d,d)")
def inverse(A, out):
    """The inverse of a matrix with 3 rows."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for m in range(3):
            n, p = (m + 1) % 3, (m + 2) % 3
            out[m, i] = A[j, n] * A[k, p] - A[j, p] * A[k, n]
    scale = 1 / (A[0, 0] * out[0, 0] + A[0, 1] * out[1, 0] + A[0, 2] * out[2, 0])
    for i in range(3):
        for j in range(3):
            out[i, j] *= scale


@_gufunc("(n)->(n)")
def softmax(x, out):
    """The softmax of a row."""
    largest, total = x[0], 0.0
    for i in range(x.shape[0]):
        largest = max(largest, x[i])
    for i in range(x.shape[0]):
        out[i] = exp(x[i] - largest)
        total += out[i]
    for i in range(x.shape[0]):
        out[i] /= total


@_gufunc("(n),(n),(n)->(n)")
def layernorm(x, gain, bias, out):
    """A normalised row."""
    n = x.shape[0]
    mean = square = 0.0
    for i in range(n):
        mean += x[i]
    mean /= n
    for i in range(n):
        square += (x[i] - mean) ** 2
    scale = 1 / sqrt(square / n + 1e-5)
    for i in range(n):
        out[i] = gain[i] * (x[i] - mean) * scale + bias[i]


@_gufunc("(q),(d)->(d)")
def rotation(q, v, out):
    """A vector that a quaternion turns."""
    a, b, c = q[1], q[2], q[3]
    t0, t1, t2 = (2 * (b * v[2] - c * v[1]), 2 * (c * v[0] - a * v[2]), 2 * (a * v[1] - b * v[0]))
    out[0] = v[0] + q[0] * t0 + b * t2 - c * t1
    out[1] = v[1] + q[0] * t1 + c * t0 - a * t2
    out[2] = v[2] + q[0] * t2 + a * t1 - b * t0


@_gufunc("(n,n),(n),(n,n),(),(n,n)->(n,n)")
def riccati(A, b, Q, r, P, out):
    """A step of a Riccati equation with one control."""
    n = b.shape[0]
    PA, g = np.empty((n, n)), np.zeros(n)
    _product(P, A, PA)
    s = r
    for i in range(n):
        for j in range(n):
            g[j] += b[i] * PA[i, j]
            s += b[i] * P[i, j] * b[j]
    for i in range(n):
        for j in range(n):
            out[i, j] = Q[i, j] - g[i] * g[j] / s
        for k in range(n):
            for j in range(n):
                out[i, j] += A[k, i] * PA[k, j]


@_gufunc("(n),(n,n),()->(n)")
def runge_kutta(x, A, h, out):
    """A step of x' = A x - x^3 by the method of fourth order."""
    n = x.shape[0]
    y, k = x.copy(), np.empty(n)
    for i in range(n):
        out[i] = x[i]
    for weight, step in ((1.0, 0.5), (2.0, 0.5), (2.0, 1.0), (1.0, 0.0)):
        for i in range(n):
            k[i] = -(y[i] ** 3)
            for j in range(n):
                k[i] += A[i, j] * y[j]
        for i in range(n):
            out[i] += h / 6 * weight * k[i]
            y[i] = x[i] + step * h * k[i]
