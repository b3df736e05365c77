"""What kernels for GPUs compute: their code runs on the CPU, which takes the same SPIR-V."""

import dataclasses
import random

import pytest

import tinytc_mlir as tt
from cases.collective_cases import collective_case, scales
from cases.operands import LAYOUTS, Writer
from cases.products import gemm, gemv
from cases.running import for_gpu, run_cases
from tinytc_mlir.explore import ocloc

SIZES = {
    "pvc": [(8, 8, 8), (32, 32, 32), (56, 9, 9), (1, 1, 1), (130, 5, 67), (64, 3, 1)],
    "dg2": [(35, 9, 35), (20, 9, 20), (3, 17, 70), (33, 40, 2), (5, 4, 100)],
}
"""Rows, columns and steps: whole and partial blocks of each, one subgroup and several."""


def on_the_cpu(gpu, registers=None):
    """Return a function that compiles a module for a GPU, to be launched on the CPU."""

    def compile_(module):
        program = module.compile(ocloc.DEVICES[gpu].name, registers=registers)
        return tt.Program(program.code, dataclasses.replace(program.manifest, target="cpu"))

    return compile_


def run(cases, gpu="pvc", registers=None):
    run_cases((for_gpu(case, gpu) for case in cases), compile_=on_the_cpu(gpu, registers))


@pytest.mark.similar
@pytest.mark.parametrize("type_", ["f32", "f64", "c32", "i32", "i64"])
def test_products(type_):
    rng = random.Random(f"gpu {type_}")
    run(
        gemm(rng, (type_,) * 3, transposes, number, (rng.choice(LAYOUTS),) * 3)
        for number, transposes in enumerate(("n.n", "n.t", "t.n", "t.t"))
    )


@pytest.mark.similar
@pytest.mark.parametrize("types", [("f16", "f32"), ("f32", "bf16"), ("i16", "i16"), ("i8", "i32")])
def test_factors_of_few_bits(types):
    """Converted by the lanes that load them; too mixed, or too small, for the matrix unit."""
    rng = random.Random(f"gpu few bits {types}")
    sum_type = "f32" if "f32" in types else types[1]
    run(
        [
            gemm(rng, (*types, sum_type), "n.n", 0, ("packed",) * 3, (35, 9, 35)),
            gemm(rng, (types[1], types[0], sum_type), "n.t", 1, ("padded",) * 3, (20, 3, 7)),
            gemm(rng, (types[0], types[0], sum_type), "n.n", 2, ("dynamic",) * 3, (33, 2, 6)),
            gemv(rng, (*types, sum_type), "n", 3),
        ]
    )


@pytest.mark.similar
@pytest.mark.parametrize("gpu", SIZES)
@pytest.mark.parametrize("registers", [128, 256])
def test_sizes(gpu, registers):
    rng = random.Random(f"gpu sizes {gpu}")
    cases = [
        gemm(rng, ("f32",) * 3, ("n.n", "n.t")[number % 2], number, ("packed",) * 3, size)
        for number, size in enumerate(SIZES[gpu])
    ]
    run([*cases, gemm(rng, ("f32",) * 3, "n.n", 0, ("dynamic",) * 3, (35, 9, 21))], gpu, registers)


@pytest.mark.parametrize("gpu", SIZES)
def test_matrices_times_vectors(gpu):
    rng = random.Random(f"gpu vectors {gpu}")
    run((gemv(rng, ("f32",) * 3, "nt"[number % 2], number) for number in range(4)), gpu)


@pytest.mark.parametrize("layout", ["packed", "dynamic", "padded"])
def test_elements(layout):
    """Several elements for each lane where memory is one line, and a remainder."""
    rng = random.Random(f"gpu elements {layout}")

    def axpby(number, type_, shape):
        (alpha, beta), fill, text = scales(rng, type_, type_, number)
        writer = Writer(rng)
        a = writer.operand("A", layout, type_, shape)
        b = writer.operand("B", layout, type_, shape, fill)
        name = f"axpby {type_} {shape} {layout} {text}"
        return collective_case(rng, name, "axpby.n %alpha, %A, %beta, %B", [alpha, beta, a, b])

    run(
        axpby(number, type_, shape)
        for number, (type_, shape) in enumerate(
            [("f32", (32, 32)), ("f64", (17, 13)), ("i8", (67, 31)), ("c32", (64, 3))]
        )
    )
