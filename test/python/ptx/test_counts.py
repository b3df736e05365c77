"""The counts of products that docs/nvidia.md shows: code does not grow beyond them."""

import json
import pathlib

import pytest

import tinytc_mlir as tt
from tinytc_bench import ptxas
from tinytc_bench.cases import all_cases

pytestmark = pytest.mark.skipif(not ptxas.is_installed(), reason="ptxas is not installed")

TABLES = json.loads(
    (pathlib.Path(__file__).parents[3] / "docs/measurements/nvidia.json").read_text()
)
ROWS, UNIT_ROWS, STAGE_ROWS = (
    TABLES[name]["rows"] for name in ("products", "tensor cores", "stages")
)


def measure(case, chip):
    """Return the counts of the kernel that aligned arrays take."""
    program = tt.Context().parse(all_cases()[case].ours.text).compile(ptxas.CHIPS[chip])
    variant = program.kernels["gemm"].aligned_variant
    return ptxas.measure(program.ptx, chip)[variant or "gemm"]


@pytest.mark.similar
@pytest.mark.parametrize("case, chip, multiply_adds, loads, registers, spilled", ROWS)
def test_counts(case, chip, multiply_adds, loads, registers, spilled):
    found = measure(case, chip)
    assert found["loads"] <= loads
    assert found["registers"] <= registers <= 128
    assert found["spilled_bytes"] == spilled == 0
    assert found["loads"] / found["multiply_adds"] <= loads / multiply_adds <= 0.55


@pytest.mark.similar
@pytest.mark.parametrize(
    "case, chip, operations, loads, instructions, registers, spilled", UNIT_ROWS
)
def test_tensor_cores(case, chip, operations, loads, instructions, registers, spilled):
    found = measure(case, chip)
    assert found["dot_products"] == operations
    assert found["multiply_adds"] == 0
    assert found["loads"] <= loads
    assert found["instructions"] <= instructions
    assert found["registers"] <= registers
    assert found["spilled_bytes"] == spilled == 0


@pytest.mark.similar
@pytest.mark.parametrize(
    "case, multiply_adds, operations, loads, registers, spilled, local_bytes", STAGE_ROWS
)
def test_stages(case, multiply_adds, operations, loads, registers, spilled, local_bytes):
    program = tt.Context().parse(all_cases()[case].ours.text).compile(ptxas.CHIPS["sm_90"])
    info = program.kernels["gemm"]
    found = ptxas.measure(program.ptx, "sm_90")[info.aligned_variant]
    assert found["multiply_adds"] <= multiply_adds
    assert found["dot_products"] == operations
    assert found["wide_loads"] <= loads
    assert found["registers"] <= registers
    assert found["spilled_bytes"] == spilled == 0
    assert info.local_memory_bytes == local_bytes


@pytest.mark.parametrize("rows", [ROWS, UNIT_ROWS])
def test_the_tables(rows):
    assert {chip for _, chip, *_ in rows} == set(ptxas.CHIPS)


def test_members_of_groups():
    """Loads of 128 bits, for members that begin anywhere and for aligned ones."""
    text = """
func @f(%A: group<memref<f32x32x32>x?>, %B: memref<f32x32x32>, %C: group<memref<f32x32x32>x?>) {
  %g = builtin.group_id : index
  %a = load %A[%g] : memref<f32x32x32>
  %c = load %C[%g] : memref<f32x32x32>
  %one = constant 1.0 : f32
  gemm.n.n %one, %a, %B, %one, %c
}
"""
    program = tt.Context().parse(text).compile(ptxas.CHIPS["sm_90"])
    info = program.kernels["f"]
    found = ptxas.measure(program.ptx, "sm_90")
    assert found["f"]["wide_loads"] == 0
    assert 0 < found[info.aligned_variant]["wide_loads"] < 20
    members = found[info.aligned_members_variant]
    assert members["wide_loads"] >= 20
    assert members["loads"] <= 22
    assert members["spilled_bytes"] == 0
