"""Moves and conversions of halves in products of f16: no more than are needed."""

import re

import pytest

import tinytc_mlir as tt

#: Registers into which two neighbours along the summed mode are joined, by transposes.
JOINED = {"n.n": 32, "n.t": 64, "t.n": 0, "t.t": 32}


def product(transposes, beta):
    matrix = "memref<f16x64x64>"
    program = tt.Context().parse(f"""
func @f(%A: memref<f16x64x64x?>, %B: {matrix}, %C: memref<f16x64x64x?>) {{
  %g = builtin.group_id : index
  %a = subview %A[:, :, %g] : {matrix}
  %c = subview %C[:, :, %g] : {matrix}
  %one = constant 1.0 : f16
  %beta = constant {beta} : f16
  gemm.{transposes} %one, %a, %B, %beta, %c
}}
""")
    program = program.compile("cuda:sm_90")
    text = program.ptx.partition(f".entry {program.kernels['f'].aligned_variant}(")[2]
    return text.partition("\n}")[0]


@pytest.mark.parametrize("beta", [0.0, 1.0])
@pytest.mark.parametrize(("transposes", "joined"), JOINED.items())
def test_counts(transposes, joined, beta):
    text = product(transposes, beta)
    assert text.count("mma.sync") == 32
    assert len(re.findall(r"mov\.b32\s+%r\d+, \{", text)) == joined
    assert len(re.findall(r"cvt\S*\.f16", text)) == (48 if beta else 16)
    assert len(re.findall(r"mov\.b32\s+\{", text)) == (16 if beta else 0)
