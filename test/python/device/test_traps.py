"""Mistakes of the reference implementation that must not be made again, one test each."""

import itertools
import random

import numpy as np
import pytest

import tinytc_mlir as tt
from binaries import needs_spirv_val, validate
from cases.case import SHAPES, Case, buffer
from cases.collective_cases import collective_case
from cases.operands import Writer, scalar
from cases.running import compares, comparison, run_cases

MANY = "subgroup_size=16, work_group_size=[64,2]"


def check(name, body, parameters, groups=1, attributes=""):
    run_cases([Case(name, body, parameters, groups, attributes)])


def test_barrier_between_two_spmd_regions():
    rng = random.Random(0)
    body = """
    %zero = constant 0 : index
    %n = constant 131 : index
    foreach (%i) = (%zero), (%n) {
        %x = load %A[%i] : i32
        store %x, %B[%i]
    }
    foreach (%i) = (%zero), (%n) {
        %j = arith.sub 130, %i : index
        %x = load %B[%j] : i32
        store %x, %C[%i]
    }"""
    parameters = {name: ("memref<i32x131>", buffer(rng, "i32", (131,))) for name in "ABC"}
    check("two regions", body, parameters, 1, MANY)


def test_barriers_know_coopmatrix_accesses():
    body = """
    %zero = constant 0 : index
    %n = constant 16 : index
    %L = alloca : memref<f32x16x16,local>
    foreach (%i, %j) = (%zero, %zero), (%n, %n) {
        %x = load %A[%i, %j] : f32
        store %x, %L[%i, %j]
    }
    parallel {
        %sg = builtin.subgroup_id : i32
        %is_first = cmp.eq %sg, 0 : bool
        if %is_first {
            %m = cooperative_matrix_load.t %L[%zero, %zero] : coopmatrix<f32x16x16,matrix_acc>
            cooperative_matrix_store %m, %B[%zero, %zero]
        }
    }
    foreach (%i, %j) = (%zero, %zero), (%n, %n) {
        %x = load %B[%i, %j] : f32
        store %x, %C[%j, %i]
    }"""
    rng = random.Random(0)
    memref = "memref<f32x16x16>"
    parameters = {name: (memref, buffer(rng, "f32", (16, 16))) for name in "ABC"}
    check("coopmatrix", body, parameters, 1, MANY)


@pytest.mark.parametrize("sizes", [(19, 23, 5), (33, 9, 7), (16, 17, 16)])
@compares
def test_tiles_of_mixed_types_stay_inside(sizes):
    m, n, k = sizes
    cases = []
    for attributes, (a, c) in itertools.product(SHAPES, [("f16", "f32"), ("i8", "f64")]):
        rng = random.Random(0)
        writer = Writer(rng)
        operands = [
            scalar(rng, "alpha", a, 1, constant=True),
            scalar(rng, "beta", c, 1, constant=True),
            writer.operand("A", "packed", a, (m, k)),
            writer.operand("B", "packed", a, (k, n)),
            writer.operand("C", "padded", c, (m, n)),
        ]
        text = "gemm.n.n %alpha, %A, %B, %beta, %C"
        case = collective_case(rng, f"gemm {a} {c} {sizes}", text, operands)
        case.attributes = attributes
        cases.append(case)
    return comparison(cases)


def test_atomic_gemm_with_beta_1():
    body = """
    %alpha = constant 1.0 : f32
    gemm.n.n.atomic %alpha, %A, %B, %alpha, %C"""
    rng = random.Random(0)
    parameters = {name: ("memref<f32x17x17>", buffer(rng, "f32", (17, 17))) for name in "ABC"}
    check("gemm.atomic", body, parameters, 8, MANY)


@pytest.mark.parametrize("constant", [False, True])
def test_loop_variable_near_the_end_of_its_type(constant):
    bounds = {"from": -128, "to": 127, "step": 100}
    head = "\n".join(f"%{name} = constant {value} : i8" for name, value in bounds.items())
    body = f"""
    {head if constant else ""}
    %zero = constant 0 : i32
    %n = for %i: i8 = %from, %to, %step init(%c = %zero) -> (i32) {{
        %next = arith.add %c, 1 : i32
        yield (%next)
    }}
    store.atomic %n, %out[]"""
    parameters = {} if constant else {name: ("i8", value) for name, value in bounds.items()}
    parameters["out"] = ("memref<i32>", buffer(random.Random(0), "i32", ()))
    check("i8 loop", body, parameters)


def test_casts_between_i64_and_index():
    body = """
    %a = cast %x : index
    %b = cast %a : i64
    %c = cast %a : i32
    store.atomic %b, %out[0]
    %d = cast %c : i64
    store.atomic %d, %out[1]"""
    out = buffer(random.Random(0), "i64", (2,))
    check("index", body, {"x": ("i64", -(2**40) + 3), "out": ("memref<i64x2>", out)})


@needs_spirv_val
@pytest.mark.parametrize("word", ["min", "max", "add"])
def test_subgroup_operations_declare_what_they_need(word):
    lines = [
        f"%{t}{m} = subgroup_{word}.{m} %x{t} : {t}\nstore %{t}{m}, %out{t}[0]"
        for t in ("i32", "f64", "i8", "f16")
        for m in ("reduce", "inclusive_scan", "exclusive_scan")
    ]
    parameters = ", ".join(
        f"%x{t}: {t}, %out{t}: memref<{t}x1>" for t in ("i32", "f64", "i8", "f16")
    )
    text = f"func @f({parameters}) {{ parallel {{\n" + "\n".join(lines) + "\n} }"
    validate(tt.Context().parse(text).compile("cpu").spirv)


def test_coopmatrix_of_15_columns_writes_15():
    body = """
    %zero = constant 0 : index
    parallel {
        %m = cooperative_matrix_load.n %A[%zero, %zero] : coopmatrix<f32x16x15,matrix_acc>
        cooperative_matrix_store %m, %B[%zero, %zero]
    }"""
    rng = random.Random(0)
    parameters = {name: ("memref<f32x16x16>", buffer(rng, "f32", (16, 16))) for name in "AB"}
    check("15 columns", body, parameters, 1, "subgroup_size=16, work_group_size=[16,1]")


@compares
def test_complex_division_of_constants_with_a_zero_part():
    values = ("[3.0, 0.0]", "[0.0, 2.0]", "[1.0, -4.0]")
    lines = []
    pairs = list(itertools.product(values, values))
    for i, (a, b) in enumerate(pairs):
        lines += [
            f"%a{i} = constant {a} : c32",
            f"%b{i} = constant {b} : c32",
            f"%q{i} = arith.div %a{i}, %b{i} : c32",
            f"%r{i} = arith.div %x, %b{i} : c32",
            f"store.atomic %q{i}, %out[{i}, 0]",
            f"store.atomic %r{i}, %out[{i}, 1]",
        ]
    out = buffer(random.Random(0), "c32", (len(pairs), 2))
    parameters = {"x": ("c32", 1 + 2j), "out": (f"memref<c32x{len(pairs)}x2>", out)}
    return comparison([Case("complex", "\n".join(lines), parameters, may_round=True)])


def test_constant_division_by_zero_is_not_folded():
    body = """
    %one = constant 1 : i32
    %zero = constant 0 : i32
    if %c {
        %q = arith.div %one, %zero : i32
        %r = arith.rem %one, %zero : i32
        store.atomic %q, %out[]
        store.atomic %r, %out[]
    } else {
        store.atomic %one, %out[]
    }"""
    out = buffer(random.Random(0), "i32", ())
    check("division", body, {"c": ("bool", False), "out": ("memref<i32>", out)})


def test_group_offset_moves_the_pointer():
    rng = random.Random(0)
    members = [buffer(rng, "f32", (12,)) for _ in range(3)]
    body = """
    %gid = builtin.group_id : index
    %a = load %A[%gid] : memref<f32x4>
    %x = load %a[0] : f32
    store.atomic %x, %out[%gid]"""
    for offset, value in ((3, 3), ("?", 5)):
        parameters = {
            "A": (f"group<memref<f32x4>x?, offset: {offset}>", (members, value, (4,))),
            "out": ("memref<f32x3>", buffer(rng, "f32", (3,))),
        }
        check(f"offset {offset}", body, parameters, 3)


@pytest.mark.parametrize("constant", [False, True])
@compares
def test_nan_does_not_spread_when_beta_is_0(constant):
    rng = random.Random(0)
    cases = []
    for text in (
        "gemm.n.n %alpha, %A, %B, %beta, %C",
        "axpby.n %alpha, %A, %beta, %C",
        "hadamard_product %alpha, %A, %B, %beta, %C",
        "cumsum %alpha, %A, 0, %beta, %C",
    ):
        writer = Writer(rng)
        operands = [scalar(rng, "alpha", "f32", 1, constant=True)]
        operands.append(scalar(rng, "beta", "f32", 0, constant=constant))
        operands += [writer.operand(name, "packed", "f32", (9, 9)) for name in "AB"]
        operands.append(writer.operand("C", "padded", "f32", (9, 9), np.nan))
        cases.append(collective_case(rng, text, text, operands))
    return comparison(cases)
