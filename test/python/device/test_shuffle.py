"""The conversion of gpu.shuffle, whose index may differ from lane to lane."""

import re

import numpy as np
import pytest
from mlir import ir
from mlir.passmanager import PassManager

import tinytc_mlir as tt
from tinytc_mlir import Program
from tinytc_mlir._tinytc import emit
from tinytc_mlir.runtime.manifest import Manifest

SIZE = 16
TEXT = f"""
func @kernel(%A: memref<f32x{SIZE}>, %offsets: memref<i32x{SIZE}>, %B: memref<f32x{SIZE}>)
    attributes{{subgroup_size={SIZE}, work_group_size=[{SIZE},1]}} {{
  parallel {{
    %lane = builtin.subgroup_local_id : i32
    %i = cast %lane : index
    %a = load %A[%i] : f32
    %offset = load %offsets[%i] : i32
    %b = subgroup_broadcast %a, %offset : f32
    store %b, %B[%i]
  }}
}}
"""
LANES = np.arange(SIZE, dtype=np.int32)


def compile_shuffle(mode):
    """Return the kernel with a shuffle in the place of the broadcast."""
    prepared = tt.Context().parse(TEXT).operation.clone().operation
    with prepared.context:
        PassManager.parse("builtin.module(prepare)").run(prepared)
        stage = prepared.clone().operation
        to_gpu = (
            "tinytc-normalize-linalg, tinytc-choose-strategies, tinytc-distribute-linalg, "
            "tinytc-outline-kernels, cse"
        )
        PassManager.parse(f"builtin.module(tinytc-convert-to-linalg, {to_gpu})").run(stage)
        text, count = re.subn(
            r"(%\w+) = gpu.subgroup_broadcast (%\w+),\s+specific_lane (%\w+) : f32",
            rf"%width = arith.constant {SIZE} : i32\n"
            rf"\1, %valid = gpu.shuffle {mode} \2, \3, %width : f32",
            str(stage),
        )
        assert count == 1
        lowered = ir.Module.parse(text).operation
        to_spirv = "spirv.module(spirv-lower-abi-attrs, spirv-update-vce), tinytc-finalize-spirv"
        PassManager.parse(f"builtin.module(tinytc-convert-gpu-to-spirv, {to_spirv})").run(lowered)
        spirv, manifest = emit(lowered)
    return Program(spirv, Manifest.from_json(manifest))["kernel"]


@pytest.mark.parametrize(
    ("mode", "offsets", "sources"),
    [
        ("idx", SIZE - 1 - LANES, SIZE - 1 - LANES),
        ("idx", 0 * LANES + 3, 0 * LANES + 3),
        ("xor", LANES % 4, LANES ^ (LANES % 4)),
        ("up", 0 * LANES + 3, np.where(LANES < 3, LANES, LANES - 3)),
        ("down", 0 * LANES + 2, np.where(LANES < SIZE - 2, LANES + 2, LANES)),
    ],
)
def test_shuffle(mode, offsets, sources):
    a = np.arange(SIZE, dtype=np.float32) + 100
    b = np.zeros_like(a)
    compile_shuffle(mode)(a, offsets.astype(np.int32), b, groups=1)
    np.testing.assert_array_equal(b, a[sources])
