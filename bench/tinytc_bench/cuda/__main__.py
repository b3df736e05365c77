# SPDX-License-Identifier: BSD-3-Clause
"""Numeric cases, then speed, on an NVIDIA GPU.

python -m tinytc_bench.cuda build/cuda
python -m tinytc_bench.cuda build/cuda --only cases --every 50
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence

from tinytc_mlir.errors import TinyTCError
from tinytc_mlir.runtime.devices import describe_device, queue_of
from tinytc_mlir.runtime.nvidia.cuda import CudaQueue

from . import cases, goals, launches, speed

_PARTS = ("launches", "cases", "sanitizer", "speed")
_SANITIZER = "compute-sanitizer"
_SAMPLE = 60  # each so-manieth case runs in the sanitizer, which is slow
_GIB = 1 << 30
_ENVIRONMENT = {"CUDA_CACHE_DISABLE": "1", "CUDA_MODULE_LOADING": "EAGER"}
"""For the driver, so that it builds each program when it is loaded, and builds it again."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the benchmark; return the status: 0 if all results are right."""
    options = _parser().parse_args(words)
    parts = options.parts or _PARTS
    os.environ.update(_ENVIRONMENT)  # before the driver is asked for anything
    try:
        queue = queue_of(options.device)
        if not isinstance(queue, CudaQueue):
            raise TinyTCError(f"expected an NVIDIA device, got {queue.device.name}")
        print(describe_device(queue.device), flush=True)
        wrong = 0
        if "launches" in parts:
            wrong += _check_launches(options, queue)
        if "cases" in parts:
            wrong += _run_cases(options, queue)
        if "sanitizer" in parts:
            wrong += _run_sanitizer(options)
        if "speed" in parts:
            wrong += _run_speed(options, queue)
    except TinyTCError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 1 if wrong else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tinytc_bench.cuda",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=pathlib.Path, help="what test/cuda_cases.py wrote")
    parser.add_argument(
        "--only", dest="parts", action="append", choices=_PARTS, help="what to do; by default all"
    )
    parser.add_argument("--device", default="cuda", help="name of a target")
    parser.add_argument("--every", type=int, default=1, help="run each so-manieth case")
    parser.add_argument(
        "--from", dest="first", type=int, default=0, help="leave out so many cases at the start"
    )
    parser.add_argument("--matching", default="", help="only what has this in its name")
    parser.add_argument("--gib", type=float, default=0.5, help="size of the arrays of a launch")
    parser.add_argument("--json", type=pathlib.Path, help="write all times")
    return parser


def _check_launches(options: argparse.Namespace, queue: CudaQueue) -> int:
    found = dict(launches.check_launches(options.folder, queue))
    failures = {name: message for name, message in found.items() if message}
    for name, message in failures.items():
        print(f"wrong: {name.replace('_', ' ')}: {message}", flush=True)
    print(f"launches: {len(found) - len(failures)} checks right, {len(failures)} wrong", flush=True)
    return len(failures)


def _run_cases(options: argparse.Namespace, queue: CudaQueue) -> int:
    equal, wrong = 0, 0
    outcomes = cases.replay(
        options.folder,
        queue,
        every=options.every,
        matching=options.matching,
        first=options.first,
    )
    for outcome in outcomes:
        equal += outcome.equal
        wrong += len(outcome.failures)
        for text in outcome.failures:
            print(f"wrong: {text}", flush=True)
        if outcome.failures and speed.is_lost(queue):
            print(f"cases: {equal} right, {wrong} wrong", flush=True)
            raise TinyTCError(
                "expected a driver that goes on after these errors, got one that refuses all: the "
                f"first of the last module is the cause; go on with --from {outcome.end}"
            )
    print(f"cases: {equal} right, {wrong} wrong", flush=True)
    return wrong


def _run_sanitizer(options: argparse.Namespace) -> int:
    """Run a sample of the cases under memcheck and racecheck; return how many of these failed."""
    program = shutil.which(_SANITIZER)
    if program is None:
        print(f"sanitizer: {_SANITIZER} is not on the PATH, not run", flush=True)
        return 0
    wrong = 0
    for tool in ("memcheck", "racecheck"):
        command = [program, "--tool", tool, "--error-exitcode", "3", sys.executable]
        command += ["-m", "tinytc_bench.cuda", str(options.folder), "--only", "cases"]
        command += ["--device", options.device, "--every", str(_SAMPLE * options.every)]
        command += ["--matching", options.matching]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = done.stdout.splitlines()
        summary = [line for line in lines if "SUMMARY" in line or line.startswith("cases:")]
        print(f"sanitizer: {tool}: {'; '.join(summary)}", flush=True)
        if done.returncode:
            wrong += 1
            print("\n".join(lines[-40:]), flush=True)
    return wrong


def _run_speed(options: argparse.Namespace, queue: CudaQueue) -> int:
    bandwidth = speed.copy_bandwidth(queue)
    print(f"copy: {bandwidth / 1e12:.2f} TB/s read and written", flush=True)
    cost = speed.launch_cost(options.folder, queue)
    if cost is not None:
        print(f"launch of a bound kernel: {cost * 1e6:.1f} us", flush=True)
    timings = []
    for timing in speed.time_programs(
        options.folder,
        queue,
        footprint_bytes=int(options.gib * _GIB),
        matching=options.matching,
    ):
        timings.append(timing)
        print(timing.line(bandwidth), flush=True)
        if timing.message and speed.is_lost(queue):
            raise TinyTCError(
                f"expected a driver that goes on after {timing.name}, got one that refuses all"
            )
    builds = speed.build_seconds(options.folder, queue)
    if builds:
        print(
            f"build of a program by the driver: median {statistics.median(builds) * 1e3:.0f} ms, "
            f"longest {max(builds) * 1e3:.0f} ms"
        )
    for name, kind, ratios in goals.by_peer(timings):
        worst = min(ratios, key=lambda case: ratios[case])
        print(
            f"over {name}, {kind}: {goals.mean(ratios):.2f}, {len(ratios)} cases, "
            f"worst {worst} {ratios[worst]:.2f}"
        )
    for line in goals.lines(timings, bandwidth, cost, builds):
        print(line)
    if options.json:
        text = json.dumps([vars(timing) for timing in timings], indent=1)
        options.json.write_text(text, encoding="utf-8")
    return sum(timing.error > 1 or bool(timing.message) for timing in timings)


if __name__ == "__main__":
    sys.exit(main())
