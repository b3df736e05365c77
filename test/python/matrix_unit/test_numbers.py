"""Products on the matrix unit, run at the gpu stage: numbers, and no race or wrong access."""

import itertools

import numpy as np
import pytest

import tinytc_mlir as tt
from cases.unit_products import GPUS, TYPES, Gemm
from tinytc_mlir.gpu_stage import GpuStage

TRANSPOSES = ("nn", "tn", "nt", "tt")
SHAPES = ((64, 64, 64), (33, 17, 40), (64, 9, 31), (9, 40, 65), (40, 33, 16))


def check(gemm, gpu, alpha=1, beta=0, seed=None, scale=1):
    """Run a product on random numbers."""
    a, b, c = gemm.arrays(np.random.default_rng(7))
    expected = gemm.expected(alpha, a, b, beta, c)
    assert gemm.run(gpu, alpha, a, b, beta, c, seed) == []
    assert gemm.difference(c, expected) <= scale, (gemm, gpu)


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize(("type_", "result"), TYPES)
def test_types(type_, result, gpu):
    check(Gemm(type_, result, (48, 40, 32)), gpu, alpha=3, beta=2)


@pytest.mark.similar
@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("transpose", TRANSPOSES)
def test_transposes_and_tails(transpose, gpu):
    for shape in SHAPES:
        check(Gemm("f16", "f32", shape, transpose), gpu, beta=2)
    check(Gemm("i8", "i32", (33, 17, 40), transpose), gpu, beta=2)


@pytest.mark.similar
@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("transpose", TRANSPOSES)
def test_dynamic_sizes(transpose, gpu):
    for shape in ((64, 32, 32), (33, 17, 40), (1, 1, 1), (5, 3, 0)):
        check(Gemm("bf16", "f32", shape, transpose, is_dynamic=True), gpu, beta=1)


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize(("beta", "constant"), [(0, None), (0, 0.0), (1, 1.0), (2, None)])
def test_alpha_and_beta(beta, constant, gpu):
    gemm = Gemm("f16", "f32", (32, 16, 16), beta=constant)
    check(gemm, gpu, alpha=0, beta=beta)
    check(gemm, gpu, alpha=-2, beta=beta)


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("constant", [None, 0.0])
def test_beta_of_zero_reads_nothing(constant, gpu):
    """A NaN in C does not spread."""
    gemm = Gemm("f16", "f32", (32, 16, 16), beta=constant)
    a, b, c = gemm.arrays(np.random.default_rng(1))
    c[:] = np.nan
    expected = gemm.expected(1, a, b, 0, c)
    assert gemm.run(gpu, 1, a, b, 0, c) == []
    assert gemm.difference(c, expected) <= 1


@pytest.mark.parametrize("gpu", GPUS)
def test_nothing_beyond_the_end_counts(gpu):
    """What lies after a matrix in memory, NaN or not, is multiplied with nothing."""
    gemm = Gemm("f16", "f32", (33, 17, 19))
    a, b, c = gemm.arrays(np.random.default_rng(1))
    a[-1], b[:, -1] = np.inf, np.nan
    assert gemm.run(gpu, 1, a, b, 0, c) == []
    assert np.isfinite(c[:-1, :-1]).all()


@pytest.mark.parametrize("gpu", GPUS)
def test_atomic(gpu):
    for beta in (0.0, 1.0):
        check(Gemm("f16", "f32", (32, 16, 16), beta=beta, is_atomic=True), gpu, beta=beta)


@pytest.mark.parametrize("gpu", GPUS)
def test_schedules(gpu):
    """The program says how large the tiles are."""
    for rows, columns in itertools.product((1, 3), (5, 8, 24)):
        attributes = f"attributes {{schedule={{rows={rows}, columns={columns}}}}}"
        for transpose in ("nn", "nt"):
            check(Gemm("f16", "f32", (64, 25, 16), transpose, attributes=attributes), gpu)


@pytest.mark.parametrize("gpu", GPUS)
def test_work_items_in_any_order(gpu):
    check(Gemm("f16", "f32", (40, 9, 17)), gpu, seed=1)


@pytest.mark.similar
@pytest.mark.parametrize("offset", [0, 1, 64])
@pytest.mark.parametrize("transpose", TRANSPOSES)
@pytest.mark.parametrize(("type_", "result", "n"), [("f16", "f32", 40), ("i8", "i32", 80)])
def test_blocks_and_elements(type_, result, n, transpose, offset):
    """Blocks are only read of matrices that begin at multiples of 64 bytes; both ways agree."""
    area, zero = n * n, "0" if type_ == "i8" else "0.0"
    text = f"""
    func @f(%A: memref<{type_}x16384>, %C: memref<{result}x{n}x{n}>, %at: index) {{
        %z = constant {zero} : {result}
        %one = constant {zero.replace("0", "1", 1)} : {type_}
        %a = subview %A[%at:{area}] : memref<{type_}x{area}>
        %x = expand %a[0 -> {n} x {n}] : memref<{type_}x{n}x{n}>
        %b = subview %A[8192:{area}] : memref<{type_}x{area}>
        %y = expand %b[0 -> {n} x {n}] : memref<{type_}x{n}x{n}>
        gemm.{transpose[0]}.{transpose[1]} %one, %x, %y, %z, %C
    }}"""
    gemm = Gemm(type_, result, (n, n, n), transpose)
    rng = np.random.default_rng(5)
    numbers = rng.integers(-100, 100, 16384).astype(np.int8)
    if type_ == "f16":
        numbers = (numbers / 64).astype(np.float16)
    a, b = (numbers[at : at + area].reshape(n, n, order="F") for at in (offset, 8192))
    c = np.zeros((n, n), np.int32 if type_ == "i8" else np.float32, order="F")
    module = tt.Context().parse(text)
    assert "subgroup_block_load" in str(module.lower("gpu", target="intel-gpu:pvc"))
    stage = GpuStage(module, target="intel-gpu:pvc")
    assert stage.check("f", [numbers, c, offset], 1) == []
    assert gemm.difference(c, gemm.expected(1, a, b, 0, c)) <= 1


@pytest.mark.parametrize("abi", ["plain", "packed"])
def test_groups(abi):
    """Matrices that come as pointers, and views of a batch."""
    text = """
    func @f(%A: group<memref<f16x64x32>x?>, %B: memref<f16x32x16x?>, %C: memref<f32x64x16x?>) {
        %g = group_id.x : index
        %one = constant 1.0 : f16
        %z = constant 0.0 : f32
        %a = load %A[%g] : memref<f16x64x32>
        %b = subview %B[0:32,0:16,%g] : memref<f16x32x16>
        %c = subview %C[0:64,0:16,%g] : memref<f32x64x16>
        gemm.n.n %one, %a, %b, %z, %c
    }"""
    gemm = Gemm("f16", "f32", (64, 16, 32))
    all_a, b, c = gemm.batch(np.random.default_rng(4), 3)
    stage = GpuStage(tt.Context().parse(text), target="intel-gpu:pvc", abi=abi)
    assert stage.check("f", [all_a, b, c], 3) == []
    for group, factor in enumerate(all_a):
        expected = gemm.expected(1, factor, b[:, :, group], 0, c[:, :, group])
        assert gemm.difference(c[:, :, group], expected) <= 1


def test_integers_wrap_around():
    check(Gemm("i8", "i8", (32, 16, 64)), "pvc", alpha=1, beta=1)
