"""Derivatives from Python: of texts, functions and recipes; gradients, groups, errors."""

import pathlib

import numpy as np
import pytest
from dot_products import Products

import tinytc_mlir as tt
from nearness import assert_near

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"
EPSILON = np.finfo(np.float64).eps
PRODUCT = """
func @product(%a: f64, %A: memref<f64x4x3>, %x: memref<f64x3x?>, %y: memref<f64x4x?>) {
  %g = group_id.x : index
  %zero = constant 0.0 : f64
  %p = subview %x[:, %g] : memref<f64x3>
  %q = subview %y[:, %g] : memref<f64x4>
  gemv.n %a, %A, %p, %zero, %q
}"""


@pytest.fixture
def arrays():
    rng = np.random.default_rng(1)
    return [np.asfortranarray(rng.random(shape)) for shape in ((4, 3), (3, 5), (4, 5))]


def close(actual, expected):
    assert_near(actual, expected)


@pytest.mark.parametrize("groups", [None, 5])
def test_gradient(arrays, groups):
    matrix, x, y = arrays
    gradient = tt.grad(tt.Context().parse(PRODUCT), of="y")
    found = gradient(2.0, matrix, x, y, groups=groups)
    close(found["a"], (matrix @ x).sum())
    close(found["A"], 2 * np.outer(np.ones(4), x.sum(1)))
    close(found["x"], 2 * np.outer(matrix.sum(0), np.ones(5)))
    close(found["y"], np.zeros((4, 5)))  # the kernel does not read it


def test_names(arrays):
    reverse = tt.Context().parse(PRODUCT).vjp(wrt=["A", "a"])
    assert reverse.of == "product"
    assert reverse.name == "product_vjp"
    assert reverse.inputs == ("a", "A")
    assert reverse.outputs == ("y",)
    assert [p.is_shared for p in reverse.parameters] == [True, True, False]
    assert reverse.parameter_names == ("a", "A", "x", "y", "a_adjoint", "A_adjoint", "y_adjoint")
    assert "product_vjp(a, A, x, y, a_partial, A_partial, y_adjoint)" in repr(reverse)
    forward = tt.Context().parse(PRODUCT).jvp(wrt=["x"])
    assert [p.name for p in forward.parameters] == ["x_tangent", "y_tangent"]


def test_adjoints_are_added_to(arrays):
    matrix, x, y = arrays
    reverse = tt.Context().parse(PRODUCT).vjp(wrt=["A"])
    adjoint = np.ones((4, 3), order="F")
    reverse(2.0, matrix, x, y, adjoint, np.ones_like(y))
    close(adjoint, 1 + 2 * np.outer(np.ones(4), x.sum(1)))


def test_function():
    @tt.kernel
    def squares(a: tt.f64, x: tt.f64[None], y: tt.f64[None]):
        for i in tt.foreach(x.shape[0]):
            y[i] = a * x[i] * x[i]

    x = np.arange(1.0, 6.0)
    for atomic in (False, True):
        gradient = tt.grad(squares, wrt="x", atomic=atomic)
        close(gradient(2.0, x, np.zeros(5), groups=1)["x"], 4 * x)
    assert squares.jvp(wrt=["x"]).name == "squares_jvp"


def test_recipe():
    recipe = tt.recipes.einsum("ik,kj->ij", (4, 3, None), (3, 5, None), dtype="f64")
    assert recipe.vjp().name.endswith("_vjp")
    assert recipe.jvp(beta=0).name.endswith("_beta0_jvp")


SHARED = {
    "of dynamic size": """
func @k(%A: memref<f64x?x?>, %x: memref<f64x3x?>, %y: memref<f64x4x?>) {
  %g = group_id.x : index
  %one = constant 1.0 : f64
  %a = subview %A[0:4, 0:3] : memref<f64x4x3, strided<1, ?>>
  %p = subview %x[:, %g] : memref<f64x3>
  %q = subview %y[:, %g] : memref<f64x4>
  gemv.n %one, %a, %p, %one, %q
}""",
    "of three modes": """
func @k(%A: memref<f64x4x3x2>, %v: memref<f64x3>, %x: memref<f64x3x?>, %y: memref<f64x4x?>) {
  %g = group_id.x : index
  %one = constant 1.0 : f64
  %a = subview %A[:, :, 1] : memref<f64x4x3>
  %p = subview %x[:, %g] : memref<f64x3>
  %q = subview %y[:, %g] : memref<f64x4>
  hadamard_product %one, %v, %v, %one, %p
  gemv.n %one, %a, %p, %one, %q
}""",
}


@pytest.mark.parametrize("name", SHARED)
def test_arrays_that_groups_share(name):
    Products(tt.Context().parse(SHARED[name]), groups=6).check()


GRID = """
func @k(%a: f64, %A: memref<f64x4x3>, %x: memref<f64x3x?x?>, %y: memref<f64x4x?x?>) {
  %g = group_id.x : index
  %h = group_id.y : index
  %zero = constant 0.0 : f64
  %p = subview %x[:, %g, %h] : memref<f64x3>
  %q = subview %y[:, %g, %h] : memref<f64x4>
  gemv.n %a, %A, %p, %zero, %q
}"""


@pytest.mark.parametrize("atomic", [False, True])
@pytest.mark.parametrize("groups", [None, (5, 2)])
def test_grid_of_several_modes(groups, atomic):
    rng = np.random.default_rng(1)
    matrix, x, y = (rng.random(shape) for shape in ((4, 3), (3, 5, 2), (4, 5, 2)))
    arguments = (2.0, *map(np.asfortranarray, (matrix, x, y)))
    found = tt.grad(tt.Context().parse(GRID), of="y", atomic=atomic)(*arguments, groups=groups)
    close(found["a"], np.einsum("ij,jgh->", matrix, x))
    close(found["A"], 2 * np.outer(np.ones(4), x.sum((1, 2))))
    close(found["x"], 2 * np.multiply.outer(matrix.sum(0), np.ones((5, 2))))
    reverse = tt.Context().parse(GRID).vjp(wrt=["A"])
    assert reverse.grid_modes == 2
    assert "A_partial: memref<f64x4x3x?x?>" in reverse.text


def test_grid_whose_first_mode_is_not_used():
    text = """
    func @k(%a: f64, %x: memref<f64x3x4>) {
      %h = group_id.y : index
      %zero = constant 0 : index
      store.atomic_add %a, %x[%zero, %h]
    }"""
    gradient = tt.grad(tt.Context().parse(text), wrt="a")
    close(gradient(1.0, np.zeros((3, 4), order="F"), groups=(2, 4))["a"], 8)
    with pytest.raises(tt.ArgumentError, match=r"expected one group in .*, got \(2, 4, 3\)"):
        gradient(1.0, np.zeros((3, 4), order="F"), groups=(2, 4, 3))


def test_members_of_groups():
    text = """
    func @scale(%a: f64, %G: group<memref<f64x3>x?>, %H: group<memref<f64x3>x?>) {
      %g = group_id.x : index
      %zero = constant 0.0 : f64
      %x = load %G[%g] : memref<f64x3>
      %y = load %H[%g] : memref<f64x3>
      hadamard_product %a, %x, %x, %zero, %y
    }"""
    Products(tt.Context().parse(text)).check()
    members = [np.full(3, 1.0), np.full(3, 2.0)]
    found = tt.grad(tt.Context().parse(text), wrt="G")(1.0, members, [np.zeros(3)] * 2)
    close(found["G"], [np.full(3, 2.0), np.full(3, 4.0)])


def test_a_member_twice():
    text = """
    func @square(%G: group<memref<f64x3>x?>, %H: group<memref<f64x3>x?>) {
      %g = group_id.x : index
      %zero = constant 0.0 : f64
      %one = constant 1.0 : f64
      %x = load %G[%g] : memref<f64x3>
      %y = load %H[%g] : memref<f64x3>
      hadamard_product %one, %x, %x, %zero, %y
    }"""
    module = tt.Context().parse(text)
    x, adjoint = np.full(3, 2.0), np.zeros(3)
    results, weights = ([np.full(3, value) for _ in range(4)] for value in (0.0, 1.0))
    message = "square_vjp: argument 'G_adjoint': expected each array once, .*members 0 and 1 that"
    for members in ([adjoint] * 4, (adjoint, adjoint[:], x, x), tt.Group([adjoint] * 4)):
        with pytest.raises(tt.ArgumentError, match=message):
            module.vjp(wrt=["G"])([x] * 4, results, members, weights)
    module.vjp(wrt=["G"], atomic=True)([x] * 4, results, [adjoint] * 4, weights)
    close(adjoint, np.full(3, 16.0))
    close(tt.grad(module, wrt="G")([x] * 4, results)["G"], np.full((4, 3), 4.0))


MIXED = {
    "real times complex": """
func @k(%a: f64, %A: memref<f64x4x3>, %B: memref<c64x3x5>, %C: memref<c64x4x5x?>) {
  %g = group_id : index
  %c = subview %C[0:4,0:5,%g] : memref<c64x4x5>
  gemm.n.n %a, %A, %B, %a, %c
}""",
    "bytes in a loop": """
func @k(%C: memref<f64x4x?>) {
  %g = group_id : index
  %c = subview %C[0:4,%g] : memref<f64x4>
  %half = constant 0.5 : f64
  %zero = constant 0.0 : f64
  for %i : i8 = -100, 101, 67 {
    %t = alloca : memref<f64x4,local>
    hadamard_product %half, %c, %c, %zero, %t
    %f = cast %i : f64
    axpby.n %f, %t, %half, %c
  }
}""",
    "no iteration": """
func @k(%n: index, %A: memref<f64x4>, %C: memref<f64x4x?>) {
  %g = group_id : index
  %c = subview %C[0:4,%g] : memref<f64x4>
  %half = constant 0.5 : f64
  for %i = %n, 1, 2 {
    hadamard_product %half, %A, %A, %half, %c
  }
  %r = for %i = 5, %n, 2 init(%x = %half) -> (f64) {
    %y = mul %x, %x : f64
    yield (%y)
  }
}""",
    "read by all groups, and written by each elsewhere": """
func @k(%A: memref<f64x4x9>, %C: memref<f64x4x?>) {
  %g = group_id : index
  %one = constant 1.0 : f64
  %own = add %g, 1 : index
  %common = subview %A[0:4,0] : memref<f64x4>
  %a = subview %A[0:4,%own] : memref<f64x4>
  %c = subview %C[0:4,%g] : memref<f64x4>
  hadamard_product %one, %common, %c, %one, %a
}""",
}


@pytest.mark.parametrize("name", MIXED)
def test_types_and_bounds(name):
    Products(tt.Context().parse(MIXED[name])).check()


def test_single_precision():
    text = """
func @k(%a: f32, %A: memref<f32x4x3>, %B: memref<f64x3x5>, %C: memref<f64x4x5x?>) {
  %g = group_id : index
  %c = subview %C[0:4,0:5,%g] : memref<f64x4x5>
  gemm.n.n %a, %A, %B, %a, %c
}"""
    Products(tt.Context().parse(text)).check(epsilon=float(np.finfo(np.float32).eps))


def test_wave_propagation():
    """The step of an element is linear in its solution: the adjoint needs no values."""
    text = (EXAMPLES / "02_ader_step.ir").read_text().replace("$T = f32", "$T = f64")
    module = tt.Context().parse(text)
    Products(module, wrt=["Q"]).check()
    Products(module).check()
    adjoint = module.vjp(wrt=["Q"]).text
    assert "gemm.n.n" not in adjoint
    assert adjoint.count("gemm") == 6


def test_errors(arrays):
    matrix, x, y = arrays
    module = tt.Context().parse(PRODUCT)
    with pytest.raises(tt.LoweringError, match="expected a parameter 'q', got none"):
        module.vjp(wrt=["q"])
    with pytest.raises(tt.ArgumentError, match=r"expected an array that the kernel writes \(y\)"):
        tt.grad(module, of="A")
    with pytest.raises(tt.ArgumentError, match="expected 4 arguments"):
        tt.grad(module)(2.0, matrix, x)
    reverse = module.vjp(wrt=["A"])
    with pytest.raises(tt.ArgumentError, match="unexpected argument 'A_adjont'; did you mean"):
        reverse(2.0, matrix, x, y, A_adjont=matrix, y_adjoint=y)
    with pytest.raises(tt.ArgumentError, match="product_vjp: expected 6 arguments"):
        reverse(2.0, matrix)
    two = tt.Context().parse("func @f() { } func @g() { }")
    with pytest.raises(tt.LoweringError, match=r"name of a kernel \(f, g\), got no name"):
        two.vjp()
    with pytest.raises(tt.LoweringError, match=r"name of a kernel \(f, g\), got 'h'"):
        two.jvp("h")


def test_place_of_an_error():
    text = """
func @f(%x: f32, %A: memref<f32>) {
  parallel {
    store %x, %A[]
  }
}"""
    with pytest.raises(tt.LoweringError) as error:
        tt.Context().parse(text, "kernel.ir").vjp()
    diagnostic = error.value.diagnostics[0]
    assert (diagnostic.filename, diagnostic.line, diagnostic.column) == ("kernel.ir", 4, 5)
    assert "several work-items" in diagnostic.message
