import cmath
import fractions
import math

import numpy as np
import pytest

from interpreting import FLOATS, INTEGERS, result_of, scalar
from tinytc_mlir.frontend.instructions import INSTRUCTIONS, MATH


def binary(word, type_, a, b):
    return scalar(f"arith.{word} %a, %b : {type_}", type_, a=(type_, a), b=(type_, b))


def unary(word, type_, a, result=None):
    return scalar(f"arith.{word} %a : {result or type_}", result or type_, a=(type_, a))


def compare(word, type_, a, b):
    return boolean(f"cmp.{word} %a, %b : bool", type_, a, b)


def boolean(instruction, type_, a, b):
    """Return the result of an instruction on %a and %b; a bool itself cannot be stored."""
    program = f"""
    func @f(%a: {type_}, %b: {type_}, %out: memref<i32>) {{
        %c = {instruction}
        %r = if %c -> (i32) {{
            %one = constant 1 : i32
            yield (%one)
        }} else {{
            %zero = constant 0 : i32
            yield (%zero)
        }}
        store %r, %out[]
    }}"""
    return bool(result_of(program, "i32", a, b))


@pytest.mark.parametrize("type_", INTEGERS)
def test_integers_wrap_around(type_):
    limits = np.iinfo({"index": "int64"}.get(type_, type_.replace("i", "int")))
    assert binary("add", type_, limits.max, 1) == limits.min
    assert binary("sub", type_, limits.min, 1) == limits.max
    assert binary("mul", type_, limits.max, 2) == -2
    assert unary("neg", type_, limits.min) == limits.min
    assert unary("abs", type_, limits.min) == limits.min


@pytest.mark.parametrize("type_", INTEGERS)
@pytest.mark.parametrize(
    ("a", "b", "quotient", "remainder"),
    [(7, 2, 3, 1), (-7, 2, -3, -1), (7, -2, -3, 1), (-7, -2, 3, -1), (6, 3, 2, 0), (0, -5, 0, 0)],
)
def test_integer_division_truncates(type_, a, b, quotient, remainder):
    assert binary("div", type_, a, b) == quotient
    assert binary("rem", type_, a, b) == remainder


def test_quotient_of_the_smallest_integer():
    assert binary("div", "i8", -128, 1) == -128
    assert binary("div", "i8", -128, -128) == 1
    assert binary("rem", "i64", -(2**63), 3) == -2
    assert binary("div", "i64", -(2**63), 2) == -(2**62)


@pytest.mark.parametrize("type_", INTEGERS)
def test_shifts(type_):
    bits = {"index": 64}.get(type_) or int(type_[1:])
    assert binary("shl", type_, 3, 2) == 12
    assert binary("shl", type_, 1, bits - 1) == -(2 ** (bits - 1))
    assert binary("shr", type_, -8, 1) == -4
    assert binary("shr", type_, -1, bits - 1) == -1
    assert binary("shl", type_, 1, bits + 1) == 2


def test_bitwise_operations():
    assert binary("and", "i8", 0b1100, 0b1010) == 0b1000
    assert binary("or", "i16", 0b1100, 0b1010) == 0b1110
    assert binary("xor", "i32", 0b1100, 0b1010) == 0b0110
    assert unary("not", "i64", 5) == -6


@pytest.mark.parametrize(("word", "table"), [("and", "0001"), ("or", "0111"), ("xor", "0110")])
def test_boolean_operations(word, table):
    cases = [(False, False), (False, True), (True, False), (True, True)]
    got = [boolean(f"arith.{word} %a, %b : bool", "bool", a, b) for a, b in cases]
    assert got == [digit == "1" for digit in table]


def test_boolean_not():
    assert boolean("arith.not %a : bool", "bool", False, False)
    assert not boolean("arith.not %a : bool", "bool", True, False)


@pytest.mark.parametrize("type_", FLOATS)
def test_floating_point_rounds_to_its_type(type_):
    dtype = {"f16": np.float16, "f32": np.float32, "f64": np.float64}[type_]
    third = dtype(1) / dtype(3)
    assert binary("div", type_, 1.0, 3.0) == third
    assert binary("add", type_, 1.0, float(np.finfo(dtype).eps) / 2) == 1
    assert binary("mul", type_, float(third), 3.0) == third * dtype(3)
    assert binary("rem", type_, -5.5, 2.0) == -1.5
    assert binary("rem", type_, 5.5, -2.0) == 1.5
    assert np.isinf(binary("mul", type_, float(np.finfo(dtype).max), 2.0))


def test_bfloat16_rounds_every_result():
    def value(bits):
        return (np.asarray(bits, np.uint32) << 16).view(np.float32)[()]

    assert value(binary("add", "bf16", 256.0, 1.0)) == 256  # a tie goes to even
    assert value(binary("add", "bf16", 256.0, 3.0)) == 260
    assert value(binary("div", "bf16", 1.0, 3.0)) == np.float32(0.333984375)
    assert value(binary("min", "bf16", 1.0, -2.0)) == -2


@pytest.mark.parametrize("type_", FLOATS)
def test_min_and_max_ignore_one_nan(type_):
    nan = float("nan")
    for word in ("min", "max"):
        assert binary(word, type_, nan, 2.0) == 2
        assert binary(word, type_, 2.0, nan) == 2
        assert np.isnan(binary(word, type_, nan, nan))
    assert binary("min", type_, 1.0, -1.0) == -1
    assert binary("max", type_, 1.0, -1.0) == 1


@pytest.mark.parametrize("type_", INTEGERS)
def test_min_and_max_are_signed(type_):
    assert binary("min", type_, -1, 1) == -1
    assert binary("max", type_, -1, 1) == 1


@pytest.mark.parametrize(
    ("word", "less", "equal", "greater", "unordered"),
    [
        ("eq", 0, 1, 0, 0),
        ("ne", 1, 0, 1, 1),
        ("gt", 0, 0, 1, 0),
        ("ge", 0, 1, 1, 0),
        ("lt", 1, 0, 0, 0),
        ("le", 1, 1, 0, 0),
    ],
)
def test_comparisons(word, less, equal, greater, unordered):
    for type_ in FLOATS:
        assert compare(word, type_, 1.0, 2.0) == less
        assert compare(word, type_, 2.0, 2.0) == equal
        assert compare(word, type_, 2.0, 1.0) == greater
        assert compare(word, type_, 2.0, float("nan")) == unordered
    for type_ in INTEGERS:
        assert compare(word, type_, -1, 1) == less
        assert compare(word, type_, 1, 1) == equal
        assert compare(word, type_, 1, -1) == greater
    if word in ("eq", "ne"):
        assert compare(word, "c64", 1 + 2j, 1 + 2j) == equal
        assert compare(word, "c32", 1 + 2j, 1 - 2j) == less


def function(name, type_, a):
    operands = ", ".join(["%a"] * len(INSTRUCTIONS[name].operands))
    return scalar(f"{name} {operands} : {type_}", type_, a=(type_, a))


PYTHON = {
    "rsqrt": lambda a: 1 / math.sqrt(a),
    "hypot": lambda a: math.hypot(a, a),
    "pow": lambda a: a**a,
    "fma": lambda a: a * a + a,
    "minimum": lambda a: a,
    "maximum": lambda a: a,
}


@pytest.mark.parametrize("name", MATH)
def test_functions_are_those_of_python(name):
    word = name.removeprefix("math.").removeprefix("native_")
    expected_of = PYTHON.get(word) or getattr(math, word)
    for a in (0.25, 0.5, 1.0, 3.0):
        for type_ in FLOATS:
            dtype = {"f16": np.float16, "f32": np.float32, "f64": np.float64}[type_]
            # NumPy's functions and those of math round differently, by up to 4 units of f64.
            expected = pytest.approx(float(dtype(expected_of(a))), rel=1e-15, abs=0)
            assert function(name, type_, a) == expected


def test_one_rounding_of_a_product_and_a_sum():
    a, c = 1 + 2.0**-40, -(1 + 2.0**-39)
    assert fused(a, c) == 2.0**-80
    assert a * a + c == 0
    assert fused(math.inf, -math.inf) != fused(math.inf, -math.inf)
    assert fused(1e300, 1.0) == math.inf


def fused(a, c):
    return scalar("fma %a, %a, %c : f64", "f64", a=("f64", a), c=("f64", c))


@pytest.mark.parametrize("name", ["math.exp", "math.native_exp", "exp2", "native_exp2"])
def test_functions_of_complex_numbers(name):
    base = 2.0 if "2" in name else math.e
    for z in (0.0j, 0.5 + 1j, 1.0 - 3j, -2.5 + 0.125j):
        expected = cmath.exp(z * math.log(base))
        # Likewise: exp, a sine or cosine, and a product.
        assert function(name, "c64", z) == pytest.approx(expected, rel=1e-15)
        assert function(name, "c32", z) == np.complex64(expected)
    assert function(name, "c64", 3.0 + 0j).imag == 0


def test_phase_of_large_imaginary_parts():
    """y log 2 in f64 would be off by 2**-33 at y = 2**20 + 1 / 3."""
    y = fractions.Fraction(2**20 + 1 / 3)
    log2 = fractions.Fraction(693147180559945309417232121458176568, 10**36)
    turns = y * log2 / (2 * fractions.Fraction(3141592653589793238462643383279502884, 10**36))
    angle = 2 * math.pi * float(turns - math.floor(turns))
    # The angle has an error of 2 pi 2^-53, and the sine and the cosine add a unit each.
    assert function("exp2", "c64", complex(0, y)) == pytest.approx(cmath.rect(1, angle), rel=1e-14)


def test_functions_outside_of_their_range():
    assert np.isnan(function("log", "f32", -1.0))
    assert function("log2", "f64", 0.0) == -np.inf
    assert np.isnan(function("cos", "f32", np.inf))


@pytest.mark.parametrize("word", ["exp", "native_exp"])
def test_exponential_function(word):
    assert function(f"math.{word}", "bf16", 0.0) == 0x3F80
    assert np.isinf(function(f"math.{word}", "f32", 100.0))
