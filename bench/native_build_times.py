"""Times how long native code takes to build, by CPU time.

Run with `python bench/native_build_times.py`; the arguments are names of cases as for `tinytc
bench`, by default all. The first table has milliseconds for each stage of the median, of the
slowest programs and of the sample, "text" being the front-end, "object" LLVM, and "load" what
makes the code callable. The time of a program is the least of several. The second one has the
CPU time and the time by the clock of 200 chains as in SeisSol: as one program, and in several
that as many processes compile at the same time.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import multiprocessing
import os
import pathlib
import statistics
import time
from collections.abc import Callable
from typing import Any

# Programs are compiled, not found.
os.environ["TINYTC_CACHE_DIR"] = "0"

from tinytc_bench.cases import select
from tinytc_bench.chains import application
from tinytc_bench.fused_cases import SAMPLE
from tinytc_mlir.compiler import STAGES, Context, stages_of
from tinytc_mlir.compiler.stages import continuation
from tinytc_mlir.errors import TinyTCError

_TARGET, _CHAINS, _ROUNDS, _SLOWEST = "native", 200, 3, 3
_STAGES = ("text", *stages_of(_TARGET)[1:], "load")
# Printed times: to machine code, and until a kernel can be launched.
_COLUMNS = (*_STAGES, "code", "all")

Times = dict[str, float]


def _timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU time in milliseconds, and the result."""
    begin = time.process_time_ns()
    result = run()
    return (time.process_time_ns() - begin) / 1e6, result


def stage_times_ms(context: Context, text: str) -> Times:
    """Return the CPU time of each stage of a program, and of those to its code without a stop."""
    times: Times = {}
    times["text"], module = _timed(lambda: context.parse(text, "<bench>"))
    operation, stage = module.operation.clone().operation, _STAGES[1]

    def run(pipeline: str) -> None:
        context.run_pipeline(pipeline, operation, verify_each=False)

    times[stage], _ = _timed(lambda: run(f"{STAGES[stage]}{{target={_TARGET} native abi=packed}}"))
    for name in _STAGES[2:-1]:
        pipeline = continuation(stage, name)
        times[name], _ = _timed(functools.partial(run, pipeline))
        stage = name
    compile_ms, program = _timed(lambda: module.compile(_TARGET))
    times["load"], _ = _timed(program.build)
    return times | {"code": times["text"] + compile_ms}


def least_ms(context: Context, text: str) -> Times:
    """Return the least time of each stage; code is loaded only once."""
    rounds = [stage_times_ms(context, text) for _ in range(_ROUNDS)]
    least = {name: min(times[name] for times in rounds) for name in rounds[0]}
    least["load"] = rounds[0]["load"]
    return least | {"all": least["code"] + least["load"]}


def _chains() -> list[str]:
    return [chain.text(type_) for chain, type_ in itertools.islice(application(), _CHAINS)]


def _warm_context() -> Context:
    """Return a context that has compiled a program: the first one loads libraries."""
    context = Context()
    context.parse(SAMPLE).compile(_TARGET).build()
    return context


def _compile_part(arguments: tuple[int, int]) -> tuple[float, float, float]:
    """Compile each nth chain; return begin and end by the clock in seconds, and CPU ms."""
    first, step = arguments
    context, text = _warm_context(), "\n".join(_chains()[first::step])
    begin = time.monotonic()
    cpu_ms, _ = _timed(lambda: context.parse(text).compile(_TARGET))
    return begin, time.monotonic(), cpu_ms


def print_chains() -> None:
    """Print a line for one process and for two."""
    print(f"\n{f'{_CHAINS} chains as':24}{'CPU s':>8}{'clock s':>9}")
    for processes in (1, 2):
        with multiprocessing.get_context("spawn").Pool(processes) as pool:
            parts = pool.map(_compile_part, [(i, processes) for i in range(processes)], 1)
        clock_s = max(part[1] for part in parts) - min(part[0] for part in parts)
        cpu_s = sum(part[2] for part in parts) / 1e3
        name = "one program" if processes == 1 else f"{processes} programs"
        print(f"{name:24}{cpu_s:8.2f}{clock_s:9.2f}", flush=True)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cases", nargs="*", default=["*"], metavar="CASE")
    parser.add_argument("--json", type=pathlib.Path, help="file for all times")
    arguments = parser.parse_args()
    try:
        cases = select(arguments.cases)
    except TinyTCError as error:
        parser.error(str(error))
    context = _warm_context()
    found = {case.name: least_ms(context, case.ours.text) for case in cases}
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1))
    print(f"{'CPU ms':36}{''.join(f'{name:>9}' for name in _COLUMNS)}")
    rows = {
        f"median of {len(found)}": {
            name: statistics.median(times[name] for times in found.values()) for name in _COLUMNS
        },
        "sample": least_ms(context, SAMPLE),
    }
    slowest = sorted(found, key=lambda name: -found[name]["all"])[:_SLOWEST]
    rows |= {name: found[name] for name in slowest}
    for name, times in rows.items():
        print(f"{name:36}{''.join(f'{times[each]:9.2f}' for each in _COLUMNS)}", flush=True)
    print_chains()


if __name__ == "__main__":
    main()
