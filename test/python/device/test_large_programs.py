"""Programs of at most 100 lines are built with little more work than a small one."""

import contextlib
import math
import os
import pathlib
import resource
import time

import pytest

import profiles
import tinytc_mlir as tt
from cases.large_cases import PROGRAMS
from cases.large_functions import FUNCTION_PROGRAMS
from tinytc_mlir.runtime.devices import default_device
from tinytc_mlir.runtime.spirv.build_process import BuildEndedError, BuildProcess
from tinytc_mlir.runtime.spirv.split_module import part_of

SMALL = PROGRAMS["copies"]
MOST = 50
"""How often the processor time of the small program, of the compiler and the driver."""

HANG_S = 300


def processor_s(pid):
    """Return the processor time of another process."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class LimitedBuilds:
    """A process that builds programs and ends where one does not come to an end."""

    def __init__(self):
        self._process = BuildProcess(default_device("cpu"))

    def build(self, program, path):
        """Build a program and return the processor time."""
        before = processor_s(self._process.pid)
        limits = (math.ceil(before) + HANG_S, resource.RLIM_INFINITY)
        resource.prlimit(self._process.pid, resource.RLIMIT_CPU, limits)
        part = part_of(program, "f")
        try:
            self._process.build(part.code, part, path)
        except BuildEndedError:
            self._process.close()
            self.__init__()
            raise
        return processor_s(self._process.pid) - before

    def time(self, text, folder):
        """Return the processor time of the compiler and the driver for a program."""
        start = time.process_time()
        program = tt.Context().parse(text).compile()
        compiled_s = time.process_time() - start
        return compiled_s + self.build(program, folder / "code.device")

    def close(self):
        self._process.close()


def native_time(text, _):
    """Return the processor time of native code for a program."""
    start = time.process_time()
    tt.Context().parse(text).compile("native")
    return time.process_time() - start


@pytest.fixture(scope="module")
def builds():
    with contextlib.closing(LimitedBuilds()) as process:
        yield process


def expect_little(timed, text, folder):
    """Check what a program takes beside the small one, which is built before and after it."""
    before_s, found_s, after_s = (timed(each, folder) for each in (SMALL, text, SMALL))
    assert found_s < MOST * max(before_s, after_s)


@pytest.mark.similar
@pytest.mark.parametrize("name", profiles.some_of(PROGRAMS, "builds"))
def test_builds_come_to_an_end(name, builds, tmp_path):
    expect_little(builds.time, PROGRAMS[name], tmp_path)


NATIVE_PROGRAMS = PROGRAMS | FUNCTION_PROGRAMS


@pytest.mark.similar
@pytest.mark.parametrize("name", profiles.some_of(NATIVE_PROGRAMS, "native builds"))
def test_native_builds_come_to_an_end(name, tmp_path):
    expect_little(native_time, NATIVE_PROGRAMS[name], tmp_path)


def test_there_are_forty_short_programs():
    assert len(PROGRAMS) >= 40
    assert max(text.count("\n") for text in NATIVE_PROGRAMS.values()) <= 100
