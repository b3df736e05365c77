# SPDX-License-Identifier: BSD-3-Clause
"""`tinytc bench`: measures our kernels and those of libraries, compilation, launches, GPU code."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from tinytc_mlir.cli.files import EXIT_ERROR, EXIT_OK, Commands, command, positive, read, write
from tinytc_mlir.cli.progress import Progress
from tinytc_mlir.errors import TinyTCError
from tinytc_mlir.files import check_writable

from . import BATCHES, COMPARED, NATIVE, OF_BATCHES, PARTS

if TYPE_CHECKING:
    from tinytc_mlir.measure.timing import Settings

    from .measurements import Batched, Report

_CHAINS, _QUICK_CHAINS = 200, 20  # compiled as an application
_EXAMPLES = (
    ("--only gemm.f32 --quick", "a first look, in a few seconds"),
    ("kernels --json report.json --plot roofline.svg", "all kernels, for later"),
    ("--goals", "everything, and which goals of this project are met"),
    ("--from report.json --markdown report.md", "measures nothing, writes a table"),
)


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(
        commands,
        "bench",
        run,
        "compare our kernels with those of libraries, and time the compiler and launches",
        _EXAMPLES,
    )
    parser.add_argument(
        "parts",
        nargs="*",
        type=_part,
        metavar="PART",
        help=f"what to measure: {', '.join(PARTS)} (seissol is the kernels of an application, "
        "and their compilation; scaling is batches on 1, 2, 4, ... cores, distributed on several "
        "processes; derivatives are reverse derivatives beside JAX and PyTorch; batched is "
        "functions of one element beside kernels, NumPy and JAX; solves is "
        "factorisations and solves beside NumPy, MKL, PyTorch and JAX; packed is products of i8 "
        "and bf16 with packed factors beside those without, and PyTorch's; zeros is chains with "
        "patterns of zeros beside those without; native is native code on one thread beside the "
        "driver's and peers, by processor time; gpu counts "
        "instructions); by default all of them, or only the kernels if --only is given",
    )
    parser.add_argument(
        "--only",
        metavar="CASE",
        action="append",
        default=[],
        help="name of a case, the part of it before a dot (gemm.f32.32), or a wildcard",
    )
    parser.add_argument(
        "--batch",
        choices=BATCHES,
        action="append",
        help="size of the batches: within the last-level cache, or far beyond it; by default both",
    )
    parser.add_argument(
        "--peers",
        type=_peers,
        default=COMPARED,
        metavar="NAME,...",
        help="libraries and native code to compare with, from "
        f"{','.join(COMPARED)}, or none; by default all",
    )
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument(
        "--rounds", type=positive, help="number of rounds in which every candidate is timed once"
    )
    parser.add_argument(
        "--vector-bytes",
        type=int,
        choices=(16, 32, 64),
        help="kernels and peers use registers of 16 (SSE), 32 (AVX2) or 64 bytes (AVX-512), by "
        "default the longest of this processor",
    )
    parser.add_argument(
        "--goals", action="store_true", help="also show which goals of this project are met"
    )
    parser.add_argument("--list", action="store_true", help="only list the names of the cases")
    parser.add_argument(
        "--json", metavar="FILE", help="write all measurements as JSON, - for stdout"
    )
    parser.add_argument("--markdown", metavar="FILE", help="write the tables as Markdown")
    parser.add_argument(
        "--tables", metavar="FILE", help="write the tables as JSON, as docs/measurements has them"
    )
    parser.add_argument(
        "--from",
        dest="source",
        metavar="FILE",
        help="measure nothing, show a report written with --json",
    )
    parser.add_argument("--plot", metavar="FILE", help="write a roofline plot (.png, .svg, .pdf)")


def _part(text: str) -> str:
    if text not in PARTS:
        raise argparse.ArgumentTypeError(f"expected parts of {', '.join(PARTS)}, got {text!r}")
    return text


def _peers(text: str) -> tuple[str, ...]:
    names = () if text == "none" else tuple(text.split(","))
    for name in names:
        if name not in COMPARED:
            known = ", ".join(COMPARED)
            raise argparse.ArgumentTypeError(f"expected some of {known}, got {name!r}")
    return names


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from . import cases

    if arguments.list:
        print("\n".join(case.name for case in cases.select(arguments.only)))
        return EXIT_OK
    report = _read(arguments.source) if arguments.source else _measure(arguments)
    try:
        _write(report, arguments)
        return EXIT_ERROR if _failures(report) else EXIT_OK
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        if not arguments.source:
            raise
        problem = f"{type(error).__name__}: {error}"
        raise TinyTCError(
            f"{arguments.source}: expected a whole report, got one with {problem}"
        ) from error


def _read(path: str) -> Report:
    """Return a report from a file."""
    from .runner import VERSION

    try:
        report = json.loads(read(path))
    except ValueError as error:
        raise TinyTCError(f"{path}: expected JSON, got an error: {error}") from None
    version = report.get("version") if isinstance(report, dict) else None
    if version != VERSION:
        raise TinyTCError(f"{path}: expected a report of version {VERSION}, got {version!r}")
    return cast("Report", report)


def _measure(arguments: argparse.Namespace) -> Report:
    from . import cases, runner

    batches = tuple(dict.fromkeys(arguments.batch or BATCHES))
    parts = arguments.parts or (PARTS[:1] if arguments.only else PARTS)
    chosen = cases.select(arguments.only)
    _check_outputs(arguments)
    chains = _QUICK_CHAINS if arguments.quick else _CHAINS
    plan = runner.Plan(
        parts,
        chosen,
        batches,
        arguments.peers,
        _settings(arguments),
        chains,
        arguments.vector_bytes,
    )
    with Progress() as progress:
        return runner.run(plan, progress)


def _check_outputs(arguments: argparse.Namespace) -> None:
    """Raise now what would keep the report from being written after many minutes."""
    for path in (arguments.json, arguments.markdown, arguments.tables, arguments.plot):
        if path and path != "-":
            check_writable(path)
    if arguments.plot:
        from tinytc_mlir.roofline.picture import format_of

        format_of(arguments.plot)


def _write(report: Report, arguments: argparse.Namespace) -> None:
    """Write a report in the requested forms."""
    if arguments.json == "-":
        write("-", json.dumps(report) + "\n")
    else:
        print(_summary(report, arguments.peers, has_goals=arguments.goals))
        if arguments.json:
            write(arguments.json, json.dumps(report) + "\n")
    if arguments.markdown:
        text = _summary(report, arguments.peers, "markdown", has_goals=arguments.goals)
        write(arguments.markdown, text + "\n")
    if arguments.tables:
        write(arguments.tables, _tables(report, arguments.peers, has_goals=arguments.goals))
    if arguments.plot:
        from .plot import draw

        draw(report, arguments.plot)


def _settings(arguments: argparse.Namespace) -> Settings:
    from tinytc_mlir.measure.timing import Settings

    settings = Settings(3, 0.01) if arguments.quick else Settings()
    return Settings(arguments.rounds or settings.rounds, settings.block_s)


def _of_batches(report: Report) -> list[tuple[str, Batched]]:
    parts = cast("dict[str, Batched]", report)
    return [(name, parts[name]) for name in (*OF_BATCHES, NATIVE) if name in parts]


def _failures(report: Report) -> list[str]:
    """Return what went wrong with our own kernels."""
    parts = [part.get("problems", {}) for part in report.get("results", [])]
    parts += [report.get("compile", {}).get("problems", {})]
    parts += [report.get("launch", {}).get("problems", {})]
    parts += [report.get("application", {}).get("problems", {})]
    parts += [run["result"].get("problems", {}) for run in report.get("scaling", [])]
    parts += [report.get("distributed", {}).get("problems", {})]
    parts += [report.get("derivatives", {}).get("problems", {})]
    parts += [part.get("problems", {}) for _, part in _of_batches(report)]
    parts += [part["problems"] for part in report.get("gpu", [])]
    return [problems["ours"] for problems in parts if "ours" in problems]


def _summary(
    report: Report, peers: tuple[str, ...], style: str = "plain", *, has_goals: bool
) -> str:
    """Return the tables, with those of the project's goals if they are asked for."""
    from .report import machine_line

    parts = _parts(report, peers, style, has_goals=has_goals)
    return "\n\n".join([machine_line(report), *(text for _, text in parts)])


def _tables(report: Report, peers: tuple[str, ...], *, has_goals: bool) -> str:
    """Return the tables by name as JSON; further ones of a name have a number."""
    found: dict[str, str] = {}
    for name, text in _parts(report, peers, "json", has_goals=has_goals):
        for number, table in enumerate(text.split("\n\n"), 1):
            if table.startswith("{"):  # else what went wrong
                found[name if number == 1 else f"{name} {number}"] = table
    inner = ",\n".join(f"{json.dumps(name)}: {table}" for name, table in found.items())
    return f"{{\n{inner}\n}}\n"


def _parts(
    report: Report, peers: tuple[str, ...], style: str, *, has_goals: bool
) -> Iterator[tuple[str, str]]:
    """Yield names and texts of the tables, and what went wrong."""
    from . import findings
    from . import report as text

    parts: list[tuple[str, str]] = []
    targets: list[findings.Target] = []
    if "results" in report:
        results = [findings.Result(data) for data in report["results"]]
        parts += [("kernels", text.table(results, peers, style))]
        parts += [("problems", "\n".join(text.problems(results)))]
        targets += findings.kernel_targets(results)
    if "compile" in report:
        parts.append(("compiler", text.compile_table(report["compile"], style)))
        targets += findings.compile_targets(report["compile"])
    if "application" in report:
        parts.append(("application", text.application_table(report["application"], style)))
        targets += findings.application_targets(report["application"])
    if "launch" in report:
        parts.append(("launches", text.launch_table(report["launch"], style)))
        targets += findings.launch_targets(report["launch"])
    if "scaling" in report:
        parts.append(("scaling", text.scaling_table(report["scaling"], style)))
        targets += findings.scaling_targets(report["scaling"])
    if "distributed" in report:
        parts.append(("distributed", text.distributed_table(report["distributed"], style)))
    if "derivatives" in report:
        parts.append(("derivatives", text.derivatives_table(report["derivatives"], style)))
        targets += findings.derivatives_targets(report["derivatives"])
    parts += [(name, text.batched_table(batches, style)) for name, batches in _of_batches(report)]
    parts.append(("native means", text.native_table(report.get("native", {}), style)))
    if "gpu" in report:
        found = report["gpu"]
        parts += [("kernels", text.gpu_table(found, style))]
        parts += [("problems", "\n".join(text.gpu_problems(found)))]
        targets += findings.gpu_targets(found)
    if targets and has_goals:
        parts.append(("goals", text.target_table(targets, style)))
    return ((name, found) for name, found in parts if found)
