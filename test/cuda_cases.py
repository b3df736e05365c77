#!/usr/bin/env python3
"""Writes kernels, arguments and expected results for a machine with an NVIDIA GPU but no compiler.

The kernels are those of the device tests and random ones; the expected results are those of the
reference interpreter. The benchmark's programs are written beside them.

    python test/cuda_cases.py build/cuda            # here, takes minutes
    python -m tinytc_bench.cuda build/cuda     # on the GPU's machine
"""

import argparse
import dataclasses
import pathlib
import re
import sys

import numpy as np

ROOT = pathlib.Path(__file__).parents[1]
TESTS = ROOT / "test" / "python"
sys.path.insert(0, str(TESTS))

import tinytc_mlir as tt  # noqa: E402
from cases import compiled_cases, kernel_check  # noqa: E402
from cases.case import halves, parse  # noqa: E402
from cases.memory import GUARD, Buffer, Memory  # noqa: E402
from cases.rounding_bounds import certified_bounds  # noqa: E402
from tinytc_bench.cuda.cases import (  # noqa: E402
    StoredArgument,
    StoredArray,
    StoredCase,
    write_index,
)
from tinytc_bench.cuda.launches import FILE, PROGRAM  # noqa: E402
from tinytc_bench.cuda.programs import write_programs  # noqa: E402

SUBGROUP_SIZES = (8, 16, 32)


def arguments():
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--target", default="cuda:sm_90")
    parser.add_argument("--random", type=int, default=1000, help="number of random kernels")
    parser.add_argument("--batch", type=int, default=40, help="number of kernels in a module")
    parser.add_argument("--every", type=int, default=1, help="take each so-manieth device case")
    parser.add_argument(
        "--tiles", action="store_true", help="also time what tileiras makes of the kernels on tiles"
    )
    return parser.parse_args()


def fitting(case):
    """Return a case with subgroups that the GPU has, None if it counts on others."""
    size = re.search(r"subgroup_size=(\d+)", case.attributes)
    if not size or int(size[1]) in SUBGROUP_SIZES:
        return case
    if "parallel" in case.body or "cooperative" in case.body:
        return None
    return dataclasses.replace(case, attributes="")


class Writer:
    """Writes modules to a folder.

    Args:
        folder: the folder.
        compile_: compiles a module.
    """

    def __init__(self, folder, compile_):
        self.folder, self.compile = folder, compile_
        self.modules = []
        self.refused, self.undefined = [], 0

    def write(self, cases):
        """Write cases as one module, or several where some do not compile."""

        def build(some):
            module = parse(some)
            return module, self.compile(module)

        for some, (module, program) in halves(cases, build, self.refused):
            stem = f"m{len(self.modules):04}"
            arrays, stored = {}, []
            for number, case in enumerate(some):
                found = self._store(case, module, program.kernels[f"k{number}"], arrays)
                if found is None:
                    self.undefined += 1
                else:
                    stored.append(found)
            program.save(self.folder / f"{stem}.tinytcb")
            np.savez_compressed(self.folder / f"{stem}.npz", **arrays)
            self.modules.append((stem, stored))

    def _store(self, case, module, info, arrays):
        """Return a case as files have it, None if it is undefined or rounding decides it."""
        run = kernel_check.reference(module, info, case.groups)
        expected = Memory(case.parameters, np.copy)
        try:
            run(args=expected.arguments)
        except tt.errors.InterpreterError:
            return None
        bounds = None
        if case.may_round:
            certified = certified_bounds(case, run)
            if certified is None:
                return None
            bounds = iter(certified)
        stored = []
        for name, (_, value) in case.parameters.items():
            key = f"{info.name}.{name}"
            if value is None:
                stored.append(StoredArgument(name, "none"))
                continue
            if not expected.buffers[name]:
                arrays[key] = np.asarray(value)
                stored.append(StoredArgument(name, "scalar", key))
                continue
            members = []
            for index, (each, data) in enumerate(
                zip(expected.buffers[name], expected.data[name], strict=True)
            ):
                member = f"{key}.{index}"
                arrays[member], arrays[f"{member}.expected"] = each.data, data
                if bounds is not None:
                    arrays[f"{member}.bound"] = next(bounds)
                members.append(StoredArray(member, each.type_, GUARD, each.shape, each.stride))
            if isinstance(value, Buffer):
                stored.append(StoredArgument(name, "array", arrays=tuple(members)))
            else:
                stored.append(StoredArgument(name, "group", "", tuple(members), *value[1:3]))
        groups = case.groups if isinstance(case.groups, tuple) else (case.groups,)
        return StoredCase(case.name, info.name, groups, tuple(stored), case.tolerance)


def main():
    """Write all; return the status."""
    options = arguments()
    options.folder.mkdir(parents=True, exist_ok=True)
    cases = compiled_cases.device_cases()[:: options.every]
    cases += tuple(kernel_check.random_kernel(seed) for seed in range(options.random))
    chosen = [case for case in map(fitting, cases) if case is not None]
    writer = Writer(options.folder, lambda module: module.compile(options.target))
    for first in range(0, len(chosen), options.batch):
        writer.write(chosen[first : first + options.batch])
        done = min(first + options.batch, len(chosen))
        print(f"{done} of {len(chosen)} cases", flush=True)
    write_index(options.folder, writer.modules)
    tt.Context().parse(PROGRAM).compile(options.target).save(options.folder / FILE)
    programs = write_programs(options.folder, options.target, tiles=options.tiles)
    for text in writer.refused:
        print(text, end="\n\n")
    written = sum(len(stored) for _, stored in writer.modules)
    print(
        f"{written} cases in {len(writer.modules)} modules and {programs} programs to time; "
        f"{writer.undefined} without defined behaviour, {len(writer.refused)} not compiled"
    )
    return 1 if writer.refused else 0


if __name__ == "__main__":
    sys.exit(main())
