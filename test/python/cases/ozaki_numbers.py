"""Products in exact arithmetic, and what the slices of their factors leave of them."""

import numpy as np

from tinytc_mlir.scalars import SCALAR_TYPES

ONE = 1 << 1074  # all numbers of f64 and f32 are integers in these units
_SMALLEST = {"f64": -1021, "f32": -125}  # numbers below 2^this have the exponent of subnormals


def integers(values):
    """Return numbers in units of 2^-1074."""
    flat = []
    for value in np.asarray(values, np.float64).ravel():
        numerator, denominator = float(value).as_integer_ratio()
        flat.append(numerator * (ONE // denominator))
    return np.array(flat, object).reshape(np.shape(values))


def spread_values(rng, type_, shape, orders):
    """Return numbers of both signs whose exponents are spread over so many binary orders.

    Products of the largest ones are numbers of the type.
    """
    last = min(orders - orders // 2, 55) if type_ == "f32" else orders - orders // 2
    exponents = rng.integers(last - orders, last + 1, shape)
    return np.ldexp(rng.uniform(-1, 1, shape), exponents).astype(SCALAR_TYPES[type_].dtype)


def largest(type_, lines):
    """Return what slices are relative to: a power of two above each row of integers."""
    least = _SMALLEST[type_] + 1074
    return np.array([max(max(map(abs, line)).bit_length(), least) for line in lines], object)


def _slices(lines, exponents, splits):
    """Return the slices of integers; each has 7 bits, the first those below 2^exponent."""
    found = []
    for number in range(1, splits + 1):
        digits = np.zeros_like(lines)
        for index, value in np.ndenumerate(lines):
            shift = int(exponents[index[0]]) - 7 * number
            bits = abs(value) >> shift if shift >= 0 else abs(value) << -shift
            digits[index] = (bits & 127) * (1 if value > 0 else -1)
        found.append(digits)
    return found


def sliced_product(type_, a, b, splits):
    """Return the product that slices make, in units of 2^(-2148 - 14 splits), without rounding."""
    rows, columns = integers(a), integers(b).T
    e, f = largest(type_, rows), largest(type_, columns)
    left, right = _slices(rows, e, splits), _slices(columns, f, splits)
    total = np.zeros((len(rows), len(columns)), object)
    for s, x in enumerate(left, 1):
        for t, y in enumerate(right, 1):
            if s + t <= splits + 1:
                total += (x @ y.T) * (1 << (7 * (2 * splits - s - t)))
    powers = np.array([[1 << int(i + j) for j in f] for i in e], object)
    return total * powers


def scale(type_, a, b):
    """Return K times the largest numbers of rows and columns, at least the smallest normal ones.

    The unit is 2^-2148, and numbers are powers of two.
    """
    e, f = largest(type_, integers(a)), largest(type_, integers(b).T)
    return np.array([[np.shape(a)[1] << int(i + j) for j in f] for i in e], object)


def difference(values, exact, scales, unit=0):
    """Return the largest difference from exact numbers, relative to scales.

    Args:
        values: floating-point numbers.
        exact: integers in units of 2^(-2148 - unit).
        scales: integers in units of 2^-2148.
        unit: a power of two.
    """
    worst = 0.0
    for value, number, whole in zip(
        integers(values).ravel(), exact.ravel(), scales.ravel(), strict=True
    ):
        error = abs((value * ONE << unit) - number)
        # As a quotient of integers, which may be too large for floating-point numbers.
        worst = max(worst, error * (1 << 200) // (whole << unit) / 2.0**200)
    return worst
