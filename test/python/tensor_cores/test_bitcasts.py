"""What bitcasts of factors cost on tensor cores: the PTX that is emitted for them."""

import collections
import re

import pytest

import tinytc_mlir as tt

PRODUCT = """
func @f(%A: memref<{t}x32x16>, %B: memref<{t}x16x8>, %C: memref<f32x32x8>)
    attributes {{subgroup_size=32, work_group_size=[32,1]}} {{
  %o = constant 0 : index
  parallel {{
    %a{loaded} = cooperative_matrix_load %A[%o,%o] : coopmatrix<{t}x32x16,matrix_a>
    %b{loaded} = cooperative_matrix_load %B[%o,%o] : coopmatrix<{t}x16x8,matrix_b>
    {casts}
    %c = constant 0.0 : coopmatrix<f32x32x8,matrix_acc>
    %d = cooperative_matrix_mul_add %a, %b, %c : coopmatrix<f32x32x8,matrix_acc>
    cooperative_matrix_store %d, %C[%o,%o]
  }}
}}"""
CASTS = """%a = bitcast %a0 : coopmatrix<{n}x32x16,matrix_a>
    %b = bitcast %b0 : coopmatrix<{n}x16x8,matrix_b>"""


def instructions(text):
    """Return the number of each instruction of the PTX."""
    ptx = tt.Context().parse(text).compile("cuda:sm_90").ptx
    return collections.Counter(re.findall(r"^\s+(?:@!?%p\d+ +)?([a-z][\w.:]*)", ptx, re.MULTILINE))


@pytest.mark.parametrize("type_", ["f16", "bf16"])
def test_bits_of_factors_do_not_move(type_):
    """The code is the same as if the factors were loaded as numbers."""
    casts = CASTS.format(n=type_)
    with_casts = instructions(PRODUCT.format(t="i16", loaded="0", casts=casts))
    without = instructions(PRODUCT.format(t=type_, loaded="", casts=""))
    assert any(name.startswith("mma.sync") for name in without)
    assert with_casts == without
