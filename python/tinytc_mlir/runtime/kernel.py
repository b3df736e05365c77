# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of compiled programs and how to launch them.

Nothing here needs MLIR; a device is touched when a kernel is launched.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NoReturn

from .kernel_info import KernelInfo
from .launches import launch
from .launches.arguments import Groups, Signature
from .launches.buffers import buffers_of
from .launches.event import Event
from .launches.handles import ProgramHandle
from .launches.launch import Launch
from .launches.launch_cache import LaunchCache
from .launches.launch_signature import LaunchSignature
from .launches.queues import queue_for
from .protocol import Native


class Kernel:
    """A kernel of a program, ready to be launched.

    Arrays may be NumPy arrays, arrays of `tinytc_mlir.empty` and `tinytc_mlir.asarray`, any object
    with `__sycl_usm_array_interface__`, such as dpnp's arrays, and any object of the host's memory
    with DLPack, `__array_interface__` or the buffer protocol. What is in USM memory is used in
    place, so its strides must be those of the parameter; the others are copied to the device and
    back, from any order to that of the parameter.

    Arguments are given by position, as keywords, or in a mapping after those by position. The
    keywords `groups`, `queue`, `verify`, `copy` and `depends` say how to launch, so parameters of
    these names are given by position or in a mapping.

    A launch allocates the buffers that derivatives have, if they are not given or None.

    No more groups than fit the arrays are launched, as far as the compiler can tell what groups
    access.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> text = '''func @add(%a: f32, %X: memref<f32x4>, %Y: memref<f32x4>) {
    ...   %one = constant 1.0 : f32
    ...   axpby.n %a, %X, %one, %Y
    ... }'''
    >>> add = tt.Context().parse(text).compile("cpu")["add"]
    >>> x, y = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
    >>> add(10, x, Y=y, groups=1)
    >>> y
    array([ 1., 11., 21., 31.], dtype=float32)
    >>> add({"a": 1, "X": x, "Y": y}, groups=1)
    >>> y
    array([ 1., 12., 23., 34.], dtype=float32)
    >>> text = '''func @double(%X: memref<f32x4x?>) {
    ...   %g = group_id : index
    ...   %x = subview %X[:,%g] : memref<f32x4>
    ...   %one = constant 1.0 : f32
    ...   axpby.n %one, %x, %one, %x
    ... }'''
    >>> double = tt.Context().parse(text).compile("cpu")["double"]
    >>> batch = np.ones((4, 10), np.float32, order="F")
    >>> double(batch, groups=11)  # doctest: +NORMALIZE_WHITESPACE
    Traceback (most recent call last):
        ...
    tinytc_mlir.errors.ArgumentError: double: expected at most 10 groups (mode 1 of 'X' has
    10 elements), got 11
    >>> double(batch)  # 10 groups
    >>> batch[0]
    array([2., 2., 2., 2., 2., 2., 2., 2., 2., 2.], dtype=float32)
    """

    __signature__ = LaunchSignature()

    def __init__(self, program: ProgramHandle, info: KernelInfo) -> None:
        self.program = program
        self.info = info
        self.signature = Signature(info)
        self.buffers = buffers_of(info)
        self.launch_cache = LaunchCache(info, self.signature.overlap_check)
        self.loaded: dict[Hashable, Native] = {}  # by the place of queues

    def __call__(
        self,
        /,
        *values: object,
        groups: Groups = None,
        queue: object = None,
        verify: bool = False,
        copy: bool = True,
        **named: object,
    ) -> None:
        """Launch the kernel and wait until it has finished.

        Args:
            values: arguments by position; the last may be a mapping with arguments by name. None is
                no array, for parameters that the kernel asks about with `associated`.
            groups: number of groups, an integer or up to three of them; without it, the number
                that fits the arrays, and one if the kernel asks for none.
            queue: dpctl queue or device to launch on.
            verify: check that the arrays that the kernel writes hold finite numbers after it; the
                error also says which arrays had NaN or infinity before.
            copy: whether arrays of the host may be copied to the device and back; if not, all
                arrays must be in memory that kernels use in place.
            named: arguments by name.

        Raises:
            ArgumentError: an argument does not fit its parameter, or the number of groups is
                wrong; nothing was launched.
            CheckError: the kernel is a debug build and did what the language leaves undefined, or
                an array is not finite and `verify` is true.
            LaunchError: the driver refuses the launch.
            DeviceError: the device lacks a feature that the kernel needs.

        Copying arrays of another order can take longer than the kernel: `ArrayOrderWarning`.
        """
        given = self._given(values, named, groups, queue)
        known = None
        if verify is False:
            known = self.launch_cache.find(given, groups, queue, takes_plain=copy is True)
        if known is not None:
            known.run()
            return
        launch.run(self, given, groups, queue, verify, copy)

    def submit(
        self,
        /,
        *values: object,
        groups: Groups = None,
        queue: object = None,
        depends: Iterable[object] = (),
        **named: object,
    ) -> Event:
        """Launch the kernel and return at once.

        An array that the kernel writes must be in memory that kernels use in place, that is USM
        memory, or `queue="native"` for native code, as nothing could be copied back.

        Args:
            values: arguments by position; the last may be a mapping with arguments by name.
            groups: number of groups, an integer or up to three of them; without it, the number
                that fits the arrays, and one if the kernel asks for none.
            queue: dpctl queue or device to launch on.
            depends: events, ours or dpctl's, that must be over before the kernel starts.
            named: arguments by name.

        Returns:
            The event of the launch; it keeps the arguments alive.

        Raises:
            ArgumentError: an argument does not fit its parameter, or the number of groups is
                wrong; nothing was launched.
            LaunchError: the driver refuses the launch.
            DeviceError: the device lacks a feature that the kernel needs.
        """
        given = self._given(values, named, groups, queue)
        known = self.launch_cache.find(given, groups, queue, takes_plain=False)
        if known is not None:
            return known.submit(depends, given)
        return launch.submit(self, given, groups, queue, depends)

    def bind(
        self, /, *values: object, groups: Groups = None, queue: object = None, **named: object
    ) -> BoundKernel:
        """Return the kernel with its arguments checked, to launch it many times at little cost.

        All arrays must be in memory that kernels use in place, that is USM memory, or
        `queue="native"` for native code: each launch reads and writes their current contents.

        Args:
            values: arguments by position; the last may be a mapping with arguments by name.
            groups: number of groups, an integer or up to three of them; without it, the number
                that fits the arrays, and one if the kernel asks for none.
            queue: dpctl queue or device to launch on.
            named: arguments by name.

        Raises:
            ArgumentError: an argument does not fit its parameter, or the number of groups is
                wrong.
            DeviceError: the device lacks a feature that the kernel needs.
        """
        parts = self.signature.parts(self._given(values, named, groups, queue), {})
        return BoundKernel(self.info, launch.bind(self, parts, groups, queue))

    def _given(
        self,
        values: Sequence[object],
        named: Mapping[str, object],
        groups: Groups,
        queue: object,
    ) -> Sequence[object]:
        """Return the arguments in the order of the parameters, with new buffers."""
        given = self.signature.positional(values, named)
        if self.buffers is None:
            return given
        return self.buffers.filled(given, groups, lambda parts: queue_for(self, parts, queue))

    @property
    def name(self) -> str:
        """The name of its function in the program."""
        return self.info.name

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return self.program.reduced_kernel(self.info.name)

    def __dask_tokenize__(self) -> tuple[str, ...]:
        return ("tinytc_mlir.Kernel", *self.program.token(), self.info.name)

    def __repr__(self) -> str:
        info = self.info
        sizes = "x".join(map(str, info.local_size[: 3 if info.local_size[2] > 1 else 2]))
        shared = f" for {info.groups_per_work_group} groups each"
        work_groups = f"work-groups of {sizes}{shared if info.groups_per_work_group > 1 else ''}"
        head = f"{info.signature} for {self.program.target}"
        return f"<Kernel {head}: {work_groups}, subgroups of {info.subgroup_size}>"


class BoundKernel:
    """A kernel with fixed arguments; made by `Kernel.bind`.

    Args:
        info: description of the kernel.
        launch: the prepared launch of the runtime.
    """

    def __init__(self, info: KernelInfo, launch: Launch) -> None:
        self.info = info
        self._launch = launch

    def __call__(self) -> None:
        """Launch the kernel and wait until it has finished."""
        self._launch.run()

    def submit(self, *, depends: Iterable[object] = ()) -> Event:
        """Launch the kernel and return its event at once.

        Args:
            depends: events that must be over before the kernel starts.
        """
        return self._launch.submit(depends)

    @property
    def work_groups(self) -> int:
        """Number of work-groups of a native launch, the bound of `range`.

        Raises:
            LaunchError: the kernel is not native.
        """
        return self._launch.work_groups

    def range(self, first: int, last: int) -> None:
        """Run work-groups `first` to `last - 1` of a native launch on the calling thread.

        Threads of the caller share the work-groups of a launch like this; each of them has local
        memory of its own. A work-group runs several groups of a small kernel, as
        `info.groups_per_work_group` says.

        Args:
            first: number of the first work-group.
            last: number of the one after the last, at most `work_groups`.

        Raises:
            ArgumentError: they are none of the launch.
            LaunchError: the kernel is not native.
            CheckError: the kernel is a debug build and did what the language leaves undefined.
        """
        self._launch.run_range(first, last)

    def finish(self) -> None:
        """Return when all launches on the queue that it uses are over."""
        self._launch.finish()

    @property
    def work(self) -> tuple[int | None, int | None]:
        """Floating-point operations of a launch, and bytes of global memory that it moves.

        None stands for what is not known: see `KernelInfo.flops_per_group`.
        """
        return self.info.work(math.prod(self._launch.groups))

    @property
    def native_arguments(self) -> tuple[Native, ...]:
        """Arguments of the library's own call for a launch, such as `SyclQueue.submit_async`."""
        return self._launch.native_arguments

    @property
    def dpctl_arguments(self) -> tuple[Native, ...]:
        """An older name of `native_arguments`."""
        return self.native_arguments

    def __reduce__(self) -> NoReturn:
        raise TypeError("expected a kernel to pickle, got one that is bound to memory of a process")

    def __repr__(self) -> str:
        return f"<BoundKernel {self.info.signature}: {self._launch}>"
