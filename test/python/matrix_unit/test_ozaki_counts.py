"""Products from slices by Intel's compiler do not take more instructions than they did."""

import pytest

import tinytc_mlir as tt
from binaries import needs_ocloc, needs_spirv_val, validate
from matrix_unit.test_assembly import count, loops
from tinytc_bench import ocloc_counts
from tinytc_mlir.explore import ocloc

#: Slices and, for 1,000 multiply-adds, operations of the unit and other instructions of its loop.
ROWS = (
    ("f64", "pvc", 9, 11.0, 96.1),
    ("f32", "pvc", 4, 2.4, 21.4),
    ("f32", "dg2", 4, 4.9, 45.2),
)
#: Multiply-adds of bytes in an operation.
OPERATION = {"pvc": 8 * 16 * 32, "dg2": 8 * 8 * 32}


def recipe(type_, gpu, **options):
    return tt.recipes.ozaki_gemm(512, 512, 512, type_, target=f"intel-gpu:{gpu}", **options)


@needs_ocloc
@pytest.mark.parametrize(("type_", "gpu", "slices", "operations", "others"), ROWS)
def test_counts(type_, gpu, slices, operations, others, tmp_path):
    found = recipe(type_, gpu)
    assert found.splits == slices
    products = found.splits * (found.splits + 1) / 2
    needed = 1000 * products / OPERATION[gpu]
    assert round(needed, 1) == operations
    text = found.text.partition("func @gemm_beta0")[0]  # one kernel, for any beta
    spirv = tt.Context().parse(text).compile(f"intel-gpu:{gpu}").spirv
    blocks, spilled = loops(spirv, gpu, tmp_path)
    assert spilled == 0
    ratios = [len(block) / count(block, "dpas") - 1 for block in blocks if count(block, "dpas")]
    assert needed * min(ratios) <= 1.1 * others


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
