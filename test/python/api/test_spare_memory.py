"""Copies of arrays in the memory that an earlier launch's copies have left."""

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.runtime import devices
from tinytc_mlir.runtime.arrays import spare_memory

TEXT = """
func @double(%X: memref<f32x4x?>) {
  %g = group_id.x : index
  %x = subview %X[0:4, %g] : memref<f32x4>
  %one = constant 1.0 : f32
  axpby %one, %x, %one, %x
}
"""


@pytest.fixture
def sizes(monkeypatch):
    """Return the list of sizes that launches allocate."""
    queue, found = devices.queue_of("cpu"), []
    monkeypatch.setattr(spare_memory, "_spare", {})
    allocate = type(queue).allocate

    def counted(self, size_bytes):
        found.append(size_bytes)
        return allocate(self, size_bytes)

    monkeypatch.setattr(type(queue), "allocate", counted)
    return found


def test_memory_is_used_again(sizes):
    kernel = tt.Context().parse(TEXT).compile("cpu")["double"]
    for groups in (50, 50, 20, 100, 100):
        x = np.ones((4, groups), np.float32)
        kernel(x)
        assert (x == 2).all()
    assert len(sizes) == 2
    assert sizes[0] < sizes[1]


def test_much_memory_is_not_kept(sizes, monkeypatch):
    monkeypatch.setattr(spare_memory, "MOST_BYTES", 1000)
    kernel = tt.Context().parse(TEXT).compile("cpu")["double"]
    for _ in range(2):
        kernel(np.ones((4, 200), np.float32))
    assert len(sizes) == 2


def test_memory_of_a_launch_that_runs_is_not_shared(sizes):
    kernel = tt.Context().parse(TEXT).compile("cpu")["double"]
    kernel(np.ones((4, 50), np.float32))
    queue = devices.queue_of("cpu")
    first, second = (spare_memory.take(queue, 100) for _ in range(2))
    assert first.address != second.address
    for memory in (first, second):
        spare_memory.give_back(queue, memory)
    assert spare_memory.take(queue, 100).address == first.address
