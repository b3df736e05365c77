"""Derivatives of each instruction: inner products, differences, symmetry of second ones."""

import pytest
from differentiated_kernels import KERNELS
from dot_products import Products, check_symmetry

import tinytc_mlir as tt
from tinytc_mlir.frameworks.functional import kernel_text

SMOOTH = sorted(KERNELS)


@pytest.fixture(params=[False, True], ids=["compiled", "interpreted"])
def launches(request, monkeypatch):
    """Run kernels on the default device, then with the interpreter, which finds races."""
    if request.param:
        monkeypatch.setenv("TINYTC_INTERPRET", "1")


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.usefixtures("launches")
def test_inner_products(name):
    Products(tt.Context().parse(KERNELS[name])).check()


@pytest.mark.parametrize("name", SMOOTH)
def test_differences(name):
    Products(tt.Context().parse(KERNELS[name])).check_differences()


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.usefixtures("launches")
def test_atomic(name):
    Products(tt.Context().parse(KERNELS[name]), atomic=True).check(epsilon=1e-15)


@pytest.mark.parametrize("name", SMOOTH)
def test_text_reads_back(name):
    module = tt.Context().parse(KERNELS[name])
    for derivative in (module.jvp(), module.vjp()):
        text = tt.Context().parse(derivative.text).to_text()  # which numbers values anew
        assert tt.Context().parse(text).to_text() == text
        assert text.count("\n") == derivative.text.count("\n")


@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives_of_derivatives_by_symmetry(name):
    check_symmetry(tt.Context().parse(KERNELS[name]))


@pytest.mark.parametrize("atomic", [False, True])
@pytest.mark.parametrize("name", [name for name in SMOOTH if name != "cooperative_matrices"])
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
