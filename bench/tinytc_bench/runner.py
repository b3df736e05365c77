# SPDX-License-Identifier: BSD-3-Clause
"""Drives the process that measures, and assembles a report."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import os
import pathlib
import platform
import subprocess
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any, cast

from tinytc_mlir import child_processes, switches
from tinytc_mlir.measure.timing import Settings

from . import OF_BATCHES, PARTS
from .case import Case
from .measurements import Batched, CaseGpuCode, GpuCode, Machine, Measured, Report, ScalingRun
from .processors import PROCESSORS, environment
from .seissol_cases import FAMILY as SEISSOL

VERSION = 1
PROGRAM_LENGTHS = (500, 1000, 2000, 4000)  # instructions of programs to compile
# The threads of a library that waits actively would take cores from the next candidate.
_ENVIRONMENT = {
    "OMP_WAIT_POLICY": "passive",
    "KMP_BLOCKTIME": "0",
    "OPENBLAS_NUM_THREADS": "1",  # from 128³ upwards, more threads only wait for each other
    "MKL_THREADING_LAYER": "INTEL",
    "MKL_INTERFACE_LAYER": "LP64",
    switches.CACHE_DIR.name: "0",  # what is measured is not found
}
_CACHE_PART, _MEMORY_FACTOR = 0.5, 8
# Virtual machines tell the size of a cache that they share with others.
_OWN_CACHE_BYTES, _SHARED_CACHE_FACTOR = 64 * 2**20, 2
_DEFAULT_CACHE_BYTES = 32 * 2**20


@dataclasses.dataclass(frozen=True)
class Plan:
    """The plan of a run.

    Args:
        parts: some of `PARTS`.
        cases: the cases.
        batches: some of `BATCHES`.
        peers: names of the peers.
        settings: how long to measure.
        chains: number of chains that are compiled as an application.
        vector_bytes: bytes of a register that kernels and peers use; None: the processor's.
    """

    parts: Sequence[str]
    cases: Sequence[Case]
    batches: Sequence[str]
    peers: Sequence[str]
    settings: Settings
    chains: int = 200
    vector_bytes: int | None = None


def run(plan: Plan, progress: Callable[[str], None] = lambda text: None) -> Report:
    """Return a report: machine, settings, one result for every case and batch, other parts.

    Args:
        plan: what to measure.
        progress: called with what is measured next.
    """
    started = time.time()
    worker = _Worker(plan.vector_bytes)
    measured: Measured = {}
    try:
        for part in plan.parts:
            found = _PARTS[part](plan, worker, progress)
            results = measured.get("results", []) + found.pop("results", [])
            measured |= found
            if results:
                measured["results"] = results
    finally:
        worker.stop()
    return {
        "version": VERSION,
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "duration_s": round(time.time() - started, 1),
        "machine": machine(plan.vector_bytes),
        "settings": dataclasses.asdict(plan.settings),
        **measured,
    }


Progress = Callable[[str], None]


def _kernels(plan: Plan, worker: _Worker, progress: Progress) -> Measured:
    """Return the results of all cases but those that are a part of their own."""
    cases = [case for case in plan.cases if case.family not in plan.parts]
    return _results(cases, plan, worker, progress)


def _seissol(plan: Plan, worker: _Worker, progress: Progress) -> Measured:
    """Return the results of SeisSol's chains, and what those of an application take to compile."""
    cases = [case for case in plan.cases if case.family == SEISSOL]
    measured = _results(cases, plan, worker, progress)
    progress(f"{plan.chains} chains from text to launch")
    request = {"do": "application", "count": plan.chains}
    measured["application"] = worker.ask(request, {})
    return measured


def _results(cases: Sequence[Case], plan: Plan, worker: _Worker, progress: Progress) -> Measured:
    """Return the results of some cases."""
    turns = [(case, batch) for case in cases for batch in plan.batches]
    results = []
    for number, (case, batch) in enumerate(turns, 1):
        progress(f"[{number}/{len(turns)}] {case.name} {batch}")
        what = {"case": case.name, "family": case.family, "type": case.type, "batch": batch}
        request = {
            "do": "case",
            "case": case.name,
            "footprint_bytes": footprint_bytes(batch),
            "peers": list(plan.peers),
            "settings": dataclasses.asdict(plan.settings),
            "vector_bytes": plan.vector_bytes,
        }
        results.append(what | worker.ask(request, {"times_ns": {}}))
    return {"results": results}


def _scaling(plan: Plan, worker: _Worker, progress: Progress) -> Measured:
    """Return the times of the cases on 1, 2, 4, ... and all cores, each in its own processes."""
    worker.stop()
    every = sorted(os.sched_getaffinity(0))
    counts = [1 << power for power in range(len(every).bit_length()) if 1 << power < len(every)]
    runs: list[ScalingRun] = []
    for count in (*counts, len(every)):
        some = _Worker(plan.vector_bytes, every[:count])
        try:
            progress(f"{count} of {len(every)} cores")
            alone = dataclasses.replace(plan, peers=())
            for result in _results(_of_scaling(plan.cases), alone, some, progress)["results"]:
                runs.append({"cores": count, "result": result})
        finally:
            some.stop()
    return {"scaling": runs}


def _of_scaling(cases: Sequence[Case]) -> list[Case]:
    """Return the cases among these that show how batches scale; all of them if there are none."""
    chosen = [case for case in cases if case.name in SCALING_CASES]
    return chosen or list(cases)


def _compile(plan: Plan, worker: _Worker, progress: Progress) -> Measured:
    """Return the times and sizes of compilations."""
    progress("compilation")
    names = [case.name for case in plan.cases]
    request = {
        "do": "compile",
        "cases": names,
        "lengths": PROGRAM_LENGTHS,
        "repeats": plan.settings.rounds,
    }
    return {"compile": worker.ask(request, {})}


def _launch(plan: Plan, worker: _Worker, progress: Progress) -> Measured:
    """Return times of launches."""
    progress("launches")
    request = {"do": "launch", "rounds": _LAUNCH_FACTOR * plan.settings.rounds}
    return {"launch": worker.ask(request, {})}


def _distributed(plan: Plan, worker: _Worker, progress: Progress) -> Measured:
    """Return times of batches in the processes of a cluster."""
    progress("processes of a cluster")
    return {"distributed": worker.ask({"do": "distributed", "rounds": plan.settings.rounds}, {})}


def _derivatives(plan: Plan, worker: _Worker, progress: Progress) -> Measured:
    """Return times of reverse derivatives, of batches within the last-level cache."""
    progress("reverse derivatives")
    settings = dataclasses.asdict(plan.settings)
    size_bytes = footprint_bytes("cache")
    request = {"do": "derivatives", "footprint_bytes": size_bytes, "settings": settings}
    return {"derivatives": worker.ask(request, {})}


def _batches(part: str, plan: Plan, worker: _Worker, progress: Progress) -> Measured:
    """Return times of a part of `OF_BATCHES`."""
    progress(OF_BATCHES[part])
    settings = dataclasses.asdict(plan.settings)
    found: Any = {part: worker.ask({"do": part, "settings": settings}, {})}
    return cast("Measured", found)


def _native(plan: Plan, worker: _Worker, progress: Progress) -> Measured:
    """Return times of native code and others on one core."""
    worker.stop()
    alone = _Worker(plan.vector_bytes, [min(os.sched_getaffinity(0))])
    found: Batched = {"runs": [], "problems": {}}
    try:
        for number, case in enumerate(plan.cases, 1):
            progress(f"[{number}/{len(plan.cases)}] {case.name} on one core")
            request: dict[str, object] = {
                "do": "native",
                "case": case.name,
                "settings": dataclasses.asdict(plan.settings),
                "vector_bytes": plan.vector_bytes,
            }
            answer: Batched = alone.ask(request, {"runs": []})
            found["runs"] += answer["runs"]
            found["problems"] |= answer.get("problems", {})
    finally:
        alone.stop()
    return {"native": found}


def _gpu(plan: Plan, worker: _Worker, progress: Progress) -> Measured:
    """Return the counts for the GPU code of all cases."""
    results: list[CaseGpuCode] = []
    for number, case in enumerate(plan.cases, 1):
        progress(f"[{number}/{len(plan.cases)}] {case.name} for GPUs")
        answer: GpuCode = worker.ask({"do": "gpu", "case": case.name}, {"kernels": []})
        results.append({"case": case.name, **answer})
    return {"gpu": results}


_LAUNCH_FACTOR = 50
SCALING_CASES = (
    "gemm.f32.8",
    "gemm.f32.32",
    "gemm.f64.56x9x56",
    "fused.f32.chain35",
    "axpby.f32.256x256",
    "cumsum.f32.256x256.mode1",
)
"""Bound by multiply-adds and by memory; the part of the report about scaling has only these."""
_PARTS: dict[str, Callable[[Plan, _Worker, Progress], Measured]] = dict(
    zip(
        PARTS,
        (
            _kernels,
            _seissol,
            _compile,
            _launch,
            _scaling,
            _distributed,
            _derivatives,
            *(functools.partial(_batches, part) for part in OF_BATCHES),
            _native,
            _gpu,
        ),
        strict=True,
    )
)


class _Worker:
    """The process that measures; a new one is started when it dies."""

    def __init__(self, vector_bytes: int | None, cores: Collection[int] | None = None) -> None:
        self._environment = {
            **child_processes.environment(),
            **_ENVIRONMENT,
            **environment(vector_bytes),
        }
        self._cores = cores  # None: all
        self._process: subprocess.Popen[str] | None = None

    def ask(self, request: dict[str, object], lost: dict[str, object]) -> Any:
        """Return the answer of the process, or `lost` with the problem if it crashed."""
        if self._process is None:
            command = child_processes.module_command(f"{__package__}.worker")
            cores = os.sched_getaffinity(0)
            try:
                # The process inherits the cores; its libraries count them when they are loaded.
                os.sched_setaffinity(0, self._cores or cores)
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env=self._environment,
                    text=True,
                )
            finally:
                os.sched_setaffinity(0, cores)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            print(json.dumps(request), file=self._process.stdin, flush=True)
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line:
            return json.loads(line)
        status = self.stop()
        return lost | {"problems": {"ours": f"the process ended with status {status}"}}

    def stop(self) -> int:
        """End the process, if it has not ended by itself, and return its status."""
        if self._process is None:
            return 0
        with self._process as process:
            assert process.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
        self._process = None
        return process.returncode


def footprint_bytes(batch: str) -> int:
    """Return the total size of all arrays for a batch of that name."""
    cache = last_cache_bytes()
    own = min(cache, _OWN_CACHE_BYTES)
    if batch == "cache":
        return int(own * _CACHE_PART)
    return max(own * _MEMORY_FACTOR, cache * _SHARED_CACHE_FACTOR)


def last_cache_bytes() -> int:
    """Return the size of the last-level cache, or a usual size if it is unknown."""
    folder = pathlib.Path("/sys/devices/system/cpu/cpu0/cache")
    units = {"K": 2**10, "M": 2**20}
    sizes = []
    for file in folder.glob("index*/size"):
        text = file.read_text().strip()
        if text[-1:] in units and text[:-1].isdecimal():
            sizes.append(int(text[:-1]) * units[text[-1]])
    return max(sizes, default=_DEFAULT_CACHE_BYTES)


def machine(vector_bytes: int | None = None) -> Machine:
    """Return the properties of the machine that the numbers depend on.

    Args:
        vector_bytes: bytes of a register, if less than the processor has are used.
    """
    limit = f" as one with {PROCESSORS[vector_bytes].name}" if vector_bytes else ""
    return {
        "cpu": _cpu_name() + limit,
        "cores": len(os.sched_getaffinity(0)),
        "last_cache_bytes": last_cache_bytes(),
        "python": platform.python_version(),
        "system": platform.system(),
    }


def _cpu_name() -> str:
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
