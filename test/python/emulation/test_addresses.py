"""Addresses of the emulated device are those of no memory of the host."""

import pathlib
import signal
import subprocess
import sys

from tinytc_mlir.emulators.memory import ARENA

TESTS = pathlib.Path(__file__).parents[1]
TOUCH = """
import ctypes
from tinytc_mlir.emulators.memory import ARENA
ctypes.string_at(ARENA.allocate(4), 4)
"""


def test_the_range_is_reserved():
    """Without access; so the system places nothing else there."""
    maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")
    for line in maps.splitlines():
        places, access, *_ = line.split()
        first, last = (int(address, 16) for address in places.split("-"))
        if first <= ARENA.base and ARENA.base + ARENA.size <= last:
            assert access == "---p"
            return
    raise AssertionError(f"expected a mapping at {ARENA.base:#x}, got none")


def test_code_of_the_host_faults():
    result = subprocess.run([sys.executable, "-c", TOUCH], cwd=TESTS, capture_output=True)
    assert result.returncode == -signal.SIGSEGV
