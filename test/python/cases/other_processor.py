"""Builds kernels for a processor that need not be this one, and launches nothing."""

from __future__ import annotations

import os
import pathlib
import resource
import tempfile
from collections.abc import Sequence
from unittest import mock

import tinytc_mlir as tt
from cases.case import Case, parse
from cases.kernel_check import Count
from tinytc_mlir.runtime.devices import default_device
from tinytc_mlir.runtime.spirv.build_process import BuildEndedError, BuildProcess
from tinytc_mlir.runtime.spirv.split_module import part_of


class OtherProcessor:
    """Builds for another processor in a process of its own.

    Args:
        name: what Intel's driver calls it: core-avx2, skx, icelake-server, sapphirerapids.
        limit_s: processor time after which a driver that does not come to an end is ended.
    """

    def __init__(self, name: str, limit_s: int = 600) -> None:
        self._limit_s = limit_s
        self._device = default_device("cpu")
        self._name = name
        self._start()

    def _start(self) -> None:
        with mock.patch.dict(os.environ, {"CL_CONFIG_CPU_TARGET_ARCH": self._name}):
            self._process = BuildProcess(self._device)
        limits = (self._limit_s, self._limit_s)
        resource.prlimit(self._process.pid, resource.RLIMIT_CPU, limits)

    def check(self, cases: Sequence[Case], abi: str) -> Count:
        """Build kernels and return how many can be built."""
        count = Count()
        program = parse(cases).compile(abi=abi)
        with tempfile.TemporaryDirectory() as folder:
            for case, name in zip(cases, program, strict=True):
                part = part_of(program, name)
                try:
                    self._process.build(part.code, part, pathlib.Path(folder, "code.device"))
                    count.equal += 1
                except tt.DeviceError as error:
                    count.unbuilt.append(f"{case.name}, {abi}: {error}\n{case.text('f')}")
                    if isinstance(error, BuildEndedError):
                        self._process.close()
                        self._start()
        return count

    def close(self) -> None:
        """End the process."""
        self._process.close()
