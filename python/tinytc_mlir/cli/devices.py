"""`tinytc devices`: lists the devices that kernels can run on."""

from __future__ import annotations

import argparse
import sys

from .files import EXIT_ERROR, EXIT_OK, Commands, command


def add(commands: Commands) -> None:
    """Add the command."""
    command(commands, "devices", run, "list the devices that kernels can run on")


def run(_: argparse.Namespace) -> int:
    """Run the command."""
    from ..runtime import devices

    found = devices.devices()
    for device in found:
        print(devices.describe_device(device))
    if not found:
        print("no device; run `tinytc doctor` to find the reason", file=sys.stderr)
    return EXIT_OK if found else EXIT_ERROR
