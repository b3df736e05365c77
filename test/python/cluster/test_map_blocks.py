"""Kernels over the blocks of dask arrays, in threads of this process."""

import sys

import dask
import dask.array as da
import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.distributed import batch_modes, map_blocks

TEXT = """
func @gemm(%alpha: f32, %A: memref<f32x16x8x?>, %B: memref<f32x8x4>, %C: memref<f32x16x4x?>) {
  %i = group_id : index
  %a = subview %A[:,:,%i] : memref<f32x16x8>
  %c = subview %C[:,:,%i] : memref<f32x16x4>
  %one = constant 1.0 : f32
  gemm.n.n %alpha, %a, %B, %one, %c
}
func @sums(%X: group<memref<f32x5>x?>, %low: memref<f32x?>, %high: memref<f32x?>) {
  %i = group_id : index
  %x = load %X[%i] : memref<f32x5>
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  %l = subview %low[%i] : memref<f32>
  %h = subview %high[%i] : memref<f32>
  sum.n %one, %x, %zero, %l
  sum.n %one, %x, %one, %h
}
func @neighbour(%X: memref<f32x4x?>) {
  %i = group_id : index
  %1 = constant 1 : index
  %j = arith.add %i, %1 : index
  %x = subview %X[:,%j] : memref<f32x4>
  %f = constant 2.0 : f32
  axpby.n %f, %x, %f, %x
}
func @shared(%X: memref<f32x4>, %Y: memref<f32x4x?>) {
  %i = group_id : index
  %y = subview %Y[:,%i] : memref<f32x4>
  %f = constant 2.0 : f32
  %1 = constant 1.0 : f32
  axpby.atomic.n %f, %y, %1, %X
}
func @grid(%X: memref<f32x4x?x?>) {
  %i = group_id.x : index
  %j = group_id.y : index
  %x = subview %X[:,%i,%j] : memref<f32x4>
  %f = constant 2.0 : f32
  axpby.n %f, %x, %f, %x
}
func @nothing(%x: f32) { }
"""
BATCH = 23


@pytest.fixture(scope="module")
def program():
    return tt.Context().parse(TEXT).compile("cpu")


@pytest.fixture(scope="module")
def arrays():
    generator = np.random.default_rng(1)
    shapes = {"A": (16, 8, BATCH), "B": (8, 4), "C": (16, 4, BATCH)}
    return {
        name: np.asfortranarray(generator.normal(size=shape).astype(np.float32))
        for name, shape in shapes.items()
    }


def blocks(array, size=5):
    return da.from_array(array, chunks=(*array.shape[:-1], size))


def expected(program, arrays):
    c = arrays["C"].copy(order="F")
    program["gemm"](0.5, arrays["A"], arrays["B"], c)
    return c


@pytest.mark.parametrize("size", [1, 5, 23])
def test_results_are_those_of_one_launch(program, arrays, size):
    a, b, c = (arrays[name] for name in "ABC")
    before = c.copy()
    results = map_blocks(program["gemm"], 0.5, blocks(a, size), b, blocks(c, size))
    assert list(results) == ["C"]
    assert results["C"].chunks == blocks(c, size).chunks
    assert results["C"].dtype == np.float32
    found = results["C"].compute()
    assert (found == expected(program, arrays)).all()
    assert (c == before).all()


def test_layouts_of_blocks(program, arrays):
    """They are cut and copied as the kernel needs it; NumPy arrays are cut like the others."""
    a, b, c = (arrays[name] for name in "ABC")
    first = da.from_array(np.ascontiguousarray(a), chunks=(4, 8, 7))
    other = da.from_array(b, chunks=(2, 2))
    results = map_blocks(program["gemm"], {"alpha": 0.5, "A": first, "C": c}, B=other)
    assert results["C"].chunks[2] == (7, 7, 7, 2)
    assert (results["C"].compute() == expected(program, arrays)).all()


def test_several_results_and_groups(program):
    x = np.arange(5 * BATCH, dtype=np.float32).reshape((5, BATCH), order="F")
    high = np.ones(BATCH, np.float32)
    low = da.empty(BATCH, dtype=np.float32, chunks=6)
    results = map_blocks(program["sums"], blocks(x, 4), low, high)
    assert list(results) == ["low", "high"]
    found = dask.compute(*results.values())
    assert (found[0] == x.sum(0)).all()
    assert (found[1] == x.sum(0) + 1).all()


def test_equal_calls_are_equal_tasks(program, arrays):
    def call(alpha):
        a, b, c = (arrays[name] for name in "ABC")
        kernel = tt.Context().parse(TEXT).compile("cpu")["gemm"]
        return map_blocks(kernel, alpha, blocks(a), b, blocks(c))["C"]

    keys = [set(call(alpha).__dask_graph__()) for alpha in (0.5, 0.5, 2.0)]
    assert keys[0] == keys[1]
    assert keys[0] != keys[2]


def test_results_feed_further_kernels(program, arrays):
    a, b, c = (arrays[name] for name in "ABC")
    once = map_blocks(program["gemm"], 0.5, blocks(a), b, blocks(c))["C"]
    twice = map_blocks(program["gemm"], 0.5, blocks(a), b, once)["C"]
    both = arrays | {"C": expected(program, arrays)}
    assert (twice.compute() == expected(program, both)).all()


def test_the_modes_of_the_batch(program):
    assert batch_modes(program["gemm"]) == {"A": 2, "C": 2}
    assert batch_modes(program["sums"]) == {"X": 1, "low": 0, "high": 0}
    for name, message in [
        ("neighbour", "argument 'X': expected each group to index mode 1 by exactly its group_id"),
        ("grid", "expected groups in one dimension, got a grid of several"),
    ]:
        with pytest.raises(tt.ArgumentError, match=message):
            batch_modes(program[name])


def test_modes_that_the_caller_knows(program, arrays):
    a, b, c = (arrays[name] for name in "ABC")
    modes = {"A": 2, "C": 2}
    found = map_blocks(program["gemm"], 0.5, blocks(a), b, blocks(c), modes=modes)["C"].compute()
    assert (found == expected(program, arrays)).all()
    x = da.ones((4, 6), dtype=np.float32, chunks=(4, 2))
    modes = {"X": 1}
    padded = map_blocks(program["neighbour"], x, modes=modes)["X"]
    with pytest.raises(tt.ArgumentError, match="expected at most 1 group .*, got 2"):
        padded.compute()
    for wrong in ({"Y": 1}, {"X": 2}, {"X": "1"}, 1):
        with pytest.raises(tt.ArgumentError, match="argument 'modes': expected"):
            map_blocks(program["neighbour"], x, modes=wrong)


def test_wrong_arguments(program, arrays):
    a, b, c = blocks(arrays["A"]), arrays["B"], blocks(arrays["C"])
    kernel = program["gemm"]
    unknown = c[:, :, da.from_array(np.arange(BATCH), chunks=5) > 3]
    cases = [
        ((0.5, a, b), "missing|expected"),
        ((0.5, a.astype(np.float64), b, c), "argument 'A': expected .*f"),
        ((0.5, a[:8], b, c), "argument 'A': expected .*16"),
        ((0.5, a[0], b, c), "argument 'A': expected an array of 3 modes, got one of 2"),
        ((0.5, a, b[:4], c), "argument 'B': expected .*8"),
        (("x", a, b, c), "argument 'alpha': expected"),
        ((0.5, a[:, :, 1:], b, c), "'C': expected 22 elements along mode 2, as many as 'A' .*23"),
        ((0.5, a, b, [1.0]), "argument 'C': expected a dask or NumPy array, got"),
        ((0.5, a, b, unknown), "argument 'C': expected blocks of known sizes, got none"),
        ((0.5, *arrays.values()), "expected a dask array among those with a mode that groups"),
    ]
    for values, message in cases:
        with pytest.raises(tt.ArgumentError, match=message):
            map_blocks(kernel, *values)
    with pytest.raises(tt.ArgumentError, match="expected a kernel, got"):
        map_blocks(program, 0.5, a, b, c)


def test_kernels_that_cannot_be_cut(program):
    x = da.ones((4, 6), dtype=np.float32, chunks=(4, 2))
    with pytest.raises(tt.ArgumentError, match="'X': expected groups that index a mode of what"):
        map_blocks(program["shared"], np.ones(4, np.float32), x)
    with pytest.raises(tt.ArgumentError, match="expected an array with a mode that groups index"):
        map_blocks(program["nothing"], 1.0)


def test_without_dask(program, monkeypatch):
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(ImportError, match=r"pip install 'tinytc-mlir\[distributed\]'"):
        map_blocks(program["nothing"], 1.0)
