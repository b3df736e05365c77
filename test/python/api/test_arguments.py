"""Binding of arguments to parameters, groups of arrays, and the launch's ranges."""

import ctypes

import numpy as np
import pytest

from in_place import in_place
from tinytc_mlir.errors import ArgumentError
from tinytc_mlir.runtime.arrays.host_arrays import ArrayView
from tinytc_mlir.runtime.kernel_info import (
    GroupArgument,
    KernelInfo,
    MemrefArgument,
    ScalarArgument,
)
from tinytc_mlir.runtime.launches.arguments import Group, PointerTable, Signature

X = MemrefArgument("X", "f32", (None,), (1,), "read")


def signature(*arguments, local_size=(16, 2, 1), **fields):
    return Signature(KernelInfo("f", arguments, local_size, 16, **fields))


def group(shape=(4, 2), stride=(1, 4), **fields):
    return signature(GroupArgument("A", "f32", shape, stride, "read", **fields))


def fortran(*shape):
    return np.zeros(shape, np.float32, order="F")


def values(parts):
    return [part.value for part in parts if isinstance(part, ctypes._SimpleCData)]


def test_abi_order():
    parts = signature(ScalarArgument("n", "index"), X, ScalarArgument("a", "f32")).parts(
        (3, np.zeros(5, np.float32)), {"a": 0.5}
    )
    assert isinstance(parts[1], ArrayView)
    assert values(parts) == [3, 5, 0.5]


ABC = tuple(ScalarArgument(name, "f32") for name in ("alpha", "beta", "gamma"))
BINDING = [
    ((1, 2), {}, "expected 3 arguments (alpha, beta, gamma), got 2; missing: gamma", "gamma"),
    ((1, 2, 3, 4), {}, "expected 3 arguments (alpha, beta, gamma), got 4", None),
    ((), {"gamma": 1}, "got 1; missing: alpha, beta", "alpha"),
    ((1, 2), {"gama": 3}, "unexpected argument 'gama'; did you mean 'gamma'?", "gama"),
    ((1, 2), {"x": 3}, "unexpected argument 'x'", "x"),
    ((1, 2), {"beta": 3}, "argument 'beta' is given by position and by name", "beta"),
    ((1, None, 3), {}, "argument 'beta': expected a real number for f32, got None", "beta"),
]


@pytest.mark.parametrize(("positional", "named", "message", "name"), BINDING)
def test_binding(positional, named, message, name):
    with pytest.raises(ArgumentError) as caught:
        signature(*ABC).parts(positional, named)
    assert str(caught.value).startswith("f: ")
    assert message in str(caught.value)
    assert caught.value.argument == name


def test_no_parameters():
    assert signature().parts((), {}) == []


def test_group_of_a_list():
    members = [fortran(4, 2), fortran(4, 2)]
    (table, size) = group().parts((members,), {})
    assert isinstance(table, PointerTable)
    assert table.pointers([8, 16]).tolist() == [8, 16]
    assert (size.value, table.dope) == (2, [])


def test_group_of_dynamic_members():
    members = [fortran(4, 2), fortran(9, 5)[:3]]
    table, size, offset = group((None, None), (1, None), offset=None).parts((members,), {})
    assert [row.tolist() for row in table.dope] == [[4, 3], [2, 5], [4, 9]]
    assert (size.value, offset.value) == (2, 0)


def test_group_of_one_array():
    stack = np.zeros((4, 2, 6), np.float32, order="F")
    table, size = group().parts((stack[:, :, ::2],), {})
    assert table.pointers([1000]).tolist() == [1000, 1064, 1128]
    assert size.value == 3


def test_group_of_constant_size_and_offset():
    (table,) = group(size=1, offset=4).parts(([fortran(4, 3)],), {})
    assert table.size == 1


def test_group_with_dynamic_offset():
    members = Group([fortran(4, 4)], offset=8)
    _, _, offset = group(offset=None).parts((members,), {})
    assert offset.value == 8


def test_group_of_buffers():
    buffer = np.zeros(40, np.float32)
    table, _ = group((), (), offset=5).parts(([buffer],), {})
    assert table.views[0].array is buffer
    table, _, _ = group((None, 2), (1, None), offset=None).parts(
        (Group([buffer], offset=3, shape=(4, 2)),), {}
    )
    assert [row.tolist() for row in table.dope] == [[4], [4]]


REFUSED = {
    "buffer_too_small": (
        {"offset": 5},
        [np.zeros(12, np.float32)],
        "member 0: expected at least 13 elements from the member's start (offset 5, ",
    ),
    "buffer_without_shape": (
        {"shape": (None, 2), "stride": (1, None), "offset": 5},
        [np.zeros(12, np.float32)],
        "member 0: expected the shape of the matrices in buffers, got none",
    ),
    "group_shape": (
        {},
        Group([fortran(4, 2)], shape=(4, 3)),
        "member 0: expected shape (4, 2), got (4, 3)",
    ),
    "none": ({}, None, "expected a list of arrays, or one array of 3 modes whose last mode "),
    "scalar": ({}, 1.0, "expected a NumPy or USM array, got 1.0 (float)"),
    "one_member": ({}, fortran(4, 2), "counts the members, got an array of shape (4, 2)"),
    "member_none": ({}, [fortran(4, 2), None], "member 1: expected a NumPy or USM array, got None"),
    "member_shape": ({}, [fortran(4, 3)], "member 0: expected shape (4, 2), got (4, 3)"),
    "member_dtype": ({}, [np.zeros((4, 2))], "member 0: expected dtype float32, got float64"),
    "stack_shape": ({}, fortran(3, 2, 5), "expected shape (4, 2), got (3, 2)"),
    "stack_order": (
        {},
        in_place(np.zeros((4, 2, 5), "f4")),
        "expected strides (1, 4) in elements, got",
    ),
    "size": ({"size": 3}, [fortran(4, 2)] * 2, "expected 3 members, got 2"),
    "stack_size": ({"size": 3}, fortran(4, 2, 2), "expected 3 members, got 2"),
    "offset": ({}, Group([fortran(4, 2)], offset=1), "expected offset 0, got 1"),
    "offset_type": (
        {},
        Group([fortran(4, 2)], offset=1.0),
        "expected an integer from 0 to 9223372036854775807 as offset, got 1.0 (float)",
    ),
    "offset_negative": (
        {"offset": None},
        Group([fortran(4, 2)], offset=-1),
        "expected an integer from 0 to 9223372036854775807 as offset, got -1 (int)",
    ),
    "offset_beyond": (
        {"offset": 4},
        [fortran(4, 2)],
        "member 0: expected at least 12 elements from the member's start (offset 4, shape (4, 2)), "
        "got 8",
    ),
    "offset_alignment": (
        {"offset": 4, "alignment": 64},
        [fortran(4, 4)],
        "expected an offset in bytes that is a multiple of 64 (alignment), got 0x10",
    ),
    "stack_alignment": (
        {"alignment": 64},
        in_place(fortran(4, 2, 3)),
        "expected members at distances that are multiples of 64 bytes, got 32",
    ),
    "stack_stride": (
        {},
        in_place(fortran(4, 2, 3)[:, :, ::-1]),
        "a last stride of at least 0 bytes, got -32",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_group_refused(name):
    fields, value, message = REFUSED[name]
    with pytest.raises(ArgumentError) as caught:
        group(**fields).parts((value,), {})
    assert "f: argument 'A': " in str(caught.value)
    assert message in str(caught.value)


def test_ranges():
    assert signature().ranges(10, []) == ([160, 2, 1], [16, 2, 1], [])
    assert signature().ranges(np.int32(2), [])[0] == [32, 2, 1]
    assert signature().ranges((2, 3), [])[0] == [32, 6, 1]
    assert signature().ranges([2, 3, 4], [])[0] == [32, 6, 4]


def test_ranges_of_packed_groups():
    sizes, _, extra = signature(groups_per_work_group=4).ranges(10, [])
    assert (sizes, values(extra)) == ([48, 2, 1], [10])


GROUPS = [
    (-5, "expected an integer from 0 to 2147483647 as number of groups, got -5 (int)"),
    (2**31, "got 2147483648 (int)"),
    (True, "as number of groups, got True (bool)"),
    (1.0, "as number of groups, got 1.0 (float)"),
    (None, "expected a number of groups because no array limits it, got groups=None"),
    ("3", "got '3' (str)"),
    ((), "expected 1 to 3 numbers of groups, got () (tuple)"),
    ((1, 2, 3, 4), "expected 1 to 3 numbers of groups, got (1, 2, 3, 4) (tuple)"),
    ((1, -1), "got -1 (int)"),
    ((2**31 - 1,) * 3, "expected at most 9223372036854775807 work-items, got 3169126496143354"),
]


@pytest.mark.parametrize(("groups", "message"), GROUPS)
def test_groups_refused(groups, message):
    with pytest.raises(ArgumentError) as caught:
        signature().ranges(groups, [])
    assert str(caught.value).startswith("f: expected ")
    assert message in str(caught.value)
    assert caught.value.argument == "groups"
