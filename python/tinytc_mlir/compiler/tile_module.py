# SPDX-License-Identifier: BSD-3-Clause
"""Modules as programs on tiles: their bytecode, and what NVIDIA's assembler makes of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..errors import LoweringError
from ..options import Options, one_of
from ..runtime.program import Program
from .program_module import ProgramModule
from .stages import kernel_names, leads_to, stages_of
from .targets import target_name

if TYPE_CHECKING:
    from mlir import ir

_TILE_VERSIONS = ("13.1", "13.2", "13.3")


class TileModule(ProgramModule):
    """A module that can become a program on tiles."""

    def export_tile(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        version: str | None = None,
        aligned: bool = False,
    ) -> bytes:
        """Return the kernels as Tile IR bytecode, which NVIDIA's `tileiras` assembles.

        Args:
            path: file to write too, for example `gemm.tileirbc`.
            version: "13.1", "13.2" or "13.3"; None is the oldest one that has all that the
                kernels use.
            aligned: promise that arrays begin at multiples of 16 bytes, which whoever launches the
                kernels must check. `assemble_tile` makes programs whose launches check it.

        Raises:
            LoweringError: a kernel is no program on tiles, the version does not exist or lacks
                something, or the module is past the stage at which promises are made.
            OSError: the file cannot be written.

        >>> import tinytc_mlir as tt
        >>> text = "tile.module @kernels { tile.entry @f() { tile.return } }"
        >>> tt.Context().parse_mlir(text).export_tile(version="13.1")[1:7]
        b'TileIR'
        """
        from ..files import write_atomically

        if version is not None:
            one_of("version", version, _TILE_VERSIONS)
        if aligned and self._stage != "tinytc":
            raise LoweringError(
                f"expected a module of stage 'tinytc' for aligned=True, got one of stage "
                f"{self._stage!r}"
            )
        operation = self._on_tiles("{aligned}" if aligned else "")
        bytecode = self._lowering.tile_bytecode(operation, version)
        if path is not None:
            write_atomically(os.fspath(path), bytecode)
        return bytecode

    def assemble_tile(self, target: object = "cuda:sm_90") -> Program:
        """Return the program that NVIDIA's `tileiras` makes of the kernels on tiles.

        It is launched as any other program for an NVIDIA device. A kernel that gains by arrays that
        begin at multiples of 16 bytes is assembled twice, and launches choose.

        Args:
            target: name of a target of NVIDIA, or a device or queue of CUDA.

        Raises:
            LoweringError: a kernel is no program on tiles, the assembler rejects it, the module is
                past the first stage, or the target is not NVIDIA's.
            DeviceError: the assembler is not installed.
        """
        from .. import tile_programs

        name = target_name(target)
        if stages_of(name)[-1] != "ptx":
            raise LoweringError(f"expected a target of NVIDIA, got {name!r}")
        if self._stage != "tinytc":
            raise LoweringError(
                f"expected a module of stage 'tinytc', got one of stage {self._stage!r}"
            )
        operation = self._on_tiles("{variants}")
        bytecode = self._lowering.tile_bytecode(operation, None)
        # Parameters, accesses and bounds are those of the kernel, in whatever way it is compiled.
        manifest = self.compile(name, abi="plain").manifest
        return tile_programs.program_of(bytecode, kernel_names(operation), manifest)

    def _on_tiles(self, options: str = "") -> ir.Operation:
        """Return a copy of the module as programs on tiles; nothing is done for one that is."""
        if not leads_to(self._stage, "tile"):
            raise LoweringError(
                f"expected a module of stage 'tile' or an earlier one, got {self._stage!r}"
            )
        if self._stage == "tinytc":
            self._check_functions()
        return self._lowering.on_tiles(self._operation, self._stage, options)


def check_tile_options(target: object, options: Options) -> None:
    """Check that programs on tiles are asked for without what only other stages have."""
    if target is not None:
        raise LoweringError(f"expected no target for stage 'tile', got {target!r}")
    for name, value in options.given():
        raise LoweringError(f"expected no {name} for stage 'tile', got {value!r}")
