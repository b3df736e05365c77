"""Programs for the CPU are divided into modules of one kernel."""

import dataclasses

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import whole_numbers
from tinytc_mlir import errors
from tinytc_mlir.runtime.spirv import split_module
from tinytc_mlir.runtime.spirv.code import check_spirv

# Kernels that share types, constants and imported functions, and have local memory of their own.
TEXT = """
func @product{0}(%A: memref<f32x{0}x{0}>, %B: memref<f32x{0}x{0}x?>, %C: memref<f32x{0}x{0}x?>) {{
  %g = group_id.x : index
  %one = constant 1.0 : f32
  %zero = constant 0.0 : f32
  %t = alloca : memref<f32x{0}x{0}, local>
  %b = subview %B[0:{0},0:{0},%g] : memref<f32x{0}x{0}>
  %c = subview %C[0:{0},0:{0},%g] : memref<f32x{0}x{0}>
  gemm.n.n %one, %A, %b, %zero, %t
  gemm.n.n %one, %t, %b, %zero, %c
}}
"""
SIZES = (5, 8, 11)
CAPABILITY_BYTES = 8


@pytest.fixture(scope="module")
def program():
    return tt.Context().parse("".join(map(TEXT.format, SIZES))).compile("cpu")


@pytest.mark.parametrize("size", SIZES)
def test_a_part_has_one_kernel(program, size):
    part = split_module.part_of(program, f"product{size}")
    assert [kernel.name for kernel in part.manifest.kernels] == [f"product{size}"]
    check_spirv(part.code, part.manifest, "part")
    for other in SIZES:
        assert (b"product%d" % other in part.code) == (other == size)
    assert part.digest != program.digest
    assert part.digest == split_module.part_of(program, f"product{size}").digest


@pytest.mark.parametrize("size", SIZES)
def test_a_part_is_as_small_as_a_program(program, size):
    alone = tt.Context().parse(TEXT.format(size)).compile("cpu")
    part = split_module.part_of(program, f"product{size}")
    # It may declare what others can do.
    assert len(alone.code) <= len(part.code) <= len(alone.code) + 3 * CAPABILITY_BYTES


@pytest.mark.parametrize("size", SIZES)
def test_parts_run(program, size):
    rng = np.random.default_rng(size)
    a = whole_numbers(rng, (size, size)).astype(np.float32, order="F")
    b = np.asfortranarray(whole_numbers(rng, (size, size, 3)).astype(np.float32))
    c = np.zeros_like(b)
    program[f"product{size}"](a, b, c)
    expected = np.einsum("ij,jkg,klg->ilg", a, b, b)
    np.testing.assert_array_equal(c, expected)


def test_a_program_with_one_kernel_is_its_part():
    alone = tt.Context().parse(TEXT.format(4)).compile("cpu")
    assert split_module.part_of(alone, "product4") is alone


def test_broken_programs(program):
    for code, message in [
        (program.code[:-4], "expected SPIR-V that ends with the end of a function, got opcode"),
        (program.code[:-4] + b"\0\0\5\0", "expected a SPIR-V instruction at word"),
        (program.code[:7], "expected SPIR-V in whole words, got 7 bytes"),
    ]:
        with pytest.raises(errors.TinyTCError, match=message):
            split_module.part_of(split_module.KernelModule(code, program.manifest), "product5")


def test_a_kernel_that_is_missing(program):
    part = split_module.part_of(program, "product5")
    whole = dataclasses.replace(part, manifest=program.manifest)
    with pytest.raises(errors.TinyTCError, match="expected kernel 'product8' in the SPIR-V"):
        split_module.part_of(whole, "product8")
