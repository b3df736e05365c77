"""Counts the instructions of the innermost loops that the CPU driver compiles matrix products to.

On a machine whose speed varies, timing hides a loop that spills; its code does not.
Run with `python bench/inner_loops.py 'gemm.f64.*'`, or with `--vector-bytes 64` for AVX-512 code on
a machine without AVX-512. The output lists for each loop: multiply-adds, loads, moves of vector
registers to and from the stack, other instructions, and instructions per multiply-add. Copies of
the loops that the driver makes for work-groups that are not full are left out. Moves to and from
the stack are recognised by their register: one that first held the frame pointer and later the
address of a matrix counts too, so spills are the loads and moves beyond those that the tile needs.
"""

from __future__ import annotations

import argparse
import collections
import os
import pathlib
import re
import tempfile
from collections.abc import Iterator

from tinytc_bench.case import Case
from tinytc_bench.cases import select
from tinytc_bench.processors import PROCESSORS
from tinytc_mlir.compiler import Context
from tinytc_mlir.runtime.devices import queue_of

_JUMP = re.compile(r"\tj\w+\t(\.\w+)")
_MASK = re.compile(r"\{z\}|\bvmaskmov|\tvandp")
_VECTOR = re.compile(r"%[xyz]mm")
_FRAME = re.compile(r"\tmovq\t%rsp, %(r\w+)")
_COUNTED = ("fma", "load", "stack", "other")


def assembly(case: Case, vector_bytes: int) -> list[str]:
    """Return the lines of a case's code, which the driver writes to the working folder."""
    module = Context().parse(case.ours.text)
    for path in pathlib.Path().glob("*.s"):
        path.unlink()
    program, queue = module.compile("cpu", vector_bytes=vector_bytes), queue_of("cpu")
    queue.loader.load(program, next(iter(program)), queue)
    return next(pathlib.Path().glob("*.s")).read_text().splitlines()


def innermost_loops(lines: list[str]) -> Iterator[list[str]]:
    """Yield the instructions of each innermost loop."""
    labels = {line.removesuffix(":"): i for i, line in enumerate(lines) if line.endswith(":")}
    for end, line in enumerate(lines):
        jump = _JUMP.match(line)
        begin = labels.get(jump.group(1), end) if jump else end
        body = lines[begin + 1 : end + 1]
        if begin < end and not any(line.startswith(".LBB") for line in body):
            yield [line for line in body if line.startswith("\t") and not line.startswith("\t.")]


def stack_access(lines: list[str]) -> re.Pattern[str]:
    """Return a pattern that matches the accesses to the stack in this code."""
    registers = {"rsp", *(match.group(1) for match in map(_FRAME.match, lines) if match)}
    return re.compile(rf"\(%({'|'.join(sorted(registers))})\)")


def kind(instruction: str, stack: re.Pattern[str]) -> str:
    """Return what an instruction is counted as."""
    if "fmadd" in instruction or "fnmadd" in instruction:
        return "fma"
    if not _VECTOR.search(instruction):
        return "other"
    if stack.search(instruction):
        return "stack"
    return "load" if re.search(r"\(.*\), %[xyz]mm\d+$", instruction) else "other"


def report(case: Case, vector_bytes: int) -> str:
    """Return a line with the counts of each loop that computes sums."""
    lines = assembly(case, vector_bytes)
    stack = stack_access(lines)
    loops = []
    for body in innermost_loops(lines):
        counts = collections.Counter(kind(line, stack) for line in body)
        if counts["fma"] and not any(_MASK.search(line) for line in body):
            numbers = " ".join(f"{counts[name]} {name}" for name in _COUNTED)
            loops.append(f"[{numbers}; {len(body) / counts['fma']:.2f}]")
    return f"{case.name:24s} {' '.join(loops)}"


def main() -> None:
    """Read the command line and print a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cases", nargs="*", default=["gemm.*"], help="names, as for tinytc bench")
    parser.add_argument("--vector-bytes", type=int, choices=PROCESSORS, default=32)
    options = parser.parse_args()
    os.environ["CL_CONFIG_DUMP_ASM"] = "True"
    os.environ["CL_CONFIG_CPU_TARGET_ARCH"] = PROCESSORS[options.vector_bytes].driver
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for case in select(options.cases):
            print(report(case, options.vector_bytes), flush=True)


if __name__ == "__main__":
    main()
