"""A Riccati step for a batch of systems, and how it depends on the weight of the control.

python examples/18_riccati.py

Model-predictive control repeats the step P := Q + A' P A - A' P B (r + B' P B)^-1 B' P A. With one
control, the inverse is a division. The kernel is an operation of JAX.
"""

import jax
import jax.numpy as jnp
import numpy as np

import tinytc_mlir as tt

jax.config.update("jax_enable_x64", True)
SYSTEMS, STATES = 100, 4


@tt.kernel
def riccati(
    A: tt.f64[4, 4, None], B: tt.f64[4, 1, None], Q: tt.f64[4, 4], r: tt.f64,
    P: tt.f64[4, 4, None], result: tt.f64[4, 4, None],
):  # fmt: skip
    """A step for each system."""
    i = tt.group_id.x
    a, b, p = A[:, :, i], B[:, :, i], P[:, :, i]
    pa = tt.local(tt.f64, (4, 4))
    pa[:] = p @ a
    pb = tt.local(tt.f64, (4, 1))
    pb[:] = p @ b
    gain = tt.local(tt.f64, (1, 4))
    gain[:] = b.T @ pa
    weight = tt.local(tt.f64, (1, 1))
    weight[:] = b.T @ pb
    outer = tt.local(tt.f64, (4, 4))
    outer[:] = gain.T @ gain
    step = tt.local(tt.f64, (4, 4))
    step[:] = a.T @ pa
    for m, n in tt.foreach((0, 0), (4, 4)):
        result[m, n, i] = Q[m, n] + step[m, n] - outer[m, n] / (r + weight[0, 0])


step = tt.jax.op(riccati)


def expected(A, B, Q, r, P):
    """Return the same by JAX."""

    def one(a, b, p):
        gain = b.T @ p @ a
        return Q + a.T @ p @ a - gain.T @ gain / (r + b.T @ p @ b)

    return jax.vmap(one, (2, 2, 2), 2)(A, B, P)


random = np.random.default_rng(1)
A = jnp.asarray(0.4 * random.standard_normal((STATES, STATES, SYSTEMS)))
B = jnp.asarray(random.standard_normal((STATES, 1, SYSTEMS)))
Q, P = jnp.eye(STATES), jnp.zeros((STATES, STATES, SYSTEMS)) + jnp.eye(STATES)[:, :, None]


def cost(function, r, steps=20):
    """Return the mean cost of the systems after some steps."""
    body = lambda matrix, _: (function(A, B, Q, r, matrix), None)  # noqa: E731
    return jnp.trace(jax.lax.scan(body, P, length=steps)[0]).mean()


for name, function in (
    ("cost", cost),
    ("first derivative", jax.grad(cost, 1)),
    ("second derivative", jax.hessian(cost, 1)),
):
    found, reference = (jax.jit(function, static_argnums=0)(each, 1.0) for each in (step, expected))
    error = abs(found - reference) / abs(reference)
    assert error < 1e-10, (name, error)
    print(f"{name}: {found:.6f}, {error:.0e} from JAX's")
rates = jax.vmap(lambda r: cost(step, r))(jnp.linspace(0.5, 2, 4))
assert (jnp.diff(rates) > 0).all()
print("cost of weights 0.5 to 2:", np.round(rates, 3))
