import ml_dtypes
import numpy as np
import pytest

from casting import doubles_near_ties, integers_near_ties
from interpreting import COMPLEX, FLOATS, INTEGERS, scalar
from tinytc_mlir.reference import arithmetic
from tinytc_mlir.scalars import SCALAR_TYPES, scalar_type_named


def cast(source, result, value):
    return scalar(f"cast %a : {result}", result, a=(source, value))


@pytest.mark.parametrize("source", INTEGERS)
@pytest.mark.parametrize("result", INTEGERS)
def test_casts_between_integers_keep_the_low_bits(source, result):
    assert cast(source, result, 100) == 100
    assert cast(source, result, -3) == -3
    narrow = SCALAR_TYPES[result].bits
    if narrow < SCALAR_TYPES[source].bits:
        assert cast(source, result, 2**narrow + 5) == 5
        assert cast(source, result, 2 ** (narrow - 1)) == -(2 ** (narrow - 1))


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("result", INTEGERS)
def test_casts_to_integers_drop_the_fraction(source, result):
    assert cast(source, result, 2.75) == 2
    assert cast(source, result, -2.75) == -2
    assert cast(source, result, -0.5) == 0


@pytest.mark.parametrize("source", INTEGERS)
@pytest.mark.parametrize("result", [*FLOATS, *COMPLEX])
def test_casts_from_integers(source, result):
    assert cast(source, result, -7) == -7


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("result", [*FLOATS, *COMPLEX])
def test_casts_from_floating_point(source, result):
    assert cast(source, result, -1.5) == -1.5
    assert np.isnan(cast(source, result, float("nan")))


def test_casts_round_to_nearest_even():
    assert cast("i32", "f32", 2**24 + 1) == 2**24
    assert cast("i32", "f32", 2**24 + 3) == 2**24 + 4
    assert cast("f64", "f32", 1 + 2.0**-24) == 1
    assert cast("f64", "f16", 2049.0) == 2048
    assert np.isinf(cast("f64", "f32", 1e39))
    assert np.isinf(cast("f32", "f16", 65520.0))


@pytest.mark.parametrize("result", ["bf16", "f16"])
@pytest.mark.parametrize("source", ["i16", "i32", "i64", "f64"])
def test_casts_round_once(source, result):
    from_, to = SCALAR_TYPES[source], SCALAR_TYPES[result]
    if source == "f64":
        values, nearest = doubles_near_ties(result)
    else:
        values, nearest = integers_near_ties(from_.bits, result)
    with np.errstate(over="ignore"):
        rounded = arithmetic.cast(from_, to)(values.astype(from_.value_dtype))
    np.testing.assert_array_equal(rounded, nearest)


def test_casts_between_complex_types():
    assert cast("c64", "c32", 1.5 - 2j) == 1.5 - 2j
    assert cast("c32", "c64", 1.5 - 2j) == 1.5 - 2j


@pytest.mark.parametrize(
    ("source", "value", "bits"),
    [
        ("f32", 1.0, 0x3F80),
        ("f32", 1 + 2.0**-8, 0x3F80),
        ("f32", 1 + 3 * 2.0**-8, 0x3F82),
        # One rounding only: rounded to f32 first, this number would become a tie.
        ("f64", 1 + 2.0**-8 + 2.0**-40, 0x3F81),
        ("f64", 1 - 2.0**-40, 0x3F80),
        ("f64", 1e300, 0x7F80),
        ("f64", -1e-300, 0x8000),
        ("i64", 2**62 + 2**54 + 1, 0x5E81),
        ("i64", -(2**62) - 2**54 - 1, 0xDE81),
        ("i64", 2**62 + 2**54, 0x5E80),
        ("i8", -3, 0xC040),
    ],
)
def test_casts_to_bfloat16(source, value, bits):
    assert hex(cast(source, "bf16", value)) == hex(bits)


def test_bfloat16_nan_stays_nan():
    assert cast("f32", "bf16", float("nan")) & 0x7FFF > 0x7F80


def test_bfloat16_arrays_of_ml_dtypes():
    from interpreting import run

    text = """
    func @f(%a: memref<bf16x2>, %b: memref<bf16x2>) {
        %one = constant 1.0 : bf16
        axpby.n %one, %a, %one, %b
    }"""
    a = np.array([1, 256], ml_dtypes.bfloat16)
    b = np.array([1.5, 1], ml_dtypes.bfloat16)
    run(text, a, b)
    assert b.tolist() == [2.5, 256]


@pytest.mark.parametrize(
    ("name", "epsilon"), [("bf16", 2.0**-7), ("f16", 2.0**-10), ("c32", 2.0**-23), ("i8", 0)]
)
def test_epsilon(name, epsilon):
    assert SCALAR_TYPES[name].epsilon == epsilon


def test_names_of_mlir():
    assert scalar_type_named("i1").name == "bool"
    assert scalar_type_named("complex<f64>").real.name == "f64"
