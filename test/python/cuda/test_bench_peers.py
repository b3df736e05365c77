"""The peers of the benchmark compute what we compute: with libraries that are NumPy."""

import dataclasses
import sys

import numpy as np
import pytest

from cuda import fake_libraries
from tinytc_bench.cases import all_cases
from tinytc_bench.cuda import goals, peers
from tinytc_bench.cuda.programs import ProgramCase
from tinytc_bench.cuda.speed import Timing

GROUPS = 3


@pytest.fixture
def torch(monkeypatch):
    library = fake_libraries.torch()
    triton, language = fake_libraries.triton()
    for module in (library, triton, language, fake_libraries.cutile()):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return library


def described(name):
    """Return what of a case of the benchmark the peers look at."""
    case = all_cases()[name]
    gemm, chain = case.gemm, case.chain
    return ProgramCase(
        *(name, case.family, case.ours.kernels, case.type, (), {}, case.flops, 0, 0, case.terms),
        gemm=None if gemm is None else dataclasses.asdict(gemm),
        products=() if chain is None else tuple(map(dataclasses.asdict, chain.products)),
        matrices={}
        if chain is None
        else {name: dataclasses.asdict(each) for name, each in chain.matrices.items()},
    )


def made(name):
    found = {peer: make() for peer, make in peers.peers(described(name), GROUPS)}
    return {peer: launch for peer, launch in found.items() if launch is not None}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gemm.f32.8", "cublas triton cutile"),
        ("gemm.f32.56x9x9", "cublas triton cutile"),
        ("gemm.f16.32", "cublas triton cutile"),
        ("gemm.f16.35", "cublas triton cutile"),
        ("gemm.f64.10x9x9", "cublas triton"),
        ("gemm.f64.64", "cublas"),
        ("gemm.f32.35.tn", "cublas"),
        ("gemm.f32.32.padded", "cublas"),
    ],
)
def test_products(torch, name, expected):
    """Triton and cuTile compare their result with PyTorch's when they are made."""
    launches = made(name)
    assert list(launches) == expected.split()
    result = launches["cublas"]()
    m, n, _ = all_cases()[name].gemm.shape
    assert result.shape == (GROUPS, n, m)
    assert result.dtype == {"f64": np.float64}.get(name.split(".")[1], np.float32)
    assert np.isfinite(result).all()
    for launch in launches.values():
        launch()
    assert not torch.backends.cuda.matmul.allow_tf32


def test_wrong_peers_are_found(torch, monkeypatch):
    monkeypatch.setattr(sys.modules["triton.language"], "dot", lambda a, b, input_precision: 0 * a)
    monkeypatch.setattr(sys.modules["cuda.tile"], "mma", lambda a, b, c: c)
    case = dict(peers.peers(described("gemm.f32.16"), GROUPS))
    for name in ("triton", "cutile"):
        with pytest.raises(ValueError, match="expected the product, got another result"):
            case[name]()


def test_chains(torch):
    name = "seissol.f64.order4.volume"
    launches = made(name)
    assert list(launches) == ["cublas"]
    launches["cublas"]()
    products = all_cases()[name].chain.products
    assert len(torch.calls) == len(products)
    for (b, a, c), product in zip(torch.calls, products, strict=True):
        rows, columns, inner = product.sizes
        assert (a.shape, b.shape, c.shape) == tuple(
            (GROUPS, *shape) for shape in ((inner, rows), (columns, inner), (columns, rows))
        )


def test_goals():
    timings = [
        Timing("a", 1, 0.0, {"ours": 1.0, "cublas": 2.0, "triton": 0.5}, 10, 95, "", "gemm"),
        Timing("b", 1, 0.0, {"ours": 1.0, "cublas": 4.5}, 10, 80, "", "gemm"),
        Timing("c", 1, 0.0, {"ours": 1.0, "cublas": 1.5}, 1000, 10, "", "chain"),
        Timing("d", 1, message="no memory"),
    ]
    assert list(goals.lines(timings, 100.0, 3e-6, [0.05, 0.2])) == [
        "goal met: products 1.5 times as fast as cuBLAS: 3.00",
        "goal missed: chains 2 times as fast as cuBLAS: 1.50",
        "goal missed: no case slower than its best peer: 2 of 3 cases, least a 0.50",
        "goal missed: 90% of a copy where memory binds: 1 of 2 cases, least b 0.80",
        "goal met: launches of at most 4 us: 3.0 us",
        "goal missed: builds of at most 100 ms: 200 ms",
    ]
    assert list(goals.lines([], 100.0, None, [])) == []
