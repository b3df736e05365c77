"""AMX of x86-64 where the processor has none: each instruction traps, and amx.c executes it."""

import ctypes
import functools
import pathlib
import shutil
import subprocess
import tempfile

import pytest

SOURCE = pathlib.Path(__file__).with_name("amx.c")
FLAGS = ("-O2", "-mfma", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC")


def build(folder):
    """Return the path of the emulator as a library."""
    library = pathlib.Path(folder, "libamx.so")
    subprocess.run(["cc", *FLAGS, SOURCE, "-lm", "-ldl", "-o", library], check=True)
    return library


@functools.cache
def load():
    """Let this process run AMX from now on; return the emulator, or skip the test."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    with tempfile.TemporaryDirectory() as folder:
        return ctypes.CDLL(str(build(folder)))


def count(emulator, name="amx_instructions"):
    """Return how many instructions have been executed."""
    return ctypes.c_long.in_dll(emulator, name).value
