"""The interpreter of programs on tiles: what it computes, and what it says is undefined."""

import re

import numpy as np
import pytest

import tinytc_mlir as tt
from tile.test_order import run
from tile_interpreter import TileStage

COUNT = """func @k(%by: i32, %n: memref<i32>) {
  %from = constant 0 : i32
  %to = constant 5 : i32
  %one = constant 1 : i32
  for %i:i32=%from,%to,%by {
    %x = load %n[] : i32
    %y = arith.add %x, %one : i32
    store %y, %n[]
  }
}"""
IS_NUMBER = """
  %nan = tile.constant dense<0x7FC00000> : !tile.tile<f32>
  %x = tile.constant dense<2.0> : !tile.tile<f32>
  %y = tile.{} : !tile.tile<f32>
  %c = tile.cmpf equal ordered %y, %y : !tile.tile<f32> -> !tile.tile<i1>
  %i = tile.exti %c unsigned : !tile.tile<i1> -> !tile.tile<i32>
  %t = tile.store_ptr_tko weak %p, %i : !tile.tile<!tile.ptr<i32>>, !tile.tile<i32>
"""


def test_step():
    stage = TileStage(tt.Context().parse(COUNT))
    count = np.zeros((), np.int32)
    stage.run("k", [2, count])
    assert count == 3
    for step in (0, -1):
        message = f"expected a positive step, got {step}"
        with pytest.raises(tt.InterpreterError, match=re.escape(message)):
            stage.run("k", [step, count])


@pytest.mark.parametrize("word", ["maxf", "minf"])
@pytest.mark.parametrize("operands", ["%x, %nan", "%nan, %x"])
def test_choice_of_a_number(word, operands):
    assert run(IS_NUMBER.format(f"{word} {operands}")) == 1
    assert run(IS_NUMBER.format(f"{word} {operands} propagate_nan")) == 0


SPECIAL = """func @product(%A: memref<f32x4x4>, %C: memref<f32x4x4>) {
  %alpha = constant 1.0 : f32
  %beta = constant -0.0 : f32
  gemm.n.n %alpha, %A, %A, %beta, %C
}
func @abs(%A: memref<c32x5>, %B: memref<f32x5>) {
  foreach (%i)=(0),(5) {
    %x = load %A[%i] : c32
    %y = arith.abs %x : f32
    store %y, %B[%i]
  }
}"""


def test_negative_zero_as_beta():
    """What is not read spreads no NaN."""
    module = tt.Context().parse(SPECIAL)
    a = np.ones((4, 4), np.float32, order="F")
    for launch in (TileStage(module).run, lambda name, args: module.compile("cpu")[name](*args)):
        c = np.full((4, 4), np.nan, np.float32, order="F")
        launch("product", [a, c])
        np.testing.assert_array_equal(c, np.full((4, 4), 4.0))


def test_absolute_values():
    inf, nan = np.inf, np.nan
    parts = [(nan, 3), (3, nan), (inf, inf), (-inf, nan), (0, 0)]
    numbers = np.array([complex(*each) for each in parts], np.complex64)
    found = np.zeros(5, np.float32)
    TileStage(tt.Context().parse(SPECIAL)).run("abs", [numbers, found])
    np.testing.assert_array_equal(found, [nan, nan, inf, inf, 0])
