"""Copies of host arrays keep values, strides and overlaps."""

import numpy as np

from tinytc_mlir.runtime.arrays.host_arrays import view_of
from tinytc_mlir.runtime.arrays.layouts import MemrefChecker
from tinytc_mlir.runtime.arrays.staging import Staging
from tinytc_mlir.runtime.kernel_info import MemrefArgument


class HostMemory:
    """Memory that only the host knows."""

    def __init__(self, size_bytes):
        self.native = self
        self.host = np.zeros(size_bytes, np.uint8)
        self.address = self.host.ctypes.data
        self.transfers = []

    def upload(self):
        self.transfers.append("upload")

    def download(self):
        self.transfers.append("download")


def stage(*arrays, alignment_bytes=64):
    """Return the staging of arrays that a kernel writes, and the copies as it sees them."""
    views = []
    for array in arrays:
        any_modes = (None,) * array.ndim
        argument = MemrefArgument("A", "f64", any_modes, any_modes)
        views.append(MemrefChecker(argument).check(array)[0])
    staging = Staging(views, HostMemory, alignment_bytes)
    copies = [copy for _, copy, _ in staging._copies]
    return staging, copies


def test_read_only_arrays_are_not_copied_back():
    array = np.zeros(4)
    staging = Staging([view_of(array)], HostMemory)
    staging._copies[0][1][:] = 1
    staging.copy_back()
    assert (array == 0).all()


def test_overlapping_arrays_share_memory():
    buffer = np.arange(20.0)
    staging, (first, second, apart) = stage(buffer[2:8], buffer[5:12], buffer[15:])
    assert np.shares_memory(first, second)
    assert not np.shares_memory(second, apart)
    second[0] = 100
    staging.copy_back()
    assert buffer[5] == first[3] == 100


def test_the_same_array_twice():
    array = np.arange(4.0)
    staging, _ = stage(array, array)
    assert staging.pointers[0] == staging.pointers[1]


def test_alignment():
    arrays = [np.zeros(n) for n in (1, 3, 9)]
    staging, _ = stage(*arrays, alignment_bytes=256)
    assert [pointer.address % 256 for pointer in staging.pointers] == [0, 0, 0]
