# SPDX-License-Identifier: BSD-3-Clause
"""Random batched functions against NumPy, which runs the same source: `--count 2000`, `--first SEED`.

Every function is compiled natively with all elements in registers and with arrays in local memory,
and called with batches of odd, single and no elements, strides of many kinds, and results full of NaN.
"""

import argparse
import importlib.util
import pathlib
import sys
import tempfile
import warnings

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent / "python" / "batches"))

from random_batched import source_of

import tinytc_mlir as tt
from tinytc_mlir.batches import programs


def loaded(text, folder):
    """Return the functions of a source, which must be in a file."""
    path = pathlib.Path(folder) / f"functions_{abs(hash(text))}.py"
    path.write_text(f"import tinytc_mlir as tt\n\n\n{text}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


DTYPES = {"f64": np.float64, "f32": np.float32, "c64": np.complex128}


def arguments(random, dtype, shapes, batch):
    """Return arrays of a batch, some broadcast, some with other strides."""
    found = []
    for shape in shapes:
        kind = random.integers(6)
        own = batch if kind < 4 else () if kind == 4 else (1,) * len(batch)
        array = random.standard_normal((*own, *shape))
        if dtype == "c64":
            array = array + 1j * random.standard_normal(array.shape)
        array = array.astype(DTYPES[dtype])
        if kind == 1:
            array = np.asfortranarray(array)
        elif kind == 2 and array.ndim:
            array = np.repeat(array, 2, axis=0)[::2]
        elif kind == 3 and len(batch) == 1:
            array = array[::-1]
        found.append(array)
    return found


def compared(function, given, found, expected, allowed):
    """Return what is wrong with results, nothing if they are as near as rounding lets them be."""
    several = [each if isinstance(each, tuple) else (each,) for each in (found, expected)]
    for number, (one, other) in enumerate(zip(*several, strict=True)):
        if one.shape != other.shape or one.dtype != other.dtype:
            return f"{one.shape} {one.dtype}, not {other.shape} {other.dtype}"
        finite = np.isfinite(other)
        scale = max(np.abs(other[finite]).max(initial=1.0), 1.0)

        def error(a, b, finite=finite, scale=scale):
            return np.abs(a[finite] - b[finite]).max(initial=0.0) / scale

        if (np.isfinite(one) != finite).any():
            return "other numbers are finite"
        if error(one, other) > allowed:  # unless arguments that are rounded differ as much
            near = [a * (1 + np.finfo(a.dtype).eps) for a in given[:-1]]
            moved = function.python(
                *(a.astype(g.dtype) for a, g in zip(near, given, strict=False)), given[-1]
            )
            noise = error(moved[number] if isinstance(moved, tuple) else moved, other)
            if not error(one, other) < 30 * noise:
                return f"error {error(one, other)}"
    return ""


def check(seed, folder):
    """Return what is wrong with a function, nothing if it is right."""
    text, dtype, shapes = source_of(seed)
    random = np.random.default_rng(seed)
    function = getattr(loaded(text, folder), f"f{seed}")
    for batch in ((3,), (), (2, 3), (0,), (17,)):
        given = arguments(random, dtype, shapes.values(), batch)
        count = np.int64(random.integers(0, 5))
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
            try:
                expected = function.python(*given, count)
            except TypeError:  # NumPy stores no complex number in a real array
                return ""
            found = function(*given, count)
            allowed = 3e-4 if dtype == "f32" else 1e-9
            if wrong := compared(function, [*given, count], found, expected, allowed):
                return f"{batch}: {wrong}\n{text}"
    return ""


class _ForJax:
    """The namespace `tt` while JAX runs a function."""

    def __getattr__(self, name):
        import jax

        if name == "softmax":
            return jax.nn.softmax
        is_linear = name in ("norm", "solve", "inv", "cholesky", "slogdet", "det")
        return getattr(jax.numpy.linalg if is_linear else jax.numpy, name)


def check_derivatives(seed, folder):
    """Return what is wrong with gradients of a function, nothing if they are JAX's."""
    import jax

    jax.config.update("jax_enable_x64", True)
    text, _, shapes = source_of(seed, is_pure=True)
    random = np.random.default_rng(seed)
    function = getattr(loaded(text, folder), f"f{seed}")
    given = [random.standard_normal((2, *shape)) for shape in shapes.values()]
    if len(given) > 1 and seed % 3:
        given[0] = given[0][0]  # shared
    scope = {"tt": _ForJax()}
    body = text.partition("\n")[2].replace(
        text.split("(", 1)[1].split("):\n")[0], ", ".join([*shapes, "count"])
    )
    exec(compile(body, "<jax>", "exec"), scope)
    found = tt.grad(function)(*given, np.int64(3))
    scales = {name: np.abs(each).max(initial=1.0) for name, each in found.items()}

    def total(*arguments):
        values = scope[f"f{seed}"](*arguments, 3)
        return sum(jax.numpy.sum(v) for v in (values if isinstance(values, tuple) else (values,)))

    places = tuple(range(len(given)))
    is_shared = [a.ndim == len(s) for a, s in zip(given, shapes.values(), strict=True)]
    for element in range(2):
        one = [a if s else a[element] for a, s in zip(given, is_shared, strict=True)]
        gradients = jax.grad(total, places)(*map(jax.numpy.asarray, one))
        for name, gradient, shared in zip(shapes, gradients, is_shared, strict=True):
            if shared:
                found[name] = found[name] - gradient
            else:
                found[name][element] -= gradient
    for name, rest in found.items():
        if not np.nanmax(np.abs(rest), initial=0.0) < 1e-7 * scales[name]:
            return f"gradient by {name} differs by {np.abs(rest).max()}\n{text}"
    return ""


def main():
    """Check functions with seeds in a row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep-going", action="store_true")
    parser.add_argument("--derivatives", action="store_true", help="compare gradients with JAX's")
    options = parser.parse_args()
    wrong = 0
    most = programs.MOST_STEPS
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first, options.first + options.count):
            programs.MOST_STEPS = most if seed % 2 else 0
            try:
                found = (check_derivatives if options.derivatives else check)(seed, folder)
            except Exception as error:
                text = source_of(seed, is_pure=options.derivatives)[0]
                found = f"{type(error).__name__}: {error}\n{text}"
            if found:
                wrong += 1
                print(f"seed {seed}: {found}", flush=True)
                if not options.keep_going:
                    break
    print(f"{options.count - wrong} right, {wrong} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
