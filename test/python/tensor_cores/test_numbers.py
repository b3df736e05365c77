"""Products on tensor cores, run at the gpu stage: numbers, and no race or wrong access."""

import numpy as np
import pytest

import tinytc_mlir as tt
from cases.unit_products import Gemm
from tinytc_mlir.gpu_stage import GpuStage

TARGET = "cuda:sm_90"
TYPES = (("f16", "f32"), ("bf16", "f32"), ("f16", "f16"), ("bf16", "bf16"), ("i8", "i32"))
"""Types of the factors and of the result."""
TRANSPOSES = ("nn", "tn", "nt", "tt")
SHAPES = ((64, 64, 64), (33, 17, 40), (56, 9, 9), (9, 40, 65), (40, 33, 16), (8, 8, 8))


def uses_tensor_cores(module, target=TARGET):
    return "warp_matrix_mul_add" in str(module.lower("gpu", target=target))


def check(gemm, alpha=1, beta=0, seed=None, on_unit=True):
    """Run a product on random numbers."""
    assert uses_tensor_cores(gemm.parse()) == on_unit, gemm
    a, b, c = gemm.arrays(np.random.default_rng(7))
    expected = gemm.expected(alpha, a, b, beta, c)
    assert gemm.run(TARGET, alpha, a, b, beta, c, seed) == []
    assert gemm.difference(c, expected) <= 1, gemm


@pytest.mark.parametrize(("type_", "result"), TYPES)
def test_types(type_, result):
    check(Gemm(type_, result, (48, 40, 32)), alpha=3, beta=2)


@pytest.mark.similar
@pytest.mark.parametrize("transpose", TRANSPOSES)
def test_transposes_and_tails(transpose):
    for shape in SHAPES:
        check(Gemm("f16", "f32", shape, transpose), beta=2)
    check(Gemm("i8", "i32", (33, 17, 40), transpose), beta=2)


@pytest.mark.parametrize("transpose", TRANSPOSES)
def test_doubles(transpose):
    """The product of one launch only: A and B stay in the caches."""
    for shape in ((64, 64, 64), (33, 31, 21)):
        check(Gemm("f64", "f64", shape, transpose, beta=0.0))
        check(Gemm("f64", "f64", shape, transpose), alpha=-2, beta=2)


@pytest.mark.similar
@pytest.mark.parametrize("transpose", TRANSPOSES)
def test_dynamic_sizes(transpose):
    for shape in ((64, 32, 32), (33, 17, 40), (1, 1, 1), (5, 3, 0)):
        check(Gemm("bf16", "f32", shape, transpose, is_dynamic=True), beta=1)


@pytest.mark.parametrize(("beta", "constant"), [(0, None), (0, 0.0), (1, 1.0), (2, None)])
def test_alpha_and_beta(beta, constant):
    gemm = Gemm("f16", "f32", (32, 16, 16), beta=constant)
    check(gemm, alpha=0, beta=beta)
    check(gemm, alpha=-2, beta=beta)


@pytest.mark.parametrize("constant", [None, 0.0])
def test_beta_of_zero_reads_nothing(constant):
    """A NaN in C does not spread."""
    gemm = Gemm("f16", "f32", (32, 16, 16), beta=constant)
    a, b, c = gemm.arrays(np.random.default_rng(1))
    c[:] = np.nan
    expected = gemm.expected(1, a, b, 0, c)
    assert gemm.run(TARGET, 1, a, b, 0, c) == []
    assert gemm.difference(c, expected) <= 1


def test_nothing_beyond_the_end_counts():
    """What lies after a matrix in memory, NaN or not, is multiplied with nothing."""
    for depth in (19, 24):
        gemm = Gemm("f16", "f32", (33, 17, depth))
        a, b, c = gemm.arrays(np.random.default_rng(1))
        a[-1], b[:, -1] = np.inf, np.nan
        assert gemm.run(TARGET, 1, a, b, 0, c) == []
        assert np.isfinite(c[:-1, :-1]).all()


def test_atomic():
    for beta in (0.0, 1.0):
        check(Gemm("f16", "f32", (30, 16, 16), beta=beta, is_atomic=True), beta=beta)


@pytest.mark.parametrize("schedule", ["rows=1, columns=16", "rows=3, columns=40", "unroll=1"])
def test_schedules(schedule):
    """The program says how large the tiles are."""
    attributes = f"attributes {{schedule={{{schedule}}}}}"
    for transpose in ("nn", "tt"):
        check(Gemm("f16", "f32", (64, 25, 32), transpose, attributes=attributes))


@pytest.mark.parametrize("size", ["[32,1]", "[96,1]", "[64,2]", "[256,1]"])
def test_work_groups(size):
    """More tiles than warps, and fewer."""
    attributes = f"attributes {{subgroup_size=32, work_group_size={size}}}"
    check(Gemm("f16", "f32", (70, 50, 16), attributes=attributes))


def test_work_items_in_any_order():
    check(Gemm("f16", "f32", (40, 9, 17)), seed=1)
    check(Gemm("f64", "f64", (40, 31, 17)), seed=2)


@pytest.mark.parametrize("abi", ["plain", "packed"])
def test_chains(abi):
    """A product is a factor of the next one, through local memory."""
    text = """
    func @f(%A: group<memref<f16x32x32>x?>, %B: memref<f16x32x16x?>, %C: memref<f32x32x16x?>) {
        %g = group_id.x : index
        %one = constant 1.0 : f16
        %z = constant 0.0 : f16
        %w = constant 0.0 : f32
        %a = load %A[%g] : memref<f16x32x32>
        %b = subview %B[0:32,0:16,%g] : memref<f16x32x16>
        %c = subview %C[0:32,0:16,%g] : memref<f32x32x16>
        %t = alloca : memref<f16x32x16,local>
        gemm.n.n %one, %a, %b, %z, %t
        gemm.t.n %one, %a, %t, %w, %c
    }"""
    gemm = Gemm("f16", "f32", (32, 16, 32))
    all_a, b, c = gemm.batch(np.random.default_rng(4), 3)
    module = tt.Context().parse(text)
    assert uses_tensor_cores(module)
    stage = GpuStage(module, target=TARGET, abi=abi)
    assert stage.check("f", [all_a, b, c], 3, seed=5) == []
    for group, factor in enumerate(all_a):
        wide = factor.astype(np.float64)
        between = (wide @ b[:, :, group].astype(np.float64)).astype(np.float16)
        expected = wide.T @ between.astype(np.float64)
        # A sum that falls between two numbers of f16 may be either of them.
        assert np.abs(c[:, :, group] - expected).max() <= 32 * 2.0**-10


def test_integers_wrap_around():
    check(Gemm("i8", "i8", (32, 16, 64)), alpha=1, beta=1)


STREAMED = """
func @f(%A: memref<f64x{n}x{n}{streams}>, %C: memref<f64x{n}x{n}x?>) {{
    %g = group_id.x : index
    %one = constant 1.0 : f64
    %z = constant 0.0 : f64
    {view}
    %c = subview %C[0:{n},0:{n},%g] : memref<f64x{n}x{n}>
    gemm.n.n %one, %a, %a, %z, %c
}}"""


def doubles(n, is_streamed):
    view = f"%a = subview %A[0:{n},0:{n},%g] : memref<f64x{n}x{n}>"
    if not is_streamed:
        view = f"%a = subview %A[0:{n},0:{n}] : memref<f64x{n}x{n}>"
    text = STREAMED.format(n=n, streams="x?" if is_streamed else "", view=view)
    return tt.Context().parse(text)


@pytest.mark.parametrize(
    ("n", "is_streamed", "expected"),
    [
        (64, False, "cuda:sm_80 cuda:sm_90"),
        (32, False, "cuda:sm_80 cuda:sm_90"),
        (32, True, ""),
        (64, True, "cuda:sm_80 cuda:sm_90"),
        (96, True, "cuda:sm_80 cuda:sm_90"),
        (9, False, ""),
    ],
)
def test_doubles_whose_sums_bind(n, is_streamed, expected):
    """Where memory or the end of tiles takes longer, tensor cores gain nothing."""
    module = doubles(n, is_streamed)
    targets = ("cuda:sm_80", "cuda:sm_90", "cuda:sm_100")
    found = [target for target in targets if uses_tensor_cores(module, target)]
    assert found == expected.split()


@pytest.mark.parametrize(
    "gemm",
    [
        Gemm("f32", "f32"),
        Gemm("f16", "f32", (8, 1, 8)),
        Gemm("f16", "f32", (3, 3, 3)),
        Gemm("f16", "f32", attributes="attributes {subgroup_size=16}"),
        Gemm("f16", "f32", (0, 4, 4)),
    ],
    ids=str,
)
def test_what_stays_as_it_was(gemm):
    assert not uses_tensor_cores(gemm.parse())
