"""The launch's check of the number of groups, without a device."""

import dataclasses
import pickle

import numpy as np
import pytest

import tinytc_mlir as tt
from bounding import counts, info_of, refusal
from tinytc_mlir.runtime.bounds.group_bounds import GroupBound, Line
from tinytc_mlir.runtime.bounds.launch_sums import LaunchValue, Term
from tinytc_mlir.runtime.kernel_info import KernelInfo, MemrefArgument, ScalarArgument
from tinytc_mlir.runtime.manifest import Manifest

BATCH = """func @s(%x: f32, %A: memref<f32x4x?>, %B: memref<f32x4x?>) {
  %g = group_id : index
  %a = subview %A[:,%g] : memref<f32x4>
  %b = subview %B[:,%g] : memref<f32x4>
  axpby.n %x, %a, %x, %b
}"""


def indexed(parameters, body):
    return info_of(f"func @s(%x: f32, {parameters}) {{ %g = group_id : index {body} }}")


def batch(count):
    return np.zeros((4, count), np.float32, order="F")


@pytest.mark.parametrize("groups", [1, 9, 10, np.int64(10), (10, 50, 3)])
def test_groups_that_fit(groups):
    assert counts(info_of(BATCH), (1.0, batch(10), batch(12)), groups)[0] in (1, 9, 10)


@pytest.mark.parametrize("groups", [11, 2**31 - 1, (11,), (12, 1, 1)])
def test_groups_that_do_not_fit(groups):
    given = groups[0] if isinstance(groups, tuple) else groups
    assert refusal(info_of(BATCH), (1.0, batch(12), batch(10)), groups) == (
        f"s: expected at most 10 groups (mode 1 of 'B' has 10 elements), got {given}"
    )


def test_the_smallest_number_counts():
    message = refusal(info_of(BATCH), (1.0, batch(10), batch(1)), 11)
    assert message == "s: expected at most 1 group (mode 1 of 'B' has 1 element), got 11"


def test_empty_batch():
    assert refusal(info_of(BATCH), (1.0, batch(0), batch(0)), 1) == (
        "s: expected at most 0 groups (mode 1 of 'A' has 0 elements), got 1"
    )
    assert counts(info_of(BATCH), (1.0, batch(0), batch(0)), None) == (0, 1, 1)
    assert refusal(info_of(BATCH), (1.0, batch(0), batch(2)), None) == (
        "s: expected a number of groups because the arrays disagree (at most 0 groups (mode 1 of "
        "'A' has 0 elements), at most 2 groups (mode 1 of 'B' has 2 elements)), got groups=None"
    )


def test_an_empty_mode_needs_no_batch():
    info = indexed(
        "%A: memref<f32x?x?>",
        "%a = subview %A[:,%g] : memref<f32x?> axpby.n %x, %a, %x, %a",
    )
    empty = np.zeros((0, 3), np.float32, order="F")
    assert counts(info, (1.0, empty), 100) == (100, 1, 1)
    assert "expected at most 3 groups" in refusal(info, (1.0, batch(3)), 100)


def test_members_of_a_group():
    info = indexed(
        "%G: group<memref<f32x4>x?>", "%a = load %G[%g] : memref<f32x4> axpby.n %x, %a, %x, %a"
    )
    members = [batch(1)[:, 0] for _ in range(3)]
    for value in (members, tt.Group(members), np.zeros((4, 3), np.float32, order="F")):
        assert counts(info, (1.0, value), None) == (3, 1, 1)
        message = "s: expected at most 3 groups ('G' has 3 members), got 4"
        assert refusal(info, (1.0, value), 4) == message


def test_modes_of_members():
    info = indexed(
        "%G: group<memref<f32x4x9>x?>",
        "%0 = constant 0 : index %a = load %G[%0] : memref<f32x4x9> store %x, %a[%0,%g]",
    )
    assert refusal(info, (1.0, [batch(9)]), 10) == (
        "s: expected at most 9 groups (mode 1 of the members of 'G' has 9 elements), got 10"
    )


@pytest.mark.parametrize("size, most", [(0, 0), (3, 0), (4, 1), (11, 2), (12, 3), (13, 3)])
def test_slices(size, most):
    info = indexed(
        "%A: memref<f32x?>",
        """%c4 = constant 4 : index %i = arith.mul %g, %c4 : index
        %a = subview %A[%i:4] : memref<f32x4> axpby.n %x, %a, %x, %a""",
    )
    array = np.zeros(size, np.float32)
    assert refusal(info, (1.0, array), most + 1) == (
        f"s: expected at most {most} group{'s' * (most != 1)} (mode 0 of 'A' has {size} elements, "
        f"group {most} accesses index {4 * most + 3}), got {most + 1}"
    )
    if most:
        assert counts(info, (1.0, array), None) == (most, 1, 1)


def test_from_the_end():
    info = indexed(
        "%A: memref<f32x?>, %n: i16",
        "%m = cast %n : index %i = arith.sub %m, %g : index store %x, %A[%i]",
    )
    array = np.zeros(10, np.float32)
    assert counts(info, (1.0, array, 9), None) == (10, 1, 1)
    assert refusal(info, (1.0, array, 4), 6) == (
        "s: expected at most 5 groups (group 5 accesses index -1 of mode 0 of 'A'), got 6"
    )


def test_negative_values():
    info = indexed(
        "%A: memref<f32x?>, %n: i8",
        "%m = cast %n : index %i = arith.add %m, %g : index %j = arith.add %i, 5 : index "
        "store %x, %A[%j]",
    )
    assert counts(info, (1.0, np.zeros(10, np.float32), -3), None) == (8, 1, 1)


def test_fused_modes():
    info = indexed(
        "%A: memref<f32x4x2x?>",
        "%0 = constant 0 : index %a = fuse %A[1,2] : memref<f32x4x?> store %x, %a[%0,%g]",
    )
    array = np.zeros((4, 2, 5), np.float32, order="F")
    assert refusal(info, (1.0, array), 11) == (
        "s: expected at most 10 groups (modes 1 and 2 of 'A' have 10 elements), got 11"
    )


GUARDED = "%c = cmp.lt %g, %n : bool if %c { store %x, %A[%g] }"


@pytest.mark.parametrize("n, most", [(0, None), (9, None), (10, None), (11, 10), (-1, None)])
def test_guard(n, most):
    info = indexed("%A: memref<f32x?>, %n: index", GUARDED)
    values = (1.0, np.zeros(10, np.float32), n)
    if most is None:
        assert counts(info, values, 1000) == (1000, 1, 1)
        assert "because no array limits it" in refusal(info, values, None)
    else:
        assert counts(info, values, most) == (most, 1, 1)
        assert f"expected at most {most} groups" in refusal(info, values, most + 1)


@pytest.mark.parametrize("n", [-1, 0, 1, 5])
def test_a_loop_that_may_have_no_iterations(n):
    body = "for %k = 0, %n { store %x, %A[%g] store %x, %B[%g] }"
    info = indexed("%A: memref<f32x?>, %B: memref<f32x?>, %n: index", body)
    array = np.zeros(10, np.float32)
    assert counts(info, (1.0, array, array, n), None) == (10, 1, 1)
    assert "the arrays disagree (at most 10" in refusal(info, (1.0, array, array[:4], n), None)


def test_values_with_which_64_bits_overflow_refuse_nothing():
    info = indexed(
        "%A: memref<f32x?>, %n: index, %m: index",
        "%o = arith.add %g, %m : index %c = cmp.lt %o, %n : bool if %c { store %x, %A[%g] }",
    )
    array = np.zeros(10, np.float32)
    assert "at most 10 groups" in refusal(info, (1.0, array, 100, 5), 11)
    assert counts(info, (1.0, array, 2**62, 2**62 - 5), 11) == (11, 1, 1)
    info = indexed(
        "%A: memref<f32x?>, %n: index",
        "%i = arith.mul %g, %n : index %j = arith.mul %i, %n : index store %x, %A[%j]",
    )
    assert "at most 1 group " in refusal(info, (1.0, array, 2**31), 2)
    assert counts(info, (1.0, array, 2**32), 1000) == (1000, 1, 1)  # all of them access index 0


def test_arrays_that_disagree():
    assert refusal(info_of(BATCH), (1.0, batch(10), batch(12)), None) == (
        "s: expected a number of groups because the arrays disagree (at most 10 groups (mode 1 of "
        "'A' has 10 elements), at most 12 groups (mode 1 of 'B' has 12 elements)), got groups=None"
    )


def test_no_bounds():
    assert refusal(indexed("%A: memref<f32x4>", ""), (1.0, batch(1)[:, 0]), None) == (
        "s: expected a number of groups because no array limits it, got groups=None"
    )
    info = indexed("%A: memref<f32x?>", "%i = arith.mul %g, %g : index store %x, %A[%i]")
    assert refusal(info, (1.0, np.zeros(3, np.float32)), None) == (
        "s: expected a number of groups because no array limits it; mode 0 of 'A': its index is "
        "not affine in the group id, got groups=None"
    )


def three_dimensional():
    """A kernel with a bound for each dimension of the group id."""
    sizes = [(Term(1, (LaunchValue("A", mode),)),) for mode in range(3)]
    line = Line((Term(1),), ())
    bounds = tuple(GroupBound("A", (mode,), line, sizes[mode], mode) for mode in range(3))
    argument = MemrefArgument("A", "f32", (None,) * 3, (1, None, None))
    return KernelInfo("f", (argument,), (16, 2, 1), 16, group_bounds=bounds)


def test_three_dimensions():
    info = three_dimensional()
    array = np.zeros((2, 3, 4), np.float32, order="F")
    assert counts(info, (array,), None) == (2, 3, 4)
    assert counts(info, (array,), (2, 3, 4)) == (2, 3, 4)
    assert refusal(info, (array,), (2, 4, 4)) == (
        "f: expected at most 3 groups in y (mode 1 of 'A' has 3 elements), got 4"
    )
    assert "in z (mode 2 of 'A' has 4 elements), got 5" in refusal(info, (array,), (1, 1, 5))


def test_manifest_keeps_bounds():
    for info in (info_of(BATCH), three_dimensional(), indexed("%A: memref<f32x?>", "")):
        manifest = Manifest("cpu", (info,))
        assert Manifest.from_json(manifest.to_json()) == manifest
        assert pickle.loads(pickle.dumps(info)) == info


def test_manifests_without_bounds_check_nothing():
    info = dataclasses.replace(info_of(BATCH), group_bounds=())
    text = Manifest("cpu", (info,)).to_json().replace('"group_bounds": [], ', "")
    text = text.replace('"unchecked_uses": [], ', "")
    assert "bounds" not in text
    (read,) = Manifest.from_json(text).kernels
    assert counts(read, (1.0, batch(10), batch(10)), 11) == (11, 1, 1)


def test_scalars_are_no_sizes():
    info = KernelInfo("f", (ScalarArgument("x", "f32"),), (1, 1, 1), 1)
    bound = GroupBound("x", (), Line((Term(1),), ()), (Term(1, (LaunchValue("x"),)),))
    manifest = Manifest("cpu", (dataclasses.replace(info, group_bounds=(bound,)),))
    with pytest.raises(tt.TinyTCError, match="expected name and mode of a value, got"):
        Manifest.from_json(manifest.to_json())


def test_a_kernel_that_asks_for_no_group():
    text = "func @f(%A: memref<f32x4>) { %one = constant 1.0 : f32 axpby.n %one, %A, %one, %A }"
    array = np.ones(4, np.float32)
    tt.Context().parse(text).compile("cpu")["f"](array)  # one group
    assert (array == 2).all()


def test_large_factors_hide_no_bound():
    text = BATCH.replace("f32", "i64").replace("(%x: i64", "(%x: i64, %n: index")
    values = [np.zeros((4, 3), np.int64, order="F") for _ in range(2)]
    for large in ((2**40, 1), (1, 2**40)):
        assert refusal(info_of(text), (*large, *values), 4) == (
            "s: expected at most 3 groups (mode 1 of 'A' has 3 elements), got 4"
        )
