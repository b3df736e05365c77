"""Copies of 16 bytes: only in variants in which they are known to begin at multiples of that."""

import re

import tinytc_mlir as tt

TEXT = """
func @f(%A: group<memref<f32x64x64>x?>, %B: memref<f32x64x64x?>, %C: group<memref<f32x64x64>x?>) {
  %g = builtin.group_id : index
  %a = load %A[%g] : memref<f32x64x64>
  %b = subview %B[:, :, %g] : memref<f32x64x64>
  %c = load %C[%g] : memref<f32x64x64>
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  gemm.n.n %one, %a, %b, %zero, %c
}
"""


def copies(ptx, kernel):
    """Return how many copies of 16 bytes and of words a kernel has."""
    code = re.search(rf"\.entry {kernel}\((.*?)\n\}}", ptx, re.DOTALL)[1]
    return tuple(
        len(re.findall(rf"cp\.async\.{name}\.shared\.global .*, {size};", code))
        for name, size in (("cg", 16), ("ca", 4))
    )


def test_variants():
    """64 work-items copy 2 * 64 * 64 numbers, in the variants those of B, then of both factors."""
    program = tt.Context().parse(TEXT).compile("cuda:sm_90")
    info = program.kernels["f"]
    assert copies(program.ptx, "f") == (0, 128)
    assert copies(program.ptx, info.aligned_variant) == (16, 64)
    assert copies(program.ptx, info.aligned_members_variant) == (32, 0)
