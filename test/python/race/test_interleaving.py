"""Work-items one after the other in a random order: wrong numbers show what a race does."""

import numpy as np
import pytest

from cases.stage_kernels import atomic, barrier, check, load, stage, store, zeros

SHIFT = load("%v", "%next") + store("%v", "%item")


def results(body, seeds, *, is_preemptive=False):
    """Return what %a holds after each order."""
    found = set()
    for seed in seeds:
        data = np.arange(8, dtype=np.float32)
        check(body, data, seed=seed, is_preemptive=is_preemptive)
        found.add(tuple(data))
    return found


def test_a_race_gives_numbers_that_depend_on_the_order():
    assert len(results(SHIFT, range(8))) > 4


def test_a_barrier_gives_the_same_numbers_in_every_order():
    body = load("%v", "%next") + barrier() + store("%v", "%item")
    assert results(body, range(8)) == {(1, 2, 3, 4, 5, 6, 7, 0)}


def test_a_number_decides_the_order():
    assert len(results(SHIFT, [3, 3, 3])) == 1


def test_atomic_updates_are_lost_in_no_order():
    for seed in range(4):
        data = zeros()
        assert check(atomic("%x", "%c0"), data, seed=seed, is_preemptive=True) == []
        assert data[0] == 8


def test_updates_that_are_not_atomic_are_lost_where_others_interrupt():
    body = load("%v", "%c0") + "%w = arith.addf %v, %x : f32\n" + store("%w", "%c0")

    def last(seed, **options):
        data = zeros()
        check(body, data, seed=seed, **options)
        return data[0]

    assert {last(seed) for seed in range(4)} == {8}
    assert min(last(seed, is_preemptive=True) for seed in range(4)) < 8


@pytest.mark.parametrize("is_preemptive", [False, True])
def test_subgroups_run_ahead_of_each_other(is_preemptive):
    """Within a subgroup all meet at the shuffle, but nobody waits for the other subgroup."""
    body = f"""
    {store("%x", "%item")}
    %s, %valid = gpu.shuffle idx %x, %i0, %i4 : f32
    {load("%v", "%next")}
    {barrier()}
    {store("%v", "%item")}"""
    found = results(body, range(12), is_preemptive=is_preemptive)
    # Work-item 3 reads what work-item 4 stores, 7 what 0 does.
    assert {row[:3] + row[4:7] for row in found} == {(1.0,) * 6}
    assert len({(row[3], row[7]) for row in found}) > 1


def test_work_groups_run_in_any_order():
    body = f"""
    %n = arith.index_cast %group : index to i32
    %v = arith.sitofp %n : i32 to f32
    {store("%v", "%item")}"""
    lasts = set()
    for seed in range(6):
        data = zeros()
        stage(body).check("f", [data], 3, seed=seed)
        lasts.add(data[0])
    assert len(lasts) > 1
