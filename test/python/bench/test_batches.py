"""Suites that time batches beside others that compute the same."""

import numpy as np

from tinytc_bench import packed, solves
from tinytc_bench.report import batched_table
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
