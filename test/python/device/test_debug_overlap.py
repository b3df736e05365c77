"""Blocks of one memref that a collective instruction reads and updates, in debug builds."""

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import whole_numbers

TEXT = """func @f(%A: memref<f32x8x8>, %B: memref<f32x2x2>, %i: index, %j: index) {
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  %a = subview %A[%i:2, 0:2] : memref<f32x2x2,strided<1,8>>
  %c = subview %A[%j:2, 1:2] : memref<f32x2x2,strided<1,8>>
  gemm %one, %a, %B, %zero, %c
}"""
IN_PLACE = """func @f(%A: memref<f32x8>, %i: index, %j: index) {
  %two = constant 2.0 : f32
  %zero = constant 0.0 : f32
  %a = subview %A[%i:4] : memref<f32x4>
  %b = subview %A[%j:4] : memref<f32x4>
  axpby %two, %a, %zero, %b
}"""

#: Blocks of 4 elements from 10 + i and from j on, through a mode that is removed.
CHAINS = """func @f(%A: memref<f32x40x2>, %i: index, %j: index) {
  %two = constant 2.0 : f32
  %zero = constant 0.0 : f32
  %ten = constant 10 : index
  %column = subview %A[0:40, 1] : memref<f32x40>
  %part = subview %column[%ten:30] : memref<f32x30>
  %a = subview %part[%i:4] : memref<f32x4>
  %b = subview %A[%j:4, 1] : memref<f32x4>
  %c = expand %a[0 -> 2 x 2] : memref<f32x2x2>
  %d = expand %b[0 -> 2 x 2] : memref<f32x2x2>
  axpby %two, %c, %zero, %d
}"""
#: Every second element, which is no block of the array: nothing is reported.
INTERLEAVED = """func @f(%A: memref<f32x8>, %i: index, %j: index) {
  %two = constant 2.0 : f32
  %zero = constant 0.0 : f32
  %x = expand %A[0 -> 2 x 4] : memref<f32x2x4>
  %a = subview %x[%i, 0:4] : memref<f32x4,strided<2>>
  %y = expand %A[0 -> 2 x 4] : memref<f32x2x4>
  %b = subview %y[%j, 0:4] : memref<f32x4,strided<2>>
  axpby %two, %a, %zero, %b
}"""


def arrays():
    rng = np.random.default_rng(0)
    return (np.asfortranarray(whole_numbers(rng, shape, np.float32)) for shape in ((8, 8), (2, 2)))


@pytest.mark.parametrize("target", ["cpu", "native"])
def test_blocks(target):
    kernel = tt.Context().parse(TEXT, "f.ir").compile(target, debug=True)["f"]
    a, b = arrays()
    expected = a.copy()
    expected[5:7, 1:3] = a[1:3, 0:2] @ b
    kernel(a, b, 1, 5)
    np.testing.assert_array_equal(a, expected)
    with pytest.raises(tt.CheckError) as caught:
        kernel(a, b, 4, 5)
    message = (
        "f.ir:6:3: error: expected 'c' not to overlap 'a', got blocks that share elements of 'A'"
    )
    assert str(caught.value).splitlines()[0] == f"{message} (group 0)"
    np.testing.assert_array_equal(a, expected)  # the instruction is skipped


def test_updates_in_place():
    kernel = tt.Context().parse(IN_PLACE).compile("cpu", debug=True)["f"]
    a = np.ones(8, np.float32)
    kernel(a, 2, 2)
    np.testing.assert_array_equal(a, [1, 1, 2, 2, 2, 2, 1, 1])
    kernel(a, 0, 4)
    np.testing.assert_array_equal(a, [1, 1, 2, 2, 2, 2, 4, 4])
    with pytest.raises(tt.CheckError, match="expected 'b' not to overlap 'a'"):
        kernel(a, 2, 3)


@pytest.mark.parametrize("target", ["cpu", "native"])
def test_views_of_views(target):
    kernel = tt.Context().parse(CHAINS, "f.ir").compile(target, debug=True)["f"]
    a = np.asfortranarray(np.ones((40, 2), np.float32))
    kernel(a, 0, 10)  # in place
    kernel(a, 0, 14)
    assert a[:, 1].tolist() == [1.0] * 10 + [2.0] * 4 + [4.0] * 4 + [1.0] * 22
    with pytest.raises(tt.CheckError, match="f.ir:11:3.*'b' not to overlap 'a'.*elements of 'A'"):
        kernel(a, 4, 11)
    with pytest.raises(tt.CheckError, match="expected 'b' not to overlap 'a'"):
        kernel(a, 4, 17)
    assert (a[:, 0] == 1).all()


def test_blocks_that_interleave():
    kernel = tt.Context().parse(INTERLEAVED).compile("cpu", debug=True)["f"]
    a = np.ones(8, np.float32)
    kernel(a, 0, 1)
    assert a.tolist() == [1, 2] * 4


def test_the_interpreter():
    a, b = arrays()
    with pytest.raises(tt.InterpreterError, match="operand 'a' overlaps 'c', which is updated"):
        tt.interpret(tt.Context().parse(TEXT), "f", [a, b, 4, 5])
