# SPDX-License-Identifier: BSD-3-Clause
"""The contents of a report of the benchmark, as JSON has it."""

from __future__ import annotations

from typing import TypedDict


class _MayFail(TypedDict, total=False):
    problems: dict[str, str]


class CaseTimes(_MayFail, total=False):
    """Times of a case; if the process that measures has ended, only times and problems."""

    groups: int
    flops: float
    traffic_bytes: float
    times_ns: dict[str, list[float]]
    amounts: dict[str, float]
    errors: dict[str, float]


class CaseResult(CaseTimes, total=False):
    """Times of a case, and which case and batch it is."""

    case: str
    family: str
    type: str
    batch: str


class ScalingRun(TypedDict):
    """Times of a case on some of the cores."""

    cores: int
    result: CaseResult


class StageTimes(TypedDict):
    """Times from a program to each stage, and the size of its code."""

    times_ns: dict[str, list[int]]
    spirv_bytes: int


class DeviceProgram(TypedDict):
    """Times of the driver for a program, and sizes."""

    times_ns: list[int]
    spirv_bytes: int
    code_bytes: int | None


class ProcessTimes(TypedDict):
    """Wall times and the peak memory of a process."""

    times_ns: list[int]
    memory_bytes: int


class Compilation(_MayFail, total=False):
    """Times of compilation: stages by program, programs by case, and processes."""

    stages: dict[str, StageTimes]
    native_stages: dict[str, StageTimes]
    programs: dict[str, DeviceProgram]
    processes: dict[str, ProcessTimes]


class ApplicationRun(TypedDict):
    """Times of an application's kernels from text to launch, in one way to compile them."""

    chains: int
    time_ns: int
    cpu_ns: int
    memory_bytes: int


class ApplicationRuns(_MayFail, total=False):
    """Runs by the way in which kernels are compiled."""

    runs: dict[str, ApplicationRun]


class Launches(_MayFail, total=False):
    """Times of launches, by kernel and way to launch."""

    kernels: dict[str, dict[str, list[float]]]


class Scaling(_MayFail, total=False):
    """Times of batches by the number of processes, and without a cluster; blocks of a process."""

    blocks: int
    groups: int
    times_ns: dict[str, list[int]]
    direct_ns: list[int]


class DerivativeRun(TypedDict):
    """Times of a chain and of its reverse derivative, ours and those of peers; its batch."""

    chain: str
    groups: int
    times_ns: dict[str, list[float]]


class Derivatives(_MayFail, total=False):
    """Times of all chains, and the peers that are not installed."""

    runs: list[DerivativeRun]
    missing: list[str]


class BatchedRun(TypedDict):
    """Times of a function, a solve or a product of a batch, ours and those of others."""

    name: str
    elements: int
    times_ns: dict[str, list[float]]


class Batched(_MayFail, total=False):
    """Times of a part of `OF_BATCHES`."""

    runs: list[BatchedRun]


class Counts(TypedDict):
    """Instructions of a kernel by kind, bytes of spilled registers, and registers.

    On Intel's GPUs, `registers` is what a thread may have; on NVIDIA's, what a work-item has.
    """

    registers: int
    instructions: int
    messages: int
    multiply_adds: int
    dot_products: int
    spilled_bytes: int


class IntelCounts(Counts):
    """Further counts for Intel's GPUs: lanes of a subgroup, and the hottest loop."""

    lanes: int
    loop_instructions: int
    loop_messages: int
    loop_dot_products: int
    loop_multiply_adds_of_16: float


class NvidiaCounts(Counts):
    """Further counts for NVIDIA's GPUs: loads, and those of 128 bits."""

    loads: int
    wide_loads: int


class _NamedCounts(Counts):
    gpu: str
    kernel: str


class GpuKernel(_NamedCounts, total=False):
    """Counts of the code of a kernel for a GPU; the optional ones for GPUs of one vendor."""

    lanes: int
    loop_instructions: int
    loop_messages: int
    loop_dot_products: int
    loop_multiply_adds_of_16: float
    loads: int
    wide_loads: int


class GpuCode(TypedDict):
    """Counts of the code of a program's kernels for all GPUs."""

    kernels: list[GpuKernel]
    problems: dict[str, str]


class CaseGpuCode(GpuCode, total=False):
    """Counts of the code of a case."""

    case: str


class Machine(TypedDict):
    """Properties of a machine that the numbers depend on."""

    cpu: str
    cores: int
    last_cache_bytes: int
    python: str
    system: str


class Measured(TypedDict, total=False):
    """The parts that were measured."""

    results: list[CaseResult]
    compile: Compilation
    launch: Launches
    scaling: list[ScalingRun]
    distributed: Scaling
    derivatives: Derivatives
    batched: Batched
    solves: Batched
    packed: Batched
    zeros: Batched
    native: Batched
    application: ApplicationRuns
    gpu: list[CaseGpuCode]


class Report(Measured, total=False):
    """All of a run."""

    version: int
    time: str
    duration_s: float
    machine: Machine
    settings: dict[str, float]
