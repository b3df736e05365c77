"""Statistics, ceilings, targets and tables, from times made up for the purpose."""

import itertools
import json

import pytest

from tinytc_bench.findings import (
    CHAIN_OF_12,
    PRODUCTS_100,
    Result,
    Target,
    application_targets,
    compile_targets,
    kernel_targets,
    launch_targets,
    scaling_targets,
)
from tinytc_bench.plot import draw
from tinytc_bench.report import (
    application_table,
    compile_table,
    launch_table,
    problems,
    scaling_table,
    table,
    target_table,
)
from tinytc_mlir.measure.timing import Candidate, Settings, interleave, ratio, summarize

TIMES = {
    "ours": [100.0, 200.0, 120.0],
    "libxsmm": [150.0, 300.0, 180.0],
    "mkl": [50.0, 100.0, 60.0],
    "fma": [10.0, 20.0, 12.0],
    "copy": [8.0, 16.0, 9.6],
    "copy_plain": [16.0, 32.0, 19.2],
}
AMOUNTS = {"fma": 1000, "copy": 100, "copy_plain": 100}


def result(**changes):
    data = {
        "case": "gemm.f32.32",
        "family": "gemm",
        "type": "f32",
        "batch": "cache",
        "groups": 10,
        "flops": 4000,
        "traffic_bytes": 400,
        "times_ns": TIMES,
        "amounts": AMOUNTS,
        "errors": {"ours": 0.1},
        "problems": {"numpy": "missing: no NumPy"},
    }
    return Result(data | changes)


def test_median_and_quartiles():
    assert summarize([5.0]).spread == 0
    summary = summarize([4.0, 1.0, 2.0, 3.0, 100.0])
    assert (summary.median, summary.low, summary.high) == (3.0, 2.0, 4.0)
    assert summary.spread == pytest.approx(2 / 3)


def test_ratios_are_taken_within_rounds():
    assert ratio([1.0, 10.0, 100.0], [2.0, 20.0, 50.0]) == 0.5


def test_rates_and_ceilings():
    found = result()
    assert found.gflops() == pytest.approx(4000 / 120)
    assert found.gbytes_per_s("mkl") == pytest.approx(400 / 60)
    assert found.speedup("libxsmm") == pytest.approx(1.5)
    assert found.peers == ["mkl", "libxsmm"]
    # FMAs take 4 times the 10 ns of round 1, the faster copy 4 times its 8 ns.
    assert found.ceilings_ns()["fma"][0] == 40
    assert found.ceilings_ns()["copy"][0] == 32
    assert found.bound == "fma"
    assert found.part_of("fma") == pytest.approx(0.4)


def test_a_peer_counts_in_its_best_way_and_waits():
    times = TIMES | {"libxsmm_prefetch": [110.0, 210.0, 130.0]}
    assert result(times_ns=times).speedup("libxsmm") == pytest.approx(1.1 * 105 / 110, rel=0.05)
    waited = result(times_ns=times | {"ours_waited": [110.0, 210.0, 130.0]})
    assert waited.speedup("libxsmm") == 1
    assert waited.time_ns("ours").median == 120
    only = {name: time for name, time in times.items() if name != "libxsmm"}
    assert result(times_ns=only).peers == ["mkl", "libxsmm"]
    own = result(times_ns=TIMES | {"ours_waited": [300.0] * 3, "plain": [80.0, 160.0, 96.0]})
    assert own.speedup("plain") == pytest.approx(0.8)


def test_loops_in_c():
    times = TIMES | {"c": [90.0, 220.0, 120.0]}
    cases = [result(family="bandwidth", case=name, times_ns=times) for name in ("axpby", "sum")]
    targets = {target.name: target for target in kernel_targets(cases)}
    assert targets["other instructions, every one over loops in C"].worst.endswith(
        "2 of 2 reach it"
    )
    assert targets["other instructions, geometric mean over loops in C"].is_met


def test_targets():
    slow = result(batch="memory", times_ns=TIMES | {"copy": [90.0] * 3, "copy_plain": [90.0] * 3})
    targets = {target.name: target for target in kernel_targets([result(), slow])}
    for where in ("in the caches", "outside"):
        libxsmm = targets[f"GEMM suite {where}, geometric mean over libxsmm"]
        assert libxsmm.measured == pytest.approx(1.5)
        assert libxsmm.is_met
    assert targets["GEMM suite, geometric mean over numpy"].is_met is None
    assert not targets["GEMM suite, every shape over its best peer"].is_met
    peak = targets["f32 32 cubed, part of the FMA peak"]
    assert (peak.measured, peak.is_met) == (pytest.approx(0.4), False)
    copies = targets["GEMM outside the caches, part of the copy bandwidth"]
    assert copies.worst == "gemm.f32.32 memory; 1 of 1 reach it"
    assert targets["fused kernels over separate ones"].measured is None


def test_compile_targets():
    def stages(ms):
        return {"times_ns": {"text": [1e5], "binary": [1e6 * ms]}, "spirv_bytes": 10}

    compiled = {
        "stages": {
            "sample": stages(4),
            CHAIN_OF_12: stages(33),
            PRODUCTS_100: stages(110),
            "1000": stages(100),
            "4000": stages(500),
        },
        "programs": {
            "a": {"times_ns": [5e7, 9e7], "spirv_bytes": 1, "code_bytes": None},
            "b": {"times_ns": [7e7], "spirv_bytes": 1, "code_bytes": 2},
        },
        "processes": {"python": {"times_ns": [1e7], "memory_bytes": 2**23}},
    }
    sample, chain, products, thousand, growth, program = compile_targets(compiled)
    assert (sample.measured, thousand.measured) == (4, 100)
    assert (chain.is_met, products.is_met) == (False, True)
    assert (growth.measured, growth.is_met) == (1.25, False)
    assert (program.measured, program.worst) == (70, "b; 1 of 2 reach it")
    assert [target.is_met for target in compile_targets({})] == [None] * 6
    assert compile_table(compiled).splitlines()[1].split() == ["sample", "0.10", "4.00", "10"]
    assert compile_table({}) == ""


def test_chain_targets():
    times = TIMES | {"libxsmm_prefetch": [120.0, 240.0, 132.0]}
    chain = result(case="seissol.f32.a", family="seissol", times_ns=times)
    slow = result(case="seissol.f32.b", family="seissol", times_ns=times | {"libxsmm": [80.0] * 3})
    alone = result(case="seissol.f32.c", family="seissol", times_ns={"ours": [100.0]})
    targets = {target.name: target for target in kernel_targets([chain, slow, alone, result()])}
    mean = targets["SeisSol's chains, geometric mean over libxsmm"]
    least = targets["SeisSol's chains, every one over libxsmm"]
    assert mean.measured == pytest.approx((1.2 * 2 / 3) ** 0.5)
    assert (least.measured, least.is_met) == (pytest.approx(2 / 3), False)
    assert least.worst == "seissol.f32.b cache; 1 of 2 reach it"


def test_application_targets():
    run = {"chains": 10, "cpu_ns": 12 * 10**8, "memory_bytes": 40_000_000}
    times = {
        "one program": 9,
        "one program, two processes": 8,
        "a program each": 7,
        "a program each, two processes": 4,
    }
    runs = {way: run | {"time_ns": value * 10**8} for way, value in times.items()}
    together, apart, memory = application_targets({"runs": runs})
    assert (together.measured, together.is_met) == (80, False)
    assert (apart.measured, apart.worst) == (40, "a program each, two processes")
    assert (memory.measured, memory.is_met) == (4, True)
    assert [target.is_met for target in application_targets({})] == [None] * 3
    row = application_table({"runs": runs}).splitlines()[1].split()
    assert row[-4:] == ["10", "90.0", "120.0", "4.00"]
    assert application_table({}) == ""


def test_scaling():
    names = ("case", "family", "type", "batch", "groups", "flops", "traffic_bytes", "problems")

    def run(cores, ours, batch="cache"):
        data = {"times_ns": TIMES | {"ours": [ours] * 3}, "amounts": AMOUNTS, "errors": {}}
        if cores == 1:
            slow = ("fma", "copy", "copy_plain")
            data["times_ns"] |= {name: [2 * time for time in TIMES[name]] for name in slow}
        values = ("gemm.f32.8", "gemm", "f32", batch, 10, 4000, 400, {})
        return {"cores": cores, "result": dict(zip(names, values, strict=True)) | data}

    runs = [run(1, 150.0), run(2, 100.0), run(2, 50.0, "memory")]
    one, two = (line.split() for line in scaling_table(runs).splitlines()[1:])
    assert one[-4:] == ["0.1", "1.00", "1.00", "1.00"]
    assert two[-4:] == ["0.1", "1.50", "2.00", "2.00"]
    (target,) = scaling_targets(runs)
    assert (target.measured, target.is_met) == (pytest.approx(0.75), False)
    assert target.name == "2 cores over one, part of what the ceiling gains"
    assert scaling_targets([])[0].is_met is None
    assert scaling_table([]) == ""


def test_launch_targets():
    ways = {"submit": [5e3, 9e3], "dpctl_submit": [3e3, 7e3]}
    ways |= {"call": [6e3, 6e3], "dpctl_call": [5e3, 5e3]}
    target, again, new = launch_targets({"kernels": {"none": ways}})
    assert (target.measured, target.is_met) == (2, True)
    assert (again.measured, new.measured) == (None, None)
    assert launch_targets({})[0].is_met is None
    assert launch_table({"kernels": {"none": ways}}).split()[-2:] == ["+2.00", "+1.00"]
    ways |= {"again": [8e3, 8e3], "new": [33e3, 39e3]}
    _, again, new = launch_targets({"kernels": {"none": ways}})
    assert (again.measured, new.measured) == (1, 29)
    assert launch_table({"kernels": {"none": ways}}).split()[-2:] == ["+1.00", "+29.00"]


def test_a_limit():
    assert Target("time", 5, 4, is_limit=True, unit="ms").is_met
    assert not Target("time", 5, 6, is_limit=True, unit="ms").is_met
    lines = target_table([Target("time", 5, 6, is_limit=True, unit="ms")]).splitlines()
    assert lines[1].split() == ["time", "<=", "5", "ms", "6", "not", "met"]


@pytest.mark.parametrize("style", ["plain", "markdown"])
def test_table(style):
    died = result(times_ns={}, problems={"ours": "the process ended with status -11"})
    lines = table([result(), died], ["libxsmm", "numpy"], style).splitlines()
    assert "33.3" in lines[-2]
    assert " 1.50 " in lines[-2]
    assert "the process ended with status -11" in lines[-1]


def test_problems_name_a_missing_peer_once():
    wrong = result(problems={"mkl": "wrong result: 9.0 times the tolerance", "numpy": "not in it"})
    assert problems([result(), result(), wrong]) == [
        "numpy missing: no NumPy",
        "gemm.f32.32 cache: mkl: wrong result: 9.0 times the tolerance",
    ]


def test_plot(tmp_path):
    pytest.importorskip("matplotlib")
    data = json.loads(json.dumps({k: v for k, v in vars(result()).items() if k[0] != "_"}))
    data |= {"flops": 4000, "traffic_bytes": 400, "times_ns": TIMES}
    data |= {"amounts": AMOUNTS}
    report = {"machine": {"cpu": "a CPU"}, "time": "now", "results": [data]}
    draw(report, str(tmp_path / "plot.svg"))
    assert (tmp_path / "plot.svg").read_text().startswith("<?xml")


def test_turns_are_interleaved():
    order = []
    candidates = {name: Candidate(lambda name=name: order.append(name)) for name in "abc"}
    times = interleave(candidates, Settings(rounds=2, block_s=1e-9))
    assert [len(values) for values in times.values()] == [2, 2, 2]
    # What is launched twice or more in a row is one turn; the next round starts with another.
    turns = "".join(name for name, _ in itertools.groupby(order))
    assert turns.endswith("abcbca")
