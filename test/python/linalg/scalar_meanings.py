"""What NumPy says of the ops of arith and math on numbers."""

import math

import numpy as np

UNARY = {
    "absf": np.abs,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "ceil": np.ceil,
    "cos": np.cos,
    "cosh": np.cosh,
    "erf": np.vectorize(math.erf),
    "erfc": np.vectorize(math.erfc),
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "floor": np.floor,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "round": lambda x: np.trunc(x + np.copysign(0.5, x)),
    "roundeven": np.rint,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
    "trunc": np.trunc,
}
CLASSES = {
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "isnormal": lambda x: np.isfinite(x) & (x != 0),
}
BINARY = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.remf": np.fmod,
    "math.copysign": np.copysign,
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
    "math.atan2": np.arctan2,
}
ORDERS = {
    "eq": np.equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lt": np.less,
    "le": np.less_equal,
    "ne": np.not_equal,
}


def _ordered(word):
    return lambda x, y: ORDERS[word](x, y) & ~np.isnan(x) & ~np.isnan(y)


def _unordered(word):
    return lambda x, y: ORDERS[word](x, y) | np.isnan(x) | np.isnan(y)


COMPARED = {
    "false": lambda x, y: np.zeros(x.shape, bool),
    "true": lambda x, y: np.ones(x.shape, bool),
    "ord": lambda x, y: ~np.isnan(x) & ~np.isnan(y),
    "uno": lambda x, y: np.isnan(x) | np.isnan(y),
    **{f"o{word}": _ordered(word) for word in ORDERS},
    **{f"u{word}": _unordered(word) for word in ORDERS},
}


def unsigned(function):
    """Return a function of integers that takes their bits as numbers that are not negative."""

    def computed(*values):
        dtype = values[0].dtype
        return function(*(v.view(dtype.str.replace("i", "u")) for v in values)).astype(dtype)

    return computed


def exactly(function, dtype=None):
    """Return a function that computes with the integers of Python, which have no bound."""

    def computed(*values):
        width = 8 * values[0].dtype.itemsize
        found = [function(width, *map(int, row)) for row in zip(*values, strict=True)]
        whole = np.array([n & (1 << width) - 1 for n in found], np.uint64)
        return whole.astype(values[0].dtype) if dtype is None else whole.astype(dtype)

    return computed


def _power(width, base, exponent):
    if exponent >= 0:
        return pow(base, exponent, 1 << width)
    return base ** (exponent & 1) if abs(base) == 1 else 0


INTEGER = {
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.muli": np.multiply,
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
    "arith.maxui": unsigned(np.maximum),
    "arith.minui": unsigned(np.minimum),
    "arith.divsi": exactly(lambda w, a, b: abs(a) // abs(b) * (1 if a * b >= 0 else -1)),
    "arith.remsi": np.fmod,
    "arith.divui": unsigned(np.floor_divide),
    "arith.remui": unsigned(np.remainder),
    "arith.floordivsi": np.floor_divide,
    "arith.ceildivsi": exactly(lambda w, a, b: -(-a // b)),
    "arith.ceildivui": exactly(lambda w, a, b: -(-(a % 2**w) // (b % 2**w))),
    "math.ipowi": exactly(_power),
}
BITS = {
    "math.absi": np.abs,
    "math.ctpop": exactly(lambda w, a: (a % 2**w).bit_count()),
    "math.ctlz": exactly(lambda w, a: w - (a % 2**w).bit_length()),
    "math.cttz": exactly(lambda w, a: (a & -a).bit_length() - 1 if a else w),
}
