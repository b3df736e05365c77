"""A derivative is a program like any other: it is read, saved, tuned, explored, and built."""

import base64
import gzip
import re

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import whole_numbers
from tinytc_mlir.compiler import TARGETS
from tinytc_mlir.measure.sample_data import SampleOptions

PRODUCT = """
func @product(%A: memref<f64x4x3>, %x: memref<f64x3x?>, %y: memref<f64x4x?>) {
  %g = group_id.x : index
  %one = constant 1.0 : f64
  %p = subview %x[:, %g] : memref<f64x3>
  %q = subview %y[:, %g] : memref<f64x4>
  gemv.n %one, %A, %p, %one, %q
}"""


@pytest.fixture
def reverse():
    return tt.Context().parse(PRODUCT).vjp(wrt=["A", "x"], atomic=True)


@pytest.fixture
def arguments():
    rng = np.random.default_rng(1)
    shapes = ((4, 3), (3, 5), (4, 5), (4, 3), (3, 5), (4, 5))
    return [np.asfortranarray(whole_numbers(rng, shape)) for shape in shapes]


def launched(kernel, arguments):
    """Return the adjoints of A and x."""
    given = [array.copy(order="F") for array in arguments]
    kernel(*given)
    return given[3:5]


def assert_adjoints(found, arguments):
    matrix, x, _, matrix_adjoint, x_adjoint, y_adjoint = arguments
    expected = matrix_adjoint + y_adjoint @ x.T, x_adjoint + matrix.T @ y_adjoint
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("target", ["cpu", "native"])
def test_text(reverse, arguments, target):
    kernel = tt.Context().parse(reverse.text).compile(target)["product_vjp"]
    assert_adjoints(launched(kernel, arguments), arguments)


def test_file(reverse, arguments, tmp_path):
    reverse.compile("native").save(tmp_path / "product.tinytc")
    kernel = tt.load(tmp_path / "product.tinytc")["product_vjp"]
    assert_adjoints(launched(kernel, arguments), arguments)


@pytest.mark.parametrize("target", TARGETS)
def test_targets(target):
    """In single precision, which all have."""
    reverse = tt.Context().parse(PRODUCT.replace("f64", "f32")).vjp(wrt=["A"])
    assert set(reverse.compile(target).kernels) == {"product_vjp", "product_vjp_sum"}


def test_page(reverse):
    page = reverse.module.explore("cpu").html
    (data,) = re.findall(r'<script id="data" type="text/plain">(.*?)</script>', page)
    assert b"product_vjp" in gzip.decompress(base64.b64decode(data))


def test_search(reverse):
    found = reverse.module.tune(
        "product_vjp", target="cpu", options=SampleOptions(groups=5), store=False, limit_s=1
    )
    assert found.kernel == "product_vjp"


def test_sums_over_groups_are_reproducible():
    """Without `atomic`, each bit of each launch is the same."""
    reverse = tt.Context().parse(PRODUCT).vjp(wrt=["A"])
    rng = np.random.default_rng(1)
    x, weight = (np.asfortranarray(whole_numbers(rng, (size, 2000))) for size in (3, 4))
    bits = set()
    for _ in range(5):
        adjoint = np.zeros((4, 3), order="F")
        reverse(np.ones((4, 3), order="F"), x, np.zeros_like(weight), adjoint, weight.copy("F"))
        bits.add(adjoint.tobytes())
    assert len(bits) == 1
    np.testing.assert_array_equal(adjoint, weight @ x.T)
