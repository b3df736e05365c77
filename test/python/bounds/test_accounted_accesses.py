"""Each access has bounds, or is an unchecked use of which the first launch warns."""

import numpy as np
import pytest
from launch_verdicts import verdict_of

import tinytc_mlir as tt
from bounding import described, info_of


def zeros(*shape):
    return np.zeros(shape, np.float32, order="F")


def verdict(text, *values, groups=1):
    """Return what becomes of a launch, and the text of the error or the warning."""
    return verdict_of(info_of(text), values, groups)


def head(parameters):
    constants = " ".join(f"%c{n} = constant {n} : index" for n in range(5))
    return f"func @f(%x: f32, {parameters}) {{ %g = group_id : index {constants} "


ASSOCIATED = (
    head("%A: memref<f32x?>, %O: memref<f32x4x?>")
    + """
  %there = associated %A : bool
  %o = subview %O[:,%g] : memref<f32x4>
  if %there { %a = subview %A[0:4] : memref<f32x4> axpby %x, %a, %x, %o }
  else { axpby %x, %o, %x, %o }
}"""
)


@pytest.mark.parametrize("array", [None, zeros(4)])
def test_branches_on_whether_an_array_is_there(array):
    assert verdict(ASSOCIATED, 1.0, array, zeros(4, 5), groups=5)[0] == "accepted"
    assert verdict(ASSOCIATED, 1.0, array, zeros(4, 1), groups=5) == (
        "refused",
        "f: expected at most 1 group (mode 1 of 'O' has 1 element), got 5",
    )


def test_the_array_of_a_branch():
    assert verdict(ASSOCIATED, 1.0, zeros(3), zeros(4, 1)) == (
        "refused",
        "f: argument 'A': expected mode 0 to have at least 4 elements, as index 3 is accessed, "
        "got 3",
    )


def test_an_array_that_is_not_passed():
    text = head("%A: memref<f32x4>") + "%b = associated %A : bool if %b { } store %x, %A[%c0] }"
    assert verdict(text, 1.0, zeros(4))[0] == "accepted"
    assert verdict(text, 1.0, None) == (
        "refused",
        "f: argument 'A': expected an array because it is accessed, got None",
    )


BOUNDS = {
    "min": (
        "%A: memref<f32x?>, %n: index",
        "%i = arith.min %g, %n : index store %x, %A[%i]",
        [
            "A[0]: 1*n >= 0",
            "A[0]: (1) g < 1*A.0 if 1*n + -1*A.0 >= 0",
        ],
    ),
    "max": (
        "%A: memref<f32x?>, %n: index",
        "%i = arith.max %g, %n : index store %x, %A[%i]",
        ["A[0]: 1*n < 1*A.0", "A[0]: (1) g < 1*A.0"],
    ),
    "quotient": (
        "%A: memref<f32x?>, %n: i32",
        "%m = cast %n : index %i = arith.div %m, %c4 : index store %x, %A[%i]",
        ["A[0]: 1*(1*n)/4 >= 0", "A[0]: 1*(1*n)/4 < 1*A.0"],
    ),
    "loop_with_steps_to_a_size": (
        "%A: memref<f32x?>, %n: i32",
        """%m = cast %n : index
        for %i = %c0, %m, %c4 { store %x, %A[%i] }""",
        ["A[0]: 4*(-1 + 1*n)/4 < 1*A.0 if -1 + 1*n >= 0"],
    ),
    "guard_in_a_loop": (
        "%A: memref<f32x?>, %n: i32",
        """%m = cast %n : index
        for %i = %c0, %c4 { %in = cmp.lt %i, %m : bool if %in { store %x, %A[%i] } }""",
        ["A[0]: 3 < 1*A.0 if -1 + 1*n >= 0 if -1 + 1*n + -1*A.0 >= 0"],
    ),
    "first_groups_excluded": (
        "%A: memref<f32x?>",
        "%b = cmp.ge %g, %c4 : bool if %b { store %x, %A[%c1] }",
        ["A[0]: 1 < 1*A.0 if (1) g + -4 >= 0"],
    ),
    "lanes": (
        "%A: memref<f32x?>",
        "parallel { %l = subgroup_local_id : i32 %i = cast %l : index store %x, %A[%i] }",
        ["A[0]: 7 < 1*A.0"],
    ),
    "local_memory": (
        "%A: memref<f32x?>",
        "%l = alloca : memref<f32x4,local> store %x, %l[%g]",
        ["alloca in line 1[0]: (1) g < 4"],
    ),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_derived_bounds(name):
    parameters, body, bounds = BOUNDS[name]
    text = head(parameters).replace(") {", ") attributes{subgroup_size=8} {")
    assert described(f"{text}{body} }}") == (bounds, [])


# Parameters, body, arguments with which nothing is outside, and others.
DOUBTS = {
    "remainder": ("%A: memref<f32x?>", "%i = arith.rem %g, %c4 : index store %x, %A[%i]", 4, 3),
    "different": (
        "%A: memref<f32x?>",
        "%b = cmp.ne %g, %c1 : bool if %b { store %x, %A[%g] }",
        3,
        2,
    ),
    "factor_in_a_loop": (
        "%A: memref<f32x?>",
        """for %i = %c0, %c4 { %j = arith.mul %i, %c2 : index %b = cmp.lt %j, %g : bool
        if %b { store %x, %A[%i] } }""",
        4,
        3,
    ),
}


@pytest.mark.parametrize("name", DOUBTS)
def test_only_launches_that_may_leave_an_array_warn(name):
    parameters, body, enough, few = DOUBTS[name]
    text = f"{head(parameters)}{body} }}"
    assert verdict(text, 1.0, zeros(enough), groups=3) == ("accepted", "")
    what, message = verdict(text, 1.0, zeros(few), groups=3)
    assert what == "warned"
    assert message.startswith("f: groups cannot be checked: mode 0 of 'A': ")
    assert message.endswith("; debug=True does")


def test_gathers_warn_once():
    text = (
        head("%A: memref<f32x?>, %I: memref<indexx?>")
        + """
      %i = load %I[%g] : index store %x, %A[%i] }"""
    )
    kernel = tt.Context().parse(text).compile("cpu")["f"]
    indices = np.zeros(1, np.int64)
    with pytest.warns(tt.UncheckedWarning) as caught:
        kernel(1.0, zeros(1), indices)
        kernel(1.0, zeros(2), indices)
    assert [str(each.message) for each in caught] == [
        "f: groups cannot be checked: mode 0 of 'A': its index is not affine in the group id; "
        "debug=True does"
    ]
    assert caught[0].filename == __file__


def test_debug_builds_do_not_warn(recwarn):
    text = (
        head("%A: memref<f32x?>, %I: memref<indexx?>")
        + """
      %i = load %I[%g] : index store %x, %A[%i] }"""
    )
    kernel = tt.Context().parse(text).compile("cpu", debug=True)["f"]
    kernel(1.0, zeros(1), np.zeros(1, np.int64))
    assert not [each for each in recwarn if each.category is tt.UncheckedWarning]


GEMV = (
    head("%A: group<memref<f32x?x?>x?>, %v: memref<f32x?>, %w: memref<f32x?>")
    + """
  %a = load %A[%g] : memref<f32x?x?>
  gemv.n %x, %a, %v, %x, %w
}"""
)


def test_sizes_of_stacked_members_are_compared():
    assert verdict(GEMV, 1.0, zeros(4, 5, 3), zeros(5), zeros(4), groups=3)[0] == "accepted"
    assert verdict(GEMV, 1.0, zeros(4, 5, 3), zeros(3), zeros(4), groups=3) == (
        "refused",
        "f: argument 'v': expected mode 0 to have size 5 = mode 1 of 'A' for gemv in line 3, got 3",
    )


OWN = (
    head("%A: group<memref<f32x?x?>x?>, %v: group<memref<f32x?>x?>, %w: group<memref<f32x?>x?>")
    + """
  %a = load %A[%g] : memref<f32x?x?>
  %b = load %v[%g] : memref<f32x?>
  %c = load %w[%g] : memref<f32x?>
  gemv.n %x, %a, %b, %x, %c
}"""
)
MIXED = "f: groups cannot be checked: gemv in line {}: sizes differ from member to member; "


def test_members_of_different_sizes_are_compared_group_by_group():
    shapes = [(4, 5), (4, 3), (1, 2)]
    a = [zeros(*shape) for shape in shapes]
    v, w = [zeros(n) for _, n in shapes], [zeros(m) for m, _ in shapes]
    assert verdict(OWN, 1.0, a, v, w, groups=3)[0] == "accepted"
    assert verdict(OWN, 1.0, a, v, w, groups=None)[0] == "accepted"
    for wrong in ((v[::-1], w), (v, w[::-1])):
        what, message = verdict(OWN, 1.0, a, *wrong, groups=3)
        assert (what, message.startswith(MIXED.format(5))) == ("warned", True), message


def test_members_that_other_groups_access_are_not():
    a, v, w = [zeros(4, 5), zeros(4, 3)], [zeros(5), zeros(3)], [zeros(4), zeros(4)]
    text = OWN.replace("%v[%g]", "%v[%o]")
    text = text.replace("%a = load %A", "%o = sub %c1, %g : index\n%a = load %A", 1)
    what, message = verdict(text, 1.0, a, v, w, groups=2)
    assert (what, message.startswith(MIXED.format(6))) == ("warned", True), message


def test_one_vector_for_members_of_different_sizes():
    members = [zeros(4, 5), zeros(4, 3)]
    what, message = verdict(GEMV, 1.0, members, zeros(5), zeros(4), groups=2)
    assert (what, message) == ("warned", MIXED.format(3) + "debug=True does")


def test_views_of_members_of_different_sizes():
    text = (
        head("%A: group<memref<f32x?>x?>")
        + """
      %a = load %A[%g] : memref<f32x?>
      %b = subview %a[0:2] : memref<f32x2>
      axpby.n %x, %b, %x, %b
    }"""
    )
    assert verdict(text, 1.0, [zeros(2), zeros(3)], groups=None)[0] == "accepted"
    what, message = verdict(text, 1.0, [zeros(2), zeros(1)])
    assert (what, message) == (
        "warned",
        "f: groups cannot be checked: mode 0 of 'A': its size differs from member to member; "
        "debug=True does",
    )


@pytest.mark.parametrize(
    ("index", "low", "high", "expected"),
    [
        ("min %high, %least", 0, 3, "accepted"),
        ("min %least, %high", 0, 4, "warned"),
        ("min %least, %high", -1, 3, "warned"),
        ("max %most, %low", 0, 3, "accepted"),
        ("max %most, %low", 0, 4, "warned"),
        ("min %least, %high", 3, 0, "warned"),
        ("max %least, %low", 0, 3, "warned"),
        ("min %most, %high", 0, 3, "warned"),
    ],
)
def test_indices_made_from_data_may_be_clamped(index, low, high, expected):
    text = (
        head("%A: memref<f32x4>, %D: memref<i32x?>")
        + f"""
      %loaded = load %D[%g] : i32 %any = cast %loaded : index
      %low = constant {low} : index %high = constant {high} : index
      %least = max %any, %low : index %most = min %any, %high : index
      %i = {index} : index
      store %x, %A[%i] }}"""
    )
    assert verdict(text, 1.0, zeros(4), np.zeros(2, np.int32), groups=2)[0] == expected


def test_sizes_in_branches_are_compared():
    text = (
        head("%A: memref<f32x?>, %B: memref<f32x?>, %n: i32")
        + """
      %m = cast %n : index %b = cmp.lt %c1, %m : bool
      if %b { axpby %x, %A, %x, %B } }"""
    )
    assert verdict(text, 1.0, zeros(4), zeros(5), 1)[0] == "accepted"
    what, message = verdict(text, 1.0, zeros(4), zeros(5), 2)
    assert what == "refused"
    assert "to have size 5 = mode 0 of 'B' for axpby in line 3, got 4" in message


def test_huge_scalars_are_doubtful():
    text = (
        head("%A: memref<f32x?>, %n: index")
        + """
      %b = cmp.lt %g, %n : bool if %b { store %x, %A[%g] } }"""
    )
    assert verdict(text, 1.0, zeros(3), 2**40, groups=3)[0] == "accepted"
    what, message = verdict(text, 1.0, zeros(3), 2**40, groups=4)
    assert (what, "more than 38 bits" in message) == ("warned", True)
