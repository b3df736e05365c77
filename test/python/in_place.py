"""Arrays in memory that kernels use in place, without a device."""

import numpy as np

from tinytc_mlir.runtime.interpreted import InterpretedMemory


def in_place(array):
    """Return a copy of an array, of the same strides, that launches do not copy again."""
    modes = list(zip(array.shape, array.strides, strict=True))
    before = -sum((size - 1) * min(stride, 0) for size, stride in modes)
    after = sum((size - 1) * max(stride, 0) for size, stride in modes) + array.itemsize
    memory = InterpretedMemory(before + after)
    start = memory._start + before
    copy = np.ndarray(array.shape, array.dtype, memory.native, start, array.strides)
    if array.strides and 0 not in array.strides:
        copy[...] = array
    copy.flags.writeable = array.flags.writeable
    return copy
