# SPDX-License-Identifier: BSD-3-Clause
"""A report as text: one line per case and batch, then what is missing, then the targets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from tinytc_mlir.measure.timing import ratio, summarize

from . import NATIVE_BATCHES, native_speed
from .cpp_compiler import INSTRUCTIONS_PER_FMA
from .findings import CEILINGS, OURS, Result, Target, efficiency
from .measurements import (
    ApplicationRuns,
    Batched,
    CaseGpuCode,
    Compilation,
    Derivatives,
    DeviceProgram,
    GpuKernel,
    Launches,
    ProcessTimes,
    Report,
    Scaling,
    ScalingRun,
    StageTimes,
)

_JSON_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
_MOST_PROGRAMS = 5
_COLUMNS = ("case", "batch", "groups", "us", "+-%", "GFLOP/s", "GB/s", "ceiling", "%")
_SURPLUS = {
    "submit +us": ("submit", "dpctl_submit"),
    "call +us": ("call", "dpctl_call"),
    "again +us": ("again", "submit"),
    "new +us": ("new", "submit"),
}
_NAMES = {"c": "C loops", "numpy": "numpy (1 thread)", "native": "native code"}


def table(results: Sequence[Result], peers: Sequence[str], style: str = "plain") -> str:
    """Return the times, rates and ratios of all results as a table.

    A ratio says how many times as fast as the peer we are, in its best way and with each of our
    launches waited for. The other numbers are those of launches that wait once a turn. The ceiling
    is the lower of FMA peak and copy bandwidth; the number after it is our share of that ceiling.

    Args:
        results: the results.
        peers: names of the peers that have columns.
        style: "plain", or "markdown".
    """
    columns = [*_COLUMNS, *(f"x {_NAMES.get(name, name)}" for name in (*peers, "own"))]
    rows = [_row(result, peers) for result in results]
    return _table(columns, rows, style)


def _row(result: Result, peers: Sequence[str]) -> list[str]:
    head = [result.case, result.batch, str(result.groups or "")]
    if not result.has(OURS):
        return [*head, result.problems.get(OURS, "not measured")]
    time = result.time_ns(OURS)
    row = [
        *head,
        f"{time.median / 1e3:.1f}",
        f"{100 * time.spread:.0f}",
        f"{result.gflops():.1f}",
        f"{result.gbytes_per_s():.1f}",
    ]
    if result.has(*CEILINGS):
        row += [result.bound, f"{100 * result.part_of(result.bound):.0f}"]
    else:
        row += ["", ""]
    row += [f"{result.speedup(peer):.2f}" if result.has(peer) else "-" for peer in peers]
    own = [name for name in ("plain", "separate") if result.has(name)]
    row.append(f"{result.speedup(own[0]):.2f} {own[0]}" if own else "")
    return row


def compile_table(compiled: Compilation, style: str = "plain") -> str:
    """Return the times of the stages, of processes, and of the slowest programs to build.

    The time of a stage is what it adds to the stage before it.
    """
    tables = [
        _stage_table(compiled.get("stages", {}), style),
        _stage_table(compiled.get("native_stages", {}), style),
        _process_table(compiled.get("processes", {}), style),
        _program_table(compiled.get("programs", {}), style),
    ]
    return "\n\n".join(filter(None, tables))


def _stage_table(stages: dict[str, StageTimes], style: str) -> str:
    rows, columns = [], []
    for name, found in stages.items():
        medians = {stage: _median_ms(times) for stage, times in found["times_ns"].items()}
        *ends, total = medians.values()
        steps = [end - start for start, end in zip([0.0, *ends], ends, strict=False)]
        numbers = [f"{ms:.2f}" for ms in (*steps, total)]
        rows.append([name, *numbers, str(found["spirv_bytes"])])
        columns = ["instructions", *(f"{stage} ms" for stage in medians), "bytes"]
    return _table(columns, rows, style) if rows else ""


def _process_table(processes: dict[str, ProcessTimes], style: str) -> str:
    rows = [
        [name, f"{_median_ms(found['times_ns']):.0f}", f"{found['memory_bytes'] / 2**20:.0f}"]
        for name, found in processes.items()
    ]
    return _table(["process", "ms", "peak MiB"], rows, style) if rows else ""


def _program_table(programs: dict[str, DeviceProgram], style: str) -> str:
    built = [
        (min(found["times_ns"]), name) for name, found in programs.items() if found["times_ns"]
    ]
    rows = []
    for time_ns, name in sorted(built, key=lambda pair: -pair[0]):
        sizes = (programs[name]["spirv_bytes"], programs[name]["code_bytes"])
        rows.append([name, f"{time_ns / 1e6:.1f}", *map(str, sizes)])
    columns = [f"slowest of {len(rows)} programs", "driver ms", "SPIR-V bytes", "code bytes"]
    return _table(columns, rows[:_MOST_PROGRAMS], style) if rows else ""


def _median_us(times_ns: Sequence[float]) -> float:
    return summarize(times_ns).median / 1e3


def _median_ms(times_ns: Sequence[float]) -> float:
    return summarize(times_ns).median / 1e6


def application_table(application: ApplicationRuns, style: str = "plain") -> str:
    """Return what a kernel takes on average from text to launch, by the way it is compiled.

    Wall times; the CPU time is that of all threads and processes, the driver's among them.
    """
    rows = []
    for way, found in application.get("runs", {}).items():
        count = found["chains"]
        times = [found["time_ns"], found["cpu_ns"]]
        numbers = [f"{time_ns / count / 1e6:.1f}" for time_ns in times]
        rows.append([way, str(count), *numbers, f"{found['memory_bytes'] / count / 1e6:.2f}"])
    columns = ["text to launch", "kernels", "ms each", "CPU ms", "MB each"]
    return _table(columns, rows, style) if rows else ""


def launch_table(launches: Launches, style: str = "plain") -> str:
    """Return the times of launches, and how much longer they take than others.

    Those of bound kernels compare with dpctl's, those of kernels with a bound kernel's.
    """
    rows = []
    for kernel, times in launches.get("kernels", {}).items():
        row = [kernel, *(f"{summarize(values).median / 1e3:.2f}" for values in times.values())]
        for way, other in _SURPLUS.values():
            pairs = zip(times[way], times[other], strict=True) if way in times else ()
            surplus = [a - b for a, b in pairs]
            row.append(f"{summarize(surplus).median / 1e3:+.2f}" if surplus else "")
        rows.append(row)
    names = ("submit us", "dpctl", "call us", "dpctl", "again", "new")
    columns = ["kernel", *names[: max(map(len, rows), default=1) - len(_SURPLUS) - 1], *_SURPLUS]
    return _table(columns, rows, style)


def distributed_table(scaling: Scaling, style: str = "plain") -> str:
    """Return the times of batches that grow with the processes of a cluster."""
    rows = []
    direct = summarize(scaling.get("direct_ns", [0])).median / 1e6
    for processes, times in scaling.get("times_ns", {}).items():
        found = efficiency(scaling, processes)
        ms = f"{summarize(times).median / 1e6:.1f}"
        rows.append([processes, f"{int(processes) * scaling['blocks']}", ms, f"{found:.2f}"])
    columns = ["processes", "blocks", f"ms ({direct:.1f} without a cluster)", "efficiency"]
    return _table(columns, rows, style)


def derivatives_table(derivatives: Derivatives, style: str = "plain") -> str:
    """Return the times of reverse derivatives, and how many times as long others take."""
    rows = []
    runs = derivatives.get("runs", [])
    peers = [way for way in ("jax", "torch") if all(way in run["times_ns"] for run in runs)]
    for run in runs:
        times = run["times_ns"]
        over = f"{ratio(times['reverse'], times['forward']):.2f}"
        row = [run["chain"], str(run["groups"]), f"{_median_us(times['forward']):.0f}", over]
        for peer in peers:
            row.append(f"{ratio(times[peer], times['forward']):.1f}")
            row.append(f"{ratio(times[f'{peer}_reverse'], times['reverse']):.1f}")
        rows.append(row)
    names = [name for peer in peers for name in (f"{peer} forward", f"{peer} reverse")]
    table = _table(["chain", "elements", "us", "reverse", *names], rows, style) if rows else ""
    missing = derivatives.get("missing", [])
    hint = f"not installed: {', '.join(missing)} (pip install {' '.join(missing)})"
    return "\n".join(filter(None, [table, hint if missing else ""]))


def batched_table(batched: Batched, style: str = "plain") -> str:
    """Return the times of a part of `OF_BATCHES`, and how many times as long others take."""
    rows = []
    runs = batched.get("runs", [])
    peers = dict.fromkeys(name for run in runs for name in run["times_ns"] if name != "ours")
    for run in runs:
        times = run["times_ns"]
        row = [run["name"], str(run["elements"]), f"{_median_us(times['ours']):.0f}"]
        for peer in peers:
            row.append(f"{ratio(times[peer], times['ours']):.2f}" if peer in times else "-")
        rows.append(row)
    return _table(["function", "elements", "us", *peers], rows, style) if rows else ""


def native_table(batched: Batched, style: str = "plain") -> str:
    """Return how many times as fast as others native code is, on one thread."""
    rows = list(native_speed.rows(batched))
    return _table(["cases", "to", *NATIVE_BATCHES], rows, style) if rows else ""


def scaling_table(runs: Sequence[ScalingRun], style: str = "plain") -> str:
    """Return the times on some of the cores, and how many times as fast as on one that is.

    The last columns are the same for multiply-adds in registers and for the faster copy.
    """
    alone = {_key(run): Result(run["result"]) for run in runs if run["cores"] == 1}
    rows = []
    for run in runs:
        result, one = Result(run["result"]), alone.get(_key(run))
        if one is None or not (result.has(OURS, *CEILINGS) and one.has(OURS, *CEILINGS)):
            continue
        copies = result.copy_gbytes_per_s / one.copy_gbytes_per_s
        gains = [result.gflops() / one.gflops(), result.peak_gflops / one.peak_gflops, copies]
        times = [str(run["cores"]), f"{result.time_ns(OURS).median / 1e3:.1f}"]
        rows.append([*_key(run), *times, *(f"{gain:.2f}" for gain in gains)])
    columns = ["case", "batch", "cores", "us", "x one core", "FMAs", "copy"]
    return _table(columns, rows, style) if rows else ""


def _key(run: ScalingRun) -> tuple[str, str]:
    return run["result"]["case"], run["result"]["batch"]


def gpu_table(results: Sequence[CaseGpuCode], style: str = "plain") -> str:
    """Return the counts for the kernels for GPUs, and the C++ compiler's beside.

    Columns without any entry are left out.

    Args:
        results: elements of the report's `gpu`.
        style: "plain", or "markdown".
    """
    rows = [
        [
            result["case"],
            kernel["kernel"],
            kernel["gpu"],
            str(kernel["registers"]),
            str(kernel.get("lanes", "-")),
            str(kernel["instructions"]),
            str(kernel["messages"]),
            str(kernel["multiply_adds"]),
            str(kernel["dot_products"]),
            str(kernel.get("loop_instructions", "-")),
            str(kernel.get("loop_messages", "-")),
            f"{kernel['loop_multiply_adds_of_16']:g}" if "loop_messages" in kernel else "-",
            str(kernel.get("loop_dot_products", "-")),
            _for_each_fma(kernel, kernel.get("loop_instructions")),
            _for_each_fma(kernel, kernel.get("loop_messages")),
            str(INSTRUCTIONS_PER_FMA.get(kernel["gpu"], {}).get(result["case"], "-")),
            str(kernel["spilled_bytes"]),
            *(str(kernel.get(name, "-")) for name in ("loads", "wide_loads")),
        ]
        for result in results
        for kernel in result["kernels"]
    ]
    columns = ["case", "kernel", "GPU", "registers", "lanes", "instructions", "sends", "FMAs"]
    columns += ["dpas", "in the loop", "its sends", "its FMAs", "its dpas", "an FMA"]
    columns += ["sends an FMA", "C++", "spilled bytes"]
    columns += ["loads", "of 128 bits"]
    wanted = [i for i, _ in enumerate(columns) if any(row[i] != "-" for row in rows)]
    rows = [[row[i] for i in wanted] for row in rows]
    return _table([columns[i] for i in wanted], rows, style) if rows else ""


def _for_each_fma(kernel: GpuKernel, count: int | None) -> str:
    fmas = kernel.get("loop_multiply_adds_of_16")
    return f"{count / fmas:.2f}" if fmas and count is not None else "-"


def target_table(targets: Iterable[Target], style: str = "plain") -> str:
    """Return what the goals are, what was measured and whether they are met."""
    words = {True: "met", False: "not met", None: "not measured"}
    rows = [
        [
            target.name,
            f"{'<=' if target.is_limit else '>='} {target.goal:g} {target.unit}".rstrip(),
            "-" if target.measured is None else f"{target.measured:.3g}",
            words[target.is_met],
            target.worst,
        ]
        for target in targets
    ]
    columns = ["target", "goal", "measured", "", "worst"]
    return _table(columns, rows, style)


def problems(results: Sequence[Result]) -> list[str]:
    """Return what could not be measured: missing peers once, wrong results each time."""
    return _problems((f"{result.case} {result.batch}", result.problems) for result in results)


def gpu_problems(results: Iterable[CaseGpuCode]) -> list[str]:
    """Return what could not be compiled for GPUs, and which compilers are missing."""
    return _problems((result["case"], result["problems"]) for result in results)


def _problems(found: Iterable[tuple[str, dict[str, str]]]) -> list[str]:
    lines: dict[str, None] = {}
    for where, reasons in found:
        for name, reason in reasons.items():
            if reason.startswith("missing: "):
                lines[f"{name} {reason}"] = None
            elif name == OURS or reason.startswith("wrong result"):
                lines[f"{where}: {name}: {reason}"] = None
    return list(lines)


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]], style: str) -> str:
    forms = {"markdown": _markdown, "json": _json}
    return forms.get(style, _aligned)(columns, rows)


def _aligned(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    whole = [row for row in rows if len(row) == len(columns)]
    widths = [max(map(len, cells)) for cells in zip(columns, *whole, strict=True)]
    lines = []
    for row in (columns, *rows):
        cells = [
            cell.rjust(width) if _is_number(cell) else cell.ljust(width)
            for cell, width in zip(row, widths, strict=False)
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _json(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table as JSON, with numbers as they are written, a row in a line."""
    lines = (
        ", ".join(cell if _JSON_NUMBER.fullmatch(cell) else json.dumps(cell) for cell in row)
        for row in rows
    )
    inner = ",\n".join(f"  [{line}]" for line in lines)
    return f'{{"columns": {json.dumps(list(columns))}, "rows": [\n{inner}]}}'


def _is_number(text: str) -> bool:
    return text.lstrip("+-").replace(".", "", 1).isdigit()


def machine_line(report: Report) -> str:
    """Return one line that describes the machine."""
    machine = report["machine"]
    return (
        f"{machine['cpu']}, {machine['cores']} cores, last cache "
        f"{machine['last_cache_bytes'] // 2**20} MiB, {report['time']}"
    )
