"""Operations of a subgroup that some of its work-items execute, and others do not."""

import numpy as np
import pytest

from cases.stage_kernels import SEEDS, check, kinds, load, message, store

IS_LOW = "%low = arith.cmpi slt, %lane, %c3 : index\n"
IS_HIGH = "%high = arith.cmpi sge, %lane, %c1 : index\n"
REDUCE = "%got = gpu.subgroup_reduce add %v : (f32) -> f32\n"


def of(body, seed, target_name="cuda:sm_90"):
    """Return what the work-items make of the numbers 1 to 8."""
    data = np.arange(1, 9, dtype=np.float32)
    assert check(load("%v", "%item") + body, data, seed=seed, target_name=target_name) == []
    return data.tolist()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("target_name", ["cpu", "cuda:sm_90", "native"])
@pytest.mark.parametrize(
    ("condition", "line", "expected"),
    [
        (IS_LOW, REDUCE, [6, 6, 6, 4, 18, 18, 18, 8]),
        (IS_HIGH, REDUCE, [1, 9, 9, 9, 5, 21, 21, 21]),
        (
            IS_HIGH,
            "%got = gpu.subgroup_broadcast %v, specific_lane %i1 : f32\n",
            [1, 2, 2, 2, 5, 6, 6, 6],
        ),
        (
            IS_LOW,
            "%from, %valid = gpu.shuffle up %v, %i1, %i4 : f32\n"
            "%got = arith.select %valid, %from, %y : f32\n",
            [2, 1, 2, 4, 2, 5, 6, 8],
        ),
    ],
    ids=["sum of the first", "sum of the last", "broadcast", "shuffle"],
)
def test_those_that_run(condition, line, expected, target_name, seed):
    name = condition.split()[0]
    body = f"{condition} scf.if {name} {{ {line} {store('%got', '%item')} }}"
    assert of(body, seed, target_name) == expected


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "line",
    [
        "%got = gpu.subgroup_broadcast %x, specific_lane %i0 : f32",
        "%got, %valid = gpu.shuffle idx %x, %i0, %i4 : f32",
        "%got, %valid = gpu.shuffle up %x, %i1, %i4 : f32",
    ],
)
def test_a_partner_that_does_not_run(line, seed):
    text = message(f"{IS_HIGH} scf.if %high {{ {line} }}", seed=seed)
    assert text.startswith("divergence: expected a work-item that executes 'gpu.")
    assert "got 0" in text


@pytest.mark.parametrize("seed", SEEDS)
def test_both_ways(seed):
    body = f"""
    {IS_LOW}
    %sum = scf.if %low -> (f32) {{
      {REDUCE}
      scf.yield %got : f32
    }} else {{
      {REDUCE}
      scf.yield %got : f32
    }}
    {store("%sum", "%item")}"""
    assert of(body, seed) == [6, 6, 6, 4, 18, 18, 18, 8]


@pytest.mark.parametrize("seed", SEEDS)
def test_loops_that_some_leave_early(seed):
    """In iteration k, work-items above k add; the last ones add once more inside of it."""
    body = f"""
    %sum = scf.for %k = %c0 to %lane step %c1 iter_args(%s = %x) -> (f32) {{
      %one = gpu.subgroup_reduce add %x : (f32) -> f32
      %t = arith.addf %s, %one : f32
      %last = arith.cmpi eq, %lane, %c3 : index
      %u = scf.if %last -> (f32) {{
        %two = gpu.subgroup_reduce add %y : (f32) -> f32
        %w = arith.addf %t, %two : f32
        scf.yield %w : f32
      }} else {{
        scf.yield %t : f32
      }}
      scf.yield %u : f32
    }}
    {store("%sum", "%item")}"""
    assert of(body, seed) == [1, 4, 6, 13] * 2


@pytest.mark.parametrize("seed", SEEDS)
def test_barriers_of_different_iterations(seed):
    """Work-items that skip a barrier do not meet others at it in the next iteration."""
    body = """
    scf.for %k = %c0 to %c2 step %c1 {
      %first = arith.cmpi eq, %k, %c0 : index
      %skips = arith.andi %first, %is_low : i1
      scf.if %skips {} else { gpu.barrier }
    }"""
    assert kinds(body, seed=seed) == ["divergence"]
