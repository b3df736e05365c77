"""Functions of a subgroup of what all its lanes share, on which a driver fails."""

import contextlib
import random

import pytest

from cases.case import Case, buffer
from cases.other_processor import OtherProcessor
from cases.running import compares, comparison
from tinytc_mlir.compiler import ABIS

SUMS = {
    "constant": "%q = subgroup_reduce_add %three : {t}",
    "choice": """%b = less_than %three, %four : bool
        %c = if %b -> ({t}) {{ yield (%four) }} else {{ yield (%three) }}
        %q = subgroup_reduce_add %c : {t}""",
}
#: What is done with a sum, and a number %y of each lane.
USES = ("max", "min", "mul", "xor")
#: Of one subgroup, and of two that wait for each other.
GROUPS = ((4, 4), (4, 8), (8, 16))

TEXT = """
    %three = constant 3 : {t}   %four = constant 4 : {t}   %zero = constant 0 : i32
    parallel {{
        %l = subgroup_local_id : i32   %g = cast %l : index
        %x = load %A[%g] : {t}
        %y = for %i : i32 = %zero, 2 init(%v = %x) -> ({t}) {{
            barrier
            %w = subgroup_inclusive_scan_add %three : {t}
            yield (%w)
        }}
        {sum}
        %z = add %q, %three : {t}
        %r = {use} %y, %z : {t}
        %first = subgroup_linear_id : i32
        %is_first = equal %first, 0 : bool
        if %is_first {{
            store %r, %A[%g]
        }}
    }}"""

#: What lanes exchange of %n, which all have.
EXCHANGES = {
    "add": "subgroup_reduce_add %n",
    "max": "subgroup_reduce_max %n",
    "min": "subgroup_reduce_min %n",
    "broadcast": "subgroup_broadcast %n, %three",
}

NEGATED = """
    %three = constant 3 : i32   %lanes = constant {lanes} : i32
    %at = constant 3 : index   %next = constant 4 : index
    parallel {{
        %l = subgroup_local_id : i32   %s = subgroup_linear_id : i32
        %first = mul %s, %lanes : i32   %item = add %first, %l : i32
        %g = cast %item : index
        %x = load %A[%at] : {t}   %y = load %A[%next] : {t}
        %n = neg %y : {t}
        %u = mul %x, %n : {t}
        %v = add %x, %n : {t}
        %w = {exchange} : {t}
        barrier
        store %u, %B[%g]
        store %v, %C[%g]
        store %w, %D[%g]
    }}"""

#: Sums of %x, which all have, over the lanes that run.
SOME_LANES = """
    %at = constant 3 : index   %zero = constant 0 : i32   %none = constant 0 : {t}
    parallel {{
        %l = subgroup_local_id : i32   %s = subgroup_linear_id : i32
        %size = subgroup_size : i32   %start = mul %s, %size : i32
        %item = add %start, %l : i32   %g = cast %item : index
        %x = load %A[%at] : {t}
        %few = less_than %l, 3 : bool
        if %few {{
            for %i : i32 = %zero, 2 {{
                %r = subgroup_reduce_add %x : {t}
                store %r, %B[%g]
            }}
        }}
        %sum = for %i : i32 = %zero, %l init(%v = %none) -> ({t}) {{
            %r = subgroup_reduce_add %x : {t}
            %w = add %v, %r : {t}
            yield (%w)
        }}
        store %sum, %C[%g]
    }}
    foreach (%i) = (0), ({rest}) {{
        %x = load %A[%at] : {t}
        %r = subgroup_reduce_add %x : {t}
        store %r, %D[%i]
    }}"""

#: Scans of %x, which all have, differ between lanes.
SCANNED = """
    %x = constant 2 : {t}   %first = constant 0 : i32   %second = constant 1 : i32
    parallel {{
        %l = subgroup_local_id : i32   %s = subgroup_linear_id : i32
        %size = subgroup_size : i32   %start = mul %s, %size : i32
        %item = add %start, %l : i32   %g = cast %item : index
        %n = subgroup_{scan}_scan_add %x : {t}
        %u = subgroup_broadcast %n, %first : {t}
        %v = subgroup_broadcast %n, %second : {t}
        %w = subgroup_reduce_min %n : {t}
        barrier
        store %u, %B[%g]
        store %v, %C[%g]
        store %w, %D[%g]
    }}"""


def scanned():
    for scan in ("inclusive", "exclusive"):
        for type_ in ("i32", "f16", "f32", "f64"):
            for lanes in (4, 32):
                size = 2 * lanes
                memory = {
                    array: (f"memref<{type_}x{size}>", buffer(random.Random(1), type_, (size,)))
                    for array in "BCD"
                }
                attributes = f"subgroup_size={lanes}, work_group_size=[{size},1]"
                body = SCANNED.format(t=type_, scan=scan)
                yield Case(f"{scan} {type_} {lanes}", body, memory, 1, attributes)


def some_lanes():
    for type_ in ("i8", "i16", "i32", "i64", "f16", "f32", "f64"):
        for lanes in (4, 16, 32):
            size = 2 * lanes
            memory = {
                array: (f"memref<{type_}x{size}>", buffer(random.Random(1), type_, (size,)))
                for array in "ABCD"
            }
            attributes = f"subgroup_size={lanes}, work_group_size=[{size},1]"
            body = SOME_LANES.format(t=type_, rest=size - 3)
            yield Case(f"some lanes {type_} {lanes}", body, memory, 1, attributes)


def sums():
    for name, text in SUMS.items():
        for use in USES:
            for lanes, size in GROUPS:
                body = TEXT.format(t="i64", sum=text.format(t="i64"), use=use)
                attributes = f"subgroup_size={lanes}, work_group_size=[{size},1]"
                memory = (f"memref<i64x{lanes}>", buffer(random.Random(1), "i64", (lanes,)))
                yield Case(f"{use} of {name} {lanes} {size}", body, {"A": memory}, 1, attributes)


def negated():
    for name, exchange in EXCHANGES.items():
        for type_ in ("f16", "f32", "f64"):
            for lanes in (8, 32, 64):
                body = NEGATED.format(t=type_, lanes=lanes, exchange=exchange)
                size = 2 * lanes
                memory = {
                    array: (f"memref<{type_}x{size}>", buffer(random.Random(1), type_, (size,)))
                    for array in "ABCD"
                }
                attributes = f"subgroup_size={lanes}, work_group_size=[{size},1]"
                yield Case(f"{name} {type_} {lanes}", body, memory, 1, attributes)


@pytest.mark.similar
@pytest.mark.parametrize("abi", ABIS)
@pytest.mark.parametrize(
    ("cases", "processor"),
    [
        (sums, "sapphirerapids"),
        (negated, "skx"),
        (some_lanes, "sapphirerapids"),
        (some_lanes, "skx"),
    ],
)
def test_all_are_built(cases, processor, abi):
    with contextlib.closing(OtherProcessor(processor, limit_s=60)) as process:
        count = process.check(list(cases()), abi)
    assert not count.unbuilt, "\n".join(count.unbuilt)


@pytest.mark.parametrize("abi", ABIS)
@pytest.mark.parametrize("cases", [negated, scanned, some_lanes])
@compares
def test_results_are_right(cases, abi):
    return comparison(cases(), compile_=lambda module: module.compile(abi=abi))
