"""Devices, queues and built programs: the only module that imports dpctl.

dpctl is imported on first use. `memory` and `launch` build on this.
"""

from __future__ import annotations

import functools
import importlib
import os
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ..errors import DeviceError
from ..scalars import describe
from . import driver
from .build_log import build_log
from .container import check_spirv
from .manifest import KernelInfo

if TYPE_CHECKING:
    from .kernel import Kernel
    from .program import Program

_BACKENDS = ("opencl", "level_zero")  # those that take SPIR-V

# Aspects of dpctl devices by the manifest's name of the requirement.
_ASPECTS = {
    "f64": "has_aspect_fp64",
    "f16": "has_aspect_fp16",
    "i64_atomics": "has_aspect_atomic64",
}


@functools.cache
def dpctl_names() -> Any:
    """Return the names from dpctl that are used here; later releases moved some of them."""
    try:
        import dpctl
        import dpctl.memory
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
        MemoryUSMShared=dpctl.memory.MemoryUSMShared,
        USMAllocationError=dpctl.memory.USMAllocationError,
        as_usm_memory=dpctl.memory.as_usm_memory,
        create_program=build.create_program_from_spirv,
        BuildError=build.SyclProgramCompilationError,
        version=dpctl.__version__,
    )


def devices() -> list[Any]:
    """Return the dpctl devices that kernels can run on, GPUs first.

    A device needs USM shared memory and subgroups, neither of which the default selector checks.
    """
    found = [
        device
        for device in dpctl_names().get_devices()
        if device.backend.name in _BACKENDS
        and device.has_aspect_usm_shared_allocations
        and max(device.sub_group_sizes) > 1
    ]
    return sorted(found, key=lambda device: target_of(device) == "cpu")


def target_of(device: Any) -> str:
    """Return the name of the compiler's target for a dpctl device or queue."""
    device = getattr(device, "sycl_device", device)
    if device.has_aspect_cpu:
        return "cpu"
    name = device.name.lower()
    is_discrete = any(word in name for word in ("arc", "flex", "dg2"))
    return "intel-gpu:dg2" if is_discrete else "intel-gpu:pvc"


def default_device(target: str | None = None) -> Any:
    """Return the device that programs for a target run on.

    Args:
        target: name of the target; None takes the first device, a GPU if there is one.

    Raises:
        DeviceError: there is no such device.
    """
    found = devices()
    for device in found:
        if target is None or target_of(device) == target:
            return device
    names = ", ".join(f"{device.name.strip()} ({target_of(device)})" for device in found)
    raise DeviceError(
        f"expected a device for target {target or 'any'}, got {names or 'none'}{_advice()}"
    )


def device_of(target: Any, name: str) -> Any:
    """Return the dpctl device that a compilation is for.

    Args:
        target: dpctl device or queue, or anything else for the default device.
        name: name of the target.

    Raises:
        DeviceError: there is no such device.
    """
    device = getattr(target, "sycl_device", target)
    return device if hasattr(device, "sub_group_sizes") else default_device(name)


def _advice() -> str:
    """Return what may have hidden a device."""
    selector = os.environ.get("ONEAPI_DEVICE_SELECTOR")
    if selector:
        return f"; ONEAPI_DEVICE_SELECTOR is {selector!r}"
    return "; import tinytc_mlir before the first use of dpctl, or run `tinytc doctor`"


_queues: dict[Any, Any] = {}  # by device, target name or None
_programs: dict[Any, Any] = {}  # by context and digest, because dpctl never frees a program
_build_lock = threading.Lock()


def queue_of(target: Any) -> Any:
    """Return the queue for a dpctl queue, device or name of a target.

    A queue is returned unchanged; for the others there is one in-order queue per device.

    Raises:
        DeviceError: there is no such device, or the object is none of these.
    """
    queue = _queues.get(target) if target is None or isinstance(target, str) else None
    if queue is not None:
        return queue
    dpctl = dpctl_names()
    if isinstance(target, dpctl.Queue):
        return target
    if target is None or isinstance(target, str):
        queue = _queues[target] = queue_of(default_device(target))
        return queue
    if not isinstance(target, dpctl.Device):
        raise DeviceError(
            f"expected a dpctl queue or device, or the name of a target, got {describe(target)}"
        )
    if target not in _queues:
        _queues[target] = dpctl.Queue(target, property=["in_order"])
    return _queues[target]


def device_kernel(kernel: Kernel, queue: Any) -> Any:
    """Return the dpctl kernel for a queue; programs are built once per context.

    Raises:
        DeviceError: the device lacks a feature that the kernel needs, or rejects the binary.
    """
    key = (queue.sycl_context, queue.sycl_device)
    found = kernel.device_kernels.get(key)
    if found is None:
        check_device(kernel.info, queue.sycl_device)
        with _build_lock:
            program = _built_program(kernel.program, queue)
        found = kernel.device_kernels[key] = program.get_sycl_kernel(kernel.info.name)
    return found


def _built_program(program: Program, queue: Any) -> Any:
    key = (queue.sycl_context, program.digest)
    if key in _programs:
        return _programs[key]
    check_spirv(program.spirv, program.manifest, "program")
    dpctl = dpctl_names()
    try:
        built = _programs[key] = dpctl.create_program(queue, program.spirv, "")
    except dpctl.BuildError as error:
        name = queue.sycl_device.name.strip()
        log = build_log(program.spirv, name)
        raise DeviceError(f"{name} cannot build the program", build_log=log) from error
    return built


def check_device(info: KernelInfo, device: Any) -> None:
    """Check that a device has what a kernel needs.

    Args:
        info: description of the kernel.
        device: dpctl device.

    Raises:
        DeviceError: the device lacks a type, a subgroup size, work-items or local memory.
    """
    name = device.name.strip()

    def refuse(expected: str, given: Any) -> DeviceError:
        return DeviceError(
            f"{info.name}: expected a device with {expected}, got {name} with {given}"
        )

    for requirement in info.requires:
        if not getattr(device, _ASPECTS.get(requirement, ""), True):
            raise refuse(requirement, "none")
    if info.subgroup_size and info.subgroup_size not in device.sub_group_sizes:
        sizes = ", ".join(map(str, device.sub_group_sizes))
        raise refuse(f"subgroup size {info.subgroup_size}", sizes)
    work_items = info.local_size[0] * info.local_size[1] * info.local_size[2]
    if work_items > device.max_work_group_size:
        raise refuse(f"work-groups of {work_items} work-items", device.max_work_group_size)
    if info.local_memory_bytes > device.local_mem_size:
        raise refuse(
            f"{info.local_memory_bytes} bytes of local memory", f"{device.local_mem_size} bytes"
        )


def describe_device(device: Any) -> str:
    """Return name, target and limits of a dpctl device on one line."""
    types = [name for name in ("f16", "f64") if getattr(device, _ASPECTS[name])]
    return (
        f"{device.name.strip()} [{target_of(device)}], "
        f"{device.backend.name} driver {device.driver_version}, "
        f"subgroups {'/'.join(map(str, device.sub_group_sizes))}, "
        f"work-groups of {device.max_work_group_size}, "
        f"{device.local_mem_size // 1024} KiB local memory, {' '.join(types) or 'no f16, f64'}"
    )
