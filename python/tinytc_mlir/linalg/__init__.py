# SPDX-License-Identifier: BSD-3-Clause
"""Factorisations and solves for batches of small matrices, as in `numpy.linalg`.

Matrices are the last two dimensions, and all others are a batch, which broadcasts. Arrays of NumPy,
PyTorch and JAX are taken; for the latter two, functions are operations with all derivatives, and
singular matrices raise no errors, but give what division by 0 does. Each function is a batched
function, compiled for each size and type. NumPy computes with matrices of NumPy that need more
memory than a group has.
"""

from .orthogonal import EighResult, LstsqResult, QRResult, eigh, eigvalsh, lstsq, qr
from .solves import (
    SlogdetResult,
    cholesky,
    det,
    inv,
    logdet,
    lu_factor,
    slogdet,
    solve,
    solve_triangular,
)

__all__ = [
    "EighResult",
    "LstsqResult",
    "QRResult",
    "SlogdetResult",
    "cholesky",
    "det",
    "eigh",
    "eigvalsh",
    "inv",
    "logdet",
    "lstsq",
    "lu_factor",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
]
