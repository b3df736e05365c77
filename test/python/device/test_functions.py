"""Functions of numbers on the device: their errors in units of the last place, and their limits."""

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.scalars import SCALAR_TYPES

# What docs/language/scalars.md says of processors.
LIMITS = {
    "sqrt": 3,
    "rsqrt": 2,
    "tanh": 5,
    "expm1": 3,
    "log1p": 2,
    "floor": 0,
    "ceil": 0,
    "pow": 16,
    "hypot": 4,
    "fma": 0.5,
}
EXACT = {
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "pow": np.power,
    "fma": lambda x, y, z: x * y + z,
}
TYPES = ("bf16", "f16", "f32", "f64")
COUNT = 5000


def compiled(name, type_, target):
    """Return the kernel that applies a function to three arrays."""
    operands = {"pow": "%a, %b", "hypot": "%a, %b", "fma": "%a, %b, %c"}.get(name, "%a")
    arrays = ", ".join(f"%{word}: memref<{type_}x{COUNT}>" for word in "ABCD")
    loads = "\n".join(f"%{word} = load %{word.upper()}[%i] : {type_}" for word in "abc")
    text = f"""func @f({arrays}) {{
      foreach (%i) = (0), ({COUNT}) {{
        {loads}
        %d = {name} {operands} : {type_}
        store %d, %D[%i]
      }}
    }}"""
    return tt.Context().parse(text).compile(target)["f"], operands.count("%")


def numbers(name, scalar_type):
    """Return three arrays of numbers for which a function is defined, in its type."""
    generator = np.random.default_rng(sum(map(ord, name + scalar_type.name)))
    found = generator.uniform(-9, 9, (3, COUNT))
    if name in ("sqrt", "rsqrt", "pow", "log1p"):
        found[0] = np.exp(found[0] / (9 if scalar_type.name == "f16" else 1))
    if name == "expm1":
        found[0, ::2] = found[0, ::2] / 1000
    return [np.asarray(scalar_type.to_memory(row.astype(scalar_type.value_dtype))) for row in found]


@pytest.mark.similar
@pytest.mark.parametrize("target", ["cpu", "native"])
@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("name", LIMITS)
def test_error(name, type_, target):
    kernel, count = compiled(name, type_, target)
    scalar_type = SCALAR_TYPES[type_]
    x = numbers(name, scalar_type)
    result = np.zeros_like(x[0])
    kernel(*x, result)
    values = [np.asarray(scalar_type.from_memory(each)).astype(np.longdouble) for each in x]
    exact = EXACT.get(name, getattr(np, name, None))(*values[:count])
    found = np.asarray(scalar_type.from_memory(result)).astype(np.longdouble)
    exponents = np.frexp(exact)[1]
    unit = np.ldexp(np.longdouble(1), exponents - scalar_type.precision)
    smallest = np.finfo(scalar_type.value_dtype).smallest_normal
    limit = LIMITS[name] if type_ in ("f32", "f64") else 0.51
    error = np.abs(found - exact) / unit
    error = np.where(np.abs(exact) < smallest, 0, error)
    assert error.max() <= limit or (found == exact).all(), (name, error.max())


@pytest.mark.parametrize("target", ["cpu", "native"])
def test_select(target):
    text = """func @f(%c: bool, %A: memref<c32x4>, %B: memref<i8x4>) {
      foreach (%i) = (0), (4) {
        %z = load %A[%i] : c32
        %b = load %B[%i] : i8
        %is = %b > 1 : bool
        %both = select %c, %is, false : bool
        %w = %both ? 2 * %z : conj(%z) : c32
        %n = select %is, %b, -1 : i8
        store %w, %A[%i]
        store %n, %B[%i]
      }
    }"""
    kernel = tt.Context().parse(text).compile(target)["f"]
    a = np.arange(4, dtype=np.complex64) + 1j
    b = np.arange(4, dtype=np.int8)
    expected = np.where(b > 1, 2 * a, a.conj())
    kernel(True, a, b)
    np.testing.assert_array_equal(a, expected)
    np.testing.assert_array_equal(b, [-1, -1, 2, 3])
