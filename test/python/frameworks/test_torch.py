"""Operations of PyTorch: derivatives in both modes, and what PyTorch's own checks say."""

import itertools

import pytest
import torch
from framework_kernels import COMPLEX, ENERGY, GRID, HALF, MEMBERS, UPDATE, energy, module

import tinytc_mlir as tt

F64 = {"dtype": torch.float64, "requires_grad": True}
numbers = itertools.count()


def operation(text, **options):
    return tt.torch.op(module(text), f"test::op{next(numbers)}", **options)


@pytest.fixture(scope="module")
def op():
    return tt.torch.op(module(ENERGY), "test::energy")


@pytest.fixture
def inputs():
    torch.manual_seed(1)
    return torch.tensor(0.7, **F64), torch.randn(3, 3, **F64), torch.randn(3, 5, **F64)


def test_the_form_of_an_operation(op):
    assert (op.parameters, op.results) == (("alpha", "A", "x"), ("e",))
    assert repr(op) == "<Op test::energy(alpha, A, x) -> e>"
    assert op.overload == torch.ops.test.energy.default


def test_derivatives(op, inputs):
    assert torch.autograd.gradcheck(op, inputs, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(op, inputs, check_fwd_over_rev=True)


def test_a_grid_of_two_modes():
    op = operation(GRID)
    inputs = torch.tensor(0.7, **F64), torch.randn(3, 3, **F64), torch.randn(3, 2, 4, **F64)
    assert torch.autograd.gradcheck(op, inputs, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(op, inputs)
    alpha, _, x = inputs

    def gradients(matrices):
        return torch.func.grad(lambda m: op(alpha, m, x).square().sum())(matrices)

    matrices = torch.randn(5, 3, 3, dtype=torch.float64)
    expected = torch.stack([gradients(m) for m in matrices])
    torch.testing.assert_close(torch.vmap(gradients)(matrices), expected)


def test_opcheck(op, inputs):
    found = torch.library.opcheck(op.overload, inputs)
    assert set(found.values()) == {"SUCCESS"}


def test_an_array_that_is_read_and_written():
    op = operation(UPDATE)
    a, x, y = torch.tensor(2.0, **F64), torch.randn(4, 3, **F64), torch.randn(4, 3, **F64)
    before = y.detach().clone()
    torch.testing.assert_close(op(a, x, y), a * x + y)
    torch.testing.assert_close(y.detach(), before)
    assert torch.autograd.gradcheck(op, (a, x, y), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(op, (a, x, y))
    assert set(torch.library.opcheck(op.overload, (a, x, y)).values()) == {"SUCCESS"}


def test_complex_numbers_and_two_results():
    op = operation(COMPLEX)
    a = torch.tensor(0.3 + 0.5j, dtype=torch.complex128, requires_grad=True)
    x = torch.randn(4, dtype=torch.complex128, requires_grad=True)
    y, b = op(a, x)
    torch.testing.assert_close(y, a * x)
    torch.testing.assert_close(b, (x.conj() * x).real)
    assert torch.autograd.gradcheck(op, (a, x), check_forward_ad=True)
    torch.testing.assert_close(op(a, x.conj())[0], a * x.conj())


@pytest.mark.parametrize("order", ["column", "row", "every second"])
def test_strides(op, inputs, order):
    alpha, matrix, x = inputs
    if order == "column":
        x = x.T.contiguous().T
    elif order == "every second":
        x = torch.randn(3, 10, **F64)[:, ::2]
    torch.testing.assert_close(op(alpha, matrix.T, x), energy(alpha, matrix.T, x))


def test_numbers_and_names(op, inputs):
    _, matrix, x = inputs
    expected = energy(0.5, matrix, x)
    torch.testing.assert_close(op(0.5, matrix, x), expected)
    torch.testing.assert_close(op(x=x, A=matrix, alpha=0.5), expected)


def test_half_precision():
    a, b = torch.arange(16, dtype=torch.bfloat16), torch.ones(16, dtype=torch.bfloat16)
    assert torch.equal(operation(HALF)(a, b), a + b)


def test_derivatives_of_torch_func(op, inputs):
    given = [each.detach() for each in inputs]

    def derivatives(function):
        return torch.func.hessian(lambda *v: function(*v).square().sum(), (0, 1, 2))(*given)

    torch.testing.assert_close(derivatives(op), derivatives(energy))


DIMS = [(None, None, 0), (0, 1, 0), (None, 1, None), (0, None, None)]


@pytest.mark.parametrize("dims", DIMS)
def test_vmap(op, inputs, dims):
    whole = torch.randn(4, **F64), torch.randn(3, 4, 3, **F64), torch.randn(4, 3, 5, **F64)
    given = [w if d is not None else i for w, i, d in zip(whole, inputs, dims, strict=True)]
    batched = torch.vmap(op, dims)
    torch.testing.assert_close(batched(*given), torch.vmap(energy, dims)(*given))
    assert torch.autograd.gradcheck(batched, given, check_forward_ad=True, fast_mode=True)

    def gradients(function):
        gradient = torch.func.grad(lambda *v: function(*v).square().sum(), (0, 1, 2))
        return torch.vmap(gradient, dims)(*given)

    torch.testing.assert_close(gradients(op), gradients(energy))


def test_vmap_of_vmap(op, inputs):
    alpha, matrix, _ = inputs
    matrices, xs = torch.stack([matrix, matrix + 1]), torch.randn(4, 3, 5, **F64)

    def twice(function):
        inner = torch.vmap(function, (None, None, 0))
        return torch.vmap(inner, (None, 0, None))(alpha, matrices, xs)

    torch.testing.assert_close(twice(op), twice(energy))


def test_vmap_of_vmap_over_the_same_input(op, inputs):
    alpha, matrix, _ = inputs
    xs = torch.randn(2, 4, 3, 5, **F64)

    def twice(function):
        return torch.vmap(torch.vmap(function, (None, None, 0)), (None, None, 0))(alpha, matrix, xs)

    torch.testing.assert_close(twice(op), twice(energy))


def test_vmap_of_a_kernel_that_uses_all_dimensions():
    op = operation("""
func @grid(%x: memref<f64x2x2x?>, %y: memref<f64x2x2x?>) {
  %i = group_id.x : index
  %j = group_id.y : index
  %k = group_id.z : index
  %u = load %x[%i, %j, %k] : f64
  store %u, %y[%i, %j, %k]
}""")
    x = torch.randn(3, 2, 2, 4, **F64)
    torch.testing.assert_close(torch.vmap(op)(x), x)


def test_compile(op, inputs):
    def gradients(function):
        outcome = function(*inputs)
        return torch.autograd.grad(outcome.square().sum(), inputs)

    compiled = torch.compile(op, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(*inputs), energy(*inputs))
    torch.testing.assert_close(gradients(compiled), gradients(energy))


def test_inductor(op, inputs):
    given = [each.detach() for each in inputs]
    compiled = torch.compile(lambda *v: 2 * op(*v), fullgraph=True)
    torch.testing.assert_close(compiled(*given), 2 * energy(*given))


def test_einsum():
    recipe = tt.recipes.einsum("ij,jk->ik", (3, 4, None), (4, 2), dtype="f64", target="native")
    op = tt.torch.op(recipe, "test::einsum")
    operands = torch.randn(3, 4, 3, **F64), torch.randn(4, 2, **F64)
    torch.testing.assert_close(op(*operands), torch.einsum("ijn,jk->ikn", *operands))
    assert torch.autograd.gradcheck(op, operands, check_forward_ad=True, fast_mode=True)
    assert torch.autograd.gradgradcheck(op, operands, fast_mode=True)


class Model(torch.nn.Module):
    def __init__(self, op):
        super().__init__()
        self.op = op

    def forward(self, factor, matrix, x):
        return self.op(factor, matrix, x)


def test_export(op, inputs):
    count = torch.export.Dim("count")
    program = torch.export.export(Model(op), inputs, dynamic_shapes=(None, None, {1: count}))
    assert "torch.ops.test.energy.default" in str(program)
    alpha, matrix, _ = inputs
    x = torch.randn(3, 9, dtype=torch.float64)
    torch.testing.assert_close(program.module()(alpha, matrix, x), energy(alpha, matrix, x))


def test_names_of_derivatives():
    """A cache of compiled code asks for derivatives by name in a process that made none yet."""
    recipe = tt.recipes.einsum("ij,jk->ik", (3, 4, None), (4, 2), dtype="f64", target="native")
    tt.torch.op(recipe, "test::named")
    operands = torch.randn(3, 4, 3, **F64), torch.randn(4, 2, **F64)
    tangents = torch.randn(3, 4, 3, **F64), torch.randn(4, 2, **F64)
    expected = sum(
        torch.einsum("ijn,jk->ikn", *pair)
        for pair in ((tangents[0], operands[1]), (operands[0], tangents[1]))
    )
    torch.testing.assert_close(torch.ops.test.named_jvp_0_1(*operands, *tangents), expected)
    assert hasattr(torch.ops.test, "named_batch_0_vjp_1_jvp_0")
    assert not hasattr(torch.ops.test, "named_vjp_9")
    assert not hasattr(torch.ops.test, "unnamed_vjp_0")


def test_export_of_names_that_differ_in_case():
    text = """
func @k(%a: memref<f64x3>, %A: memref<f64x3x3>, %x: memref<f64x3x?>, %X: memref<f64x3x?>) {
  %i = group_id.x : index
  %v = subview %x[0:3, %i] : memref<f64x3>
  %w = subview %X[0:3, %i] : memref<f64x3>
  %zero = constant 0.0 : f64
  %one = constant 1.0 : f64
  gemv.n %one, %A, %v, %zero, %w
  axpby %one, %a, %one, %w
}"""
    op = tt.torch.op(tt.Context().parse(text), "test::cases")
    inputs = torch.randn(3, **F64), torch.randn(3, 3, **F64), torch.randn(3, 4, **F64)
    program = torch.export.export(Model(op), tuple(each.detach() for each in inputs))
    a, matrix, x = inputs
    torch.testing.assert_close(program.module()(*inputs), matrix @ x + a[:, None])


def test_a_group_of_arrays():
    """One tensor, whose last mode counts the members; it also tells the size of the result."""
    op = operation(MEMBERS)
    x = torch.randn(2, 5, **F64)
    torch.testing.assert_close(op(x), 2 * x * x)
    assert torch.autograd.gradcheck(op, x, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(op, x)
    batch = torch.vmap(op)(torch.stack([x, 3 * x]))
    torch.testing.assert_close(batch, torch.stack([2 * x * x, 18 * x * x]))
