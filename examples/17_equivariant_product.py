"""An equivariant tensor product with forces and a training step, by second derivatives.

python examples/17_equivariant_product.py

Vectors of edges are multiplied with features by the antisymmetric tensor, so that energies do not
change and forces turn if everything is turned. Forces are a derivative; training them takes
one more.
"""

import numpy as np
import torch

import tinytc_mlir as tt

EDGES, CHANNELS = 50, 4
product = tt.torch.op(
    # What channel w of an edge has: sum over u, a and b of x_ua r_b e_abc W_uw.
    tt.recipes.einsum(
        "ua,b,abc,uw->wc", (CHANNELS, 3, None), (3, None), (3, 3, 3), (CHANNELS, CHANNELS),
        dtype="f64", target="native",
    ),
    "examples::equivariant_product",
)  # fmt: skip

TENSOR = torch.zeros(3, 3, 3, dtype=torch.float64)
for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    TENSOR[a, b, c], TENSOR[b, a, c] = 1, -1


def energy(features, edges, weights):
    """Return the energy of all edges."""
    found = product(features, edges, TENSOR, weights)
    return (1 + found.square().sum((0, 1))).log().sum()


def forces(features, edges, weights):
    """Return the forces on all edges, to be differentiated again."""
    (slope,) = torch.autograd.grad(energy(features, edges, weights), edges, create_graph=True)
    return -slope


torch.manual_seed(1)
f64 = {"dtype": torch.float64}
features, edges = torch.randn(CHANNELS, 3, EDGES, **f64), torch.randn(3, EDGES, **f64)
edges.requires_grad_()
weights = torch.randn(CHANNELS, CHANNELS, requires_grad=True, **f64)
rotation = torch.from_numpy(np.linalg.qr(np.random.default_rng(1).standard_normal((3, 3)))[0])

turned = torch.einsum("ab,ubn->uan", rotation, features), rotation @ edges
same = energy(features, edges, weights) - energy(*turned, weights)
turns = rotation @ forces(features, edges, weights) - forces(*turned, weights)
errors = same.abs().item(), turns.abs().max().item()
assert max(errors) < 1e-10, errors

wanted = forces(features, edges, torch.eye(CHANNELS, **f64)).detach()
losses = []
optimizer = torch.optim.Adam([weights], lr=0.1)
for _ in range(20):
    optimizer.zero_grad()
    loss = (forces(features, edges, weights) - wanted).square().mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
assert losses[-1] < 0.5 * losses[0], losses
print(f"turned: energy {errors[0]:.0e}, forces {errors[1]:.0e}")
print(f"loss of forces: {losses[0]:.3f}, after {len(losses)} steps {losses[-1]:.3f}")
