"""Arrays are known by their layout exactly where all that Python shows of them is the same."""

import gc

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir._arrays import Layout, address_of

ORIGIN = object()


def layout_of(array, *, origin_of=lambda _: ORIGIN, divisor=1):
    address = array.ctypes.data
    flags = (array.dtype, array.shape, array.strides, array.flags.writeable)
    return Layout(np.ndarray, *flags, origin_of, ORIGIN, divisor, address % divisor)


def signature(array):
    """Return what must be the same."""
    return array.dtype, array.shape, array.strides, array.flags.writeable


def variants():
    """Return arrays in one memory, many of which differ in one respect only."""
    whole = np.ndarray((8, 6), np.float32, bytearray(4 * 48), order="F")
    found = [whole, whole[:], whole[:4], whole[4:], whole[:, :3], whole[::2], whole[::-1]]
    found += [
        whole.T,
        whole[:, 2],
        whole[3],
        whole[1:2],
        whole[:1, :1],
        whole[2:2],
        whole[..., None],
    ]
    found += [
        whole.view(np.int32),
        whole.view(whole.dtype.newbyteorder()),
        whole[0, 0:1].reshape(()),
    ]
    read_only = whole[:]
    read_only.flags.writeable = False
    copies = [
        np.lib.stride_tricks.as_strided(whole, (4, 3), strides) for strides in ((0, 4), (4, 0))
    ]
    return [*found, read_only, *copies]


def test_addresses():
    for array in [*variants(), np.zeros((0, 2)), np.zeros(2).view(np.recarray)]:
        assert address_of(array) == array.ctypes.data


@pytest.mark.parametrize("known", range(len(variants())))
def test_what_is_known(known):
    arrays = variants()
    layout = layout_of(arrays[known])
    for array in arrays:
        expected = array.ctypes.data if signature(array) == signature(arrays[known]) else None
        assert layout.address(array) == expected


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i1", "i2", "i4", "i8", "?"])
def test_dtypes(dtype):
    array = np.frombuffer(bytearray(64), dtype)
    layout = layout_of(array)
    assert layout.address(array) == array.ctypes.data
    assert layout.address(np.frombuffer(bytearray(64), "u2")) is None


@pytest.mark.parametrize(
    "value", [None, 1, [1.0], b"12345678", np.float32(1), object(), np.ndarray]
)
def test_other_objects(value):
    layout = layout_of(np.frombuffer(bytearray(4), np.float32))
    assert layout.address(value) is None
    assert layout.addresses((value,)) is None


def test_arrays_of_other_types():
    array = np.frombuffer(bytearray(16), np.float32)
    layout = layout_of(array)
    assert layout.address(array.view(np.recarray)) is None
    assert layout.address(np.zeros(4, np.float32)) is None  # in memory of its own


def test_remainders():
    array = np.frombuffer(bytearray(256), np.float32)
    layout = layout_of(array[:4], divisor=32)
    known = [layout.address(array[start : start + 4]) is not None for start in range(16)]
    assert known == [start % 8 == 0 for start in range(16)]


def test_origins():
    memories = {id(memory): memory for memory in (bytearray(16), bytearray(16), bytearray(16))}
    first, second, third = memories.values()
    asked = []

    def origin_of(memory):
        asked.append(id(memory.obj) if isinstance(memory, memoryview) else id(memory))
        return None if memory is third else ORIGIN

    arrays = [np.ndarray(4, np.float32, memory) for memory in (first, second, third)]
    layout = layout_of(arrays[0], origin_of=origin_of)
    assert (
        layout.addresses((arrays[0], arrays[0][:], arrays[1]))
        == np.array(
            [array.ctypes.data for array in (arrays[0], arrays[0], arrays[1])], np.uint64
        ).tobytes()
    )
    assert asked == [id(first), id(second)]  # each memory once
    assert layout.addresses((arrays[0], arrays[2])) is None
    assert layout.addresses(()) == b""

    def fails(_):
        raise RuntimeError("gone")

    with pytest.raises(RuntimeError, match="gone"):
        layout_of(arrays[0], origin_of=fails).address(arrays[0])


def test_changes_in_place():
    array = np.ndarray((4, 3), np.float32, bytearray(48), order="F")
    layout = layout_of(array)
    for change in (
        lambda: setattr(array, "shape", (4, 1, 3)),
        lambda: setattr(array, "dtype", np.int32),
        lambda: array.setflags(write=False),
    ):
        before = signature(array)
        layout = layout_of(array)
        assert layout.address(array) is not None
        change()
        assert signature(array) != before
        assert layout.address(array) is None


def test_nothing_is_kept_alive():
    array = tt.empty((4, 3))
    layout, memory = layout_of(array), array.base
    del array
    gc.collect()
    assert [each for each in gc.get_referrers(memory) if isinstance(each, np.ndarray)] == []
    assert layout.address(np.zeros((4, 3), np.float32, order="F")) is None
