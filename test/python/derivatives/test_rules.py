"""Derivatives of each instruction: inner products, differences, symmetry of second ones."""

import pytest
from differentiated_factors import KERNELS
from dot_products import Products, check_symmetry

import profiles
import tinytc_mlir as tt
from tinytc_mlir.frameworks.functional import kernel_text

SMOOTH = sorted(KERNELS)
SOME = profiles.some_of(SMOOTH, "derivatives of derivatives")


@pytest.fixture(params=[False, True], ids=["compiled", "interpreted"])
def launches(request, monkeypatch):
    """Run kernels on the default device, then with the interpreter, which finds races."""
    if request.param:
        monkeypatch.setenv("TINYTC_INTERPRET", "1")


@pytest.mark.similar
@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.usefixtures("launches")
def test_inner_products(name):
    Products(tt.Context().parse(KERNELS[name])).check()


@pytest.mark.similar
@pytest.mark.parametrize("name", SMOOTH)
def test_differences(name):
    Products(tt.Context().parse(KERNELS[name])).check_differences()


@pytest.mark.similar
@pytest.mark.parametrize("name", SOME)
@pytest.mark.usefixtures("launches")
def test_atomic(name):
    Products(tt.Context().parse(KERNELS[name]), atomic=True).check(epsilon=1e-15)


@pytest.mark.parametrize("name", SMOOTH)
def test_text_reads_back(name):
    module = tt.Context().parse(KERNELS[name])
    for derivative in (module.jvp(), module.vjp()):
        text = tt.Context().parse(derivative.text).to_text()  # which numbers values again
        assert tt.Context().parse(text).to_text() == text
        assert text.count("\n") == derivative.text.count("\n")


@pytest.mark.similar
@pytest.mark.parametrize("name", SOME)
def test_derivatives_of_derivatives_by_symmetry(name):
    check_symmetry(tt.Context().parse(KERNELS[name]))


@pytest.mark.similar
@pytest.mark.parametrize("atomic", [False, True])
@pytest.mark.parametrize("name", [name for name in SOME if name != "cooperative_matrices"])
def test_adjoints_of_adjoints(name, atomic, monkeypatch):
    """Parameters of both derivatives have names of their own: `A_adjoint` and `A_adjoint2`."""
    # Intel's driver forms no vectors of one of them, and computes with the first lane alone.
    monkeypatch.setenv("TINYTC_TARGET", "native")
    reverse = tt.Context().parse(KERNELS[name]).vjp(atomic=atomic)
    kernel = tt.Context().parse(kernel_text(reverse.text, reverse.name))
    products = Products(kernel, atomic=atomic)
    names = products.reverse.parameter_names
    assert len(set(names)) == len(names)
    products.check(epsilon=1e-14)


APPLY = """
func @k(%W: memref<f64x16x8>, %C: memref<f64x16x8x?>)
    attributes {subgroup_size=16, work_group_size=[16, 1]} {
  %gid = group_id : index
  %c = subview %C[0:16,0:8,%gid] : memref<f64x16x8>
  %zero = constant 0.0 : f64
  %two = constant 2.0 : f64
  %w = alloca : memref<f64x16x8,local>
  axpby %two, %W, %zero, %w
  parallel {
    %x = cooperative_matrix_load %c[0, 0] : coopmatrix<f64x16x8,matrix_acc>
    %one = cooperative_matrix_construct 1.0 : coopmatrix<f64x16x8,matrix_acc>
    %f = cooperative_matrix_apply (%i, %j, %p) = %one -> coopmatrix<f64x16x8,matrix_acc> {
      %k = cast %i : index
      %l = cast %j : index
      %v = load %w[%k, %l] : f64
      yield (%v)
    }
    %y = mul %x, %f : coopmatrix<f64x16x8,matrix_acc>
    cooperative_matrix_store %y, %c[0, 0]
  }
  axpby %two, %W, %two, %w
  axpby %two, %w, %two, %c
}
"""


@pytest.mark.usefixtures("launches")
def test_memory_that_an_apply_loads():
    Products(tt.Context().parse(APPLY), wrt=["C"]).check()
