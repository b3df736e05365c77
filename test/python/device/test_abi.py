"""The kernel ABI: every kind of argument arrives where a kernel expects it."""

import numpy as np
import pytest

import handmade
import tinytc_mlir as tt
from tinytc_mlir.scalars import SCALAR_TYPES, bfloat16_values

SCALARS = {
    "bool": True,
    "i8": -3,
    "i16": -30000,
    "i32": -(2**31),
    "i64": 2**63 - 1,
    "index": -1,
    "bf16": -2.5,
    "f16": 1.5,
    "f32": float("-inf"),
    "f64": 1e300,
    "c32": 1.5 - 2j,
    "c64": 1e300 + 1j,
}


@pytest.mark.parametrize("type_name", SCALARS)
def test_scalar_of_every_type(type_name):
    out = np.zeros(3, SCALAR_TYPES[type_name].dtype)
    value = SCALARS[type_name]
    handmade.store_scalar(type_name)["store_scalar"](-1, value, 0.5, out, groups=2)
    if type_name == "bf16":
        out = bfloat16_values(out)
    assert out.tolist() == [value, value, 0]


def test_nan_is_a_scalar():
    out = np.zeros(1, np.float32)
    handmade.store_scalar("f32")["store_scalar"](0, float("nan"), 0.5, out, groups=1)
    assert np.isnan(out[0])


def test_arguments_by_name():
    x = np.arange(5, dtype=np.float32)
    handmade.scale()["scale"](X=x, alpha=2, groups=4)
    assert x.tolist() == [0, 2, 4, 6, 4]


def test_read_only_input():
    x, y = np.arange(8.0), np.ones(8)
    x.flags.writeable = False
    handmade.add()["add"](x, y, groups=8)
    assert y.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]


def test_group_sizes_strides_and_offset():
    members = [
        np.full((3, 4), 10, np.float32, order="F"),
        np.full((7, 2), 20, np.float32, order="F")[1:4],
        np.full((1, 5), 30, np.float32),
    ]
    out, value = np.zeros((5, 3), np.int64, order="F"), np.zeros(3, np.float32)
    handmade.describe_group()["describe_group"](members, out, value, groups=3)
    assert out.T.tolist() == [[3, 4, 3, 3, 0], [3, 2, 7, 3, 0], [1, 5, 1, 3, 0]]
    assert value.tolist() == [10, 20, 30]


def test_group_offset():
    member = np.asfortranarray(np.arange(40, dtype=np.float32).reshape(10, 4))
    out, value = np.zeros((5, 1), np.int64, order="F"), np.zeros(1, np.float32)
    group = tt.Group([member], offset=2, shape=(8, 4))
    handmade.describe_group()["describe_group"](group, out, value, groups=1)
    assert out[:, 0].tolist() == [8, 4, 10, 1, 2]
    assert value[0] == member[2, 0]


@pytest.mark.parametrize("make", [np.asfortranarray, tt.asarray])
def test_group_as_one_array(make):
    stack = make(np.arange(24, dtype=np.float32).reshape(2, 3, 4))
    out, value = np.zeros((5, 4), np.int64, order="F"), np.zeros(4, np.float32)
    handmade.describe_group()["describe_group"](stack, out, value, groups=4)
    assert value.tolist() == stack[0, 0, :].tolist()
    assert (out.T == [2, 3, 2, 4, 0]).all()


def test_group_size_and_offset_are_constants():
    program = handmade.describe_group(size=None, offset=None)
    kernel = program["describe_group"]
    members = [np.ones((2, 2), np.float32, order="F")]
    out, value = np.zeros((5, 1), np.int64, order="F"), np.zeros(1, np.float32)
    kernel(members, out, value, groups=1)
    assert out[3, 0] == 1


@pytest.mark.parametrize(("groups", "work_groups"), [(1, 1), (8, 1), (9, 2), (100, 13)])
def test_packed_groups(groups, work_groups):
    out = np.zeros(20, np.int64)
    handmade.count_groups(8)["count_groups"](out, groups=groups)
    assert out.tolist() == [groups] * work_groups + [0] * (20 - work_groups)


def test_modes_of_the_grid():
    out = np.zeros((5, 4, 3), np.int32, order="F")
    handmade.grid()["grid"](out, groups=(4, 3, 2))
    expected = np.zeros((5, 4, 3), np.int32)
    expected[:4, :3, :2] = 16
    assert (out == expected).all()


def test_unwritten_elements_are_kept():
    x = np.arange(12, dtype=np.float32)
    handmade.scale(access="write")["scale"](2.0, x, groups=3)
    assert x[3:].tolist() == list(range(3, 12))


def test_overlapping_host_arrays_stay_one_memory():
    buffer = np.arange(12, dtype=np.float64)
    expected = buffer.copy()
    expected[4:12] += buffer[0:8]
    # Each group reads an element that no earlier group has written if the order is reversed,
    # so only disjoint halves have a value that does not depend on the order.
    handmade.add()["add"](buffer[0:8], buffer[4:12], groups=4)
    assert buffer[4:8].tolist() == expected[4:8].tolist()
    assert buffer[8:].tolist() == [8, 9, 10, 11]


def test_usm_slices_are_used_in_place():
    x = tt.empty(64)
    x[:] = 1
    handmade.scale()["scale"](3.0, x[10:20], groups=5)
    assert x[10:15].tolist() == [3] * 5
    assert x.sum() == 64 + 10
