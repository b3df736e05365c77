"""A Riccati step for a batch of systems, and how it depends on the weight of the controls.

python examples/18_riccati.py

Model-predictive control repeats the step P := Q + A' P A - A' P B (r I + B' P B)^-1 B' P A. Written
for one system, it is an operation of JAX for a batch.
"""

import jax
import jax.numpy as jnp
import numpy as np

import tinytc_mlir as tt

jax.config.update("jax_enable_x64", True)
SYSTEMS, STATES, CONTROLS = 100, 4, 2


@tt.batched
def step(
    A: tt.f64["n", "n"], B: tt.f64["n", "m"], Q: tt.f64["n", "n"], r: tt.f64, P: tt.f64["n", "n"]
):
    """A step for one system."""
    gain = tt.solve(r * tt.eye(B.shape[1]) + B.T @ P @ B, B.T @ P @ A)
    return Q + A.T @ P @ A - A.T @ P @ B @ gain


def one(A, B, Q, r, P):
    """Return the same by JAX."""
    gain = jnp.linalg.solve(r * jnp.eye(CONTROLS) + B.T @ P @ B, B.T @ P @ A)
    return Q + A.T @ P @ A - A.T @ P @ B @ gain


expected = jax.vmap(one, (0, 0, None, None, 0))
random = np.random.default_rng(1)
A = jnp.asarray(0.4 * random.standard_normal((SYSTEMS, STATES, STATES)))
B = jnp.asarray(random.standard_normal((SYSTEMS, STATES, CONTROLS)))
Q, P = jnp.eye(STATES), jnp.zeros((SYSTEMS, STATES, STATES)) + jnp.eye(STATES)


def cost(function, r, steps=20):
    """Return the mean cost of the systems after some steps."""
    body = lambda matrix, _: (function(A, B, Q, r, matrix), None)  # noqa: E731
    return jnp.trace(jax.lax.scan(body, P, length=steps)[0], axis1=1, axis2=2).mean()


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
