"""Largest errors of functions of math in native code, which docs/native.md has in a table, too."""

from typing import NamedTuple

import numpy as np

# In units in the last place, of f32 and of f64.
LIMITS = {
    "exp": (1.0, 0.9),
    "exp2": (1.0, 0.9),
    "log": (0.9, 0.9),
    "log2": (1.9, 1.8),
    "expm1": (1.7, 1.9),
    "log1p": (0.9, 0.9),
    "tanh": (2.5, 2.6),
    "pow": (1.0, 1.1),
    "rsqrt": (1.5, 1.5),
    "sin": (0.6, 1.5),
    "cos": (0.6, 1.5),
}
# NumPy calls the others by their names.
EXACT = {"pow": np.power, "rsqrt": lambda x: 1 / np.sqrt(x)}


class NativeForm(NamedTuple):
    """What a native form promises for f32: the larger one of two errors.

    Args:
        function: what it computes.
        bounds: for which arguments, those of normal numbers above 0 without it.
        units: error in units in the last place.
        growth: what is added to it for each unit of the argument.
        absolute: power of two of the absolute error, if there is one.
    """

    function: str
    bounds: tuple | None
    units: int
    growth: int = 0
    absolute: int | None = None

    def stated(self):
        """Return the error as the table has it."""
        if self.growth:
            return f"{self.units} + {self.growth} times the argument"
        if self.absolute is None:
            return str(self.units)
        return f"2<sup>{self.absolute}</sup>" + (f" or {self.units} units" if self.units else "")

    def allowed(self, x, spacing):
        """Return the largest errors for arguments, by the last places of the exact values."""
        absolute = 0 if self.absolute is None else 2.0**self.absolute
        return np.maximum((self.units + self.growth * np.abs(x)) * spacing, absolute)


NATIVE_FORMS = {
    "native_exp": NativeForm("exp", (-86.9899, 88.7228), 2, growth=2),
    "native_exp2": NativeForm("exp2", (-125.49999, 127.99999), 2),
    "native_log": NativeForm("log", None, 3, absolute=-22),
    "native_log2": NativeForm("log2", None, 3, absolute=-22),
    "native_sin": NativeForm("sin", (-1e5, 1e5), 0, absolute=-23),
    "native_cos": NativeForm("cos", (-1e5, 1e5), 0, absolute=-23),
}


def exact_values(function, *numbers, dtype=np.longdouble):
    """Return a function of numbers, in a wider type."""
    with np.errstate(all="ignore"):
        wide = [x.astype(dtype) for x in numbers]
        return EXACT.get(function, getattr(np, function, None))(*wide)


def last_places(exact, dtype):
    """Return the units in the last place of a narrower type for values that are not zero."""
    info = np.finfo(dtype)
    if exact.dtype == np.float64:  # with all bits of the mantissa cleared
        powers = (exact.view(np.uint64) & np.uint64(0x7FF << 52)).view(np.float64)
    else:
        powers = np.ldexp(exact.dtype.type(1), np.frexp(exact)[1] - 1)
    return np.maximum(powers * info.eps, exact.dtype.type(info.smallest_subnormal))


def largest_error(found, exact):
    """Return the largest error in units, where a result is a number but not zero, and its place."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(found.dtype)
        error = np.abs(found - exact) / last_places(exact, found.dtype)
    error[~np.isfinite(rounded) | (rounded == 0)] = 0
    place = error.argmax()  # of a NaN, if there is one
    return error[place], place
