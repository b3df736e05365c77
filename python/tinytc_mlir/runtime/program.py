# SPDX-License-Identifier: BSD-3-Clause
"""Compiled programs: their kernels and their files.

Nothing here needs MLIR or a device.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..certificates import Certificate
from ..errors import LaunchError, TinyTCError, describe, got
from ..files import path_text, read_bytes, write_atomically
from . import container, loaders
from .kernel import Kernel
from .kernel_info import PTX, SPIRV, KernelInfo
from .launches import launch
from .manifest import Manifest

_PICKLE = "pickle"  # what errors call the contents of one
_MOST_RESTORED = 32  # programs that a process keeps, with what its driver made of them


@dataclasses.dataclass(frozen=True, repr=False)
class _Code:
    """The part of a program that kernels keep: with all of it, only the collector would free both.

    Args:
        code: the code, in the format of the manifest.
        manifest: what the compiler says about its kernels.
        queue: queue or device that launches use unless told otherwise, None for the default.
    """

    code: bytes
    manifest: Manifest
    queue: object

    def __repr__(self) -> str:
        return f"<code for {self.target}, {len(self.code)} bytes of {self.manifest.format}>"

    @property
    def target(self) -> str:
        """Name of the target that the program was compiled for."""
        return self.manifest.target

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 of the code."""
        return hashlib.sha256(self.code).hexdigest()

    def state(self) -> tuple[bytes, str | None]:
        """Return what is pickled; a queue or device of this process is left out."""
        queue = self.queue if isinstance(self.queue, str) else None
        return container.pack(self.code, self.manifest), queue

    def reduced_kernel(self, name: str) -> tuple[Callable[..., Kernel], tuple[object, ...]]:
        """Return what pickles one of its kernels."""
        return _restored_kernel, (*self.state(), name)

    def token(self) -> tuple[str, str]:
        """Return what is equal for equal programs, for the keys of dask's tasks."""
        manifest = hashlib.sha256(self.manifest.to_json().encode()).hexdigest()
        return self.digest, manifest


class Program:
    """A binary with one or more kernels.

    Args:
        code: the binary, in the format of the manifest.
        manifest: what the compiler says about its kernels.
        queue: dpctl queue or device that launches use unless told otherwise; None picks the
            first device that fits the arguments.

    >>> import tinytc_mlir as tt
    >>> program = tt.Context().parse("func @nothing(%x: f32) { }").compile("cpu")
    >>> list(program), program["nothing"].info.signature
    (['nothing'], 'nothing(x: f32)')
    """

    def __init__(self, code: bytes, manifest: Manifest, *, queue: object = None) -> None:
        self._code = _Code(bytes(code), manifest, queue)
        self._kernels = {info.name: Kernel(self._code, info) for info in manifest.kernels}
        self.source: object = None
        """The `Module` that was compiled in this process, None for a program from a file."""
        self.options: Mapping[str, object] = {}
        """Options of `Module.compile` besides the target that were not the default ones."""

    @property
    def code(self) -> bytes:
        """The binary, in the format of the manifest."""
        return self._code.code

    @property
    def spirv(self) -> bytes:
        """The SPIR-V binary.

        Raises:
            TinyTCError: the target takes code in another format.
        """
        self._check_format(SPIRV, "SPIR-V")
        return self.code

    @property
    def ptx(self) -> str:
        """The PTX text.

        Raises:
            TinyTCError: the target takes code in another format.
        """
        self._check_format(PTX, "PTX")
        return self.code.decode()

    def _check_format(self, wanted: str, name: str) -> None:
        if self.manifest.format != wanted:
            raise TinyTCError(f"expected a program in {name}, got {self.manifest.format!r}")

    @property
    def manifest(self) -> Manifest:
        """The target and the kernels' descriptions."""
        return self._code.manifest

    @property
    def target(self) -> str:
        """Name of the target that the program was compiled for."""
        return self._code.target

    @property
    def certificates(self) -> tuple[Certificate, ...]:
        """What was shown of the kernels; `tinytc verify -o` writes programs that have some."""
        return self.manifest.certificates

    @property
    def kernels(self) -> Mapping[str, KernelInfo]:
        """Descriptions of the kernels by name."""
        return MappingProxyType({name: kernel.info for name, kernel in self._kernels.items()})

    @property
    def digest(self) -> str:
        """SHA-256 of the binary, the key of the cache of compiled code."""
        return self._code.digest

    @property
    def queue(self) -> object:
        """Queue or device that launches use unless told otherwise, None for the default."""
        return self._code.queue

    def __getitem__(self, name: str) -> Kernel:
        """Return a kernel.

        Raises:
            LaunchError: the program has no kernel of that name.
        """
        if name not in self:
            names = list(self._kernels)
            raise LaunchError(f"expected one of the kernels {', '.join(names)}, {got(name, names)}")
        return self._kernels[name]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """Say where a kernel is; only names that are no attributes come here."""
            where = f"; the kernel is program[{name!r}]" if name in vars(self)["_kernels"] else ""
            raise AttributeError(
                f"'Program' object has no attribute {name!r}{where}", name=name, obj=self
            )

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._kernels

    def __repr__(self) -> str:
        signatures = "; ".join(info.signature for info in self.manifest.kernels)
        size = f"{len(self.code)} bytes of {self.manifest.format}"
        return f"<Program for {self.target}, {size}: {signatures}>"

    def __reduce__(self) -> tuple[Callable[..., Program], tuple[object, ...]]:
        return _restored, self._code.state()

    def __dask_tokenize__(self) -> tuple[str, ...]:
        return ("tinytc_mlir.Program", *self._code.token())

    def build(self, *, queue: object = None) -> None:
        """Let the driver build all kernels now, so that no launch waits for it.

        On the CPU that takes 20 to 300 ms for each kernel, one after the other, or 2 ms if the
        cache has its device code; it is kept there. The driver works in another process, which it
        may end: that is an error here. `prebuild` builds many programs, or one with
        many kernels, in several processes. Threads may build different programs at the same time,
        as far as the driver can.

        The first launch of all in a process still takes up to a millisecond longer than later
        ones: the driver starts its threads.

        Args:
            queue: dpctl queue or device to build for; by default the program's own, or the default
                device of its target.

        Raises:
            DeviceError: there is no such device, it lacks a feature that a kernel needs, or the
                driver refuses the program or does not survive it.

        >>> import tinytc_mlir as tt
        >>> program = tt.Context().parse("func @nothing(%x: f32) { }").compile("cpu")
        >>> program.build()
        >>> program["nothing"](1.0, groups=1)  # as fast as the next one
        """
        launch.build(self._kernels.values(), queue)

    def verify(
        self,
        kernel: str | None = None,
        *,
        options: Any = None,  # noqa: ANN401
        parts: Sequence[str] | None = None,
    ) -> Certificate:
        """Return what can be shown of a kernel, as `Module.verify` does.

        The code is this program's, and the stages are those of the options that it was compiled
        with.

        The source is that of the module that was compiled or, for a program from a file, of its
        certificates.

        Args:
            kernel: as for `Module.verify`, and so are the others.
            options: by default those of the kernel's certificate, if there is one.
            parts: what to show.

        Raises:
            TinyTCError: a program from a file has no certificates, or one with options that this
                version does not have.

        Source: docs/verification.md.

        >>> import tinytc_mlir as tt
        >>> program = tt.Context().parse('''
        ... func @axpy(%alpha: f32, %x: memref<f32x3>, %y: memref<f32x3>) {
        ...   %one = constant 1.0 : f32
        ...   axpby.n %alpha, %x, %one, %y
        ... }''').compile("native")
        >>> program.verify(parts=["stages", "machine"]).holds
        True
        """
        from ..verification import verify_program

        return verify_program(self, kernel, options=options, parts=parts)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the binary and the manifest to a file that `load` reads.

        The file is written completely or not at all.

        Args:
            path: name of the file, conventionally with the suffix `.tinytcb`.

        Raises:
            OSError: the file cannot be written.
        """
        write_atomically(path, container.pack(self.code, self.manifest))


def save(path: str | os.PathLike[str], programs: Iterable[Program]) -> None:
    """Write programs for several targets to one file, of which `load` takes one.

    The file is written completely or not at all.

    Args:
        path: name of the file, conventionally with the suffix `.tinytcb`.
        programs: the programs, the best first.

    Raises:
        TinyTCError: there is none, or two have the same target.
        OSError: the file cannot be written.

    >>> import tempfile, tinytc_mlir as tt
    >>> module = tt.Context().parse("func @nothing(%x: f32) { }")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/nothing.tinytcb"
    ...     tt.save(path, [module.compile("x86-64-v3"), module.compile("aarch64")])
    ...     tt.load(path, target="aarch64").target
    'aarch64'
    """
    write_atomically(path, packed(programs, path_text(path)))


def packed(programs: Iterable[Program], name: str) -> bytes:
    """Return the contents of the file that `save` writes."""
    programs = list(programs)
    targets = [program.target for program in programs]
    if not targets or len(set(targets)) < len(targets):
        given = ", ".join(targets) or "none"
        raise TinyTCError(f"{name}: expected programs for different targets, got {given}")
    return container.pack_all([container.pack(each.code, each.manifest) for each in programs])


def load(
    path: str | os.PathLike[str], *, queue: object = None, target: str | None = None
) -> Program:
    """Return the program in a file written by `Program.save` or `save`; needs no compiler.

    Args:
        path: name of the file.
        queue: dpctl queue or device that launches use unless told otherwise.
        target: of programs for several targets, which one; by default the first that a device here
            runs, or the queue's device, and the first of all if there is none.

    Raises:
        TinyTCError: the file is damaged, has no compiled program, or none for the target.
        OSError: the file cannot be read.
    """
    return loaded(read_bytes(path), path_text(path), queue=queue, target=target)


def loaded(data: bytes, name: str, *, queue: object = None, target: str | None = None) -> Program:
    """Return the program in the contents of a file, as `load` does."""
    found = container.unpack_all(data, name)
    code, manifest = found[0]
    if target is not None:
        named = [each for each in found if each[1].target == target]
        if not named:
            targets = ", ".join(each.target for _, each in found)
            raise TinyTCError(f"{name}: expected a program for {target}, got {targets}")
        code, manifest = named[0]
    elif len(found) > 1:
        runs = functools.partial(loaders.runs, queue=queue)
        code, manifest = next((each for each in found if runs(each[1])), found[0])
    program = Program(code, manifest, queue=queue)
    loaders.check(program, name)
    return program


@functools.lru_cache(_MOST_RESTORED)
def _restored(data: bytes, queue: str | None) -> Program:
    """Return a program that was pickled, checked like a file.

    Each task of an array brings its kernel along, so equal programs are one, which is built once.

    Raises:
        TinyTCError: the program is damaged.
    """
    if not isinstance(data, bytes):
        raise TinyTCError(f"{_PICKLE}: expected a program as bytes, got {describe(data)}")
    code, manifest = container.unpack(data, _PICKLE)
    program = Program(code, manifest, queue=queue)
    loaders.check(program, _PICKLE)
    return program


def _restored_kernel(data: bytes, queue: str | None, name: str) -> Kernel:
    """Return a kernel that was pickled.

    Raises:
        TinyTCError: the program is damaged, or has no such kernel.
    """
    return _restored(data, queue)[name]
