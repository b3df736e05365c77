"""Kernels on numbers with bounds: a number is a place in a table, which memory and arrays hold."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from cases import enclosed
from cases import enclosed_complex_numbers as complex_numbers
from cases.enclosed import Enclosed, chosen, exact
from cases.enclosed_table import Table
from tinytc_mlir.reference import arithmetic
from tinytc_mlir.reference.rounding import Array
from tinytc_mlir.reference.untyped import Value
from tinytc_mlir.scalars import ScalarType
from tinytc_mlir.verification.substitute import Substitute
from tinytc_mlir.verification.unshown import Unshown


class Enclosures(Substitute):
    """Rows of a table in place of floating-point numbers; integers stay as they are."""

    def __init__(self) -> None:
        self._table = Table()
        self.entered, self.rows = self._table.entered, self._table.rows

    def value_dtype(self, scalar_type: ScalarType) -> np.dtype[Any]:
        """Return int64 for places, complex128 for pairs of them."""
        if self.is_plain(scalar_type):
            return scalar_type.value_dtype
        return np.dtype(np.complex128 if scalar_type.kind == "complex" else np.int64)

    def constant(self, scalar_type: ScalarType, number: complex) -> Value:
        """Return the place of an exact number."""
        if self.is_plain(scalar_type):
            return super().constant(scalar_type, number)
        return self.of_exact(scalar_type, scalar_type.value_dtype.type(number))

    def of_exact(self, scalar_type: ScalarType, values: Value) -> Value:
        """Return the places of exact numbers."""
        if scalar_type.kind == "complex":
            return _joined(*(self.entered(exact(part(values))) for part in (np.real, np.imag)))
        return self.entered(exact(values))

    def from_memory(self, scalar_type: ScalarType, stored: Value) -> Value:
        """Return the places in the bits of elements."""
        if self.is_plain(scalar_type):
            return super().from_memory(scalar_type, stored)
        size_bytes = scalar_type.real.size_bytes
        places = np.ascontiguousarray(stored).view(f"u{size_bytes}").astype(np.int64)
        if size_bytes == 2:
            places = self._table.of_short(places)
        if scalar_type.kind == "complex":
            places = places.astype(np.float64).view(np.complex128)
        return places.reshape(np.shape(stored))[()]

    def to_memory(self, scalar_type: ScalarType, values: Value) -> Value:
        """Return elements whose bits are places."""
        if self.is_plain(scalar_type):
            return super().to_memory(scalar_type, values)
        size_bytes, values = scalar_type.real.size_bytes, np.asarray(values)
        if scalar_type.kind == "complex":
            parts = np.stack(self._parts(values), axis=-1).astype(f"u{size_bytes}")
            return np.ascontiguousarray(parts).view(scalar_type.dtype)[..., 0][()]
        if size_bytes == 2:
            values = self._table.shortened(values)
        return values.astype(f"u{size_bytes}").view(scalar_type.dtype)[()]

    def bitcast(self, source: ScalarType, result: ScalarType) -> Callable[..., Value]:
        """Return a conversion that keeps the bits of exact numbers."""
        convert = arithmetic.bitcast(source, result)

        def function(values: Value) -> Value:
            found = convert(values if self.is_plain(source) else self._exactly(source, values))
            return found if self.is_plain(result) else self.of_exact(result, found)

        return function

    def _exactly(self, scalar_type: ScalarType, values: Value) -> Value:
        """Return numbers that have no error."""
        is_complex = scalar_type.kind == "complex"
        parts = [*map(self.rows, self._parts(values) if is_complex else [values])]
        if any((part.relative != 0).any() for part in parts):
            raise Unshown("rounding decides bits")
        found = _joined(parts[0].value, parts[1].value) if is_complex else parts[0].value
        return np.asarray(found).astype(scalar_type.value_dtype)[()]

    def distance(self, scalar_type: ScalarType, values: Value) -> Array:
        """Return by how much two right runs may differ; a number may underflow at each rounding."""
        is_complex = scalar_type.kind == "complex"
        rows = [*map(self.rows, self._parts(values) if is_complex else [values])]
        least = float(np.finfo(scalar_type.real.value_dtype).smallest_normal)
        roundings = [1 + row.relative / (scalar_type.epsilon / 2) for row in rows]
        parts = [
            np.where(row.relative == 0, 0.0, 2 * (row.error + count * least))
            for row, count in zip(rows, roundings, strict=True)
        ]
        return np.asarray(np.hypot(*parts) if is_complex else parts[0])

    # The interface of interpreters.

    def binary(self, word: str, scalar_type: ScalarType) -> Callable[..., Value]:
        """Return an operation of two numbers."""
        if self.is_plain(scalar_type):
            return super().binary(word, scalar_type)
        if scalar_type.kind == "complex":
            return self._of_parts(complex_numbers.binary(word, scalar_type))
        functions: dict[str, Callable[..., Enclosed]] = {
            "add": functools.partial(enclosed.add, scalar_type),
            "sub": functools.partial(enclosed.add, scalar_type, sign=-1),
            "mul": functools.partial(enclosed.multiply, scalar_type),
            "div": functools.partial(enclosed.divide, scalar_type),
            "min": functools.partial(enclosed.extreme, "min"),
            "max": functools.partial(enclosed.extreme, "max"),
        }
        return self._on_rows(functions.get(word) or self._of(word, scalar_type))

    def _of(self, word: str, scalar_type: ScalarType) -> Callable[..., Enclosed]:
        return functools.partial(enclosed.function, word, scalar_type)

    def unary(self, word: str, scalar_type: ScalarType) -> Callable[..., Value]:
        """Return a function of one number."""
        if self.is_plain(scalar_type):
            return super().unary(word, scalar_type)
        if scalar_type.kind == "complex":
            return self._complex_unary(word, scalar_type)
        if word in ("neg", "abs"):
            change = np.negative if word == "neg" else np.abs
            return self._on_rows(lambda a: dataclasses.replace(a, value=change(a.value)))
        return self._on_rows(self._of(word, scalar_type))

    def of_several(self, word: str, scalar_type: ScalarType) -> Callable[..., Value]:
        """Return a function of several numbers."""
        if self.is_plain(scalar_type):
            return super().of_several(word, scalar_type)
        if word == "fma":
            return self._on_rows(
                lambda a, b, c: enclosed.add(scalar_type, enclosed.multiply(scalar_type, a, b), c)
            )
        if word in ("minimum", "maximum"):

            def extreme(a: Enclosed, b: Enclosed) -> Enclosed:
                found = enclosed.extreme(word[:3], a, b)
                return chosen(np.isnan(a.value), a, chosen(np.isnan(b.value), b, found))

            return self._on_rows(extreme)
        return self._on_rows(self._of(word, scalar_type))

    def _on_rows(self, function: Callable[..., Enclosed]) -> Callable[..., Value]:
        def on_places(*places: Value) -> Value:
            arrays = np.broadcast_arrays(*(np.asarray(each, np.int64) for each in places))
            with np.errstate(all="ignore"):
                return self.entered(function(*map(self.rows, arrays)))

        return on_places

    def compare(self, word: str, scalar_type: ScalarType) -> Callable[..., Value]:
        """Return a comparison, which rounding must not decide."""
        if self.is_plain(scalar_type):
            return super().compare(word, scalar_type)
        test = arithmetic.compare(word, scalar_type)

        def compared(a: Value, b: Value) -> Value:
            if scalar_type.kind == "complex":
                return test(self._exactly(scalar_type, a), self._exactly(scalar_type, b))
            with np.errstate(all="ignore"):
                x, y = self.rows(a), self.rows(b)
                is_far = np.abs(x.value - y.value) > x.error + y.error
                is_sure = is_far | ((x.relative == 0) & (y.relative == 0))
            if not np.all(is_sure):
                raise Unshown("rounding decides a comparison")
            return test(x.value, y.value)

        return compared

    def is_zero(self, scalar_type: ScalarType, values: Value) -> Value:
        """Return which numbers are 0."""
        zero = self.constant(scalar_type, 0)
        return self.compare("eq", scalar_type)(values, zero)

    def is_nan(self, values: Value) -> Value:
        """Return which numbers are NaN."""
        parts = self._parts(values) if np.iscomplexobj(values) else (values,)
        return functools.reduce(np.logical_or, (np.isnan(self.rows(p).value) for p in parts))

    def order(self, values: Value) -> Value:
        """Return numbers to be ordered, which rounding must not decide."""
        numbers = self.rows(np.asarray(values, np.int64))
        flat = np.argsort(numbers.value, axis=None)
        with np.errstate(all="ignore"):
            gaps = np.diff(numbers.value.flat[flat])
            errors = numbers.error.flat[flat]
        if not np.all((gaps > errors[1:] + errors[:-1]) | (errors[1:] + errors[:-1] == 0)):
            raise Unshown("rounding decides an order")
        return numbers.value

    def cast(self, source: ScalarType, result: ScalarType) -> Callable[..., Value]:
        """Return a conversion; rounding must not decide an integer."""
        if self.is_plain(source) and self.is_plain(result):
            return super().cast(source, result)
        convert = arithmetic.cast(source, result)
        if self.is_plain(source):
            return lambda a: self.round_to(result, self.of_exact(result, np.asarray(a)))
        if self.is_plain(result):

            def to_integer(a: Value) -> Value:
                numbers = self.rows(a)
                low, high = map(np.trunc, numbers.ends)
                if not np.all((low == high) | (numbers.relative == 0)):
                    raise Unshown("rounding decides an integer")
                return convert(numbers.value)

            return to_integer
        if source.kind != "complex" and result.kind == "complex":
            change = self.cast(source, result.real)
            return lambda a: _joined(change(a), np.zeros(np.shape(a)))
        if result.precision < source.precision:
            return functools.partial(self.round_to, result)
        return lambda a: a

    def round_to(self, scalar_type: ScalarType, values: Value) -> Value:
        """Return numbers that are rounded to a type."""
        if self.is_plain(scalar_type):
            return super().round_to(scalar_type, values)
        round_part = self._on_rows(lambda a: enclosed.rounded(scalar_type, a, 0.5, a))
        if scalar_type.kind == "complex":
            return _joined(*map(round_part, self._parts(values)))
        return round_part(values)

    def matmul(self, scalar_type: ScalarType, a: Value, b: Value) -> Value:
        """Return the product of matrices."""
        if self.is_plain(scalar_type):
            return super().matmul(scalar_type, a, b)
        if np.ndim(b) == 1:
            return self.matmul(scalar_type, a, np.asarray(b)[:, None])[..., 0]
        multiply = self.binary("mul", scalar_type)
        terms = multiply(np.asarray(a)[..., :, :, None], np.asarray(b)[..., None, :, :])
        return self.sum(scalar_type, terms, -2)

    def sum(self, scalar_type: ScalarType, a: Value, axis: int) -> Value:
        """Return the sums along a mode."""
        if self.is_plain(scalar_type):
            return super().sum(scalar_type, a, axis)
        return self._summed(scalar_type, a, axis, runs=False)

    def sums(self, scalar_type: ScalarType, a: Value, axis: int) -> Value:
        """Return the running sums along a mode, each with the error of the last one."""
        if self.is_plain(scalar_type):
            return super().sums(scalar_type, a, axis)
        return self._summed(scalar_type, a, axis, runs=True)

    def _summed(self, scalar_type: ScalarType, a: Value, axis: int, *, runs: bool) -> Value:
        if scalar_type.kind == "complex":
            real = scalar_type.real
            parts = (self._summed(real, part, axis, runs=runs) for part in self._parts(a))
            return _joined(*parts)
        with np.errstate(all="ignore"):
            return self.entered(enclosed.total(scalar_type, self.rows(a), axis, runs=runs))

    # Complex numbers.

    def _parts(self, values: Value) -> tuple[Array, Array]:
        """Return real and imaginary parts; that of a conjugate may be a negative place."""
        values = np.asarray(values)
        imaginary = values.imag.astype(np.int64)
        if (imaginary < 0).any():
            rows = self.rows(np.abs(imaginary))
            signed = dataclasses.replace(rows, value=np.copysign(1, imaginary) * rows.value)
            imaginary = np.asarray(self.entered(signed))
        return values.real.astype(np.int64), imaginary

    def _of_parts(self, function: Callable[..., complex_numbers.Parts]) -> Callable[..., Value]:
        """Return a function of complex values, given one of real and imaginary parts."""

        def on_values(*values: Value) -> Value:
            parts = [each for value in values for each in self._parts(value)]
            arrays = iter(np.broadcast_arrays(*parts))
            with np.errstate(all="ignore"):
                pairs = [(self.rows(real), self.rows(next(arrays))) for real in arrays]
                return _joined(*map(self.entered, function(*pairs)))

        return on_values

    def _complex_unary(self, word: str, scalar_type: ScalarType) -> Callable[..., Value]:
        if word in ("re", "im"):
            return lambda values: self._parts(values)[word == "im"][()]
        if word == "abs":
            size = self.of_several("hypot", scalar_type.real)
            return lambda values: size(*self._parts(values))
        return self._of_parts(complex_numbers.unary(word, scalar_type))


def _joined(real: Value, imaginary: Value) -> Value:
    result = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imaginary)), np.complex128)
    result.real, result.imag = real, imaginary
    return result[()]
