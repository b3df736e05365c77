"""What Intel's compiler makes of products for the matrix unit.

It drops a call of a function that it does not know without an error, so the instructions are
counted.
"""

import re

import pytest

import tinytc_mlir as tt
from binaries import needs_ocloc, needs_spirv_val, validate
from cases.unit_products import GPUS, TYPES, Gemm
from tinytc_bench import ocloc_counts
from tinytc_mlir.explore import ocloc

in_all_ways = pytest.mark.parametrize("transpose", ["nn", "tn", "nt", "tt"])
of_all_types = pytest.mark.parametrize(
    ("type_", "result"), [("f16", "f32"), ("bf16", "f32"), ("i8", "i32")]
)

HALVES = {"nn": 60, "tn": 60, "nt": 75, "tt": 75}
LOOP_INSTRUCTIONS = {
    "f16": HALVES,
    "bf16": HALVES,
    "i8": {"nn": 54, "tn": 55, "nt": 141, "tt": 142},
}
"""For eight operations of the unit: 16,384 multiply-adds, 32,768 of bytes; as the table of
docs/decisions/matrix-units.md has them."""
DG2_INSTRUCTIONS = {
    "f16": {"nn": 78, "tn": 84, "nt": 80, "tt": 80},
    "bf16": {"nn": 78, "tn": 84, "nt": 80, "tt": 80},
    "i8": {"nn": 80, "tn": 82, "nt": 80, "tt": 82},
}
"""The same on dg2, for sixteen operations of the unit: as many multiply-adds."""


def loops(spirv, gpu, folder):
    """Return, for each basic block, its instructions by mnemonic; and the bytes spilled."""
    binary = ocloc.compile_binary(spirv, gpu, dump=folder)
    assembly = max(folder.glob("*_entry_0001.asm"), key=lambda path: path.stat().st_mtime_ns)
    blocks = [[]]
    for line in assembly.read_text().splitlines():
        if re.match(r"\w+:", line):
            blocks.append([])
        elif match := re.match(r"(?:\([^)]*\))?\s+([a-z][\w.]*)", line):
            blocks[-1].append(match[1])
    return blocks, sum(ocloc_counts.spilled_bytes(binary).values())


def count(block, word):
    """Return how many instructions of a block have a mnemonic that begins so."""
    return sum(each.startswith(word) for each in block)


@pytest.mark.similar
@needs_ocloc
@in_all_ways
@of_all_types
def test_blocks_feed_the_unit(type_, result, transpose, tmp_path):
    """One way reads blocks, the other, for other addresses, elements."""
    spirv = Gemm(type_, result, transpose=transpose).parse().compile("intel-gpu:pvc").spirv
    blocks, spilled = loops(spirv, "pvc", tmp_path)
    assert spilled == 0
    found = [block for block in blocks if count(block, "dpas")]
    by_elements, by_blocks = sorted(found, key=lambda block: count(block, "dpas"))
    assert count(by_blocks, "dpas") == 8
    assert count(by_elements, "dpas") == (2 if type_ == "i8" else 4)
    block_loads = 4 if transpose[1] == "t" else 6
    assert count(by_blocks, "load_block2d") == count(by_blocks, "load") == block_loads
    assert len(by_blocks) <= 1.05 * LOOP_INSTRUCTIONS[type_][transpose]


@pytest.mark.similar
@needs_ocloc
@in_all_ways
@of_all_types
def test_hottest_loop_of_dg2(type_, result, transpose, tmp_path):
    spirv = Gemm(type_, result, transpose=transpose).parse().compile("intel-gpu:dg2").spirv
    blocks, spilled = loops(spirv, "dg2", tmp_path)
    assert spilled == 0
    (loop,) = (block for block in blocks if count(block, "dpas"))
    instructions = 16 * len(loop) / count(loop, "dpas")
    assert instructions <= 1.05 * DG2_INSTRUCTIONS[type_][transpose]


UNKNOWN_SIZES = {
    "f16": {"n": (126, 79), "t": (63, 79)},
    "bf16": {"n": (126, 79), "t": (63, 79)},
    "i8": {"n": (165, 91), "t": (76, 91)},
}
"""Instructions for a piece of A, which is plain or transposed, and for one of B, of sizes that
only the launch knows."""


@pytest.mark.similar
@needs_ocloc
@in_all_ways
@of_all_types
def test_unknown_sizes_of_dg2(type_, result, transpose, tmp_path):
    """Four operations of a loop, and pieces that do not go beyond the end."""
    gemm = Gemm(type_, result, transpose=transpose, is_dynamic=True)
    blocks, spilled = loops(gemm.parse().compile("intel-gpu:dg2").spirv, "dg2", tmp_path)
    assert spilled == 0
    (loop,) = (block for block in blocks if count(block, "dpas"))
    assert count(loop, "dpas") == count(loop, "load") == 4
    assert len(loop) <= 42
    packing = [block for block in blocks if count(block, "store.slm") == 2]
    _, of_a, _, of_b = packing
    most_a, most_b = UNKNOWN_SIZES[type_][transpose[0]]
    assert (len(of_a), len(of_b)) <= (1.05 * most_a, 1.05 * most_b)


@pytest.mark.similar
@needs_ocloc
@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize(("type_", "result"), TYPES)
def test_types(type_, result, gpu, tmp_path):
    spirv = Gemm(type_, result).parse().compile(f"intel-gpu:{gpu}").spirv
    blocks, spilled = loops(spirv, gpu, tmp_path)
    assert spilled == 0
    assert any(count(block, "dpas") for block in blocks)


def product_of_matrices(type_, result, columns, lanes):
    """Return a program that multiplies coopmatrices."""
    depth = 32 if type_ == "i8" else 16
    return f"""
    func @f(%A: memref<{type_}x{2 * lanes}x{depth}>, %B: memref<{type_}x{depth}x{columns}>,
            %C: memref<{result}x{2 * lanes}x{columns}>) attributes {{subgroup_size={lanes}}} {{
        %o = constant 0 : index
        parallel {{
            %a = cooperative_matrix_load.n %A[%o,%o]
                : coopmatrix<{type_}x{2 * lanes}x{depth},matrix_a>
            %b = cooperative_matrix_load.n %B[%o,%o]
                : coopmatrix<{type_}x{depth}x{columns},matrix_b>
            %c = cooperative_matrix_load.n %C[%o,%o]
                : coopmatrix<{result}x{2 * lanes}x{columns},matrix_acc>
            %d = cooperative_matrix_mul_add %a, %b, %c
                : coopmatrix<{result}x{2 * lanes}x{columns},matrix_acc>
            cooperative_matrix_store %d, %C[%o,%o]
        }}
    }}"""


@pytest.mark.similar
@needs_ocloc
@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize(("type_", "result"), TYPES)
def test_every_width(type_, result, gpu, tmp_path):
    """15 columns are 8, 4, 2 and 1: all functions of a type, for two blocks of rows."""
    text = product_of_matrices(type_, result, 15, GPUS[gpu])
    spirv = tt.Context().parse(text).compile(f"intel-gpu:{gpu}").spirv
    blocks, _ = loops(spirv, gpu, tmp_path)
    instructions = [each for block in blocks for each in block]
    widths = {word: count(instructions, f"dpas.8x{word}") for word in (8, 4, 2, 1)}
    assert widths == dict.fromkeys((8, 4, 2, 1), 2)


@pytest.mark.similar
@needs_spirv_val
@pytest.mark.parametrize("gpu", [*GPUS, "bmg"])
@pytest.mark.parametrize(("type_", "result"), TYPES)
def test_valid(type_, result, gpu):
    """The oldest compilers do not know bmg: its modules are only checked here."""
    for is_dynamic in (False, True):
        module = Gemm(type_, result, (64, 40, 33), is_dynamic=is_dynamic).parse()
        validate(module.compile(f"intel-gpu:{gpu}").spirv)
