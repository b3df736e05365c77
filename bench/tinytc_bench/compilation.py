# SPDX-License-Identifier: BSD-3-Clause
"""Compile times by stage, code sizes, and the start-up time and memory of processes."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterable

from tinytc_mlir.compiler import STAGES, Context, Module, stages_of
from tinytc_mlir.runtime import devices
from tinytc_mlir.runtime.spirv.build_log import build

from .cases import all_cases
from .chains import CHAINS
from .findings import CHAIN_OF_12, PRODUCTS_100
from .fused_cases import SAMPLE
from .measurements import Compilation, DeviceProgram, ProcessTimes, StageTimes

_BLOCK = """\
  %l{0} = load %A[%i, {1}] : f32
  %s{0} = arith.add %l{0}, %x : f32
  %v{0} = subview %A[0:8, {1}] : memref<f32x8>
  %c{0} = cmp.lt %s{0}, %x : bool
  axpby.n %x, %v{0}, %x, %v{0}
"""
_PRODUCT = """\
  %b{0} = subview %B[:, :, {0}] : memref<f32x16x16>
  gemm.n.n %one, %a, %b{0}, %one, %c
"""
# Processes whose time and memory are measured, by name.
_PROCESSES = {
    "python": "pass",
    "import tinytc_mlir": "import tinytc_mlir",
    "import compiler": "import tinytc_mlir.compiler",
    "compile sample": "from tinytc_bench.compilation import *; compile_once(SAMPLE)",
    "compile 1000": "from tinytc_bench.compilation import *; compile_once(long_program(1000))",
}
_MEMORY = "; print(next(line.split()[1] for line in open('/proc/self/status') if 'VmHWM' in line))"


def long_program(count: int) -> str:
    """Return a program with this many instructions."""
    head = "func @long(%A: memref<f32x8x64>, %x: f32, %i: index) {\n"
    blocks = (_BLOCK.format(number, number % 64) for number in range(count // 5))
    return head + "".join(blocks) + "}\n"


def products(count: int) -> str:
    """Return a kernel with this many products of 16 x 16 x 16."""
    head = f"""\
func @products(%A: memref<f32x16x16x?>, %B: memref<f32x16x16x{count}>, %C: memref<f32x16x16x?>) {{
  %one = constant 1.0 : f32
  %g = group_id.x : index
  %a = subview %A[:, :, %g] : memref<f32x16x16>
  %c = subview %C[:, :, %g] : memref<f32x16x16>
"""
    return head + "".join(map(_PRODUCT.format, range(count))) + "}\n"


def programs(lengths: Iterable[int]) -> dict[str, str]:
    """Return the programs whose stages are measured, by name."""
    chain = next(chain for chain in CHAINS if len(chain.products) == 12)
    return {
        "sample": SAMPLE,
        CHAIN_OF_12: chain.text("f32"),
        PRODUCTS_100: products(100),
        **{str(count): long_program(count) for count in lengths},
    }


def compile_once(text: str) -> bytes:
    """Return the SPIR-V of a program for the CPU."""
    return Context().parse(text).compile("cpu").spirv


def measure_stages(text: str, target: str, repeats: int) -> StageTimes:
    """Return the times from a program to each stage, in nanoseconds, and the size of its code.

    A time includes all earlier stages; "binary" is all that `Module.compile` does, plus parsing.
    It is CPU time, since one thread does everything and waits for nothing.

    Args:
        text: the program.
        target: name of the target.
        repeats: how often it is compiled after the first time, which does not count.
    """
    context = Context()
    times: dict[str, list[int]] = {}
    code = b""
    for repeat in range(repeats + 1):
        begin = time.process_time_ns()
        module = context.parse(text, "<bench>")
        front_ns = time.process_time_ns() - begin
        found = {"text": front_ns, "prepared": front_ns + _run(context, module, target, "prepare")}
        for stage in stages_of(target):
            pipeline = STAGES[stage]
            if pipeline is not None:
                found[stage] = front_ns + _run(context, module, target, pipeline)
        begin = time.process_time_ns()
        code = module.compile(target).code
        found["binary"] = front_ns + time.process_time_ns() - begin
        if repeat:
            for stage, time_ns in found.items():
                times.setdefault(stage, []).append(time_ns)
    return {"times_ns": times, "spirv_bytes": len(code)}


def _run(context: Context, module: Module, target: str, pipeline: str) -> int:
    begin = time.process_time_ns()
    operation = module.operation.clone().operation
    options = f"{{target={target} native abi=packed}}"
    context.run_pipeline(pipeline + options, operation, verify_each=False)
    return time.process_time_ns() - begin


def measure_device_programs(names: Iterable[str], repeats: int) -> dict[str, DeviceProgram]:
    """Return the time of the driver and the sizes of code for the programs of cases.

    Args:
        names: names of the cases.
        repeats: how often a program is built.
    """
    context, device = Context(), devices.default_device("cpu").name
    build(compile_once("func @nothing() { }"), device)  # the first build in a process takes longer
    results: dict[str, DeviceProgram] = {}
    for name in names:
        spirv = context.parse(all_cases()[name].ours.text).compile("cpu").spirv
        builds = [build(spirv, device) for _ in range(repeats)]
        results[name] = {
            "times_ns": [found.time_ns for found in builds if found is not None],
            "spirv_bytes": len(spirv),
            "code_bytes": builds[0].code_bytes if builds[0] is not None else None,
        }
    return results


def measure_processes(repeats: int) -> dict[str, ProcessTimes]:
    """Return the wall time and peak memory of fresh processes.

    Args:
        repeats: how often each is started.
    """
    return {name: _process(code, repeats) for name, code in _PROCESSES.items()}


def _process(code: str, repeats: int) -> ProcessTimes:
    times, memory_bytes = [], 0
    for _ in range(repeats):
        begin = time.perf_counter_ns()
        command = [sys.executable, "-c", code + _MEMORY]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        times.append(time.perf_counter_ns() - begin)
        memory_bytes = max(memory_bytes, 1024 * int(output))
    return {"times_ns": times, "memory_bytes": memory_bytes}


def measure_compilation(names: Iterable[str], lengths: Iterable[int], repeats: int) -> Compilation:
    """Return all measurements of this module.

    Args:
        names: cases whose programs are built for the device.
        lengths: numbers of instructions of long programs.
        repeats: how often each is measured; the sample ten times as often.
    """
    texts = programs(lengths)
    stages, native_stages = (
        {
            name: measure_stages(texts[name], target, repeats * 10 if name == "sample" else repeats)
            for name in chosen
        }
        for target, chosen in (("cpu", [*texts]), ("native", ["sample", CHAIN_OF_12]))
    )
    built = measure_device_programs(names, repeats)
    return {
        "stages": stages,
        "native_stages": native_stages,
        "programs": built,
        "processes": measure_processes(repeats),
    }
