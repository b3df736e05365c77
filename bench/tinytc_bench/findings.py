# SPDX-License-Identifier: BSD-3-Clause
"""Findings from the times of a run: rates, ceilings, ratios, and which targets are met."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence

from tinytc_mlir.measure.timing import Summary, geometric_mean, ratio, summarize

from . import COMPARED, PEERS, WAYS
from .cpp_compiler import INSTRUCTIONS_PER_FMA
from .measurements import (
    ApplicationRuns,
    CaseGpuCode,
    CaseResult,
    Compilation,
    Derivatives,
    Launches,
    Scaling,
    ScalingRun,
)

OURS, WAITED = "ours", "ours_waited"
CEILINGS = ("fma", "copy", "copy_plain")
TOGETHER, AGAIN = "one program", "a program each, built before"
CHAIN_OF_12, PRODUCTS_100 = "12 products as in SeisSol", "100 products"
_COPIES = ("copy", "copy_plain")


def efficiency(scaling: Scaling, processes: str) -> float:
    """Return the median time of one process over that of several, which would be 1 at best."""
    times = scaling["times_ns"]
    return summarize(times["1"]).median / summarize(times[processes]).median


class Result:
    """One case and batch of a report, read.

    Args:
        data: an element of the report's `results`.
    """

    def __init__(self, data: CaseResult) -> None:
        self.case: str = data["case"]
        self.family: str = data["family"]
        self.type: str = data["type"]
        self.batch: str = data["batch"]
        self.groups: int = data.get("groups", 0)
        self.problems: dict[str, str] = data["problems"]
        self._times: dict[str, list[float]] = data["times_ns"]
        self._flops: float = data.get("flops", 0)
        self._bytes: float = data.get("traffic_bytes", 0)
        self._amounts: dict[str, float] = data.get("amounts", {})

    def has(self, *names: str) -> bool:
        """Return whether all of these candidates were timed, peers in one way at least."""
        return all(self._ways(name) for name in names)

    def _ways(self, name: str) -> list[str]:
        return [way for way in WAYS.get(name, (name,)) if way in self._times]

    def time_ns(self, name: str) -> Summary:
        """Return the times of a launch of a candidate."""
        return summarize(self._times[name])

    @property
    def peers(self) -> list[str]:
        """Peers that were timed."""
        return [name for name in PEERS if self.has(name)]

    def gflops(self, name: str = OURS) -> float:
        """Return operations per nanosecond of a candidate."""
        return self._flops / self.time_ns(name).median

    def gbytes_per_s(self, name: str = OURS) -> float:
        """Return the necessary traffic per nanosecond of a candidate."""
        return self._bytes / self.time_ns(name).median

    def speedup(self, peer: str) -> float:
        """Return how many times as fast as another candidate we are.

        The fastest way of a peer counts. Its calls return when they are done, so we wait for each
        of our launches too, except when we compare with kernels of our own.
        """
        ours = self._times[WAITED if peer in COMPARED and self.has(WAITED) else OURS]
        return min(ratio(self._times[way], ours) for way in self._ways(peer))

    def ceilings_ns(self) -> dict[str, list[float]]:
        """Return, for every round, the times that the FMA rate and the bandwidth allow."""
        fma = [time * self._flops / self._amounts["fma"] for time in self._times["fma"]]
        copies = (
            [time * self._bytes / self._amounts[name] for time in self._times[name]]
            for name in _COPIES
        )
        return {"fma": fma, "copy": [min(pair) for pair in zip(*copies, strict=True)]}

    @property
    def intensity(self) -> float:
        """Operations per byte of necessary traffic."""
        return self._flops / self._bytes

    @property
    def peak_gflops(self) -> float:
        """The measured peak of fused multiply-adds."""
        return self._amounts["fma"] / self.time_ns("fma").median

    @property
    def copy_gbytes_per_s(self) -> float:
        """The measured bandwidth of the faster copy, reads and writes counted."""
        return max(self._amounts[name] / self.time_ns(name).median for name in _COPIES)

    @property
    def bound(self) -> str:
        """The lower ceiling: "fma" or "copy"."""
        medians = {name: summarize(times).median for name, times in self.ceilings_ns().items()}
        return max(medians, key=lambda name: medians[name])

    def part_of(self, ceiling: str) -> float:
        """Return our rate as a fraction of what a ceiling allows."""
        return ratio(self.ceilings_ns()[ceiling], self._times[OURS])


@dataclasses.dataclass(frozen=True)
class Target:
    """One goal of the project and what was measured.

    Args:
        name: what is compared.
        goal: the value to reach.
        measured: the value that was measured, None if there is none.
        worst: where the smallest value, or the largest of times, was found.
        is_limit: the value must not exceed the goal.
        unit: unit of the values, empty for ratios.
    """

    name: str
    goal: float
    measured: float | None
    worst: str = ""
    is_limit: bool = False
    unit: str = ""

    @property
    def is_met(self) -> bool | None:
        """Whether the goal is reached; None if nothing was measured."""
        if self.measured is None:
            return None
        return self.measured <= self.goal if self.is_limit else self.measured >= self.goal


def compile_targets(compiled: Compilation) -> list[Target]:
    """Return the goals for the compiler."""
    stages = compiled.get("stages", {})
    binary_ms = {
        name: summarize(found["times_ns"]["binary"]).median / 1e6 for name, found in stages.items()
    }
    programs = [
        (name, min(found["times_ns"]) / 1e6)  # other processes can only make the driver slower
        for name, found in compiled.get("programs", {}).items()
        if found["times_ns"]
    ]
    growth = None
    if {"1000", "4000"} <= binary_ms.keys():
        growth = binary_ms["4000"] / (4 * binary_ms["1000"])
    name, slowest_ms = max(programs, key=lambda pair: pair[1], default=("", None))
    if programs:
        name = f"{name}; {sum(ms <= 60 for _, ms in programs)} of {len(programs)} reach it"

    def limit(what: str, goal: float, value: float | None, unit: str, worst: str = "") -> Target:
        return Target(what, goal, value, worst, is_limit=True, unit=unit)

    return [
        limit("text to SPIR-V, sample", 5, binary_ms.get("sample"), "ms"),
        limit(f"text to SPIR-V, {CHAIN_OF_12}", 32, binary_ms.get(CHAIN_OF_12), "ms"),
        limit(f"text to SPIR-V, {PRODUCTS_100}", 120, binary_ms.get(PRODUCTS_100), "ms"),
        limit("text to SPIR-V, 1,000 instructions", 70, binary_ms.get("1000"), "ms"),
        limit("4,000 instructions over 4 times 1,000", 1.2, growth, ""),
        limit("device program of any kernel", 60, slowest_ms, "ms", name),
    ]


def launch_targets(launches: Launches) -> list[Target]:
    """Return the goals for launches."""
    kernels = launches.get("kernels", {})
    ways = (
        ("bound launch beyond dpctl's submit", 3, "submit", "dpctl_submit"),
        ("launch with the same arguments beyond a bound one", 10, "again", "submit"),
        ("launch with other arrays beyond a bound one", 10, "new", "submit"),
    )
    targets = []
    for what, goal, way, other in ways:
        surplus = [
            (kernel, summarize(_differences(times[way], times[other])).median / 1e3)
            for kernel, times in kernels.items()
            if way in times
        ]
        name, value = max(surplus, key=lambda pair: pair[1], default=("", None))
        targets.append(Target(what, goal, value, name, is_limit=True, unit="us"))
    return targets


def scaling_targets(runs: Sequence[ScalingRun]) -> list[Target]:
    """Return the goal for batches in the caches on all cores: 0.9 of what FMAs or copies gain."""
    most = max((run["cores"] for run in runs), default=1)
    found: dict[str, dict[int, Result]] = {}
    for run in runs:
        if run["result"]["batch"] == "cache":
            found.setdefault(run["result"]["case"], {})[run["cores"]] = Result(run["result"])
    parts: Named = []
    for name, results in found.items():
        one, every = results.get(1), results.get(most)
        if most > 1 and one and every and all(r.has(OURS, *CEILINGS) for r in (one, every)):
            gain = every.gflops() / one.gflops()
            copies = every.copy_gbytes_per_s / one.copy_gbytes_per_s
            limit = copies if every.bound == "copy" else every.peak_gflops / one.peak_gflops
            parts.append((name, gain / limit))
    return [_least(f"{most} cores over one, part of what the ceiling gains", 0.9, parts)]


def derivatives_targets(derivatives: Derivatives) -> list[Target]:
    """Return the goals for reverse derivatives: at most 2.5 of the kernel, 5 times a peer."""
    runs = derivatives.get("runs", [])
    costs = [
        (run["chain"], ratio(run["times_ns"]["reverse"], run["times_ns"]["forward"]))
        for run in runs
    ]
    name, cost = max(costs, key=lambda pair: pair[1], default=("", None))
    targets = [Target("reverse derivative over its kernel", 2.5, cost, name, is_limit=True)]
    for peer in ("jax", "torch"):
        way = f"{peer}_reverse"
        gains = [
            (run["chain"], ratio(run["times_ns"][way], run["times_ns"]["reverse"]))
            for run in runs
            if way in run["times_ns"]
        ]
        if gains:
            mean = geometric_mean([gain for _, gain in gains])
            targets.append(Target(f"reverse derivatives over {peer}", 5, mean, _worst(gains)))
    return targets


def gpu_targets(results: Sequence[CaseGpuCode]) -> list[Target]:
    """Return the goals for code for GPUs."""
    spilled = [
        (f"{result['case']} {kernel['gpu']}", kernel["spilled_bytes"])
        for result in results
        for kernel in result["kernels"]
    ]
    name, worst_bytes = max(spilled, key=lambda pair: pair[1], default=("", None))
    if worst_bytes:
        name = f"{name}; {sum(not size for _, size in spilled)} of {len(spilled)} reach it"
    else:
        name = ""
    what = "spilled bytes of any kernel for GPUs"
    targets = [Target(what, 0, worst_bytes, name, is_limit=True, unit="bytes")]
    for gpu, type_ in (("pvc", "f32"), ("pvc", "f64"), ("dg2", "f32")):
        ratios = instructions_over_cpp(results, gpu, type_)
        targets.append(
            Target(
                f"instructions for each FMA over the C++ compiler's, {gpu} {type_}",
                0.9,
                geometric_mean(list(ratios.values())) if ratios else None,
                max(ratios, key=lambda case: ratios[case], default=""),
                is_limit=True,
            )
        )
    return targets


def instructions_over_cpp(results: Sequence[CaseGpuCode], gpu: str, type_: str) -> dict[str, float]:
    """Return, by case, our instructions for each FMA over those of the C++ compiler.

    Args:
        results: elements of the report's `gpu`.
        gpu: name of the GPU.
        type_: scalar type of the products.
    """
    ratios: dict[str, float] = {}
    for result in results:
        case = result["case"]
        theirs = INSTRUCTIONS_PER_FMA[gpu].get(case)
        for kernel in result["kernels"]:
            fmas = kernel.get("loop_multiply_adds_of_16")
            is_it = kernel["gpu"] == gpu and kernel["registers"] == 128
            if theirs and fmas and is_it and f".{type_}." in case:
                ratios[case] = kernel["loop_instructions"] / fmas / theirs
    return ratios


def application_targets(application: ApplicationRuns) -> list[Target]:
    """Return the goals for compiling the kernels of an application, on average over them."""
    targets: list[Target] = []
    runs = application.get("runs", {})
    times = {way: run["time_ns"] / run["chains"] / 1e6 for way, run in runs.items()}
    memory = {way: run["memory_bytes"] / run["chains"] / 1e6 for way, run in runs.items()}
    together = {way: value for way, value in times.items() if way.startswith(TOGETHER)}
    others = times.keys() - together.keys() - {AGAIN}
    apart = {way: value for way, value in times.items() if way in others}
    for name, values in (("one program", together), ("a program each", apart)):
        way, value = min(values.items(), key=lambda pair: pair[1], default=("", None))
        what = f"SeisSol's kernels from text to launch, {name}"
        targets.append(Target(what, 60, value, way, is_limit=True, unit="ms"))
    way, value = max(memory.items(), key=lambda pair: pair[1], default=("", None))
    what = "memory of one of SeisSol's kernels"
    return [*targets, Target(what, 5, value, way, is_limit=True, unit="MB")]


def _differences(longer: Sequence[float], shorter: Sequence[float]) -> list[float]:
    return [a - b for a, b in zip(longer, shorter, strict=True)]


Named = list[tuple[str, float]]


def kernel_targets(results: Sequence[Result]) -> list[Target]:
    """Return the goals for kernels."""
    timed = [result for result in results if result.has(OURS)]
    suite = [result for result in timed if result.family == "gemm"]
    targets = []
    for batch, where, goal in (("cache", "in the caches", 1.1), ("memory", "outside", 1.0)):
        ratios = _speedups([r for r in suite if r.batch == batch], "libxsmm")
        targets.append(_mean(f"GEMM suite {where}, geometric mean over libxsmm", goal, ratios))
    for peer, goal in (("mkl", 3.0), ("numpy", 6.0)):
        ratios = _speedups(suite, peer)
        targets.append(_mean(f"GEMM suite, geometric mean over {peer}", goal, ratios))
    best = _values(suite, lambda r: min(map(r.speedup, r.peers)) if r.peers else None)
    targets.append(_least("GEMM suite, every shape over its best peer", 0.9, best))
    for size, goal in ((32, 0.65), (64, 0.7)):
        cubes = [r for r in suite if r.case == f"gemm.f32.{size}" and r.batch == "cache"]
        parts = _values(cubes, lambda r: r.part_of("fma"), *CEILINGS)
        targets.append(_least(f"f32 {size} cubed, part of the FMA peak", goal, parts))
    outside = [r for r in timed if r.batch == "memory"]
    for family, name in (("gemm", "GEMM outside the caches"), ("bandwidth", "bandwidth bound")):
        bound = [
            r for r in outside if r.family == family and r.has(*CEILINGS) and r.bound == "copy"
        ]
        parts = _values(bound, lambda r: r.part_of("copy"), *CEILINGS)
        targets.append(_least(f"{name}, part of the copy bandwidth", 0.85, parts))
    loops = _speedups([r for r in timed if r.family == "bandwidth"], "c")
    targets.append(_mean("other instructions, geometric mean over loops in C", 1.0, loops))
    targets.append(_least("other instructions, every one over loops in C", 1.0, loops))
    return targets + _variant_targets(timed) + _chain_targets(timed)


def _chain_targets(timed: Sequence[Result]) -> list[Target]:
    """Return the goals for SeisSol's chains."""
    ratios = _speedups([result for result in timed if result.family == "seissol"], "libxsmm")
    return [
        _mean("SeisSol's chains, geometric mean over libxsmm", 1.2, ratios),
        _least("SeisSol's chains, every one over libxsmm", 0.9, ratios),
    ]


def _variant_targets(timed: Sequence[Result]) -> list[Target]:
    kinds = {
        "transposed operands over plain": (0.8, "plain", ("tn", "nt", "tt")),
        "padded leading dimensions over plain": (0.8, "plain", ("padded",)),
        "dynamic shapes over static": (0.8, "plain", ("dynamic",)),
    }
    targets = []
    for name, (goal, baseline, variants) in kinds.items():
        chosen = [r for r in timed if r.case.rpartition(".")[2] in variants]
        ratios = _speedups(chosen, baseline)
        targets.append(_least(name, goal, ratios))
    fused = [r for r in timed if r.family == "fused"]
    ratios = _speedups(fused, "separate")
    targets.append(_least("fused kernels over separate ones", 1.5, ratios))
    return targets


def _values(
    results: Iterable[Result], value: Callable[[Result], float | None], *needed: str
) -> Named:
    found = []
    for result in results:
        number = value(result) if result.has(*needed) else None
        if number is not None:
            found.append((f"{result.case} {result.batch}", number))
    return found


def _speedups(results: Iterable[Result], peer: str) -> Named:
    return _values(results, lambda result: result.speedup(peer), peer)


def _mean(name: str, goal: float, values: Named) -> Target:
    measured = geometric_mean([value for _, value in values]) if values else None
    return Target(name, goal, measured, _worst(values))


def _least(name: str, goal: float, values: Named) -> Target:
    measured = min((value for _, value in values), default=None)
    count = sum(value >= goal for _, value in values)
    worst = f"{_worst(values)}; {count} of {len(values)} reach it" if values else ""
    return Target(name, goal, measured, worst)


def _worst(values: Named) -> str:
    return min(values, key=lambda pair: pair[1])[0] if values else ""
