"""`tinytc bench` from end to end on a tiny case, and its JSON."""

import json
import os

import pytest

from tinytc_bench import (
    BATCHES,
    command,
    derivatives,
    native,
    processors,
    runner,
)
from tinytc_bench.application import WAYS
from tinytc_bench.cases import select
from tinytc_bench.findings import CHAIN_OF_12, PRODUCTS_100
from tinytc_mlir.measure.timing import Settings

QUICK = ["--quick", "--rounds", "1"]
GOAL = "GEMM suite in the caches, geometric mean over libxsmm"


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    """Keep batches small; nobody reads the times."""
    monkeypatch.setattr(runner, "last_cache_bytes", lambda: 4096)


def test_end_to_end(tinytc, tmp_path):
    path = tmp_path / "bench.json"
    words = ["--only", "gemm.f32.8", "--batch", "cache", "--json", path]
    status, out, err = tinytc("bench", *QUICK, *words)
    assert (status, err) == (0, "")
    assert "gemm.f32.8" in out
    assert GOAL not in out
    assert GOAL in tinytc("bench", "--from", path, "--goals")[1]
    report = json.loads(path.read_text())
    assert report["version"] == runner.VERSION
    assert set(report) == {"version", "time", "duration_s", "machine", "settings", "results"}
    (result,) = report["results"]
    assert result["errors"]["ours"] <= 1
    assert result["groups"] == 2
    assert result["flops"] == 2 * 2 * 8**3
    assert result["traffic_bytes"] == 2 * 3 * 8 * 8 * 4
    assert all(len(times) == 1 and times[0] > 0 for times in result["times_ns"].values())
    assert {"ours", "ours_waited", "numpy"} <= set(result["times_ns"])


def test_json_to_stdout(tinytc):
    words = ["--only", "fused.f32.sample", "--batch", "cache", "--peers", "none", "--json", "-"]
    status, out, _ = tinytc("bench", *QUICK, *words)
    assert status == 0
    (result,) = json.loads(out)["results"]
    assert "separate" in result["times_ns"]


def compile_and_launch(tinytc, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "PROGRAM_LENGTHS", (10, 20))
    path = tmp_path / "bench.json"
    words = ["compile", "launch", "--goals", "--only", "gemm.f32.4", "--json", path]
    status, out, err = tinytc("bench", *QUICK, *words)
    assert (status, err) == (0, "")
    report = json.loads(path.read_text())
    assert "results" not in report
    programs = ["sample", CHAIN_OF_12, PRODUCTS_100, "10", "20"]
    assert list(report["compile"]["stages"]) == programs
    stages = report["compile"]["stages"]["sample"]
    assert list(stages["times_ns"]) == ["text", "prepared", "linalg", "gpu", "spirv", "binary"]
    assert stages["spirv_bytes"] > 0
    assert report["compile"]["programs"]["gemm.f32.4"]["code_bytes"] > 0
    assert report["compile"]["processes"]["python"]["memory_bytes"] > 2**20
    times = report["launch"]["kernels"]["sample"]
    assert list(times) == ["submit", "dpctl_submit", "call", "dpctl_call", "again", "new"]
    for words in ("slowest of 1 programs", "compile sample", "bound launch beyond dpctl's submit"):
        assert words in out


def seissol(tinytc, tmp_path, monkeypatch):
    monkeypatch.setattr(command, "_QUICK_CHAINS", 2)
    path = tmp_path / "bench.json"
    words = ["seissol", "kernels", "--goals", "--batch", "cache", "--json", path]
    chosen = ["--only", "seissol.f32.order4.points", "--only", "gemm.f32.4"]
    status, out, err = tinytc("bench", *QUICK, *words, *chosen)
    assert (status, err) == (0, "")
    report = json.loads(path.read_text())
    names = [result["case"] for result in report["results"]]
    assert names == ["seissol.f32.order4.points", "gemm.f32.4"]
    runs = report["application"]["runs"]
    assert list(runs) == list(WAYS)
    for run in runs.values():
        assert run["chains"] == 2
        assert run["time_ns"] > 0
        assert run["memory_bytes"] > 0
    for words in ("SeisSol's chains, geometric mean over libxsmm", "a program each, two processes"):
        assert words in out


def scaling(tinytc, tmp_path, monkeypatch):
    path = tmp_path / "bench.json"
    words = ["scaling", "--goals", "--only", "gemm.f32.8", "--batch", "cache", "--json", path]
    status, out, err = tinytc("bench", *QUICK, *words)
    assert (status, err) == (0, "")
    runs = json.loads(path.read_text())["scaling"]
    cores = len(os.sched_getaffinity(0))
    assert [run["cores"] for run in runs] == sorted({1, cores, *(n for n in (2, 4) if n < cores)})
    assert all(run["result"]["times_ns"]["ours"][0] > 0 for run in runs)
    assert f"{cores} cores over one, part of what the ceiling gains" in out


def distributed(tinytc, tmp_path, monkeypatch):
    path = tmp_path / "bench.json"
    status, out, err = tinytc("bench", *QUICK, "distributed", "--json", path)
    assert (status, err) == (0, "")
    scaling = json.loads(path.read_text())["distributed"]
    assert {"1", "2"} <= set(scaling["times_ns"])
    assert all(len(times) == 1 for times in scaling["times_ns"].values())
    assert scaling["direct_ns"][0] > 0
    assert "efficiency" in out


def gradients(tinytc, tmp_path, monkeypatch):
    monkeypatch.setattr(derivatives, "_ORDERS", (3,))
    path = tmp_path / "bench.json"
    words = ["derivatives", "--goals", "--json", path]
    status, out, err = tinytc("bench", *QUICK, *words)
    assert (status, err) == (0, "")
    found = json.loads(path.read_text())["derivatives"]
    assert found["problems"] == {}
    assert [run["chain"] for run in found["runs"]][:1] == ["ader.f32.order3"]
    assert all(run["times_ns"]["reverse"][0] > 0 for run in found["runs"])
    assert "reverse derivative over its kernel" in out
    for peer in ("jax", "torch"):  # measured where they are installed
        assert (f"{peer} reverse" in out) == (peer not in found["missing"])
    assert ("pip install" in out) == bool(found["missing"])


def functions_of_one_element(tinytc, tmp_path, monkeypatch):
    path = tmp_path / "bench.json"
    status, out, err = tinytc("bench", *QUICK, "batched", "--json", path)
    assert (status, err) == (0, "")
    found = json.loads(path.read_text())["batched"]
    assert "problems" not in found
    assert len(found["runs"]) == 10
    assert "runge_kutta" in out


@pytest.mark.similar
@pytest.mark.parametrize(
    "suite",
    [compile_and_launch, seissol, scaling, distributed, gradients, functions_of_one_element],
)
def test_suites(suite, tinytc, tmp_path, monkeypatch):
    suite(tinytc, tmp_path, monkeypatch)


def test_batches(monkeypatch):
    sizes = {}
    for mebibytes in (32, 480):
        monkeypatch.setattr(runner, "last_cache_bytes", lambda size=mebibytes: size * 2**20)
        sizes[mebibytes] = [runner.footprint_bytes(batch) / 2**20 for batch in BATCHES]
    assert sizes == {32: [16, 256], 480: [32, 960]}


def test_a_report_is_shown_again(tinytc, tmp_path):
    path, tables, data = (tmp_path / name for name in ("bench.json", "tables.md", "tables.json"))
    words = ["--only", "gemm.f32.4", "--batch", "cache", "--peers", "none", "--json", path]
    _, first, _ = tinytc("bench", *QUICK, *words)
    outputs = ("--markdown", tables, "--tables", data)
    status, again, _ = tinytc("bench", "--from", path, "--peers", "none", *outputs)
    assert (status, again) == (0, first)
    assert "| gemm.f32.4 | cache |" in tables.read_text()
    rows = json.loads(data.read_text())["kernels"]["rows"]
    assert [row[:2] for row in rows] == [["gemm.f32.4", "cache"]]
    assert isinstance(rows[0][3], float)


def test_a_crash_is_reported_and_the_next_case_measured(monkeypatch):
    cases = select(["gemm.f32.4", "gemm.f32.8"])
    plan = runner.Plan(["kernels"], cases, ["cache"], [], Settings(1, 1e-4))
    first, second = plan.cases
    object.__setattr__(first, "name", "no such case")
    try:
        results = runner.run(plan)["results"]
    finally:
        object.__setattr__(first, "name", "gemm.f32.4")
    assert "the process ended with status" in results[0]["problems"]["ours"]
    assert second.name == results[1]["case"]
    assert results[1]["times_ns"]["ours"]


def test_shorter_registers(tmp_path, tinytc):
    """Kernels and peers are made for the registers that the report names."""
    path = tmp_path / "report.json"
    words = ("--quick", "--rounds", 1, "--batch", "cache", "--peers", "c,libxsmm,native")
    only = ("--only", "axpby.f32.35x9")
    assert tinytc("bench", *words, *only, "--vector-bytes", 16, "--json", path)[0] == 0
    report = json.loads(path.read_text())
    assert report["machine"]["cpu"].endswith("as one with SSE4.2")
    (result,) = report["results"]
    assert result["times_ns"]["ours"]
    assert result["errors"]["ours"] <= 1
    assert result["times_ns"]["native"]
    assert result["errors"]["native"] <= 1


def test_environments_of_processors(monkeypatch):
    monkeypatch.setenv("CFLAGS", "-g")
    assert processors.environment(32)["CFLAGS"] == "-g -march=haswell"
    assert processors.environment(None) == {}


def test_a_missing_compiler(monkeypatch, tmp_path):
    monkeypatch.setenv("CC", "no-such-compiler")
    native.library.cache_clear()
    with pytest.raises(native.NativeError, match="no-such-compiler"):
        native.library("ceilings")
    native.library.cache_clear()
