import numpy as np
import pytest

from interpreting import INTEGERS, array, failure, result_of, run, scalar


def trips(type_, begin, end, step=None):
    """Return the values of the loop variable."""
    text = f"""
    func @f(%from: {type_}, %to: {type_}, %step: {type_}, %out: memref<i64x8>) {{
        %n = constant 0 : index
        %one = constant 1 : index
        %count = for %i:{type_}=%from,%to{",%step" if step else ""}
                init(%k=%n) -> (index) {{
            %wide = cast %i : i64
            store %wide, %out[%k]
            %next = arith.add %k, %one : index
            yield (%next)
        }}
        %seven = constant 7 : index
        %stored = cast %count : i64
        store %stored, %out[%seven]
    }}"""
    out = result_of(text, "i64", begin, end, step or 1, shape=(8,))
    return out[: out[7]].tolist()


@pytest.mark.parametrize("type_", INTEGERS)
def test_for_counts(type_):
    assert trips(type_, 2, 5) == [2, 3, 4]
    assert trips(type_, -3, 5, 3) == [-3, 0, 3]
    assert trips(type_, 5, 5) == []
    assert trips(type_, 6, 5) == []


@pytest.mark.parametrize("type_", INTEGERS)
def test_for_ends_although_the_next_value_would_overflow(type_):
    limit = np.iinfo({"index": "int64"}.get(type_, type_.replace("i", "int"))).max
    assert trips(type_, limit - 3, limit, 2) == [limit - 3, limit - 1]
    assert trips(type_, -limit, limit, limit) == [-limit, 0]


def test_fibonacci():
    text = """
    func @f(%out: memref<i64x2>) {
        %from = constant 2 -> i32
        %to = constant 6 -> i32
        %f0 = constant 0 -> i64
        %f1 = constant 1 -> i64
        %fn_1, %fn = for %n:i32=%from,%to init(%a=%f0,%b=%f1) -> (i64,i64) {
            %c = arith.add %a, %b : i64
            yield (%b, %c)
        }
        store %fn_1, %out[0]
        store %fn, %out[1]
    }"""
    assert result_of(text, "i64", shape=(2,)).tolist() == [3, 5]


def test_values_carried_by_a_loop_swap_at_once():
    text = """
    func @f(%x: f32, %y: f32, %out: memref<f32x2>) {
        %zero = constant 0 : index
        %three = constant 3 : index
        %a, %b = for %i=%zero,%three init(%p=%x,%q=%y) -> (f32,f32) {
            yield (%q, %p)
        }
        store %a, %out[0]
        store %b, %out[1]
    }"""
    assert result_of(text, "f32", 1.0, 2.0, shape=(2,)).tolist() == [2, 1]


@pytest.mark.parametrize(("value", "expected"), [(10, 10), (20, 16)])
def test_if_returns_a_value(value, expected):
    instruction = """if %c -> (i32) {
        yield (%x)
    } else {
        %c16 = constant 16 : i32
        yield (%c16)
    }"""
    assert scalar(instruction, "i32", x=("i32", value), c=("bool", value < 16)) == expected


def test_if_without_else():
    text = """
    func @f(%c: bool, %out: memref<i32>) {
        if %c {
            %one = constant 1 : i32
            store %one, %out[]
        }
    }"""
    assert result_of(text, "i32", True) == 1
    assert result_of(text, "i32", False) == 0


def test_loops_and_branches_of_lanes_that_diverge():
    # Work-item i adds its odd numbers below i.
    text = """
    func @f(%out: memref<i32x8>) attributes {subgroup_size=4, work_group_size=[8,1]} {
        parallel {
            %s = builtin.subgroup_id : i32
            %l = builtin.subgroup_local_id : i32
            %four = constant 4 : i32
            %zero = constant 0 : i32
            %one = constant 1 : i32
            %base = arith.mul %s, %four : i32
            %i = arith.add %base, %l : i32
            %sum = for %j:i32=%zero,%i init(%acc=%zero) -> (i32) {
                %bit = arith.and %j, %one : i32
                %is_odd = cmp.eq %bit, %one : bool
                %next = if %is_odd -> (i32) {
                    %more = arith.add %acc, %j : i32
                    yield (%more)
                } else {
                    yield (%acc)
                }
                yield (%next)
            }
            %index = cast %i : index
            store %sum, %out[%index]
        }
    }"""
    expected = [sum(range(1, i, 2)) for i in range(8)]
    assert result_of(text, "i32", shape=(8,)).tolist() == expected


@pytest.mark.parametrize("type_", INTEGERS)
def test_foreach_visits_every_index_once(type_):
    text = f"""
    func @f(%A: memref<i32x3x4x2>) {{
        %0 = constant 0 : {type_}
        %1 = constant 1 : {type_}
        %2 = constant 2 : {type_}
        %4 = constant 4 : {type_}
        foreach (%i,%j,%k):{type_}=(%1,%0,%0),(%2,%4,%2) {{
            %a = cast %i : index
            %b = cast %j : index
            %c = cast %k : index
            %x = load %A[%a,%b,%c] : i32
            %one = constant 1 : i32
            %y = arith.add %x, %one : i32
            store %y, %A[%a,%b,%c]
        }}
    }}"""
    a = np.zeros((3, 4, 2), np.int32, order="F")
    run(text, a)
    assert a.sum() == 8
    assert (a[1] == 1).all()


def test_foreach_with_an_empty_range_does_nothing():
    text = """
    func @f(%n: index, %A: memref<i32x4>) {
        %0 = constant 0 : index
        %1 = constant 1 : index
        foreach (%i,%j)=(%1,%0),(%n,%n) {
            %one = constant 1 : i32
            store %one, %A[%i]
        }
    }"""
    a = array([0] * 4, "i32")
    run(text, 1, a)
    run(text, -5, a)
    assert a.tolist() == [0] * 4


def test_foreach_over_more_iterations_than_an_integer_can_count():
    text = """
    func @f(%out: memref<f32x2>) {
        %low = constant -9223372036854775807 : i64
        %high = constant 9223372036854775807 : i64
        foreach (%i,%j):i64=(%low,%low),(%high,%high) {
            %0 = cast %j : index
            %x = load %out[%0] : f32
        }
    }"""
    message = "expected index 0 to lie in [0, 2), got -9223372036854775807"
    assert message in failure(text, array([0, 0])).message


def test_foreach_over_many_iterations():
    text = """
    func @f(%n: index, %A: memref<i64x?>) {
        %0 = constant 0 : index
        foreach (%i)=(%0),(%n) {
            %x = cast %i : i64
            store %x, %A[%i]
        }
    }"""
    a = np.zeros(100_003, np.int64)
    run(text, len(a), a)
    assert np.array_equal(a, np.arange(len(a)))


def test_barrier_makes_local_memory_visible():
    text = """
    func @f(%out: memref<i32x8>) attributes {subgroup_size=4, work_group_size=[8,1]} {
        %tmp = alloca : memref<i32x8>
        parallel {
            %s = builtin.subgroup_id : i32
            %l = builtin.subgroup_local_id : i32
            %four = constant 4 : i32
            %seven = constant 7 : index
            %base = arith.mul %s, %four : i32
            %i32 = arith.add %base, %l : i32
            %i = cast %i32 : index
            store %i32, %tmp[%i]
            barrier.local
            %j = arith.sub %seven, %i : index
            %x = load %tmp[%j] : i32
            store %x, %out[%i]
        }
    }"""
    assert result_of(text, "i32", shape=(8,)).tolist() == [7, 6, 5, 4, 3, 2, 1, 0]


@pytest.mark.parametrize("type_", INTEGERS)
@pytest.mark.parametrize("size", [16, 32])
def test_tiles(type_, size):
    text = f"""
    func @f(%from: {type_}, %to: {type_}, %out: memref<{type_}x8x2>) {{
        %width = constant {size} : {type_}
        foreach_tile (%i) = (%from), (%to) as (%m) <= ({size}) {{
            %offset = sub %i, %from : {type_}
            %tile = div %offset, %width : {type_}
            %k = {"add %tile, 0" if type_ == "index" else "cast %tile"} : index
            %lane = subgroup_local_id : i32
            %first = equal %lane, 0 : bool
            if %first {{
                store %i, %out[%k, 0]
                store %m, %out[%k, 1]
            }}
        }}
    }}"""
    out = result_of(text, type_, -5, 95, shape=(8, 2))
    starts = list(range(-5, 95, size))
    assert out[: len(starts), 0].tolist() == starts
    assert out[: len(starts), 1].tolist() == [min(size, 95 - start) for start in starts]
    assert not out[len(starts) :].any()
    assert not result_of(text, type_, 5, 5, shape=(8, 2)).any()


def test_a_subgroup_runs_a_tile():
    """All work-items of the first two subgroups see the tiles 0 and 1, then 2."""
    text = """
    func @f(%out: memref<i32x16x3>) {
        foreach_tile (%i, %j) = (0, 0), (16, 3) as (%m, %n) <= (16, 1) {
            %lane = subgroup_local_id : i32
            %k = cast %lane : index
            %subgroup = subgroup_linear_id : i32
            store %subgroup, %out[%k, %j]
        }
    }"""
    out = result_of(text, "i32", shape=(16, 3))
    assert out.tolist() == [[0, 1, 0]] * 16


def test_race_between_tiles():
    text = """
    func @f(%out: memref<i32>) {
        foreach_tile (%i) = (0), (64) as (%m) <= (16) {
            %lane = subgroup_local_id : i32
            %last = equal %lane, 15 : bool
            if %last { store %lane, %out[] }
        }
    }"""
    message = failure(text, array(0, "i32")).message
    assert "work-item 15 of tile 0" in message
