"""Every case compiles and computes what its expected results say, and the whole list is there."""

import os

import pytest

from tinytc_mlir.bench import PEERS
from tinytc_mlir.bench.cases import all_cases, select
from tinytc_mlir.bench.chains import CHAINS
from tinytc_mlir.bench.data import Data
from tinytc_mlir.bench.worker import measured_result, own, peer_candidate
from tinytc_mlir.errors import TinyTCError

NAMES = list(all_cases())
GROUPS = 3


@pytest.mark.parametrize("name", NAMES)
def test_case(name):
    case = all_cases()[name]
    data = Data(case, GROUPS)
    assert measured_result(own(data), data) <= 1
    if case.baseline is not None:
        _, baseline = case.baseline
        data = Data(baseline, GROUPS)
        assert measured_result(own(data), data) <= 1


MATRICES = [f"{word}.f64.256x256" for word in ("gemv", "ger", "axpby", "hadamard_product")]
PRODUCTS = ("small_gemm_batched.f64.35x9x35", "tall_and_skinny.f32.8x16")
PEER_CASES = [
    *((name, peer) for name in ("gemm.f32.35", "gemm.f32.35.padded") for peer in PEERS[:3]),
    *((name, peer) for name in ("gemm.f64.32.tn", "gemm.c32.35") for peer in ("numpy", "mkl")),
    *((f"recipe.{word}", p) for word in PRODUCTS for p in PEERS[:3]),
    ("recipe.einsum.f32.56x56x9x9", "numpy"),
    *((name, peer) for name in NAMES if name.startswith("seissol.") for peer in PEERS),
    *((name, "numpy") for name in [*MATRICES, "sum.f32.256x256", "cumsum.f32.256x256"]),
]


@pytest.mark.parametrize("name, peer", PEER_CASES)
def test_peer(name, peer):
    data = Data(all_cases()[name], GROUPS)
    candidate = peer_candidate(peer, data)
    if isinstance(candidate, str) and candidate.startswith("missing"):
        pytest.skip(candidate)
    assert measured_result(candidate, data) <= 1


def test_what_a_peer_cannot_do():
    data = Data(all_cases()["gemm.f64.32.tn"], GROUPS)
    answer = peer_candidate("libxsmm", data)
    assert answer == "no kernel for these transposes" or answer.startswith("missing")
    assert peer_candidate("mkl", Data(all_cases()["sum.f32.256x256"], 1)) == (
        "no batched GEMM of that kind"
    )
    assert peer_candidate("libxsmm_prefetch", data) == "only for chains"


def test_a_wrong_result_is_found():
    data = Data(all_cases()["gemm.f32.8"], 300)
    candidate = own(data)
    assert measured_result(candidate, data) <= 1
    for value in (float("nan"), 1e-3):
        data.arrays["C"][3, 4, 299] += value
        assert data.error() > 1
        assert measured_result(candidate, data) <= 1


def test_the_list():
    shapes = {f"gemm.{t}.{n}" for t in ("f32", "f64") for n in (4, 8, 16, 32, 64, 128)}
    shapes |= {f"gemm.f32.{s}" for s in ("10x9x9", "56x9x9", "10x9x10", "120x9x120")}
    shapes |= {f"gemm.{t}.{n}" for t in ("bf16", "f16", "c32", "c64") for n in (32, 35)}
    shapes |= {
        f"gemm.{t}.{n}.{v}"
        for t in ("f32", "f64")
        for n in (32, 35)
        for v in ("tn", "nt", "tt", "padded", "dynamic")
    }
    words = ("axpby", "hadamard_product", "sum", "cumsum")
    shapes |= {f"{word}.f32.{place}" for word in words for place in ("256x256", "1M")}
    shapes |= {f"recipe.{word}" for word in PRODUCTS} | {"recipe.einsum.f64.56x56x9x9"}
    shapes |= {f"seissol.{t}.{chain.name}" for t in ("f32", "f64") for chain in CHAINS}
    assert shapes <= set(NAMES)


def test_select():
    assert [case.name for case in select(["gemm.f32.4"])] == ["gemm.f32.4"]
    assert len(select(["gemm.f32.32"])) == 6
    assert {case.name for case in select(["fused.*.chain56"])} == {
        "fused.f32.chain56",
        "fused.f64.chain56",
    }
    with pytest.raises(TinyTCError, match=r"got 'gemm.f32.44'; did you mean 'gemm.f32.4'"):
        select(["gemm.f32.44"])


def test_traffic():
    gemm = all_cases()["gemm.f32.32.padded"]
    assert gemm.traffic_bytes == gemm.footprint_bytes == 3 * 32 * 32 * 4
    sample = all_cases()["fused.f32.sample"]
    assert sample.traffic_bytes == 4 * (16 * 8 + 2 * 16 * 16)  # D is read and written
    assert sample.groups(10 * sample.footprint_bytes) == 10
    assert sample.groups(0) == len(os.sched_getaffinity(0))
