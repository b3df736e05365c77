"""Operations that pass no more than addresses take what the checked launch takes, and no more."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import tinytc_mlir as tt
from tinytc_mlir.frameworks.functional import FunctionalKernel


@tt.kernel
def combined(n: tt.i32, s: tt.c64, x: tt.c64[None, None], y: tt.c64[None, None]):
    i = tt.group_id.x
    y[:, i] = s * x[:, i]
    y[n, i] = s


ALIGNED = """
func @aligned(%x: memref<f32x16> {alignment=64}, %y: memref<f32x16>) {
  %two = constant 2.0 : f32
  %zero = constant 0.0 : f32
  axpby.n %two, %x, %zero, %y
}
"""


@pytest.fixture
def checked(monkeypatch):
    """The launches that have checked everything."""
    launches, launch = [], FunctionalKernel.launch

    def noted(function, *given):
        launches.append(function.name)
        launch(function, *given)

    monkeypatch.setattr(FunctionalKernel, "launch", noted)
    return launches


VIEWS = {
    "columns": lambda x: x,
    "rows": lambda x: x.contiguous(),
    "strided": lambda x: torch.cat([x, x], 1)[:, ::2],
    "negated": torch._neg_view,
    "conjugate": lambda x: x.conj(),
    "of one column": lambda x: x[:, :1],
}


@pytest.mark.parametrize("view", VIEWS)
def test_views(view, checked):
    op = tt.torch.op(combined, "native_calls::views")
    x = VIEWS[view](torch.randn(5, 4, dtype=torch.complex128).T.contiguous().T)
    for n, s in ((3, 2.0), (1, 1j), (0, -1.0)):
        expected = s * x.resolve_conj().resolve_neg()
        expected[n] = s
        torch.testing.assert_close(op(n, s, x), expected)
        torch.testing.assert_close(op.overload(n, torch.tensor(s, dtype=x.dtype), x), expected)
    assert not checked


def test_what_a_launch_refuses(checked):
    op = tt.torch.op(combined, "native_calls::refused")
    x = torch.zeros(5, 4, dtype=torch.complex128)
    for values in ((2**40, 1.0, x), (5, 1.0, x), (1, 1.0, x.real), (1, 1.0, x[0])):
        with pytest.raises((tt.ArgumentError, RuntimeError), match="expected"):
            op(*values)
    checked.clear()
    op(4, 1.0, x)
    op(torch.tensor(4), 1.0, x)
    assert not checked


def test_alignment(checked):
    op = tt.torch.op(tt.Context().parse(ALIGNED), "native_calls::aligned")
    memory = torch.ones(64)
    first = -memory.data_ptr() // 4 % 16
    assert op(memory[first : first + 16]).tolist() == [2.0] * 16
    assert not checked
    assert op(memory[first + 1 : first + 17]).tolist() == [2.0] * 16
    assert len(checked) == 1
    far = tt.jax.op(tt.Context().parse(ALIGNED.replace("64", str(2**22))))
    with pytest.raises(jax.errors.JaxRuntimeError, match="a multiple of 4194304, got one with"):
        far(jnp.ones(16, jnp.float32))


def test_hooks_see_launches():
    op = tt.torch.op(tt.Context().parse(ALIGNED), "native_calls::hooked")
    x = torch.tensor(np.ones(16, np.float32))
    op(x)
    names = []
    with tt.add_launch_hook(lambda record: names.append(record.kernel)):
        op(x)
    assert names == ["aligned"]


def test_jax_without_jit():
    op = tt.jax.op(tt.Context().parse(ALIGNED))
    with jax.disable_jit():
        assert op(jnp.ones(16, jnp.float32)).tolist() == [2.0] * 16
