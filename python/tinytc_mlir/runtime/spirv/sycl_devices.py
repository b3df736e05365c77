# SPDX-License-Identifier: BSD-3-Clause
"""Names of dpctl, imported on first use, and its devices."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import pathlib
from types import SimpleNamespace
from typing import Any

from ...errors import DeviceError
from ..protocol import Limits, shown_device
from . import driver
from .intel_gpus import target_of_gpu

CPU_TARGET = "cpu"
# Aspects of dpctl devices by the manifest's name of the requirement.
_ASPECTS = {
    "f64": "has_aspect_fp64",
    "f16": "has_aspect_fp16",
    "i64_atomics": "has_aspect_atomic64",
}


def _host_memory(cls: Any, address: int) -> Any:
    """Return memory of the host that begins at an address, with no USM of its own."""
    made = cls.__base__.__new__(cls)
    made.address = address
    return made


_HOST_MEMORY = {
    "__new__": _host_memory,
    "__init__": lambda self, address: None,
    "_pointer": property(lambda self: self.address),
}


@functools.cache
def names_of_dpctl() -> Any:
    """Return the names from dpctl that are used here; later releases moved some of them."""
    try:
        import dpctl
        import dpctl.memory
        import dpctl.utils
    except ImportError as error:
        raise DeviceError(
            f"expected the packages dpctl and {driver.PACKAGE}, got an import error: {error}"
        ) from error
    try:
        import dpctl.program as build
    except ImportError:
        build = importlib.import_module("dpctl.compiler")
    return SimpleNamespace(
        get_devices=dpctl.get_devices,
        Queue=dpctl.SyclQueue,
        Device=dpctl.SyclDevice,
        Event=dpctl.SyclEvent,
        RawKernelArg=dpctl.RawKernelArg,
        complete=dpctl.event_status_type.complete,
        SubmitError=dpctl.SyclKernelSubmitError,
        Memory=(
            dpctl.memory.MemoryUSMShared,
            dpctl.memory.MemoryUSMDevice,
            dpctl.memory.MemoryUSMHost,
        ),
        # A class of Python, to which there are weak references.
        SharedMemory=type("MemoryUSMShared", (dpctl.memory.MemoryUSMShared,), {}),
        # Launches ask memory for `_pointer`, whatever it is; dpctl's own must be USM.
        HostMemory=type("HostMemory", dpctl.memory.MemoryUSMShared.__bases__, _HOST_MEMORY),
        USMAllocationError=dpctl.memory.USMAllocationError,
        as_usm_memory=dpctl.memory.as_usm_memory,
        create_program=build.create_program_from_spirv,
        BuildError=build.SyclProgramCompilationError,
        programs=build,
        asks_for_pointers=dpctl.__version__.startswith("0.22."),
        takes_binaries=dpctl.__version__.startswith("0.22."),
        leaks_programs=dpctl.__version__.startswith("0.22."),
        folder=pathlib.Path(dpctl.__file__).parent,
        intel_device_info=dpctl.utils.intel_device_info,
    )


@dataclasses.dataclass(frozen=True, repr=False)
class SyclDevice:
    """A device of dpctl."""

    native: Any

    def __repr__(self) -> str:
        return shown_device(self)

    @property
    def name(self) -> str:
        """Name of the product."""
        return str(self.native.name).strip()

    @functools.cached_property
    def target(self) -> str | None:
        """Name of the compiler's target for this device, None if there is none."""
        if self.is_cpu:
            return CPU_TARGET
        if not self.native.has_aspect_gpu:
            return None
        device_id = names_of_dpctl().intel_device_info(self.native).get("device_id")
        return target_of_gpu(self.native.vendor, self.name, device_id)

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the targets whose programs it runs."""
        return () if self.target is None else (self.target,)

    @property
    def is_cpu(self) -> bool:
        """Whether it is the host's processor."""
        return bool(self.native.has_aspect_cpu)

    @property
    def driver(self) -> str:
        """Name of the driver's interface: "opencl" or "level_zero"."""
        return str(self.native.backend.name)

    @property
    def driver_version(self) -> str:
        """Version of the driver."""
        return str(self.native.driver_version)

    @functools.cached_property
    def limits(self) -> Limits:
        """Its limits and features for kernels."""
        native = self.native
        return Limits(
            frozenset(name for name, aspect in _ASPECTS.items() if getattr(native, aspect)),
            tuple(native.sub_group_sizes),
            native.max_work_group_size,
            native.local_mem_size,
        )
