#!/usr/bin/env python3
"""Compares random kernels on the default device with the reference interpreter, at length.

Each seed is a kernel of instructions of all kinds, types and layouts, with subgroups of 4 to 64
work-items, a schedule at random, and arguments that it is defined for. Many kernels are compiled in
one module, and modules take the ABIs in turns. A line after each module says how far it is: where a
run ends early, go on with --first. It prints what is wrong, and ends with status 1 if anything is.

    python test/device_check.py                                       # 1000 kernels
    python test/device_check.py --first 1000 --count 10000 --part 1/2 # the first half of more
    python test/device_check.py --only device                         # the cases of the tests
"""

import argparse
import dataclasses
import multiprocessing
import pathlib
import re
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).parents[1]
TESTS = ROOT / "test" / "python"
sys.path.insert(0, str(TESTS))

import tinytc_mlir as tt  # noqa: E402
from cases import compiled_cases, kernel_check  # noqa: E402
from tinytc_mlir.compiler import ABIS  # noqa: E402
from tinytc_mlir.runtime.devices import default_device  # noqa: E402

SPIRV_HEADER = 5
SPIRV_COPY_OBJECT = 83
SPIRV_GROUP_BROADCAST = 263
SPIRV_COMPARISONS = range(170, 180)
"""From OpIEqual to OpSLessThanEqual."""


def arguments():
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=SOURCES, default="kernels", help="what to check")
    parser.add_argument("--first", type=int, default=0, help="first seed or number of a case")
    parser.add_argument("--count", type=int, default=1000, help="number of kernels")
    parser.add_argument("--batch", type=int, default=40, help="number of kernels in a module")
    parser.add_argument("--one-subgroup", action="store_true", help="in each work-group")
    parser.add_argument("--plain-conditions", action="store_true", help="no broadcasts in them")
    parser.add_argument("--without", metavar="TYPE", help="leave out kernels that use a type")
    parser.add_argument("--part", default="1/1", metavar="I/N", help="each Nth module from the Ith")
    parser.add_argument("--time-limit", type=float, default=float("inf"), metavar="SECONDS")
    return parser.parse_args()


def random_kernels(first, last):
    """Return the random kernels of some seeds."""
    return [kernel_check.random_kernel(seed) for seed in range(first, last)]


def device_cases(first, last):
    """Return some cases of the device tests."""
    return compiled_cases.device_cases()[first:last]


def fitting(cases, options):
    """Yield the cases that are asked for, with the work-groups that are asked for."""
    for case in cases:
        if options.without and re.search(rf"\b{options.without}(?:x|\b)", case.text("f")):
            continue
        if options.one_subgroup:
            given = re.search(r"subgroup_size=(\d+)", case.attributes)
            size = given[1] if given else "16"
            attributes = f"subgroup_size={size}, work_group_size=[{size},1]"
            yield dataclasses.replace(case, attributes=attributes)
        else:
            yield case


SOURCES = {"kernels": random_kernels, "device": device_cases}


def same(program):
    """Return the program as it is."""
    return program


def with_plain_conditions(program):
    """Return a program without the broadcasts of conditions on lanes, all of whose lanes agree.

    They keep Intel's CPU driver from losing stores' masks (docs/decisions/cpu-driver.md).
    """
    words = np.frombuffer(program.spirv, np.uint32)
    instructions = []
    first = SPIRV_HEADER
    while first < len(words):
        length = int(words[first] >> 16)
        instructions.append(words[first : first + length])
        first += length
    compared = {
        int(word)
        for each in instructions
        if int(each[0] & 0xFFFF) in SPIRV_COMPARISONS
        for word in each[3:]
    }
    for number, each in enumerate(instructions):
        if each[0] & 0xFFFF == SPIRV_GROUP_BROADCAST and int(each[2]) in compared:
            _, type_, result, _, value, _ = each
            copy = [4 << 16 | SPIRV_COPY_OBJECT, type_, result, value]
            instructions[number] = np.array(copy, np.uint32)
    plain = np.concatenate([words[:SPIRV_HEADER], *instructions])
    return tt.Program(plain.tobytes(), program.manifest)


def default_device_name():
    """Return the name of the default device."""
    return default_device().name


def apart(function, *arguments):
    """Return what a function returns in a process of its own, which a driver may crash."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=lambda: sender.send(function(*arguments)))
    process.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        process.join()
        names = ", ".join(case.name for cases in arguments[:1] for case in cases)
        return kernel_check.Count(unbuilt=[f"{names}: exit code {process.exitcode}"])
    finally:
        process.join()


def main():
    """Check until all is done or time is up; return the status."""
    options = arguments()
    part, parts = map(int, options.part.split("/"))
    start = time.perf_counter()
    count = kernel_check.Count()
    last = options.first + options.count
    print(apart(default_device_name), flush=True)
    for number, first in enumerate(range(options.first, last, options.batch)):
        if number % parts != part - 1:
            continue
        if time.perf_counter() - start > options.time_limit:
            break
        cases = SOURCES[options.only](first, min(first + options.batch, last))
        cases = list(fitting(cases, options))
        if not cases:
            continue
        abi = ABIS[first // options.batch % len(ABIS)]
        adapt = with_plain_conditions if options.plain_conditions else same
        found = apart(kernel_check.check, cases, abi, adapt)
        for text in (*found.failures, *found.unbuilt):
            print(text, end="\n\n", flush=True)
        count += found
        elapsed_s = time.perf_counter() - start
        print(f"up to {min(first + options.batch, last)}: {count}; {elapsed_s:.0f} s", flush=True)
    return 1 if count.failures or count.unbuilt else 0


if __name__ == "__main__":
    sys.exit(main())
