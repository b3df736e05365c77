# SPDX-License-Identifier: BSD-3-Clause
"""Times programs on a GPU, each beside its peers, in one run."""

from __future__ import annotations

import dataclasses
import pathlib
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tinytc_mlir.errors import DeviceError, TinyTCError
from tinytc_mlir.runtime.nvidia.cuda import CudaQueue
from tinytc_mlir.runtime.nvidia.cuda_driver import CudaError, call
from tinytc_mlir.runtime.program import Program, load

from .peers import peers
from .programs import DeviceData, ProgramCase, read_programs, tiles_path

TILES = "tiles"
"""Who computes it, for our programs on tiles."""

_ROUNDS = 5
_LAUNCHES = 20
_COPY_BYTES = 1 << 30
_US = 1e-6


@dataclasses.dataclass
class Timing:
    """How fast a case is.

    Args:
        name: name of the case.
        groups: number of groups.
        error: largest error of our results, relative to what rounding explains: right up to 1.
        seconds: median time of a launch, by who computes it; "ours" is us, "tiles" our program
            on tiles.
        flops: floating-point operations of the launch.
        bytes: bytes that the launch must read and write.
        message: what kept the case from being timed; empty if nothing.
        family: family of the case, "chain" for a chain of products.
        failures: what kept peers from being timed, by name.
    """

    name: str
    groups: int
    error: float = 0.0
    seconds: dict[str, float] = dataclasses.field(default_factory=dict)
    flops: int = 0
    bytes: int = 0
    message: str = ""
    family: str = ""
    failures: dict[str, str] = dataclasses.field(default_factory=dict)

    def line(self, copy_bandwidth: float) -> str:
        """Return a line of the table.

        Args:
            copy_bandwidth: bytes that a copy reads and writes in a second.
        """
        if self.message:
            return f"{self.name:40} {self.message}"
        ours = self.seconds["ours"]
        ratios = [
            f"{name} {seconds / ours:.2f}"
            for name, seconds in self.seconds.items()
            if name != "ours"
        ]
        ratios += [f"{name} failed ({why})" for name, why in self.failures.items()]
        wrong = "" if self.error <= 1 else f"  WRONG: error {self.error:.3g}"
        return (
            f"{self.name:40} {ours / _US:9.1f} us {self.flops / ours / 1e12:7.2f} TFLOP/s "
            f"{self.bytes / ours / copy_bandwidth:5.0%} of copy  {'  '.join(ratios)}{wrong}"
        )


def copy_bandwidth(queue: CudaQueue) -> float:
    """Return the bytes that a copy within the device's memory reads and writes in a second.

    Args:
        queue: queue of the device.
    """
    source, target = queue.allocate(_COPY_BYTES), queue.allocate(_COPY_BYTES)

    def copy() -> None:
        with queue.device.current():
            call("cuMemcpyDtoDAsync", target.address, source.address, _COPY_BYTES, queue.native)

    return 2 * _COPY_BYTES / _median_seconds({"copy": copy}, queue)["copy"]


def time_programs(
    folder: pathlib.Path, queue: CudaQueue, *, footprint_bytes: int, matching: str = ""
) -> Iterator[Timing]:
    """Yield how fast the programs of a folder are.

    Args:
        folder: what `programs.write_programs` was called for.
        queue: queue of the device.
        footprint_bytes: bytes of the arrays of a launch, far beyond the caches.
        matching: only programs whose names contain this.
    """
    for case in read_programs(folder):
        if matching in case.name:
            yield _time(folder, case, queue, footprint_bytes)


def _time(
    folder: pathlib.Path, case: ProgramCase, queue: CudaQueue, footprint_bytes: int
) -> Timing:
    groups = max(footprint_bytes // case.footprint_bytes, 1)
    timing = Timing(case.name, groups, family="chain" if case.products else case.family)
    timing.flops, timing.bytes = groups * case.flops, groups * case.traffic_bytes
    try:
        program = load(folder / f"{case.name}.tinytcb", queue=queue)
        with np.load(folder / f"{case.name}.npz") as blocks:
            data = DeviceData(case, dict(blocks), groups, queue)
        launch = _launcher(program, case, data, queue)
        data.reset()
        launch()
        timing.error = data.error()
        candidates: dict[str, Callable[[], object]] = {"ours": launch}
        tiles = tiles_path(folder, case.name)
        if tiles.exists():
            try:
                on_tiles = _launcher(load(tiles, queue=queue), case, data, queue)
                data.reset()
                on_tiles()
                timing.error = max(timing.error, data.error())
                candidates[TILES] = on_tiles
            except TinyTCError as error:
                timing.failures[TILES] = str(error).splitlines()[0]
        for name, make in peers(case, groups):
            try:
                peer = make()
                if peer is not None:
                    peer()
                    candidates[name] = peer
            except Exception as error:  # whatever a library raises
                timing.failures[name] = f"{type(error).__name__}: {error}".splitlines()[0]
        timing.seconds = _median_seconds(candidates, queue)
    except TinyTCError as error:
        timing.message = str(error)
    return timing


def _launcher(
    program: Program, case: ProgramCase, data: DeviceData, queue: CudaQueue
) -> Callable[[], object]:
    bound = []
    for name in case.kernels:
        kernel = program[name]
        names = [argument.name for argument in kernel.info.arguments]
        values = {each: data.arguments[each] for each in names}
        bound.append(kernel.bind(values, groups=data.groups, queue=queue))

    def launch() -> None:
        for each in bound:
            each.submit()

    return launch


def _median_seconds(
    candidates: dict[str, Callable[[], object]], queue: CudaQueue
) -> dict[str, float]:
    """Return the median time of a launch of each candidate; rounds take them in turns.

    A round is many launches with one wait, so that the time of a call from Python is hidden.
    """
    for launch in candidates.values():
        launch()
    _synchronize(queue)
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(_ROUNDS):
        for name, launch in candidates.items():
            _synchronize(queue)
            start = time.perf_counter()
            for _ in range(_LAUNCHES):
                launch()
            _synchronize(queue)
            times[name].append((time.perf_counter() - start) / _LAUNCHES)
    return {name: statistics.median(each) for name, each in times.items()}


def _synchronize(queue: CudaQueue) -> None:
    """Return when everything on the device is over, on all streams.

    Raises:
        DeviceError: something failed.
    """
    try:
        with queue.device.current():
            call("cuCtxSynchronize")
    except CudaError as error:
        raise DeviceError(f"{queue.device.name} failed: {error}") from error


def is_lost(queue: CudaQueue) -> bool:
    """Return whether the driver refuses all work of this process after an error."""
    try:
        _synchronize(queue)
    except DeviceError:
        return True
    return False


def launch_cost(folder: pathlib.Path, queue: CudaQueue) -> float | None:
    """Return the time of a bound kernel's asynchronous launch in seconds, None without a program.

    Args:
        folder: what `programs.write_programs` was called for.
        queue: queue of the device.
    """
    case = next((each for each in read_programs(folder) if each.gemm is not None), None)
    if case is None:
        return None
    program = load(folder / f"{case.name}.tinytcb", queue=queue)
    with np.load(folder / f"{case.name}.npz") as blocks:
        data = DeviceData(case, dict(blocks), 1, queue)
    launch = _launcher(program, case, data, queue)
    rounds: list[float] = []
    for _ in range(_ROUNDS):
        _synchronize(queue)
        start = time.perf_counter()
        for _ in range(100):
            launch()
        rounds.append((time.perf_counter() - start) / 100)
    return statistics.median(rounds)


def build_seconds(folder: pathlib.Path, queue: CudaQueue) -> list[float]:
    """Return the time that the driver takes to build each program.

    Args:
        folder: what `programs.write_programs` was called for.
        queue: queue of the device.
    """
    seconds = []
    for case in read_programs(folder):
        program: Any = load(folder / f"{case.name}.tinytcb", queue=queue)
        start = time.perf_counter()
        kept = queue.loader.load(program, case.kernels[0], queue)
        seconds.append(time.perf_counter() - start)
        del kept
    return seconds
