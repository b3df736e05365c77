"""Kernels of SeisSol and tandem as assignments to tensors, by tt.recipes.contract.

python examples/21_contractions.py
"""

import numpy as np

import tinytc_mlir as tt


def random(*shape):
    """Return an array in column-major order."""
    return np.asfortranarray(np.random.default_rng(0).standard_normal(shape))


# SeisSol: the volume integral and the flux over a face, as in YATeTo. The three directions are a
# mode, d, of the stiffness and star matrices.
basis, quantities, elements = 20, 9, 50
shapes = {
    "Q": (basis, quantities, None),
    "I": (basis, quantities, None),
    "K": (basis, basis, 3),
    "S": (quantities, quantities, 3, None),
    "R": (basis, 10),
    "F": (10, basis),
    "A": (quantities, quantities, None),
}
arrays = {
    name: random(*(elements if size is None else size for size in shape))
    for name, shape in shapes.items()
}
before = {name: array.copy() for name, array in arrays.items()}
local = tt.recipes.contract(
    "Q[kp] += K[kld] * I[lq] * S[qpd] + R[km] * F[ml] * I[lq] * A[qp]", shapes, dtype="f64"
)
local(arrays)
Q, integrals, K, S, R, F, A = before.values()
expected = Q + np.einsum("kld,lqe,qpde->kpe", K, integrals, S, optimize=True)
expected += np.einsum("km,ml,lqe,qpe->kpe", R, F, integrals, A, optimize=True)
np.testing.assert_allclose(arrays["Q"], expected, atol=1e-10)

# SeisSol: the time integral by a Taylor series.
taylor = tt.recipes.contract(
    """
I[kp] = t0 * Q[kp]
D[kp] = K[kld] * Q[lq] * S[qpd]
I[kp] += t1 * D[kp]
E[kp] = K[kld] * D[lq] * S[qpd]
I[kp] += t2 * E[kp]
""",
    {name: shapes[name] for name in "QIKS"},
    dtype="f64",
)
taylor({name: arrays[name] for name in "QIKS"}, t0=0.1, t1=0.1**2 / 2, t2=0.1**3 / 6)
Q = arrays["Q"]
D = np.einsum("kld,lqe,qpde->kpe", K, Q, S, optimize=True)
E = np.einsum("kld,lqe,qpde->kpe", K, D, S, optimize=True)
np.testing.assert_allclose(arrays["I"], 0.1 * Q + 0.005 * D + 0.1**3 / 6 * E, atol=1e-10)

# tandem: the volume term of its elasticity operator, with lam and mu at the quadrature points q,
# the derivatives D of the basis functions, and the displacement U.
shapes = {
    "V": (10, 3, None),
    "U": (10, 3, None),
    "D": (10, 3, 14, None),
    "lam": (14, None),
    "mu": (14, None),
}
volume = tt.recipes.contract(
    """V[kp] = (lam[q] * D[lrq] * U[lr] * D[kpq]
                + mu[q] * D[kjq] * (D[ljq] * U[lp] + D[lpq] * U[lj]))""",
    shapes,
    dtype="f64",
)
arrays = {
    name: random(*(elements if size is None else size for size in shape))
    for name, shape in shapes.items()
}
volume(arrays)
V, U, D, lam, mu = arrays.values()
expected = np.einsum("qe,lrqe,lre,kpqe->kpe", lam, D, U, D, optimize=True)
expected += np.einsum("qe,kjqe,ljqe,lpe->kpe", mu, D, D, U, optimize=True)
expected += np.einsum("qe,kjqe,lpqe,lje->kpe", mu, D, D, U, optimize=True)
np.testing.assert_allclose(V, expected, atol=1e-8)

# tandem: the jump of the displacement over a face, and the traction there.
shapes = {
    "traction": (3, 6, None),
    "E0": (10, 6),
    "E1": (10, 6),
    "U0": (10, 3, None),
    "U1": (10, 3, None),
    "S": (3, 3, 6, 2, None),
    "n": (3, 6, None),
}
traction = tt.recipes.contract(
    """
jump[pq] = E0[lq] * U0[lp] - E1[lq] * U1[lp]
traction[pq] = 0.5 * (S[pjq, 0] + S[pjq, 1]) * n[jq] + c * jump[pq]
""",
    shapes,
    dtype="f64",
)
arrays = {
    name: random(*(elements if size is None else size for size in shape))
    for name, shape in shapes.items()
}
traction(arrays, c=-3.0)
result, E0, E1, U0, U1, S, n = arrays.values()
jump = np.einsum("lq,lpe->pqe", E0, U0) - np.einsum("lq,lpe->pqe", E1, U1)
mean = (S[:, :, :, 0] + S[:, :, :, 1]) / 2
np.testing.assert_allclose(result, np.einsum("pjqe,jqe->pqe", mean, n) - 3 * jump, atol=1e-10)
print("SeisSol and tandem: NumPy agrees")
