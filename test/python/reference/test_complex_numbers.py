import numpy as np
import pytest

from interpreting import COMPLEX, scalar

LARGE = {"c32": 2.0**120, "c64": 2.0**1000}


def binary(word, type_, a, b):
    return scalar(f"arith.{word} %a, %b : {type_}", type_, a=(type_, a), b=(type_, b))


def unary(word, type_, a):
    result = type_ if word in ("neg", "conj") else f"f{type_[1:]}"
    return scalar(f"arith.{word} %a : {result}", result, a=(type_, a))


@pytest.mark.parametrize("type_", COMPLEX)
def test_arithmetic(type_):
    assert binary("add", type_, 1 + 2j, 3 - 1j) == 4 + 1j
    assert binary("sub", type_, 1 + 2j, 3 - 1j) == -2 + 3j
    assert binary("mul", type_, 1 + 2j, 3 - 1j) == 5 + 5j
    assert binary("div", type_, 5 + 5j, 3 - 1j) == 1 + 2j


@pytest.mark.parametrize("type_", COMPLEX)
def test_unary_operations(type_):
    assert unary("neg", type_, 1 - 2j) == -1 + 2j
    assert unary("conj", type_, 1 - 2j) == 1 + 2j
    assert unary("re", type_, 1 - 2j) == 1
    assert unary("im", type_, 1 - 2j) == -2
    assert unary("abs", type_, 3 - 4j) == 5


@pytest.mark.parametrize("type_", COMPLEX)
def test_nothing_overflows_or_underflows_needlessly(type_):
    large = LARGE[type_]
    tiny = 1 / large
    assert binary("div", type_, large * (1 + 1j), large * (1 + 1j)) == 1
    assert binary("div", type_, tiny * (2 + 2j), tiny * (1 + 1j)) == 2
    assert binary("div", type_, large * (1 + 1j), large + 0j) == 1 + 1j
    assert binary("mul", type_, large * (1 + 1j), tiny * (1 + 1j)) == 2j
    assert unary("abs", type_, large * (3 + 4j)) == 5 * large
    assert unary("abs", type_, tiny * (3 + 4j)) == 5 * tiny


@pytest.mark.parametrize("type_", COMPLEX)
def test_division_by_numbers_with_a_zero_part(type_):
    assert binary("div", type_, 4 + 2j, 2 + 0j) == 2 + 1j
    assert binary("div", type_, 4 + 2j, 0 + 2j) == 1 - 2j
    assert binary("div", type_, 0 + 2j, 2 + 0j) == 1j
    assert binary("div", type_, 2 + 0j, 0 + 1j) == -2j


@pytest.mark.parametrize("type_", COMPLEX)
def test_division_with_infinities(type_):
    infinity = complex(np.inf, 0)
    assert np.isinf(binary("div", type_, 1 + 1j, 0j))
    assert np.isinf(binary("div", type_, infinity, 1 + 1j))
    assert binary("div", type_, 1 + 1j, infinity) == 0
    assert np.isnan(binary("div", type_, 0j, 0j))
