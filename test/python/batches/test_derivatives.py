"""Derivatives of batched functions, and operations of PyTorch and JAX, against JAX."""

import pathlib
import re

import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from nearness import assert_near
from tinytc_mlir.batches import programs

jax = pytest.importorskip("jax")
jnp = jax.numpy


@tt.batched
def step(A: tt.f64["m", "n"], x: tt.f64["n"], s: tt.f64):
    y = tt.tanh(A @ x * s)
    for k in range(3):
        y = y * y[0] + 0.1 * k
    return y, tt.norm(A @ x) + tt.softmax(x)[0]


def one(A, x, s):
    y = jnp.tanh(A @ x * s)
    for k in range(3):
        y = y * y[0] + 0.1 * k
    return y, jnp.linalg.norm(A @ x) + jax.nn.softmax(x)[0]


reference = jax.vmap(one, (None, 0, None))


def total(function):
    return lambda *given: sum(each.sum() for each in function(*given))


@pytest.fixture
def given(request, monkeypatch):
    jax.config.update("jax_enable_x64", True)
    if request.node.name in profiles.in_turns(("test_numpy", "test_jax", "test_torch"), "memory"):
        monkeypatch.setattr(programs, "MOST_STEPS", 0)
    step._kinds.clear()
    step._plans.clear()
    random = np.random.default_rng(0)
    return random.standard_normal((3, 4)), random.standard_normal((5, 4)), 0.7


def test_page(tmp_path):
    text = (pathlib.Path(__file__).parents[3] / "docs" / "batched.md").read_text("utf-8")
    page = tmp_path / "page.py"  # functions find their source there
    page.write_text("\n".join(re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)))
    exec(compile(page.read_text(), str(page), "exec"), {})


def test_numpy(given):
    gradients = jax.grad(total(reference), (0, 1, 2))(*given)
    assert_near([*tt.grad(step)(*given).values()], gradients)
    adjoints = np.random.default_rng(1).standard_normal((5, 3)), np.ones(5)
    assert_near(
        [step.vjp(wrt=["x"])(*given, *adjoints)], jax.vjp(reference, *given)[1](adjoints)[1:2]
    )
    tangents = [np.ones_like(each) for each in given]
    assert_near(step.jvp()(*given, *tangents), jax.jvp(reference, given, tuple(tangents))[1])


def test_gradients_are_summed_where_arguments_are_broadcast(given):
    A, x, s = given
    wide = np.stack([A, 2 * A])[:, None]
    found = tt.grad(step)(wide, x, s)
    every = jax.vmap(lambda a: jax.grad(total(reference), (0, 1, 2))(a, x, s))(wide[:, 0])
    expected = every[0][:, None], every[1].sum(0), every[2].sum()
    assert_near([found[name] for name in "Axs"], expected)


def test_jax(given):
    arrays = [jnp.asarray(each) for each in given]
    assert_near(step(*arrays), reference(*given))
    assert_near(jax.jit(step)(*arrays), reference(*given))
    gradients = [jax.grad(total(f), (0, 1, 2))(*arrays) for f in (step.jax, reference)]
    assert_near(*gradients)
    hessians = [jax.hessian(total(f), 1)(*arrays) for f in (step, reference)]
    assert_near(*hessians)
    batch = jnp.stack([arrays[1], 2 * arrays[1]])
    assert_near(
        *(jax.vmap(f, (None, 0, None))(arrays[0], batch, arrays[2]) for f in (step, reference))
    )


def test_torch(given):
    torch = pytest.importorskip("torch")
    tensors = [torch.tensor(each, dtype=torch.float64, requires_grad=True) for each in given]
    found = step(*tensors)
    assert_near([each.detach() for each in found], reference(*given))
    gradients = torch.autograd.grad(sum(each.sum() for each in found), tensors)
    assert_near(gradients, jax.grad(total(reference), (0, 1, 2))(*given))
    assert torch.autograd.gradgradcheck(lambda x: step(tensors[0], x, tensors[2])[0], tensors[1])
    batch = torch.stack([tensors[1], 2 * tensors[1]]).detach()
    made = torch.vmap(lambda x: step(tensors[0].detach(), x, tensors[2].detach())[0])(batch)
    assert made.shape == (2, 5, 3)
    compiled = torch.compile(
        lambda *each: step(*each)[0].sum(), fullgraph=True, backend="aot_eager"
    )
    assert_near(compiled(*tensors).item(), found[0].sum().item())


def test_first_call_is_compiled_by_torch():
    torch = pytest.importorskip("torch")
    from torch._dynamo.testing import CompileCounter

    fresh, count = tt.batched(step._function), CompileCounter()
    compiled = torch.compile(lambda *each: fresh(*each)[1], fullgraph=True, backend=count)
    A, x, s = torch.ones(3, 4), torch.ones(5, 4), torch.ones(())
    for _ in range(2):
        compiled(A.double(), x.double(), s.double())
    assert count.frame_count == 1


def test_annotations_fix_types_of_tensors():
    import torch

    @tt.batched
    def doubled(x: tt.f64["n"]):
        return 2 * x

    x = torch.ones(2, 3, requires_grad=True)
    found = doubled(x)
    assert found.dtype == torch.float64
    (gradient,) = torch.autograd.grad(found.sum(), x)
    assert gradient.dtype == torch.float32
    np.testing.assert_array_equal(gradient, np.full((2, 3), 2.0))
    with pytest.raises(
        tt.ArgumentError, match="argument 'x': expected dtype float64, got complex64"
    ):
        doubled(torch.ones(3, dtype=torch.complex64))
