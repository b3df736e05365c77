"""Functions of math on whole vectors: the errors that docs/native.md states, at all magnitudes.

The expected values are those of the host's library in more digits.
"""

import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from function_errors import DTYPES, FUNCTIONS, errors, samples

LENGTH = 4096
KERNEL = """
func @apply(%A: memref<{type}x{length}x?>, %B: memref<{type}x{length}x?>) {{
  %g = builtin.group_id : index
  foreach (%i)=(0),({length}) {{
    %a = load %A[%i,%g] : {type}
    %b = {function} %a : {type}
    store %b, %B[%i,%g]
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
# The functions of f32 by what they are for arguments in this range: an error in units of the
# last place, an absolute one, and what of it grows with the argument.
NATIVE = {
    "native_exp": ("exp", (-86.9, 88), 2, 0, 2),
    "native_exp2": ("exp2", (-125, 127.9), 2, 0, 0),
    "native_log": ("log", None, 3, 2**-22, 0),
    "native_log2": ("log2", None, 2, 2**-22, 0),
    "native_sin": ("sin", (-1e5, 1e5), 0, 2**-23, 0),
    "native_cos": ("cos", (-1e5, 1e5), 0, 2**-23, 0),
}


def native_function(function, type_):
    """Return a function of arrays of any size."""
    text = KERNEL.format(function=function, type=type_, length=LENGTH)
    kernel = tt.Context().parse(text).compile("native")["apply"]

    def apply(x):
        groups = -(-x.size // LENGTH)
        padded = np.zeros((LENGTH, groups), x.dtype, order="F")
        padded.reshape(-1, order="F")[: x.size] = x
        results = np.empty_like(padded)
        kernel(padded, results, groups=groups)
        return results.reshape(-1, order="F")[: x.size]

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


def defined(function, x):
    """Return the arguments for which the result is a number that is not zero."""
    x = x[np.isfinite(x) & (x != 0)]
    if "log" in function:
        return x[x > 0]
    if "exp" in function:
        with np.errstate(all="ignore"):
            result = getattr(np, function)(x)
        return x[np.isfinite(result) & (result != 0)]
    return x


@pytest.mark.parametrize("type_", DTYPES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_error(function, type_):
    apply = native_function("math.exp" if function == "exp" else function, type_)
    with np.errstate(over="ignore"):
        usual = samples(function, type_).astype(DTYPES[type_])
    x = defined(function, np.concatenate([usual, of_all_exponents(type_)]))
    assert x.size > 1000
    found = errors(function, x, apply(x))
    assert found.max() <= 2, x[found.argmax()]


@pytest.mark.parametrize("type_", DTYPES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_limits(function, type_):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0], DTYPES[type_])
    with np.errstate(all="ignore"):
        exact = getattr(np, function)(x)
    found = native_function("math.exp" if function == "exp" else function, type_)(x)
    np.testing.assert_array_equal(found[:5], exact[:5])
    assert np.array_equal(np.signbit(found[:2]), np.signbit(exact[:2]))
    np.testing.assert_allclose(found, exact, rtol=2 * np.finfo(found.dtype).eps)


@pytest.mark.parametrize("name", NATIVE)
def test_native_forms(name):
    function, bounds, units, absolute, growth = NATIVE[name]
    apply = native_function("math.native_exp" if name == "native_exp" else name, "f32")
    generator = np.random.default_rng(1)
    if bounds is None:
        x = np.exp(generator.uniform(-87, 88, 10**6)).astype(np.float32)
        x = np.concatenate([x, generator.uniform(0.5, 2, 10**6).astype(np.float32)])
    else:
        x = generator.uniform(*bounds, 10**6).astype(np.float32)
    exact = getattr(np, function)(x.astype(np.float64))
    error = np.abs(apply(x) - exact)
    spacing = np.spacing(np.abs(exact).astype(np.float32))
    allowed = np.maximum((units + growth * np.abs(x)) * spacing, absolute)
    assert np.all(error <= allowed), x[(error / allowed).argmax()]


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


@pytest.mark.parametrize("function", FUNCTIONS)
def test_all_numbers_of_f32(function):
    """At night each number; in a commit some blocks of them."""
    apply = native_function("math.exp" if function == "exp" else function, "f32")
    block = 1 << 22
    blocks = range(1 << 10) if profiles.IS_NIGHTLY else (0, 250, 260, 300, 510, 760)
    for number in blocks:
        words = np.arange(number * block, (number + 1) * block, dtype=np.uint32)
        x = defined(function, words.view(np.float32))
        if x.size == 0:
            continue
        exact = getattr(np, function)(x.astype(np.float64))
        spacing = np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)
        found = np.abs(apply(x) - exact) / spacing
        assert found.max() <= 2, x[found.argmax()]
