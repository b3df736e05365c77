"""Launches of arrays that overlap where an instruction reads one and updates another."""

import numpy as np
import pytest

import tinytc_mlir as tt
from target_under_test import TARGET

TEXT = """func @batch(%A: memref<f32x8x8x?>, %B: memref<f32x8x8>, %C: memref<f32x8x8x?>) {
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  %g = group_id : index
  %a = subview %A[:, :, %g] : memref<f32x8x8>
  %c = subview %C[:, :, %g] : memref<f32x8x8>
  gemm %one, %a, %B, %zero, %c
}
func @matrix(%A: memref<f32x8x8>, %B: memref<f32x8x8>, %C: memref<f32x8x8>) {
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  gemm %one, %A, %B, %zero, %C
}
func @members(%A: group<memref<f32x8x8>x?>, %B: memref<f32x8x8>, %C: memref<f32x8x8x?>) {
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  %g = group_id : index
  %a = load %A[%g] : memref<f32x8x8>
  %c = subview %C[:, :, %g] : memref<f32x8x8>
  gemm %one, %a, %B, %zero, %c
}
func @groups(%A: group<memref<f32x8x8>x?>, %C: group<memref<f32x8x8>x?>) {
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  %g = group_id : index
  %a = load %A[%g] : memref<f32x8x8>
  %c = load %C[%g] : memref<f32x8x8>
  gemm %one, %a, %a, %zero, %c
}
func @shared(%A: group<memref<f32x8>x?>, %c: memref<f32x8>) {
  %one = constant 1.0 : f32
  %g = group_id : index
  %a = load %A[%g] : memref<f32x8>
  axpby.n.atomic %one, %a, %one, %c
}
func @in_place(%a: f32, %X: memref<f32x?, strided<?>>, %Y: memref<f32x?, strided<?>>) {
  %one = constant 1.0 : f32
  axpby %a, %X, %one, %Y
}
func @halves(%A: memref<f32x8x8>, %B: memref<f32x8x4>, %C: memref<f32x8x8>, %i: index) {
  %one = constant 1.0 : f32
  %a = subview %A[:, 0:4] : memref<f32x8x4>
  %c = subview %C[:, 4:4] : memref<f32x8x4>
  axpby.n %one, %a, %one, %c
  %a_i = subview %A[:, %i] : memref<f32x8>
  %c_i = subview %C[:, %i] : memref<f32x8>
  sum.n %one, %B, %one, %c_i
  cumsum %one, %a_i, 0, %one, %c_i
}
func @sometimes(%A: memref<f32x8x8>, %C: memref<f32x8x8>, %run: bool) {
  %one = constant 1.0 : f32
  if %run { axpby.t %one, %A, %one, %C }
}"""


@pytest.fixture(scope="module", params=["cpu", "native"])
def program(request):
    return tt.Context().parse(TEXT, "f.ir").compile(request.param)


def ones(*shape, order="F"):
    return np.ones(shape, np.float32, order=order)


def message_of(kernel, *arguments):
    with pytest.raises(tt.ArgumentError) as caught:
        kernel(*arguments)
    return str(caught.value)


@pytest.mark.parametrize("order", ["F", "C"])
def test_one_array_twice(program, order):
    a, b = ones(8, 8, order=order), ones(8, 8)
    program["matrix"](a, b, ones(8, 8))
    assert message_of(program["matrix"], a, b, a) == (
        "matrix: argument 'A': expected an array that does not overlap 'C', because gemm in "
        "line 12 reads one and updates the other, got one with common elements"
    )
    assert "argument 'B': expected" in message_of(program["matrix"], b, a, a.T)
    assert (a == 1).all()


def test_what_is_only_read_may_overlap(program):
    a, c = ones(8, 8), ones(8, 8)
    program["matrix"](a, a.T, c)
    assert (c == 8).all()


def test_parts_of_one_array(program):
    whole = ones(12, 8)
    assert "does not overlap 'C'" in message_of(program["matrix"], whole[:8], ones(8, 8), whole[4:])
    batch = ones(8, 8, 6)
    program["batch"](batch[..., :3], ones(8, 8), batch[..., 3:])
    assert (batch[..., 3:] == 8).all()
    assert "'A'" in message_of(program["batch"], batch, ones(8, 8), batch)
    assert "'B'" in message_of(program["batch"], ones(8, 8, 6), batch[..., 0], batch)


def test_what_other_groups_update(program):
    batch, matrix = program["batch"], ones(8, 8)
    x = ones(8, 8, 6)
    assert message_of(batch, x[..., :4], matrix, x[..., 2:]) == (
        "batch: argument 'A': expected an array that does not overlap 'C', because gemm in line 7 "
        "reads one and updates the other, got one of which a group reads what another one updates"
    )
    assert "what another one updates" in message_of(batch, x[..., 1:], matrix, x[..., :5])
    assert "argument 'B': expected" in message_of(batch, ones(8, 8, 6), x[..., 3], x)
    assert (x == 1).all()
    batch(x[..., :4], matrix, x[..., 2:], groups=2)
    batch(ones(8, 8, 6), x[..., 5], x, groups=5)
    row_major = ones(6, 8, 8, order="C").transpose(1, 2, 0)
    assert "what another one" in message_of(batch, row_major[..., :4], matrix, row_major[..., 2:])
    interleaved = ones(8, 8, 12)
    batch(interleaved[..., ::2], matrix, interleaved[..., 1::2])
    assert (interleaved[..., 1::2] == 8).all()


def test_arrays_that_interleave_are_apart(program):
    numbers = np.ones((8, 8), np.complex64, order="F")
    program["matrix"](numbers.real, ones(8, 8), numbers.imag)
    np.testing.assert_array_equal(numbers, np.full((8, 8), 1 + 8j))


def test_members_of_groups(program):
    a, b, c = ones(8, 8, 5), ones(8, 8), ones(8, 8, 5)
    members = [c[..., i] for i in range(5)]
    assert "got member 0 with common elements" in message_of(program["members"], members, b, c)
    assert "got member 0 with" in message_of(program["members"], c, b, c)
    mixed = [*(a[..., i] for i in range(4)), c[..., 4]]
    assert "got member 4 with common elements" in message_of(program["members"], mixed, b, c)
    assert "got member 4 with" in message_of(program["groups"], mixed, members)
    program["members"](mixed[:4], b, c, groups=4)
    assert (c[..., :4] == 8).all()
    program["groups"](members[:2], members[2:4])
    assert (c[..., 2:4] == 8 * 64).all()


def test_members_and_an_array_that_all_groups_update(program):
    c = ones(24)
    members = [c[:8], c[8:16]]
    program["shared"](members, c[16:])
    assert (c[16:] == 3).all()
    assert "got member 1 with common elements" in message_of(program["shared"], members, c[12:20])


def test_updates_in_place(program):
    x = ones(9)
    program["in_place"](2.0, x, x)
    assert (x == 3).all()
    assert message_of(program["in_place"], 2.0, x[1:], x[:-1]) == (
        "in_place: argument 'X': expected 'Y' itself or an array that does not overlap 'Y', "
        "because axpby in line 38 reads one and updates the other, got one with common elements"
    )
    assert "expected 'Y' itself" in message_of(program["in_place"], 2.0, x[:5:2], x[:3])


def test_blocks_at_other_places(program):
    c = ones(8, 8)
    assert "cumsum in line 48" in message_of(program["halves"], c, ones(8, 4), c, 2)
    program["halves"](ones(8, 8), c[:, 4:].copy(order="F"), c, 2)


def test_instructions_that_may_not_run(program):
    c = ones(8, 8)
    program["sometimes"](c, c, False)
    assert (c == 1).all()


def in_memory(shape):
    array = tt.empty(shape, np.float32)
    array[...] = 1
    return array


def test_later_launches():
    program = tt.Context().parse(TEXT).compile(TARGET)
    a, b, c = (in_memory((8, 8)) for _ in range(3))
    matrix = program["matrix"]
    matrix(a, b, c)
    assert len(matrix.launch_cache._patterns) == 1
    matrix(b, a, c)
    assert len(matrix.launch_cache._patterns) == 1  # found
    assert "'A'" in message_of(matrix, c, b, c)
    assert "'B'" in message_of(matrix, a, c, c)
    line = in_memory(16)
    for _ in range(3):
        program["in_place"](1.0, line[::2], line[1::2])
    assert (line == [1, 4] * 8).all()
    assert len(program["in_place"].launch_cache._patterns) == 1
    members = [in_memory((8, 8)) for _ in range(4)]
    results = [in_memory((8, 8)) for _ in range(4)]
    groups = program["groups"]
    groups(members, results)
    groups(members, results[::-1])
    groups(results, members)
    assert len(groups.launch_cache._patterns) == 1
    assert "got member 2" in message_of(groups, members, [*results[:2], members[2], results[3]])
    batch = in_memory((8, 8, 4))
    program["batch"](in_memory((8, 8, 4)), b, batch)
    program["batch"](in_memory((8, 8, 4)), batch[..., 3].copy(), batch)
    assert "'B'" in message_of(program["batch"], in_memory((8, 8, 4)), batch[..., 3], batch)
    line = in_memory(64 * 13)
    program["batch"].launch_cache._patterns = ()
    for place in (64, 0):  # before the array that is updated
        matrix, updated = line[place : place + 64], line[128 : 128 + 256]
        shapes = (8, 8), (8, 8, 4)
        near = (
            each.reshape(s, order="F") for each, s in zip((matrix, updated), shapes, strict=True)
        )
        program["batch"](in_memory((8, 8, 4)), *near)
    assert len(program["batch"].launch_cache._patterns) == 1
    longer = in_memory((8, 8, 7))
    assert "'A'" in message_of(program["batch"], longer[..., 3:], b, longer[..., :4])
    program["members"](members, b, batch)
    program["members"](results, b, batch)
    assert len(program["members"].launch_cache._patterns) == 1
    own = [*members[:3], batch[..., 3]]
    assert "got member 3" in message_of(program["members"], own, b, batch)


def test_bound_launches_and_debug_builds():
    module = tt.Context().parse(TEXT)
    a, b = in_memory((8, 8)), in_memory((8, 8))
    with pytest.raises(tt.ArgumentError, match="does not overlap 'C'"):
        module.compile(TARGET)["matrix"].bind(a, b, a)
    with pytest.raises(tt.ArgumentError, match="does not overlap 'C'"):
        module.compile(TARGET)["matrix"].submit(a, b, a)
    with pytest.raises(tt.ArgumentError, match="does not overlap 'C'"):
        module.compile(TARGET, debug=True)["matrix"](a, b, a)
    with pytest.raises(tt.InterpreterError, match="operand 'a' overlaps 'c'"):
        host = ones(8, 8)
        tt.interpret(module, "matrix", [host, ones(8, 8), host])
