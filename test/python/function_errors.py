"""Arguments of functions of math, and errors of what code computes for them, by 80-bit numbers."""

import numpy as np

FUNCTIONS = ("exp", "exp2", "log", "log2", "sin", "cos")
# Where the exact value can be anything of its type, without overflow.
RANGES = {
    "exp": {"f16": (-17, 11), "f32": (-103, 88.7), "f64": (-744, 709.7)},
    "exp2": {"f16": (-24, 15.9), "f32": (-149, 127.9), "f64": (-1074, 1023.9)},
}
LARGEST = {"f16": 6e4, "f32": 3e38, "f64": 1.7e308}
SMALLEST = {"f16": 6e-8, "f32": 1.5e-45, "f64": 5e-324}
COUNTS = {"f16": 2000, "f32": 50000, "f64": 50000}


DTYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


def samples(function, type_):
    """Return numbers from the whole range of the function, and many of usual size."""
    generator = np.random.default_rng(sum(map(ord, function + type_)))
    count = COUNTS[type_]
    if function in RANGES:
        return generator.uniform(*RANGES[function][type_], count)
    exponents = generator.uniform(np.log(SMALLEST[type_]), np.log(LARGEST[type_]), count)
    usual = (
        generator.uniform(0.5, 2, count) if "log" in function else generator.uniform(0, 50, count)
    )
    found = np.concatenate([np.exp(exponents), usual])
    if "log" in function:
        return found
    multiples = np.round(generator.uniform(0, 1e6, count)) * (np.pi / 2)
    found = np.concatenate([found, multiples])
    return found * generator.choice([-1, 1], found.size)


def errors(function, x, found):
    """Return the distances from the exact values in units of their last place."""
    exact = getattr(np, function)(x.astype(np.longdouble))
    spacing = np.abs(np.spacing(exact.astype(found.dtype))).astype(np.longdouble)
    return np.abs(found.astype(np.longdouble) - exact) / spacing
