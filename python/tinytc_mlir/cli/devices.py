# SPDX-License-Identifier: BSD-3-Clause
"""`tinytc devices`: lists the devices that kernels can run on."""

from __future__ import annotations

import argparse
import sys

from .files import EXIT_DEVICE, EXIT_OK, Commands, command

_EXAMPLES = (("", "each device with its target, for --target"),)


def add(commands: Commands) -> None:
    """Add the command."""
    command(commands, "devices", run, "list the devices that kernels can run on", _EXAMPLES)


def run(_: argparse.Namespace) -> int:
    """Run the command."""
    from ..runtime import devices

    found = devices.devices()
    for device in found:
        print(devices.describe_device(device))
    if not found:
        print("no device; run `tinytc doctor` to find the reason", file=sys.stderr)
    return EXIT_OK if found else EXIT_DEVICE
