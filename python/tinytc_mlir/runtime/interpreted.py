# SPDX-License-Identifier: BSD-3-Clause
"""The runtime with TINYTC_INTERPRET=1: launches run in the reference interpreter, on the host.

It stands in for all other implementations: queues and devices of theirs are taken for this one, and
arrays in their memory are used where the host can reach them. The compiler leaves here how the
kernels of a program are interpreted, as only it knows their source.
"""

from __future__ import annotations

import dataclasses
import time
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from .. import switches
from ..errors import DeviceError, describe
from .arrays.array_view import ArrayView
from .host_runtime import HostDevice, HostLaunchEvent, HostLoader, HostMemory, HostQueue
from .protocol import (
    Arguments,
    Binary,
    Device,
    Limits,
    Loader,
    Native,
    NativeEvent,
    Pointer,
    PreparedLaunch,
    Queue,
    Ranges,
)

if TYPE_CHECKING:
    from .bounds.launch_values import Counts

# Runs a kernel of a program: its name, the arguments of its ABI, and the number of groups.
Run: TypeAlias = "Callable[[str, Arguments, Counts], None]"

_CPU = "cpu"
_ALIGNMENT_BYTES = 64
_UNDEFINED = 0xCC  # what memory holds at first, so that reading it shows
_LARGE = 2**31
_FEATURES = frozenset({"f16", "f64", "i64_atomics"})
_LIMITS = Limits(_FEATURES, (1, 2, 4, 8, 16, 32, 64, 128), _LARGE, _LARGE)
# How programs are interpreted, and how many live ones have the same code, by digest.
_sources: dict[str, tuple[Run, int]] = {}


def remember(program: Binary, run: Run) -> None:
    """Note how the kernels of a program are interpreted, as long as one of them lives."""
    digest = program.digest
    _, count = _sources.get(digest, (run, 0))
    _sources[digest] = run, count + 1
    weakref.finalize(program, _forget, digest).atexit = False


def _forget(digest: str) -> None:
    run, count = _sources.pop(digest)
    if count > 1:
        _sources[digest] = run, count - 1


class HostBytes(bytearray):
    """Memory that kernels are interpreted on, known by the name of its only attribute."""

    __tinytc_interpreted_array_interface__ = None


@dataclasses.dataclass(frozen=True, repr=False)
class InterpretedDevice(HostDevice):
    """The interpreter in place of a device for a target."""

    target: str
    name: str = "reference interpreter"
    is_cpu: bool = True
    driver: str = "NumPy"
    driver_version: str = np.__version__
    limits: Limits = _LIMITS

    @property
    def runs(self) -> tuple[str, ...]:
        """Its target."""
        return (self.target,)


class InterpretedMemory(HostMemory):
    """Bytes of the host; what they are at first shows where they are read then."""

    def __init__(self, size_bytes: int) -> None:
        super().__init__(size_bytes, _ALIGNMENT_BYTES, HostBytes)
        self.host[:] = _UNDEFINED


class InterpretedKernel(NamedTuple):
    """A kernel of a program.

    Args:
        name: name of the kernel.
        run: interprets the kernels of the program.
        is_packed: whether its last argument is the number of groups.
    """

    name: str
    run: Run
    is_packed: bool


class InterpretedLaunch:
    """A launch, which is run where it is started."""

    def __init__(self, kernel: InterpretedKernel, arguments: Arguments, ranges: Ranges) -> None:
        self.native_arguments: tuple[Native, ...] = (kernel, *arguments)
        x, y, z = (total // size for total, size in zip(*ranges, strict=True))
        if kernel.is_packed:
            last = arguments[-1]
            assert not isinstance(last, (Pointer, bytes))
            x = int(last.value)
        self._kernel, self._arguments, self._counts = kernel, arguments, (x, y, z)

    def start(self, depends: list[Any] | None) -> NativeEvent:
        """Interpret the kernel."""
        for event in depends or ():
            event.wait()
        begin = time.perf_counter_ns()
        self._kernel.run(self._kernel.name, self._arguments, self._counts)
        return HostLaunchEvent(time.perf_counter_ns() - begin)


class InterpretedQueue(HostQueue):
    """A queue of the interpreter.

    Args:
        loader: the front of the implementation.
        device: the device.
        replaced: the queue of another implementation whose place it takes.
    """

    def __init__(
        self, loader: Interpreter, device: InterpretedDevice, replaced: Queue | None = None
    ) -> None:
        self.loader: Loader = loader
        self.device: Device = device
        self.place = ("interpreter", device.target)
        self._interpreter, self._replaced = loader, replaced

    def allocate(self, size_bytes: int) -> InterpretedMemory:
        """Return memory of the host."""
        return InterpretedMemory(size_bytes)

    def reach(self, view: ArrayView) -> None:
        """Check that the host can use memory, and wait for those who may still write it."""
        memory: Any = view.memory
        if isinstance(memory, HostBytes):
            return
        try:
            memoryview(memory)
        except TypeError:
            raise ValueError(
                "expected memory that the host uses in place, such as that of tinytc_mlir.empty, "
                f"for the interpreter, got {describe(memory)}"
            ) from None
        for loader in self._interpreter.others:
            if loader.recognises(memory):
                loader.queue_of_memory(memory).wait()

    def origin(self, memory: Native) -> Native:
        """Return None: each memory is looked at."""
        return None

    def prepare(self, kernel: Native, arguments: Arguments, ranges: Ranges) -> PreparedLaunch:
        """Return a launch."""
        assert isinstance(kernel, InterpretedKernel)
        return InterpretedLaunch(kernel, arguments, ranges)

    def is_event(self, event: object) -> bool:
        """Whether it is an event of the interpreter, or of the queue in whose place this is."""
        if super().is_event(event):
            return True
        return self._replaced is not None and self._replaced.is_event(event)


class Interpreter(HostLoader):
    """The front of this implementation.

    Args:
        others: the implementations in whose place it is.
    """

    is_asked_last = False

    arrays = "a NumPy or USM array"

    def __init__(self, others: Sequence[Loader]) -> None:
        self.others = others

    @property
    def targets(self) -> tuple[str, ...]:
        """Names of all targets, that of CPUs first."""
        names = (name for loader in self.others for name in loader.targets)
        return tuple(dict.fromkeys([_CPU, *names]))

    @property
    def handles(self) -> str:
        """Names of devices and queues of the other implementations in messages."""
        return ", ".join(loader.handles for loader in self.others)

    @property
    def formats(self) -> tuple[str, ...]:
        """No format: it is the source that is interpreted."""
        return ()

    def recognises(self, array: object) -> bool:
        """Whether it is memory of the interpreter."""
        return isinstance(array, HostBytes)

    def check(self, program: Binary, name: str) -> None:
        """Do nothing: the code is not used."""

    def devices(self) -> list[Device]:
        """Return a device for each target."""
        return [InterpretedDevice(name) for name in self.targets]

    def queue(self, handle: object) -> Queue | None:
        """Return the queue in place of one that an object of another library names."""
        if isinstance(handle, InterpretedQueue):
            return handle
        if isinstance(handle, InterpretedDevice):
            return InterpretedQueue(self, handle)
        for loader in self.others:
            replaced = loader.queue(handle)
            if replaced is not None:
                device = InterpretedDevice(replaced.device.target or _CPU)
                return InterpretedQueue(self, device, replaced)
        return None

    def queue_of_memory(self, memory: Native) -> Queue:
        """Return the queue for CPUs."""
        return InterpretedQueue(self, InterpretedDevice(_CPU))

    def load(self, program: Binary, name: str, queue: Queue) -> Native:
        """Return a kernel to interpret."""
        source = _sources.get(program.digest)
        if source is None:
            raise DeviceError(
                f"{name}: expected a program of the language for the interpreter, compiled in "
                f"this process while {switches.INTERPRET.name} was set, got one without its source"
            )
        info = program.manifest.kernel(name)
        return InterpretedKernel(name, source[0], info.groups_per_work_group > 1)
