"""Operations and bytes of a group, as the manifest says them."""

import pathlib

import pytest

import tinytc_mlir as tt
from tinytc_mlir.runtime.manifest import Manifest

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"
PARAMETERS = (
    "%n: index, %c: bool, %A: memref<c32x3x5>, %B: memref<c32x5x4>, %C: memref<c32x3x4>, "
    "%X: memref<f64x8x9>, %Y: memref<f64x8x9>, %D: memref<f32x?x4>, %G: group<memref<f64x8x9>x?>"
)
NUMBERS = """%unit = constant 1.0 : f64
%zero = constant 0.0 : f64
%unit32 = constant 1.0 : f32
"""
ONE = "%one = constant [1.0, 0.0] : c32\n"
GEMM = "gemm.n.n %one, %A, %B, %one, %C"
GEMM_FLOPS, GEMM_BYTES = 8 * 3 * 4 * 5, 8 * (3 * 5 + 5 * 4 + 2 * 3 * 4)


def work(body):
    text = f"func @f({PARAMETERS}) {{ {NUMBERS}{body} }}"
    info = tt.Context().parse(text).compile("cpu")["f"].info
    return info.flops_per_group, info.bytes_per_group


def test_products():
    info = tt.Context().parse_file(EXAMPLES / "fused_kernel.ir").compile("cpu")["fused_kernel"].info
    assert info.flops_per_group == 2 * 16 * 8 * 8 + 2 * 16 * 16 * 8
    assert work(ONE) == (0, 0)
    assert work(ONE + GEMM) == (GEMM_FLOPS, GEMM_BYTES)
    hadamard = "\nhadamard_product %one, %C, %C, %one, %C"
    assert work(ONE + GEMM + hadamard) == (GEMM_FLOPS + 8 * 3 * 4, GEMM_BYTES)
    assert work("axpby %unit, %X, %zero, %Y") == (0, 8 * 2 * 8 * 9)


@pytest.mark.parametrize(
    "body",
    [
        ONE + f"if %c {{ {GEMM} }}",
        ONE + f"for %k = 0, %n {{ {GEMM} }}",
        "parallel { %v = load %X[0, 0] : f64\n%w = mul %v, %v : f64\nstore %w, %Y[0, 0] }",
    ],
    ids=["condition", "loop", "parallel"],
)
def test_what_is_not_known(body):
    flops, moved_bytes = work(body)
    assert moved_bytes is None or "parallel" not in body
    assert flops is None or "parallel" in body


def test_dynamic_sizes():
    assert work("axpby %unit32, %D, %unit32, %D") == (0, None)


def test_loops():
    """The matrices are the same in each iteration, so they move once."""
    assert work(ONE + f"for %k = 3, 10, 2 {{ {GEMM} }}") == (4 * GEMM_FLOPS, GEMM_BYTES)
    assert work(ONE + f"for %k = 3, 3 {{ {GEMM} }}") == (0, GEMM_BYTES)
    nested = f"for %k = 0, 2 {{ for %l : i32 = 0, 3 {{ {GEMM} }} }}"
    assert work(ONE + nested) == (6 * GEMM_FLOPS, GEMM_BYTES)


def test_views_that_a_loop_makes():
    body = """for %k = 0, 9 {
      %x = subview %X[:, %k] : memref<f64x8>
      %y = subview %Y[:, %k] : memref<f64x8>
      axpby %unit, %x, %unit, %y
    }"""
    assert work(body) == (0, 9 * 8 * 3 * 8)
    assert work(f"if %c {{ {body} }}") == (0, None)


def test_members_of_groups():
    member = "%g = group_id.x : index\n%m = load %G[%g] : memref<f64x8x9>\n"
    assert work(member + "axpby %unit, %m, %zero, %Y") == (0, 8 * 2 * 8 * 9)


def test_local_memory_does_not_count():
    body = """%l = alloca : memref<f64x8x9, local>
    axpby %unit, %X, %zero, %l
    axpby %unit, %l, %zero, %Y"""
    assert work(body) == (0, 8 * 2 * 8 * 9)


def test_foreach():
    """Sums and products of numbers count, those of integers and functions do not."""
    body = """foreach (%i, %j) = (0, 1), (8, 9) {
      %x = load %X[%i, %j] : f64
      %k = add %i, %j : index
      %s = add %x, 1.0 : f64
      %p = mul %s, %x : f64
      %e = exp %p : f64
      %q = div %e, %s : f64
      store %q, %Y[%i, %j]
    }"""
    assert work(body) == (3 * 64, 2 * 8 * 64)


def test_complex_numbers_in_foreach():
    body = """foreach (%i) = (0), (3) {
      %c1 = load %C[%i, 0] : c32
      %s = sub %c1, %c1 : c32
      %p = mul %s, %c1 : c32
      %q = div %p, %c1 : c32
      store %q, %C[%i, 1]
    }"""
    assert work(body) == (3 * (2 + 6 + 11), 2 * 8 * 3)


def test_tiles_of_matrices():
    text = """func @f(%A: memref<f32x64x16>, %B: memref<f32x16x24>, %C: memref<f32x64x24>)
        attributes {subgroup_size=16} {
      foreach_tile (%i, %j) = (0, 0), (64, 24) as (%rows, %columns) <= (32, 8) {
        %a = cooperative_matrix_load.n %A[%i, 0] : coopmatrix<f32x32x16, matrix_a>
        %b = cooperative_matrix_load.n %B[0, %j] : coopmatrix<f32x16x8, matrix_b>
        %z = constant 0.0 : coopmatrix<f32x32x8, matrix_acc>
        %c = cooperative_matrix_mul_add %a, %b, %z : coopmatrix<f32x32x8, matrix_acc>
        %d = add %c, %c : coopmatrix<f32x32x8, matrix_acc>
        cooperative_matrix_store %d, %C[%i, %j]
      }
    }"""
    info = tt.Context().parse(text).compile("cpu")["f"].info
    assert info.flops_per_group == 2 * 64 * 24 * 16 + 64 * 24
    assert info.bytes_per_group == 6 * 4 * (32 * 16 + 16 * 8 + 32 * 8)


def test_the_numbers_survive_a_file():
    program = tt.Context().parse_file(EXAMPLES / "02_ader_step.ir").compile("cpu")
    info = program["ader_step"].info
    assert info.flops_per_group == 3 * 3 * (2 * 20 * 20 * 9 + 2 * 20 * 9 * 9)
    assert info.bytes_per_group == 4 * (3 * 20 * 20 + 3 * 9 * 9 + 3 * 20 * 9)
    (read,) = Manifest.from_json(Manifest("cpu", (info,)).to_json()).kernels
    assert read == info
