"""Loops in LLVM's IR are single blocks, whose loads are in the order of memory."""

import re

import tinytc_mlir as tt

SUM = """
func @sum(%X: memref<f32x100000>, %y: memref<f32>) {
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  sum.n %one, %X, %zero, %y
}
"""
REGISTER_BYTES = 64


def test_loads_of_a_loop():
    module = tt.Context().parse(SUM).lower("llvm", target="x86-64-v4")
    blocks = re.split(r"\n\n", module.native_text("llvm-ir"))
    loop = next(block for block in blocks if "phi <16 x float>" in block)
    offsets = [int(offset) for offset in re.findall(r"getelementptr i8, .*, i64 (\d+)", loop)]
    # The first register of each iteration has no offset.
    assert offsets[:7] == [REGISTER_BYTES * i for i in range(1, 8)]
