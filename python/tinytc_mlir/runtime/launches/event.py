# SPDX-License-Identifier: BSD-3-Clause
"""Events: launches that may still be running, and the memory that they need until then."""

from __future__ import annotations

import atexit
import collections
import contextlib
from collections.abc import Generator, Iterable
from typing import cast

from ...errors import ArgumentError, CheckError, LaunchError, describe
from ..protocol import Native, NativeEvent, Queue
from .checks import ReportBuffer


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


# Launches whose memory must stay alive even if the caller has dropped the event. Threads share
# them: each access is one operation.
running: collections.OrderedDict[object, tuple[Queue, NativeEvent, object]] = (
    collections.OrderedDict()
)
LAUNCHES_PER_CLEANUP = 8


def forget_complete() -> None:
    """Release the arguments of finished launches, up to the first that is not."""
    for _ in range(2 * LAUNCHES_PER_CLEANUP):  # more than come, so that they do not pile up
        try:
            key, oldest = running.popitem(last=False)
        except KeyError:
            return
        queue, event, _ = oldest
        if not queue.is_complete(event):
            # Its turn comes again; meanwhile another thread may have launched it again.
            running.setdefault(key, oldest)
            return


@atexit.register
def wait_for_all() -> None:
    """Return when the launches whose memory this keeps have finished."""
    while running:
        running.popitem()[1][1].wait()


def native_events(name: str, queue: Queue, depends: object) -> list[Native] | None:
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
