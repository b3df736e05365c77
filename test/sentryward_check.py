#!/usr/bin/env python3
"""Lets SentryWard judge PTX of the device tests: synchronization, and races in all schedules.

`pip install sentryward` brings the judge, a static verifier of PTX for fixed launches. What it
accepts is free of races for all orders of threads; the rest it does not know, or calls racy.

    python test/sentryward_check.py --count 100 --first 0

It prints each kernel that is not accepted with the reason, and how often each was given.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import numpy as np

TESTS = pathlib.Path(__file__).resolve().parent / "python"
sys.path.insert(0, str(TESTS))

from cases.case import parse  # noqa: E402
from cases.compiled_cases import device_cases, fitting  # noqa: E402
from cases.memory import Memory  # noqa: E402
from tinytc_mlir.errors import TinyTCError  # noqa: E402
from tinytc_mlir.gpu_stage import GpuStage  # noqa: E402
from tinytc_mlir.gpu_stage.arguments import abi_values  # noqa: E402
from tinytc_mlir.reference.arithmetic import NUMPY  # noqa: E402

TARGET = "cuda:sm_100"
SCHEMA = "spverify.kernel-input/v1"
LIMIT_S = 20
WARP = 32


def arguments():
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=100, help="number of kernels")
    parser.add_argument("--first", type=int, default=0, help="seed of the choice")
    return parser.parse_args()


def value_of(type_, value):
    """Return the value of a parameter of a type of PTX; numbers of 16 bits are their bits."""
    array = np.asarray(value)
    if type_.startswith("f"):
        return float(array)
    if array.dtype.kind not in "iub":
        array = array.view(f"u{array.dtype.itemsize}")
    return int(array) % 2 ** int(type_[1:])


def launch_of(case, info, ptx):
    """Return the launch of a case as SentryWard takes it: sizes, and the values of scalars."""
    memory = Memory(case.parameters, np.copy)
    values, launch = abi_values(info, memory.arguments, case.groups, NUMPY)
    head = ptx[ptx.index(".entry k0(") :]
    parameters = re.findall(r"\.([usbf]\d+)( \.ptr)?\s.*?(k0_param_(\d+))(\[)?", head.split(")")[0])
    given = [
        {"parameter": name, "type": type_, "value": value_of(type_, values[int(number)])}
        for type_, is_pointer, name, number, is_array in parameters
        if not is_pointer and not is_array
    ]
    sizes = {"grid_dim": list(map(int, launch.counts)), "block_dim": list(info.local_size)}
    return {"schema": SCHEMA, "entry": "k0", "launch": sizes, "arguments": given}


def verdict(ptx, launch):
    """Return what SentryWard says of a kernel, with the codes of its reasons."""
    with tempfile.TemporaryDirectory() as folder:
        code, described = pathlib.Path(folder, "k.ptx"), pathlib.Path(folder, "k.json")
        code.write_text(ptx)
        described.write_text(json.dumps(launch))
        words = [sys.executable, "-m", "sentryward", code, "--input", described]
        done = subprocess.run(
            [*words, "--timeout", str(LIMIT_S)], capture_output=True, text=True, check=False
        )
    found = json.loads(done.stdout)
    codes = sorted({each["code"] for each in found["diagnostics"]})
    return ": ".join([found["result"], *codes[:1]])


def main():
    """Judge kernels; return the status, which is 1 if there is no judge."""
    options = arguments()
    rng, cases, counts = random.Random(options.first), device_cases(), collections.Counter()
    while counts.total() < options.count:
        case = fitting(rng.choice(cases), TARGET)
        if case is None:
            continue
        module = parse([case])
        try:
            info = GpuStage(module, target=TARGET).info("k0")
            ptx = module.compile(TARGET, abi="plain").ptx
        except TinyTCError:  # the target lacks a type
            continue
        if np.prod(info.local_size) % WARP:
            counts["not judged: warps of fewer threads"] += 1
            continue
        text = verdict(ptx, launch_of(case, info, ptx))
        counts[text] += 1
        if not text.startswith("race_free"):
            print(f"{case.name}: {text}", flush=True)
    for text, count in counts.most_common():
        print(f"{count:5} {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
