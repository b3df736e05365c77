"""Kernels of docs/decisions/rows-written-twice.md, and a form of them that was wrong.

The last row overlaps the one before, so that two work-items write one element. Both must have read
the old value before either writes the new one; in the form that was wrong, kept as it was compiled,
the barrier lay too early.
"""

import itertools

import numpy as np
import pytest

import tinytc_mlir as tt
from cases.stage_kernels import SEEDS
from tinytc_mlir.gpu_stage import GpuStage, check_races

ROWS = 7

# C := A B + 2 C for 7 x 1 matrices of f32 and 4 work-items.
REAL = """
%c0 = arith.constant 0 : index
%c3 = arith.constant 3 : index
%zero = arith.constant 0.0 : f32
%beta = arith.constant 2.0 : f32
%lane = gpu.lane_id
%last = arith.addi %lane, %c3 : index
%a = memref.load %A[%lane] : memref<?xf32>
%b = memref.load %B[%c0] : memref<?xf32>
%sum = math.fma %a, %b, %zero : f32
%last_a = memref.load %A[%last] : memref<?xf32>
%last_sum = math.fma %last_a, %b, %zero : f32
%last_old = memref.load %C[%last] : memref<?xf32>
%last_new = math.fma %last_old, %beta, %last_sum : f32
{barrier}
%old = memref.load %C[%lane] : memref<?xf32>
%new = math.fma %old, %beta, %sum : f32
{mended}
memref.store %new, %C[%lane] : memref<?xf32>
memref.store %last_new, %C[%last] : memref<?xf32>
"""

# The same for 3 x 1 complex matrices, a part of a number for each work-item; beta is real.
COMPLEX = """
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%i0 = arith.constant 0 : i32
%i1 = arith.constant 1 : i32
%i4 = arith.constant 4 : i32
%zero = arith.constant 0.0 : f32
%beta = arith.constant 2.0 : f32
%lane = gpu.lane_id
%number = arith.index_cast %lane : index to i32
%bit = arith.andi %number, %i1 : i32
%is_imaginary = arith.cmpi ne, %bit, %i0 : i32
%last = arith.addi %lane, %c2 : index
%a = memref.load %A[%lane] : memref<?xf32>
%last_a = memref.load %A[%last] : memref<?xf32>
%re = memref.load %B[%c0] : memref<?xf32>
%im = memref.load %B[%c1] : memref<?xf32>
%last_with_re = math.fma %last_a, %re, %zero : f32
%last_with_im = math.fma %last_a, %im, %zero : f32
%last_other, %v0 = gpu.shuffle xor %last_with_im, %i1, %i4 : f32
%last_difference = arith.subf %last_with_re, %last_other : f32
%last_total = arith.addf %last_with_re, %last_other : f32
%last_part = arith.select %is_imaginary, %last_total, %last_difference : f32
%last_old = memref.load %C[%last] : memref<?xf32>
%last_new = math.fma %last_old, %beta, %last_part : f32
{barrier}
%with_re = math.fma %a, %re, %zero : f32
%with_im = math.fma %a, %im, %zero : f32
%other, %v1 = gpu.shuffle xor %with_im, %i1, %i4 : f32
%difference = arith.subf %with_re, %other : f32
%total = arith.addf %with_re, %other : f32
%part = arith.select %is_imaginary, %total, %difference : f32
%old = memref.load %C[%lane] : memref<?xf32>
%new = math.fma %old, %beta, %part : f32
{mended}
memref.store %new, %C[%lane] : memref<?xf32>
memref.store %last_new, %C[%last] : memref<?xf32>
"""


def stage(body, *, is_mended):
    """Return a kernel of 4 work-items."""
    where = {"barrier": "", "mended": "gpu.barrier"} if is_mended else {}
    body = body.format(**({"barrier": "gpu.barrier", "mended": ""} | where))
    parameters = ", ".join(f"%{name}: memref<?xf32>" for name in "ABC")
    text = f"""
    module {{ gpu.module @kernels {{ gpu.func @f({parameters}) kernel attributes {{
        known_block_size = array<i32: 4, 1, 1>, tinytc.subgroup_size = 4 : i32
    }} {{ {body} gpu.return }} }} }}"""
    return GpuStage(tt.Context().parse_mlir(text))


def operands(body):
    """Return A, B, C, and the elements that C should get."""
    if body is REAL:
        a, b, c = np.arange(1, ROWS + 1), np.array([3]), np.arange(ROWS) - 2
        dtype = np.float32
    else:
        a, b, c = np.array([1 + 2j, 3 - 1j, -2 + 1j]), np.array([2 + 3j]), np.arange(3) * (1 - 2j)
        dtype = np.complex64
    parts = [each.astype(dtype).view(np.float32) for each in (a, b, c, a * b[0] + 2 * c)]
    return parts[:3], parts[3]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("body", [REAL, COMPLEX], ids=["real", "complex"])
def test_barrier_too_early(body, seed):
    arguments, _ = operands(body)
    found = stage(body, is_mended=False).check("f", arguments, seed=seed)
    assert {finding.kind.value for finding in found} == {"race"}
    assert all("of argument 2" in finding.diagnostic.message for finding in found)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("body", [REAL, COMPLEX], ids=["real", "complex"])
def test_barrier_after_all_loads(body, seed):
    arguments, expected = operands(body)
    assert stage(body, is_mended=True).check("f", arguments, seed=seed) == []
    np.testing.assert_array_equal(arguments[2], expected)


@pytest.mark.parametrize("body", [REAL, COMPLEX], ids=["real", "complex"])
def test_some_order_applies_beta_twice(body):
    kernel = stage(body, is_mended=False)
    wrong = set()
    for seed in range(10):
        arguments, expected = operands(body)
        kernel.check("f", arguments, seed=seed)
        wrong |= set(np.flatnonzero(arguments[2] != expected))
    # Only what two work-items write.
    assert wrong and wrong <= ({3} if body is REAL else {2, 3})


@pytest.mark.similar
@pytest.mark.parametrize("seed", (None, 1))
@pytest.mark.parametrize(
    ("type_", "dtype", "lanes"),
    [("f32", "f4", 4), ("f64", "f8", 8), ("c32", "c8", 4), ("c64", "c16", 8)],
)
def test_columns_that_overlap_too(type_, dtype, lanes, seed):
    """A tile that overlaps another reads columns that all lanes have written in that one."""
    alpha, beta = ("1.0", "2.0") if type_.startswith("f") else ("[1.0, 0.0]", "[2.0, 0.0]")
    for rows, columns in itertools.product((3, 7, 9), (2, 3, 5, 7, 9)):
        module = tt.Context().parse(f"""
            func @f(%A: memref<{type_}x{rows}x1>, %B: memref<{type_}x1x?>,
                    %C: memref<{type_}x{rows}x?>)
                    attributes {{subgroup_size={lanes}, work_group_size=[{lanes},1]}} {{
                %alpha = constant {alpha} : {type_}
                %beta = constant {beta} : {type_}
                gemm.n.n %alpha, %A, %B, %beta, %C
            }}""")
        a, b = np.arange(rows, dtype=dtype)[:, None], np.arange(columns, dtype=dtype)[None, :] + 1
        c = np.asfortranarray(np.arange(rows * columns).reshape(rows, columns) - 3, dtype=dtype)
        expected = a @ b + 2 * c
        assert check_races(module, "f", [a, b, c], seed=seed) == []
        np.testing.assert_array_equal(c, expected)
