"""Small-matrix code as people write it for NumPy, with nothing but the decorator."""

import numpy as np

import tinytc_mlir as tt

GRAVITY = np.array([0.0, 0.0, -9.81])
GAUSS = np.array([-np.sqrt(3 / 5), 0.0, np.sqrt(3 / 5)])


# Geometry ---------------------------------------------------------------------------------------


@tt.batched("(3),(3),(3)->()")
def triangle_area(a, b, c):
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a))


@tt.batched("(4),(3)->(3)")
def rotate(q, v):
    w, u = q[0], q[1:]
    t = 2 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


@tt.batched("(3),()->(3,3)")
def rodrigues(axis, angle):
    k = axis / np.linalg.norm(axis)
    K = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


@tt.batched("(),(),()->(3,3)")
def euler(a, b, c):
    ca, sa = np.cos(a), np.sin(a)
    cb, sb = np.cos(b), np.sin(b)
    cc, sc = np.cos(c), np.sin(c)
    Rx = np.array([[1, 0, 0], [0, ca, -sa], [0, sa, ca]])
    Ry = np.array([[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]])
    Rz = np.array([[cc, -sc, 0], [sc, cc, 0], [0, 0, 1]])
    return Rz @ Ry @ Rx


@tt.batched("(3,3)->(3,3)")
def inverse(A):
    x0, x1, x2 = A
    return np.stack([np.cross(x1, x2), np.cross(x2, x0), np.cross(x0, x1)], axis=1) / np.dot(
        x0, np.cross(x1, x2)
    )


@tt.batched("(3),(3),(3),(3)->(),()")
def closest_points(p, u, q, v):
    w = p - q
    a, b, c, d, e = u @ u, u @ v, v @ v, u @ w, v @ w
    bottom = a * c - b * b
    return (b * e - c * d) / bottom, (a * e - b * d) / bottom


# Filters ----------------------------------------------------------------------------------------


@tt.batched("(n),(n,n),(n,n),(n,n)->(n),(n,n)")
def predict(x, P, F, Q):
    return F @ x, F @ P @ F.T + Q


@tt.batched("(n),(n,n),(n),(),()->(n),(n,n)")
def scalar_update(x, P, h, r, z):
    s = h @ P @ h + r
    k = P @ h / s
    x = x + k * (z - h @ x)
    P = P - np.outer(k, h) @ P
    return x, (P + P.T) / 2


@tt.batched("(m,n),(n),(n)->(n)")
def lms(window, w, d):
    mu = 0.05
    for row in window:
        error = np.sum(d * row) - row @ w
        w = w + mu * error * row
    return w


@tt.batched("(n),(3),(2)->(n)")
def biquad(x, b, a):
    y = np.zeros(x.shape)
    for i in range(len(x)):
        y[i] = b[0] * x[i]
        if i > 0:
            y[i] += b[1] * x[i - 1] - a[0] * y[i - 1]
        if i > 1:
            y[i] += b[2] * x[i - 2] - a[1] * y[i - 2]
    return y


# Finite elements --------------------------------------------------------------------------------


@tt.batched("(3,2)->(3,3)")
def triangle_stiffness(x):
    J = np.stack([x[1] - x[0], x[2] - x[0]])
    det = J[0, 0] * J[1, 1] - J[0, 1] * J[1, 0]
    B = np.array([[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]])
    Ji = np.array([[J[1, 1], -J[0, 1]], [-J[1, 0], J[0, 0]]]) / det
    G = B @ Ji.T
    return 0.5 * abs(det) * G @ G.T


@tt.batched("(3,3),(),()->(3,3),()")
def neo_hooke(F, mu, lam):
    J = np.linalg.det(F)
    C = F.T @ F
    energy = 0.5 * mu * (np.trace(C) - 3) - mu * np.log(abs(J)) + 0.5 * lam * np.log(abs(J)) ** 2
    return mu * F @ F.T + (lam * np.log(abs(J)) - mu) * np.eye(3), energy


@tt.batched("(4,2)->(4,4)")
def quad_mass(x):
    M = np.zeros((4, 4))
    for i, xi in enumerate(GAUSS):
        for j, eta in enumerate(GAUSS):
            w = (8 / 9 if i == 1 else 5 / 9) * (8 / 9 if j == 1 else 5 / 9)
            N = np.array([(1 - xi) * (1 - eta), (1 + xi) * (1 - eta),
                          (1 + xi) * (1 + eta), (1 - xi) * (1 + eta)]) / 4  # fmt: skip
            D = np.array([[eta - 1, 1 - eta, 1 + eta, -1 - eta],
                          [xi - 1, -1 - xi, 1 + xi, 1 - xi]]) / 4  # fmt: skip
            J = D @ x
            M += w * abs(J[0, 0] * J[1, 1] - J[0, 1] * J[1, 0]) * np.outer(N, N)
    return M


@tt.batched("(3,3)->(),(6)")
def von_mises(s):
    dev = s - np.trace(s) / 3 * np.eye(3)
    voigt = np.array([s[0, 0], s[1, 1], s[2, 2], s[1, 2], s[0, 2], s[0, 1]])
    return np.sqrt(1.5 * np.sum(dev * dev)), voigt


# Statistics -------------------------------------------------------------------------------------


@tt.batched("(n,d)->(d),(d,d)")
def covariance(X):
    mean = X.mean(axis=0)
    Y = X - mean
    return mean, Y.T @ Y / (len(X) - 1)


@tt.batched("(n),(n)->()")
def correlation(x, y):
    u, v = x - np.mean(x), y - np.mean(y)
    return np.sum(u * v) / np.sqrt(np.sum(u**2) * np.sum(v**2))


@tt.batched("(n)->(n)")
def softmax(x):
    e = np.exp(x - np.max(x))
    return e / e.sum()


@tt.batched("(n),(n),(n)->(n)")
def layer_norm(x, gain, bias):
    return gain * (x - x.mean()) / np.sqrt(x.var() + 1e-5) + bias


@tt.batched("(n,n),(n)->(),(n)")
def power_iteration(A, x):
    A = A @ A.T
    for _ in range(30):
        y = A @ x
        x = y / np.linalg.norm(y)
    return x @ A @ x, np.abs(x)


# Motion -----------------------------------------------------------------------------------------


@tt.inline
def acceleration(x, v):
    return GRAVITY - 0.1 * np.linalg.norm(v) * v - 0.01 * x


@tt.batched("(3),(3),()->(3),(3)")
def runge_kutta(x, v, h):
    k1, l1 = v, acceleration(x, v)
    k2, l2 = v + h / 2 * l1, acceleration(x + h / 2 * k1, v + h / 2 * l1)
    k3, l3 = v + h / 2 * l2, acceleration(x + h / 2 * k2, v + h / 2 * l2)
    k4, l4 = v + h * l3, acceleration(x + h * k3, v + h * l3)
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), v + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)


@tt.batched("(n,n),(n,m),(n,n),()->(n,n)")
def riccati(A, B, Q, r):
    P = np.eye(A.shape[0])
    for _ in range(3):
        g = B.T @ P @ A
        s = r + np.sum(B * (P @ B))
        P = Q + A.T @ P @ A - g.T @ g / s
    return P
