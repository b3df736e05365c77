# SPDX-License-Identifier: BSD-3-Clause
"""The queue of a launch: where it is, what it reaches, and the kernel loaded for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ... import switches
from ...errors import ArgumentError, DeviceError
from ..arrays.array_view import ArrayView
from ..devices import check_device, check_reach, queue_of
from ..kernel_info import SPIRV
from ..loaders import loader_of
from ..protocol import Native, Queue
from ..tracing import dumps, trace
from .arguments import Part, PointerTable
from .handles import KernelHandle


def loaded(kernel: KernelHandle, queue: Queue) -> Native:
    """Return the native kernel for a queue.

    Raises:
        DeviceError: the program is for another device, the device lacks a feature that the kernel
            needs, or it rejects the binary.
    """
    found = kernel.loaded.get(queue.place)
    if found is None:
        if not _is_for(kernel, queue):
            raise DeviceError(
                f"{kernel.info.name}: expected a program for {queue.device.target}, where the "
                f"queue or the arrays are, got one for {kernel.program.target}; compile it for "
                "that target"
            )
        check_device(kernel.info, queue.device)
        name = queue.device.name
        with trace.build(kernel.info.name, name), dumps.build_noted(kernel.program, queue.device):
            found = queue.loader.load(kernel.program, kernel.info.name, queue)
        kernel.loaded[queue.place] = found
    return found


def _is_for(kernel: KernelHandle, queue: Queue) -> bool:
    """Whether a queue's device runs programs for the kernel's target, as far as that is known."""
    manifest, formats = kernel.program.manifest, queue.loader.formats
    runs = queue.device.runs
    return (not formats or manifest.format in formats) and (not runs or manifest.target in runs)


def views_of(parts: Sequence[Part]) -> Iterator[ArrayView]:
    """Return the arrays of a launch, those of tables of pointers, too."""
    for part in parts:
        if type(part) is ArrayView:
            yield part
        elif type(part) is PointerTable:
            yield from part.views


def queue_for(kernel: KernelHandle, parts: Sequence[Part], queue: object) -> Queue:
    """Return the queue of a launch with some arguments.

    Args:
        kernel: the kernel.
        parts: what arguments became.
        queue: the given queue or device, None if there is none.
    """
    return queue_for_views(kernel, list(views_of(parts)), queue)


def queue_for_views(kernel: KernelHandle, views: Sequence[ArrayView], queue: object) -> Queue:
    """Return the given queue, else the program's, else one where the arrays are."""
    if queue is None:
        queue = kernel.program.queue
    if queue is not None:
        return queue_of(queue)
    if switches.INTERPRET.is_on():
        return queue_of(kernel.program.target)
    for view in views:
        loader = loader_of(view.memory)
        if loader is not None:
            try:
                return loader.queue_of_memory(view.memory)
            except ValueError as error:
                raise argument_error(kernel, view, str(error)) from error
    return queue_of(kernel.program.target)


def check_all_reached(kernel: KernelHandle, views: Sequence[ArrayView], queue: Queue) -> None:
    """Check that the queue can reach all arrays that are used in place."""
    for view in views:
        if view.memory is None:
            continue
        try:
            check_reach(queue, view)
        except ValueError as error:
            raise argument_error(kernel, view, str(error)) from error


def refuse_host_arrays(
    kernel: KernelHandle, parts: Sequence[Part], reason: str, written_only: bool
) -> None:
    """Check that no array, or none that the kernel writes, is a plain one of the host."""
    for view in views_of(parts):
        if view.memory is None and (view.is_written or not written_only):
            expected = _array_in_place(kernel)
            message = f"expected {expected} because {reason}, got a plain NumPy array"
            raise argument_error(kernel, view, message)


def _array_in_place(kernel: KernelHandle) -> str:
    """Return what messages call the arrays that launches of a kernel use in place."""
    if kernel.program.manifest.format == SPIRV:
        return "an array in USM memory (tinytc_mlir.empty, asarray)"
    return f'an array of tinytc_mlir.empty or asarray with queue="{kernel.program.target}"'


def argument_error(kernel: KernelHandle, view: ArrayView, message: str) -> ArgumentError:
    """Return the error about the argument that an array is given for."""
    name = view.argument.name if view.argument is not None else None
    return ArgumentError(f"{kernel.info.name}: argument {name!r}: {message}", argument=name)
