"""Products from slices by Intel's compiler: the table in docs/decisions/matrix-units.md."""

import pathlib
import re

import pytest

import tinytc_mlir as tt
from binaries import needs_ocloc, needs_spirv_val, validate
from matrix_unit.test_assembly import count, loops
from tinytc_bench import ocloc_counts
from tinytc_mlir.explore import ocloc

PAGE = pathlib.Path(__file__).parents[3] / "docs/decisions/matrix-units.md"
TABLE = PAGE.read_text(encoding="utf-8").partition("## Slices of f64")[2].partition("\n## ")[0]
ROWS = re.findall(r"^\| (f\d+) \| (\w+) \| (\d+) \| (\S+) \| (\S+) \|$", TABLE, re.MULTILINE)
#: Multiply-adds of bytes in an operation.
OPERATION = {"pvc": 8 * 16 * 32, "dg2": 8 * 8 * 32}


def recipe(type_, gpu, **options):
    return tt.recipes.ozaki_gemm(512, 512, 512, type_, target=f"intel-gpu:{gpu}", **options)


def test_the_table():
    assert [row[:2] for row in ROWS] == [("f64", "pvc"), ("f32", "pvc"), ("f32", "dg2")]


@needs_ocloc
@pytest.mark.parametrize(("type_", "gpu", "slices", "operations", "others"), ROWS)
def test_counts(type_, gpu, slices, operations, others, tmp_path):
    found = recipe(type_, gpu)
    assert found.splits == int(slices)
    products = found.splits * (found.splits + 1) / 2
    needed = 1000 * products / OPERATION[gpu]
    assert f"{needed:.1f}" == operations
    text = found.text.partition("func @gemm_beta0")[0]  # one kernel, for any beta
    spirv = tt.Context().parse(text).compile(f"intel-gpu:{gpu}").spirv
    blocks, spilled = loops(spirv, gpu, tmp_path)
    assert spilled == 0
    ratios = [len(block) / count(block, "dpas") - 1 for block in blocks if count(block, "dpas")]
    assert needed * min(ratios) <= 1.1 * float(others)


@needs_ocloc
@pytest.mark.parametrize("gpu", ["pvc", "dg2"])
def test_no_kernel_spills(gpu):
    for type_ in ("f64", "f32") if gpu == "pvc" else ("f32",):
        for options in ({}, {"transpose_a": True, "transpose_b": True}):
            binary = ocloc.compile_binary(recipe(type_, gpu, **options).program.spirv, gpu)
            assert sum(ocloc_counts.spilled_bytes(binary).values()) == 0


@needs_spirv_val
@pytest.mark.parametrize(("type_", "gpu"), [("f64", "pvc"), ("f32", "dg2"), ("f64", "bmg")])
def test_valid(type_, gpu):
    validate(recipe(type_, gpu).program.spirv)
