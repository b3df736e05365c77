"""Programs of at most 100 lines are built in a few seconds of processor time."""

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

LIMIT_S = 5
"""Of processor time, of the compiler and the driver, which does not depend on other processes."""


def processor_s(pid):
    """Return the processor time of another process."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class LimitedBuilds:
    """A process that builds programs and ends where one takes too long."""

    def __init__(self):
        self._process = BuildProcess(default_device("cpu"))

    def build(self, program, path):
        """Build a program and return the processor time."""
        before = processor_s(self._process.pid)
        limit = math.ceil(before) + 2 * LIMIT_S
        limits = (limit, resource.RLIM_INFINITY)
        resource.prlimit(self._process.pid, resource.RLIMIT_CPU, limits)
        part = part_of(program, "f")
        try:
            self._process.build(part.code, part, path)
        except BuildEndedError:
            self._process.close()
            self.__init__()
            raise
        return processor_s(self._process.pid) - before

    def close(self):
        self._process.close()


@pytest.fixture(scope="module")
def builds():
    with contextlib.closing(LimitedBuilds()) as process:
        yield process


@pytest.mark.similar
@pytest.mark.parametrize("name", PROGRAMS)
def test_builds_come_to_an_end(name, builds, tmp_path):
    start = time.process_time()
    program = tt.Context().parse(PROGRAMS[name]).compile()
    compiled_s = time.process_time() - start
    built_s = builds.build(program, tmp_path / "code.device")
    assert compiled_s + built_s < LIMIT_S, f"compiled in {compiled_s:.2f} s, built in {built_s:.2f}"


NATIVE_PROGRAMS = PROGRAMS | FUNCTION_PROGRAMS


@pytest.mark.parametrize("name", profiles.some_of(NATIVE_PROGRAMS, "native builds"))
def test_native_builds_come_to_an_end(name):
    start = time.process_time()
    tt.Context().parse(NATIVE_PROGRAMS[name]).compile("native")
    compiled_s = time.process_time() - start
    assert compiled_s < LIMIT_S, f"compiled in {compiled_s:.2f} s"


def test_there_are_forty_short_programs():
    assert len(PROGRAMS) >= 40
    assert max(text.count("\n") for text in NATIVE_PROGRAMS.values()) <= 100
