"""Launches take host arrays of any strides, and copy them in the order of the kernel."""

import warnings

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir._arrays import copy_elements
from tinytc_mlir.runtime.arrays.staging import Staging
from tinytc_mlir.runtime.launches import launch

GEMM = """
func @gemm(%A: memref<f32x5x7x?>, %B: memref<f32x7x3, strided<1,9>>, %C: memref<f32x5x3x?>) {
  %g = group_id : index
  %a = subview %A[:,:,%g] : memref<f32x5x7>
  %c = subview %C[:,:,%g] : memref<f32x5x3>
  %one = constant 1.0 : f32
  gemm %one, %a, %B, %one, %c
}"""
GROUP = """
func @double(%X: group<memref<f32x4x3> x ?>, %Y: memref<f32x4x3x?, strided<1,?,?>>) {
  %g = group_id : index
  %x = load %X[%g] : memref<f32x4x3>
  %y = subview %Y[:,:,%g] : memref<f32x4x3, strided<1,?>>
  %two = constant 2.0 : f32
  %zero = constant 0.0 : f32
  axpby.n %two, %x, %zero, %y
}"""
ADD = """
func @add(%X: memref<f32x4x3>, %Y: memref<f32x4x3>) {
  %one = constant 1.0 : f32
  axpby.n %one, %X, %one, %Y
}"""
# No instruction reads one array and updates the other.
ADD_ELEMENTS = """
func @add(%X: memref<f32x4x3>, %Y: memref<f32x4x3>) {
  foreach (%i, %j) = (0, 0), (4, 3) {
    %x = load %X[%i, %j] : f32
    %y = load %Y[%i, %j] : f32
    %sum = arith.add %x, %y : f32
    store %sum, %Y[%i, %j]
  }
}"""


def kernel(text, **options):
    program = tt.Context().parse(text).compile("cpu", **options)
    (name,) = program.kernels
    return program[name]


def in_order(values, order):
    """Return an array whose modes lie in memory in an order, the slowest first."""
    stored = np.ascontiguousarray(values.transpose(order))
    return stored.transpose(np.argsort(order))


def numbers(*shape):
    return np.random.default_rng(1).integers(-8, 8, shape).astype(np.float32)


@pytest.mark.parametrize("way", ["fields", "misaligned"])
def test_other_strides(way):
    values = numbers(4, 3)
    if way == "fields":
        x = np.zeros((4, 3), [("tag", "i1"), ("value", "f4")])["value"]
        x[...] = values
    else:
        x = np.ndarray((4, 3), np.float32, np.zeros(49, np.uint8), 1)
        x[...] = values
    y = np.ones((4, 3), np.float32)
    before = x.copy()
    kernel(ADD)(x, y)
    np.testing.assert_array_equal(y, before + 1)


def test_strides_that_divisors_allow():
    text = "func @f(%X: memref<f32x?x?> {stride_gcd=[1,4]}, %Y: memref<f32x?x?>) {\n"
    text += "  %one = constant 1.0 : f32\n  axpby.n %one, %X, %one, %Y\n}"
    y = np.zeros((5, 3), np.float32)
    kernel(text)(numbers(5, 3), y)
    np.testing.assert_array_equal(y, numbers(5, 3))


def test_one_array_for_two_parameters():
    x = numbers(4, 3)
    expected = 2 * x
    kernel(ADD)(x, x)
    np.testing.assert_array_equal(x, expected)


def test_interpreter_and_debug_build():
    module = tt.Context().parse(GEMM)
    a, b, c = numbers(5, 7, 2), numbers(7, 3), numbers(5, 3, 2)
    expected = np.einsum("ikg,kj->ijg", a, b) + c
    results = c.copy(), c.copy()
    tt.interpret(module, "gemm", [a, b, results[0]], groups=2)
    kernel(GEMM, debug=True)(a, b, results[1])
    for result in results:
        np.testing.assert_array_equal(result, expected)


def test_interpreter_refuses_overlap():
    module = tt.Context().parse(ADD)
    x = numbers(4, 6)
    with pytest.raises(tt.ArgumentError, match="'X': expected an array that overlaps no other"):
        tt.interpret(module, "add", [x[:, :3], x[:, 1:4]])


def test_linalg_kernel_reads_arrays_of_other_libraries_in_their_order():
    class Other:
        def __init__(self, array):
            self.__array_interface__ = array.__array_interface__
            self.array = array

    program = tt.Context().parse_mlir("""
    func.func @copy(%a: memref<4x4xf32>, %b: memref<4x4xf32>) {
      linalg.copy ins(%a : memref<4x4xf32>) outs(%b : memref<4x4xf32>)
      return
    }""")
    a, b = numbers(4, 4), np.zeros((4, 4), np.float32)
    program.compile("cpu")["copy"](Other(a), b)
    np.testing.assert_array_equal(b, a)


MEMORY = numbers(4, 6)
REFUSED = {
    "overlap": (
        (MEMORY[:, :3], MEMORY[:, 1:4]),
        "argument 'X': expected an array that overlaps no other, because its strides make the "
        "launch copy it in another order, got one that overlaps argument 'Y'",
    ),
    "shared_elements": (
        (numbers(4, 3), np.lib.stride_tricks.as_strided(numbers(9), (4, 3), (4, 8))),
        "argument 'Y': expected an array whose elements do not share memory because the kernel "
        "writes it, got strides (4, 8) in bytes for shape (4, 3)",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    arrays, message = REFUSED[name]
    with pytest.raises(tt.ArgumentError) as caught:
        kernel(ADD_ELEMENTS)(*arrays)
    assert str(caught.value) == f"add: {message}"


def test_arrays_in_place_need_the_strides_of_the_kernel():
    x = tt.asarray(numbers(4, 3), order="C")
    message = r"'X': expected strides \(1, 4\) in elements, got \(3, 1\)"
    with pytest.raises(tt.ArgumentError, match=message):
        kernel(ADD)(x, numbers(4, 3))


def test_without_copies():
    run = kernel(ADD)
    x, y = tt.asarray(numbers(4, 3)), tt.zeros((4, 3), np.float32)
    run(x, y, copy=False)
    np.testing.assert_array_equal(y, numbers(4, 3))
    message = "'Y': expected an array in USM memory .* because copy=False, got a plain NumPy array"
    with pytest.raises(tt.ArgumentError, match=message):
        run(x, np.zeros((4, 3), np.float32, order="F"), copy=False)
    with pytest.raises(tt.ArgumentError, match="expected True or False for copy, got 0"):
        run(x, numbers(4, 3), copy=0)


class SlowStaging(Staging):
    def copy_back(self):
        super().copy_back()
        self.rearranging_s, self.rearranged_bytes = 2.0, 1 << 20


def test_slow_copies_warn_once(monkeypatch):
    monkeypatch.setattr(launch, "Staging", SlowStaging)
    run = kernel(ADD.replace("add", "slowly_copied"))
    with pytest.warns(tt.ArrayOrderWarning, match=r"\('X', 'Y'\) took 2000.0 ms, the kernel "):
        run(numbers(4, 3), numbers(4, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(numbers(4, 3), numbers(4, 3))


@pytest.mark.parametrize("dtype", ["i1", "f2", "f4", "f8", "c16"])
def test_copies_of_any_shape_and_strides(dtype):
    rng = np.random.default_rng(3)
    for _ in range(100):
        shape = tuple(rng.choice([1, 2, 5, 8, 12, 67, 130], rng.integers(0, 4)))
        arrays = []
        for _ in range(2):
            order = rng.permutation(len(shape))
            steps = rng.choice([-2, -1, 1, 2], len(shape))
            stored = np.zeros([shape[mode] * abs(steps[mode]) for mode in order], dtype)
            view = stored.transpose(np.argsort(order))
            index = (*(slice(None, None, step) for step in steps), ...)
            arrays.append(view[index])
        target, source = arrays
        source[...] = rng.integers(0, 100, shape)
        copy_elements(target, source, target.itemsize, int(rng.integers(1, 4)))
        np.testing.assert_array_equal(target, source)


@pytest.mark.parametrize(("dtype", "threads"), [("i1", 1), ("f4", 3), ("f8", 1), ("c16", 3)])
def test_large_copies(dtype, threads):
    """Tiles, and memory that is written past the caches."""
    elements = (33 << 20) // np.dtype(dtype).itemsize
    rows = 1030
    for shape, axes in (
        ((elements // rows, rows), (1, 0)),
        ((elements // (9 * 56), 9, 56), (1, 2, 0)),
        ((elements // (9 * 56), 9, 56), (0, 2, 1)),
        ((elements // 16, 16), (0, 1)),
    ):
        numbers = np.arange(np.prod(shape)) % 101
        source = numbers.astype(dtype).reshape(shape).transpose(axes)
        whole = np.zeros((*source.shape[:-1], source.shape[-1] + 1), dtype, order="F")
        copy_elements(whole[..., 1:], source, source.itemsize, threads)
        assert (whole[..., 1:] == source).all()
        assert not whole[..., 0].any()


def test_copies_of_other_shapes_are_refused():
    with pytest.raises(ValueError, match="expected two arrays of the same shape"):
        copy_elements(np.zeros(3), np.zeros(4), 8)
    with pytest.raises(ValueError, match="expected elements of 1, 2, 4, 8 or 16 bytes"):
        copy_elements(np.zeros(3), np.zeros(3), 3)
