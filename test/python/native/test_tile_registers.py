"""Products on tile registers (AMX), which are emulated where the processor has none."""

import itertools
import os
import threading

import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from cases.tile_products import GROUPS, TARGET, TileProduct, random_product, wide
from emulators import amx
from tinytc_mlir.cli import doctor
from tinytc_mlir.gpu_stage import GpuStage
from tinytc_mlir.runtime.native import host, processor
from tinytc_mlir.scalars import SCALAR_TYPES

FLAGS = [
    *itertools.chain.from_iterable(features for _, features in host._LEVELS),
    *host._TILE_FEATURES,
]
HAS_VECTORS = {"avx512_vnni", "avx512bw"} <= set(host._cpu_info().get("flags", "").split())
needs_vectors = pytest.mark.skipif(not HAS_VECTORS, reason="needs AVX-512")


@pytest.fixture
def tiles(monkeypatch):
    """The emulator, where there is no AMX; return what counts its instructions."""
    if not host.problem_of_tiles():
        return None
    emulator = amx.load()
    monkeypatch.setattr(host, "problem_of_tiles", lambda: "")
    for name in ("_device", "_queue"):
        monkeypatch.setattr(processor.LOADER, name, None)
    return emulator


@needs_vectors
@pytest.mark.parametrize("seed", range(400 if profiles.IS_NIGHTLY else 12))
def test_random_products(tiles, seed):
    product = random_product(seed)
    product.check(seed)
    assert "tdp" in str(product.parse().lower("llvm", target=TARGET))


@needs_vectors
def test_groups_share_one_configuration(tiles):
    """Registers get their shapes once a call, also for factors in memory of the launch."""
    product = TileProduct("i8", "i32", (128, 112, 130))
    if tiles is not None:
        before = amx.count(tiles, "amx_configurations")
    product.check(0)
    if tiles is not None:
        assert amx.count(tiles, "amx_configurations") - before <= 2 * os.cpu_count()


@needs_vectors
@pytest.mark.similar
@pytest.mark.parametrize("seed", range(40 if profiles.IS_NIGHTLY else 4))
def test_stage_has_no_race(seed):
    """Work-items wait for words that others pack, and read none that nobody wrote."""
    product = random_product(seed)
    rng = np.random.default_rng(seed)
    a, b, c = (np.asfortranarray(array) for array in product.arrays(rng))
    alpha, beta = (3 if each is None else each for each in (product.alpha, product.beta))
    expected = product.expected(alpha, a, b, beta, c)
    stage = GpuStage(product.parse(), target=TARGET)
    assert stage.check("f", [a, b, c, alpha, beta], GROUPS, seed=1) == []
    product.compare(wide(product.result, c), expected)


CHAIN = """
func @small(%A: memref<bf16x20x20>, %C: memref<f32x20x20>) {{
  %one = constant 1.0 : bf16
  %zero = constant 0.0 : f32
  gemm.n.n %one, %A, %A, %zero, %C
}}
func @chain(%A: memref<bf16x64x64>, %B: memref<bf16x64x40>, %C: memref<f32x64x64>,
            %D: memref<f32x64x40>) {{
  %one = constant 1.0 : bf16
  %more = constant 1.0 : f32
  {products}
}}
"""


@needs_vectors
def test_many_products_in_one_kernel(tiles):
    """Products of two shapes share tiles, and kernels of a program have their own."""
    products = ["gemm.n.t %one, %A, %A, %more, %C", "gemm.t.n %one, %A, %B, %more, %D"] * 10
    program = tt.Context().parse(CHAIN.format(products="\n  ".join(products))).compile(TARGET)
    rng = np.random.default_rng(0)
    a, b, small = (rng.integers(-3, 4, shape) for shape in ((64, 64), (64, 40), (20, 20)))
    c, d, e = (np.zeros(shape, np.float32, order="F") for shape in ((64, 64), (64, 40), (20, 20)))
    program["chain"](*map(to_bits, (a, b)), c, d, groups=1)
    program["small"](to_bits(small), e, groups=1)
    np.testing.assert_array_equal(c, 10 * (a @ a.T))
    np.testing.assert_array_equal(d, 10 * (a.T @ b))
    np.testing.assert_array_equal(e, small @ small)


def to_bits(values):
    """Return numbers as memory of bf16 has them."""
    kind = SCALAR_TYPES["bf16"]
    return np.asfortranarray(kind.to_memory(values.astype(kind.value_dtype)))


@needs_vectors
def test_special_numbers(tiles):
    """Zeros that fill words up meet zeros only, and subnormal numbers are 0."""
    product = TileProduct("bf16", "f32", (17, 5, 3), tile=(16, 5, 16))
    a, b = np.ones((17, 3), np.float32), np.ones((3, 5), np.float32)
    a[3, 2], b[2, 1], b[0, 2] = np.inf, np.nan, -np.inf
    a[5], b[:, 4] = 2.0**-130, 2.0**100
    c = np.full((17, 5, 1), np.nan, np.float32, order="F")
    arrays = [np.asfortranarray(to_bits(each)[..., None]) for each in (a, b)]
    product.parse().compile(TARGET)["f"](*arrays, c, 1, 0, groups=1)
    with np.errstate(invalid="ignore"):
        a[5] = 0
        np.testing.assert_array_equal(c[..., 0], a @ b)


@needs_vectors
def test_threads_and_forks(tiles):
    """Threads of the caller and a forked process have tiles of their own."""
    seeds = range(4)
    failures = []

    def run(seed):
        try:
            TileProduct("bf16", "f32", (33, 20 + seed, 40)).check(seed)
        except BaseException as error:  # reported below
            failures.append(error)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in seeds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    child = os.fork()
    if child == 0:
        run(9)
        os._exit(len(failures))
    assert os.waitpid(child, 0)[1] == 0
    assert failures == []


@needs_vectors
def test_refused_by_the_system(monkeypatch):
    """Code is not loaded where it would trap, and `native` has vectors there."""
    monkeypatch.setattr(host, "_cpu_info", lambda: {"flags": " ".join(FLAGS)})
    monkeypatch.setattr(host, "machine", lambda: "x86-64")
    monkeypatch.setattr(host, "_refusal", lambda: "")
    assert host.targets()[:2] == (TARGET, "x86-64-v4")
    monkeypatch.setattr(host, "_refusal", lambda: "No space left on device")
    assert host.targets()[:1] == ("x86-64-v4",)
    (found,) = doctor._tiles()
    assert "the system refuses them (No space left on device)" in found.detail
    program = TileProduct("bf16", "f32", (33, 20, 40)).parse().compile(TARGET)
    loader = processor.NativeLoader()
    queue = processor.NativeQueue(loader.devices()[0])
    with pytest.raises(tt.DeviceError, match="expected tile registers .* the system refuses"):
        loader.load(program, "f", queue)
    more = " ".join((*FLAGS, "avx512_bf16"))
    monkeypatch.setattr(host, "_cpu_info", lambda: {"flags": more})
    assert host.targets()[:2] == ("x86-64-v4-bf16", "x86-64-v4")
    monkeypatch.setattr(host, "_cpu_info", lambda: {"flags": " ".join(FLAGS[:-1])})
    assert host.problem_of_tiles() == "the processor has none"
