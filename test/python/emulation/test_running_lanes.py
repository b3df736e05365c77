"""Functions of a subgroup that some of its lanes run, on NVIDIA's GPUs, against NumPy.

The same kernels run on processors by `device/test_shared_exchanges.py` and
`native/test_reductions_of_some_lanes.py`.
"""

import functools
import pathlib
import random

import numpy as np
import pytest

import tinytc_mlir as tt
from cases.case import WORK_ITEM, numbers, stored
from emulators.comparison import run_cases
from emulators.machines import machine
from program_types import REALS, SCALARS
from ptx.assembling import check_assembles
from scripts import loaded
from tinytc_bench import ptxas
from tinytc_mlir.emulators.findings import FINDINGS
from tinytc_mlir.scalars import bfloat16_values

SHARED_EXCHANGES = pathlib.Path(__file__).parents[1] / "device" / "test_shared_exchanges.py"
ITEMS, REST, LANES = 64, 61, (8, 16, 32)
FUNCTIONS = {"add": np.add, "max": np.maximum, "min": np.minimum}

#: Column 0 has both ways of a branch, 1 a branch in one of them, 2 to 4 loops, 5 the rest of a
#: foreach; 6 and 7 have scans of the first lanes, and 8 has a broadcast of lane 5.
KERNEL = """
func @{word}_{t}_{lanes}(%A: memref<{t}x64>, %N: memref<i32x64>, %B: memref<{t}x64x9>)
    attributes {{subgroup_size={lanes}, work_group_size=[64,1]}} {{
  parallel {{
    {item}
    %x = load %A[%i] : {t}
    %n = load %N[%i] : i32
    %zero = constant 0 : i32   %three = constant 3 : i32   %last = constant 5 : i32
    %rest = arith.rem %lane, 3 : i32
    %is_third = cmp.eq %rest, %zero : bool
    if %is_third {{
      %r = subgroup_{word}.reduce %x : {t}
      store %r, %B[%i, 0]
      %is_large = cmp.gt %n, 1 : bool
      if %is_large {{
        %s = subgroup_{word}.reduce %x : {t}
        store %s, %B[%i, 1]
      }}
    }} else {{
      %r = subgroup_{word}.reduce %x : {t}
      store %r, %B[%i, 0]
    }}
    %a = for %k : i32 = %zero, %n init(%v = %x) -> ({t}) {{
      %r = subgroup_{word}.reduce %x : {t}
      %w = arith.add %v, %r : {t}
      yield (%w)
    }}
    store %a, %B[%i, 2]
    %b = for %k : i32 = %n, %three init(%v = %x) -> ({t}) {{
      %r = subgroup_{word}.reduce %x : {t}
      %w = arith.add %v, %r : {t}
      yield (%w)
    }}
    store %b, %B[%i, 3]
    for %k : i32 = %zero, %n {{
      %is_odd = cmp.eq %k, 1 : bool
      if %is_odd {{
        for %l : i32 = %k, %three {{
          %r = subgroup_{word}.reduce %x : {t}
          store %r, %B[%i, 4]
        }}
      }}
    }}
    %is_first = cmp.lt %lane, %last : bool
    if %is_first {{
      %c = subgroup_{word}.inclusive_scan %x : {t}
      store %c, %B[%i, 6]
      %d = subgroup_{word}.exclusive_scan %x : {t}
      store %d, %B[%i, 7]
    }} else {{
      %c = subgroup_broadcast %x, %last : {t}
      store %c, %B[%i, 8]
    }}
  }}
  foreach (%i) = (0), (61) {{
    %x = load %A[%i] : {t}
    %r = subgroup_{word}.reduce %x : {t}
    store %r, %B[%i, 5]
  }}
}}
"""


def compiled(types, sizes, target):
    texts = [
        KERNEL.format(word=word, t=type_, lanes=lanes, item=WORK_ITEM)
        for type_ in types
        for lanes in sizes
        for word in words(type_)
    ]
    return tt.Context().parse("".join(texts)).compile(target)


def words(type_):
    return FUNCTIONS if type_ in REALS else ("add",)


def reduced(function, values, runs, lanes):
    """Return what each lane that runs gets, and 0 for the others."""
    result = np.zeros_like(values)
    for first in range(0, ITEMS, lanes):
        mine = np.flatnonzero(runs[first : first + lanes]) + first
        if len(mine):
            result[mine] = function.reduce(values[mine])
    return result


def expected(word, type_, lanes, values, counts):
    """Return what a kernel stores, by columns."""
    function, items = FUNCTIONS[word], np.arange(ITEMS)
    lane, zeros = items % lanes, np.zeros_like(values)
    combined = functools.partial(reduced, function, values, lanes=lanes)
    third, first = lane % 3 == 0, lane < 5
    scans = [zeros.copy(), zeros.copy()]
    for start in range(0, ITEMS, lanes):
        mine = np.arange(start, start + 5)
        scans[0][mine] = function.accumulate(values[mine])
        scans[1][mine[1:]] = scans[0][mine[:-1]]
        scans[1][start] = neutral(word, type_)
    return np.stack(
        [
            combined(third) + combined(~third),
            combined(third & (counts > 1)),
            values + sum((combined(counts > k) for k in range(3)), zeros),
            values + sum((combined(counts + k < 3) for k in range(3)), zeros),
            combined(counts > 1),
            combined(items < REST),
            *scans,
            np.where(first, zeros, values[items - lane + 5]),
        ],
        axis=1,
    )


def neutral(word, type_):
    if word == "add":
        return 0
    if type_ in ("i8", "i16", "i32", "i64", "index"):
        limits = np.iinfo(stored(0, type_).dtype)
        return limits.min if word == "max" else limits.max
    return -np.inf if word == "max" else np.inf


@pytest.fixture(scope="module", params=["cuda:sm_80", "cuda:sm_90"])
def gpu(request):
    with machine(request.param).installed() as installed:
        yield installed


@pytest.mark.similar
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("type_", SCALARS)
def test_results(gpu, type_, lanes):
    rng = random.Random(f"{type_} {lanes}")
    program = compiled([type_], [lanes], gpu.target)
    given = numbers(rng, type_, ITEMS)
    values = bfloat16_values(given) if type_ == "bf16" else given
    counts = np.array(rng.choices(range(4), k=ITEMS), np.int32)
    for word in words(type_):
        found = np.zeros((ITEMS, 9), given.dtype, order="F")
        FINDINGS.start()
        program[f"{word}_{type_}_{lanes}"](given, counts, found)
        assert not FINDINGS.by_kind
        right = expected(word, type_, lanes, values, counts)
        np.testing.assert_array_equal(found, stored(right, type_), err_msg=word)


#: Loops in one another, beside each other.
NESTS = """
func @nests(%A: memref<f32x64>, %N: memref<i32x64>, %B: memref<f32x64x{nests}>)
    attributes {{subgroup_size=32, work_group_size=[64,1]}} {{
  parallel {{
    {item}
    %zero = constant 0 : i32
    %x = load %A[%i] : f32
    %n = load %N[%i] : i32
    {body}
  }}
}}
"""


def nest(number, loops, depth=0):
    """Return loops in one another, of which the innermost one adds sums over the lanes that run."""
    name = f"{number}_{depth}"
    if depth == loops:
        return f"""%r{number} = subgroup_add.reduce %x : f32
            %sum{name} = arith.add %v{number}_{depth - 1}, %r{number} : f32"""
    before = f"%v{number}_{depth - 1}" if depth else "%x"
    return f"""%sum{name} = for %k{name} : i32 = %zero, %n init(%v{name} = {before}) -> (f32) {{
            {nest(number, loops, depth + 1)}
            yield (%sum{number}_{depth + 1})
          }}"""


def nests(number, loops, target):
    body = "\n".join(f"{nest(k, loops)}\nstore %sum{k}_0, %B[%i, {k}]" for k in range(number))
    text = NESTS.format(item=WORK_ITEM, nests=number, body=body)
    return tt.Context().parse(text).compile(target)["nests"]


def test_nested_loops(gpu):
    rng = random.Random(5)
    given = np.array([rng.randrange(-4, 5) for _ in range(ITEMS)], np.float32)
    counts = np.array(rng.choices(range(4), k=ITEMS), np.int32)
    found = np.zeros((ITEMS, 4), np.float32, order="F")
    nests(4, 3, gpu.target)(given, counts, found)
    combined = functools.partial(reduced, np.add, given, lanes=32)
    # As many iterations have k as the largest number of a loop.
    times = [(k + 1) ** 3 - k**3 for k in range(3)]
    right = given + sum(n * combined(counts > k) for k, n in enumerate(times))
    np.testing.assert_array_equal(found, np.stack([right] * 4, axis=1))


@pytest.mark.parametrize("number", range(1, 4))
def test_memory_of_replaced_loops(number):
    """A pass that replaces loops gets their memory again for others."""
    for loops in range(1, 9):
        assert nests(number, loops, "cuda:sm_80")


def test_cases_of_processors(gpu):
    cases = loaded(SHARED_EXCHANGES).some_lanes()
    failures, launches = run_cases(cases, gpu, random.Random(1))
    assert launches
    assert not failures, "\n".join(failures[:8])


@pytest.mark.skipif(not ptxas.is_installed(), reason="ptxas is not installed")
@pytest.mark.similar
@pytest.mark.parametrize("chip", ["sm_80", "sm_90"])
@pytest.mark.parametrize("lanes", LANES)
def test_kernels_are_assembled(chip, lanes):
    check_assembles(compiled(SCALARS, [lanes], f"cuda:{chip}"), chip)
