"""Launches: from checked arguments to a submitted kernel, its event and its results.

dpctl checks next to nothing, so `Signature` has checked what arrives here.
"""

from __future__ import annotations

import atexit
import collections
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, LaunchError
from ..scalars import describe
from .arguments import Part, PointerTable
from .arrays import ArrayView, address_of, usm_memory_of
from .devices import device_kernel, dpctl_names, queue_of
from .memory import allocate
from .staging import Staging

if TYPE_CHECKING:
    from .kernel import Kernel

_USM = "__sycl_usm_array_interface__"


class Event:
    """A launch that may still be running.

    Args:
        sycl_event: the event of dpctl.
        arguments: what must stay alive until the kernel has finished.
    """

    __slots__ = ("__weakref__", "_arguments", "_sycl_event")

    def __init__(self, sycl_event: Any, arguments: Any) -> None:
        self._sycl_event = sycl_event
        self._arguments = arguments

    @property
    def sycl_event(self) -> Any:
        """The event of dpctl."""
        return self._sycl_event

    @property
    def is_complete(self) -> bool:
        """Whether the kernel has finished."""
        return bool(self._sycl_event.execution_status == dpctl_names().complete)

    @property
    def time_ns(self) -> int | None:
        """How long the kernel ran; None if its queue does not measure or it is not over."""
        start, end = self._sycl_event.profiling_info_start, self._sycl_event.profiling_info_end
        return int(end - start) if self.is_complete and end else None

    def wait(self) -> None:
        """Return when the kernel has finished."""
        self._sycl_event.wait()
        self._arguments = None


class Launch:
    """A launch with all that dpctl needs, to be submitted once or many times.

    Args:
        name: name of the kernel.
        queue: dpctl queue.
        kernel: dpctl kernel.
        arguments: arguments as dpctl takes them.
        ranges: global range and local range in work-items, first mode first.
        keep: objects that own the memory of the arguments.
    """

    def __init__(
        self,
        name: str,
        queue: Any,
        kernel: Any,
        arguments: list[Any],
        ranges: tuple[list[int], list[int]],
        keep: Any,
    ) -> None:
        self._name = name
        self._submit = queue.submit_async
        self._is_in_order = queue.is_in_order
        # SYCL counts the modes from the other end.
        self.submit_arguments = (kernel, arguments, ranges[0][::-1], ranges[1][::-1])
        self._keep = (keep, arguments)
        self._launches = itertools.count()
        self._error = dpctl_names().SubmitError

    def run(self) -> None:
        """Launch the kernel and wait until it has finished."""
        self._start(None).wait()

    def submit(self, depends: Iterable[Any]) -> Event:
        """Launch the kernel and return its event at once."""
        keep = self._keep
        event = self._start(_sycl_events(self._name, depends))
        # On an in-order queue the last launch is over last, so remembering that one is enough.
        key = self if self._is_in_order else object()
        _running[key] = event, keep
        # Repeated launches keep the same arguments, so forgetting them can wait.
        if len(_running) > 1 and next(self._launches) % _LAUNCHES_PER_CLEANUP == 0:
            _forget_complete()
        return Event(event, keep)

    def _start(self, depends: list[Any] | None) -> Any:
        try:
            if depends is None:
                return self._submit(*self.submit_arguments)
            return self._submit(*self.submit_arguments, depends)
        except self._error as error:
            raise LaunchError(f"{self._name}: the driver rejected the launch: {error}") from error


# Launches whose memory must stay although the caller may have dropped the event. Threads share
# them: each access is one operation.
_running: collections.OrderedDict[Any, tuple[Any, Any]] = collections.OrderedDict()
_LAUNCHES_PER_CLEANUP = 8


def _forget_complete() -> None:
    """Let go of the arguments of launches that are over, up to one that is not."""
    complete = dpctl_names().complete
    for _ in range(2 * _LAUNCHES_PER_CLEANUP):  # more than are added, so that they do not pile up
        try:
            key, oldest = _running.popitem(last=False)
        except KeyError:
            return
        if oldest[0].execution_status != complete:
            # Its turn comes again; another thread may have launched it again meanwhile.
            _running.setdefault(key, oldest)
            return


@atexit.register
def _wait_for_all() -> None:
    while _running:
        _running.popitem()[1][0].wait()


def _sycl_events(name: str, depends: Any) -> list[Any] | None:
    """Return the events of dpctl that a launch depends on, None if there are none."""
    if isinstance(depends, tuple) and not depends:
        return None
    try:
        given = iter(depends)
    except TypeError:
        message = f"{name}: expected an iterable of events in depends, got {describe(depends)}"
        raise ArgumentError(message, argument="depends") from None
    events = []
    for event in given:
        events.append(event.sycl_event if isinstance(event, Event) else event)
        if not isinstance(events[-1], dpctl_names().Event):
            message = f"{name}: expected an event in depends, got {describe(event)}"
            raise ArgumentError(message, argument="depends")
    return events or None


def run(kernel: Kernel, parts: list[Part], groups: Any, queue: Any) -> None:
    """Launch a kernel, wait for it and bring results back to plain host arrays."""
    launch, staging = _prepare(kernel, parts, groups, queue)
    launch.run()
    if staging is not None:
        staging.copy_back()


def submit(
    kernel: Kernel, parts: list[Part], groups: Any, queue: Any, depends: Iterable[Any]
) -> Event:
    """Launch a kernel and return its event."""
    _refuse_host_arrays(kernel, parts, "the kernel writes it and submit does not wait", True)
    launch, _ = _prepare(kernel, parts, groups, queue)
    return launch.submit(depends)


def bind(kernel: Kernel, parts: list[Part], groups: Any, queue: Any) -> Launch:
    """Return a launch that can be repeated."""
    _refuse_host_arrays(kernel, parts, "later launches use it in place", False)
    return _prepare(kernel, parts, groups, queue)[0]


def _prepare(
    kernel: Kernel, parts: list[Part], groups: Any, queue: Any
) -> tuple[Launch, Staging | None]:
    global_range, local_range, extra = kernel.signature.ranges(groups)
    views = list(_views(parts))
    queue = _queue_for(kernel, views, queue)
    sycl_kernel = device_kernel(kernel, queue)
    _check_contexts(kernel, views, queue)
    host_views = [view for view in views if view.memory is None]
    staging = None
    addresses: dict[int, int] = {}  # of host arrays on the device, by id of the view
    if host_views:
        alignment_bytes = kernel.signature.alignment_bytes
        staging = Staging(host_views, lambda size: _usm_bytes(size, queue), alignment_bytes)
        ids = map(id, host_views)
        addresses = dict(zip(ids, staging.addresses, strict=True))
    encoder = _Encoder(kernel, queue, addresses, staging)
    arguments = [argument for part in (*parts, *extra) for argument in encoder.encode(part)]
    keep = (views, encoder.tables, staging)
    ranges = (global_range, local_range)
    return Launch(kernel.info.name, queue, sycl_kernel, arguments, ranges, keep), staging


def _views(parts: Sequence[Part]) -> Iterator[ArrayView]:
    for part in parts:
        if type(part) is ArrayView:
            yield part
        elif type(part) is PointerTable:
            yield from part.views


def _queue_for(kernel: Kernel, views: Sequence[ArrayView], queue: Any) -> Any:
    """Return the given queue, else the program's, else one that the arrays belong to."""
    if queue is None:
        queue = kernel.program.queue
    if queue is not None:
        return queue_of(queue)
    view = next((view for view in views if view.memory is not None), None)
    if view is None:
        return queue_of(kernel.program.target)
    memory = _usm_memory(kernel, view)
    queue = queue_of(memory.sycl_device)
    return queue if queue.sycl_context == memory.sycl_context else memory.sycl_queue


def _usm_memory(kernel: Kernel, view: ArrayView) -> Any:
    """Return the dpctl memory that a view of USM memory lies in.

    Raises:
        ArgumentError: the object of another library has the protocol, but no such memory.
    """
    dpctl = dpctl_names()
    if isinstance(view.memory, dpctl.Memory):
        return view.memory
    try:
        return dpctl.as_usm_memory(view.memory)
    except Exception as error:  # by dpctl, or by code of the library
        message = f"expected an array in USM memory, got {describe(view.array)}: {error}"
        raise _error(kernel, view, message) from error


def _check_contexts(kernel: Kernel, views: Sequence[ArrayView], queue: Any) -> None:
    """Check that the queue can reach all USM arrays, and wait for their own queues."""
    context = queue.sycl_context
    for view in views:
        memory = view.memory
        if memory is None:
            continue
        if memory is view.array:  # of another library, which may still be using it
            memory = _usm_memory(kernel, view)
            if memory.sycl_queue != queue:
                memory.sycl_queue.wait()
        if memory.sycl_context != context:
            raise _error(
                kernel,
                view,
                f"expected memory in the context of the queue on {queue.sycl_device.name.strip()}, "
                f"got memory in a context on {memory.sycl_device.name.strip()}",
            )


def _refuse_host_arrays(
    kernel: Kernel, parts: Sequence[Part], reason: str, written_only: bool
) -> None:
    for view in _views(parts):
        if view.memory is None and (view.is_written or not written_only):
            message = (
                f"expected an array in USM memory (tinytc_mlir.empty, asarray) because {reason}, "
                "got a plain NumPy array"
            )
            raise _error(kernel, view, message)


def _error(kernel: Kernel, view: ArrayView, message: str) -> ArgumentError:
    name = view.argument.name if view.argument is not None else None
    return ArgumentError(f"{kernel.info.name}: argument {name!r}: {message}", argument=name)


def _usm_bytes(size_bytes: int, queue: Any) -> np.ndarray[Any, Any]:
    return np.ndarray(size_bytes, np.uint8, allocate(size_bytes, queue))


class _Slice:
    """Memory from an address on, described by the USM protocol."""

    def __init__(self, memory: Any, address: int) -> None:
        interface = dict(getattr(memory, _USM))
        start = int(interface["data"][0])
        size_bytes = max(memory.nbytes - (address - start), 1)
        interface.update(data=(address, False), shape=(size_bytes,), strides=None, typestr="|u1")
        interface.pop("offset", None)
        setattr(self, _USM, interface)
        self.memory = memory  # dpctl keeps this object, and so the memory


class _Encoder:
    """Turns parts into what dpctl takes as kernel arguments."""

    def __init__(
        self, kernel: Kernel, queue: Any, addresses: dict[int, int], staging: Staging | None
    ) -> None:
        self._kernel = kernel
        self._queue = queue
        self._addresses = addresses
        self._staging = staging
        self.tables: list[np.ndarray[Any, Any]] = []

    def encode(self, part: Part) -> list[Any]:
        """Return the dpctl arguments of a part."""
        if type(part) is ArrayView:
            return [self._memory(part)]
        if type(part) is PointerTable:
            return self._table(part)
        if type(part) is bytes:
            return [dpctl_names().RawKernelArg(part)]
        return [part]

    def _memory(self, view: ArrayView) -> Any:
        if view.memory is not None and view.memory is view.array:
            return _memory_at(_usm_memory(self._kernel, view), view.address)
        if view.memory is not None:
            return _memory_at(view.memory, view.address)
        assert self._staging is not None
        return _memory_at(self._staging.buffer.base, self._addresses[id(view)])

    def _table(self, table: PointerTable) -> list[Any]:
        """Write pointers and tables of a group into one USM allocation."""
        rows = 1 + len(table.dope)
        block = _usm_bytes(rows * table.size * 8, self._queue).view(np.int64)
        block = block.reshape(rows, table.size)
        block[0] = table.pointers(
            [self._addresses.get(id(view), view.address) for view in table.views]
        )
        for row, values in enumerate(table.dope, 1):
            block[row] = values
        self.tables.append(block)
        memory = usm_memory_of(block)
        return [_memory_at(memory, address_of(block[row])) for row in range(rows)]


def _memory_at(memory: Any, address: int) -> Any:
    """Return the memory object whose pointer is an address inside the memory."""
    if memory._pointer == address:
        return memory
    return dpctl_names().as_usm_memory(_Slice(memory, address))
