"""The counts of products in docs/nvidia.md: code does not grow beyond them."""

import pathlib
import re

import pytest

import tinytc_mlir as tt
from tinytc_mlir.bench import ptxas
from tinytc_mlir.bench.cases import all_cases

pytestmark = pytest.mark.skipif(not ptxas.is_installed(), reason="ptxas is not installed")

PAGE = pathlib.Path(__file__).parents[3] / "docs/nvidia.md"
ROW = re.compile(r"^\| (gemm\.\S+) \| (sm_\d+)" + 4 * r" \| (\d+)" + r" \|$", re.MULTILINE)
ROWS = ROW.findall(PAGE.read_text())


@pytest.mark.parametrize("case, chip, multiply_adds, loads, registers, spilled", ROWS)
def test_counts(case, chip, multiply_adds, loads, registers, spilled):
    program = tt.Context().parse(all_cases()[case].ours.text).compile(ptxas.CHIPS[chip])
    found = ptxas.measure(program.ptx, chip)["gemm__aligned"]
    assert found["loads"] <= int(loads)
    assert found["registers"] <= int(registers) <= 128
    assert found["spilled_bytes"] == int(spilled) == 0
    assert found["loads"] / found["multiply_adds"] <= int(loads) / int(multiply_adds) <= 0.5


def test_the_table():
    assert {chip for _, chip, *_ in ROWS} == set(ptxas.CHIPS)
