# SPDX-License-Identifier: BSD-3-Clause
"""Intel's GPUs: which target each of them is, and what Intel's tools call it."""

from __future__ import annotations

import re
from typing import NamedTuple


class IntelGpu(NamedTuple):
    """How the devices of a target are known.

    Args:
        device_ids: their PCI identifiers.
        names: their names, for drivers that do not tell the identifier.
        ocloc_device: what the offline compiler calls one of them, if it is new enough.
    """

    device_ids: tuple[range, ...]
    names: re.Pattern[str]
    ocloc_device: str


INTEL_GPUS = {
    "intel-gpu:pvc": IntelGpu(
        (range(0x0B69, 0x0B6A), range(0x0B6E, 0x0B6F), range(0x0BD0, 0x0BDC)),
        re.compile(r"Data Center GPU Max"),
        "pvc",
    ),
    "intel-gpu:dg2": IntelGpu(
        (range(0x4F80, 0x4F89), range(0x5690, 0x5698), range(0x56A0, 0x56C3)),
        re.compile(r"Data Center GPU Flex|Arc\(TM\) (Pro )?A\d+M?\b"),
        "dg2-g10",
    ),
    "intel-gpu:bmg": IntelGpu(
        (
            *(range(0xE202, 0xE203), range(0xE209, 0xE20E), range(0xE210, 0xE224)),
            *(range(0x6420, 0x6421), range(0x64A0, 0x64A1), range(0x64B0, 0x64B1)),
        ),
        re.compile(r"Arc\(TM\) (Pro )?B\d+\b|Arc\(TM\) 1[34]0V\b"),
        "bmg-g21",
    ),
}
"""The GPUs by name of their target."""


REGISTER_OPTIONS = {
    256: {
        "level_zero": "-ze-opt-large-register-file",
        "opencl": "-cl-intel-256-GRF-per-thread",
    }
}
"""Options of drivers, by the number of registers of a thread and the driver's interface; the
number that is missing is the usual one."""


def build_options(registers: int | None, target: str | None, interface: str) -> str:
    """Return the options of a driver that builds kernels for so many registers of a thread.

    Args:
        registers: the number, None if the driver may decide.
        target: name of the device's target, None if it has none; only GPUs of Intel have options.
        interface: name of the driver's interface: "opencl" or "level_zero".

    >>> build_options(256, "intel-gpu:pvc", "level_zero"), build_options(256, "cpu", "opencl")
    ('-ze-opt-large-register-file', '')
    """
    if target not in INTEL_GPUS:
        return ""
    return REGISTER_OPTIONS.get(registers or 0, {}).get(interface, "")


def target_of_gpu(vendor: str, name: str, device_id: int | None) -> str | None:
    """Return the name of the target for a GPU, None if there is none.

    Args:
        vendor: who makes it, as its driver says.
        name: name of the product.
        device_id: its PCI identifier, None if the driver does not tell.

    >>> target_of_gpu("Intel(R) Corporation", "Intel(R) Data Center GPU Max 1550", 0x0BD5)
    'intel-gpu:pvc'
    >>> target_of_gpu("Intel(R) Corporation", "Intel(R) Iris(R) Xe Graphics", 0x9A49)
    >>> target_of_gpu("NVIDIA Corporation", "NVIDIA H200", None)
    """
    if "intel" not in vendor.lower():
        return None
    for target, gpu in INTEL_GPUS.items():
        if (
            any(device_id in some for some in gpu.device_ids)
            if device_id
            else gpu.names.search(name)
        ):
            return target
    return None
