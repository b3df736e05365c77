"""Random operands of recipes between guard zones, and what NumPy computes of them."""

import numpy as np

from tinytc_mlir.scalars import SCALAR_TYPES

TYPES = ("f32", "f64", "bf16", "f16", "c32", "c64", "i8", "i16", "i32", "i64")
GUARD = 64  # elements before and after an array
_EXACT = np.int64


def random_values(rng, type_, shape):
    """Return random values that the type holds, in NumPy's dtype for computing."""
    scalar_type = SCALAR_TYPES[type_]
    if scalar_type.kind == "integer":
        return rng.integers(-3, 4, shape).astype(_EXACT)
    values = rng.integers(-8, 9, shape) / 8.0
    if scalar_type.kind == "complex":
        return values + 1j * rng.integers(-8, 9, shape) / 8.0
    return values


class Guarded:
    """An array with given strides, in memory that is filled with a pattern around it.

    Args:
        type_: scalar type of the language.
        values: what the array holds, None for NaN, or the pattern for integers.
        shape: size of every mode.
        strides: stride of every mode in elements.
        allocate: returns an array of one mode; `np.empty` or `tt.empty`.
    """

    def __init__(self, type_, values, shape, strides, allocate=np.empty):
        self.type = SCALAR_TYPES[type_]
        elements = 1 + sum((s - 1) * t for s, t in zip(shape, strides, strict=True))
        self.memory = allocate(elements + 2 * GUARD, self.type.dtype)
        self.memory.view(np.uint8)[:] = 0xFF  # NaN in all floating types
        inner = self.memory[GUARD : GUARD + elements]
        bytes_ = [stride * self.memory.itemsize for stride in strides]
        self.array = np.lib.stride_tricks.as_strided(inner, shape, bytes_)
        if values is not None:
            self.array[...] = self.type.to_memory(values.astype(self.type.value_dtype))
        self.before = self.memory.copy()

    def values(self):
        """Return what the array holds, to compute with."""
        return self.type.from_memory(self.array)

    def assert_only(self, expected, terms, scale=1.0):
        """Check the array's values, and that nothing around them has changed.

        Args:
            expected: the values.
            terms: how often a value is rounded.
            scale: largest number that is rounded, if it is larger than what is expected.
        """
        if self.type.kind == "integer":
            np.testing.assert_array_equal(self.values(), expected.astype(self.type.dtype))
        else:
            difference = np.abs(self.values() - expected).max()
            scale = max(np.abs(expected).max(), scale)
            # Each of the terms and the result are rounded once.
            assert difference <= self.type.epsilon * (terms + 2) * scale
        after, before = self.memory.copy(), self.before.copy()
        for memory in (after, before):
            bytes_ = self.array.strides
            inner = memory[GUARD:]
            np.lib.stride_tricks.as_strided(inner, self.array.shape, bytes_)[...] = 0
        np.testing.assert_array_equal(after.view(np.uint8), before.view(np.uint8))
