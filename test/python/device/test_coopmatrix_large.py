"""Cooperative matrices with so many components that instructions are loops over them."""

import itertools
import random

import pytest

from cases.case import Case, buffer
from cases.operands import TYPES, literal_of
from cases.running import compiler_of, run_cases
from interpreting import COMPLEX, INTEGERS
from program_types import BLAS_TYPES

#: Of a subgroup of 4: with and without padding, in one and in several columns side by side.
SHAPES = ((64, 20), (41, 33), (2, 600), (3, 301))
USES = ("matrix_a", "matrix_b", "matrix_acc")
ATTRIBUTES = "subgroup_size=4, work_group_size=[4,1]"


def case(rng, name, type_, shape, body, *, use="matrix_acc", result=None, modifiers=("", "")):
    """Return a case that loads %m and %n, makes %r and stores it."""
    rows, columns = shape
    kind = f"coopmatrix<{type_}x{rows}x{columns},{use}>"
    load, store = modifiers
    text = f"""
    %zero = constant 0 : index
    parallel {{
        %m = cooperative_matrix_load{load} %A[%zero, %zero] : {kind}
        %n = cooperative_matrix_load %B[%zero, %zero] : {kind}
        {body.replace("KIND", kind).replace("TYPE", type_)}
        cooperative_matrix_store{store} %r, %C[%zero, %zero]
    }}"""
    size = (max(rows - 5 * ("both" in load), 1), columns - 5 * ("checked" in load))
    size = size[::-1] if ".t" in load else size
    out = result or shape
    if "checked" in store:
        out = (out[0], out[1] - 7)
    parameters = {
        name: (f"memref<{type_}x{sizes[0]}x{sizes[1]}>", buffer(rng, type_, sizes))
        for name, sizes in (("A", size), ("B", shape), ("C", out))
    }
    return Case(f"{name} {kind}", text, parameters, 1, ATTRIBUTES)


def check(cases):
    """Compare them on the CPU: subgroups of GPUs are larger."""
    cases = list(cases)
    run_cases(cases, compile_=compiler_of(cases))


def chain(type_):
    """Return instructions whose operands come from loads, loops and constants."""
    lines = [f"%two = constant {literal_of(type_, 2)} : TYPE", "%c = constant ONE : KIND"]
    lines += ["%d = add %m, %c : KIND", "%e = mul %d, %n : KIND", "%f = sub %e, %m : KIND"]
    lines += ["%g = cooperative_matrix_scale %two, %f : KIND", "%h = neg %g : KIND"]
    if type_ in INTEGERS:
        lines += ["%p = div %h, %n : KIND", "%q = rem %h, %n : KIND", "%r = add %p, %q : KIND"]
    elif type_ in COMPLEX:
        lines += ["%r = conj %h : KIND"]
    else:
        lines += ["%r = max %h, %m : KIND"]
    return "\n".join(lines).replace("ONE", literal_of(type_, 1))


@pytest.mark.similar
@pytest.mark.parametrize("type_", TYPES)
def test_chains(type_):
    rng = random.Random(f"chains {type_}")
    modifiers = (("", ""), (".t", ""), (".both_checked", ".cols_checked"), (".t.cols_checked", ""))
    check(
        case(rng, "chain", type_, shape, chain(type_), use=rng.choice(USES), modifiers=each)
        for shape, each in zip(SHAPES, modifiers, strict=True)
    )


CARRIED = """
        %c = constant 0 : index   %d = constant 3 : index
        %r, %s = for %i = %c, %d init(%x = %m, %y = %n) -> (KIND, KIND) {
            %z = add %x, %y : KIND
            %w = add %z, %x : KIND
            yield (%w, %z)
        }"""


@pytest.mark.parametrize("type_", ["i8", "f32"])
def test_loops_carry_them(type_):
    rng = random.Random(f"carried {type_}")
    check(case(rng, "carried", type_, shape, CARRIED) for shape in SHAPES[:2])


@pytest.mark.similar
@pytest.mark.parametrize("type_", TYPES)
def test_casts(type_):
    """Matrices whose components have one byte lie otherwise in the vector."""
    rng = random.Random(f"casts {type_}")
    other = "c64" if type_ in COMPLEX else "i8" if type_ in INTEGERS else "f64"
    cases = []
    for shape, use in itertools.product(SHAPES[:2], ("matrix_a", "matrix_b")):
        there = f"coopmatrix<{other}x{shape[0]}x{shape[1]},{use}>"
        body = f"%o = cast %m : {there}\n%r = add %o, %o : {there}"
        one = case(rng, f"cast to {there}", type_, shape, body)
        memory = (f"memref<{other}x{shape[0]}x{shape[1]}>", buffer(rng, other, shape))
        one.parameters["C"] = memory
        cases.append(one)
    check(cases)


@pytest.mark.similar
@pytest.mark.parametrize(
    ("type_", "word"), [(t, "add") for t in TYPES] + [("i8", "max"), ("f16", "min")]
)
def test_reductions(type_, word):
    rng = random.Random(f"reductions {type_} {word}")
    cases = []
    for shape, mode in itertools.product(SHAPES, ("row", "column")):
        if mode == "column" and shape[1] > 100:
            continue  # an exchange between lanes for each column
        line = (shape[0], 1) if mode == "row" else (1, shape[1])
        kind = f"coopmatrix<{type_}x{line[0]}x{line[1]},matrix_acc>"
        body = f"%r = cooperative_matrix_reduce_{word}.{mode} %m : {kind}"
        cases.append(case(rng, f"{word}.{mode}", type_, shape, body, result=line))
    check(cases)


@pytest.mark.similar
@pytest.mark.parametrize("type_", BLAS_TYPES)
def test_atomic_accesses(type_):
    rng = random.Random(f"atomics {type_}")
    words = ["add"] if type_ in COMPLEX else ["add", "max", "min"]
    cases = []
    for word, shape in itertools.product(words, ((16, 15), (2, 100))):
        body = f"""
        %o = cooperative_matrix_atomic_load %B[%zero, %zero] : KIND
        %p = cooperative_matrix_atomic_{word} %m, %B[%zero, %zero] : KIND
        %r = add %o, %p : KIND"""
        cases.append(case(rng, word, type_, shape, body))
    check(cases)
