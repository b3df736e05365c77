# SPDX-License-Identifier: BSD-3-Clause
"""`tinytc tune`: searches for the fastest schedule of a kernel and stores it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .files import (
    EXIT_OK,
    Commands,
    add_file,
    add_target,
    command,
    positive,
    read_module,
)
from .progress import Progress
from .run import add_data_options, sample_options

if TYPE_CHECKING:
    from ..tuning import Tuning

_EXAMPLES = (
    ("gemm.ir", "stores the winner for `compile(tuned=True)`; takes minutes"),
    ("--limit 30 gemm.ir", "ends after half a minute, with what is known by then"),
    ("--groups 100000 --no-store gemm.ir", "for large batches, and only shows it"),
)


def add(commands: Commands) -> None:
    """Add the command."""
    help_ = "search for the fastest schedule of a kernel on a device"
    parser = command(commands, "tune", run, help_, _EXAMPLES)
    add_file(parser)
    add_target(parser)
    add_data_options(parser)
    parser.add_argument(
        "--limit",
        metavar="SECONDS",
        type=positive,
        help="try nothing more after this time; the step that has begun ends",
    )
    parser.add_argument(
        "--no-store", action="store_true", help="show the winner, but do not store it"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    begin_s = time.monotonic()
    with Progress(says_first=True) as progress:
        tuning = read_module(arguments).tune(
            arguments.kernel,
            target=arguments.target,
            options=sample_options(arguments),
            store=not arguments.no_store,
            progress=progress,
            limit_s=arguments.limit,
        )
    print(f"kernel   {tuning.kernel}")
    print(f"device   {tuning.device}")
    for line in lines(tuning, time.monotonic() - begin_s):
        print(line)
    return EXIT_OK


def lines(tuning: Tuning, duration_s: float) -> Iterator[str]:
    """Yield what a search has found: one verdict, and what follows from it.

    Args:
        tuning: the search.
        duration_s: its time in seconds.
    """
    timed = sum(trial.speedup is not None for trial in tuning.trials)
    same = sum("same code" in trial.problem for trial in tuning.trials)
    parts = [f"{timed} timed", f"{same} with the code of others"]
    parts.append(f"{len(tuning.trials) - timed - same} failed")
    yield f"tried    {len(tuning.trials)} schedules in {duration_s:.0f} s: {', '.join(parts)}"
    if tuning.is_reliable:
        found = tuning.confirmations
        spread = f"{min(found):.2f} to {max(found):.2f} in {len(found)} processes"
        yield (
            f"verdict  {tuning.best}, {tuning.speedup:.2f} x ({spread}) as fast as the "
            "compiler's own"
        )
        yield f"write    func @{tuning.kernel}(...) {tuning.best.attributes()}"
    elif tuning.is_complete:
        yield "verdict  the compiler's own schedule: no other is reliably faster"
    else:
        yield "verdict  none in this time: no schedule was shown to be faster; a longer --limit may"
    if tuning.ties:
        yield "as fast  " + "\n         ".join(map(str, tuning.ties))
    if tuning.path is not None:
        yield f"stored   {tuning.path}; `tinytc run --tuned` and compile(tuned=True) use it"
