# SPDX-License-Identifier: BSD-3-Clause
"""Launches: from checked arguments to a submitted kernel, its event and its results.

The libraries that run kernels check almost nothing, so `Signature` has checked everything that
arrives here.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, cast

from ...errors import ArgumentError, CheckError, LaunchError, describe
from ..arrays import spare_memory
from ..arrays.array_view import ArrayView
from ..arrays.order_warning import warn_of_slow_copies
from ..arrays.overlaps import StagingError
from ..arrays.staging import Staging, in_place
from ..protocol import (
    Arguments,
    Native,
    Pointer,
    PreparedLaunch,
    Queue,
    RangedLaunch,
    Ranges,
)
from ..tracing import hooks
from .arguments import Part
from .checks import ReportBuffer
from .encoding import Encoder
from .event import LAUNCHES_PER_CLEANUP, Event, forget_complete, native_events, running
from .finite import FiniteCheck
from .handles import KernelHandle
from .integers import checked_integer
from .queues import (
    argument_error,
    check_all_reached,
    loaded,
    queue_for_views,
    refuse_host_arrays,
    views_of,
)


class Launch:
    """A launch with everything that the library needs, to be submitted once or many times.

    Args:
        name: name of the kernel.
        queue: queue that it is submitted to.
        prepared: the launch in the terms of its implementation.
        keep: objects that own the memory of the arguments: arrays, tables, copies.
        groups: number of groups.
        reports: where a debug build reports what is undefined.
        launches: counts the launches, for all that take turns.
    """

    def __init__(
        self,
        name: str,
        queue: Queue,
        prepared: PreparedLaunch,
        keep: object,
        groups: LaunchGroups,
        reports: ReportBuffer | None = None,
        *,
        launches: Iterator[int] | None = None,
    ) -> None:
        self._name = name
        self._queue = queue
        self._groups = groups
        self._start = prepared.start
        self._is_in_order = queue.is_in_order
        self._prepared = prepared
        self._keep = (keep, prepared, reports)
        self._reports = reports
        self._launches = itertools.count() if launches is None else launches

    def finite_check(self, views: Iterable[ArrayView]) -> FiniteCheck:
        """Return a check of arrays before and after the launch; wait for what precedes it."""
        self._queue.wait()
        return FiniteCheck(self._name, list(views))

    def run(self) -> None:
        """Launch the kernel and wait until it has finished.

        Raises:
            CheckError: the kernel is a debug build and did what the language leaves undefined.
        """
        if hooks.active:
            with hooks.around(self._record(waits=True)):
                self._run()
        else:
            self._run()

    def _run(self) -> None:
        self._start(None).wait()
        self._check_reports()

    def _check_reports(self) -> None:
        if self._reports is not None:
            error = self._reports.error()
            if error is not None:
                raise error

    @property
    def native_arguments(self) -> tuple[Native, ...]:
        """The arguments of the library's own call for a launch."""
        return self._prepared.native_arguments

    @property
    def work_groups(self) -> int:
        """Number of work-groups, if parts of them can be run."""
        return self._ranged().work_groups

    def run_range(self, first: object, last: object) -> None:
        """Run some work-groups on the calling thread.

        Raises:
            ArgumentError: they are none of the launch.
            LaunchError: launches on this queue do not run in parts.
            CheckError: the kernel is a debug build and did what the language leaves undefined.
        """
        ranged = self._ranged()
        try:
            begin = checked_integer(first, "for first", 0, ranged.work_groups)
            end = checked_integer(last, "for last", begin, ranged.work_groups)
        except ValueError as error:
            raise ArgumentError(f"{self._name}: {error}") from None
        ranged.run_range(begin, end)
        self._check_reports()

    def _ranged(self) -> RangedLaunch:
        if not hasattr(self._prepared, "run_range"):
            name = self._queue.device.name
            raise LaunchError(
                f"{self._name}: expected a native queue for a range of work-groups, got {name}"
            )
        return cast("RangedLaunch", self._prepared)

    def finish(self) -> None:
        """Return when all launches on the queue are over."""
        self._queue.wait()

    def submit(self, depends: Iterable[object], arguments: object = None) -> Event:
        """Launch the kernel and return its event at once.

        Args:
            depends: events that must be over before.
            arguments: what else must stay alive until the kernel has finished.
        """
        if hooks.active:
            with hooks.around(self._record(waits=False)):
                return self._submit(depends, arguments)
        return self._submit(depends, arguments)

    def _submit(self, depends: Iterable[object], arguments: object) -> Event:
        queue = self._queue
        keep = self._keep if arguments is None else (self._keep, arguments)
        event = self._start(native_events(self._name, queue, depends))
        # On an in-order queue the last launch finishes last, so remembering that one is enough.
        key = self if self._is_in_order else object()
        running[key] = queue, event, keep
        # Forgetting them can wait.
        if len(running) > 1 and next(self._launches) % LAUNCHES_PER_CLEANUP == 0:
            forget_complete()
        return Event(queue, event, keep, self._reports, self._name)

    def _record(self, *, waits: bool) -> hooks.LaunchRecord:
        return hooks.LaunchRecord(self._name, self.groups, self._queue.device.name, waits)

    @property
    def groups(self) -> list[int]:
        """The numbers of groups by dimension."""
        return self._groups.counts

    def __str__(self) -> str:
        return f"{self._groups} groups on {self._queue.device.name}"


class LaunchGroups(NamedTuple):
    """The number of groups of a launch.

    Args:
        ranges: global and local range in work-items.
        extra: what the number of groups adds to the arguments, that of packed groups.
    """

    ranges: Ranges
    extra: Sequence[Part]

    @property
    def counts(self) -> list[int]:
        """The numbers of groups by dimension."""
        counts = [count // size for count, size in zip(*self.ranges, strict=True)]
        for part in self.extra:
            counts[0] = part.value if isinstance(part, ctypes.c_longlong) else counts[0]
        return counts

    def __str__(self) -> str:
        counts = self.counts
        while len(counts) > 1 and counts[-1] == 1:
            counts.pop()
        return "x".join(map(str, counts))


class Prepared(NamedTuple):
    """A launch, and what it was made of.

    Args:
        launch: the launch.
        staging: copies of host arrays.
        queue: queue that it is submitted to.
        kernel: the loaded kernel.
        arguments: arguments in the order of the kernel's ABI.
        ranges: global and local range in work-items.
        groups: number of groups.
    """

    launch: Launch
    staging: Staging | None
    queue: Queue
    kernel: Native
    arguments: Arguments
    ranges: Ranges
    groups: LaunchGroups


def run(
    kernel: KernelHandle,
    given: Sequence[object],
    groups: object,
    queue: object,
    verify: object,
    copy: object,
) -> None:
    """Launch a kernel, wait for it and bring results back to plain host arrays."""
    for name, option in (("verify", verify), ("copy", copy)):
        if not isinstance(option, bool):
            message = f"expected True or False for {name}, got {describe(option)}"
            raise ArgumentError(f"{kernel.info.name}: {message}", argument=name)
    parts = kernel.signature.parts(given, {})
    if not copy:
        refuse_host_arrays(kernel, parts, "copy=False", False)
    prepared = prepare(kernel, parts, groups, queue, waits=True)
    launch, staging = prepared.launch, prepared.staging
    kernel.launch_cache.remember(given, parts, groups, queue, prepared)
    finite = launch.finite_check(views_of(parts)) if verify else None
    start = time.perf_counter()
    try:
        launch.run()
    except CheckError:
        if staging is not None:
            staging.copy_back()
        raise
    run_s = time.perf_counter() - start
    if staging is not None:
        staging.copy_back()
        key = kernel.program.digest, kernel.info.name
        warn_of_slow_copies(key, kernel.info.name, views_of(parts), staging, run_s)
        spare_memory.give_back(prepared.queue, staging.memory)
    error = finite.error() if finite is not None else None
    if error is not None:
        raise error


def submit(
    kernel: KernelHandle,
    given: Sequence[object],
    groups: object,
    queue: object,
    depends: Iterable[object],
) -> Event:
    """Launch a kernel and return its event."""
    parts = kernel.signature.parts(given, {})
    refuse_host_arrays(kernel, parts, "the kernel writes it and submit does not wait", True)
    prepared = prepare(kernel, parts, groups, queue, waits=False)
    kernel.launch_cache.remember(given, parts, groups, queue, prepared)
    return prepared.launch.submit(depends)


def bind(kernel: KernelHandle, parts: list[Part], groups: object, queue: object) -> Launch:
    """Return a launch that can be repeated."""
    refuse_host_arrays(kernel, parts, "later launches use it in place", False)
    return prepare(kernel, parts, groups, queue, waits=False).launch


def build(kernels: Iterable[KernelHandle], queue: object) -> None:
    """Load kernels for a queue; their launches on it, or on one of the same place, find them.

    Raises:
        DeviceError: the device lacks a feature that a kernel needs, or rejects the binary.
    """
    from ..spirv import fatal_builds  # which starts processes

    with fatal_builds.apart():
        for kernel in kernels:
            loaded(kernel, queue_for_views(kernel, (), queue))


def prepare(
    kernel: KernelHandle, parts: list[Part], groups: object, queue: object, *, waits: bool
) -> Prepared:
    """Return a launch, whose arguments have been checked.

    Args:
        kernel: the kernel.
        parts: its arguments.
        groups: number of groups.
        queue: queue or device.
        waits: whether the caller waits for the launch.
    """
    global_range, local_range, extra = kernel.signature.ranges(groups, parts)
    views = list(views_of(parts))
    launch_queue = queue_for_views(kernel, views, queue)
    native = loaded(kernel, launch_queue)
    check_all_reached(kernel, views, launch_queue)
    host_views = [view for view in views if view.memory is None]
    staging = None
    pointers: dict[int, Pointer] = {}  # to host arrays or copies of them, by id of the view
    alignment_bytes = kernel.signature.alignment_bytes
    if launch_queue.uses_host_memory(waits=waits):
        used = in_place(host_views, alignment_bytes)
        pointers = {id(view): Pointer(view.array, view.address, view) for view in used}
        host_views = [view for view in host_views if id(view) not in pointers]
    if host_views:
        try:
            allocate = functools.partial(spare_memory.take, launch_queue)
            staging = Staging(host_views, allocate, alignment_bytes)
        except StagingError as error:
            raise argument_error(kernel, error.view, str(error)) from None
        pointers |= zip(map(id, host_views), staging.pointers, strict=True)
    encoder = Encoder(kernel.info, launch_queue, pointers)
    arguments = [argument for part in parts for argument in encoder.encode(part)]
    reports = ReportBuffer(kernel.info, launch_queue) if kernel.info.checks else None
    if reports is not None:
        arguments.append(reports.pointer)
    arguments += [argument for part in extra for argument in encoder.encode(part)]
    keep = (views, arguments, staging)
    ranges = (global_range, local_range)
    prepared = launch_queue.prepare(native, arguments, ranges)
    counts = LaunchGroups(ranges, extra)
    launch = Launch(kernel.info.name, launch_queue, prepared, keep, counts, reports)
    return Prepared(launch, staging, launch_queue, native, arguments, ranges, counts)
