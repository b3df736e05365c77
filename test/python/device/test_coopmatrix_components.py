"""Instructions of version 0.4 on the components of cooperative matrices, and reductions."""

import itertools
import random

import numpy as np
import pytest

from cases.case import Case, buffer
from cases.operands import TYPES, literal_of
from cases.running import compares, comparison
from interpreting import COMPLEX, INTEGERS
from program_types import FLOATS

REALS = tuple(type_ for type_ in TYPES if type_ not in COMPLEX)
SIZES = tuple(f"subgroup_size={n}, work_group_size=[{n},1]" for n in (4, 8, 16, 32))
#: Matrices with and without padding, of one and of several blocks of rows.
SHAPES = ((1, 1), (8, 16), (16, 15), (5, 3), (33, 2), (2, 37), (16, 16))
USES = ("matrix_a", "matrix_b", "matrix_acc")


def case(rng, name, type_, shape, body, *, result=None, result_shape=None, use="matrix_acc"):
    """Return a case whose instructions make %r of the matrices %m and, if they use it, %n."""
    rows, columns = shape
    kind = f"coopmatrix<{type_}x{rows}x{columns},{use}>"
    second = f"%n = cooperative_matrix_load %B[%zero, %zero] : {kind}" if "%n" in body else ""
    text = f"""
    %zero = constant 0 : index
    parallel {{
        %m = cooperative_matrix_load %A[%zero, %zero] : {kind}
        {second}
        {body.replace("KIND", kind).replace("TYPE", type_)}
        cooperative_matrix_store %r, %C[%zero, %zero]
    }}"""
    memref = f"memref<{type_}x{rows}x{columns}>"
    result, result_shape = result or type_, result_shape or shape
    out = f"memref<{result}x{result_shape[0]}x{result_shape[1]}>"
    parameters = {
        "A": (memref, buffer(rng, type_, shape)),
        "B": (memref, buffer(rng, type_, shape)),
        "C": (out, buffer(rng, result, result_shape)),
    }
    return Case(f"{name} {kind}", text, parameters, 1, rng.choice(SIZES))


APPLY = """
        %r = cooperative_matrix_apply (%i, %j, %x) = %m -> KIND {
            %k = mul %i, 3 : i32
            %l = sub %k, %j : i32
            %w = and %l, 7 : i32
            %v = cast %w : TYPE
            %y = add %x, %v : TYPE
            yield (%y)
        }"""


@pytest.mark.parametrize("type_", TYPES)
@compares
def test_apply(type_):
    rng = random.Random(f"apply {type_}")
    return comparison(
        case(rng, "apply", type_, shape, APPLY, use=rng.choice(USES)) for shape in SHAPES
    )


STORES = """
        %r = cooperative_matrix_apply (%i, %j, %x) = %m -> KIND {
            %row = cast %i : index
            %column = cast %j : index
            %even = and %i, 1 : i32
            %is_even = equal %even, 0 : bool
            %y = if %is_even -> (TYPE) {
                %old = load %B[%row, %column] : TYPE
                store %x, %B[%row, %column]
                yield (%old)
            } else {
                %z = neg %x : TYPE
                yield (%z)
            }
            yield (%y)
        }"""


@pytest.mark.parametrize("type_", TYPES)
@compares
def test_apply_with_memory_and_conditions(type_):
    """Nothing is read or written for padding."""
    rng = random.Random(f"apply with memory {type_}")
    return comparison(
        case(rng, "apply with memory", type_, shape, STORES) for shape in (*SHAPES, (64, 17))
    )


@pytest.mark.parametrize("type_", ["i8", "bf16", "f64", "c32"])
@compares
def test_large_apply(type_):
    """An apply that is a loop over components, in a loop that carries the matrix."""
    rng = random.Random(f"large apply {type_}")
    additions = "".join(f"%s{i + 1} = add %s{i}, %x : TYPE\n" for i in range(20))
    body = f"""
        %one = constant 1 : index
        %r = for %t = %zero, %one init(%c = %m) -> (KIND) {{
            %o = cooperative_matrix_apply (%i, %j, %x) = %c -> KIND {{
                %low = and %j, 63 : i32
                %v = cast %low : TYPE
                %s0 = add %x, %v : TYPE
                {additions}
                yield (%s20)
            }}
            yield (%o)
        }}"""
    return comparison(
        case(rng, "large apply", type_, shape, body, use=use)
        for shape, use in itertools.product(((64, 16), (33, 20), (2, 300)), USES)
    )


INSERT = """
        %id = subgroup_local_id : i32
        %lane = cast %id : TYPE
        %c = cooperative_matrix_construct FIVE : KIND
        %o = cooperative_matrix_insert %lane, %c [0] : KIND
        %e = cooperative_matrix_extract %m [0] : TYPE
        %f = add %e, %lane : TYPE
        %p = cooperative_matrix_insert %f, %o [0] : KIND
        %r = add %p, %m : KIND"""


@pytest.mark.parametrize("type_", TYPES)
@compares
def test_construct_insert_and_extract(type_):
    rng = random.Random(f"insert {type_}")
    body = INSERT.replace("FIVE", literal_of(type_, 5))
    return comparison(
        case(rng, "insert", type_, shape, body, use=rng.choice(USES)) for shape in SHAPES
    )


@pytest.mark.similar
@pytest.mark.parametrize(
    ("type_", "word"),
    [(t, w) for t in TYPES for w in ("add", "max", "min") if t not in COMPLEX or w == "add"],
)
@compares
def test_reduce(type_, word):
    rng = random.Random(f"reduce {type_} {word}")
    cases = []
    for shape, mode in itertools.product(SHAPES, ("row", "column")):
        use = rng.choice(USES)
        reduced = (shape[0], 1) if mode == "row" else (1, shape[1])
        kind = f"coopmatrix<{type_}x{reduced[0]}x{reduced[1]},{use}>"
        body = f"%r = cooperative_matrix_reduce_{word}.{mode} %m : {kind}"
        cases.append(case(rng, f"{word}.{mode}", type_, shape, body, result_shape=reduced, use=use))
    return comparison(cases)


def binary_words(type_):
    words = ["add", "sub", "mul", "div"]
    if type_ not in COMPLEX:
        words += ["rem", "min", "max"]
    if type_ in INTEGERS:
        words += ["shl", "shr", "and", "or", "xor"]
    return words


@pytest.mark.parametrize("type_", TYPES)
@compares
def test_binary(type_):
    """Divisions by what was loaded, which is never 0 but in padding."""
    rng = random.Random(f"binary {type_}")
    cases = []
    for word, shape in itertools.product(binary_words(type_), SHAPES[1:5]):
        body = f"%r = {word} %m, %n : KIND"
        cases.append(case(rng, word, type_, shape, body, use=rng.choice(USES)))
        cases[-1].may_round = word == "div" and type_ in COMPLEX
    return comparison(cases)


@pytest.mark.parametrize("type_", TYPES)
@compares
def test_unary(type_):
    rng = random.Random(f"unary {type_}")
    real = {"c32": "f32", "c64": "f64"}.get(type_, type_)
    words = {"neg": type_, "abs": real}
    if type_ in INTEGERS:
        words["not"] = type_
    if type_ in COMPLEX:
        words |= {"conj": type_, "re": real, "im": real}
    cases = []
    for (word, result), shape in itertools.product(words.items(), SHAPES[1:5]):
        body = f"%r = {word} %m : coopmatrix<{result}x{shape[0]}x{shape[1]},matrix_acc>"
        cases.append(case(rng, word, type_, shape, body, result=result))
        cases[-1].may_round = word == "abs" and type_ in COMPLEX
    return comparison(cases)


def castable(source, result):
    return source not in COMPLEX or result in COMPLEX


@pytest.mark.similar
@pytest.mark.parametrize("use", ["matrix_a", "matrix_b"])
@pytest.mark.parametrize("type_", TYPES)
@compares
def test_casts_between_uses(type_, use):
    rng = random.Random(f"cast {type_} {use}")
    cases = []
    for result in filter(lambda result: castable(type_, result), TYPES):
        shape = rng.choice(((33, 2), (64, 3), (8, 5), (16, 4)))
        kind = f"coopmatrix<{result}x{shape[0]}x{shape[1]},{use}>"
        other = kind.replace(result, "i8" if result in INTEGERS else result, 1)
        body = f"%o = cast %m : {kind}\n%p = cast %o : {other}\n%r = cast %p : {kind}"
        cases.append(case(rng, f"cast to {kind}", type_, shape, body, result=result))
    return comparison(cases)


@pytest.mark.parametrize("type_", [t for t in TYPES if t in (*FLOATS, "i32", "c32")])
@compares
def test_product_of_a_product(type_):
    """The result of a product is an operand of the next one."""
    rng = random.Random(f"chain {type_}")
    cases = []
    for rows, columns, depth in ((8, 8, 8), (5, 3, 7), (4, 16, 2), (16, 16, 4), (2, 8, 16)):
        b = f"coopmatrix<TYPEx{depth}x{columns},matrix_b>"
        body = f"""
        %a = cooperative_matrix_load %A[%zero, %zero] : coopmatrix<TYPEx{rows}x{depth},matrix_a>
        %b = cooperative_matrix_load.t %B[%zero, %zero] : {b}
        %z = constant {literal_of(type_, 0)} : coopmatrix<TYPEx{rows}x{columns},matrix_acc>
        %c = cooperative_matrix_mul_add %a, %b, %z : coopmatrix<TYPEx{rows}x{columns},matrix_acc>
        %p = cast %c : coopmatrix<TYPEx{rows}x{columns},matrix_a>
        %q = cooperative_matrix_load %B[%zero, %zero] : coopmatrix<TYPEx{columns}x{depth},matrix_b>
        %y = constant {literal_of(type_, 1)} : coopmatrix<TYPEx{rows}x{depth},matrix_acc>
        %r = cooperative_matrix_mul_add %p, %q, %y : coopmatrix<TYPEx{rows}x{depth},matrix_acc>"""
        one = case(rng, "chain", type_, (rows, depth), body)
        shape = (columns, depth)
        one.parameters["B"] = (f"memref<{type_}x{columns}x{depth}>", buffer(rng, type_, shape))
        one.may_round = type_ in ("bf16", "f16")
        cases.append(one)
    return comparison(cases)


def transposed_store(rng, type_, shape, checked, flag):
    """Write a matrix transposed to a position that is half outside where that is checked."""
    rows, columns = shape
    x, y = 1, 2
    if checked in (".rows_checked", ".both_checked"):
        y = rng.choice((-1, 3 + rows // 2))
    if checked in (".cols_checked", ".both_checked"):
        x = rng.choice((-1, 2 + columns // 2))
    kind = f"coopmatrix<{type_}x{rows}x{columns},matrix_acc>"
    body = f"""
    %zero = constant 0 : index
    parallel {{
        %m = cooperative_matrix_load %A[%zero, %zero] : {kind}
        cooperative_matrix_store.t{checked}{flag} %m, %B[%x, %y]
        cooperative_matrix_prefetch 0, %B[%y, %x], {rows}, {columns}
    }}"""
    outer = (columns + 1, rows + 2)
    parameters = {
        "A": (f"memref<{type_}x{rows}x{columns}>", buffer(rng, type_, shape)),
        "B": (f"memref<{type_}x{outer[0]}x?>", buffer(rng, type_, outer)),
        "x": ("index", x),
        "y": ("index", y),
    }
    name = f"store.t{checked}{flag} {type_} {shape}"
    return Case(name, body, parameters, 1, rng.choice(SIZES))


@pytest.mark.parametrize("type_", TYPES)
@compares
def test_transposed_store(type_):
    rng = random.Random(f"store.t {type_}")
    checks = ("", ".rows_checked", ".cols_checked", ".both_checked")
    return comparison(
        transposed_store(rng, type_, shape, checked, rng.choice(("", ".atomic", ".atomic_add")))
        for shape, checked in itertools.product(SHAPES[1:6], checks)
    )


@compares
def test_infinities_in_reductions():
    """Padding is no component: neither its zeros nor what it holds are combined."""
    rng = random.Random("infinities")
    cases = []
    for shape, mode, word in itertools.product(SHAPES, ("row", "column"), ("max", "min")):
        reduced = (shape[0], 1) if mode == "row" else (1, shape[1])
        kind = f"coopmatrix<f32x{reduced[0]}x{reduced[1]},matrix_acc>"
        body = f"%r = cooperative_matrix_reduce_{word}.{mode} %m : {kind}"
        one = case(rng, f"inf {word}.{mode}", "f32", shape, body, result_shape=reduced)
        value = np.float32(-np.inf if word == "max" else np.inf)
        memref, _ = one.parameters["A"]
        one.parameters["A"] = (memref, buffer(rng, "f32", shape, fill=np.full(shape, value)))
        cases.append(one)
    return comparison(cases)
