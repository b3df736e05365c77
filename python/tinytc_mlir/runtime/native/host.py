# SPDX-License-Identifier: BSD-3-Clause
"""The processor of this machine, and which of the compiler's code it runs."""

from __future__ import annotations

import ctypes
import functools
import itertools
import os
import platform
from collections.abc import Sequence

# Whose code runs here, by system and processor as Python calls them.
_MACHINE_OF = {
    ("Linux", "x86_64"): "x86-64",
    ("Linux", "aarch64"): "aarch64",
    ("Darwin", "arm64"): "aarch64",
}
# Features of /proc/cpuinfo that a level of x86-64 adds to the one before.
_LEVELS = (
    ("x86-64-v2", ("sse4_2", "ssse3", "popcnt", "cx16")),
    ("x86-64-v3", ("avx2", "fma", "f16c", "bmi1", "bmi2", "movbe")),
    ("x86-64-v4", ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")),
)
# What code for the highest level with products of neighbouring numbers of bf16 needs besides.
_BF16, _BF16_FEATURES = "x86-64-v4-bf16", ("avx512_vnni", "avx512_bf16")
# What code for the highest level with tile registers needs besides the system's permission, which
# Linux's arch_prctl gives to the process.
_TILES, _TILE_FEATURES = "x86-64-v4-amx", ("amx_tile", "amx_int8", "amx_bf16", "avx512_vnni")
_ARCH_PRCTL, _REQUEST_PERMISSION, _TILE_DATA = 158, 0x1023, 18
# Those of the Neoverse N1, which code for AArch64 is for.
_NEOVERSE_N1 = ("asimd", "asimddp", "asimdhp", "asimdrdm", "atomics", "fphp", "lrcpc")
# What code with matrix instructions needs besides.
_MATRIX, _MATRIX_FEATURES = "aarch64-mmla", ("bf16", "i8mm")
# Targets by the length of the registers of SVE in bytes; the first has matrix instructions.
_SVE = {32: "aarch64-sve256", 64: "aarch64-sve512"}
_PR_SVE_GET_VL, _VL_LENGTH = 51, 0xFFFF  # of Linux's prctl
#: The systems and processors, for messages.
EXPECTED = "Linux on x86-64 or AArch64, or macOS on arm64"


def _cpu_info() -> dict[str, str]:
    """Return what Linux says of the first processor, nothing on other systems."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            # To list hundreds of processors would take the system long.
            lines = [line.partition(":") for line in itertools.takewhile(str.strip, file)]
    except OSError:
        return {}
    return {name.strip(): value.strip() for name, _, value in lines}


def _levels(flags: Sequence[str]) -> tuple[str, ...]:
    """Return the levels of x86-64 that a processor has, the highest first."""
    found: list[str] = []
    for name, needed in _LEVELS:
        if not set(needed) <= set(flags):
            break
        found.insert(0, name)
    return tuple(found)


@functools.cache
def _refusal() -> str:
    """Return why the system does not let this process use tile registers, empty if it does."""
    system = ctypes.CDLL(None, use_errno=True)
    if system.syscall(_ARCH_PRCTL, _REQUEST_PERMISSION, _TILE_DATA) == 0:
        return ""
    return os.strerror(ctypes.get_errno())


def problem_of_tiles() -> str:
    """Return why code cannot use tile registers (AMX) here, empty if it can.

    The system is asked for its permission, which holds for the process and those it forks.
    """
    flags = _cpu_info().get("flags", "").split()
    if machine() != "x86-64" or not set(_TILE_FEATURES) <= set(flags):
        return "the processor has none"
    reason = _refusal()
    return reason and f"the system refuses them ({reason})"


def _arm_levels(features: Sequence[str], sve_bytes: int) -> tuple[str, ...]:
    """Return the targets of AArch64 that a processor runs, the best first.

    Args:
        features: what /proc/cpuinfo says.
        sve_bytes: length of the registers of SVE, 0 without SVE.
    """
    if not set(_NEOVERSE_N1) <= set(features):
        return ()
    has_matrices = set(_MATRIX_FEATURES) <= set(features)
    found = [_SVE[sve_bytes]] if sve_bytes == 64 or (sve_bytes == 32 and has_matrices) else []
    return (*found, *([_MATRIX] if has_matrices else []), "aarch64")


def _sve_bytes(features: Sequence[str]) -> int:
    """Return the length of the registers of SVE in this thread, 0 without SVE."""
    if "sve" not in features:
        return 0
    answer: int = ctypes.CDLL(None).prctl(_PR_SVE_GET_VL)
    return max(answer, 0) & _VL_LENGTH


def machine() -> str | None:
    """Return the kind of machine code that runs here, None if the compiler makes none."""
    return _MACHINE_OF.get((platform.system(), platform.machine()))


def targets() -> tuple[str, ...]:
    """Return the targets whose code runs here, the best first, after `native`."""
    info = _cpu_info()
    if machine() == "x86-64":
        flags = info.get("flags", "").split()
        levels = _levels(flags)
        if levels[:1] != (_LEVELS[-1][0],):
            return levels
        more = [_BF16] if set(_BF16_FEATURES) <= set(flags) else []
        return (*(more if problem_of_tiles() else (_TILES, *more)), *levels)
    if platform.system() == "Darwin":  # all of Apple's processors have those of the Neoverse N1
        return _arm_levels(_NEOVERSE_N1, 0)
    features = info.get("Features", "").split()
    return _arm_levels(features, _sve_bytes(features))


def name() -> str:
    """Return what the processor is called."""
    return _cpu_info().get("model name") or platform.processor() or platform.machine()


def usable_processors() -> int:
    """Return how many processors the process may use."""
    # macOS has no affinity of processes.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
