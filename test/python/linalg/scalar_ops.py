"""Functions on memrefs for every op of arith and math, and what NumPy says of each."""

import dataclasses
from collections.abc import Callable

import numpy as np
from scalar_meanings import (
    BINARY,
    BITS,
    CLASSES,
    COMPARED,
    INTEGER,
    ORDERS,
    UNARY,
    exactly,
    unsigned,
)

from tinytc_mlir.scalars import SCALAR_TYPES

FLOATS = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-23, "f64": 2.0**-52}
INTEGERS = ("i8", "i16", "i32", "i64", "index")
COUNT = 48
#: The ops that take numbers of types that are none of the language.
REFUSED = {"arith.scaling_extf", "arith.scaling_truncf"}


@dataclasses.dataclass(frozen=True)
class Case:
    """A function of elements.

    Args:
        op: name of the op.
        inputs: types of the operands x, y and z.
        result: type of %r.
        body: ops that compute %r.
        expected: the same on arrays.
    """

    op: str
    inputs: tuple[str, ...]
    result: str
    body: str
    expected: Callable[..., np.ndarray]

    def text(self, name):
        """Return the function."""
        types = [f"memref<{COUNT}x{type_}>" for type_ in (*self.inputs, self.result)]
        names = [f"%a{number}" for number in range(len(types))]
        parameters = ", ".join(f"{n}: {t}" for n, t in zip(names, types, strict=True))
        block = ", ".join(f"%{n}: {t}" for n, t in zip("xyz", self.inputs, strict=False))
        maps = ", ".join(["affine_map<(i) -> (i)>"] * len(types))
        inputs = ", ".join(names[:-1]) + " : " + ", ".join(types[:-1])
        return f"""func.func @{name}({parameters}) {{
          linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
            ins({inputs}) outs({names[-1]} : {types[-1]}) {{
          ^bb0({block}, %old: {self.result}):
            {self.body}
            linalg.yield %r : {self.result}
          }}
          return
        }}"""


def _boolean(text):
    return f"%b = {text}\n%r = arith.extui %b : i1 to i32"


def floating(t):
    """Return the cases on floating-point numbers of a type."""
    for word, function in UNARY.items():
        yield Case(f"math.{word}", (t,), t, f"%r = math.{word} %x : {t}", function)
    for word, function in CLASSES.items():
        yield Case(f"math.{word}", (t,), "i32", _boolean(f"math.{word} %x : {t}"), function)
    for op, function in BINARY.items():
        yield Case(op, (t, t), t, f"%r = {op} %x, %y : {t}", function)
    for word, function in COMPARED.items():
        text = _boolean(f"arith.cmpf {word}, %x, %y : {t}")
        yield Case("arith.cmpf", (t, t), "i32", text, function)
    yield Case("arith.negf", (t,), t, f"%r = arith.negf %x : {t}", np.negative)
    text = f"%w = math.absf %x : {t}\n%r = math.powf %w, %y : {t}"
    yield Case("math.powf", (t, t), t, text, lambda x, y: np.power(np.abs(x), y))
    text = f"%r = math.fma %x, %y, %z : {t}"
    yield Case("math.fma", (t, t, t), t, text, lambda x, y, z: x * y + z)
    text = f"%r = math.clampf %x to [%y, %z] : {t}"
    clamped = lambda x, y, z: np.minimum(np.maximum(x, y), z)  # noqa: E731
    yield Case("math.clampf", (t, t, t), t, text, clamped)
    for part, function in (("%r, %o", np.sin), ("%o, %r", np.cos)):
        yield Case("math.sincos", (t,), t, f"{part} = math.sincos %x : {t}", function)
    text = f"%r = math.fpowi %x, %y : {t}, i8"
    yield Case("math.fpowi", (t, "i8"), t, text, lambda x, n: np.power(x, n.astype(np.float64)))
    text = f"%b = arith.cmpf olt, %x, %y : {t}\n%r = arith.select %b, %x, %y : {t}"
    yield Case("arith.select", (t, t), t, text, lambda x, y: np.where(x < y, x, y))
    for other in ("i8", "i32", "i64"):
        text = f"%r = arith.sitofp %x : {other} to {t}"
        yield Case("arith.sitofp", (other,), t, text, lambda x: x.astype(np.float64))
        text = f"%r = arith.uitofp %x : {other} to {t}"
        unsigned = lambda x: x.view(x.dtype.str.replace("i", "u")).astype(np.float64)  # noqa: E731
        yield Case("arith.uitofp", (other,), t, text, unsigned)
        for op, bound in (("arith.fptosi", -99.0), ("arith.fptoui", 0.0)):
            text = f"%l = arith.constant {bound} : {t}\n%h = arith.constant 99.0 : {t}\n"
            text += f"%v = arith.maxnumf %x, %l : {t}\n%w = arith.minnumf %v, %h : {t}\n"
            limited = lambda x, bound=bound: np.fmin(np.fmax(x, bound), 99).astype(np.int64)  # noqa: E731
            yield Case(op, (t,), other, text + f"%r = {op} %w : {t} to {other}", limited)


def integral(t):
    """Return the cases on integers of a type."""
    for op, function in INTEGER.items():
        yield Case(op, (t, t), t, f"%r = {op} %x, %y : {t}", function)
    for op, function in BITS.items():
        yield Case(op, (t,), t, f"%r = {op} %x : {t}", function)
    for op in ("arith.shli", "arith.shrsi", "arith.shrui"):
        shifted = {"li": np.left_shift, "si": np.right_shift, "ui": unsigned(np.right_shift)}
        text = f"%m = arith.constant 7 : {t}\n%s = arith.andi %y, %m : {t}\n%r = {op} %x, %s : {t}"
        shift = shifted[op[-2:]]
        yield Case(op, (t, t), t, text, lambda x, y, shift=shift: shift(x, y & 7))
    for op, high in (
        ("arith.mulsi_extended", lambda w, a, b: a * b >> w),
        ("arith.mului_extended", lambda w, a, b: (a % 2**w) * (b % 2**w) >> w),
    ):
        yield Case(op, (t, t), t, f"%o, %r = {op} %x, %y : {t}", exactly(high))
        yield Case(op, (t, t), t, f"%r, %o = {op} %x, %y : {t}", np.multiply)
    text = f"%o, %b = arith.addui_extended %x, %y : {t}, i1\n%r = arith.extui %b : i1 to i32"
    carry = exactly(lambda w, a, b: (a % 2**w) + (b % 2**w) >> w, np.int32)
    yield Case("arith.addui_extended", (t, t), "i32", text, carry)
    for word, function in ORDERS.items():
        for sign in ("",) if word in ("eq", "ne") else ("s", "u"):
            text = _boolean(f"arith.cmpi {sign}{word}, %x, %y : {t}")
            compared = function if sign != "u" else unsigned(function)
            yield Case("arith.cmpi", (t, t), "i32", text, compared)


def converting():
    """Return the cases that convert, and keep the number."""
    integers = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "index": np.int64}
    pairs = {
        "extsi": [("i8", "i16"), ("i16", "i64")],
        "extui": [("i8", "i32"), ("i32", "i64")],
        "trunci": [("i64", "i8"), ("i32", "i16")],
        "index_cast": [("i8", "index"), ("index", "i32")],
        "index_castui": [("i8", "index"), ("index", "i16")],
    }
    for word, types in pairs.items():
        for a, b in types:

            def converted(x, dtype=integers[b], isUnsigned=word in ("extui", "index_castui")):  # noqa: N803
                return (x.view(x.dtype.str.replace("i", "u")) if isUnsigned else x).astype(dtype)

            yield Case(f"arith.{word}", (a,), b, f"%r = arith.{word} %x : {a} to {b}", converted)
    for a, b in (("f16", "f32"), ("bf16", "f32"), ("f32", "f64"), ("bf16", "f64")):
        yield Case("arith.extf", (a,), b, f"%r = arith.extf %x : {a} to {b}", lambda x: x)
        yield Case("arith.truncf", (b,), a, f"%r = arith.truncf %x : {b} to {a}", lambda x: x)
    text = "%r = arith.bitcast %x : f32 to i32"
    yield Case(
        "arith.bitcast", ("f32",), "i32", text, lambda x: x.astype(np.float32).view(np.int32)
    )
    text = "%c = arith.constant 3 : i32\n%r = arith.addi %x, %c : i32"
    yield Case("arith.constant", ("i32",), "i32", text, lambda x: x + 3)


def cases(group):
    """Return the cases of a type, or those that convert."""
    if group == "conversions":
        return list(converting())
    return list(floating(group) if group in FLOATS else integral(group))


def values(type_, number):
    """Return numbers of a type for operand `number`: usual ones, and those at the limits."""
    generator = np.random.default_rng([number, sum(map(ord, type_))])
    scalar = SCALAR_TYPES[type_]
    if type_ in FLOATS:
        special = [0, -0.0, 0.25, -0.5, 0.75, 1, -1, 2.5, -3.5, 30, np.inf, -np.inf, np.nan]
        found = np.concatenate([np.roll(special, 5 * number), generator.normal(0, 3, COUNT - 13)])
        return np.asarray(scalar.to_memory(found.astype(scalar.value_dtype)))
    limits = np.iinfo(scalar.value_dtype)
    found = generator.integers(limits.min, limits.max, COUNT, endpoint=True, dtype=np.int64)
    found[::3] = generator.integers(-5, 8, COUNT)[::3]
    found[:4] = [limits.min, limits.max, 1, -1]
    found = np.roll(found, 5 * number)
    if number:  # none is divided by 0, nor the smallest by -1
        found[(found == 0) | (found == -1)] = 3
    return found.astype(scalar.value_dtype)


def check(case, arrays, found):
    """Compare a result with what NumPy computes in f64."""
    operands = []
    for type_, array in zip(case.inputs, arrays, strict=True):
        value = SCALAR_TYPES[type_].from_memory(array)
        operands.append(value.astype(np.float64) if type_ in FLOATS else value)
    scalar = SCALAR_TYPES[case.result]
    with np.errstate(all="ignore"):
        expected = case.expected(*operands)
        if case.result not in FLOATS:
            np.testing.assert_array_equal(found, expected.astype(found.dtype), case.body)
            return
        expected = scalar.from_memory(scalar.to_memory(expected.astype(scalar.value_dtype)))
    epsilon = max(FLOATS[t] for t in (case.result, *case.inputs) if t in FLOATS)
    actual = scalar.from_memory(found).astype(np.float64)
    # OpenCL C, "Relative Error as ULPs": 16 for pow, at most 6 for the others here (atan2).
    tolerance = 16 * epsilon if case.op in ("math.powf", "math.fpowi") else 6 * epsilon
    np.testing.assert_allclose(actual, expected, tolerance, epsilon / 1e6, err_msg=case.body)
