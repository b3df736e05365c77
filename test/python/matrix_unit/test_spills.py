"""Loops of cooperative matrices whose sums fill half of 128 registers have 256."""

import itertools

import pytest

import profiles
import tinytc_mlir as tt
from tinytc_bench import ocloc_counts
from tinytc_mlir.explore import ocloc

needs_ocloc = pytest.mark.skipif(not ocloc.is_installed(), reason="needs ocloc")
RESULTS = {"f16": "f32", "bf16": "f32", "i8": "i32"}
#: Lanes, and rows and columns of the sums.
SIZES = {"pvc": (16, 32, 32), "dg2": (8, 32, 16)}
LENGTH = 1024
#: The most bytes that are spilled with 256 registers.
MOST = {
    ("pvc", "f16", "tn", False, ".both_checked"): 1024,
    ("pvc", "bf16", "tn", False, ".both_checked"): 1024,
    **{
        ("dg2", "i8", transposes, known, ".both_checked"): 512
        for transposes in ("nn", "nt", "tn", "tt")
        for known in (True, False)
    },
}
WAYS = list(itertools.product(("nn", "nt", "tn", "tt"), (True, False), ("", ".both_checked")))


def text(type_, gpu, transposes, is_known, checked):
    """Return a program that sums up products in a loop."""
    lanes, rows, columns = SIZES[gpu]
    result, depth = RESULTS[type_], 32 if type_ == "i8" else 16
    shapes, places = {}, {}
    for name, transpose, (m, n) in zip(
        "AB", transposes, ((rows, LENGTH), (LENGTH, columns)), strict=True
    ):
        is_turned = transpose == "t"
        shapes[name] = (f"{n}x{m}" if is_turned else f"{m}x{n}") if is_known else "?x?"
        places[name] = "%z, %k" if (name == "A") != is_turned else "%k, %z"
    sums = f"coopmatrix<{result}x{rows}x{columns},matrix_acc>"
    return f"""
func @f(%A: memref<{type_}x{shapes["A"]}>, %B: memref<{type_}x{shapes["B"]}>,
        %C: memref<{result}x{rows}x{columns}>)
    attributes {{subgroup_size={lanes}, work_group_size=[{lanes},1]}} {{
  %z = constant 0 : index
  %step = constant {depth} : index
  %end = constant {LENGTH} : index
  %zero = constant {"0" if result == "i32" else "0.0"} : {sums}
  parallel {{
    %r = for %k = %z, %end, %step init(%s = %zero) -> ({sums}) {{
      %a = cooperative_matrix_load.{transposes[0]}{checked} %A[{places["A"]}]
        : coopmatrix<{type_}x{rows}x{depth},matrix_a>
      %b = cooperative_matrix_load.{transposes[1]}{checked} %B[{places["B"]}]
        : coopmatrix<{type_}x{depth}x{columns},matrix_b>
      %e = cooperative_matrix_mul_add %a, %b, %s : {sums}
      yield (%e)
    }}
    cooperative_matrix_store %r, %C[%z, %z]
  }}
}}
"""


@needs_ocloc
@pytest.mark.parametrize("type_", RESULTS)
@pytest.mark.parametrize("gpu", SIZES)
def test_nothing_spills(gpu, type_):
    for way in profiles.in_turns(WAYS, f"{gpu} {type_}"):
        program = tt.Context().parse(text(type_, gpu, *way)).compile(f"intel-gpu:{gpu}")
        registers = program.manifest.registers or 128
        binary = ocloc.compile_binary(program.spirv, gpu, registers=registers)
        spilled = sum(ocloc_counts.spilled_bytes(binary).values())
        assert spilled <= MOST.get((gpu, type_, *way), 0), way


def test_other_hosts_have_128_registers():
    program = (
        tt.Context().parse(text("i8", "pvc", "nn", False, "")).compile("intel-gpu:pvc", abi="plain")
    )
    assert program.manifest.registers is None
