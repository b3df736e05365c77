"""Inversion of 1-D elastic waves: find the stiffness of a rod from what two receivers record.

python examples/16_wave_inversion.py

A discontinuous Galerkin method computes velocity and stress; its kernel is an operation of PyTorch,
which goes back through all time steps. The gradient is compared with finite differences, and a few
steps of SciPy's L-BFGS lower the misfit.
"""

import numpy as np
import scipy.optimize
import torch

import tinytc_mlir as tt

ELEMENTS, STEPS = 20, 60
WIDTH = 1 / ELEMENTS
TIME_STEP = 0.1 * WIDTH


@tt.kernel
def rate(
    D: tt.f64[3, 3, 3], U: tt.f64[3, 3, 3], stiffness: tt.f64[None], left: tt.f64[3, 2, None],
    this: tt.f64[3, 2, None], right: tt.f64[3, 2, None], change: tt.f64[3, 2, None],
):  # fmt: skip
    """The rate of change of velocity and stress in the nodes of an element."""
    e = tt.group_id.x
    central = tt.local(tt.f64, (3, 2))
    central[:] = D[:, :, 0] @ left[:, :, e]
    central += D[:, :, 1] @ this[:, :, e]
    central += D[:, :, 2] @ right[:, :, e]
    upwind = tt.local(tt.f64, (3, 2))
    upwind[:] = U[:, :, 0] @ left[:, :, e]
    upwind += U[:, :, 1] @ this[:, :, e]
    upwind += U[:, :, 2] @ right[:, :, e]
    for node in tt.foreach(3):
        change[node, 0, e] = central[node, 1] + upwind[node, 0]
        change[node, 1, e] = stiffness[e] * (central[node, 0] + upwind[node, 1])


def matrices():
    """Return what multiplies the nodes of the left, this and the right element."""
    lift = 2 / WIDTH * 3 / 2  # half the inverse of the weight of a node at a face
    derivative = 2 / WIDTH * np.array([[-1.5, 2.0, -0.5], [-0.5, 0.0, 0.5], [0.5, -2.0, 1.5]])
    central, upwind = np.zeros((3, 3, 3)), np.zeros((3, 3, 3))
    central[:, :, 1] = derivative + np.diag([lift, 0.0, -lift])
    upwind[:, :, 1] = np.diag([-lift, 0.0, -lift])
    central[0, 2, 0], central[2, 0, 2] = -lift, lift
    upwind[0, 2, 0] = upwind[2, 0, 2] = lift
    return torch.from_numpy(central), torch.from_numpy(upwind)


change = tt.torch.op(rate, "examples::rate")
CENTRAL, UPWIND = matrices()


def records(stiffness):
    """Return the velocity in two elements at all times after a push."""

    def slope(state):
        neighbours = torch.roll(state, 1, -1), torch.roll(state, -1, -1)
        return change(CENTRAL, UPWIND, stiffness, neighbours[0], state, neighbours[1])

    places = WIDTH * (torch.arange(ELEMENTS) + torch.tensor([[0.0], [0.5], [1.0]]))
    state = torch.zeros(3, 2, ELEMENTS, dtype=torch.float64)
    state[:, 0] = torch.exp(-(((places - 0.5) / 0.1) ** 2))
    found = []
    for _ in range(STEPS):
        middle = state + TIME_STEP / 2 * slope(state)
        state = state + TIME_STEP * slope(middle)
        found.append(state[1, 0, [4, 15]])
    return torch.stack(found)


def misfit(stiffness, observed):
    """Return half the sum of squares of all differences."""
    return 0.5 * (records(stiffness) - observed).square().sum()


truth = torch.ones(ELEMENTS, dtype=torch.float64)
truth[6:9] += 0.3
observed = records(truth)


def value_and_gradient(values):
    """Return the misfit and its gradient for SciPy."""
    stiffness = torch.from_numpy(values).requires_grad_()
    value = misfit(stiffness, observed)
    (gradient,) = torch.autograd.grad(value, stiffness)
    return value.item(), gradient.numpy()


start = np.ones(ELEMENTS)
before, gradient = value_and_gradient(start)
direction = np.random.default_rng(1).standard_normal(ELEMENTS)
step = 1e-6 * direction
differences = (value_and_gradient(start + step)[0] - value_and_gradient(start - step)[0]) / 2e-6
error = abs(gradient @ direction - differences) / abs(differences)
assert error < 1e-6, error
found = scipy.optimize.minimize(
    value_and_gradient, start, jac=True, method="L-BFGS-B", options={"maxiter": 8}
)
assert found.fun < 0.1 * before
print(f"gradient: {error:.0e} from finite differences")
print(f"misfit: {before:.2e}, after {found.nit} steps {found.fun:.2e}")
