"""What is wrong with kernels and arguments of operations."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch
from framework_kernels import ENERGY, UPDATE, module

import tinytc_mlir as tt

GROUP = """
func @group(%X: group<memref<f64x4>x?>, %y: memref<f64x4>) {
  %zero = constant 0 : index
  %one = constant 1.0 : f64
  %x = load %X[%zero] : memref<f64x4>
  axpby %one, %x, %one, %y
}
"""
NOTHING = "func @nothing(%x: memref<f64x4>) {\n}\n"
PADDED = """
func @padded(%x: memref<f64x3x3,strided<1,4>>) {
  %one = constant 1.0 : f64
  axpby %one, %x, %one, %x
}
"""
#: No array tells how many elements the result has.
UNKNOWN = """
func @ramp(%n: index, %y: memref<f64x?>) {
  %one = constant 1.0 : f64
  %zero = constant 0 : index
  foreach (%i) = (%zero), (%n) {
    store %one, %y[%i]
  }
}
"""


@pytest.mark.parametrize("target", ["cpu", "native"])
def test_arrays_of_jax_are_not_written(target):
    kernel = module(UPDATE.replace("f64", "f32")).compile(target)["update"]
    x, y = jnp.ones((4, 2), jnp.float32), jnp.zeros((4, 2), jnp.float32)
    message = "'y': expected a writable array .*, got an immutable one of JAX; pass a copy"
    with pytest.raises(tt.ArgumentError, match=message):
        kernel(2.0, x, y)
    for copy in (tt.asarray(y, device=target), np.array(y)):
        kernel(2.0, x, copy)
        assert (copy == 2).all()
    assert not y.any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"outputs": "x"}, r"energy: expected arrays that the kernel writes \(e\), got 'x'"),
        ({"constants": {"e": 1}}, "energy: expected parameters with constant values that it reads"),
        ({"name": "work"}, r"expected the name of a kernel \(energy\), got 'work'"),
    ],
)
def test_options(options, message):
    with pytest.raises(tt.TinyTCError, match=message):
        tt.jax.op(module(ENERGY), **options)


def test_no_kernel():
    with pytest.raises(tt.ArgumentError, match="'kernel': expected a module, .*, got 3"):
        tt.jax.op(3)


def test_no_result():
    with pytest.raises(tt.ArgumentError, match="nothing: expected a kernel that writes an array"):
        tt.jax.op(module(NOTHING))


def test_unknown_size():
    op = tt.torch.op(module(UNKNOWN), "test::ramp")
    with pytest.raises(tt.ArgumentError, match="expected the size of mode 0 of 'y'"):
        op(3)
    op = tt.torch.op(module(UNKNOWN), "test::ramp_of_shape", shapes={"y": [5]})
    assert op(3).tolist() == [1.0, 1.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize("name", ["energy", "a::b::c", 3])
def test_name(name):
    with pytest.raises(tt.ArgumentError, match="'qualified_name': expected 'namespace::name'"):
        tt.torch.op(module(ENERGY), name)


def test_name_that_is_taken():
    with pytest.raises(tt.ArgumentError, match="expected a new name, got 'aten::relu'"):
        tt.torch.op(module(ENERGY), "aten::relu")


SQUARE = """
func @square(%x: memref<f64x?>, %y: memref<f64x?>) {
  %i = group_id.x : index
  %a = load %x[%i] : f64
  %factor = constant FACTOR : f64
  %b = arith.mul %a, %a : f64
  %c = arith.mul %b, %factor : f64
  store %c, %y[%i]
}
"""


def test_the_same_name_again():
    x = torch.ones(3, dtype=torch.float64, requires_grad=True)
    first, second, third = (
        tt.torch.op(module(SQUARE.replace("FACTOR", factor)), "test::again")
        for factor in ("1.0", "2.0", "1.0")
    )
    earlier = first(x).sum()
    assert torch.autograd.grad(second(x).sum(), x)[0].tolist() == [4.0] * 3
    assert torch.autograd.grad(earlier, x)[0].tolist() == [2.0] * 3
    assert first.overload is third.overload is not second.overload
    torch.library.opcheck(second.overload, (x,))
    compiled = torch.compile(second, fullgraph=True, backend="aot_eager")
    assert compiled(x).tolist() == [2.0] * 3


@tt.kernel
def solve(x: tt.f64[4, 2, None], y: tt.f64[4, 2, None]):
    i = tt.group_id.x
    k = tt.local(tt.f64, (4, 2))
    for r in tt.foreach(4):
        for jj in range(2):
            j = 1 - jj
            v = x[r, j, i]
            for n in range(j + 1, 2):
                v = v - k[r, n] * x[r, j, i]
            k[r, j] = v * v
        for j in range(2):
            y[r, j, i] = k[r, j]


def test_errors_of_derivatives_name_the_line():
    x = torch.ones(4, 2, 3, dtype=torch.float64, requires_grad=True)
    op = tt.torch.op(solve, "test::solve")
    for results in (op(x), torch.func.vmap(op)(x.expand(2, 4, 2, 3))):
        with pytest.raises(tt.LoweringError, match=r"test_errors.py:\d+:\d+: error: expected an i"):
            results.sum().backward()


#: The adjoint of a factor of the derivative is not known.
PRODUCT = """
func @product(%A: memref<f64x4x4>, %B: memref<f64x4x4>, %C: memref<f64x4x4>)
    attributes{subgroup_size=16, work_group_size=[16,1]} {
  %zero = constant 0 : index
  parallel {
    %a = cooperative_matrix_load %A[%zero, %zero] : coopmatrix<f64x4x4,matrix_a>
    %b = cooperative_matrix_load %B[%zero, %zero] : coopmatrix<f64x4x4,matrix_b>
    %c = cooperative_matrix_load %C[%zero, %zero] : coopmatrix<f64x4x4,matrix_acc>
    %d = cooperative_matrix_mul_add %a, %b, %c : coopmatrix<f64x4x4,matrix_acc>
    %e = mul %d, %d : coopmatrix<f64x4x4,matrix_acc>
    cooperative_matrix_store %e, %C[%zero, %zero]
  }
}
"""


def test_errors_of_second_derivatives_name_the_line():
    a, b, c = (torch.ones(4, 4, dtype=torch.float64, requires_grad=True) for _ in range(3))
    result = tt.torch.op(tt.Context().parse(PRODUCT, "product.ir"), "test::product")(a, b, c)
    (gradient,) = torch.autograd.grad(result.sum(), a, create_graph=True)
    with pytest.raises(tt.LoweringError, match="product.ir:9:10: error: expected an instruction"):
        torch.autograd.grad(gradient.sum(), b)


def test_arguments():
    op = tt.torch.op(module(UPDATE), "test::arguments")
    with pytest.raises(tt.ArgumentError, match=r"expected 3 arguments \(a, x, y\), got 1, b"):
        op(1.0, b=2.0)
    with pytest.raises(tt.ArgumentError, match="'x': expected dtype float64, got float32"):
        op(1.0, torch.ones(4, 2), torch.ones(4, 2, dtype=torch.float64))
    op = tt.jax.op(module(UPDATE))
    with pytest.raises(tt.ArgumentError, match=r"expected 3 arguments \(a, x, y\), got 1, b"):
        op(1.0, b=2.0)
    with pytest.raises(tt.ArgumentError, match="'a': expected dtype float64, got float32; jax.con"):
        op(1.0, jnp.ones((4, 2), jnp.float32), jnp.ones((4, 2), jnp.float32))


def test_jax_takes_no_groups():
    with pytest.raises(
        tt.ArgumentError, match="expected arrays that are always given and no groups"
    ):
        tt.jax.op(module(GROUP))


def test_jax_takes_packed_arrays():
    import jax

    with jax.enable_x64(True), pytest.raises(tt.ArgumentError, match="expected a packed array"):
        tt.jax.op(module(PADDED))(jnp.ones((3, 3)))


def test_jax_checks_shapes():
    import jax

    with (
        jax.enable_x64(True),
        pytest.raises(tt.ArgumentError, match=r"'A': expected shape \(3, 3\), got \(2, 2\)"),
    ):
        tt.jax.op(module(ENERGY))(1.0, jnp.ones((2, 2)), jnp.ones((3, 4)))


def test_torch_takes_groups_as_one_tensor():
    op = tt.torch.op(module(GROUP), "test::group")
    members = torch.arange(8.0, dtype=torch.float64).reshape(2, 4).T
    assert op(members, torch.zeros(4, dtype=torch.float64)).tolist() == [0.0, 1.0, 2.0, 3.0]
