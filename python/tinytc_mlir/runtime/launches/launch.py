# SPDX-License-Identifier: BSD-3-Clause
"""Launches: from checked arguments to a submitted kernel, its event and its results.

The libraries that run kernels check almost nothing, so `Signature` has checked everything that
arrives here.
"""

from __future__ import annotations

import atexit
import collections
import contextlib
import ctypes
import functools
import itertools
import time
from collections.abc import Generator, Hashable, Iterable, Iterator, MutableMapping, Sequence
from typing import NamedTuple, Protocol, cast

from ... import switches
from ...errors import ArgumentError, CheckError, DeviceError, LaunchError, describe
from ..arrays import spare_memory
from ..arrays.array_view import ArrayView
from ..arrays.order_warning import warn_of_slow_copies
from ..arrays.overlaps import StagingError
from ..arrays.staging import Staging, in_place
from ..devices import check_device, check_reach, queue_of
from ..loaders import loader_of
from ..manifest import KernelInfo
from ..protocol import (
    Binary,
    KernelArgument,
    Native,
    NativeEvent,
    Pointer,
    PreparedLaunch,
    Queue,
    RangedLaunch,
)
from ..tracing import dumps, hooks, trace
from .arguments import Part, PointerTable, Signature
from .checks import ReportBuffer
from .encoding import Encoder
from .finite import FiniteCheck
from .integers import checked_integer


class ProgramHandle(Binary, Protocol):
    """What a launch needs of a program."""

    @property
    def target(self) -> str:
        """Name of the target that the program was compiled for."""

    @property
    def queue(self) -> object:
        """Queue or device that launches use unless told otherwise, None for the default."""


class LaunchMemory(Protocol):
    """What remembers how launches of a kernel look; `LaunchCache` does."""

    def remember(
        self,
        values: Sequence[object],
        parts: Sequence[Part],
        groups: object,
        queue: object,
        prepared: Prepared,
    ) -> None:
        """Remember a launch, without keeping the arrays alive."""


class KernelHandle(Protocol):
    """What a launch needs of a kernel."""

    @property
    def program(self) -> ProgramHandle:
        """The program that the kernel belongs to."""

    @property
    def info(self) -> KernelInfo:
        """Description of the kernel."""

    @property
    def signature(self) -> Signature:
        """The parameters, ready to check launches."""

    @property
    def launch_cache(self) -> LaunchMemory:
        """How the last launches looked."""

    @property
    def loaded(self) -> MutableMapping[Hashable, Native]:
        """Loaded kernels by the place of queues; launches fill it."""


class Event:
    """A launch that may still be running.

    Args:
        queue: queue of the launch.
        native: event in the library of the queue.
        arguments: what must stay alive until the kernel has finished.
        reports: where a debug build reports what is undefined.
        name: name of the kernel.
    """

    __slots__ = ("__weakref__", "_arguments", "_error", "_name", "_native", "_queue", "_reports")

    def __init__(
        self,
        queue: Queue,
        native: NativeEvent,
        arguments: object,
        reports: ReportBuffer | None = None,
        name: str = "a kernel",
    ) -> None:
        self._name = name
        self._queue = queue
        self._native = native
        self._arguments = arguments
        self._reports = reports
        self._error: CheckError | None = None

    @property
    def native(self) -> NativeEvent:
        """The event in the library that runs the kernel."""
        return self._native

    @property
    def sycl_event(self) -> NativeEvent:
        """An older name of `native`."""
        return self._native

    @property
    def is_complete(self) -> bool:
        """Whether the kernel has finished."""
        return self._queue.is_complete(self._native)

    @property
    def time_ns(self) -> int | None:
        """Time that the kernel ran; None if it is not over.

        Queues measure it only if they are made so, because that costs a microsecond for each
        launch: `dpctl.SyclQueue(device, property=["in_order", "enable_profiling"])`.

        Raises:
            LaunchError: the queue does not measure times; the message says how to get one that
                does. `tinytc_mlir.do_bench` times launches on any queue.
        """
        try:
            return self._queue.time_ns(self._native)
        except ValueError as error:
            message = f"{self._name}: {error}; tinytc_mlir.do_bench times launches on any queue"
            raise LaunchError(message) from None

    def __await__(self) -> Generator[object, None, None]:
        """Wait in another thread, so that other tasks of the event loop go on.

        Raises:
            CheckError: the kernel is a debug build and did what the language leaves undefined.
        """
        import asyncio  # 15 ms, and who awaits has imported it

        yield from asyncio.get_running_loop().run_in_executor(None, self.wait).__await__()

    def __repr__(self) -> str:
        state = "is running"
        if self.is_complete:
            state = "has finished"
            with contextlib.suppress(ValueError):
                state += f" after {(self._queue.time_ns(self._native) or 0) / 1e3:.1f} us"
        return f"<Event: {self._name} {state} on {self._queue.device.name}>"

    def keep(self, *objects: object) -> None:
        """Keep objects alive until the kernel has finished, or until nobody has the event."""
        self._arguments = (self._arguments, objects)

    def wait(self) -> None:
        """Return when the kernel has finished.

        Raises:
            CheckError: the kernel is a debug build and did what the language leaves undefined.
        """
        self._native.wait()
        self._arguments = None
        if self._reports is not None:
            self._error = self._reports.error() or self._error
        if self._error is not None:
            raise self._error


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
        """What the library's own call for a launch takes."""
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
        event = self._start(_native_events(self._name, queue, depends))
        # On an in-order queue the last launch finishes last, so remembering that one is enough.
        key = self if self._is_in_order else object()
        _running[key] = queue, event, keep
        # Forgetting them can wait.
        if len(_running) > 1 and next(self._launches) % LAUNCHES_PER_CLEANUP == 0:
            _forget_complete()
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

    ranges: tuple[Sequence[int], Sequence[int]]
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
    arguments: Sequence[KernelArgument]
    ranges: tuple[Sequence[int], Sequence[int]]
    groups: LaunchGroups


# Launches whose memory must stay alive even if the caller has dropped the event. Threads share
# them: each access is one operation.
_running: collections.OrderedDict[object, tuple[Queue, NativeEvent, object]] = (
    collections.OrderedDict()
)
LAUNCHES_PER_CLEANUP = 8


def _forget_complete() -> None:
    """Release the arguments of finished launches, up to the first that is not."""
    for _ in range(2 * LAUNCHES_PER_CLEANUP):  # more than come, so that they do not pile up
        try:
            key, oldest = _running.popitem(last=False)
        except KeyError:
            return
        queue, event, _ = oldest
        if not queue.is_complete(event):
            # Its turn comes again; meanwhile another thread may have launched it again.
            _running.setdefault(key, oldest)
            return


@atexit.register
def _wait_for_all() -> None:
    while _running:
        _running.popitem()[1][1].wait()


def _native_events(name: str, queue: Queue, depends: object) -> list[Native] | None:
    """Return the native events that a launch depends on, None if there are none."""
    if isinstance(depends, tuple) and not depends:
        return None
    try:
        given = iter(cast("Iterable[object]", depends))
    except TypeError:
        message = f"{name}: expected an iterable of events in depends, got {describe(depends)}"
        raise ArgumentError(message, argument="depends") from None
    events: list[Native] = []
    for event in given:
        events.append(event.native if isinstance(event, Event) else event)
        if not queue.is_event(events[-1]):
            message = f"{name}: expected an event in depends, got {describe(event)}"
            raise ArgumentError(message, argument="depends")
    return events or None


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
        _refuse_host_arrays(kernel, parts, "copy=False", False)
    prepared = _prepare(kernel, parts, groups, queue)
    launch, staging = prepared.launch, prepared.staging
    kernel.launch_cache.remember(given, parts, groups, queue, prepared)
    finite = launch.finite_check(_views(parts)) if verify else None
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
        warn_of_slow_copies(key, kernel.info.name, _views(parts), staging, run_s)
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
    _refuse_host_arrays(kernel, parts, "the kernel writes it and submit does not wait", True)
    prepared = _prepare(kernel, parts, groups, queue)
    kernel.launch_cache.remember(given, parts, groups, queue, prepared)
    return prepared.launch.submit(depends)


def bind(kernel: KernelHandle, parts: list[Part], groups: object, queue: object) -> Launch:
    """Return a launch that can be repeated."""
    _refuse_host_arrays(kernel, parts, "later launches use it in place", False)
    return _prepare(kernel, parts, groups, queue).launch


def build(kernels: Iterable[KernelHandle], queue: object) -> None:
    """Load kernels for a queue; their launches on it, or on one of the same place, find them.

    Raises:
        DeviceError: the device lacks a feature that a kernel needs, or rejects the binary.
    """
    from ..spirv import fatal_builds  # which starts processes

    with fatal_builds.apart():
        for kernel in kernels:
            _loaded(kernel, _queue_for(kernel, (), queue))


def _prepare(kernel: KernelHandle, parts: list[Part], groups: object, queue: object) -> Prepared:
    global_range, local_range, extra = kernel.signature.ranges(groups, parts)
    views = list(_views(parts))
    launch_queue = _queue_for(kernel, views, queue)
    loaded = _loaded(kernel, launch_queue)
    _check_reach(kernel, views, launch_queue)
    host_views = [view for view in views if view.memory is None]
    staging = None
    pointers: dict[int, Pointer] = {}  # to host arrays or copies of them, by id of the view
    alignment_bytes = kernel.signature.alignment_bytes
    if launch_queue.uses_host_memory:
        used = in_place(host_views, alignment_bytes)
        pointers = {id(view): Pointer(view.array, view.address, view) for view in used}
        host_views = [view for view in host_views if id(view) not in pointers]
    if host_views:
        try:
            allocate = functools.partial(spare_memory.take, launch_queue)
            staging = Staging(host_views, allocate, alignment_bytes)
        except StagingError as error:
            raise _error(kernel, error.view, str(error)) from None
        pointers |= zip(map(id, host_views), staging.pointers, strict=True)
    encoder = Encoder(kernel.info, launch_queue, pointers)
    arguments = [argument for part in parts for argument in encoder.encode(part)]
    reports = ReportBuffer(kernel.info, launch_queue) if kernel.info.checks else None
    if reports is not None:
        arguments.append(reports.pointer)
    arguments += [argument for part in extra for argument in encoder.encode(part)]
    keep = (views, arguments, staging)
    ranges = (global_range, local_range)
    prepared = launch_queue.prepare(loaded, arguments, ranges)
    counts = LaunchGroups(ranges, extra)
    launch = Launch(kernel.info.name, launch_queue, prepared, keep, counts, reports)
    return Prepared(launch, staging, launch_queue, loaded, arguments, ranges, counts)


def _loaded(kernel: KernelHandle, queue: Queue) -> Native:
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
                f"queue or the arrays are, got one for {kernel.program.target}"
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


def _views(parts: Sequence[Part]) -> Iterator[ArrayView]:
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
    return _queue_for(kernel, list(_views(parts)), queue)


def _queue_for(kernel: KernelHandle, views: Sequence[ArrayView], queue: object) -> Queue:
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
                raise _error(kernel, view, str(error)) from error
    return queue_of(kernel.program.target)


def _check_reach(kernel: KernelHandle, views: Sequence[ArrayView], queue: Queue) -> None:
    """Check that the queue can reach all arrays that are used in place."""
    for view in views:
        if view.memory is None:
            continue
        try:
            check_reach(queue, view)
        except ValueError as error:
            raise _error(kernel, view, str(error)) from error


def _refuse_host_arrays(
    kernel: KernelHandle, parts: Sequence[Part], reason: str, written_only: bool
) -> None:
    for view in _views(parts):
        if view.memory is None and (view.is_written or not written_only):
            message = (
                f"expected an array in USM memory (tinytc_mlir.empty, asarray) because {reason}, "
                "got a plain NumPy array"
            )
            raise _error(kernel, view, message)


def _error(kernel: KernelHandle, view: ArrayView, message: str) -> ArgumentError:
    name = view.argument.name if view.argument is not None else None
    return ArgumentError(f"{kernel.info.name}: argument {name!r}: {message}", argument=name)
