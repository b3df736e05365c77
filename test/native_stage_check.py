#!/usr/bin/env python3
"""Runs code for GPUs natively, from the gpu stage on, and compares with the reference interpreter.

Arrays end or begin at guard pages. Kernels that use a matrix unit are left out.

    python test/native_stage_check.py cuda:sm_90 --random 5000
    python test/native_stage_check.py intel-gpu:pvc --random 200 --first 1000

The last line is the figure; the status is 1 if anything is wrong.
"""

import argparse
import multiprocessing
import pathlib
import random
import sys
import time
import warnings

TESTS = pathlib.Path(__file__).resolve().parent / "python"
sys.path.insert(0, str(TESTS))

from cases import kernel_check  # noqa: E402
from emulators.comparison import run_cases  # noqa: E402
from native.guarded import StageMachine  # noqa: E402
from tinytc_mlir import UncheckedWarning  # noqa: E402

TARGETS = ("cuda:sm_90", "cuda:sm_80", "intel-gpu:pvc", "intel-gpu:dg2", "intel-gpu:bmg")
MATRIX_UNIT = "expected an op that lanes of a vector can run"


def arguments():
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--random", type=int, default=100, help="random kernels")
    parser.add_argument("--first", type=int, default=0, help="seed of the first kernel")
    parser.add_argument("--batch", type=int, default=50, help="kernels of a process")
    return parser.parse_args()


def batch(target, first, last):
    """Return what is wrong with some kernels, and the number of launches."""
    machine = StageMachine(target)
    cases = map(kernel_check.random_kernel, range(first, last))
    return run_cases(cases, machine, random.Random(first), compile_=machine.compile)


def apart(pipe, *what):
    """Send what a batch returns, from a process that may end."""
    pipe.send(batch(*what))


def main():
    """Run the kernels, and return the status."""
    options, start = arguments(), time.monotonic()
    warnings.simplefilter("ignore", UncheckedWarning)
    context = multiprocessing.get_context("fork")
    wrong = launches = left_out = 0
    last = options.first + options.random
    for first in range(options.first, last, options.batch):
        receiver, sender = context.Pipe(duplex=False)
        what = options.target, first, min(first + options.batch, last)
        process = context.Process(target=apart, args=(sender, *what))
        process.start()
        sender.close()
        try:
            failures, count = receiver.recv()
        except EOFError:
            process.join()
            failures, count = [f"kernels {what[1]} to {what[2] - 1}: exit {process.exitcode}"], 0
        process.join()
        launches += count
        for line in failures:
            if MATRIX_UNIT in line:
                left_out += 1
            else:
                wrong += not line.startswith("func @")
                print(line, flush=True)
        print(f"up to {what[2]}: {launches} launches, {wrong} wrong", flush=True)
    seconds = time.monotonic() - start
    figures = f"{launches} launches, {wrong} wrong, {left_out} left out"
    print(f"{options.target}: {figures}; {seconds:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
