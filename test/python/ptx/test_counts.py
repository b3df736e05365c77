"""The counts of products in docs/nvidia.md: code does not grow beyond them."""

import pathlib
import re

import pytest

import tinytc_mlir as tt
from tinytc_bench import ptxas
from tinytc_bench.cases import all_cases

pytestmark = pytest.mark.skipif(not ptxas.is_installed(), reason="ptxas is not installed")

PAGE = pathlib.Path(__file__).parents[3] / "docs/nvidia.md"
ROW = re.compile(r"^\| (gemm\.\S+) \| (sm_\d+)" + 4 * r" \| (\d+)" + r" \|$", re.MULTILINE)
ROWS = ROW.findall(PAGE.read_text())
UNIT_ROW = re.compile(r"^\| (gemm\.\S+) \| (sm_\d+)" + 5 * r" \| (\d+)" + r" \|$", re.MULTILINE)
UNIT_ROWS = UNIT_ROW.findall(PAGE.read_text())


def measure(case, chip):
    """Return the counts of the kernel that aligned arrays take."""
    program = tt.Context().parse(all_cases()[case].ours.text).compile(ptxas.CHIPS[chip])
    variant = program.kernels["gemm"].aligned_variant
    return ptxas.measure(program.ptx, chip)[variant or "gemm"]


@pytest.mark.similar
@pytest.mark.parametrize("case, chip, multiply_adds, loads, registers, spilled", ROWS)
def test_counts(case, chip, multiply_adds, loads, registers, spilled):
    found = measure(case, chip)
    assert found["loads"] <= int(loads)
    assert found["registers"] <= int(registers) <= 128
    assert found["spilled_bytes"] == int(spilled) == 0
    assert found["loads"] / found["multiply_adds"] <= int(loads) / int(multiply_adds) <= 0.55


@pytest.mark.similar
@pytest.mark.parametrize(
    "case, chip, operations, loads, instructions, registers, spilled", UNIT_ROWS
)
def test_tensor_cores(case, chip, operations, loads, instructions, registers, spilled):
    found = measure(case, chip)
    assert found["dot_products"] == int(operations)
    assert found["multiply_adds"] == 0
    assert found["loads"] <= int(loads)
    assert found["instructions"] <= int(instructions)
    assert found["registers"] <= int(registers)
    assert found["spilled_bytes"] == int(spilled) == 0


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
