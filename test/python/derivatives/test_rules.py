"""Derivatives of each instruction: inner products, differences, symmetry of second ones."""

import numpy as np
import pytest
from differentiated_kernels import KERNELS
from dot_products import Products, copied

import tinytc_mlir as tt

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
    """v H u = u H v, where H is the second derivative of a weighted sum of results."""
    products = Products(tt.Context().parse(KERNELS[name]), atomic=True)
    weights = products.random()
    for parameter in products.reverse.parameters:
        if not isinstance(weights[parameter.of], (np.ndarray, list)):
            weights[parameter.of] = np.zeros((), products.direction[parameter.of].dtype)
    second = products.reverse.jvp(wrt=products.names)
    added = [parameter.of for parameter in second.parameters if parameter.of not in products.names]
    found = []
    directions = [products.random(), products.random()]
    for direction, other in (directions, directions[::-1]):
        given = {name: copied(value) for name, value in products.point.items()}
        adjoints = {f"{name}_adjoint": copied(weight) for name, weight in weights.items()}
        tangents = {f"{name}_tangent": copied(value) for name, value in direction.items()}
        results = {f"{name}_tangent": np.zeros_like(adjoints[name], order="F") for name in added}
        second(**given, **adjoints, **tangents, **results, groups=products.groups)
        terms = [
            np.sum(results[f"{name}_tangent"] * other[name.removesuffix("_adjoint")]).real
            for name in added
        ]
        found.append(sum(terms))
    assert abs(found[0] - found[1]) <= 1e-12 * (1 + abs(found[0]))
