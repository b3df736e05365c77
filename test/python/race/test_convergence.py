"""Barriers and operations of a subgroup: what they order, what they exchange, who must come."""

import numpy as np
import pytest

from cases.stage_kernels import (
    FENCES,
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


def shuffle(mode, offset, value="%v", type_="f32"):
    """Return the line of an exchange of values; %got is what comes, %valid whether it does."""
    return f"%got, %valid = gpu.shuffle {mode} {value}, {offset}, %i4 : {type_}\n"


def broadcast(lane, value="%v"):
    """Return the line that gives all work-items of a subgroup the value of one, %got."""
    return f"%got = gpu.subgroup_broadcast {value}, specific_lane {lane} : f32\n"


def numbered(line, data=None, **options):
    """Return what each work-item stores of an operation on the numbers 1 to 8."""
    data = np.arange(1, 9, dtype=np.float32) if data is None else data
    assert check(load("%v", "%item") + line + store("%got", "%item"), data, **options) == []
    return data.tolist()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("fences", FENCES)
@pytest.mark.parametrize("memory", ["global", "local"])
def test_fences(memory, fences, seed):
    body = store("%x", "%item", memory) + barrier(fences) + load("%v", "%next", memory)
    is_ordered = fences in (memory, "both", "default")
    assert kinds(initialised(body, memory), seed=seed) == ([] if is_ordered else ["race"])


@pytest.mark.parametrize("seed", SEEDS)
def test_neighbouring_barriers(seed):
    body = store("%x", "%item") + barrier("local") + barrier("global") + load("%v", "%next")
    assert check(body, seed=seed) == []


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "line", [broadcast("%i0", "%x"), "%s = gpu.subgroup_reduce add %x : (f32) -> f32\n"]
)
def test_subgroups_do_not_order_memory(line, seed):
    assert kinds(store("%x", "%item") + line + load("%v", "%next"), seed=seed) == ["race"]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("mode", "offset", "expected"),
    [
        ("idx", "%i1", [2, 2, 2, 2, 6, 6, 6, 6]),
        ("up", "%i1", [1, 1, 2, 3, 5, 5, 6, 7]),
        ("down", "%i1", [2, 3, 4, 4, 6, 7, 8, 8]),
        ("xor", "%i1", [2, 1, 4, 3, 6, 5, 8, 7]),
    ],
)
def test_shuffle(mode, offset, expected, seed):
    assert numbered(shuffle(mode, offset), seed=seed) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_shuffle_says_who_exists(seed):
    choice = "%w = arith.select %valid, %got, %x : f32\n"
    data = np.arange(1, 9, dtype=np.float32) * 10
    body = load("%v", "%item") + shuffle("up", "%i1") + choice + store("%w", "%item")
    assert check(body, data, seed=seed) == []
    assert data.tolist() == [1, 10, 20, 30, 1, 50, 60, 70]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("word", "expected"),
    [("add", [10] * 4 + [26] * 4), ("minnumf", [1] * 4 + [5] * 4), ("mul", [24] * 4 + [1680] * 4)],
)
def test_reduction(word, expected, seed):
    line = f"%got = gpu.subgroup_reduce {word} %v : (f32) -> f32\n"
    assert numbered(line, seed=seed) == expected


def test_reduction_rounds_after_each_addition():
    data = np.array([2**24, 1, 1, 1] * 2, np.float32)
    line = "%got = gpu.subgroup_reduce add %v : (f32) -> f32\n"
    assert numbered(line, data) == [2.0**24] * 8


@pytest.mark.parametrize("seed", SEEDS)
def test_broadcast(seed):
    assert numbered(broadcast("%i1"), seed=seed) == [2, 2, 2, 2, 6, 6, 6, 6]


@pytest.mark.parametrize("seed", SEEDS)
def test_shuffle_from_a_changing_work_item(seed):
    mirrored = """%k = arith.subi %c3, %lane : index
    %mirror = arith.index_cast %k : index to i32
    """
    expected = [4, 3, 2, 1, 8, 7, 6, 5]
    assert numbered(mirrored + shuffle("idx", "%mirror"), seed=seed) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_broadcast_from_a_changing_work_item(seed):
    line = "%k = arith.index_cast %lane : index to i32\n" + broadcast("%k")
    assert "divergence" in kinds(load("%v", "%item") + line, seed=seed)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("line", [shuffle("idx", "%i4"), shuffle("xor", "%i4"), broadcast("%i4")])
def test_partner_outside_of_the_subgroup(line, seed):
    text = message(load("%v", "%item") + line, seed=seed)
    assert text.startswith("expected the number of a work-item below 4, got ")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("condition", "line", "got"),
    [
        ("%is_first", barrier(), "1 of 8"),
        ("%is_low", barrier(), "4 of 8"),
        ("%is_first", broadcast("%i0", "%x"), "1 of 4"),
        ("%is_first", "%s = gpu.subgroup_reduce add %x : (f32) -> f32", "1 of 4"),
    ],
    ids=["barrier of one", "barrier of a subgroup", "broadcast", "reduction"],
)
def test_divergence(condition, line, got, seed):
    body = f"scf.if {condition} {{ {line} }}"
    text = message(body, target_name="intel-gpu:pvc", seed=seed)
    assert text.startswith("divergence: expected all work-items to execute 'gpu.")
    assert f"got {got}" in text


@pytest.mark.parametrize("seed", SEEDS)
def test_both_ways_hold_a_barrier(seed):
    assert kinds(f"scf.if %is_low {{ {barrier()} }} else {{ {barrier()} }}", seed=seed) == [
        "divergence"
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_subgroups_go_their_own_ways(seed):
    body = f"""
    {load("%v", "%item")}
    %count = arith.addi %subgroup, %c1 : index
    %sum = scf.for %k = %c0 to %count step %c1 iter_args(%s = %v) -> (f32) {{
      {shuffle("idx", "%i1", "%s")}
      %t = arith.addf %s, %got : f32
      scf.yield %t : f32
    }}
    {store("%sum", "%item")}"""
    data = np.arange(1, 9, dtype=np.float32)
    assert check(body, data, seed=seed) == []
    assert data.tolist() == [3, 4, 5, 6, 23, 24, 25, 26]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_loop_that_some_leave_early(seed):
    body = f"scf.for %k = %c0 to %lane step %c1 {{ {shuffle('idx', '%i0', '%x')} }}"
    assert kinds(body, seed=seed) == ["divergence"]


@pytest.mark.parametrize("seed", SEEDS)
def test_barriers_in_uniform_control_flow(seed):
    body = f"""
    %is_one = arith.cmpi eq, %n, %c1 : index
    scf.if %is_one {{ {barrier()} }}
    scf.for %k = %c0 to %n step %c1 {{
      {store("%x", "%item")}
      {barrier()}
      {load("%v", "%next")}
      {barrier()}
    }}"""
    for count in (0, 1, 3):
        parameters = "%a: memref<?xf32>, %n: index"
        assert check(body, zeros(), count, parameters=parameters, seed=seed) == []


OPAQUE = "%end = tinytc.opaque_index %c3 : index\n"


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("target_name", ["cpu", "intel-gpu:pvc"])
def test_opaque_index(target_name, seed):
    """For the CPU it becomes a broadcast, which needs the whole subgroup."""
    apart = f"scf.if %is_first {{ {OPAQUE} }}"
    found = kinds(apart, target_name=target_name, seed=seed)
    assert found == (["divergence"] if target_name == "cpu" else [])
    body = f"""
    {OPAQUE}
    %inside = arith.cmpi slt, %lane, %end : index
    scf.if %inside {{ {store("%x", "%item")} }}"""
    data = zeros()
    assert check(body, data, target_name=target_name, seed=seed) == []
    assert data.tolist() == [1, 1, 1, 0, 1, 1, 1, 0]
