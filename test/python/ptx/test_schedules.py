"""The gpu stage of NVIDIA's targets on the CPU, through SPIR-V: a warp is a subgroup of 32 there.

test/python/race interprets the same stage, its lanes in any order.
"""

import re

import pytest
from cases import run_cases
from compiled_cases import device_cases, fitting

import tinytc_mlir as tt

PARTS = 4
STEP = 24
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
