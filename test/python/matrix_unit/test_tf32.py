"""Products of f32 on the matrix unit, which cuts off the last 13 bits of the factors."""

import numpy as np
import pytest

import tinytc_mlir as tt
from binaries import needs_ocloc, needs_spirv_val, validate
from cases.unit_products import Gemm
from matrix_unit.test_assembly import count, loops
from matrix_unit.test_coopmatrices import text
from tinytc_mlir.gpu_stage import GpuStage

GPU = "intel-gpu:pvc"
TRANSPOSES = ("nn", "tn", "nt", "tt")
LOOP_INSTRUCTIONS = {"nn": 99, "tn": 60, "nt": 112, "tt": 80}
"""Of the loop for 64 cubed where matrices begin at multiples of 64 bytes (docs/performance.md)."""


def cut(numbers):
    """Return the numbers as the unit takes them."""
    return (numbers.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def check(gemm, alpha=1, beta=0, **options):
    a, b, c = gemm.arrays(np.random.default_rng(7))
    short = gemm.expected(alpha, cut(a), cut(b), beta, c)
    exact = gemm.expected(alpha, a, b, beta, c)
    assert gemm.run("pvc", alpha, a, b, beta, c, allow_tf32=True, **options) == []
    assert gemm.difference(c, short) <= 1
    if gemm.shape[2] >= 16:
        assert gemm.difference(c, exact) > 1  # the unit has multiplied


@pytest.mark.similar
@pytest.mark.parametrize("transpose", TRANSPOSES)
def test_numbers(transpose):
    for shape in ((64, 64, 64), (33, 17, 19), (32, 8, 17), (9, 4, 21)):
        check(Gemm("f32", "f32", shape, transpose), beta=2)
    for shape in ((40, 24, 32), (17, 9, 21), (1, 1, 1), (5, 3, 0)):
        check(Gemm("f32", "f32", shape, transpose, is_dynamic=True), alpha=3, beta=1)


@pytest.mark.parametrize("offset", [0, 1, 16])
@pytest.mark.parametrize("transpose", TRANSPOSES)
def test_blocks_and_elements(transpose, offset):
    """Matrices that begin at multiples of 64 bytes, and others."""
    source = f"""
    func @f(%A: memref<f32x4096>, %C: memref<f32x20x20>, %at: index) {{
        %z = constant 0.0 : f32
        %one = constant 1.0 : f32
        %a = subview %A[%at:400] : memref<f32x400>
        %x = expand %a[0 -> 20 x 20] : memref<f32x20x20>
        %b = subview %A[2048:400] : memref<f32x400>
        %y = expand %b[0 -> 20 x 20] : memref<f32x20x20>
        gemm.{transpose[0]}.{transpose[1]} %one, %x, %y, %z, %C
    }}"""
    gemm = Gemm("f32", "f32", (20, 20, 20), transpose)
    numbers = np.random.default_rng(5).uniform(-1, 1, 4096).astype(np.float32)
    a, b = (numbers[at : at + 400].reshape(20, 20, order="F") for at in (offset, 2048))
    c = np.zeros((20, 20), np.float32, order="F")
    module = tt.Context().parse(source)
    lowered = str(module.lower("gpu", target=GPU, allow_tf32=True))
    assert ("subgroup_block_load" in lowered) == (transpose[1] == "n")
    stage = GpuStage(module, target=GPU, allow_tf32=True)
    assert stage.check("f", [numbers, c, offset], 1) == []
    assert gemm.difference(c, gemm.expected(1, cut(a), cut(b), 0, c)) <= 1


def test_nothing_beyond_the_end_counts():
    gemm = Gemm("f32", "f32", (36, 20, 20))
    a, b, c = gemm.arrays(np.random.default_rng(1))
    a[-1], b[:, -1] = np.inf, np.nan
    assert gemm.run("pvc", 1, a, b, 0, c, allow_tf32=True) == []
    assert np.isfinite(c[:-1, :-1]).all()


@pytest.mark.parametrize(("columns", "is_on_unit"), [(6, True), (5, False)])
def test_coopmatrices(columns, is_on_unit):
    """A depth of 8, with an even number of columns."""
    shape = 32, columns, 8
    gemm = Gemm("f32", "f32", shape)
    module = tt.Context().parse(text("f32", "f32", shape, 16))
    lowered = str(module.lower("gpu", target=GPU, allow_tf32=True))
    assert ("subgroup_matrix_mul_add" in lowered) == is_on_unit
    a, b, c = gemm.arrays(np.random.default_rng(3))
    factors = (cut(a), cut(b)) if is_on_unit else (a, b)
    expected = gemm.expected(1, *factors, 1, c)
    assert GpuStage(module, target=GPU, allow_tf32=True).check("f", [a, b, c], 1) == []
    assert gemm.difference(c, expected) <= 1


def test_only_by_choice():
    module = Gemm("f32", "f32").parse()
    assert "subgroup_matrix_mul_add" not in str(module.lower("gpu", target=GPU))
    assert module.compile(GPU).spirv == module.compile(GPU, allow_tf32=False).spirv
    prepared = module.lower("prepared", target=GPU, allow_tf32=True)
    assert prepared.compile().spirv == module.compile(GPU, allow_tf32=True).spirv


def test_the_command_line(tinytc, tmp_path):
    gemm = Gemm("f32", "f32")
    file, output = tmp_path / "gemm.ir", tmp_path / "gemm.spv"
    file.write_text(gemm.text)
    words = ("compile", file, "--target", GPU, "--emit", "spirv", "-o", output)
    assert tinytc(*words, "--allow-tf32")[0] == 0
    assert output.read_bytes() == gemm.parse().compile(GPU, allow_tf32=True).spirv


@needs_ocloc
@pytest.mark.parametrize("transpose", TRANSPOSES)
def test_assembly(transpose, tmp_path):
    spirv = Gemm("f32", "f32", transpose=transpose).parse().compile(GPU, allow_tf32=True).spirv
    blocks, spilled = loops(spirv, "pvc", tmp_path)
    assert spilled == 0
    found = [block for block in blocks if count(block, "dpas")]
    largest = max(found, key=lambda block: count(block, "dpas"))
    assert count(largest, "dpas") == (8 if transpose[1] == "n" else 4)
    assert len(largest) <= 1.05 * LOOP_INSTRUCTIONS[transpose]


@needs_ocloc
@pytest.mark.parametrize("rest", [4, 2, 1])
def test_every_width(rest, tmp_path):
    """All functions, for two blocks of rows."""
    spirv = Gemm("f32", "f32", (32, 8 + rest, 8)).parse().compile(GPU, allow_tf32=True).spirv
    blocks, _ = loops(spirv, "pvc", tmp_path)
    instructions = [each for block in blocks for each in block]
    widths = {word: count(instructions, f"dpas.8x{word}") for word in (8, rest)}
    assert widths == dict.fromkeys((8, rest), 2)


@needs_ocloc
def test_coopmatrices_in_assembly(tmp_path):
    module = tt.Context().parse(text("f32", "f32", (32, 14, 8), 16))
    spirv = module.compile(GPU, allow_tf32=True).spirv
    blocks, _ = loops(spirv, "pvc", tmp_path)
    instructions = [each for block in blocks for each in block]
    widths = {word: count(instructions, f"dpas.8x{word}") for word in (8, 4, 2)}
    assert widths == dict.fromkeys((8, 4, 2), 2)


@needs_spirv_val
def test_valid():
    for is_dynamic in (False, True):
        module = Gemm("f32", "f32", (64, 40, 33), is_dynamic=is_dynamic).parse()
        validate(module.compile("intel-gpu:bmg", allow_tf32=True).spirv)
