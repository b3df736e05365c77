"""Odd constants in programs lead to code or to an error: nothing ends the process.

TINYTC_FUZZ_SECONDS sets the number of seconds of the processor, TINYTC_FUZZ_SEED the first seed.
"""

import collections
import os
import re

import pytest

import odd_constants
import profiles
import tinytc_mlir as tt

SEED = int(os.environ.get("TINYTC_FUZZ_SEED", "0"))
BATCH = 50 if profiles.IS_NIGHTLY else 10

HEAD = """func @kernel(%x: f32, %c: bool, %i: index, %a: memref<f32x64>, %d: memref<f32x?>,
  %D: memref<f32x?x?,strided<1,?>>) {
"""
# Of each kind that once ended the process, the smallest program.
ENDED = {
    "view_of_a_negative_product": """%n = constant -2147483648 : index
%k = constant 4294967296 : index
%s = arith.mul %n, %k : index
%v = subview %d[0:%s] : memref<f32x?>
axpby.n %x, %v, %x, %d""",
    "view_of_a_negative_difference_that_callers_never_run": """if %c {
%three = constant 3 : index
%five = constant 5 : index
%n = arith.sub %three, %five : index
%v = subview %d[0:%n] : memref<f32x?>
axpby.n %x, %v, %x, %d
}""",
    "stride_of_the_smallest_integer": """%n = constant 4611686018427387904 : index
%two = constant 2 : index
%e = expand %d[0->%n x %two x %i] : memref<f32x?x?x?>
%v = subview %e[0, 0, :] : memref<f32x?,strided<?>>
axpby.n %x, %v, %x, %d""",
}
REFUSED = {
    "size_of_a_subview": (
        "%n = constant -1 : index\n%v = subview %a[0:%n] : memref<f32x?>",
        "expected the size of mode 0 to be non-negative, got -1",
    ),
    "size_of_an_expand": (
        "%n = constant -1 : index\n%v = expand %a[0->%n x 4] : memref<f32x?x4>",
        "expected the expand shape to be positive, got -1",
    ),
    "components": (
        "parallel { %m = constant 1.0 : coopmatrix<f32x1048576x65536,matrix_acc> }",
        "expected at most 65536 components, got 1048576x65536",
    ),
    "components_overflow": (
        "parallel { %m = constant 1.0 : coopmatrix<f32x2x9223372036854775807,matrix_acc> }",
        "expected at most 65536 components, got 2x9223372036854775807",
    ),
    "unrolled_iterations": (
        "for %j = 0, %i { axpby.n %x, %a, %x, %d } {unroll=2147483647}",
        "expected at most 65536 operations in an unrolled loop, got 2147483647 iterations of",
    ),
}


def search(seeds):
    """Compile the programs of seeds, each batch in a process of its own."""
    counts = collections.Counter()
    while seeds:
        failure, left = odd_constants.failure_of(seeds[:BATCH], counts)
        assert failure is None, f"seed {left[0]}: {failure}\n{odd_constants.program(left[0])}"
        seeds = seeds[BATCH:]
    return counts


@pytest.mark.parametrize("name", ENDED)
def test_programs_that_ended_the_process(name):
    counts = collections.Counter()
    text = f"{HEAD}{ENDED[name]}\n}}"
    assert odd_constants.failure_of([0], counts, lambda _: text) == (None, [])
    assert counts["compiled"] == 1


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_number(name):
    body, message = REFUSED[name]
    with pytest.raises(tt.CompileError, match=re.escape(message)) as error:
        tt.Context().parse(f"{HEAD}{body}\n}}").lower("gpu", target="cpu")
    assert error.value.diagnostics[0].line > 2


def test_random_programs():
    counts = collections.Counter()
    for number in profiles.fuzz_rounds():
        first = SEED + number * BATCH
        counts += search(list(range(first, first + BATCH)))
    print(counts)
    assert counts["compiled"] > 0
