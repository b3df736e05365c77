"""Bits as other types and parts of complex numbers, in programs on tiles."""

import numpy as np
import pytest

import tinytc_mlir as tt
from tile_interpreter import TileStage
from tinytc_mlir.scalars import SCALAR_TYPES

PAIRS = [("i16", "bf16"), ("i16", "f16"), ("i32", "f32"), ("i64", "f64"), ("i64", "c32")]

BITS = """func @f(%x: memref<{t}>, %n: memref<{i}>, %y: memref<{t}>) {{
  %a = load %x[] : {t}
  %b = bitcast %a : {i}
  store %b, %n[]
  %one = constant 1 : {i}
  %d = xor %b, %one : {i}
  %e = bitcast %d : {t}
  store %e, %y[]
}}"""
PARTS = """func @f(%A: memref<c32x8>, %B: memref<f32x8>) {
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  %P = expandc2r %A : memref<f32x2x8>
  %im = subview %P[1, 0:8] : memref<f32x8,strided<2>>
  axpby %one, %im, %zero, %B
  axpby %one, %B, %one, %im
}"""


@pytest.mark.parametrize(("integer", "type_"), PAIRS)
def test_bits(integer, type_):
    dtype, bits = SCALAR_TYPES[type_].dtype, np.dtype(integer.replace("i", "int"))
    value = np.array([1.5 - 2.25j if type_ == "c32" else -1.5])
    # Arrays of bf16 hold bits, the upper half of those of f32.
    value = value.astype(dtype) if type_ != "bf16" else np.array([0xBFC0], dtype)
    n, y = np.zeros(1, bits), np.zeros(1, dtype)
    module = tt.Context().parse(BITS.format(t=type_, i=integer))
    arguments = [value.reshape(()), n.reshape(()), y.reshape(())]
    TileStage(module).run("f", arguments)
    assert n == value.view(bits)
    assert y.view(bits) == n ^ 1


def test_parts():
    a = (np.arange(8) + 1j * np.arange(8, 0, -1)).astype(np.complex64)
    b, before = np.zeros(8, np.float32), a.copy()
    TileStage(tt.Context().parse(PARTS)).run("f", [a, b])
    assert (b == before.imag).all()
    assert (a == before.real + 2j * before.imag).all()


def test_parts_of_local_memory_have_no_counterpart():
    text = """func @f(%B: memref<f32x2x8>) {
      %A = alloca : memref<c32x8,local>
      %P = expandc2r %A : memref<f32x2x8,local>
    }"""
    with pytest.raises(tt.LoweringError, match="a tile in registers has no address"):
        TileStage(tt.Context().parse(text))
