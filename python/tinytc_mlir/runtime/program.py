"""Compiled programs: their kernels and their files.

Nothing here needs MLIR or a device.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import os
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from ..errors import LaunchError, TinyTCError, got
from ..files import path_text, read_bytes, write_atomically
from . import container, loaders
from .kernel import Kernel
from .manifest import SPIRV, KernelInfo, Manifest


@dataclasses.dataclass(frozen=True)
class _Code:
    """What kernels keep of their program: were it the program, only the collector would free both.

    Args:
        code: the code, in the format of the manifest.
        manifest: what the compiler says about its kernels.
        queue: queue or device that launches use unless told otherwise, None for the default.
    """

    code: bytes
    manifest: Manifest
    queue: object

    @property
    def target(self) -> str:
        """Name of the target that the program was compiled for."""
        return self.manifest.target

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 of the code."""
        return hashlib.sha256(self.code).hexdigest()


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
        if self.manifest.format != SPIRV:
            raise TinyTCError(f"expected a program in SPIR-V, got {self.manifest.format!r}")
        return self.code

    @property
    def manifest(self) -> Manifest:
        """The target and the kernels' descriptions."""
        return self._code.manifest

    @property
    def target(self) -> str:
        """Name of the target that the program was compiled for."""
        return self._code.target

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

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the binary and the manifest to a file that `load` reads.

        The file is written completely or not at all.

        Args:
            path: name of the file, conventionally with the suffix `.tinytc`.

        Raises:
            OSError: the file cannot be written.
        """
        write_atomically(path, container.pack(self.code, self.manifest))


def load(path: str | os.PathLike[str], *, queue: object = None) -> Program:
    """Return the program in a file written by `Program.save`; needs no compiler.

    Args:
        path: name of the file.
        queue: dpctl queue or device that launches use unless told otherwise.

    Raises:
        TinyTCError: the file is damaged or no `.tinytc` file.
        OSError: the file cannot be read.
    """
    name = path_text(path)
    code, manifest = container.unpack(read_bytes(path), name)
    program = Program(code, manifest, queue=queue)
    loaders.check(program, name)
    return program
