"""Stages in local memory at the gpu stage: controls without a wait or a barrier are found."""

import re

import numpy as np
import pytest

import tinytc_mlir as tt
from staged_products import stage
from tinytc_mlir.gpu_stage import GpuStage, Kind

TARGET = "cuda:sm_90"
SIZE = 36
PROGRAM = f"""
func @gemm(%A: memref<f64x{SIZE}x{SIZE}>, %B: memref<f64x{SIZE}x{SIZE}>,
           %C: memref<f64x{SIZE}x{SIZE}>) {{
  %one = constant 1.0 : f64
  %zero = constant 0.0 : f64
  gemm.n.t %one, %A, %B, %zero, %C
}}
"""
WAIT = r"nvvm\.cp\.async\.wait\.group \d+"
BARRIER = r"gpu\.barrier[^\n]*"


def lowered():
    module = stage(tt.Context().parse(PROGRAM), grid=(1, 2), steps=8, stages=3)
    return str(module.lower("gpu", target=TARGET))


def check(text, **options):
    """Run MLIR of the gpu stage; return C, the product, and the kinds of findings."""
    rng = np.random.default_rng(4)
    a, b = (np.asfortranarray(rng.integers(1, 9, (SIZE, SIZE)), float) for _ in range(2))
    c = np.full((SIZE, SIZE), np.nan, order="F")
    kernels = GpuStage(tt.Context().parse_mlir(text), target=TARGET)
    flat = [each.ravel(order="K") for each in (a, b, c)]
    findings = kernels.check("gemm", flat, **options)
    return flat[2].reshape((SIZE, SIZE), order="F"), a @ b.T, {each.kind for each in findings}


@pytest.mark.parametrize("options", [{}, {"seed": 1}], ids=str)
def test_stages(options):
    c, expected, kinds = check(lowered(), **options)
    assert not kinds
    np.testing.assert_array_equal(c, expected)


def test_a_missing_wait_leaves_elements_undefined():
    text, count = re.subn(WAIT, "", lowered())
    assert count
    c, expected, kinds = check(text)
    assert Kind.UNINITIALISED in kinds
    assert not np.array_equal(c, expected)


def test_a_missing_barrier_is_a_race():
    head, wait, tail = re.split(f"({WAIT})", lowered(), maxsplit=1)
    text = head + wait + re.sub(BARRIER, "", tail, count=1)
    assert Kind.RACE in check(text)[2]


@pytest.mark.parametrize("value", ["77.0", "itself"])
def test_a_source_that_is_stored_to_before_the_wait_leaves_elements_undefined(value):
    text = lowered()
    copy = re.search(r"\n *%\w+ = nvgpu\.device_async_copy (%\w+)\[(%\w+)\], .*\n", text)
    source, index = copy[1], copy[2]
    zero = f"%changed = memref.load {source}[{index}] : memref<?xf64>\n"
    if value != "itself":
        zero = f"%changed = arith.constant {value} : f64\n"
    store = f"memref.store %changed, {source}[{index}] : memref<?xf64>\n"
    changed = text[: copy.end()] + zero + store + text[copy.end() :]
    assert Kind.UNINITIALISED in check(changed)[2]
