"""What authors of kernels for Numba and Triton write first, against NumPy, in all types."""

import random as random_module
import re

import numpy as np
import pytest
from kernel_files import imported

import profiles
import tinytc_mlir as tt
from tinytc_mlir.scalars import SCALAR_TYPES

HEAD = """import tinytc_mlir as tt

@tt.kernel
def f(x: tt.{T}[{N}, None], A: tt.{T}[{M}, {M}], p: tt.i32[None], o: tt.{T}[None]):
    i = tt.group_id.x
"""
FORMS = {
    "s = 0.0\n    for k in range(x.shape[0]):\n        s += x[k, i]\n    o[i] = s": "o[:] = x.sum(0)",
    "s = 0\n    for k in range(x.shape[0]):\n        v = x[k, i]\n        s = s + v\n    o[i] = s": "o[:] = x.sum(0)",
    "s, t = 0, 1\n    for k in range(x.shape[0]):\n        s, t = t, s + x[k, i]\n    o[i] = s": """
for i in range(3):
    s, t = o.dtype.type(0), o.dtype.type(1)
    for k in range(len(x)):
        s, t = t, s + x[k, i]
    o[i] = s""",
    "o[i] = x[0, i] ** 2": "o[:] = x[0] * x[0]",
    "o[i] = x[1, i] ** 3 + 2 * x[0, i] ** 1": "o[:] = x[1] * x[1] * x[1] + 2 * x[0]",
    "o[i] = x[:, i].sum()": "o[:] = x.sum(0)",
    "for k in tt.foreach(1):\n        o[i] = x[:, i].sum()": "o[:] = x.sum(0)",
    "o[i] = 2 * x[:, i].sum() + A[0, :] @ A[:, 1]": "o[:] = 2 * x.sum(0) + A[0] @ A[:, 1]",
    "o[i] = x[:, i] @ x[:, i]": "o[:] = (x * x).sum(0)",
    "with tt.parallel():\n        o[i] = x[:, i] @ x[:, i]": "o[:] = (x * x).sum(0)",
    "A[:] = 0": "A[:] = 0",
    "A[:] = x[0, 0]": "A[:] = x[0, 0]",
    "A *= 2": "A[:] = 2 * A",
    "x[:, i] += 1": "x[:] = x + 1",
    "x[:, i] -= x[0, i] * x[:, i]": "x[:] = x - x[:1] * x",
    "A[:] = A * A + 2 * A - 1": "A[:] = A * A + 2 * A - 1",
    "A[:] = A + A": "A[:] = A + A",
    "A **= 2": "A[:] = A * A",
    "A[0, :] = A[1, :] + A[2, :]": "A[0] = A[1] + A[2]",
    "A[:, 0] = A[:, 1] * A[:, 1] * A[:, 2]": "A[:, 0] = A[:, 1] * A[:, 1] * A[:, 2]",
    "for k in tt.foreach(1):\n        A[:, 0] = A[:, 1] + A[:, 2]": "A[:, 0] = A[:, 1] + A[:, 2]",
    "for k in range(p[i], p[i + 1]):\n        o[i] += x[k, 0]": """
for i in range(3):
    o[i] = o[i] + x[p[i]:p[i + 1], 0].sum(dtype=x.dtype)""",
}
ORDERED = {
    "o[i] = x[:, i].max()": "o[:] = x.max(0)",
    "o[i] = x[:, i].min() + A[:, 0].max()": "o[:] = x.min(0) + A[:, 0].max()",
    "m = -float('inf')\n    for k in range(x.shape[0]):\n        m = max(m, x[k, i])\n    o[i] = m": "o[:] = x.max(0)",
    "A[:] = max(A, 2) if x[0, i] > 0 else abs(A)": "A[:] = np.maximum(A, 2)",
    "o[i] = x[0, i] ** 0.5 + x[1, i] ** 1.5": "o[:] = x[0] ** 0.5 + x[1] ** 1.5",
    "x[:, i] = x[:, i] if x[0, i] > 100 else -x[:, i]": "x[:] = -x",
}
FLOATING = {
    "x[:, i] /= 3.0": "x[:] = x / 3",
    "A[:] = tt.exp(A)": "A[:] = np.exp(A)",
    "A[:] = tt.exp(A) / (1.0 + tt.exp(A))": "A[:] = np.exp(A) / (1 + np.exp(A))",
    "o[i] = x[1, i] ** -2": "o[:] = 1 / (x[1] * x[1])",
}
EPSILON = {"f16": 2**-10, "bf16": 2**-7}
TYPES = [each for each in SCALAR_TYPES if each not in ("bool", "index")]


def cases():
    """Yield types, statements and what they are in NumPy."""
    for type_ in TYPES:
        kind = SCALAR_TYPES[type_].kind
        chosen = dict(FORMS)
        if kind != "integer":
            chosen |= FLOATING
        if kind != "complex":
            chosen |= ORDERED
        for body, meaning in chosen.items():
            needs_floating = any(word in body for word in ("float('inf')", "s = 0.0", ".5"))
            if not (needs_floating and kind == "integer"):
                yield pytest.param(type_, body, meaning, id=f"{type_} {body}")


def arguments(type_):
    """Return arrays of small numbers, of which the first are positive."""
    dtype = SCALAR_TYPES[type_].array_dtype
    random = np.random.default_rng(7)
    x, a, o = (random.integers(1, 4, shape) for shape in ((5, 3), (4, 4), 3))
    arrays = [np.asfortranarray(each.astype(dtype)) for each in (x, a, o)]
    return [arrays[0], arrays[1], np.array([0, 2, 2, 5], np.int32), arrays[2]]


def expected(type_, meaning):
    """Return what NumPy makes of the arguments, in more digits for narrow types."""
    dtype = SCALAR_TYPES[type_].value_dtype
    wide = np.float32 if type_ in ("f16", "bf16") else dtype
    x, a, p, o = arguments(type_)
    scope = {"x": x.astype(wide), "A": a.astype(wide), "p": p, "o": o.astype(wide)}
    exec(meaning, {"np": np, **scope})
    return [scope[name] for name in "xAo"]


@pytest.mark.parametrize("sizes", [(5, 4), (None, None)])
@pytest.mark.parametrize(("type_", "body", "meaning"), profiles.some_of(cases(), "natural forms"))
def test_numbers(type_, body, meaning, sizes, tmp_path):
    names = {"T": type_, "N": sizes[0], "M": sizes[1]}
    kernel = imported(tmp_path / "f.py", f"{HEAD.format(**names)}    {body}\n")["f"]
    groups = 1 if "A[" in body.split("=")[0] or body.startswith("A ") else 3
    right = expected(type_, meaning)
    dtype = SCALAR_TYPES[type_].value_dtype
    # Sums and products of small numbers are exact. Powers may be off by 16 units in the last place,
    # exp by 3 (OpenCL C, "Relative Error as ULPs"); two operations round what is made of them.
    units = 18 if body in FLOATING or ".5" in body else 0
    tolerance = units * float(EPSILON.get(type_) or np.finfo(dtype).eps) if units else 0
    for launch in (kernel, lambda *a, groups: kernel(*a, groups=groups, queue="native")):
        found = arguments(type_)
        launch(*found, groups=groups)
        for array, wanted in zip((found[0], found[1], found[3]), right, strict=True):
            np.testing.assert_allclose(array.astype(wanted.dtype), wanted, rtol=tolerance)


def view(random, rank):
    """Return a random part of an array of 6 x 6 as Python writes it."""
    while True:
        items, sliced = [], 0
        for _ in range(2):
            start, size = random.choice([0, 0, 1, 3]), random.choice([2, 3])
            kinds = [f"{start}:{start + size}", ":", str(random.randrange(3)), "k"]
            items.append(random.choice(kinds))
            sliced += ":" in items[-1]
        if sliced == rank:
            return f"A[{', '.join(items)}]"


@pytest.mark.parametrize("seed", range(400 if profiles.IS_NIGHTLY else 40))
def test_views_of_one_array(seed, tmp_path):
    """The right side is what it was before, or an error says to copy it."""
    random = random_module.Random(seed)
    rank = random.choice([1, 2])
    target, *sources = (view(random, rank) for _ in range(3))
    if random.random() < 0.3:
        sources[0] = target
    body = f"{target} = {sources[0]} / 2.0 + {sources[1]}{random.choice(['', '.T'] if rank == 2 else [''])}"
    head = "import tinytc_mlir as tt\n\n@tt.kernel\ndef f(k: tt.index, A: tt.f64[6, 6]):\n"
    kernel = imported(tmp_path / "f.py", f"{head}    {body}\n")["f"]
    found = np.asfortranarray(np.arange(36.0).reshape(6, 6))
    right = found.copy()
    try:
        kernel(2, found, groups=1, queue="native")
    except tt.CompileError as error:
        assert re.search("array apart from it|expected an array of shape", str(error))
        return
    exec(body, {"A": right, "k": 2})
    np.testing.assert_array_equal(found, right)


@tt.kernel
def ends(x: tt.f64[4], o: tt.f64[2]):
    o[0], o[1] = x.max(), x.min()


def test_extrema_in_python():
    """Also beside NaN, which `max` and `min` of two numbers decide about."""
    for x in (np.array([2.0, np.nan, 3.0, 1.0]), np.array([2.0, 5.0, 3.0, 1.0])):
        found, right = np.zeros(2), np.zeros(2)
        ends(x, found, groups=1, queue="native")
        ends.python(x, right)
        np.testing.assert_array_equal(found, right)
