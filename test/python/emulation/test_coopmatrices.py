"""Products of cooperative matrices on the matrix units of emulated GPUs of Intel."""

import random

import pytest

from cases.case import Case, buffer
from emulators.comparison import run_cases
from emulators.machines import machine
from tinytc_mlir.emulators.findings import FINDINGS

LANES = {"intel-gpu:pvc": 16, "intel-gpu:dg2": 8}
RESULTS = {"f16": "f32", "bf16": "f32", "i8": "i32"}


#: All of i8 where blocks bring pairs of its rows, a sample elsewhere.
CASES = [("intel-gpu:pvc", "i8", transpose) for transpose in ("nn", "tn", "nt", "tt")]
CASES += [("intel-gpu:pvc", "f16", "nt"), ("intel-gpu:pvc", "bf16", "tn")]
CASES += [("intel-gpu:dg2", "i8", "nt"), ("intel-gpu:dg2", "f16", "tn")]


def product(type_, transpose, lanes, first, *, is_dynamic=False, is_padded=False, is_checked=False):
    """Return C := A B of 32 x 32 from row or column `first` on, in steps of the summed mode.

    Without checks, matrices end where the last tile does; with them, before.
    """
    rng = random.Random(f"{type_}{transpose}")
    result = RESULTS[type_]
    step = 32 if type_ == "i8" else 16
    missing = 3 if is_checked else 0
    m, n, k = 64 - missing, 64 - missing, first + 2 * step - missing
    shapes = {"A": (m, k), "B": (k, n), "C": (m, n)}
    for name, flag in zip("AB", transpose, strict=True):
        if flag == "t":
            shapes[name] = shapes[name][::-1]
    parameters = {}
    for name, (rows, columns) in shapes.items():
        of = result if name == "C" else type_
        stride = rows if not is_padded else (rows + 63) // 64 * 64 + (64 if name != "C" else 0)
        data = buffer(rng, of, (rows, columns), (1, stride))
        sizes, distance = (f"{rows}x{columns}", stride) if not is_dynamic else ("?x?", "?")
        parameters[name] = (f"memref<{of}x{sizes},strided<1,{distance}>>", data)
    if first:
        parameters["first"] = ("index", first)
    parameters["k"] = ("index", k)
    checked = ".both_checked" if is_checked else ""
    at_a = "%i,%p" if transpose[0] == "n" else "%p,%i"
    at_b = "%p,%j" if transpose[1] == "n" else "%j,%p"
    zero = "0" if type_ == "i8" else "0.0"
    sums = f"coopmatrix<{result}x32x32,matrix_acc>"
    body = f"""
        %o = constant 0 : index
        {"" if first else "%first = constant 0 : index"}
        %m = constant {m} : index
        %n = constant {n} : index
        %t = constant 32 : index
        %d = constant {step} : index
        parallel {{
            for %j : index = %o,%n,%t {{
                for %i : index = %o,%m,%t {{
                    %zero = constant {zero} : {sums}
                    %sum = for %p : index = %first,%k,%d init(%c=%zero) -> ({sums}) {{
                        %a = cooperative_matrix_load.{transpose[0]}{checked} %A[{at_a}]
                            : coopmatrix<{type_}x32x{step},matrix_a>
                        %b = cooperative_matrix_load.{transpose[1]}{checked} %B[{at_b}]
                            : coopmatrix<{type_}x{step}x32,matrix_b>
                        %next = cooperative_matrix_mul_add %a, %b, %c : {sums}
                        yield (%next)
                    }}
                    cooperative_matrix_store.n{checked} %sum, %C[%i,%j]
                }}
            }}
        }}"""
    name = f"{type_} {transpose} from {first} {is_dynamic=} {is_padded=} {is_checked=}"
    attributes = f"subgroup_size={lanes}, work_group_size=[{lanes},1]"
    return Case(name, body, parameters, attributes=attributes)


@pytest.mark.similar
@pytest.mark.parametrize(("target", "type_", "transpose"), CASES)
def test_products(target, type_, transpose):
    """By blocks and by elements, from even and odd rows on, sizes known or not."""
    lanes = LANES[target]
    cases = [
        product(type_, transpose, lanes, 0, is_padded=True),
        product(type_, transpose, lanes, 4, is_dynamic=True),
        product(type_, transpose, lanes, 0, is_dynamic=True, is_padded=True, is_checked=True),
    ]
    if transpose[0] == "n":  # transposed blocks begin at words
        cases.append(product(type_, transpose, lanes, 3, is_padded=True))
        cases.append(product(type_, transpose, lanes, 1, is_dynamic=True, is_padded=True))
    before = FINDINGS.counts["matrix operations"]
    with machine(target).installed() as gpu:
        failures, launches = run_cases(cases, gpu, random.Random(1))
    assert launches >= len(cases)
    assert not failures, "\n".join(failures[:4])
    assert FINDINGS.counts["matrix operations"] > before
    if target == "intel-gpu:pvc":
        assert FINDINGS.counts["block reads"] > 0
