"""Atomic loads, stores and updates of one element: results, scopes, semantics, many work-items."""

import itertools
import random

import numpy as np
import pytest

import tinytc_mlir as tt
from cases.case import SHAPES, WORK_ITEM, Case, buffer, stored
from cases.running import compares, comparison
from interpreting import COMPLEX, DTYPES
from program_types import REALS, SCALARS
from tinytc_mlir.frontend.spelling import memref_text
from tinytc_mlir.scalars import bfloat16_values

LOADS = ("relaxed", "acquire", "sequentially_consistent")
STORES = ("relaxed", "release", "sequentially_consistent")
UPDATES = ("relaxed", "acquire", "release", "acquire_release", "sequentially_consistent")
SCOPES = ("cross_device", "device", "work_group", "subgroup")
KINDS = ("add", "min", "max")


def allowed(kind):
    """Return the types of an update."""
    return SCALARS if kind == "add" else REALS


def values_of(data, type_):
    return bfloat16_values(data) if type_ == "bf16" else data


def own_element_case(kind, type_, scope, semantics, local):
    """Each iteration updates an element of its own: the results are known."""
    count = 21
    before = after = ""
    memory = "%A"
    if local:
        memory = "%L"
        one = "[1.0, 0.0]" if type_ in COMPLEX else "1" if type_[0] == "i" else "1.0"
        zero = one.replace("1", "0")
        before = (
            f"%L = alloca : {memref_text(type_, (count,), None, 'local')}\n"
            f"%one = constant {one} : {type_}\n%none = constant {zero} : {type_}\n"
            f"axpby.n %one, %A, %none, %L\n"
        )
        after = "axpby.n %one, %L, %none, %A\n"
    body = f"""
    %from = constant 0 : index
    %to = constant {count} : index
    {before}
    foreach (%i) = (%from), (%to) {{
        %x = load %B[%i] : {type_}
        %old = atomic_{kind}.{scope}.{semantics} %x, {memory}[%i] : {type_}
        store %old, %C[%i]
    }}
    {after}"""
    text = memref_text(type_, (count,))
    parameters = {
        name: (text, buffer(random.Random(seed), type_, (count,)))
        for seed, name in enumerate("ABC")
    }
    return Case(f"{kind} {type_} {scope} {semantics} {local}", body, parameters)


@pytest.mark.parametrize("kind", KINDS)
@compares
def test_results_of_updates(kind):
    rng = random.Random(kind)
    return comparison(
        own_element_case(kind, type_, rng.choice(SCOPES), semantics, local)
        for type_ in allowed(kind)
        for semantics in UPDATES
        for local in ((False, True) if semantics == "relaxed" and type_ != "index" else (False,))
    )


def copy_case(type_, scope, load, store):
    body = f"""
    %from = constant 0 : index
    %to = constant 13 : index
    foreach (%i) = (%from), (%to) {{
        %x = atomic_load.{scope}.{load} %A[%i] : {type_}
        atomic_store.{scope}.{store} %x, %B[%i]
    }}"""
    parameters = {
        name: (f"memref<{type_}x13>", buffer(random.Random(seed), type_, (13,)))
        for seed, name in enumerate("AB")
    }
    return Case(f"copy {type_} {scope} {load} {store}", body, parameters)


@compares
def test_loads_and_stores():
    rng = random.Random(0)
    return comparison(
        copy_case(type_, rng.choice(SCOPES), load, store)
        for type_ in SCALARS
        for load, store in zip(LOADS, STORES, strict=True)
    )


def test_a_load_from_an_array_that_is_read_only():
    text = """func @f(%A: memref<i32x4>, %B: memref<i32x4>) {
        %from = constant 0 : index
        %to = constant 4 : index
        foreach (%i) = (%from), (%to) {
            %x = atomic_load %A[%i] : i32
            store %x, %B[%i]
        }
    }"""
    a, b = np.arange(4, dtype=np.int32), np.zeros(4, np.int32)
    a.flags.writeable = False
    program = tt.Context().parse(text).compile()
    program["f"](a, b, groups=1)
    assert b.tolist() == [0, 1, 2, 3]


# i8 has no number for each work-item of the largest work-group.
TICKETS = set(itertools.product(("", *SHAPES[2:5]), REALS)) - {(SHAPES[3], "i8")}


@pytest.mark.similar
@pytest.mark.parametrize("attributes, type_", sorted(TICKETS))
def test_tickets_of_many_groups(type_, attributes):
    """Each work-item of all groups draws another number: together they are 0 to n - 1."""
    limit = {"i8": 127, "bf16": 256, "f16": 2048}.get(type_, 8000)
    one = "1" if type_[0] == "i" else "1.0"
    attributes = attributes or "subgroup_size=16, work_group_size=[16,1]"
    rows, columns = (int(x) for x in attributes.split("[")[1].rstrip("]").split(","))
    groups = max(1, limit // (rows * columns))
    count = rows * columns * groups
    text = f"""func @f(%T: memref<{type_}>, %R: memref<{type_}x{rows * columns}x?>)
      attributes {{{attributes}}} {{
        %g = group_id : index
        parallel {{
            {WORK_ITEM}
            %one = constant {one} : {type_}
            %r = atomic_add.device %one, %T[] : {type_}
            store %r, %R[%i, %g]
        }}
    }}"""
    program = tt.Context().parse(text).compile()
    for _ in range(3):
        ticket = np.zeros((), DTYPES[type_])
        result = np.zeros((rows * columns, groups), DTYPES[type_], order="F")
        program["f"](ticket, result, groups=groups)
        drawn = np.sort(values_of(result, type_).astype(np.float64).ravel())
        assert np.array_equal(drawn, np.arange(count))
        assert values_of(ticket, type_) == count


@pytest.mark.similar
@pytest.mark.parametrize("kind", ["min", "max"])
@pytest.mark.parametrize("type_", REALS)
def test_extrema_of_many_groups(kind, type_):
    """All work-items update two neighbours; the elements around them stay."""
    rng = np.random.default_rng(len(type_))
    groups, items = 50, 32
    low, high = (-120, 120) if type_ == "i8" else (-256, 257)
    data = stored(rng.integers(low, high, (items, groups)), type_)
    data = np.asfortranarray(data)
    text = f"""func @f(%B: memref<{type_}x{items}x?>, %A: memref<{type_}x4>)
      attributes {{subgroup_size=16, work_group_size=[{items},1]}} {{
        %g = group_id : index
        parallel {{
            {WORK_ITEM}
            %odd = arith.rem %i, 2 : index
            %place = arith.add %odd, 1 : index
            %x = load %B[%i, %g] : {type_}
            %r = atomic_{kind}.device %x, %A[%place] : {type_}
        }}
    }}"""
    program = tt.Context().parse(text).compile()
    reduce = np.min if kind == "min" else np.max
    values = values_of(data, type_)
    expected = [7, reduce(values[0::2]), reduce(values[1::2]), 7]
    for _ in range(3):
        start = 100 if kind == "min" else -100
        a = stored(np.array([7, start, start, 7]), type_)
        program["f"](data, a, groups=groups)
        bounded = [7, *(reduce([start, x]) for x in expected[1:3]), 7]
        assert np.array_equal(values_of(a, type_), np.array(bounded, values.dtype))


@pytest.mark.parametrize("type_", ["c32", "c64"])
def test_complex_sum_of_many_groups(type_):
    text = f"""func @f(%A: memref<{type_}x3>, %x: {type_})
      attributes {{subgroup_size=16, work_group_size=[64,1]}} {{
        %one = constant 1 : index
        parallel {{ %r = atomic_add.device %x, %A[%one] : {type_} }}
    }}"""
    a = np.array([5j, 1, 5], DTYPES[type_])
    tt.Context().parse(text).compile()["f"](a, 1 - 2j, groups=100)
    assert a.tolist() == [5j, 6401 - 12800j, 5]


NAN = float("nan")


@pytest.mark.similar
@pytest.mark.parametrize("type_", ["bf16", "f16", "f32", "f64"])
@pytest.mark.parametrize(
    ("kind", "old", "value", "expected"),
    [
        ("min", NAN, 1.0, 1.0),
        ("min", 1.0, NAN, 1.0),
        ("max", NAN, -1.0, -1.0),
        ("max", -1.0, NAN, -1.0),
        ("min", NAN, NAN, NAN),
        ("max", -np.inf, -1.0, -1.0),
        ("min", np.inf, np.inf, np.inf),
        ("add", NAN, 1.0, NAN),
        ("add", np.inf, -np.inf, NAN),
    ],
)
def test_special_numbers(type_, kind, old, value, expected):
    """As `min` and `max` of the language: a NaN loses to a number."""
    text = f"""func @f(%A: memref<{type_}>, %x: memref<{type_}>, %R: memref<{type_}>) {{
        %zero = constant 0 : index
        %one = constant 1 : index
        foreach (%i) = (%zero), (%one) {{
            %v = load %x[] : {type_}
            %r = atomic_{kind} %v, %A[] : {type_}
            store %r, %R[]
        }}
    }}"""
    a, x, r = (stored(np.array(number), type_) for number in (old, value, 3.0))
    tt.Context().parse(text).compile()["f"](a, x, r, groups=1)
    assert np.array_equal(values_of(a, type_), np.float64(expected), equal_nan=True)
    assert np.array_equal(values_of(r, type_), np.float64(old), equal_nan=True)


@pytest.mark.parametrize("type_", ["bf16", "f16"])
def test_narrow_sums_round_to_even(type_):
    """Each sum of a number and half a unit of its last place rounds as arith.add does."""
    bits = np.arange(0, 0x7C00, 7, dtype=np.uint16)
    a = bits if type_ == "bf16" else bits.view(np.float16)
    x = a[::-1].copy()
    count = len(bits)
    text = f"""func @f(%A: memref<{type_}x{count}>, %x: memref<{type_}x{count}>,
      %B: memref<{type_}x{count}>) {{
        %zero = constant 0 : index
        %n = constant {count} : index
        foreach (%i) = (%zero), (%n) {{
            %v = load %x[%i] : {type_}
            %o = load %A[%i] : {type_}
            %s = arith.add %v, %o : {type_}
            store %s, %B[%i]
            %r = atomic_add %v, %B[%i] : {type_}
            atomic_store %o, %B[%i]
            %q = atomic_add %v, %B[%i] : {type_}
            atomic_store %s, %A[%i]
        }}
    }}"""
    a, b = a.copy(), np.zeros(count, a.dtype)
    tt.Context().parse(text).compile()["f"](a, x, b, groups=1)
    assert np.array_equal(a.view(np.uint16), b.view(np.uint16))
