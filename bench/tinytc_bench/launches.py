# SPDX-License-Identifier: BSD-3-Clause
"""Cost of a launch beyond dpctl's own submit of the same arguments."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tinytc_mlir.compiler import Context
from tinytc_mlir.runtime.arrays.memory import asarray
from tinytc_mlir.runtime.devices import queue_of
from tinytc_mlir.runtime.kernel import BoundKernel, Kernel
from tinytc_mlir.runtime.kernel_info import Argument, GroupArgument, ScalarArgument
from tinytc_mlir.runtime.protocol import Queue

from .measurements import Launches

# Kernels that do nothing, so that only the launch takes time.
_TEXT = """
func @none() { }

func @gemm(%alpha: f32, %A: memref<f32x16x8x?>, %B: memref<f32x8x8x?>, %beta: f32,
           %C: memref<f32x16x8x?>) { }

func @sample(%alpha: f32, %A: group<memref<f32x16x8>x?>, %B: memref<f32x8x8>,
             %C: memref<f32x8x16>, %D: memref<f32x16x16x?>) { }
"""
_GROUPS = 4
_BLOCK, _ROUNDS = 30, 200


def measure_launches(rounds: int = _ROUNDS) -> Launches:
    """Return `kernels`: times of launches in nanoseconds, by kernel and way to launch.

    The ways are `submit`, a bound kernel's asynchronous launch, next to `dpctl_submit`, and
    `call`, which waits, next to `dpctl_call`; `again` launches the kernel itself with the same
    arguments each time, `new` with others than the time before. A time is the mean of a block of
    launches; blocks of the ways alternate.

    Args:
        rounds: blocks of every way.
    """
    program, queue = Context().parse(_TEXT, "<bench>").compile("cpu"), queue_of("cpu")
    results = {}
    for name in program:
        kernel = program[name]
        sets = [[_value(argument) for argument in kernel.info.arguments] for _ in range(2)]
        ways = _ways(kernel.bind(*sets[0], groups=_GROUPS, queue=queue), queue)
        ways |= _unbound_ways(kernel, sets, queue)
        times: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(rounds):
            for way, launch in ways.items():
                times[way].append(_block(launch, queue))
        results[name] = times
    return {"kernels": results}


def _value(argument: Argument) -> Any:
    if isinstance(argument, ScalarArgument):
        return 1.0
    shape = [_GROUPS if size is None else size for size in argument.shape]
    if isinstance(argument, GroupArgument):
        shape.append(_GROUPS)
    return asarray(np.zeros(shape, np.float32, order="F"))


def _ways(bound: BoundKernel, queue: Queue) -> dict[str, Callable[[], Any]]:
    dpctl_queue: Any = queue.native
    submit, fixed = dpctl_queue.submit_async, bound.native_arguments

    def dpctl_submit() -> None:
        submit(*fixed)

    def dpctl_call() -> None:
        submit(*fixed).wait()

    return {
        "submit": bound.submit,
        "dpctl_submit": dpctl_submit,
        "call": bound,
        "dpctl_call": dpctl_call,
    }


def _unbound_ways(
    kernel: Kernel, sets: Sequence[Sequence[Any]], queue: Queue
) -> dict[str, Callable[[], Any]]:
    others = itertools.cycle(sets)
    return {
        "again": lambda: kernel.submit(*sets[0], groups=_GROUPS, queue=queue),
        "new": lambda: kernel.submit(*next(others), groups=_GROUPS, queue=queue),
    }


def _block(launch: Callable[[], Any], queue: Queue) -> float:
    for _ in range(2):  # a kernel remembers how its launches look
        launch()
    queue.wait()
    begin = time.perf_counter_ns()
    for _ in range(_BLOCK):
        launch()
    mean_ns = (time.perf_counter_ns() - begin) / _BLOCK
    queue.wait()
    return mean_ns
