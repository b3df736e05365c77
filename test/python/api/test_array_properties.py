"""For any array and memref type: an accepted array is seen by the kernel as NumPy sees it."""

import ctypes
import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tinytc_mlir.runtime.arrays.layouts import MemrefChecker
from tinytc_mlir.runtime.arrays.staging import Staging
from tinytc_mlir.runtime.interpreted import InterpretedMemory
from tinytc_mlir.runtime.kernel_info import MemrefArgument

steps = st.sampled_from([-2, -1, 1, 2, 3])


@st.composite
def arrays(draw):
    """Draw slices, transpositions and byte offsets of an array of any order."""
    order = draw(st.integers(0, 3))
    shape = tuple(draw(st.lists(st.integers(0, 5), min_size=order, max_size=order)))
    array = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    array = np.asarray(array, order=draw(st.sampled_from("CF")))
    if draw(st.booleans()):
        array = array[(..., *(slice(None, None, draw(steps)) for _ in shape))]
    if draw(st.booleans()):
        array = array.transpose(draw(st.permutations(range(order))))
    array.flags.writeable = draw(st.booleans())
    return array


@st.composite
def parameters(draw, array):
    """Draw a type that fits some of the array's sizes and strides."""
    shape = [draw(st.sampled_from([None, size, size, 3])) for size in array.shape]
    strides = [draw(st.sampled_from([None, n // 4, n // 4, 1])) for n in array.strides]
    access = draw(st.sampled_from(["read", "read_write"]))
    return MemrefArgument("A", "f32", tuple(shape), tuple(strides), access)


@given(st.data())
def test_accepted_arrays_have_the_kernels_addresses(data):
    array = data.draw(arrays())
    argument = data.draw(parameters(array))
    try:
        view, dope = MemrefChecker(argument).check(array)
    except ValueError as error:
        assert ", got " in str(error)
        return
    values = list(dope)
    shape = [values.pop(0) if size is None else size for size in argument.shape]
    strides = [values.pop(0) if stride is None else stride for stride in argument.stride]
    assert values == []
    assert shape == list(array.shape)
    assert array.flags.writeable or not argument.is_written
    (pointer,) = Staging([view], InterpretedMemory).pointers
    for index in itertools.product(*map(range, shape)):
        offset_bytes = 4 * sum(i * stride for i, stride in zip(index, strides, strict=True))
        copied = ctypes.c_float.from_address(pointer.address + offset_bytes).value
        assert copied == array[index]
        if not view.is_rearranged:
            place = array[(..., *(slice(i, i + 1) for i in index))].ctypes.data
            assert view.address + offset_bytes == place
    check_rules(shape, strides, argument)


def check_rules(shape, strides, argument):
    """Check the rules of the strided layout, where the type itself does not break them."""
    fixed = [stride is not None for stride in argument.stride]
    bound = 1
    for size, stride, is_fixed in zip(shape, strides, fixed, strict=True):
        if 0 in shape or (is_fixed and size == 1):
            return
        assert stride >= bound
        bound = size * stride
