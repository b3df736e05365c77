"""Derivatives of derivatives touch the part of a buffer that belongs to the group, and no other."""

import numpy as np
import pytest
from dot_products import INTEGERS, Products

import tinytc_mlir as tt
from nearness import assert_near

TEXT = """func @k(%n: index, %m: index, %x: memref<f64x?>) {
  %g = group_id.x : index
  for %j = 0, COUNT {
    for %k = 0, %n {
      %v = load %x[%g] : f64
      %w = sin %v : f64
      store %w, %x[%g]
    }
  }
}"""
WRT = ("x", "x_adjoint")


@pytest.fixture(autouse=True)
def natively(monkeypatch):
    monkeypatch.setenv("TINYTC_TARGET", "native")


def launched(derivative, values, groups):
    """Return what a derivative adds to its parameters, which begin with the same values."""
    x, w, v = values
    added = {p.name: np.zeros(x.shape) if p.of == "x" else v.copy() for p in derivative.parameters}
    derivative(n=3, m=3, x=x.copy(), x_adjoint=w.copy(), **added, groups=groups)
    return added


@pytest.mark.parametrize("count", ["%m", "3"])
def test_groups_are_independent(count):
    second = tt.Context().parse(TEXT.replace("COUNT", count)).vjp().vjp(wrt=WRT)
    values = np.random.default_rng(0).uniform(0.2, 1.4, (3, 400))
    first = launched(second, values, 400)
    for column in (0, 7, 399):
        alone = launched(second, values[:, column : column + 1], 1)
        for name, value in alone.items():
            assert_near(first[name][column], value[0])


def test_the_second_derivative_of_a_function():
    """Of y = sin(sin(sin(x))), by differences of the first derivative."""
    module = tt.Context().parse(TEXT.replace("COUNT", "1"))
    second, x = module.vjp().vjp(wrt=WRT), np.array([0.3, 0.9, 1.2])

    def slope(x):
        adjoint = np.ones(3)
        module.vjp()(3, 1, x.copy(), adjoint)
        return adjoint

    found = launched(second, (x, np.ones(3), np.ones(3)), 3)
    (name,) = (p.name for p in second.parameters if p.of == "x")
    step = 1e-6
    exact = (slope(x + step) - slope(x - step)) / (2 * step)
    assert_near(found[name], exact, differences=step)


def test_reverse_of_reverse_of_reverse(monkeypatch):
    monkeypatch.setitem(INTEGERS, "m", 2)
    module = tt.Context().parse(TEXT.replace("COUNT", "2"))
    Products(module.vjp(atomic=True).vjp(wrt=WRT, atomic=True), groups=50, atomic=True).check(1e-12)


@pytest.mark.parametrize("offset", ["%n", "0"])
def test_accesses_to_other_parts(offset):
    text = tt.Context().parse(TEXT.replace("COUNT", "%m")).vjp().text
    view = next(line for line in text.splitlines() if "subview %kept[" in line)
    other = view[: view.rindex(", ")] + f", {offset}" + view[view.rindex("]") :]
    module = tt.Context().parse(text.replace(view, other))
    with pytest.raises(tt.LoweringError, match="the part of a buffer that belongs to the group"):
        module.vjp()
