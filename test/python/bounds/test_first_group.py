"""Every launch has the group with the ids 0, so what that accesses must exist."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinytc_mlir as tt
from bounding import accepts, info_of
from tinytc_mlir.runtime.launches.arguments import Signature

ARRAY = np.zeros(10, np.float32)


def indexed(parameters, body):
    return info_of(
        f"func @s(%x: f32, %A: memref<f32x?>, {parameters}) {{ %g = group_id : index {body} }}"
    )


def refusal(info, values, groups):
    """Return why a launch is refused, None if it is not."""
    signature = Signature(info)
    try:
        signature.ranges(groups, signature.parts((1.0, ARRAY, *values), {}))
    except tt.ArgumentError as error:
        return str(error).removeprefix("s: ")
    return None


BELOW = "argument 'A': expected no index of mode 0 below 0, got "


@pytest.mark.parametrize("type_", ["index", "i64", "i32", "i16"])
def test_negative_offsets(type_):
    info = indexed(f"%o: {type_}", "%m = cast %o : index %i = add %g, %m : index store %x, %A[%i]")
    assert refusal(info, (0,), 10) is None
    assert refusal(info, (-1,), 5) == BELOW + "-1 = 'o'"
    assert refusal(info, (-10,), 1) == BELOW + "-10 = 'o'"
    assert "at most 7 groups" in refusal(info, (3,), 8)


def test_slices_and_loops():
    info = indexed(
        "%o: index", "%i = add %g, %o : index %v = subview %A[%i:2] : memref<f32x2> "
        "axpby %x, %v, %x, %v"
    )  # fmt: skip
    assert refusal(info, (-1,), 1) == BELOW + "-1 = 'o'"
    info = indexed(
        "%o: index", "for %k = 0, 3 { %l = add %g, %o : index %i = sub %l, %k : index "
        "store %x, %A[%i] }"
    )  # fmt: skip
    assert refusal(info, (2,), 8) is None
    assert refusal(info, (1,), 8) == BELOW + "-1 = 'o' - 2"


def test_upper_ends():
    info = indexed("%n: index", "%i = sub %n, %g : index store %x, %A[%i]")
    assert refusal(info, (9,), 10) is None
    assert refusal(info, (10,), 1) == (
        "argument 'A': expected mode 0 to have at least 11 elements, as index 10 = 'n' is "
        "accessed, got 10"
    )


def test_conditions():
    """Only what the first group certainly does counts."""
    guard = "%c = cmp.{} %g, %k : bool if %c {{ %i = sub %g, %k : index store %x, %A[%i] }}"
    at_least = indexed("%k: index", guard.format("ge"))
    assert [refusal(at_least, (k,), 10) for k in (0, 1, 5, 20)] == [None] * 4
    below = indexed("%k: index", guard.format("lt"))
    assert [refusal(below, (k,), 10) is None for k in (-1, 0, 1, 2)] == [True, True, False, False]
    loaded = info_of(
        "func @s(%x: f32, %A: memref<f32x?>, %o: index, %B: memref<i32x?>) { "
        "%g = group_id : index %z = constant 0 : index %l = load %B[%z] : i32 "
        "%c = cmp.lt %l, 5 : bool if %c { %i = add %g, %o : index store %x, %A[%i] } }"
    )
    assert refusal(loaded, (-1, np.zeros(1, np.int32)), 5) is None


def test_slopes_that_only_a_launch_tells():
    info = indexed(
        "%n: index, %o: index",
        "%j = mul %g, %n : index %i = add %j, %o : index store %x, %A[%i]",
    )
    first = "expected at most 0 groups (group 0 accesses index -2 of mode 0 of 'A'), got 3"
    assert refusal(info, (3, 0), 4) is None
    assert refusal(info, (3, -2), 3) == first
    assert refusal(info, (0, -2), 3) == first
    assert refusal(info, (-3, 9), 4) is None
    assert refusal(info, (-3, 10), 2).startswith("expected at most 0 groups (mode 0 of 'A' has 10")
    assert refusal(info, (0, 10), 2).startswith("expected at most 0 groups (mode 0 of 'A' has 10")


def test_three_dimensions():
    info = info_of(
        "func @s(%x: f32, %A: memref<f32x?>, %o: index) { %a = group_id.x : index "
        "%b = group_id.y : index %c = group_id.z : index %d = add %a, %b : index "
        "%e = add %d, %c : index %i = add %e, %o : index store %x, %A[%i] }"
    )
    for groups in ((1, 1, 1), (4, 1, 1), (1, 4, 1), (1, 1, 4), (4, 4, 4)):
        assert refusal(info, (0,), groups) is None
        assert refusal(info, (-1,), groups) == BELOW + "-1 = 'o'"
    assert "at most" in refusal(info, (0,), (4, 4, 5))


SMALL = st.integers(-4, 6)


@given(SMALL, SMALL, SMALL, st.integers(-3, 3), st.integers(-3, 12), st.integers(1, 6))
def test_exactly_the_valid_launches_are_accepted(slope, start, factor, constant, n, groups):
    """`if factor * g + constant < n { A[slope * g + start] }`, with all numbers from the launch."""
    info = indexed(
        "%a: i16, %b: i16, %n: i16",
        f"%d = cast %a : index %e = cast %b : index %m = cast %n : index %f = mul %g, {factor} : "
        f"index %h = add %f, {constant} : index %c = cmp.lt %h, %m : bool if %c {{ "
        "%j = mul %g, %d : index %i = add %j, %e : index store %x, %A[%i] }",
    )
    made = [g for g in range(groups) if factor * g + constant < n]
    is_valid = all(0 <= slope * g + start < 10 for g in made)
    accepted = accepts(info, (1.0, ARRAY, slope, start, n), groups)
    assert accepted or not is_valid
    if factor == 0 or 0 in made:  # else the groups that are made may begin later
        assert accepted == is_valid


@pytest.mark.parametrize(
    "a, b, index",
    [
        (2**63 - 1, 2**63 - 1, -2),
        (2**63 - 1, 1, -(2**63)),
        (-(2**63), -(2**63), 0),
        (-(2**63), -(2**63) + 20, 20),
        (2**62, -(2**62) + 5, 5),
        (2**62, 2**62 - 1, 2**63 - 1),
    ],
)
@pytest.mark.parametrize("is_moving", [False, True])
def test_sums_that_64_bits_do_not_hold(a, b, index, is_moving):
    """Kernels wrap around, so that is what the launch checks."""
    last = "%i = add %s, %g : index" if is_moving else "%i = add %s, 0 : index"
    info = indexed("%a: index, %b: index", f"%s = add %a, %b : index {last} store %x, %A[%i]")
    message = refusal(info, (a, b), 5)
    if index in {0, 5}:
        assert message is None
    elif index < 0:
        assert message == f"{BELOW}{index} = 'a' + 'b'"
    elif is_moving:
        assert f"group 0 accesses index {index}" in message
    else:
        assert f"index {index} = 'a' + 'b' is accessed, got 10" in message


@pytest.mark.parametrize("way", ["call", "submit", "bind"])
def test_every_way_to_launch_is_checked(way):
    text = (
        "func @f(%A: memref<f32x?>, %o: index) { %g = group_id : index %i = add %g, %o : index "
        "%v = subview %A[%i:1] : memref<f32x1> %one = constant 1.0 : f32 "
        "axpby %one, %v, %one, %v }"
    )
    kernel = tt.Context().parse(text).compile("cpu")["f"]
    array = tt.asarray(ARRAY)
    launch = {"call": kernel, "submit": kernel.submit, "bind": kernel.bind}[way]
    for offset in (0, 2, 0):  # launches that look like an earlier one, too
        launch(array, offset, groups=8)
        for wrong, groups in ((-1, 8), (3, 8), (0, 11), (-(2**63), 8), (2**63 - 1, 8)):
            with pytest.raises(tt.ArgumentError, match="expected"):
                launch(array, wrong, groups=groups)
