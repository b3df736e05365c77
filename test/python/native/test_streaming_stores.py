"""Stores past the caches: results are right with and without them, and nothing else is written.

Large batches take them. Here two groups are a large batch, and arrays are between guard zones.
"""

import re

import numpy as np
import pytest

import tinytc_mlir as tt

ZONE = 64  # elements
PRODUCT = """
func @product(%A: memref<{type}x{m}x{k}x?>, %B: memref<{type}x{k}x{n}x?>,
              %C: memref<{type}x{m}x{n}x?{strides}>) {{
  %g = builtin.group_id : index
  %a = subview %A[:,:,%g] : memref<{type}x{m}x{k}>
  %b = subview %B[:,:,%g] : memref<{type}x{k}x{n}>
  %c = subview %C[:,:,%g] : memref<{type}x{m}x{n}{block}>
  %one = constant 1.0 : {type}
  %beta = constant {beta} : {type}
  gemm.n.n %one, %a, %b, %beta, %c
}}
"""
COPY = """
func @product(%A: memref<f32x64x32x?>, %B: memref<f32x64x32x?>) {
  %g = builtin.group_id : index
  %a = subview %A[:,:,%g] : memref<f32x64x32>
  %b = subview %B[:,:,%g] : memref<f32x64x32>
  %two = constant 2.0 : f32
  %zero = constant 0.0 : f32
  axpby.n %two, %a, %zero, %b
}
"""
SHARED = """
func @product(%A: memref<f32x64x32x?>, %B: memref<f32x64x32>) {
  %g = builtin.group_id : index
  %a = subview %A[:,:,%g] : memref<f32x64x32>
  %two = constant 2.0 : f32
  %zero = constant 0.0 : f32
  axpby.n %two, %a, %zero, %B
}
"""
MARK = "nontemporal"
TYPES = {"f64": np.float64, "f32": np.float32}


def text_of(type_="f64", m=8, n=8, k=8, strides="", block="", beta="0.0"):
    """Return a product."""
    return PRODUCT.format(type=type_, m=m, n=n, k=k, strides=strides, block=block, beta=beta)


def streaming(text, target="x86-64-v4", groups=2):
    """Return the stage llvm of a program whose batches of so many groups are large."""
    lowered = str(tt.Context().parse(text).lower("llvm", target=target))
    found = re.search(r'llvm.icmp "uge" %\w+, (%\w+) : i64', lowered)
    if found is None:
        assert MARK not in lowered
        return None
    constant = rf"{re.escape(found[1])} = llvm.mlir.constant\(\d+ : i64\)"
    assert len(re.findall(constant, lowered)) == 1
    smaller = re.sub(constant, f"{found[1]} = llvm.mlir.constant({groups} : i64)", lowered)
    return tt.Context().parse_mlir(smaller)


def zoned(shape, dtype, strides, shift):
    """Return an array between guard zones, and all of its memory.

    Args:
        shape: its shape.
        dtype: type of the elements.
        strides: strides in elements.
        shift: elements from a line of the cache to its first one.
    """
    extent = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    memory = np.full(extent + 3 * ZONE, 99, dtype)
    start = -(memory.ctypes.data // memory.itemsize) % ZONE + ZONE + shift
    steps = [stride * memory.itemsize for stride in strides]
    return np.ndarray(shape, dtype, memory, start * memory.itemsize, steps), memory


def check_product(program, type_, sizes, groups, shift=0, strides=None):
    """Launch a product of a batch, and compare all memory around the result, too."""
    m, n, k = sizes
    rng = np.random.default_rng(groups)
    a, b = (
        np.asfortranarray(rng.integers(-4, 5, shape), TYPES[type_])
        for shape in ((m, k, groups), (k, n, groups))
    )
    strides = strides or (1, m, m * n)
    c, memory = zoned((m, n, groups), TYPES[type_], strides, shift)
    expected = memory.copy()
    place = c.ctypes.data - memory.ctypes.data
    np.ndarray(c.shape, c.dtype, expected, place, c.strides)[...] = np.einsum("mkg,kng->mng", a, b)
    program["product"](a, b, c, groups=groups)
    np.testing.assert_array_equal(memory, expected)


@pytest.mark.similar
@pytest.mark.parametrize("groups", [1, 2, 40])
@pytest.mark.parametrize("shift", [0, 1, 2])
@pytest.mark.parametrize("target", ["x86-64-v3", "x86-64-v4"])
@pytest.mark.parametrize(
    "type_, sizes",
    [("f64", (8, 8, 8)), ("f32", (16, 16, 4)), ("f64", (56, 9, 2)), ("f32", (32, 32, 4))],
)
def test_products_with_and_without(type_, sizes, target, shift, groups):
    module = streaming(text_of(type_, *sizes), target)
    assert MARK in str(module)
    check_product(module.compile(), type_, sizes, groups, shift)


@pytest.mark.parametrize("leading", [8, 9, 12, 16])
@pytest.mark.parametrize("distance", [1, 8])
def test_strides_that_a_launch_says(leading, distance):
    text = text_of(strides=", strided<1,?,?>", block=", strided<1,?>")
    module = streaming(text)
    assert MARK in str(module)
    group = 8 * leading + (distance if distance > 1 else 1)
    check_product(module.compile(), "f64", (8, 8, 8), 5, 0, (1, leading, group))


def test_an_elementwise_instruction():
    module = streaming(COPY)
    assert MARK in str(module)
    a = np.asfortranarray(np.random.default_rng(1).random((64, 32, 7)), np.float32)
    b, memory = zoned(a.shape, a.dtype, (1, 64, 2048), 0)
    module.compile()["product"](a, b, groups=7)
    np.testing.assert_array_equal(b, 2 * a)
    assert np.count_nonzero(memory == 99) == 3 * ZONE


def test_many_threads_see_the_whole_result():
    queue = tt.native_queue(threads=4)
    program = streaming(text_of()).compile()
    a = np.asfortranarray(np.random.default_rng(1).integers(0, 9, (8, 8, 4096)), float)
    a, c = tt.asarray(a, queue="native"), tt.zeros((8, 8, 4096), np.float64, queue="native")
    bound = program["product"].bind(a, a, c, groups=4096, queue=queue)
    expected = np.einsum("mkg,kng->mng", np.asarray(a), np.asarray(a))
    for _ in range(50):
        np.asarray(c)[...] = 0
        bound()
        np.testing.assert_array_equal(np.asarray(c), expected)


@pytest.mark.parametrize(
    "text, target",
    [
        (text_of(beta="1.0"), "x86-64-v4"),  # reads the result
        (text_of(m=9), "x86-64-v4"),  # columns begin anywhere
        (text_of(m=10), "x86-64-v4"),  # a mask
        (text_of("f32", 32, 32, 32), "x86-64-v4"),  # computes for longer
        (SHARED, "x86-64-v4"),  # stays in a cache
        (text_of(), "x86-64-v2"),
        (text_of(), "aarch64"),
        (text_of(), "aarch64-sve512"),
    ],
)
def test_kernels_that_store_as_usual(text, target):
    assert streaming(text, target) is None


def test_results_are_not_fetched():
    """A line that is in a cache and then stored past it takes twice the time."""
    lowered = str(streaming(text_of()))
    assert lowered.count("llvm.lshr") == 1
    assert lowered.count("llvm.x86.sse.sfence") == 1
    assert lowered.count(MARK) == 8


@pytest.mark.parametrize("type_", ["i8", "i16", "i32", "i64"])
def test_offsets_are_parameters_of_any_width(type_):
    text = f"""
func @f(%off: {type_}, %A: memref<f32x64x32x?>, %B: memref<f32x?x32x?>) {{
  %g = builtin.group_id : index
  %o = cast %off : index
  %a = subview %A[:, :, %g] : memref<f32x64x32>
  %b = subview %B[%o:64, :, %g] : memref<f32x64x32,strided<1,?>>
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  axpby.n %one, %a, %zero, %b
}}
"""
    kernel = tt.Context().parse(text).compile("x86-64-v3")["f"]
    a = np.asfortranarray(np.random.default_rng(0).random((64, 32, 3), np.float32))
    b = np.zeros((80, 32, 3), np.float32, order="F")
    kernel(16, a, b, groups=3)
    np.testing.assert_array_equal(b[16:], a)
    assert not b[:16].any()
