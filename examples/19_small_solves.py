"""Solves of small matrices in functions of one element: a filter, a time step, and a regression.

python examples/19_small_solves.py
"""

import numpy as np

import tinytc_mlir as tt

random = np.random.default_rng(2)


@tt.batched
def update(
    x: tt.f64["n"], P: tt.f64["n", "n"], H: tt.f64["m", "n"], R: tt.f64["m", "m"], z: tt.f64["m"]
):
    """Update the states of a Kalman filter by what is measured; return the likelihood, too."""
    S = H @ P @ H.T + R
    K = tt.solve(S, H @ P).T
    y = z - H @ x
    likelihood = -0.5 * (y @ tt.solve(S, y) + tt.slogdet(S)[1] + len(y) * np.log(2 * np.pi))
    return x + K @ y, P - K @ H @ P, likelihood


H, R = np.eye(2, 4), 0.1 * np.eye(2)
x, P, z = np.zeros((1000, 4)), np.eye(4), random.standard_normal((1000, 2))
x2, P2, likelihood = update(x, P, H, R, z)
assert np.allclose(P2, np.linalg.inv(np.linalg.inv(P) + H.T @ np.linalg.inv(R) @ H))
slope = update.vjp(wrt=["R"])(x, P, H, R, z, 0.0, 0.0, 1.0)  # of the likelihood of all
h = 1e-6 * np.eye(2)
difference = sum(s * update(x, P, H, R + s * h, z)[2].sum() for s in (1, -1)) / 2e-6
assert np.isclose(np.trace(slope), difference, rtol=1e-6)
print(f"filter: likelihood {likelihood.sum():.3f}, slope {np.trace(slope):.3f}")


@tt.batched
def implicit_step(y: tt.f64[3], k: tt.f64[3], dt: tt.f64):
    """Make a backward Euler step of Robertson's reactions, by four steps of Newton's method."""
    z = y
    for _ in range(4):
        a, b, c = k[0] * z[0], k[1] * z[1] * z[2], k[2] * z[1] ** 2
        rate = tt.stack([b - a, a - b - c, c])
        J = tt.array([
            [-k[0], k[1] * z[2], k[1] * z[1]],
            [k[0], -k[1] * z[2] - 2 * k[2] * z[1], -k[1] * z[1]],
            [0.0, 2 * k[2] * z[1], 0.0],
        ])  # fmt: skip
        z = z - tt.solve(tt.eye(3) - dt * J, z - y - dt * rate)
    return z


rates = np.array([0.04, 1e4, 3e7]) * random.uniform(0.5, 2, (1000, 3))
y = np.tile([1.0, 0.0, 0.0], (1000, 1))
for _ in range(100):
    y = implicit_step(y, rates, 0.4)
assert np.allclose(y.sum(axis=1), 1)
print(f"reactions: {y[:, 0].min():.4f} to {y[:, 0].max():.4f} of the first substance are left")


@tt.batched
def ridge(X: tt.f64["m", "n"], y: tt.f64["m"], weight: tt.f64):
    """Return the coefficients of a ridge regression."""
    return tt.solve(X.T @ X + weight * tt.eye(X.shape[1]), X.T @ y, assume_a="pos")


X, y = random.standard_normal((1000, 20, 4)), random.standard_normal((1000, 20))
coefficients = ridge(X, y, 0.5)
rows = np.concatenate([X, np.broadcast_to(np.sqrt(0.5) * np.eye(4), (1000, 4, 4))], axis=1)
expected = np.linalg.pinv(rows)[..., :20] @ y[..., None]
assert np.allclose(coefficients, expected[..., 0])
print(f"regression: largest coefficient {abs(coefficients).max():.3f}")
