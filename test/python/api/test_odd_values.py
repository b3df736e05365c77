"""Whatever a caller passes to the API: accepted, or refused as our own error."""

import ml_dtypes  # noqa: F401  # its dtypes have names in NumPy then
import numpy as np
import pytest

import handmade
import tinytc_mlir as tt
from odd_values import Usm, odd
from tinytc_mlir.runtime import devices
from tinytc_mlir.runtime.kernel_info import (
    GroupArgument,
    KernelInfo,
    MemrefArgument,
    ScalarArgument,
)
from tinytc_mlir.runtime.launches.arguments import Group, Signature
from tinytc_mlir.runtime.launches.integers import checked_integer, checked_integers
from tinytc_mlir.scalars import SCALAR_TYPES


def accepts(call, *values, **named):
    """Call; return whether it went well, and fail for any other error than ours."""
    try:
        call(*values, **named)
    except tt.ArgumentError as error:
        assert "expected" in str(error)
        assert len(str(error)) < 1000
        return False
    return True


def signature(*arguments):
    return Signature(KernelInfo("f", arguments, (1, 1, 1), 16))


DYNAMIC = (None, None)
MEMREFS = [
    MemrefArgument("A", "f32", (4, 2), (1, 4)),
    MemrefArgument("A", "f32", DYNAMIC, DYNAMIC, alignment=64, shape_gcd=(4,), stride_gcd=(1, 4)),
    MemrefArgument("A", "f32", (None,) * 4, (None,) * 4),
    MemrefArgument("A", "bool", (), ()),
]
GROUPS = [
    GroupArgument("G", "f32", (4, 2), (1, 4), "read"),
    GroupArgument("G", "f32", DYNAMIC, DYNAMIC, size=3, offset=None),
]


@odd
def test_scalar_parameters(value):
    for name in SCALAR_TYPES:
        accepts(signature(ScalarArgument("s", name)).parts, (value,), {})


@odd
def test_memref_parameters(value):
    for argument in MEMREFS:
        accepts(signature(argument).parts, (value,), {})


@odd
def test_group_parameters(value):
    member = np.zeros(40, np.float32)
    for argument in GROUPS:
        parts = signature(argument).parts
        accepts(parts, (value,), {})
        accepts(parts, ([value, member],), {})
        accepts(parts, (Group(value, 0, (4, 2)),), {})
        accepts(parts, (Group([member], value, (4, 2)),), {})
        accepts(parts, (Group([member], 0, value),), {})
        accepts(parts, (Group([member], 0, (value, 2)),), {})
        accepts(parts, (Group([member], 0, (0, value)),), {})


@odd
def test_numbers_of_groups(value):
    for groups in (value, (value,), [1, value], (1, 1, value)):
        accepts(signature().ranges, groups, [])


@odd
def test_arrays(value):
    is_large = type(value) is int and value == 2**31  # which this machine may have room for
    for shape in [(0, value)] if is_large else [value, (2, value), (0, value)]:
        accepts_or_lacks_memory(tt.empty, shape)
    accepts(tt.empty, 3, value)
    accepts(tt.empty, 3, order=value)
    accepts(tt.asarray, value)
    accepts(tt.asarray, [[value], [value]])
    accepts(tt.asarray, [1.0], value)
    accepts(tt.asarray, [1.0], order=value)


def accepts_or_lacks_memory(call, *values):
    try:
        return accepts(call, *values)
    except tt.DeviceError as error:
        assert "bytes of USM memory, got none" in str(error)
        return False


def test_integers():
    for value in (3, np.int8(3), np.uint64(3), True + 2):
        assert checked_integer(value, "as size") == 3
        assert type(checked_integer(value, "as size")) is int
    for value in ((3, np.int16(4)), [3, 4], np.array([3, 4]), range(3, 5)):
        assert checked_integers(value, "as size") == (3, 4)
    assert checked_integers(np.int32(3), "as size") == (3,)


def test_sizes_of_a_group_must_fit():
    """A negative size once ended before the member, a large one past it."""
    buffer = np.zeros(40, np.float32)
    parts = signature(GROUPS[1]).parts
    for shape in ((-4, 2), (4, -2), (2**63, 1), (True, 2), ("4", 2), (4.0, 2), (4,), (4, 2, 1)):
        assert not accepts(parts, (Group([buffer] * 3, 0, shape),), {}), shape
    assert accepts(parts, (Group([buffer] * 3, np.int16(4), np.array([4, 2])),), {})


@odd
def test_launches(value):
    scale = handmade.scale()["scale"]
    x = tt.zeros(3)
    for launch in (scale, scale.submit, scale.bind):
        accepts(launch, 1.0, value, groups=1)
        accepts(launch, value, x, groups=1)
        if type(value) is not int:  # which may be one, for more groups than x has
            assert not accepts(launch, 1.0, x, groups=value)
        if value is not None:
            with pytest.raises(tt.TinyTCError):
                launch(1.0, x, groups=1, queue=value)
    accepts(scale, 1.0, x, groups=1, verify=value)
    accepts(scale.submit, 1.0, x, groups=1, depends=value)
    accepts(scale.submit, 1.0, x, groups=1, depends=[value])


def test_memory_that_is_not_usm():
    fake = Usm(shape=(2,), strides=(1,))
    scale = handmade.scale()["scale"]
    with pytest.raises(tt.ArgumentError, match="scale: argument 'X': expected an array in USM me"):
        scale(1.0, fake, groups=1)
    assert not accepts(scale, 1.0, fake, groups=1, queue=devices.queue_of("cpu"))


NO_TYPES = [object, "O", "U3", "S3", "M8[s]", "m8", "V4", "f4,i4", ">f4", "u4", "u1", "f16", "g", 3]


@pytest.mark.parametrize("dtype", NO_TYPES)
def test_only_the_types_of_the_language(dtype):
    assert not accepts(tt.empty, 3, dtype)
    assert not accepts(tt.asarray, [1], dtype)


def test_objects_are_no_elements():
    with pytest.raises(tt.ArgumentError, match=r"^asarray: argument 'dtype': .*, got object$"):
        tt.asarray(np.array([1, "x", None], object))
    assert not accepts(tt.asarray, [1, "x", None])
    assert not accepts(tt.asarray, ["x"])
    assert not accepts(tt.asarray, [[1], [1, 2]])


def test_every_type_of_the_language():
    for type_ in SCALAR_TYPES.values():
        for dtype in map(np.dtype, type_.dtype_names()):
            assert tt.empty((2, 3), dtype).dtype == dtype
            assert tt.asarray(np.zeros(3, dtype)).dtype == dtype


@pytest.mark.parametrize("sizes", [(2**32, 2**32), (2**63,), 2**62, (2**61, 1, 2), (1,) * 70])
def test_sizes_beyond_all_memory(sizes):
    assert not accepts_or_lacks_memory(tt.empty, sizes)
