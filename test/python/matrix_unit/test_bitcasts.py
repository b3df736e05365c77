"""What bitcasts of matrices and views of parts cost: the code that is emitted for them."""

import collections
import re

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.gpu_stage import GpuStage

GPUS = {"pvc": 16, "dg2": 8}

# The factors are loaded as integers, their bits are those of numbers.
PRODUCT = """
func @f(%A: memref<{t}x16x16>, %B: memref<{t}x16x8>, %C: memref<f32x16x8>)
    attributes {{subgroup_size={lanes},work_group_size=[{lanes},1]}} {{
  %o = constant 0 : index
  parallel {{
    %a0 = cooperative_matrix_load %A[%o,%o] : coopmatrix<{t}x16x16,matrix_a>
    %b0 = cooperative_matrix_load %B[%o,%o] : coopmatrix<{t}x16x8,matrix_b>
    {casts}
    %c = constant 0.0 : coopmatrix<f32x16x8,matrix_acc>
    %d = cooperative_matrix_mul_add %a, %b, %c : coopmatrix<f32x16x8,matrix_acc>
    cooperative_matrix_store %d, %C[%o,%o]
  }}
}}"""
CASTS = """%a = bitcast %a0 : coopmatrix<{n}x16x16,matrix_a>
    %b = bitcast %b0 : coopmatrix<{n}x16x8,matrix_b>"""


def product(type_, lanes, *, is_cast):
    casts = CASTS.format(n=type_)
    if is_cast:
        return PRODUCT.format(t="i16", lanes=lanes, casts=casts)
    casts = re.sub(r"%(.) = bitcast .*", "", casts)
    text = PRODUCT.format(t=type_, lanes=lanes, casts=casts)
    return text.replace("%a0", "%a").replace("%b0", "%b")


def spirv_counts(text, gpu):
    """Return the number of each instruction in the SPIR-V that is emitted, but for its types."""
    module = str(tt.Context().parse(text).lower("spirv", target=f"intel-gpu:{gpu}"))
    return collections.Counter(re.findall(r"spirv\.[A-Za-z][\w.]*", module))


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("type_", ["f16", "bf16"])
def test_bits_of_factors_do_not_move(type_, gpu):
    """With a bitcast, there are no more moves, shuffles or accesses than without."""
    with_cast, without = (
        spirv_counts(product(type_, GPUS[gpu], is_cast=is_cast), gpu) for is_cast in (True, False)
    )
    moves = ("Load", "Store", "Shuffle", "Select", "Shift", "Or", "Subgroup", "Composite", "Vector")
    for name in with_cast | without:
        if any(word in name for word in moves):
            assert with_cast[name] <= without[name], name
    assert any("MatrixMultiplyAccumulate" in name or "FunctionCall" in name for name in with_cast)


@pytest.mark.parametrize("gpu", GPUS)
def test_the_product_is_that_of_the_numbers(gpu):
    rng = np.random.default_rng(1)
    a, b = (np.asfortranarray(rng.integers(-3, 4, (16, n)).astype(np.float16)) for n in (16, 8))
    c = np.zeros((16, 8), np.float32, order="F")
    module = tt.Context().parse(product("f16", GPUS[gpu], is_cast=True))
    stage = GpuStage(module, target=f"intel-gpu:{gpu}")
    bits = [np.asfortranarray(each.view(np.int16)) for each in (a, b)]
    assert stage.check("f", [*bits, c], 1) == []
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


PARTS = """
func @f(%A: memref<{type}>, %B: memref<f32x32x8>) {{
  foreach (%i,%j) = (0,0), (32,8) {{
    {view}
    %x = load {array}[1,%i,%j] : f32
    store %x, %B[%i,%j]
  }}
}}"""
VIEW = {"type": "c32x32x8", "view": "%P = expandc2r %A : memref<f32x2x32x8>", "array": "%P"}
ARRAY = {"type": "f32x2x32x8", "view": "", "array": "%A"}


@pytest.mark.parametrize("target", ["cpu", "intel-gpu:pvc", "intel-gpu:dg2", "cuda:sm_90"])
def test_a_view_of_parts_costs_nothing(target):
    """The code is that for an array of real numbers."""
    stage = "nvvm" if "cuda" in target else "spirv"
    counts = []
    for words in (VIEW, ARRAY):
        module = tt.Context().parse(PARTS.format(**words)).lower(stage, target=target)
        names = re.findall(r"\b(?:spirv|llvm|nvvm)\.[\w.]+", str(module))
        counts.append(collections.Counter(names))
    assert counts[0] == counts[1]
