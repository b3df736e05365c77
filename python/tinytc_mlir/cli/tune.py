# SPDX-License-Identifier: BSD-3-Clause
"""`tinytc tune`: searches for the fastest schedule of a kernel and stores it."""

from __future__ import annotations

import argparse

from .files import EXIT_OK, Commands, add_file, add_target, command, read_module
from .progress import Progress
from .run import add_data_options, sample_options

_SHOWN = 10
_EXAMPLES = (
    ("gemm.ir", "stores the winner for `compile(tuned=True)`"),
    ("--groups 100000 --no-store gemm.ir", "for large batches, and only shows it"),
)


def add(commands: Commands) -> None:
    """Add the command."""
    help_ = "search for the fastest schedule of a kernel on a device"
    parser = command(commands, "tune", run, help_, _EXAMPLES)
    add_file(parser)
    add_target(parser, "what to compile for; by default the first device")
    add_data_options(parser)
    parser.add_argument(
        "--no-store", action="store_true", help="show the winner, but do not store it"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    with Progress() as progress:
        tuning = read_module(arguments).tune(
            arguments.kernel,
            target=arguments.target,
            options=sample_options(arguments),
            store=not arguments.no_store,
            progress=progress,
        )
    print(f"kernel   {tuning.kernel}")
    print(f"device   {tuning.device}")
    timed = [trial for trial in tuning.trials if trial.speedup is not None]
    failed = sum("same code" not in trial.problem for trial in tuning.trials) - len(timed)
    print(f"tried    {len(tuning.trials)} schedules, {len(timed)} timed, {failed} failed")
    for trial in timed[:_SHOWN]:
        print(f"  {trial.speedup:6.2f} x  {trial.schedule}")
    if not tuning.is_reliable:
        print("winner   none: no schedule is reliably faster than the compiler's own")
    else:
        found = tuning.confirmations
        spread = f"{min(found):.2f} to {max(found):.2f} in {len(found)} processes"
        print(f"winner   {tuning.best}: {tuning.speedup:.2f} x ({spread}) the compiler's own")
        print(f"write    func @{tuning.kernel}(...) {tuning.best.attributes()}")
    if tuning.ties:
        print("as fast  " + "\n         ".join(map(str, tuning.ties)))
    if tuning.path is not None:
        print(f"stored   {tuning.path}; `tinytc run --tuned` and compile(tuned=True) use it")
    return EXIT_OK
