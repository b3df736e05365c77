"""Memory of native arrays, in huge pages on request, and kernels listed for profilers."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.runtime.native.processor import NativeBytes, NativeMapping, _memory

MIB = 1 << 20
TEXT = "func @first_of_all(%A: memref<f32x8x?>) { %a = load %A[3, 0] : f32\n store %a, %A[0, 0] }"
LIST = """
import os, pathlib, sys, tinytc_mlir as tt
kernel = tt.load(sys.argv[1])["first_of_all"]
kernel(tt.ones((8, 1), "f4", queue="native"))
print(pathlib.Path(f"/tmp/perf-{os.getpid()}.map").read_text(), end="")
"""


@pytest.fixture
def huge(monkeypatch):
    monkeypatch.setenv("TINYTC_HUGE_PAGES", "1")


def test_huge_pages_are_asked_for(huge):
    memory = _memory(3 * MIB)
    assert isinstance(memory.native, NativeMapping)
    assert memory.address % (2 * MIB) == 0
    assert memory.host.size == 3 * MIB
    sections = pathlib.Path("/proc/self/smaps").read_text().split("VmFlags:")
    (flags,) = [
        sections[number + 1].partition("\n")[0].split()
        for number, section in enumerate(sections[:-1])
        if any(is_of(line, memory.address) for line in section.splitlines())
    ]
    assert "hg" in flags


def is_of(line, address):
    """Whether a line of smaps begins the mapping of an address."""
    begin, _, end = line.partition(" ")[0].partition("-")
    try:
        return int(begin, 16) <= address < int(end, 16)
    except ValueError:
        return False


def test_small_arrays_stay_where_they_were(huge):
    assert isinstance(_memory(MIB).native, NativeBytes)


def test_without_the_switch():
    assert isinstance(_memory(3 * MIB).native, NativeBytes)


def test_kernels_use_huge_pages_in_place(huge):
    a = tt.zeros((8, MIB), np.float32, queue="native")
    a[3] = np.arange(MIB)
    kernel = tt.Context().parse(TEXT).compile("native")["first_of_all"]
    kernel.submit(a[:, 5:], groups=1).wait()
    assert a[0, 5] == 5


def test_too_much(huge):
    with pytest.raises(tt.DeviceError, match=r"expected \d+ bytes of memory, got none"):
        _memory(1 << 62)


def test_kernels_are_listed_for_perf(tmp_path):
    path = tmp_path / "program.tinytcb"
    tt.Context().parse(TEXT).compile("native").save(path)
    command = [sys.executable, "-c", LIST, path]
    variables = os.environ | {"TINYTC_PERF_MAP": "1"}
    done = subprocess.run(command, env=variables, capture_output=True, text=True)
    (line,) = done.stdout.splitlines()
    address, size, name = line.split()
    assert name == "first_of_all"
    assert int(address, 16) > 0
    assert 0 < int(size, 16) < 10000
