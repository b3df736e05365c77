"""Operations of the gpu stage on values of every type, against Python's own numbers."""

import math
import operator

import numpy as np
import pytest

from cases.stage_kernels import SEEDS, stage
from nearness import assert_units
from tinytc_mlir.scalars import bfloat16_bits, bfloat16_values

DTYPES = {
    **{f"i{8 * size}": np.dtype(f"i{size}") for size in (1, 2, 4, 8)},
    **{f"f{8 * size}": np.dtype(f"f{size}") for size in (2, 4, 8)},
    "index": np.dtype("i8"),
}
NUMBERS = (127, -128, 7, -7, 5, 1, -1, 100)
FLOATS = (1.5, -2.0, 0.0, math.nan, math.inf, 1.5, math.nan, -0.0)


def run(line, source, result, values, *, seed=None):
    """Return %r, which a line computes from the numbers %p and %q, each work-item's and the next.

    Args:
        line: the operation.
        source: type of %p and %q.
        result: type of %r.
        values: 8 numbers.
        seed: what decides the order of the work-items, None if they run in step.
    """
    parameters = f"%a: memref<?x{source}>, %b: memref<?x{result}>"
    body = f"""
    %p = memref.load %a[%item] : memref<?x{source}>
    %q = memref.load %a[%next] : memref<?x{source}>
    {line}
    memref.store %r, %b[%item] : memref<?x{result}>"""
    given, got = np.array(values, DTYPES[source]), np.zeros(8, DTYPES[result])
    assert stage(body, parameters).check("f", [given, got], seed=seed) == []
    return got.tolist()


def wrap(value, bits):
    """Return an integer modulo 2**bits, signed."""
    return (value + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


def pairs(values):
    """Return each value and the next one, the first after the last."""
    return zip(values, (*values[1:], values[0]), strict=True)


def quotient(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def unsigned(function):
    return lambda a, b: function(a % 256, b % 256)


@pytest.mark.parametrize("seed", SEEDS[:2])
@pytest.mark.parametrize(
    ("word", "function"),
    [
        ("addi", operator.add),
        ("subi", operator.sub),
        ("muli", operator.mul),
        ("divsi", quotient),
        ("remsi", math.fmod),
        ("divui", unsigned(operator.floordiv)),
        ("remui", unsigned(operator.mod)),
        ("andi", operator.and_),
        ("ori", operator.or_),
        ("xori", operator.xor),
        ("minsi", min),
        ("maxsi", max),
        ("minui", unsigned(min)),
        ("maxui", unsigned(max)),
    ],
)
def test_integers(word, function, seed):
    expected = [wrap(int(function(a, b)), 8) for a, b in pairs(NUMBERS)]
    assert run(f"%r = arith.{word} %p, %q : i8", "i8", "i8", NUMBERS, seed=seed) == expected


@pytest.mark.parametrize("type_", ["i16", "i32", "i64", "index"])
def test_sums_and_products_wrap_around(type_):
    bits = 8 * DTYPES[type_].itemsize
    large = [wrap(number * 2 ** (bits - 8), bits) for number in NUMBERS]
    line = f"%s = arith.addi %p, %q : {type_}\n%r = arith.muli %s, %q : {type_}"
    expected = [wrap((a + b) * b, bits) for a, b in pairs(large)]
    assert run(line, type_, type_, large) == expected


@pytest.mark.parametrize(
    ("word", "function"),
    [
        ("shli", lambda a, n: wrap(a << n, 8)),
        ("shrsi", lambda a, n: a >> n),
        ("shrui", lambda a, n: wrap((a % 256) >> n, 8)),
    ],
)
def test_shifts(word, function):
    line = f"%n = arith.constant 3 : i8\n%r = arith.{word} %p, %n : i8"
    assert run(line, "i8", "i8", NUMBERS) == [function(a, 3) for a in NUMBERS]


@pytest.mark.parametrize("seed", SEEDS[:2])
@pytest.mark.parametrize(
    "word", ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
)
def test_comparison_of_integers(word, seed):
    test = getattr(operator, word.removeprefix("s").removeprefix("u"))
    function = unsigned(test) if word.startswith("u") else test
    line = f"%t = arith.cmpi {word}, %p, %q : i8\n%r = arith.extui %t : i1 to i8"
    expected = [int(function(a, b)) for a, b in pairs(NUMBERS)]
    assert run(line, "i8", "i8", NUMBERS, seed=seed) == expected


@pytest.mark.parametrize("seed", SEEDS[:2])
@pytest.mark.parametrize("prefix", ["o", "u"])
@pytest.mark.parametrize("word", ["eq", "ne", "lt", "le", "gt", "ge", ""])
def test_comparison_of_floats(prefix, word, seed):
    def holds(a, b):
        has_nan = math.isnan(a) or math.isnan(b)
        if not word:
            return has_nan == (prefix == "u")
        return prefix == "u" if has_nan else getattr(operator, word)(a, b)

    name = prefix + word if word else {"o": "ord", "u": "uno"}[prefix]
    line = f"%t = arith.cmpf {name}, %p, %q : f32\n%s = arith.extui %t : i1 to i32"
    line += "\n%r = arith.sitofp %s : i32 to f32"
    expected = [int(holds(a, b)) for a, b in pairs(FLOATS)]
    assert run(line, "f32", "f32", FLOATS, seed=seed) == expected


@pytest.mark.parametrize(
    ("line", "result", "expected"),
    [
        ("%r = arith.extsi %p : i8 to i32", "i32", NUMBERS),
        ("%r = arith.extui %p : i8 to i32", "i32", [a % 256 for a in NUMBERS]),
        ("%r = arith.sitofp %p : i8 to f16", "f16", NUMBERS),
        ("%r = arith.uitofp %p : i8 to f32", "f32", [a % 256 for a in NUMBERS]),
        ("%r = arith.index_cast %p : i8 to index", "index", NUMBERS),
        ("%r = arith.index_castui %p : i8 to index", "index", [a % 256 for a in NUMBERS]),
        (
            "%t = arith.trunci %p : i8 to i1\n%r = arith.extsi %t : i1 to i8",
            "i8",
            [-(a % 2) for a in NUMBERS],
        ),
    ],
)
def test_casts_of_integers(line, result, expected):
    assert run(line, "i8", result, NUMBERS) == list(expected)


def test_casts_of_floats():
    values = (1.9, -1.9, 2.5, 1e-9, 65520.0, 1 + 2**-11, 1 + 3 * 2**-11, -0.0)
    half = run("%r = arith.truncf %p : f64 to f16", "f64", "f16", values)
    ties = [1.0, 1 + 2**-9, -0.0]
    assert half == [np.float16(1.9), np.float16(-1.9), 2.5, 0, math.inf, *ties]
    assert run("%r = arith.extf %p : f32 to f64", "f32", "f64", values)[0] == np.float32(1.9)
    whole = run("%r = arith.fptosi %p : f64 to i32", "f64", "i32", values)
    assert whole[:3] == [1, -1, 2]


def test_products_are_not_rounded_before_they_are_added():
    line = "%c = arith.constant -1.0 : f32\n%r = math.fma %p, %q, %c : f32"
    values = (1 + 2**-12, 1 - 2**-12) * 4
    assert run(line, "f32", "f32", values) == [-(2.0**-24)] * 8


@pytest.mark.parametrize(
    ("word", "function"),
    [
        ("minnumf", lambda a, b: b if math.isnan(a) else a if math.isnan(b) else min(a, b)),
        ("minimumf", lambda a, b: math.nan if math.isnan(a + b * 0 + b) else min(a, b)),
        ("maxnumf", lambda a, b: b if math.isnan(a) else a if math.isnan(b) else max(a, b)),
    ],
)
def test_nan_in_extrema(word, function):
    values = (1.0, math.nan, 2.0, -3.0, 4.0, math.nan, -1.0, 0.5)
    got = run(f"%r = arith.{word} %p, %q : f64", "f64", "f64", values)
    expected = [function(a, b) for a, b in pairs(values)]
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("word", ["exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "absf"])
@pytest.mark.parametrize("type_", ["f16", "f32", "f64"])
def test_functions_round_once(word, type_):
    values = np.array([0.1, 0.5, 1.0, 2.0, 3.0, 4.5, 6.0, 8.0], DTYPES[type_])
    function = math.fabs if word == "absf" else getattr(math, word)
    expected = [DTYPES[type_].type(function(float(a))) for a in values]
    got = run(f"%r = math.{word} %p : {type_}", type_, type_, values)
    assert_units(np.array(got), np.array(expected), 4 if type_ == "f64" else 0)


@pytest.mark.parametrize("word", ["addf", "subf", "mulf", "divf"])
def test_bfloat16_rounds_after_each_operation(word):
    """In memory it is i16."""
    function = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide}[word]
    bits = bfloat16_bits(np.array([1, 1.0078125, 3, -7, 100, 0.3, 1e-3, 2.5], np.float32))
    line = f"""
    %s = arith.bitcast %p : i16 to bf16
    %t = arith.bitcast %q : i16 to bf16
    %u = arith.{word} %s, %t : bf16
    %r = arith.bitcast %u : bf16 to i16"""
    got = run(line, "i16", "i16", bits.view(np.int16))
    values = bfloat16_values(bits)
    expected = bfloat16_bits(function(values, np.roll(values, -1)))
    assert got == expected.view(np.int16).tolist()


def test_bits_of_floats():
    line = "%r = arith.bitcast %p : f32 to i32"
    assert run(line, "f32", "i32", FLOATS) == np.array(FLOATS, "f4").view("i4").tolist()


def test_parts_of_complex_numbers_do_not_meet():
    line = """
    %z = complex.create %p, %q : complex<f64>
    %re = complex.re %z : complex<f64>
    %im = complex.im %z : complex<f64>
    %r = math.copysign %im, %re : f64"""
    values = (1.0, math.inf, -2.0, math.nan, 3.0, -math.inf, 4.0, -5.0)
    expected = [math.copysign(b, a) for a, b in pairs(values)]
    np.testing.assert_array_equal(run(line, "f64", "f64", values), expected)


def test_values_of_branches():
    line = """
    %t = arith.cmpi slt, %p, %q : i32
    %r, %u = scf.if %t -> (i32, i32) { scf.yield %p, %q : i32, i32 }
        else { scf.yield %q, %p : i32, i32 }"""
    assert run(line, "i32", "i32", NUMBERS) == [min(a, b) for a, b in pairs(NUMBERS)]


def test_loops_of_different_length():
    line = """
    %begin = arith.remsi %item, %c3 : index
    %r = scf.for %k = %begin to %item step %c2 iter_args(%s = %p) -> (index) {
      %t = arith.addi %s, %k : index
      scf.yield %t : index
    }"""
    expected = [a + sum(range(n % 3, n, 2)) for n, a in enumerate(NUMBERS)]
    assert run(line, "index", "index", NUMBERS) == expected
