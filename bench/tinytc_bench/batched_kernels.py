# SPDX-License-Identifier: BSD-3-Clause
"""The functions of `batched` as kernels, written by hand, and for whole batches with NumPy.

Kernels see arrays of NumPy transposed, so that the batch is their last mode.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tinytc_mlir as tt


def _call(kernel: Any, given: tuple[Any, ...], *shapes: tuple[int, ...]) -> Callable[[], Any]:
    """Return a launch that returns new arrays of some shapes, the kernel's last arguments."""
    views = [each.T if isinstance(each, np.ndarray) else each for each in given]

    def run() -> Any:
        made = [np.empty(shape) for shape in shapes]
        kernel(*views, *(each.T for each in made))
        return made[0] if len(made) == 1 else tuple(made)

    return run


@tt.kernel
def _chain(
    K: tt.f64[20, 20], A: tt.f64[9, 9, None], Q: tt.f64[9, 20, None], R: tt.f64[9, 20, None]
):
    i = tt.group_id.x
    a, q = A[:, :, i], Q[:, :, i]
    t, first = tt.local(tt.f64, (9, 20)), tt.local(tt.f64, (9, 20))
    t[:] = q @ K
    first[:] = a @ t
    t[:] = first @ K
    R[:, :, i] = q + 0.5 * first
    R[:, :, i] += 0.125 * a @ t


def chain_kernel(K: Any, A: Any, Q: Any) -> Any:
    """Return a launch of the chain."""
    return _call(_chain, (K, A, Q), Q.shape)


def chain_numpy(K: Any, A: Any, Q: Any) -> Any:
    """Return what the chain computes."""
    first = K @ Q @ A
    return Q + 0.5 * first + 0.125 * (K @ first @ A)


@tt.kernel
def _kalman(
    x: tt.f64[6, None], P: tt.f64[6, 6, None], h: tt.f64[6, None], r: tt.f64[None],
    z: tt.f64[None], X: tt.f64[6, None], C: tt.f64[6, 6, None],
):  # fmt: skip
    i = tt.group_id.x
    ph = tt.local(tt.f64, (6,))
    ph[:] = P[:, :, i].T @ h[:, i]
    s = ph @ h[:, i] + r[i]
    gain = (z[i] - h[:, i] @ x[:, i]) / s
    X[:, i] = x[:, i] + gain * ph
    for m, n in tt.foreach(6, 6):
        C[m, n, i] = P[m, n, i] - ph[m] * ph[n] / s


def kalman_kernel(x: Any, P: Any, h: Any, r: Any, z: Any) -> Any:
    """Return a launch of the filter."""
    return _call(_kalman, (x, P, h, r, z), x.shape, P.shape)


def kalman_numpy(x: Any, P: Any, h: Any, r: Any, z: Any) -> Any:
    """Return what the filter computes."""
    ph = (P @ h[..., None])[..., 0]
    gain = ph / ((h * ph).sum(-1) + r)[:, None]
    return x + gain * (z - (h * x).sum(-1))[:, None], P - gain[:, :, None] * ph[:, None, :]


@tt.kernel
def _equivariant(x: tt.f64[3, 8, None], r: tt.f64[3, None], W: tt.f64[8, 8], R: tt.f64[3, 8, None]):
    i = tt.group_id.x
    t = tt.local(tt.f64, (3, 8))
    for c in tt.foreach(8):
        t[0, c] = x[1, c, i] * r[2, i] - x[2, c, i] * r[1, i]
        t[1, c] = x[2, c, i] * r[0, i] - x[0, c, i] * r[2, i]
        t[2, c] = x[0, c, i] * r[1, i] - x[1, c, i] * r[0, i]
    R[:, :, i] = t @ W


def equivariant_kernel(x: Any, r: Any, W: Any) -> Any:
    """Return a launch of the tensor product."""
    return _call(_equivariant, (x, r, W), x.shape)


def equivariant_numpy(x: Any, r: Any, W: Any) -> Any:
    """Return what the tensor product computes."""
    return W @ np.cross(x, r[:, None, :])


@tt.kernel
def _lora(
    W: tt.f64[16, 16], B: tt.f64[4, 16, None], A: tt.f64[16, 4, None], x: tt.f64[16, None],
    R: tt.f64[16, None],
):  # fmt: skip
    i = tt.group_id.x
    t = tt.local(tt.f64, (4,))
    t[:] = A[:, :, i].T @ x[:, i]
    R[:, i] = W.T @ x[:, i]
    R[:, i] += 0.5 * B[:, :, i].T @ t


def lora_kernel(W: Any, B: Any, A: Any, x: Any) -> Any:
    """Return a launch of the product."""
    return _call(_lora, (W, B, A, x), x.shape)


def lora_numpy(W: Any, B: Any, A: Any, x: Any) -> Any:
    """Return what the product computes."""
    column = x[..., None]
    return (W @ column + 0.5 * (B @ (A @ column)))[..., 0]


@tt.kernel
def _inverse(A: tt.f64[3, 3, None], R: tt.f64[3, 3, None]):
    i = tt.group_id.x
    a, b, c = A[0, 0, i], A[1, 0, i], A[2, 0, i]
    d, e, f = A[0, 1, i], A[1, 1, i], A[2, 1, i]
    x, y, z = A[0, 2, i], A[1, 2, i], A[2, 2, i]
    c0, c1, c2 = e * z - f * y, f * x - d * z, d * y - e * x
    r = 1.0 / (a * c0 + b * c1 + c * c2)
    R[0, 0, i], R[0, 1, i], R[0, 2, i] = c0 * r, c1 * r, c2 * r
    R[1, 0, i], R[1, 1, i], R[1, 2, i] = (
        (c * y - b * z) * r,
        (a * z - c * x) * r,
        (b * x - a * y) * r,
    )
    R[2, 0, i], R[2, 1, i], R[2, 2, i] = (
        (b * f - c * e) * r,
        (c * d - a * f) * r,
        (a * e - b * d) * r,
    )


def inverse_kernel(A: Any) -> Any:
    """Return a launch of the inverse."""
    return _call(_inverse, (A,), A.shape)


def inverse_numpy(A: Any) -> Any:
    """Return the inverses."""
    return np.linalg.inv(A)


@tt.kernel
def _softmax(x: tt.f64[16, None], R: tt.f64[16, None]):
    i = tt.group_id.x
    m, s = x[0, i], 0.0
    for k in range(1, 16):
        m = max(m, x[k, i])
    for k in range(16):
        s += tt.exp(x[k, i] - m)
    for k in range(16):
        R[k, i] = tt.exp(x[k, i] - m) / s


def softmax_kernel(x: Any) -> Any:
    """Return a launch of the softmax."""
    return _call(_softmax, (x,), x.shape)


def softmax_numpy(x: Any) -> Any:
    """Return the softmax of rows."""
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


@tt.kernel
def _layernorm(x: tt.f64[32, None], g: tt.f64[32], b: tt.f64[32], R: tt.f64[32, None]):
    i = tt.group_id.x
    s, q = 0.0, 0.0
    for k in range(32):
        s += x[k, i]
    s = s / 32.0
    for k in range(32):
        q += (x[k, i] - s) ** 2
    q = 1.0 / tt.sqrt(q / 32.0 + 1e-5)
    for k in range(32):
        R[k, i] = g[k] * (x[k, i] - s) * q + b[k]


def layernorm_kernel(x: Any, gain: Any, bias: Any) -> Any:
    """Return a launch of the normalisation."""
    return _call(_layernorm, (x, gain, bias), x.shape)


def layernorm_numpy(x: Any, gain: Any, bias: Any) -> Any:
    """Return normalised rows."""
    apart = x - x.mean(-1, keepdims=True)
    return gain * apart / np.sqrt((apart * apart).mean(-1, keepdims=True) + 1e-5) + bias


@tt.kernel
def _rotation(q: tt.f64[4, None], v: tt.f64[3, None], R: tt.f64[3, None]):
    i = tt.group_id.x
    w, a, b, c = q[0, i], q[1, i], q[2, i], q[3, i]
    x, y, z = v[0, i], v[1, i], v[2, i]
    r, s, t = 2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)
    R[0, i] = x + w * r + b * t - c * s
    R[1, i] = y + w * s + c * r - a * t
    R[2, i] = z + w * t + a * s - b * r


def rotation_kernel(q: Any, v: Any) -> Any:
    """Return a launch of the rotation."""
    return _call(_rotation, (q, v), v.shape)


def rotation_numpy(q: Any, v: Any) -> Any:
    """Return turned vectors."""
    t = 2 * np.cross(q[:, 1:], v)
    return v + q[:, :1] * t + np.cross(q[:, 1:], t)


@tt.kernel
def _riccati(
    A: tt.f64[6, 6, None], b: tt.f64[6, None], Q: tt.f64[6, 6], r: tt.f64, P: tt.f64[6, 6, None],
    R: tt.f64[6, 6, None],
):  # fmt: skip
    i = tt.group_id.x
    pa, g, pb = tt.local(tt.f64, (6, 6)), tt.local(tt.f64, (6,)), tt.local(tt.f64, (6,))
    pa[:] = A[:, :, i] @ P[:, :, i]
    g[:] = pa @ b[:, i]
    pb[:] = P[:, :, i].T @ b[:, i]
    s = r + pb @ b[:, i]
    R[:, :, i] = pa @ A[:, :, i].T
    for m, n in tt.foreach(6, 6):
        R[m, n, i] += Q[m, n] - g[m] * g[n] / s


def riccati_kernel(A: Any, b: Any, Q: Any, r: Any, P: Any) -> Any:
    """Return a launch of the step."""
    return _call(_riccati, (A, b, Q, float(r), P), P.shape)


def riccati_numpy(A: Any, b: Any, Q: Any, r: Any, P: Any) -> Any:
    """Return what the step computes."""
    pa = P @ A
    g = (b[:, None, :] @ pa)[:, 0]
    s = r + np.einsum("ni,nij,nj->n", b, P, b)
    return Q + A.transpose(0, 2, 1) @ pa - g[:, :, None] * g[:, None, :] / s[:, None, None]


@tt.kernel
def _runge_kutta(x: tt.f64[6, None], A: tt.f64[6, 6, None], h: tt.f64, R: tt.f64[6, None]):
    i = tt.group_id.x
    k, y, s = tt.local(tt.f64, (6,)), tt.local(tt.f64, (6,)), tt.local(tt.f64, (6,))
    y[:] = x[:, i]
    s[:] = x[:, i]
    for n in range(4):
        k[:] = A[:, :, i].T @ y
        k[:] = k - y**3
        factor = h / 6 if n % 3 == 0 else h / 3
        s[:] = s + factor * k
        ahead = h if n == 2 else 0.5 * h
        y[:] = x[:, i] + ahead * k
    R[:, i] = s


def runge_kutta_kernel(x: Any, A: Any, h: Any) -> Any:
    """Return a launch of the step."""
    return _call(_runge_kutta, (x, A, float(h)), x.shape)


def runge_kutta_numpy(x: Any, A: Any, h: Any) -> Any:
    """Return what the step computes."""

    def slope(y: Any) -> Any:
        return (A @ y[..., None])[..., 0] - y**3

    k1 = slope(x)
    k2 = slope(x + 0.5 * h * k1)
    k3 = slope(x + 0.5 * h * k2)
    k4 = slope(x + h * k3)
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
