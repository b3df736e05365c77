# SPDX-License-Identifier: BSD-3-Clause
"""Devices and queues of all implementations of the runtime."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from .. import switches
from ..errors import DeviceError, describe, hint
from .arrays.array_view import ArrayView
from .interpreted import Interpreter
from .kernel_info import KernelInfo
from .loaders import is_only_named, loaders
from .protocol import Device, Loader, Queue

_LIST = "`tinytc devices` lists what there is"
# Common names of devices, and the targets that they may mean.
_TARGETS_OF = {
    "gpu": ("intel-gpu:pvc", "cuda"),
    "nvidia": ("cuda",),
    "nvidia-gpu": ("cuda",),
    "intel": ("intel-gpu:pvc",),
    "xpu": ("intel-gpu:pvc",),
    "host": ("native",),
}
# By name of the target, None for the default device, and whether kernels are interpreted.
_queues: dict[tuple[str | None, bool], Queue] = {}


def devices(target: str | None = None) -> list[Device]:
    """Return the devices that programs can be loaded on, GPUs first.

    A device has a `name`, and the `target` that programs are compiled for. Devices of
    implementations that are asked last follow the others.

    Args:
        target: name of the target that they may have, or of all targets that begin with it; None
            for all.

    Raises:
        DeviceError: the libraries of all implementations are missing.

    >>> [device.target for device in devices("cpu")]
    ['cpu']
    """
    return _devices([loader for loader in loaders() if _is_named(target, loader.targets)])


def default_device(target: str | None = None) -> Device:
    """Return the device that programs for a target run on.

    Args:
        target: name of the target, or how the names of several begin, e.g. "cuda"; None takes the
            target that TINYTC_TARGET names, else the first device, a GPU if there is one that is
            not asked last, and the processor itself where there is no device at all.

    Raises:
        DeviceError: there is no such device.
    """
    target = switches.TARGET.choice() if target is None else target
    usual = [loader for loader in loaders() if not is_only_named(loader)]
    asked = usual if target is None else loaders()
    known = [loader for loader in asked if _is_named(target, loader.targets)]
    errors: list[DeviceError] = []
    lacks_library = False
    for is_last in (False, True):
        try:
            found = _devices([loader for loader in known if loader.is_asked_last == is_last])
        except DeviceError as error:
            errors.append(error)
            lacks_library |= not is_last
            continue
        for device in found:
            if device.runs and _is_named(target, device.runs):
                return device
    if errors and target is not None:
        raise DeviceError(f"{str(errors[0]).rstrip('.')}; {_LIST}") from errors[0]
    others: list[Device] = []
    with contextlib.suppress(DeviceError):
        others = _devices(usual)
    # Say which variable hides devices, but not that a library or driver is missing.
    if target is None and not others and (lacks_library or not _advice()):
        with contextlib.suppress(DeviceError):
            last = _devices([loader for loader in loaders() if is_only_named(loader)])
            if last:
                return last[0]
    if len(errors) > 1:
        raise errors[0]
    names = ", ".join(f"{device.name} ({_target_text(device)})" for device in others)
    known_names = [name for loader in loaders() for name in loader.targets]
    targets = ", ".join(known_names)
    wanted = f"target {target}" if target else f"one of the targets {targets}"
    # Variables that hide devices hide the CPU, too.
    advice = f"; {_LIST}" if others else _advice()
    if target is not None and not _is_named(target, known_names):
        advice = target_hint(target, known_names) or advice
    raise DeviceError(f"expected a device for {wanted}, got {names or 'none'}{advice}")


def target_hint(name: str, choices: Sequence[str]) -> str:
    """Return `; did you mean ...?` for a name that is no target, or the empty string.

    >>> target_hint("gpu", ["cpu"]), target_hint("CPU", ["cpu"]), target_hint("toaster", ["cpu"])
    ("; did you mean 'intel-gpu:pvc' or 'cuda'?", "; did you mean 'cpu'?", '')
    """
    meant = _TARGETS_OF.get(name.lower())
    if meant is None:
        return hint(name.lower(), choices)
    return f"; did you mean {' or '.join(map(repr, meant))}?"


def _is_named(target: str | None, names: Sequence[str]) -> bool:
    """Whether a target, or the beginning of one up to a colon, is among some names."""
    if target is None:
        return True
    return any(name == target or name.startswith(f"{target}:") for name in names)


def _devices(asked: Sequence[Loader]) -> list[Device]:
    """Return the devices of implementations, GPUs first, those asked last at the end."""
    found: list[tuple[bool, Device]] = []
    errors: list[DeviceError] = []
    for loader in asked:
        try:
            found += [(loader.is_asked_last, device) for device in loader.devices()]
        except DeviceError as error:
            errors.append(error)
    if errors and len(errors) == len(asked):
        raise errors[0]
    return [device for _, device in sorted(found, key=lambda pair: (pair[0], pair[1].is_cpu))]


def device_of(handle: object) -> Device | None:
    """Return the device that a device or queue of a library names; None for other objects."""
    for loader in loaders():
        device = loader.device(handle)
        if device is not None:
            return device
    return None


def _advice() -> str:
    """Return what may have hidden a device."""
    return "".join(f"; {advice}" for loader in loaders() if (advice := loader.advice()))


def handles() -> str:
    """Return what messages call the devices and queues of all libraries."""
    return ", ".join(loader.handles for loader in loaders())


def queue_of(handle: object) -> Queue:
    """Return the queue for a queue or device of a library, or for the name of a target.

    A queue is returned as one with the same native queue; for the others there is one in-order
    queue per device.

    Raises:
        DeviceError: there is no such device, or the object is none of these.
    """
    if handle is None or isinstance(handle, str):
        handle = switches.TARGET.choice() if handle is None else handle
        key = (handle, switches.INTERPRET.is_on())
        queue = _queues.get(key)
        if queue is None:
            queue = _queues[key] = queue_of(default_device(handle))
        return queue
    # Who has a device of ours is asked first, so that no other is imported.
    target = getattr(handle, "target", None)
    for loader in sorted(loaders(), key=lambda loader: target not in loader.targets):
        queue = loader.queue(handle)
        if queue is not None:
            return queue
    raise DeviceError(f"expected {handles()}, or the name of a target, got {describe(handle)}")


def check_reach(queue: Queue, view: ArrayView) -> None:
    """Check that a queue can reach the memory of an array that is used in place.

    Raises:
        ValueError: `expected ..., got ...`, it cannot.
    """
    is_known = queue.loader.recognises(view.memory)
    if not is_known and not isinstance(queue.loader, Interpreter):
        name = type(view.memory).__name__
        raise ValueError(f"expected memory that {queue.device.name} can use, got {name}")
    queue.reach(view)


def check_device(info: KernelInfo, device: Device) -> None:
    """Check that a device has what a kernel needs.

    Raises:
        DeviceError: the device lacks a type, a subgroup size, work-items or local memory.
    """
    limits = device.limits

    def refuse(expected: str, given: object) -> DeviceError:
        return DeviceError(
            f"{info.name}: expected a device with {expected}, got {device.name} with {given}"
        )

    for requirement in info.requires:
        if requirement not in limits.features:
            raise refuse(requirement, "none")
    if info.subgroup_size and info.subgroup_size not in limits.subgroup_sizes:
        sizes = ", ".join(map(str, limits.subgroup_sizes))
        raise refuse(f"subgroup size {info.subgroup_size}", sizes)
    work_items = info.local_size[0] * info.local_size[1] * info.local_size[2]
    if work_items > limits.work_group_size:
        raise refuse(f"work-groups of {work_items} work-items", limits.work_group_size)
    most_bytes = limits.local_memory_bytes + limits.kept_bytes
    if info.local_memory_bytes > most_bytes:
        raise refuse(f"{info.local_memory_bytes} bytes of local memory", f"{most_bytes} bytes")


def describe_device(device: Device) -> str:
    """Return name, target and limits of a device on one line."""
    limits = device.limits
    types = [name for name in ("f16", "f64") if name in limits.features]
    return (
        f"{device.name} [{_target_text(device)}], {_driver_text(device)}, "
        f"subgroups {'/'.join(map(str, limits.subgroup_sizes))}, "
        f"work-groups of {limits.work_group_size}, "
        f"{limits.local_memory_bytes // 1024} KiB local memory, {' '.join(types) or 'no f16, f64'}"
    )


def _driver_text(device: Device) -> str:
    if device.driver == "none":
        return "no driver"
    return f"{device.driver} driver {device.driver_version}"


def _target_text(device: Device) -> str:
    return device.target or "no target"
