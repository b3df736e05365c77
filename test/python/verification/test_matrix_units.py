"""Kernels whose products the units for matrices compute, of f32 and of 16 bits."""

import pytest

import tinytc_mlir as tt
from tinytc_mlir.certificates import Outcome
from tinytc_mlir.gpu_stage import GpuStage
from tinytc_mlir.measure.sample_data import SampleOptions, sample_arguments
from tinytc_mlir.verification.exactness import Subject
from tinytc_mlir.verification.stages import GPU, Comparison

PRODUCT = """
func @f(%alpha: {a}, %A: memref<{a}x32x32>, %B: memref<{a}x32x32>, %C: memref<f32x32x32>) {{
  %one = constant 1.0 : f32
  gemm.n.n %alpha, %A, %B, %one, %C
}}"""
#: Numbers of f32 in memory, whose product is one of bf16.
ROUNDED = """
func @f(%A: memref<f32x16x32>, %B: memref<f32x32x16>, %C: memref<f32x16x16>)
    attributes {subgroup_size=16, work_group_size=[16,1]} {
  %z = constant 0 : index
  parallel {
    %a = cooperative_matrix_load.n %A[%z,%z] : coopmatrix<f32x16x32,matrix_a>
    %b = cooperative_matrix_load.n %B[%z,%z] : coopmatrix<f32x32x16,matrix_b>
    %ah = cast %a : coopmatrix<bf16x16x32,matrix_a>
    %bh = cast %b : coopmatrix<bf16x32x16,matrix_b>
    %c = cooperative_matrix_load.n %C[%z,%z] : coopmatrix<f32x16x16,matrix_acc>
    %d = cooperative_matrix_mul_add %ah, %bh, %c : coopmatrix<f32x16x16,matrix_acc>
    cooperative_matrix_store.n %d, %C[%z,%z]
  }
}"""
INTEL, NVIDIA = "subgroup_matrix_mul_add", "warp_matrix_mul_add"


@pytest.mark.parametrize(
    ("target", "text", "unit", "options"),
    [
        ("intel-gpu:pvc", ROUNDED, INTEL, {}),
        ("intel-gpu:pvc", PRODUCT.format(a="bf16"), INTEL, {}),
        ("intel-gpu:pvc", PRODUCT.format(a="f32"), INTEL, {"allow_tf32": True}),
        ("cuda:sm_90", PRODUCT.format(a="bf16"), NVIDIA, {}),
        ("cuda:sm_90", PRODUCT.format(a="f16"), NVIDIA, {}),
        ("x86-64-v4-amx", PRODUCT.format(a="bf16"), "tile_product", {}),
    ],
)
def test_units(target, text, unit, options):
    module = tt.Context().parse(text)
    stage = GpuStage(module, target=target, **options)
    assert f"tinytc.{unit}" in str(stage.lowered)
    info = stage.info("f")
    subject = Subject(module, info, sample_arguments(info, SampleOptions(1)), (1,))
    outcomes = {claim.subject: claim.outcome for claim in Comparison(subject, stage, 0).claims()}
    assert outcomes[GPU] is Outcome.SHOWN
