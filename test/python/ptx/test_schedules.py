"""The gpu stage of NVIDIA's targets on the CPU, through SPIR-V: a warp is a subgroup of 32 there.

test/python/race interprets the same stage, its lanes in any order.
"""

import dataclasses
import random
import re

import pytest

import profiles
import tinytc_mlir as tt
from cases.compiled_cases import device_cases, fitting
from cases.products import gemm
from cases.running import run_cases

PARTS = 4
STEP = 24 if profiles.IS_NIGHTLY else 144
VARIANTS = tuple(enumerate(("n.n", "t.n", "n.t", "t.t")))
SIZES = (40, 45, 36)
SMALL = SIZES if profiles.IS_NIGHTLY else (24, 11, 36)  # the driver takes long
TARGET = re.compile(r"#tinytc\.target<[^>]*>")
CPU = TARGET.search(str(tt.Context().parse("func @f() {\n}").lower("gpu", target="cpu")))[0]


def compile_for_the_cpu(module):
    """Return the program of a module that was scheduled for a GPU."""
    stage = str(module.lower("gpu", target="cuda:sm_90", abi="plain"))
    assert "family = nvidia_gpu" in stage
    return tt.Context().parse_mlir(TARGET.sub(CPU, stage)).compile("cpu")


@pytest.mark.parametrize("part", range(PARTS))
def test_device_cases(part):
    cases = (fitting(case, "cuda:sm_90") for case in device_cases()[part :: STEP * PARTS])
    run_cases(filter(None, cases), compile_=compile_for_the_cpu)


@pytest.mark.similar
@pytest.mark.parametrize("type_", ["f16", "i8", "f64"])
def test_tensor_cores(type_):
    """The operations of a warp, written out as shuffles and multiply-adds."""
    rng = random.Random(f"warps {type_}")
    sizes = SIZES if type_ == "f64" else SMALL
    cases = [
        gemm(rng, (type_,) * 3, transposes, number, ("packed",) * 3, sizes)
        for number, transposes in profiles.in_turns(VARIANTS, type_)
    ]

    def compile_(module):
        assert "warp_matrix_mul_add" in str(module.lower("gpu", target="cuda:sm_90", abi="plain"))
        return compile_for_the_cpu(module)

    run_cases((dataclasses.replace(case, attributes="") for case in cases), compile_=compile_)
