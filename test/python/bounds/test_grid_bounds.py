"""Bounds of grids of several dimensions: what is derived, and what a launch says."""

import dataclasses
import json

import numpy as np
import pytest

from bounding import counts, damaged_refusal, described, info_of, refusal
from tinytc_mlir.measure.sample_data import SampleOptions, sample_arguments
from tinytc_mlir.runtime.kernel_info import KernelInfo
from tinytc_mlir.runtime.manifest import Manifest

CONDITION = "it is accessed under a condition that is not affine in the group id"
INDEX = "its index is not affine in the group id"

# Name, parameters, body, bounds and unchecked uses.
DERIVED = {
    "each_mode_has_its_dimension": (
        "%A: memref<f32x?x?x?>",
        "store %f, %A[%x,%y,%z]",
        ["A[0]: (1) g < 1*A.0", "A[1]: (1) gy < 1*A.1", "A[2]: (1) gz < 1*A.2"],
        [],
    ),
    "blocks": (
        "%A: memref<f32x?x?>",
        """%i = mul %x, %c4 : index %j = mul %y, %c2 : index
        %a = subview %A[%i:4,%j:2] : memref<f32x4x2,strided<1,?>> axpby %f, %a, %f, %a""",
        ["A[0]: (4) g + 3 < 1*A.0", "A[1]: (2) gy + 1 < 1*A.1"],
        [],
    ),
    "two_ids_of_one_mode": (
        "%A: memref<f32x?>",
        "%i = mul %y, %c4 : index %j = add %i, %x : index store %f, %A[%j]",
        ["A[0]: (1) g + (4) gy < 1*A.0", "A[0]: (4) gy + (1) g < 1*A.0"],
        [],
    ),
    "ids_that_move_in_opposite_ways": (
        "%A: memref<f32x?>",
        "%j = sub %x, %y : index store %f, %A[%j]",
        ["A[0]: (1) g < 1*A.0", "A[0]: (-1) gy >= 0"],
        [],
    ),
    "an_unknown_slope": (
        "%A: memref<f32x?>, %n: index",
        "%i = mul %y, %n : index %j = add %i, %x : index store %f, %A[%j]",
        [
            "A[0]: (1) g + (1*n) gy < 1*A.0",
            "A[0]: (1*n) gy >= 0",
            "A[0]: (1*n) gy + (1) g < 1*A.0",
        ],
        [],
    ),
    "a_product_of_ids": (
        "%A: memref<f32x?>",
        "%j = mul %x, %y : index store %f, %A[%j]",
        [],
        [f"A[0]: {INDEX}"],
    ),
    "the_number_of_groups": (
        "%A: memref<f32x?>",
        """%n = num_groups.x : index %i = mul %y, %n : index %j = add %i, %x : index
        store %f, %A[%j]""",
        [],
        [f"A[0]: {INDEX}"],
    ),
    "guard_in_the_same_dimension": (
        "%A: memref<f32x?x?>, %n: index",
        "%c = less_than %y, %n : bool if %c { store %f, %A[%x,%y] }",
        ["A[0]: (1) g < 1*A.0 if -1 + 1*n >= 0", "A[1]: (1) gy < 1*A.1 if (-1) g + -1 + 1*n >= 0"],
        [],
    ),
    "guard_of_other_groups": (
        "%A: memref<f32x?x?>, %n: index",
        "%c = less_than %n, %y : bool if %c { store %f, %A[%x,%c1] }",
        [
            "A[0]: (1) g < 1*A.0 if -1 + -1*n >= 0",
            "A[0]: (1) g < 1*A.0 if (1) g + -1 + -1*n >= 0",
            "A[1]: 1 < 1*A.1 if (1) g + -1 + -1*n >= 0",
        ],
        [],
    ),
    "guard_of_all_groups_but_the_first": (
        "%A: memref<f32x?x?>",
        "%c = less_than %c1, %y : bool if %c { store %f, %A[%x,%c1] }",
        [
            "A[0]: (1) g < 1*A.0 if (1) g + -2 >= 0",
            "A[1]: 1 < 1*A.1 if (1) g + -2 >= 0",
        ],
        [],
    ),
    "guard_of_two_ids_of_one_mode": (
        "%A: memref<f32x?>, %n: index",
        """%i = mul %y, %c4 : index %j = add %i, %x : index
        %c = less_than %y, %n : bool if %c { store %f, %A[%j] }""",
        [
            "A[0]: (1) g < 1*A.0 if -1 + 1*n >= 0",
            "A[0]: (4) gy + (1) g < 1*A.0 if (-1) g + -1 + 1*n >= 0",
        ],
        [],
    ),
}


def program(parameters, body):
    ids = " ".join(f"%{d} = group_id.{d} : index" for d in "xyz")
    constants = " ".join(f"%c{n} = constant {n} : index" for n in (1, 2, 4))
    return f"func @s(%f: f32, {parameters}) {{ {ids} {constants} {body} }}"


@pytest.mark.parametrize("name", DERIVED)
def test_bounds(name):
    parameters, body, bounds, unchecked = DERIVED[name]
    assert described(program(parameters, body)) == (bounds, unchecked)


BLOCKS = program(*DERIVED["blocks"][:2])
JOINT = program(*DERIVED["two_ids_of_one_mode"][:2])


def matrix(rows, columns):
    return np.zeros((rows, columns), np.float32, order="F")


def test_each_dimension_has_its_limit():
    info = info_of(BLOCKS)
    assert info.grid_dimensions == (0, 1, 2)
    values = (1.0, matrix(12, 7))
    assert counts(info, values, (3, 3)) == (3, 3, 1)
    assert counts(info, values, (3, 3, 9)) == (3, 3, 9)  # the same elements again
    assert refusal(info, values, (4, 3)) == (
        "s: expected at most 3 groups in x (mode 0 of 'A' has 12 elements, group (3, 0, 0) "
        "accesses index 15), got 4"
    )
    assert refusal(info, values, (3, 4)) == (
        "s: expected at most 3 groups in y (mode 1 of 'A' has 7 elements, group (0, 3, 0) "
        "accesses index 7), got 4"
    )


def test_dimensions_that_limit_each_other():
    info = info_of(JOINT)
    values = (1.0, np.zeros(10, np.float32))
    for groups in ((10, 1), (2, 3), (6, 2)):
        assert counts(info, values, groups) == (*groups, 1)
    assert refusal(info, values, (3, 3)) == (
        "s: expected at most 2 groups in x with 3 in y (mode 0 of 'A' has 10 elements, group "
        "(2, 2, 0) accesses index 10), got 3"
    )
    assert refusal(info, values, (11, 1)) == (
        "s: expected at most 10 groups in x (mode 0 of 'A' has 10 elements), got 11"
    )
    assert refusal(info, values, None) == (
        "s: expected a number of groups in z because no array limits it, got groups=None"
    )
    info = dataclasses.replace(info, grid_dimensions=(0, 1))
    assert refusal(info, values, None) == (
        "s: expected numbers of groups because mode 0 of 'A' limits x and y together, got "
        "groups=None"
    )
    assert counts(info, (1.0, np.zeros(1, np.float32)), None) == (1, 1, 1)


def test_lower_ends():
    info = info_of(
        program(
            "%A: memref<f32x?>, %n: i8",
            "%m = cast %n : index %k = sub %m, %y : index %j = sub %k, %x : index store %f, %A[%j]",
        )
    )
    values = (1.0, np.zeros(10, np.float32), 5)
    assert counts(info, values, (3, 4)) == (3, 4, 1)
    assert refusal(info, values, (4, 4)) == (
        "s: expected at most 3 groups in x with 4 in y (group (3, 3, 0) accesses index -1 of "
        "mode 0 of 'A'), got 4"
    )


def test_the_number_that_fits():
    text = BLOCKS.replace("%z = group_id.z : index", "")
    info = info_of(text)
    assert info.grid_dimensions == (0, 1)
    assert counts(info, (1.0, matrix(13, 7)), None) == (3, 3, 1)
    assert refusal(info, (1.0, matrix(3, 7)), None) == (
        "s: expected arrays for at least 1 group, got some for 0 groups in x (mode 0 of 'A' has 3 "
        "elements, group (0, 0, 0) accesses index 3)"
    )
    assert refusal(info_of(BLOCKS), (1.0, matrix(13, 7)), None) == (
        "s: expected a number of groups in z because no array limits it, got groups=None"
    )
    text = text.replace("A[%i:4,%j:2]", "A[%j:4,%j:2]")
    assert refusal(info_of(text), (1.0, matrix(14, 7)), None) == (
        "s: expected a number of groups in x because no array limits it, got groups=None"
    )
    text = text.replace("%x = group_id.x : index", "%x = constant 0 : index")
    assert refusal(info_of(text), (1.0, matrix(14, 7)), None) == (
        "s: expected a number of groups in y because the arrays disagree (at most 6 groups in y "
        "(mode 0 of 'A' has 14 elements, group (0, 6, 0) accesses index 15), at most 3 groups in y "
        "(mode 1 of 'A' has 7 elements, group (0, 3, 0) accesses index 7)), got groups=None"
    )
    assert counts(info_of(text), (1.0, matrix(8, 7)), None) == (1, 3, 1)


def test_one_dimension_has_no_name():
    info = info_of(
        "func @s(%A: memref<f32x?>) { %x = group_id.x : index %f = constant 1.0 : f32 "
        "store %f, %A[%x] }"
    )
    assert info.grid_dimensions == (0,)
    assert refusal(info, (np.zeros(3, np.float32),), (4, 2, 2)) == (
        "s: expected at most 3 groups (mode 0 of 'A' has 3 elements), got 4"
    )
    # Groups of other dimensions do the same work.
    assert counts(info, (np.zeros(3, np.float32),), (3, 2, 2)) == (3, 2, 2)


def test_manifest():
    info = info_of(JOINT)
    text = Manifest("cpu", (info,)).to_json()
    assert Manifest.from_json(text) == Manifest("cpu", (info,))
    data = json.loads(text)
    (kernel,) = data["kernels"]
    assert [bound["others"] for bound in kernel["group_bounds"]] == [[[1, [[4]]]], [[0, [[1]]]]]
    # What files of older versions lack.
    del kernel["grid_dimensions"]
    for bound in kernel["group_bounds"]:
        del bound["others"]
    (old,) = Manifest.from_json(json.dumps(data)).kernels
    assert old.grid_dimensions == (0,)
    assert KernelInfo("f", (), (1, 1, 1), 16).grid_dimensions == (0,)
    assert [bound.others for bound in old.group_bounds] == [(), ()]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("grid_dimensions",), 1, "expected 'grid_dimensions' to be a list, got 1 (int)"),
        (("grid_dimensions",), [3], "expected a dimension from 0 to 2, got 3 (int)"),
        (("group_bounds", 0, "others"), 1, "expected a list of others, got 1 (int)"),
        (
            ("group_bounds", 0, "others"),
            [[1]],
            "expected a dimension and a slope, got [1] (list)",
        ),
        (
            ("group_bounds", 0, "others"),
            [[-1, []]],
            "expected a dimension from 0 to 2, got -1 (int)",
        ),
        (("group_bounds", 0, "others"), [[1, 2]], "expected a list of terms, got 2 (int)"),
    ],
)
def test_damaged_manifest(path, value, message):
    assert damaged_refusal(info_of(JOINT), path, value) == f"manifest: kernels[0]: {message}"


@pytest.mark.parametrize("name", ["each_mode_has_its_dimension", "blocks", "two_ids_of_one_mode"])
@pytest.mark.parametrize("groups", [7, (5,), (3, 4), (2, 5, 3)])
def test_random_arguments_have_room_for_the_grid(name, groups):
    info = info_of(program(*DERIVED[name][:2]))
    values = sample_arguments(info, SampleOptions(groups=groups))
    given = groups if isinstance(groups, tuple) else (groups,)
    assert counts(info, (values["f"], values["A"]), groups) == (*given, 1, 1)[:3]
    if len(given) > 1 and name == "blocks":
        assert values["A"].shape == (4 * given[0], 2 * given[1])
