"""Atomic accesses of the gpu stage: results, and which of them race, by their scopes."""

import numpy as np
import pytest

from cases.stage_kernels import (
    GLOBAL,
    LOCAL,
    SEEDS,
    barrier,
    check,
    initialised,
    kinds,
    load,
    message,
    store,
    zeros,
)


def access(kind, index, memory="global", order="work_group relaxed", name="%r"):
    """Return the line of an atomic access to %a or %m."""
    pointer, type_ = {"global": ("%a", GLOBAL), "local": ("%m", LOCAL)}[memory]
    value, of_value = ("", "") if kind == "load" else (", %x", ", f32")
    result, of_result = ("", "") if kind == "store" else (f"{name} = ", " -> f32")
    place = f"{pointer}[{index}]{value}"
    return f"{result}tinytc.atomic {kind} {order} {place} : {type_}{of_value}{of_result}\n"


@pytest.mark.parametrize("seed", SEEDS)
def test_tickets(seed):
    """Each work-item of each group gets another number."""
    body = access("add", "%c0", order="device relaxed") + (
        "%base = arith.muli %group, %c8 : index\n"
        "%all = arith.addi %base, %item : index\n"
        "memref.store %r, %b[%all] : memref<?xf32>\n"
    )
    tickets = zeros(24)
    parameters = f"%a: {GLOBAL}, %b: {GLOBAL}"
    a = zeros()
    assert check(body, a, tickets, parameters=parameters, groups=3, seed=seed) == []
    assert sorted(tickets) == list(range(24))
    assert a[0] == 24


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("kind", "before", "after"), [("load", 5, 5), ("min", 5, 1), ("max", 5, 5), ("add", 5, 6)]
)
def test_kinds(kind, before, after, seed):
    body = access(kind, "%item") + "memref.store %r, %b[%item] : memref<?xf32>\n"
    a, b = np.full(8, 5, np.float32), zeros()
    assert check(body, a, b, parameters=f"%a: {GLOBAL}, %b: {GLOBAL}", seed=seed) == []
    assert (a == after).all()
    assert (b == before).all()


@pytest.mark.parametrize("kind", ["add", "min", "max"])
def test_bits_of_bf16(kind):
    """The values are those of the bits that memory holds."""
    bits = "memref<?xi16>"
    body = (
        "%v = arith.constant 3.0 : bf16\n"
        f"%r = tinytc.atomic {kind} device relaxed %b[%item], %v : {bits}, bf16 -> bf16\n"
        "%o = arith.bitcast %r : bf16 to i16\n"
        f"memref.store %o, %c[%item] : {bits}\n"
    )
    b, c = np.full(8, 0x40A0, np.int16), zeros(8, np.int16)
    parameters = f"%a: {GLOBAL}, %b: {bits}, %c: {bits}"
    assert check(body, zeros(), b, c, parameters=parameters) == []
    assert (b == {"add": 0x4100, "min": 0x4040, "max": 0x40A0}[kind]).all()
    assert (c == 0x40A0).all()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("memory", ["global", "local"])
@pytest.mark.parametrize(
    "make",
    [
        lambda m: access("add", "%c0", m) + load("%v", "%item", m),
        lambda m: load("%v", "%next", m) + access("store", "%item", m),
        lambda m: store("%x", "%item", m) + access("load", "%next", m),
        lambda m: access("add", "%c0", m, "subgroup relaxed"),
        lambda m: access("max", "%c0", m, "subgroup relaxed") + access("store", "%item", m),
    ],
)
def test_race(make, memory, seed):
    assert kinds(initialised(make(memory), memory), seed=seed) == ["race"]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("memory", ["global", "local"])
@pytest.mark.parametrize(
    "make",
    [
        lambda m: access("add", "%c0", m) + access("store", "%c0", m),
        lambda m: access("load", "%next", m) + access("min", "%item", m, name="%s"),
        lambda m: access("add", "%subgroup", m, "subgroup relaxed"),
        lambda m: access("add", "%item", m, "subgroup relaxed") + store("%r", "%item", m),
        lambda m: access("add", "%item", m) + barrier() + load("%v", "%next", m),
    ],
)
def test_no_race(make, memory, seed):
    assert check(initialised(make(memory), memory), seed=seed) == []


@pytest.mark.parametrize("order", ["subgroup", "work_group", "device", "cross_device"])
def test_between_groups(order):
    body = access("add", "%subgroup", order=f"{order} relaxed")
    expected = ["race"] if order in ("subgroup", "work_group") else []
    assert kinds(body, groups=2) == expected
    assert kinds(body, groups=1) == []
    if expected:
        assert "in one step only within the scope" in message(body, groups=2)


@pytest.mark.parametrize("memory", ["global", "local"])
@pytest.mark.parametrize(
    ("semantics", "expected"),
    [("acquire_release", []), ("sequentially_consistent", []), ("release", ["race"])],
)
def test_hand_over(memory, semantics, expected):
    """What ran before an access that acquires is not concurrent."""
    body = store("%x", "%item", memory)
    body += access("add", "%c0", order=f"device {semantics}").replace("%a[", "%f[")
    body += load("%v", "%next", memory)
    parameters = f"%a: {GLOBAL}, %f: {GLOBAL}"
    found = check(initialised(body, memory), zeros(), zeros(), parameters=parameters)
    assert sorted({each.kind.value for each in found}) == expected


def test_bounds():
    assert "out of bounds" in message(access("load", "%c8"))
