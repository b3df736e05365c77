# SPDX-License-Identifier: BSD-3-Clause
"""The protocol of implementations of the runtime; `sycl` is one, in one file.

A `Loader` is the front of an implementation: it finds devices, recognises the arrays, devices and
queues of its library, and loads programs. All else in this package speaks of devices, queues and
memory in these terms only. `loaders` knows which implementations there are.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from .arrays.array_view import Array, ArrayView, Dtype
from .launches.packing import PackedScalar
from .manifest import Manifest

# An object of the library that an implementation is made for: a device, queue, event or kernel.
Native: TypeAlias = object


class Pointer(NamedTuple):
    """A kernel argument that points into memory.

    Args:
        owner: the native memory that the pointer points into.
        address: where it points to on the device.
        view: the array that begins there, None if that is none of the caller's.
        members_bits: of a table of pointers to members of a group, all bits that are set in the
            address of any member; None if that is not known.
        members: of such a table, the arrays that its pointers point into, if their bits are known.
    """

    owner: Native
    address: int
    view: ArrayView | None = None
    members_bits: int | None = None
    members: tuple[Pointer, ...] = ()


KernelArgument: TypeAlias = PackedScalar | Pointer
Arguments: TypeAlias = Sequence[KernelArgument]  # in the order of the kernel's ABI
# The global range and the local range in work-items, first mode first.
Ranges: TypeAlias = tuple[Sequence[int], Sequence[int]]
# Returns a pointer to an array, None if it does not look like a known one.
PointerOf: TypeAlias = Callable[[object], Pointer | None]


class Limits(NamedTuple):
    """Limits and features of a device for kernels.

    Args:
        features: the requirements of manifests that it meets, e.g. "f64".
        subgroup_sizes: sizes that a subgroup may have.
        work_group_size: largest number of work-items of a work-group.
        local_memory_bytes: local memory of a work-group.
        kept_bytes: more memory of a work-group, for what the compiler keeps. Manifests count it as
            local memory.
    """

    features: frozenset[str]
    subgroup_sizes: tuple[int, ...]
    work_group_size: int
    local_memory_bytes: int
    kept_bytes: int = 0


class Device(Protocol):
    """A device that kernels can run on."""

    @property
    def name(self) -> str:
        """Name of the product."""

    @property
    def target(self) -> str | None:
        """Name of the compiler's target for this device, None if there is none."""

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the targets whose programs it runs, `target` first."""

    @property
    def is_cpu(self) -> bool:
        """Whether it is the host's processor, which is the last choice if none is given."""

    @property
    def driver(self) -> str:
        """Name of the driver's interface, e.g. "opencl"."""

    @property
    def driver_version(self) -> str:
        """Version of the driver."""

    @property
    def limits(self) -> Limits:
        """Its limits and features for kernels."""

    @property
    def native(self) -> Native:
        """The device in its library."""


def shown_device(device: Device) -> str:
    """Return how devices of all implementations are printed."""
    driver = "" if device.driver == "none" else f", {device.driver} {device.driver_version}"
    return f"<Device for {device.target or 'no target'}: {device.name}{driver}>"


class Binary(Protocol):
    """A program as the compiler made it."""

    @property
    def code(self) -> bytes:
        """The code, in the format of the manifest."""

    @property
    def manifest(self) -> Manifest:
        """The target and the kernels' descriptions."""

    @property
    def digest(self) -> str:
        """Key of the binary; what is built from equal binaries can be shared."""


class Memory(Protocol):
    """Memory that was allocated for kernels."""

    @property
    def native(self) -> Native:
        """The memory in its library, the owner of pointers into it."""

    @property
    def address(self) -> int:
        """Where it begins on the device."""

    @property
    def host(self) -> npt.NDArray[np.uint8]:
        """Its bytes as the host reads and writes them, in place or as a copy."""

    def array(self, shape: Sequence[int], dtype: Dtype, order: Literal["C", "F"]) -> Array:
        """Return an array over the whole memory that the host and kernels use in place.

        Args:
            shape: size of every mode.
            dtype: dtype of the elements.
            order: "F" for column-major or "C" for row-major.
        """

    def upload(self) -> None:
        """Bring what the host wrote through `host` to the device before later launches begin."""

    def download(self) -> None:
        """Bring what launches wrote to `host`; those must be over."""


class PreparedLaunch(Protocol):
    """A launch that can be started once or many times."""

    @property
    def native_arguments(self) -> tuple[Native, ...]:
        """The arguments of the library's own call for a launch."""

    def start(self, depends: list[Native] | None) -> NativeEvent:
        """Start the kernel and return its event.

        Args:
            depends: native events that must be over before.

        Raises:
            LaunchError: the driver refuses the launch.
        """


class RangedLaunch(PreparedLaunch, Protocol):
    """A launch of which parts can be run by threads of the caller."""

    @property
    def work_groups(self) -> int:
        """Number of work-groups of the launch."""

    def run_range(self, first: int, last: int) -> None:
        """Run work-groups `first` to `last - 1` on the calling thread, and return."""


class NativeEvent(Protocol):
    """An event of the library."""

    def wait(self) -> object:
        """Return when it is over."""


class Queue(Protocol):
    """A place where launches are started."""

    @property
    def loader(self) -> Loader:
        """The implementation that the queue belongs to."""

    @property
    def device(self) -> Device:
        """The device that runs them."""

    @property
    def native(self) -> Native:
        """The queue in its library."""

    @property
    def is_in_order(self) -> bool:
        """Whether each launch waits for those before it."""

    def uses_host_memory(self, *, waits: bool) -> bool:
        """Whether kernels use the memory of the process in place.

        Args:
            waits: whether the caller waits for the kernel, so that arrays do not change before.
        """

    @property
    def place(self) -> Hashable:
        """Equal for queues that can share loaded kernels."""

    def allocate(self, size_bytes: int) -> Memory:
        """Return new memory of undefined contents, of at least one byte.

        Args:
            size_bytes: bytes that are needed, any natural number.

        Raises:
            DeviceError: there is not enough of it.
        """

    def reach(self, view: ArrayView) -> None:
        """See to it that launches can use an array of this implementation in place.

        Raises:
            ValueError: `expected ..., got ...`, the queue cannot reach the memory.
        """

    def origin(self, memory: Native) -> Native:
        """Return a key of the memory: launches that can use it can use all memory with this key.

        That is so for launches on this queue. None if the memory has no such key.

        Args:
            memory: what a NumPy array lies in.
        """

    def prepare(self, kernel: Native, arguments: Arguments, ranges: Ranges) -> PreparedLaunch:
        """Return a launch.

        Args:
            kernel: what the loader's `load` returned.
            arguments: arguments of the kernel.
            ranges: numbers of work-items; with a global range of 0, the launch runs nothing.
        """

    def is_event(self, event: object) -> bool:
        """Whether an object is a native event that launches on this queue can depend on."""

    def is_complete(self, event: NativeEvent) -> bool:
        """Whether the launch of a native event of this implementation is over."""

    def time_ns(self, event: NativeEvent) -> int | None:
        """Return the time that the launch took; None if it is not over.

        Raises:
            ValueError: `expected ..., got ...`, the queue does not measure times; it says which
                does.
        """

    def wait(self) -> None:
        """Return when all launches are over."""


class DeviceQueue(Queue, Protocol):
    """A queue whose launches use arrays that are none of NumPy's."""

    def pointers_like(self, array: object, view: ArrayView, divisor: int) -> PointerOf | None:
        """Return what points to arrays like one, and sees to it that launches can use them.

        Args:
            array: the array; the result is None if it is not known what it looks like.
            view: what it became.
            divisor: addresses must leave the same remainder.
        """


class Loader(Protocol):
    """The front of an implementation."""

    def recognises(self, array: object) -> bool:
        """Whether an object is an array or memory that `view` and `queue_of_memory` take."""

    @property
    def targets(self) -> tuple[str, ...]:
        """Names of the targets that its devices can have."""

    @property
    def is_asked_last(self) -> bool:
        """Whether its devices are chosen only if they are named or no other has any."""

    @property
    def handles(self) -> str:
        """The name, with an article, of what `device` and `queue` take, for messages."""

    @property
    def formats(self) -> tuple[str, ...]:
        """Formats of the code that it takes, as manifests name them."""

    def check(self, program: Binary, name: str) -> None:
        """Check as far as possible without a device that the code is whole.

        Args:
            program: a program in one of the formats.
            name: what errors call it.

        Raises:
            TinyTCError: the program is damaged.
        """

    def advice(self) -> str:
        """Return what a user can do if a device is missing, an empty text if nothing is known."""

    def devices(self) -> list[Device]:
        """Return the devices that programs can be loaded on.

        Raises:
            DeviceError: the library is missing or does not work.
        """

    def device(self, handle: object) -> Device | None:
        """Return the device that an object of the library, or of this implementation, names.

        Args:
            handle: a device or queue; the result for any other object is None.
        """

    def queue(self, handle: object) -> Queue | None:
        """Return the queue that an object of the library, or of this implementation, names.

        Args:
            handle: a queue, or a device, which has one in-order queue for this; the result for
                any other object is None.
        """

    def queue_of_memory(self, memory: Native) -> Queue:
        """Return a queue that reaches memory with the protocol of the library.

        Raises:
            ValueError: `expected ..., got ...`, the object breaks the protocol.
        """

    def view(self, array: object) -> ArrayView:
        """Return what an array with the protocol of the library looks like to a kernel.

        Raises:
            ValueError: `expected ..., got ...`, the object breaks the protocol.
        """

    def host_copy(self, view: ArrayView) -> Array:
        """Return a copy of the elements of an array with the protocol of the library.

        Args:
            view: what `view` returned, perhaps with fewer modes; no launch writes it now.
        """

    def load(self, program: Binary, name: str, queue: Queue) -> Native:
        """Return a kernel, loaded for a queue of this implementation.

        Raises:
            DeviceError: the driver refuses the program.
            TinyTCError: the program is damaged.
        """
