"""Moves and conversions of halves in products of f16: docs/decisions/tensor-cores.md has them."""

import pathlib
import re

import pytest

import tinytc_mlir as tt

PAGE = pathlib.Path(__file__).parents[3] / "docs/decisions/tensor-cores.md"
ROW = re.compile(r"^\| (plain|transposed), (plain|transposed)" + 4 * r" \| (\d+)" + r" \|$", re.M)
ROWS = ROW.findall(PAGE.read_text())
FLAGS = {"plain": "n", "transposed": "t"}


def product(transpose_a, transpose_b, beta):
    matrix = "memref<f16x64x64>"
    program = tt.Context().parse(f"""
func @f(%A: memref<f16x64x64x?>, %B: {matrix}, %C: memref<f16x64x64x?>) {{
  %g = builtin.group_id : index
  %a = subview %A[:, :, %g] : {matrix}
  %c = subview %C[:, :, %g] : {matrix}
  %one = constant 1.0 : f16
  %beta = constant {beta} : f16
  gemm.{FLAGS[transpose_a]}.{FLAGS[transpose_b]} %one, %a, %B, %beta, %c
}}
""")
    program = program.compile("cuda:sm_90")
    text = program.ptx.partition(f".entry {program.kernels['f'].aligned_variant}(")[2]
    return text.partition("\n}")[0]


@pytest.mark.parametrize("beta", [0.0, 1.0])
@pytest.mark.parametrize("a, b, joined, converted, converted_with_c, apart", ROWS)
def test_counts(a, b, joined, converted, converted_with_c, apart, beta):
    text = product(a, b, beta)
    assert text.count("mma.sync") == 32
    assert len(re.findall(r"mov\.b32\s+%r\d+, \{", text)) == int(joined)
    conversions = len(re.findall(r"cvt\S*\.f16", text))
    assert conversions == int(converted_with_c if beta else converted)
    assert len(re.findall(r"mov\.b32\s+\{", text)) == (int(apart) if beta else 0)


def test_the_table():
    assert len(ROWS) == 4
