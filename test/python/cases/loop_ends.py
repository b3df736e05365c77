"""`foreach` at both ends of the ranges of integers: each number once, and none behind the end."""

import numpy as np

import tinytc_mlir as tt

BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
TEXT = """
func @k(%f: {type}, %t: {type}, %A: memref<i64>, %N: memref<i64>)
    attributes{{subgroup_size={lanes}, work_group_size=[{lanes},1]}} {{
  %one = constant 1 : i64
  foreach (%i) : {type} = (%f), (%t) {{
    %v = cast %i : i64
    store.atomic_add %v, %A[]
    store.atomic_add %one, %N[]
  }}
}}
"""


def ranges(bits):
    """Return ranges near the ends, and empty ones of which the difference overflows."""
    least, most = -(1 << bits - 1), (1 << bits - 1) - 1
    for count in (0, 1, 2, 5, 70):
        yield most - count, most
        yield least, least + count
    yield from ((most, least), (most, least + 3), (most - 2, least + 2), (5, least))


def check(target, type_, lanes):
    """Count the numbers of all ranges of a type, and add them up."""
    kernel = tt.Context().parse(TEXT.format(type=type_, lanes=lanes)).compile(target)["k"]
    for first, end in ranges(BITS[type_]):
        total, count = np.zeros((), np.int64), np.zeros((), np.int64)
        kernel(first, end, total, count, groups=1)
        numbers = range(first, end)
        assert (count, (sum(numbers) - int(total)) % 2**64) == (len(numbers), 0), (first, end)
