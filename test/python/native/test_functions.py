"""Functions of math on whole vectors: the errors that docs/native.md states, at all magnitudes.

The expected values are those of the host's library in 80 bits. For all numbers of f32 they are
NumPy's in f64, which are wrong by at most 4 units of f64, that is 2**-27 units of f32.
"""

import pathlib
import re

import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from function_errors import DTYPES
from native.function_limits import LIMITS, NATIVE_FORMS, exact_values, largest_error, last_places
from nearness import assert_units

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "native.md"
UNARY = tuple(function for function in LIMITS if function != "pow")
LENGTH = 4096
BLOCK = 1 << 17
KERNEL = """
func @apply(%A: memref<{type}x{length}x?>, %B: memref<{type}x{length}x?>,
            %C: memref<{type}x{length}x?>) {{
  %g = builtin.group_id : index
  foreach (%i)=(0),({length}) {{
    %a = load %A[%i,%g] : {type}
    %b = load %B[%i,%g] : {type}
    %c = {function} : {type}
    store %c, %C[%i,%g]
  }}
}}
"""
REMAINDER = """
func @apply(%A: memref<{type}x1000>, %B: memref<{type}x1000>, %C: memref<{type}x1000>) {{
  foreach (%i)=(0),(1000) {{
    %a = load %A[%i] : {type}
    %b = load %B[%i] : {type}
    %c = arith.rem %a, %b : {type}
    store %c, %C[%i]
  }}
}}
"""


def native_function(function, type_):
    """Return a function of one or two arrays of any size."""
    called = {"exp": "math.exp", "native_exp": "math.native_exp"}.get(function, function)
    operands = "%a, %b" if function == "pow" else "%a"
    text = KERNEL.format(function=f"{called} {operands}", type=type_, length=LENGTH)
    kernel = tt.Context().parse(text).compile("native")["apply"]

    def apply(*numbers):
        shape = (LENGTH, -(-numbers[0].size // LENGTH))
        padded = [np.resize(x, shape[::-1]).T for x in numbers]
        results = np.empty(shape, numbers[0].dtype, order="F")
        kernel(padded[0], padded[-1], results, groups=shape[1])
        return results.reshape(-1, order="F")[: numbers[0].size]

    return apply


def of_all_exponents(type_):
    """Return numbers of both signs with each exponent, subnormal ones too."""
    dtype = DTYPES[type_]
    info = np.finfo(dtype)
    bits = np.dtype(dtype).itemsize * 8
    unsigned = np.dtype(f"u{bits // 8}").type
    generator = np.random.default_rng(bits)
    count = 1 << (bits - 1 - info.nmant)
    mantissas = generator.integers(0, 1 << info.nmant, (count - 1, 30), dtype=np.uint64)
    mantissas[:, :2] = 0, (1 << info.nmant) - 1
    words = np.arange(count - 1, dtype=np.uint64)[:, None] << np.uint64(info.nmant) | mantissas
    positive = words.ravel().astype(unsigned).view(dtype)
    return np.concatenate([positive, -positive])


def arguments(function, type_):
    """Return numbers of all exponents, and more where results are neither 0 nor infinite."""
    generator = np.random.default_rng(sum(map(ord, function + type_)))
    count = 2000 if type_ == "f16" else 50000
    info = np.finfo(DTYPES[type_])
    largest = float(np.log2(info.max))
    found = [
        generator.uniform(-1, 1, count),
        generator.uniform(0.5, 2, count),
        generator.uniform(-50, 50, count),
        generator.uniform(-largest, largest, count),
        np.round(generator.uniform(-1e6, 1e6, count)) * (np.pi / 2),
    ]
    with np.errstate(over="ignore"):
        found = np.concatenate(found).astype(DTYPES[type_])
    return np.concatenate([found, of_all_exponents(type_)])


def pairs(type_):
    """Return bases of all exponents and near 1, and exponents for all results of the type."""
    generator = np.random.default_rng(7)
    dtype = DTYPES[type_]
    bases = np.concatenate([np.abs(arguments("pow", type_)), generator.uniform(0.9, 1.1, 100000)])
    x = bases.astype(dtype)
    x = x[np.isfinite(x) & (x != 0) & (x != 1)]
    info = np.finfo(dtype)
    span = np.log2(np.longdouble(info.max)) + info.nmant
    limits = np.minimum(span / np.abs(np.log2(x.astype(np.longdouble))), info.max / 2)
    y = (generator.uniform(-1, 1, x.size) * limits).astype(dtype)
    y[::4] = np.round(y[::4])
    x[::8] = -x[::8]
    return x, y


def limit(function, type_):
    """Return the error that the table states; results of f16 are those of f32, rounded."""
    return 0.51 if type_ == "f16" else LIMITS[function][type_ == "f64"]


def every_number(step):
    """Return blocks of the numbers of f32, one of so many."""
    for first in range(0, 1 << 32, BLOCK * step):
        words = np.arange(first, min(first + BLOCK * step, 1 << 32), step, dtype=np.uint64)
        yield words.astype(np.uint32).view(np.float32)


def numbers_of_f32():
    """Return blocks of all numbers of f32 at night, and in a commit of one in some hundreds."""
    return every_number(1 if profiles.IS_NIGHTLY else 509)


def test_the_page_states_these_errors():
    rows = re.findall(r"^\| (`.*?) \| (.*?) \| (.*?) \|", PAGE.read_text(encoding="utf-8"), re.M)
    stated = {name: errors for cell, *errors in rows for name in re.findall(r"`(\w+)`", cell)}
    for function, errors in LIMITS.items():
        assert stated[function] == [str(error) for error in errors], function
    for name, form in NATIVE_FORMS.items():
        assert stated[name][0] == form.stated(), name


@pytest.mark.similar
@pytest.mark.parametrize("type_", DTYPES)
@pytest.mark.parametrize("function", LIMITS)
def test_error(function, type_):
    numbers = pairs(type_) if function == "pow" else (arguments(function, type_),)
    exact = exact_values(function, *numbers)
    error, place = largest_error(native_function(function, type_)(*numbers), exact)
    assert 0.4 < error <= limit(function, type_), [x[place] for x in numbers]


@pytest.mark.parametrize("type_", DTYPES)
@pytest.mark.parametrize("function", UNARY)
def test_limits(function, type_):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0], DTYPES[type_])
    exact = exact_values(function, x, dtype=x.dtype)
    found = native_function(function, type_)(x)
    np.testing.assert_array_equal(found[:5], exact[:5])
    assert np.array_equal(np.signbit(found[:2]), np.signbit(exact[:2]))
    assert_units(found, exact, 2)


def within(form, apply, x):
    """Assert that a native form keeps what it promises, for the arguments of the promise."""
    lower, upper = form.bounds or (np.finfo(np.float32).smallest_normal, np.finfo(np.float32).max)
    x = x[(lower <= x) & (x <= upper)]
    if x.size:
        exact = exact_values(form.function, x, dtype=np.float64)
        allowed = form.allowed(x, last_places(exact, x.dtype))
        is_right = np.abs(apply(x) - exact) <= allowed
        assert is_right.all(), x[~is_right]


@pytest.mark.parametrize("name", NATIVE_FORMS)
def test_native_forms(name):
    form = NATIVE_FORMS[name]
    apply = native_function(name, "f32")
    within(form, apply, arguments(form.function, "f32"))
    for x in numbers_of_f32():
        within(form, apply, x)


@pytest.mark.parametrize("name", NATIVE_FORMS)
def test_native_forms_of_f64_are_the_functions(name):
    x = arguments(name, "f64")
    forms = [native_function(each, "f64")(x) for each in (name, NATIVE_FORMS[name].function)]
    np.testing.assert_array_equal(*forms)


def test_native_forms_of_large_numbers_stay_within_bounds():
    x = of_all_exponents("f32")
    for name in ("native_sin", "native_cos"):
        assert np.all(np.abs(native_function(name, "f32")(x)) <= 1 + 2**-22)
    special = np.array([np.inf, -np.inf, np.nan, 0.0, -1.0], np.float32)
    for name, expected in (
        ("native_log2", [np.inf, np.nan, np.nan, -np.inf, np.nan]),
        ("native_exp2", [np.inf, 0, np.nan, 1, 0.5]),
    ):
        np.testing.assert_array_equal(native_function(name, "f32")(special), expected)


@pytest.mark.parametrize("type_", DTYPES)
def test_remainders_are_exact(type_):
    dtype = DTYPES[type_]
    kernel = tt.Context().parse(REMAINDER.format(type=type_)).compile("native")["apply"]
    numbers = of_all_exponents(type_)
    generator = np.random.default_rng(2)
    for _ in range(20):
        a, b = (generator.choice(numbers, 1000) for _ in range(2))
        b[:4], a[4:6] = [0, np.inf, np.nan, -np.inf], [np.inf, np.nan]
        b[500:] = (a[500:] / generator.uniform(1, 1e4, 500)).astype(dtype)
        c = np.zeros_like(a)
        kernel(a, b, c)
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(c, np.fmod(a, b))


@pytest.mark.similar
@pytest.mark.parametrize("function", UNARY)
def test_all_numbers_of_f32(function):
    apply = native_function(function, "f32")
    for x in numbers_of_f32():
        error, place = largest_error(apply(x), exact_values(function, x, dtype=np.float64))
        assert error <= limit(function, "f32"), x[place]
