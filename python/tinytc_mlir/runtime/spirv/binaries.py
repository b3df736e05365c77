# SPDX-License-Identifier: BSD-3-Clause
"""Device code of programs, kept in the cache so that the driver need not build it again.

The CPU driver takes 20 to 300 ms to build a kernel and 2 ms to load what it has built.
"""

from __future__ import annotations

import os
import pathlib

from ... import cache
from ..manifest import Manifest
from ..protocol import Device
from . import driver

_OPTIONS_PREFIX = "CL_CONFIG_"


def path_of(digest: str, device: Device) -> pathlib.Path | None:
    """Return the file for a program and a device, None if nothing is kept.

    The name depends on all that the driver's code depends on: the driver, its options, those in
    the environment, too, and the processor, whose instructions the driver uses.

    Args:
        digest: SHA-256 of the program's SPIR-V.
        device: the device.
    """
    options = {k: v for k, v in os.environ.items() if k.startswith(_OPTIONS_PREFIX)}
    names = [device.name, device.driver, device.driver_version, cache.processor()]
    parts = [digest, names, driver.CPU_BUILD_OPTIONS, sorted(options.items())]
    return cache.path_of(cache.DEVICE, parts)


def note_of(manifest: Manifest) -> dict[str, object]:
    """Return what the cache notes about a program."""
    return {"kernels": [kernel.name for kernel in manifest.kernels], "target": manifest.target}


def names_of(manifest: Manifest) -> str:
    """Return the names of a program's kernels, for messages."""
    return ", ".join(repr(kernel.name) for kernel in manifest.kernels)
