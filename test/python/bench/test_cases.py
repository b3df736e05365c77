"""Every case compiles and computes what its expected results say, and the whole list is there."""

import os

import pytest

from tinytc_bench import PEERS, WAYS
from tinytc_bench.cases import all_cases, select
from tinytc_bench.chains import CHAINS
from tinytc_bench.data import Data
from tinytc_bench.peers import PEER_FUNCTIONS
from tinytc_bench.worker import measured_result, own, peer_candidate
from tinytc_mlir.errors import TinyTCError

NAMES = list(all_cases())
GROUPS = 3


@pytest.mark.similar
@pytest.mark.parametrize("name", NAMES)
def test_case(name):
    case = all_cases()[name]
    data = Data(case, GROUPS)
    assert measured_result(own(data), data) <= 1
    if case.baseline is not None:
        _, baseline = case.baseline
        data = Data(baseline, GROUPS)
        assert measured_result(own(data), data) <= 1


INSTRUCTIONS = [f"{word}.f64.35x9" for word in ("gemv", "ger", "axpby", "hadamard_product")]
INSTRUCTIONS += ["sum.f32.35x9", "sum.f32.1M", "cumsum.f64.35x9"]
INSTRUCTIONS += [f"cumsum.f32.20x9x20.mode{mode}" for mode in (1, 2)]
PRODUCTS = ("small_gemm_batched.f64.35x9x35", "tall_and_skinny.f32.8x16")
LIBRARIES = ("numpy", "mkl", "libxsmm", "libxsmm_prefetch")
PEER_CASES = [
    *((name, peer) for name in ("gemm.f32.35", "gemm.f32.35.padded") for peer in LIBRARIES),
    *((name, peer) for name in ("gemm.f64.32.tn", "gemm.c32.35") for peer in ("numpy", "mkl")),
    *((f"recipe.{word}", p) for word in PRODUCTS for p in LIBRARIES),
    *((name, "libxsmm_streaming") for name in ("gemm.f32.32", "gemm.f64.8")),
    ("recipe.einsum.f32.56x56x9x9", "numpy"),
    *((name, peer) for name in NAMES if name.startswith("seissol.") for peer in LIBRARIES),
    *((name, peer) for name in INSTRUCTIONS for peer in ("c", "numpy")),
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
    reason = "not for chains, which read what they have written"
    chain = Data(all_cases()["seissol.f32.order4.points"], GROUPS)
    assert peer_candidate("libxsmm_streaming", chain) == reason
    assert peer_candidate("c", data) == "only for single instructions"
    odd = peer_candidate("libxsmm_streaming", Data(all_cases()["gemm.f64.35"], GROUPS))
    assert odd.startswith(("only where columns of C are whole cache lines", "missing"))


def test_ways():
    assert set(PEERS) | {way for ways in WAYS.values() for way in ways} == set(PEER_FUNCTIONS)


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
    shapes |= {f"{word}.f32.{place}" for word in words for place in ("256x256", "1M", "35x9")}
    shapes |= {f"{word}.f64.{place}" for word in ("gemv", "ger") for place in ("256x256", "35x9")}
    shapes |= {f"cumsum.f32.{v}" for v in ("256x256.mode1", "20x9x20.mode1", "20x9x20.mode2")}
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
