# SPDX-License-Identifier: BSD-3-Clause
"""How the time of a batch grows with the processes of a cluster, if the batch grows with them.

A program, as the cluster starts processes that import its main module.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tinytc_mlir import child_processes
from tinytc_mlir.compiler import Context
from tinytc_mlir.distributed import map_blocks
from tinytc_mlir.runtime.arrays.array_view import Array
from tinytc_mlir.runtime.kernel import Kernel

from .measurements import Scaling

_TEXT = """
func @gemm(%alpha: f32, %A: memref<f32x56x56x?>, %B: memref<f32x56x56x?>, %C: memref<f32x56x56x?>) {
  %g = group_id.x : index
  %a = subview %A[:,:,%g] : memref<f32x56x56>
  %b = subview %B[:,:,%g] : memref<f32x56x56>
  %c = subview %C[:,:,%g] : memref<f32x56x56>
  %one = constant 1.0 : f32
  gemm.n.n %alpha, %a, %b, %one, %c
}
"""
_SHAPE, _GROUPS, _BLOCKS = (56, 56), 500, 8  # of a block, and blocks of a process
# A process is one core, as its driver would otherwise use the cores of all.
_THREADS = {"CL_CONFIG_CPU_TBB_NUM_WORKERS": "1"}


def measure_scaling(rounds: int) -> Scaling:
    """Return times by the number of processes, each of which has blocks of its own.

    Args:
        rounds: how often each number is measured.
    """
    command = [*child_processes.module_command(__name__), str(rounds)]
    environment = child_processes.environment()
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if result.returncode:
        reason = (result.stderr.strip().splitlines() or ["no message"])[-1]
        return {"problems": {"ours": f"status {result.returncode}: {reason}"}}
    found: Scaling = json.loads(result.stdout.splitlines()[-1])
    return found


def _times(kernel: Kernel, processes: int, rounds: int) -> list[int]:
    """Return the times of batches in a cluster of this machine."""
    import distributed

    os.environ.update(_THREADS)  # for the processes that are started now
    with (
        distributed.LocalCluster(
            n_workers=processes, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        arrays = _arrays(client, processes)
        times: list[int] = []

        def batch(alpha: float) -> None:
            result = map_blocks(kernel, alpha, *arrays)["C"]
            distributed.wait(client.persist(result))

        batch(0.0)  # starts the drivers and builds the kernel
        for number in range(rounds):  # equal calls would be computed once
            times.append(_time_ns(functools.partial(batch, number + 1.0)))
        return times


def _arrays(client: Any, processes: int) -> list[Any]:
    """Return arrays whose blocks are in the memory of the processes, as many in each."""
    import dask.array
    import distributed

    workers = sorted(client.run(os.getpid))
    shape = (*_SHAPE, _GROUPS)
    arrays: list[Any] = []
    for _ in range(3):
        futures = [
            client.submit(_ones, shape, workers=[workers[block % processes]], pure=False)
            for block in range(_BLOCKS * processes)
        ]
        distributed.wait(futures)
        blocks = [dask.array.from_delayed(future, shape, np.float32) for future in futures]
        arrays.append(dask.array.concatenate(blocks, axis=-1))
    return arrays


def _ones(shape: tuple[int, ...]) -> Array:
    return np.ones(shape, np.float32, order="F")


def _direct_times(kernel: Kernel, rounds: int) -> list[int]:
    """Return the times of the blocks of one process without a cluster."""
    arrays = [_ones((*_SHAPE, _GROUPS)) for _ in range(3)]

    def batch() -> None:
        for _ in range(_BLOCKS):
            kernel(1.0, arrays[0], arrays[1], arrays[2].copy(order="F"))

    batch()
    return [_time_ns(batch) for _ in range(rounds)]


def _time_ns(call: Callable[[], None]) -> int:
    begin = time.perf_counter_ns()
    call()
    return time.perf_counter_ns() - begin


def main() -> None:
    """Print the times as JSON."""
    rounds = int(sys.argv[1])
    os.environ.update(_THREADS)
    kernel = Context().parse(_TEXT, "<bench>").compile("cpu")["gemm"]
    cores = len(os.sched_getaffinity(0))
    counts = [count for count in (1, 2, 4, 8, 16, 32) if count <= max(cores, 2)]
    scaling: Scaling = {
        "blocks": _BLOCKS,
        "groups": _GROUPS,
        "times_ns": {str(count): _times(kernel, count, rounds) for count in counts},
        "direct_ns": _direct_times(kernel, rounds),
    }
    print(json.dumps(scaling))


if __name__ == "__main__":
    main()
