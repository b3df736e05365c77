"""Compiled programs: their kernels, how to launch them, and their files.

Nothing here needs MLIR; a device is touched when a kernel is launched.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pathlib
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from . import container
from .arguments import Signature, hint
from .errors import LaunchError
from .manifest import KernelInfo, Manifest

if TYPE_CHECKING:
    from .launch import Event


class Program:
    """A SPIR-V binary with one or more kernels.

    Args:
        spirv: the binary.
        manifest: what the compiler says of its kernels.
        queue: dpctl queue or device that launches use unless told otherwise; None picks the
            first device that suits the arguments.

    >>> import tinytc_mlir as tt
    >>> program = tt.Context().parse("func @nothing(%x: f32) { }").compile("cpu")
    >>> list(program), program["nothing"].info.signature
    (['nothing'], 'nothing(x: f32)')
    """

    def __init__(self, spirv: bytes, manifest: Manifest, *, queue: Any = None) -> None:
        self._spirv = bytes(spirv)
        self._manifest = manifest
        self._queue = queue
        self._kernels = {info.name: Kernel(self, info) for info in manifest.kernels}

    @property
    def spirv(self) -> bytes:
        """The SPIR-V binary."""
        return self._spirv

    @property
    def manifest(self) -> Manifest:
        """The target and the kernels' descriptions."""
        return self._manifest

    @property
    def target(self) -> str:
        """Name of the target that the program was compiled for."""
        return self._manifest.target

    @property
    def kernels(self) -> Mapping[str, KernelInfo]:
        """Descriptions of the kernels by name."""
        return MappingProxyType({name: kernel.info for name, kernel in self._kernels.items()})

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 of the binary; what compiled code is cached under."""
        return hashlib.sha256(self._spirv).hexdigest()

    @property
    def queue(self) -> Any:
        """Queue or device that launches use unless told otherwise, None for the default."""
        return self._queue

    def __getitem__(self, name: str) -> Kernel:
        """Return a kernel.

        Raises:
            LaunchError: the program has no kernel of that name.
        """
        kernel = self._kernels.get(name)
        if kernel is None:
            raise LaunchError(
                f"expected one of the kernels {', '.join(self._kernels)}, got {name!r}"
                + hint(str(name), list(self._kernels))
            )
        return kernel

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    def __contains__(self, name: object) -> bool:
        return name in self._kernels

    def __repr__(self) -> str:
        signatures = "; ".join(info.signature for info in self._manifest.kernels)
        return f"<Program for {self.target}: {signatures}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the binary and the manifest to a file that `load` reads.

        The file appears whole or not at all.

        Args:
            path: name of the file, by custom with the suffix `.tinytc`.

        Raises:
            OSError: the file cannot be written.
        """
        target = pathlib.Path(path)
        temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            temporary.write_bytes(container.pack(self._spirv, self._manifest))
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)


def load(path: str | os.PathLike[str], *, queue: Any = None) -> Program:
    """Return the program in a file written by `Program.save`; needs no compiler.

    Args:
        path: name of the file.
        queue: dpctl queue or device that launches use unless told otherwise.

    Raises:
        TinyTCError: the file is damaged or no `.tinytc` file.
        OSError: the file cannot be read.
    """
    spirv, manifest = container.unpack(pathlib.Path(path).read_bytes(), os.fspath(path))
    return Program(spirv, manifest, queue=queue)


class Kernel:
    """A kernel of a program, ready to be launched.

    Arrays may be NumPy arrays, arrays of `tinytc_mlir.empty` and `tinytc_mlir.asarray`, or any
    object with `__sycl_usm_array_interface__`. Plain NumPy arrays are copied to the device and
    back; the others are used in place.

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
    """

    def __init__(self, program: Program, info: KernelInfo) -> None:
        self.program = program
        self.info = info
        self.signature = Signature(info)
        self.device_kernels: dict[Any, Any] = {}  # of dpctl, by context and device

    def __call__(self, *values: Any, groups: Any, queue: Any = None, **named: Any) -> None:
        """Launch the kernel and wait until it has finished.

        Args:
            values: arguments by position.
            groups: number of groups, an integer or up to three of them.
            queue: dpctl queue or device to launch on.
            named: arguments by name.

        Raises:
            ArgumentError: an argument does not fit its parameter; nothing was launched.
            LaunchError: the number of groups is wrong.
            DeviceError: the device lacks what the kernel needs.
        """
        from . import launch

        parts = self.signature.parts(values, named)
        launch.run(self, parts, groups, queue)

    def submit(
        self,
        *values: Any,
        groups: Any,
        queue: Any = None,
        depends: Iterable[Any] = (),
        **named: Any,
    ) -> Event:
        """Launch the kernel and return at once.

        An array that the kernel writes must lie in USM memory, as nothing could be copied back.

        Args:
            values: arguments by position.
            groups: number of groups, an integer or up to three of them.
            queue: dpctl queue or device to launch on.
            depends: events of this module or of dpctl that must be over before the kernel starts.
            named: arguments by name.

        Returns:
            The event of the launch; it keeps the arguments alive.

        Raises:
            ArgumentError: an argument does not fit its parameter; nothing was launched.
            LaunchError: the number of groups is wrong.
            DeviceError: the device lacks what the kernel needs.
        """
        from . import launch

        parts = self.signature.parts(values, named)
        return launch.submit(self, parts, groups, queue, depends)

    def bind(self, *values: Any, groups: Any, queue: Any = None, **named: Any) -> BoundKernel:
        """Return the kernel with its arguments checked, to launch it many times at little cost.

        All arrays must lie in USM memory: launches read and write what they hold at that time.

        Args:
            values: arguments by position.
            groups: number of groups, an integer or up to three of them.
            queue: dpctl queue or device to launch on.
            named: arguments by name.

        Raises:
            ArgumentError: an argument does not fit its parameter.
            LaunchError: the number of groups is wrong.
            DeviceError: the device lacks what the kernel needs.
        """
        from . import launch

        parts = self.signature.parts(values, named)
        return BoundKernel(self.info, launch.bind(self, parts, groups, queue))

    def __repr__(self) -> str:
        return f"<Kernel {self.info.signature}>"


class BoundKernel:
    """A kernel with fixed arguments; made by `Kernel.bind`.

    Args:
        info: description of the kernel.
        launch: the prepared launch of the runtime.
    """

    def __init__(self, info: KernelInfo, launch: Any) -> None:
        self.info = info
        self._launch = launch

    def __call__(self) -> None:
        """Launch the kernel and wait until it has finished."""
        self._launch.run()

    def submit(self, *, depends: Iterable[Any] = ()) -> Event:
        """Launch the kernel and return its event at once.

        Args:
            depends: events that must be over before the kernel starts.
        """
        event: Event = self._launch.submit(depends)
        return event

    @property
    def dpctl_arguments(self) -> tuple[Any, ...]:
        """What `dpctl.SyclQueue.submit_async` takes for the same launch."""
        arguments: tuple[Any, ...] = self._launch.submit_arguments
        return arguments

    def __repr__(self) -> str:
        return f"<BoundKernel {self.info.signature}>"
