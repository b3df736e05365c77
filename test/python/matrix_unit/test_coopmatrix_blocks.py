"""Coopmatrices that a subgroup reads by blocks: numbers at the gpu stage, and instructions."""

import numpy as np
import pytest

import tinytc_mlir as tt
from binaries import needs_ocloc, needs_spirv_val, validate
from cases.unit_products import Gemm
from matrix_unit.test_assembly import count, loops
from tinytc_mlir.gpu_stage import GpuStage
from tinytc_mlir.reference import interpret

HALVES = {"nn": 60, "tn": 59, "nt": 76, "tt": 76}
LOOP_INSTRUCTIONS = {
    "f16": HALVES,
    "bf16": HALVES,
    "i8": {"nn": 59, "tn": 58, "nt": 145, "tt": 170},
}
"""Of a loop with eight operations of the unit; as docs/decisions/matrix-units.md has them."""
DTYPES = {"f16": np.float16, "i8": np.int8, "f32": np.float32}
SIZE = 8192


def product(type_, result, transpose="nn", checked="", shape=(64, 64, 64), is_dynamic=False):
    """Return a program with a loop over products of 32 x 32, for one subgroup."""
    m, n, k = shape
    depth = 32 if type_ == "i8" else 16
    gemm = Gemm(type_, result, shape, transpose, is_dynamic)
    a, b, c = (
        f"memref<{each}x{'?x?' if is_dynamic else f'{sizes[0]}x{sizes[1]}'}>"
        for each, sizes in zip((type_, type_, result), gemm.shapes, strict=True)
    )
    at_a = "%i,%p" if transpose[0] == "n" else "%p,%i"
    at_b = "%p,%j" if transpose[1] == "n" else "%j,%p"
    sums = f"coopmatrix<{result}x32x32,matrix_acc>"
    return f"""
    func @f(%A: {a}, %B: {b}, %C: {c})
            attributes {{subgroup_size=16, work_group_size=[16,1]}} {{
        %o = constant 0 : index
        %m = constant {m} : index %n = constant {n} : index %k = constant {k} : index
        %t = constant 32 : index %d = constant {depth} : index
        parallel {{
            for %j : index = %o,%n,%t {{
                for %i : index = %o,%m,%t {{
                    %zero = constant {"0" if type_ == "i8" else "0.0"} : {sums}
                    %sum = for %p : index = %o,%k,%d init(%c=%zero) -> ({sums}) {{
                        %a = cooperative_matrix_load.{transpose[0]}{checked} %A[{at_a}]
                            : coopmatrix<{type_}x32x{depth},matrix_a>
                        %b = cooperative_matrix_load.{transpose[1]}{checked} %B[{at_b}]
                            : coopmatrix<{type_}x{depth}x32,matrix_b>
                        %next = cooperative_matrix_mul_add %a, %b, %c : {sums}
                        yield (%next)
                    }}
                    cooperative_matrix_store.n{checked} %sum, %C[%i,%j]
                }}
            }}
        }}
    }}"""


@pytest.mark.similar
@pytest.mark.parametrize("transpose", ["nn", "tn", "nt", "tt"])
@pytest.mark.parametrize(("type_", "result"), [("f16", "f32"), ("bf16", "f32"), ("i8", "i32")])
def test_products(type_, result, transpose):
    """Sizes that are known, and those that are not, with checks."""
    for shape, checked, is_dynamic in (
        ((64, 32, 64), "", False),
        ((80, 48, 96), ".both_checked", True),
    ):
        gemm = Gemm(type_, result, shape, transpose)
        a, b, c = gemm.arrays(np.random.default_rng(2))
        expected = gemm.expected(1, a, b, 0, c)
        module = tt.Context().parse(product(type_, result, transpose, checked, shape, is_dynamic))
        assert "subgroup_block_load" in str(module.lower("gpu", target="intel-gpu:pvc"))
        stage = GpuStage(module, target="intel-gpu:pvc")
        assert stage.check("f", [a, b, c], 1) == []
        assert gemm.difference(c, expected) <= 1


def copy(type_, use, shape, modifiers, at):
    """Return a program that copies a coopmatrix from a part of an array, and the part's shape."""
    rows, columns = (128, 48) if type_ == "i8" else (96, 64)
    m, n = shape
    return f"""
    func @f(%A: memref<{type_}x{SIZE}>, %C: memref<{type_}x{m}x{n}>, %at: index,
            %x: index, %y: index)
            attributes {{subgroup_size=16, work_group_size=[16,1]}} {{
        %part = subview %A[%at:{rows * columns}] : memref<{type_}x{rows * columns}>
        %M = expand %part[0 -> {rows} x {columns}] : memref<{type_}x{rows}x{columns}>
        %o = constant 0 : index
        %four = constant 4 : index
        %row = mul %x, %four : index
        parallel {{
            %a = cooperative_matrix_load{modifiers} %M[{at}] : coopmatrix<{type_}x{m}x{n},{use}>
            cooperative_matrix_store.n %a, %C[%o,%o]
        }}
    }}"""


HAVE_BLOCKS = {
    "f16": [".n", ".t"],
    "i8": [".n", ".t"],
    "f32": [".t"],
}


@pytest.mark.similar
@pytest.mark.parametrize("use", ["matrix_a", "matrix_b", "matrix_acc"])
@pytest.mark.parametrize("transpose", [".n", ".t"])
@pytest.mark.parametrize("type_", HAVE_BLOCKS)
def test_places(type_, transpose, use):
    """Aligned or not, inside or, where that is checked, beyond any end."""
    numbers = np.random.default_rng(1).integers(-100, 100, SIZE).astype(DTYPES[type_])
    for checked in ("", ".both_checked"):
        places = [(0, 0), (4, 3)]
        if checked:
            places += [(-2, -5), (22, 50), (-8, 40), (1 << 40, 0), (0, -(1 << 40))]
        module = tt.Context().parse(
            copy(type_, use, (32, 32), transpose + checked, "%row,%y"), "copy.ir"
        )
        lowered = str(module.lower("gpu", target="intel-gpu:pvc"))
        assert ("subgroup_block_load" in lowered) == (transpose in HAVE_BLOCKS[type_])
        stage = GpuStage(module, target="intel-gpu:pvc")
        for offset in (0, 64, 4):
            for x, y in places:
                expected = np.zeros((32, 32), DTYPES[type_], order="F")
                found = expected.copy(order="F")
                interpret(module, "f", [numbers, expected, offset, x, y])
                assert stage.check("f", [numbers, found, offset, x, y], 1) == []
                assert np.array_equal(found, expected), (checked, offset, x, y)


@pytest.mark.parametrize(
    ("shape", "modifiers", "at"),
    [
        ((32, 32), ".t", "%x,%y"),  # a word may begin before the matrix
        ((24, 32), ".n", "%row,%y"),
        ((32, 20), ".n", "%row,%y"),
        ((8, 32), ".n", "%row,%y"),
    ],
)
def test_no_blocks(shape, modifiers, at):
    """Blocks would have more than the matrix, or other elements."""
    module = tt.Context().parse(copy("f16", "matrix_a", shape, modifiers, at))
    assert "subgroup_block_load" not in str(module.lower("gpu", target="intel-gpu:pvc"))


@pytest.mark.similar
@needs_ocloc
@pytest.mark.parametrize("transpose", LOOP_INSTRUCTIONS["i8"])
def test_pairs_of_bytes(transpose, tmp_path):
    """32,768 multiply-adds; with pairs of rows, nothing is joined but a transposed B."""
    spirv = tt.Context().parse(product("i8", "i32", transpose)).compile("intel-gpu:pvc").spirv
    blocks, _ = loops(spirv, "pvc", tmp_path)
    by_blocks, _ = sorted((b for b in blocks if count(b, "dpas")), key=len)
    assert count(by_blocks, "dpas") == 8
    assert len(by_blocks) <= 1.05 * LOOP_INSTRUCTIONS["i8"][transpose]


@pytest.mark.similar
@needs_ocloc
@pytest.mark.parametrize("transpose", ["nn", "tn", "nt", "tt"])
@pytest.mark.parametrize("type_", ["f16", "bf16"])
def test_blocks_feed_the_unit(type_, transpose, tmp_path):
    """16,384 multiply-adds in fewer than 100 instructions; elements are another loop."""
    spirv = tt.Context().parse(product(type_, "f32", transpose)).compile("intel-gpu:pvc").spirv
    blocks, spilled = loops(spirv, "pvc", tmp_path)
    assert spilled == 0
    by_blocks, by_elements = sorted((b for b in blocks if count(b, "dpas")), key=len)
    assert count(by_blocks, "dpas") == count(by_elements, "dpas") == 8
    assert count(by_elements, "load_block2d") == 0
    block_loads = 4 if transpose[1] == "t" else 6
    assert count(by_blocks, "load_block2d") == count(by_blocks, "load") == block_loads
    assert len(by_blocks) <= 1.05 * LOOP_INSTRUCTIONS[type_][transpose]


@needs_spirv_val
@pytest.mark.parametrize("gpu", ["pvc", "dg2", "bmg"])
@pytest.mark.parametrize(("type_", "result"), [("f16", "f32"), ("bf16", "f32"), ("i8", "i32")])
def test_valid(type_, result, gpu):
    for checked, is_dynamic in (("", False), (".both_checked", True)):
        text = product(type_, result, "tn", checked, is_dynamic=is_dynamic)
        validate(tt.Context().parse(text).compile(f"intel-gpu:{gpu}").spirv)
