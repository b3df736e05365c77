"""Suites that time batches beside others that compute the same."""

import numpy as np

from tinytc_bench import native_speed, packed, solves, worker, zeros
from tinytc_bench.cases import all_cases
from tinytc_bench.report import batched_table, native_table
from tinytc_mlir.measure.timing import Settings


def test_factorisations_and_solves(monkeypatch):
    monkeypatch.setattr(solves, "_SIZES", (3,))
    monkeypatch.setattr(solves, "_TYPES", {"f64": np.float64})
    found = solves.measure(Settings(1, 1e-5))
    assert "problems" not in found
    assert [run["name"] for run in found["runs"]][-2:] == ["solve.lu.f64.3x1", "solve.lu.f64.3"]
    assert "solve.spd.f64.3x1" in batched_table(found)


def test_packed_products(monkeypatch):
    monkeypatch.setattr(packed, "_SIZES", ((9, 3, 10),))
    monkeypatch.setattr(packed, "_LARGE_SIZES", ())
    found = packed.measure(Settings(1, 1e-5))
    assert "problems" not in found
    assert [run["name"] for run in found["runs"]][-1] == "bf16.9x3x10.tt"
    assert {"ours", "unpacked"} <= set(found["runs"][0]["times_ns"])


def test_patterns_of_zeros(monkeypatch):
    monkeypatch.setattr(zeros, "CELLS", 2)
    monkeypatch.setattr(zeros, "_TYPES", {"f32": np.float32})
    found = zeros.measure(Settings(1, 1e-5))
    assert "problems" not in found
    assert [run["name"] for run in found["runs"]] == [
        *("volume.f32", "derivative.f32", "local.f32", "neighbour.f32"),
    ]


def test_native_code(monkeypatch):
    monkeypatch.setattr(worker, "NATIVE_BATCHES", {"1 MiB": 2**12})
    found = worker.measure_native(all_cases()["gemm.f32.8"], Settings(1, 1e-5), None)
    assert not found["problems"]
    (run,) = found["runs"]
    assert run["name"] == "gemm.f32.8 1 MiB"
    assert {"ours", "driver"} <= set(run["times_ns"])
    assert "the driver's code" in native_table(found)


def test_means_and_worst_cases():
    times = {"gemm.f32.8": (2.0, 1.8), "gemm.f32.4": (1.0, 3.6), "gemm.f32.8.padded": (2.0, 1.0)}
    runs = [
        {"name": f"{case} 1 MiB", "elements": 1, "times_ns": {"ours": [ours], "libxsmm": [peer]}}
        for case, (ours, peer) in times.items()
    ]
    assert list(native_speed.rows({"runs": runs})) == [
        ["products of static sizes", "libxsmm, its best way", "1.80 (0.90)", "-"],
        ["products of padded matrices", "libxsmm, its best way", "0.50 (0.50)", "-"],
    ]
