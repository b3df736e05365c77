"""Products with patterns of zeros compute what NumPy does, natively, interpreted and emulated."""

import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from emulators.machines import machine
from tinytc_mlir.certificates import Outcome
from tinytc_mlir.emulators.findings import FINDINGS
from tinytc_mlir.gpu_stage import GpuStage
from tinytc_mlir.reference import interpret
from tinytc_mlir.scalars import SCALAR_TYPES
from zeros.zero_products import DTYPES, Gemm, block_patterns, matrix, promise, random_boxes

FORMS = [(a, b) for a in "nt" for b in "nt"]
SIZES = [(56, 9, 56), (35, 17, 40), (1, 9, 33), (33, 1, 1)]
BETAS = [0.0, 1.0, 0.5, None]


def cases(count):
    """Return random products, with each form."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        type_ = ("f64", "f32", "c64")[seed % 3]
        ops = FORMS[seed % 4] if type_ != "c64" else (rng.choice(list("ntrc"), 2).tolist())
        yield Gemm(rng, type_, tuple(ops), BETAS[seed // 4 % 4], SIZES[seed // 3 % len(SIZES)])


@pytest.mark.similar
@pytest.mark.parametrize("number", range(4))
def test_native(number):
    count = 160 if profiles.IS_NIGHTLY else 24
    for case in list(cases(count))[number::4]:
        module = tt.Context().parse(case.text)
        arguments, expected = case.arguments()
        copies = {n: v.copy("F") if n == "C" else v for n, v in arguments.items()}
        module.compile("native")["f"](**arguments)
        np.testing.assert_array_equal(arguments["C"], expected)
        interpret(module, "f", copies)
        np.testing.assert_array_equal(copies["C"], expected)


@pytest.mark.similar
@pytest.mark.parametrize("target", ["cuda:sm_90", "intel-gpu:pvc"])
def test_emulated(target):
    for case in list(cases(24))[:: 2 if profiles.IS_NIGHTLY else 24]:
        kernel = tt.Context().parse(case.text).compile(target)["f"]
        arguments, expected = case.arguments()
        with machine(target).installed():
            FINDINGS.start()
            kernel(**arguments)
            assert not FINDINGS.serious()
        np.testing.assert_array_equal(arguments["C"], expected)


@pytest.mark.similar
@pytest.mark.parametrize("target", ["cuda:sm_90", "intel-gpu:pvc", "x86-64-v4-amx"])
@pytest.mark.parametrize("seed", range(3))
def test_units(target, seed):
    """Blocks of products that units for matrices compute."""
    rng, sizes = np.random.default_rng(seed), (64, 40, 96)
    m, n, k = sizes
    boxes = [random_boxes(rng, shape, 3) for shape in ((m, k), (k, n))]
    text = f"""
func @f(%A: memref<bf16x{m}x{k}>{promise(boxes[0])}, %B: memref<bf16x{k}x{n}>{promise(boxes[1])},
        %C: memref<f32x{m}x{n}>) {{
  %one = constant 1.0 : bf16
  %beta = constant {(0.0, 1.0, 0.5)[seed]} : f32
  gemm.n.n %one, %A, %B, %beta, %C
}}"""
    a, b = (matrix(rng, "f32", s, p) for s, p in zip(((m, k), (k, n)), boxes, strict=True))
    c = matrix(rng, "f32", (m, n))
    expected = a @ b + (0.0, 1.0, 0.5)[seed] * c
    module = tt.Context().parse(text)
    arguments = [SCALAR_TYPES["bf16"].to_memory(each) for each in (a, b)] + [c]
    if target.startswith("x86"):
        assert not GpuStage(module, target=target).check("f", arguments)
    else:
        with machine(target).installed():
            FINDINGS.start()
            module.compile(target)["f"](*arguments)
            assert not FINDINGS.serious()
    np.testing.assert_array_equal(c, expected)


CHAIN = """
func @chain(%A: memref<{t}x40x40>{a}, %X: memref<{t}x40x9x?>, %S: memref<{t}x9x9>{s},
            %Y: memref<{t}x40x9x?>, %z: memref<{t}x40x?>) {{
  %g = group_id.x : index
  %x = subview %X[:,:,%g] : memref<{t}x40x9>
  %y = subview %Y[:,:,%g] : memref<{t}x40x9>
  %u = subview %z[:,%g] : memref<{t}x40>
  %zero = constant 0.0 : {t}
  %one = constant 1.0 : {t}
  %T = alloca : memref<{t}x40x9,local>
  %U = alloca : memref<{t}x40x9,local>
  gemm.t.n %one, %A, %x, %zero, %T
  gemm.n.n %one, %T, %S, %zero, %U
  axpby.n %one, %T, %one, %U
  gemm.n.n %one, %A, %U, %one, %y
  %v = subview %U[:,3] : memref<{t}x40,local>
  gemv.t %one, %A, %v, %zero, %u
}}
"""


@pytest.mark.similar
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("target", ["native", "cuda:sm_90"])
def test_chains(target, seed):
    rng = np.random.default_rng(seed)
    type_, groups = ("f64", "f32")[seed % 2], 3
    patterns = [block_patterns(rng, edges) for edges in ([0, 1, 4, 10, 20, 40], [0, 6, 9])]
    text = CHAIN.format(t=type_, a=promise(patterns[0]), s=promise(patterns[1]))
    a, s = (
        matrix(rng, type_, (size, size), boxes)
        for size, boxes in zip((40, 9), patterns, strict=True)
    )
    x = matrix(rng, type_, (40, 9, groups))
    y = matrix(rng, type_, (40, 9, groups))
    z = np.full((40, groups), np.nan, DTYPES[type_], "F")
    wide = [np.moveaxis(each, -1, 0).astype(np.float64) for each in (x, y)]
    first = a.T.astype(np.float64) @ wide[0]
    second = first @ s + first
    kernel = tt.Context().parse(text).compile(target)["chain"]
    arguments = (a, x, s, y, z)
    if target == "native":
        kernel(*arguments, groups=groups)
    else:
        with machine(target).installed():
            FINDINGS.start()
            kernel(*arguments, groups=groups)
            assert not FINDINGS.serious()
    np.testing.assert_array_equal(np.moveaxis(y, -1, 0), wide[1] + a @ second)
    np.testing.assert_array_equal(z.T, second[:, :, 3] @ a)


def test_verification():
    """Points of fields keep the promise."""
    case = Gemm(np.random.default_rng(3), "f32", ("t", "n"), 1.0, (24, 5, 20))
    module = tt.Context().parse(case.text)
    found = module.verify("f", target="native", parts=["stages"])
    outcomes = {claim.outcome for claim in found.claims if claim.part == "stages"}
    assert outcomes == {Outcome.SHOWN}
