"""Scalar instructions on all types, for many operands of each."""

import itertools
import math
import random

import numpy as np
import pytest

import tinytc_mlir as tt
from cases.case import Case, buffer, stored
from cases.running import compares, comparison
from casting import doubles_near_ties, integers_near_ties
from interpreting import COMPLEX, DTYPES, INTEGERS
from program_types import FLOATS, REALS, SCALARS
from tinytc_mlir.frontend.instructions import MATH
from tinytc_mlir.scalars import bfloat16_values

INF, NAN = math.inf, math.nan
FINITE = (0.0, -0.0, 1.0, -1.5, 2.0, 3.25, -7.0, 0.1, 100.0, -31.7)
BINARY = {
    "add": SCALARS,
    "sub": SCALARS,
    "mul": SCALARS,
    "div": SCALARS,
    "rem": REALS,
    "min": REALS,
    "max": REALS,
    "shl": INTEGERS,
    "shr": INTEGERS,
    "and": (*INTEGERS, "bool"),
    "or": (*INTEGERS, "bool"),
    "xor": (*INTEGERS, "bool"),
}
#: The others are those of test_functions.py.
FUNCTIONS = [
    name
    for name in MATH
    if name.removeprefix("native_") in ("cos", "exp", "exp2", "log", "log2", "sin")
]
UNARY = {
    "arith.abs": SCALARS,
    "arith.neg": SCALARS,
    "arith.not": (*INTEGERS, "bool"),
    "arith.conj": COMPLEX,
    "arith.re": COMPLEX,
    "arith.im": COMPLEX,
    **{name: (*FLOATS, *COMPLEX) if "exp" in name else FLOATS for name in FUNCTIONS},
}


def bits(type_):
    return 64 if type_ in ("index", "bool") else int(type_.strip("bcfi"))


def operands(type_, word=""):
    """Return numbers of a type that are worth trying."""
    if type_ == "bool":
        return [0, 1]
    if type_ in INTEGERS:
        limit = 2 ** (bits(type_) - 1)
        if word in ("shl", "shr"):
            width = bits(type_)
            return [0, 1, 2, width - 1, width, width + 2, -1, -2]
        return [0, 1, -1, 2, 3, -7, 100, limit - 1, -limit]
    if type_ in COMPLEX:
        part = (0.0, 1.0, -2.5, 3.0)
        return [complex(*pair) for pair in itertools.product(part, part)]
    return [*FINITE, INF, -INF, NAN]


def pairs(word, type_):
    left = operands(type_)
    for a, b in itertools.product(left, operands(type_, word)):
        # Division by zero and overflow are undefined.
        is_undefined = b == 0 or (b == -1 and a == -(2 ** (bits(type_) - 1)))
        if type_ in INTEGERS and word in ("div", "rem") and is_undefined:
            continue
        if type_ in COMPLEX and word == "div" and b == 0:
            continue
        yield a, b


def whole(type_, values):
    """Return a buffer with these elements; a boolean is held as i8."""
    return buffer(random.Random(0), type_, (len(values),), fill=stored(values, type_))


def elementwise(name, instruction, types, result, lists, *, may_round=False):
    """Return a kernel that applies an instruction to the elements of lists."""
    count = len(lists[0])
    names = "ab"[: len(lists)]
    held = {type_: "i8" if type_ == "bool" else type_ for type_ in (*types, result)}
    lines, parameters = [], {}
    for operand, type_, values in zip(names, types, lists, strict=True):
        memory = np.asarray(values) if type_ != "bf16" else values
        data = buffer(random.Random(0), held[type_], (count,))
        data.view(data.data)[...] = stored(memory, held[type_])
        parameters[operand.upper()] = (f"memref<{held[type_]}x{count}>", data)
        lines.append(f"%{operand}_ = load %{operand.upper()}[%i] : {held[type_]}")
        if type_ == "bool":
            lines.append(f"%{operand} = cmp.ne %{operand}_, 0 : bool")
        else:
            lines[-1] = lines[-1].replace(f"%{operand}_", f"%{operand}")
    parameters["C"] = (
        f"memref<{held[result]}x{count}>",
        buffer(random.Random(1), held[result], (count,)),
    )
    lines.append(f"%c = {instruction}")
    value = "%c"
    if result == "bool":
        lines += [
            "%one = constant 1 : i8",
            "%zero = constant 0 : i8",
            "%d = if %c -> (i8) { yield (%one) } else { yield (%zero) }",
        ]
        value = "%d"
    lines.append(f"store {value}, %C[%i]")
    body = "\n".join(
        [
            "%from = constant 0 : index",
            f"%to = constant {count} : index",
            "foreach (%i) = (%from), (%to) {",
            *lines,
            "}",
        ]
    )
    return Case(name, body, parameters, may_round=may_round)


def binary_cases():
    for word, types in BINARY.items():
        for type_ in types:
            if type_ == "bool":
                values = list(itertools.product((0, 1), (0, 1)))
            else:
                values = list(pairs(word, type_))
            instruction = f"arith.{word} %a, %b : {type_}"
            yield elementwise(
                f"arith.{word} {type_}",
                instruction,
                (type_, type_),
                type_,
                list(zip(*values, strict=True)),
                # Complex multiplication and division round more than once.
                may_round=type_ in COMPLEX and word in ("mul", "div"),
            )


def unary_cases():
    for name, types in UNARY.items():
        for type_ in types:
            is_part = name in ("arith.abs", "arith.re", "arith.im") and type_ in COMPLEX
            result = f"f{type_[1:]}" if is_part else type_
            values = operands(type_)
            if name == "arith.abs" and type_ in INTEGERS:
                values = values[:-1]  # the smallest integer has no absolute value
            if name in FUNCTIONS:
                values = [v for v in values if not abs(v) > 32]
            may_round = name in FUNCTIONS or (name == "arith.abs" and type_ in COMPLEX)
            instruction = f"{name} %a : {result}"
            yield elementwise(
                f"{name} {type_}", instruction, (type_,), result, [values], may_round=may_round
            )


def comparison_cases():
    for word in ("eq", "ne", "gt", "ge", "lt", "le"):
        for type_ in SCALARS if word in ("eq", "ne") else REALS:
            values = list(itertools.product(operands(type_), operands(type_)))
            yield elementwise(
                f"cmp.{word} {type_}",
                f"cmp.{word} %a, %b : bool",
                (type_, type_),
                "bool",
                list(zip(*values, strict=True)),
            )


def fits(value, source, result):
    """Return whether a cast is defined."""
    if result not in INTEGERS or source in INTEGERS:
        return True
    if not math.isfinite(value):
        return False
    value = float(np.float32(value)) if source == "bf16" else float(DTYPES[source].type(value))
    return -(2.0 ** (bits(result) - 1)) < value < 2.0 ** (bits(result) - 1)


def cast_cases():
    for source, result in itertools.product(SCALARS, SCALARS):
        if source in COMPLEX and result not in COMPLEX:
            continue
        values = [v for v in operands(source) if fits(v, source, result)]
        name = f"cast {source} {result}"
        yield elementwise(name, f"cast %a : {result}", (source,), result, [values])


@pytest.mark.parametrize(
    "make", [binary_cases, unary_cases, comparison_cases, cast_cases], ids=lambda f: f.__name__
)
@compares
def test_instruction_of_every_type(make):
    return comparison(make(), batch=24)


@pytest.mark.similar
@pytest.mark.parametrize("result", ["bf16", "f16"])
@pytest.mark.parametrize("source", ["i16", "i32", "i64", "index", "f64"])
def test_casts_round_once(source, result):
    if source == "f64":
        values, nearest = doubles_near_ties(result)
    else:
        values, nearest = integers_near_ties(bits(source), result)
    text = f"""
    func @f(%A: memref<{source}x?>, %B: memref<{result}x?>) {{
        %zero = constant 0 : index
        %n = size %A[0] : index
        foreach (%i) = (%zero), (%n) {{
            %a = load %A[%i] : {source}
            %b = cast %a : {result}
            store %b, %B[%i]
        }}
    }}"""
    rounded = np.zeros(len(values), DTYPES[result])
    source_values = values.astype(DTYPES[source])
    tt.Context().parse(text).compile()["f"](source_values, rounded, groups=1)
    if result == "bf16":
        rounded = bfloat16_values(rounded)
    wrong = np.flatnonzero(rounded != nearest)
    assert not wrong.size, (wrong.size, values[wrong[0]], rounded[wrong[0]], nearest[wrong[0]])


@pytest.mark.parametrize("type_", ["c32", "c64"])
@compares
def test_complex_neither_overflows_nor_underflows(type_):
    large = 2.0 ** (100 if type_ == "c32" else 900)
    values = [
        (complex(a * large, b * large), complex(c * large, d * large))
        for a, b, c, d in itertools.product((1, -3), (0, 2), (1, 0), (2, 1))
    ]
    small = [(a / large / large, b / large / large) for a, b in values]
    opposite = [(a, b / large / large) for a, b in values]
    return comparison(
        [
            elementwise(
                f"mul {type_}",
                f"arith.mul %a, %b : {type_}",
                (type_, type_),
                type_,
                list(zip(*opposite, strict=True)),
                may_round=True,
            ),
            elementwise(
                f"div {type_}",
                f"arith.div %a, %b : {type_}",
                (type_, type_),
                type_,
                list(zip(*(values + small), strict=True)),
                may_round=True,
            ),
            elementwise(
                f"abs {type_}",
                f"arith.abs %a : f{type_[1:]}",
                (type_,),
                f"f{type_[1:]}",
                [[pair[0] for pair in values + small]],
                may_round=True,
            ),
        ]
    )
