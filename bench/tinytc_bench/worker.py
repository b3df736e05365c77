# SPDX-License-Identifier: BSD-3-Clause
"""Measures cases in a separate process: one request per line of stdin, one answer per line.

`runner` starts it with the environment that OpenMP libraries read when they are loaded.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

from tinytc_mlir import child_processes
from tinytc_mlir.compiler import Context
from tinytc_mlir.errors import TinyTCError
from tinytc_mlir.explore import ocloc
from tinytc_mlir.measure.timing import Candidate, Settings, interleave
from tinytc_mlir.runtime.devices import queue_of
from tinytc_mlir.runtime.program import Program
from tinytc_mlir.runtime.protocol import Queue

from . import (
    NATIVE,
    NATIVE_BATCHES,
    PEERS,
    WAYS,
    batched,
    ceilings,
    ocloc_counts,
    packed,
    ptxas,
    solves,
    zeros,
)
from .application import measure_application
from .case import Case
from .cases import all_cases
from .compilation import measure_compilation
from .data import Data
from .derivatives import measure_derivatives
from .launches import measure_launches
from .measurements import (
    ApplicationRuns,
    Batched,
    CaseTimes,
    Compilation,
    Counts,
    Derivatives,
    GpuCode,
    GpuKernel,
    Launches,
    Scaling,
)
from .native import NativeError
from .peers import PEER_FUNCTIONS
from .processors import PROCESSORS
from .scaling import measure_scaling
from .solves import ProcessorTime

OURS, WAITED = "ours", "ours_waited"
Maker: TypeAlias = Callable[[Data], Candidate | str]
_Request: TypeAlias = dict[str, Any]  # JSON of `runner`


def measure(
    case: Case,
    footprint_bytes: int,
    peers: list[str],
    settings: Settings,
    vector_bytes: int | None = None,
) -> CaseTimes:
    """Return the times of our kernels, the peers and the ceilings for one case.

    Args:
        case: the case.
        footprint_bytes: size of all arrays together.
        peers: names of the peers to ask.
        settings: how long to measure.
        vector_bytes: bytes of a register that our kernels use; None: this processor's.
    """
    ours = functools.partial(own, vector_bytes=vector_bytes)
    groups = case.groups(footprint_bytes)
    data = Data(case, groups)
    makers: dict[str, tuple[Data, Maker]] = {OURS: (data, ours)}
    if case.baseline is not None:
        name, baseline = case.baseline
        makers[name] = (Data(baseline, groups), ours)
    if peers:
        makers[WAITED] = (data, functools.partial(waited, vector_bytes=vector_bytes))
    for peer in peers:
        if peer == NATIVE:
            at_once = functools.partial(native, vector_bytes=vector_bytes)
            makers[NATIVE] = (Data(case, groups, queue=NATIVE), at_once)
            continue
        for way in WAYS.get(peer, (peer,)):
            makers[way] = (data, functools.partial(peer_candidate, way))
    candidates: dict[str, Candidate] = {}
    errors: dict[str, float] = {}
    problems: dict[str, str] = {}
    for name, (its_data, make) in makers.items():
        candidate = _checked(name, its_data, make, errors)
        if isinstance(candidate, str):
            problems[name] = candidate
        else:
            candidates[name] = candidate
    data.reset()
    amounts = _add_ceilings(candidates, case, groups, problems)
    return {
        "groups": groups,
        "flops": case.flops * groups,
        "traffic_bytes": case.traffic_bytes * groups,
        "times_ns": interleave(candidates, settings) if candidates else {},
        "amounts": amounts,
        "errors": errors,
        "problems": problems,
    }


def measure_native(case: Case, settings: Settings, vector_bytes: int | None) -> Batched:
    """Return processor times of native code, the driver's and the peers' for two batches.

    Args:
        case: the case.
        settings: how long to measure.
        vector_bytes: bytes of a register that everybody uses; None: this processor's.
    """
    found: Batched = {"runs": [], "problems": {}}
    for batch, size_bytes in NATIVE_BATCHES.items():
        groups = case.groups(size_bytes)
        host, data = Data(case, groups, queue=NATIVE), Data(case, groups)
        makers: dict[str, tuple[Data, Maker]] = {
            OURS: (host, functools.partial(native, vector_bytes=vector_bytes)),
            "driver": (data, functools.partial(own, vector_bytes=vector_bytes)),
        }
        ways = [way for peer in PEERS if peer != "numpy" for way in WAYS.get(peer, (peer,))]
        makers |= {way: (host, functools.partial(peer_candidate, way)) for way in ways}
        candidates: dict[str, Candidate] = {}
        for name, (its_data, make) in makers.items():
            candidate = _checked(name, its_data, make, {})
            if isinstance(candidate, Candidate):
                candidates[name] = ProcessorTime(candidate.start, candidate.finish)
            elif name == OURS:
                found["problems"][OURS] = f"{case.name}: {candidate}"
        host.reset()
        data.reset()
        if OURS in candidates:
            times = interleave(candidates, settings)
            found["runs"].append(
                {"name": f"{case.name} {batch}", "elements": groups, "times_ns": times}
            )
    return found


def _add_ceilings(
    candidates: dict[str, Candidate], case: Case, groups: int, problems: dict[str, str]
) -> dict[str, float]:
    """Add the ceilings to the candidates and return how much work each does in a run."""
    amounts: dict[str, float] = {}
    try:
        found = {"fma": ceilings.fma(case.type), **ceilings.copies(case.footprint_bytes * groups)}
    except NativeError as error:
        problems["ceilings"] = f"missing: {error}"
        return amounts
    for name, ceiling in found.items():
        candidates[name] = Candidate(ceiling.run)
        amounts[name] = ceiling.amount
    return amounts


@functools.cache
def _program(text: str, target: str, vector_bytes: int | None) -> Program:
    return Context().parse(text, "<bench>").compile(target, vector_bytes=vector_bytes)


def _checked(name: str, data: Data, make: Maker, errors: dict[str, float]) -> Candidate | str:
    """Return a candidate whose result is correct, or what is wrong; record its error."""
    try:
        candidate = make(data)
    except TinyTCError as error:
        return f"{type(error).__name__}: {error}"
    if isinstance(candidate, str):
        return candidate
    errors[name] = measured_result(candidate, data)
    if errors[name] > 1:
        return f"wrong result: {errors[name]:.1f} times the tolerance"
    return candidate


def measured_result(candidate: Candidate, data: Data) -> float:
    """Return the error of a candidate's result, relative to the tolerance."""
    data.reset()
    candidate.block(1)
    return data.error()


def own(data: Data, vector_bytes: int | None = None) -> Candidate:
    """Return launches of our kernels, one after the other on an in-order queue."""
    queue = queue_of("cpu")
    return Candidate(
        _launches(data, _program(data.case.ours.text, "cpu", vector_bytes), queue), queue.wait
    )


def native(data: Data, vector_bytes: int | None = None) -> Candidate:
    """Return launches of our kernels as native code, which are over when they return."""
    target = NATIVE if vector_bytes is None else PROCESSORS[vector_bytes].target
    return Candidate(_launches(data, _program(data.case.ours.text, target, None), queue_of(NATIVE)))


def _launches(data: Data, program: Program, queue: Queue) -> Callable[[], None]:
    """Return what submits the kernels of a case."""
    starts = []
    for name in data.case.ours.kernels:
        kernel = program[name]
        values = data.values(argument.name for argument in kernel.info.arguments)
        starts.append(kernel.bind(values, groups=data.groups, queue=queue).submit)

    def start() -> None:
        for submit in starts:
            submit()

    return start


def waited(data: Data, vector_bytes: int | None = None) -> Candidate:
    """Return launches of our kernels, each of which is waited for, as the calls of peers are."""
    ours = own(data, vector_bytes)

    def call() -> None:
        ours.start()
        ours.finish()

    return Candidate(call)


def peer_candidate(name: str, data: Data) -> Candidate | str:
    """Return the launches of a peer in one of its ways, or why there are none."""
    answer = PEER_FUNCTIONS[name](data.case, data.arrays, data.groups)
    return answer if isinstance(answer, str) else Candidate(answer)


def gpu_code(text: str) -> GpuCode:
    """Return `kernels`, the counts for their code for each GPU, and `problems`.

    Args:
        text: program in the language.
    """
    kernels: list[GpuKernel] = []
    problems: dict[str, str] = {}
    gpus: list[str] = []
    if ocloc.is_installed():
        gpus += ocloc_counts.gpus_for(text)
    else:
        problems["ocloc"] = "missing: ocloc, of the package intel-opencl-icd"
    if ptxas.is_installed():
        gpus += ptxas.CHIPS
    else:
        problems["ptxas"] = f"missing: ptxas and nvdisasm, of {' and '.join(ptxas.PACKAGES)}"
    for gpu in gpus:
        try:
            kernels += _gpu_kernels(text, gpu)
        except TinyTCError as error:
            problems[OURS] = f"{gpu}: {type(error).__name__}: {error}"
    return {"kernels": kernels, "problems": problems}


def _gpu_kernels(text: str, gpu: str) -> list[GpuKernel]:
    module = Context().parse(text, "<bench>")
    counts: list[Mapping[str, Counts]]
    if gpu in ptxas.CHIPS:
        counts = [ptxas.measure(module.compile(ptxas.CHIPS[gpu]).ptx, gpu)]
    else:
        counts = [
            ocloc_counts.measure(
                module.compile(ocloc.DEVICES[gpu].name, registers=number).spirv,
                gpu,
                registers=number,
            )
            for number in ocloc.REGISTERS
        ]
    return [
        cast("GpuKernel", {"gpu": gpu, "kernel": name, **found})
        for kernels in counts
        for name, found in kernels.items()
    ]


def _answer_case(request: _Request) -> CaseTimes:
    case = all_cases()[request["case"]]
    settings = Settings(**request["settings"])
    footprint_bytes, vector_bytes = request["footprint_bytes"], request["vector_bytes"]
    return measure(case, footprint_bytes, request["peers"], settings, vector_bytes)


def _answer_native(request: _Request) -> Batched:
    case, settings = all_cases()[request["case"]], Settings(**request["settings"])
    return measure_native(case, settings, request["vector_bytes"])


def _answer_application(request: _Request) -> ApplicationRuns:
    return measure_application(request["count"])


def _answer_compile(request: _Request) -> Compilation:
    return measure_compilation(request["cases"], request["lengths"], request["repeats"])


def _answer_launch(request: _Request) -> Launches:
    return measure_launches(request["rounds"])


def _answer_distributed(request: _Request) -> Scaling:
    return measure_scaling(request["rounds"])


def _answer_derivatives(request: _Request) -> Derivatives:
    return measure_derivatives(request["footprint_bytes"], Settings(**request["settings"]))


def _answer_gpu(request: _Request) -> GpuCode:
    return gpu_code(all_cases()[request["case"]].ours.text_for_gpus)


_ANSWERS: dict[str, Callable[[_Request], object]] = {
    "case": _answer_case,
    "application": _answer_application,
    "compile": _answer_compile,
    "launch": _answer_launch,
    "distributed": _answer_distributed,
    "derivatives": _answer_derivatives,
    "batched": lambda request: batched.measure(Settings(**request["settings"])),
    "solves": lambda request: solves.measure(Settings(**request["settings"])),
    "packed": lambda request: packed.measure(Settings(**request["settings"])),
    "zeros": lambda request: zeros.measure(Settings(**request["settings"])),
    "native": _answer_native,
    "gpu": _answer_gpu,
}


def main() -> None:
    """Answer requests until stdin ends; whatever else is printed goes to stderr."""
    answer = child_processes.answers()
    for line in sys.stdin:
        request = json.loads(line)
        answer(_ANSWERS[request["do"]](request))


if __name__ == "__main__":
    main()
