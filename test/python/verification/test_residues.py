"""Residues obey the laws of real numbers that compilers use."""

import numpy as np
import pytest

from tinytc_mlir.scalars import SCALAR_TYPES
from tinytc_mlir.verification.jets import PRIMES, Jets
from tinytc_mlir.verification.residues import Residues
from tinytc_mlir.verification.unshown import Unshown

NUMBERS = Residues(2**31 - 1)
F32, C32 = SCALAR_TYPES["f32"], SCALAR_TYPES["c32"]


def residues(seed, prime=NUMBERS.prime, shape=200):
    return np.random.default_rng(seed).integers(1, prime, shape)


def test_a_field():
    a, b, c = map(residues, range(3))
    add, multiply, divide = (NUMBERS.binary(word, F32) for word in ("add", "mul", "div"))
    assert (multiply(add(a, b), c) == add(multiply(a, c), multiply(b, c))).all()
    assert (multiply(divide(a, b), b) == a).all()
    assert (NUMBERS.of_several("fma", F32)(a, b, c) == add(multiply(a, b), c)).all()


def test_signs_and_roots_multiply():
    a, b = residues(3), residues(4)
    multiply = NUMBERS.binary("mul", F32)
    for word in ("abs", "sqrt"):
        function = NUMBERS.unary(word, F32)
        assert (function(multiply(a, b)) == multiply(function(a), function(b))).all()
    root = NUMBERS.unary("sqrt", F32)
    assert (root(multiply(a, a)) == NUMBERS.unary("abs", F32)(a)).all()
    assert (multiply(root(a), NUMBERS.unary("rsqrt", F32)(a)) == 1).all()


def test_the_order_is_total_and_odd():
    a, b = residues(5), residues(6)
    negative, largest = NUMBERS.unary("neg", F32), NUMBERS.binary("max", F32)
    less, greater = NUMBERS.compare("lt", F32), NUMBERS.compare("gt", F32)
    assert (less(a, b) == greater(negative(a), negative(b))).all()
    assert (less(a, b) != NUMBERS.compare("ge", F32)(a, b)).all()
    assert (largest(a, negative(a)) == NUMBERS.unary("abs", F32)(a)).all()


def test_infinities_and_nan():
    inf, minus, nan = (NUMBERS.constant(F32, each) for each in (np.inf, -np.inf, np.nan))
    add, multiply = NUMBERS.binary("add", F32), NUMBERS.binary("mul", F32)
    assert add(inf, np.int64(5)) == inf
    assert NUMBERS.is_nan(add(inf, minus))
    assert NUMBERS.is_nan(multiply(inf, np.int64(0)))
    assert NUMBERS.binary("max", F32)(minus, np.int64(7)) == 7
    assert not NUMBERS.compare("lt", F32)(nan, np.int64(1))
    assert NUMBERS.unary("exp", F32)(minus) == 0


@pytest.mark.parametrize("type_", ["f32", "c32"])
def test_products_of_matrices(type_):
    scalar_type, p = SCALAR_TYPES[type_], NUMBERS.prime
    a, b = residues(7, shape=(5, 70)), residues(8, shape=(70, 3))
    if type_ == "c32":
        a, b = a + 1j * residues(9, shape=a.shape), b + 1j * residues(10, shape=b.shape)
    product = NUMBERS.matmul(scalar_type, a, b)
    real = [[int(x.real) for x in row] for row in np.asarray(a, complex)]
    exact = np.array(real, object) @ np.array(np.real(b).astype(np.int64), object)
    if type_ == "c32":
        imaginary = np.imag(a).astype(np.int64).astype(object)
        exact = exact - imaginary @ np.imag(b).astype(np.int64).astype(object)
    assert (np.real(product).astype(np.int64) == exact % p).all()


def test_integers_of_numbers_are_not_shown():
    with pytest.raises(Unshown, match="it makes integers of computed numbers"):
        NUMBERS.cast(F32, SCALAR_TYPES["i32"])


@pytest.mark.parametrize("prime", [13, 2**31 + 11])
def test_primes_that_are_refused(prime):
    with pytest.raises(ValueError, match="expected a prime that is 3 modulo 4"):
        Residues(prime)


@pytest.mark.parametrize("word", ["sqrt", "rsqrt", "exp", "expm1", "log", "log1p", "atan", "tanh"])
def test_jets_differentiate(word):
    """The slope of h along x is what the rule of calculus says, in terms of h itself."""
    p = PRIMES[0]
    numbers = Jets(p)
    x = residues(11, p) * residues(11, p) % p  # squares, which are positive
    function = numbers.unary(word, F32)
    low, high = function(x), function((x + 3 * p) % p**2)
    slope, h = (high - low) // p % p, low % p
    inverse = [pow(int(each), -1, p) for each in x]
    expected = {
        "sqrt": 3 * np.array([pow(int(2 * each), -1, p) for each in h]),
        "rsqrt": -3 * h * inverse % p * np.array([pow(2, -1, p)]),
        "exp": 3 * h,
        "expm1": 3 * (h + 1),
        "log": 3 * np.array(inverse),
        "log1p": 3 * np.array([pow(int(each + 1), -1, p) for each in x]),
        "atan": 3 * np.array([pow(int(1 + each * each), -1, p) for each in x]),
        "tanh": 3 * (1 - h * h),
    }[word]
    assert (slope == expected % p).all()
