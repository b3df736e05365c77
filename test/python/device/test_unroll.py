"""Loops that are unrolled: in full, in part, in and around SPMD regions."""

import random

from cases.case import SHAPES, Case, buffer
from cases.running import compares, comparison


def unrolled_case(count, inner, unroll, attributes):
    """Loops in loops with dependent iterations, in and around an SPMD region."""
    body = f"""
    %zero = constant 0 : index
    %rows = constant 33 : index
    %n = constant {count} : index
    %m = constant {inner} : index
    %none = constant 0 : i32
    for %k = %zero, %m {{
        foreach (%i) = (%zero), (%rows) {{
            %s, %t = for %l = %zero, %n init(%x = %none, %y = %none) -> (i32, i32) {{
                %u = for %p = %k, %m init(%v = %x) -> (i32) {{
                    %j = arith.rem %p, %rows : index
                    %a = load %A[%j] : i32
                    %w = arith.sub %a, %v : i32
                    yield (%w)
                }}{unroll}
                yield (%y, %u)
            }}{unroll}
            %st = arith.sub %s, %t : i32
            store %st, %B[%i]
        }}
        foreach (%i) = (%zero), (%rows) {{
            %last = constant 32 : index
            %j = arith.sub %last, %i : index
            %b = load %B[%j] : i32
            store %b, %A[%i]
        }}
    }}{unroll}"""
    rng = random.Random(count)
    parameters = {name: ("memref<i32x33>", buffer(rng, "i32", (33,))) for name in "AB"}
    return Case(f"unrolled {count} {inner} {unroll} {attributes}", body, parameters, 1, attributes)


@compares
def test_unrolled_loops_in_loops():
    # The larger ones are unrolled in part.
    counts = ((1, 1), (2, 3), (5, 7), (0, 4), (37, 5), (13, 31))
    unroll = " {unroll=true}"
    return comparison(
        unrolled_case(count, inner, unroll, attributes)
        for count, inner in counts
        for attributes in SHAPES[:3]
    )
