# SPDX-License-Identifier: BSD-3-Clause
"""From a stage of a module to later ones and to a program, with errors in terms of its source."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from .. import switches
from ..errors import Diagnostic, LoweringError
from ..options import Options
from ..runtime import devices
from ..runtime.manifest import Manifest
from ..runtime.program import Program
from ..runtime.tracing import dumps, overrides
from ..strategies import strategies_of
from .mlir_context import MLIR_STDIN, MLIRContext
from .stages import (
    continuation,
    kernel_names,
    pipelines,
    stage_of,
    stages_of,
    stages_of_module,
)

if TYPE_CHECKING:
    from mlir import ir

# Upstream's pass, after which LLVM writes tables of lines.
_LINES = "ensure-debug-info-scope-on-llvm-func"


@dataclasses.dataclass(frozen=True)
class Lowering:
    """Lowers modules of one source.

    Args:
        context: the context of the modules.
        sources: source texts by file name, for diagnostics.
        names: what diagnostics call files, by the names that locations carry.
        is_text: whether the sources are texts of the language, not MLIR's.
    """

    context: MLIRContext
    sources: Mapping[str, str]
    names: Mapping[str, str]
    is_text: bool

    def filename(self) -> str | None:
        """Return the name of the file that the module was read from, None if there is none."""
        name = next(iter(self.sources), None)
        return self.names.get(MLIR_STDIN) if name == MLIR_STDIN else name

    def rejected(self, message: str) -> LoweringError:
        """Return the error for a module as a whole."""
        return LoweringError((Diagnostic("error", message, self.filename()),))

    def run(self, pipeline: str, operation: ir.Operation, *, verify_each: bool = True) -> None:
        """Run passes on a module in place; `LoweringError` has what a pass says that fails."""
        from mlir import ir

        from ..frontend.mlir_diagnostics import diagnostics_of

        try:
            self.context.run_pipeline(pipeline, operation, verify_each=verify_each)
        except ir.MLIRError as error:
            found = diagnostics_of(error, self.sources, self.names, is_text=self.is_text)
            raise LoweringError(found) from None

    def lower(self, operation: ir.Operation, old: str, new: str, options: Options) -> None:
        """Bring a module in place from a stage to a later one."""
        if old != "tinytc":
            self._continue(operation, old, new, options)
            return
        if options.tuned:
            from ..tuning import store

            name = options.target
            assert name is not None
            device = devices.device_of(options.queue) or devices.default_device(name)
            store.apply_winners(operation, name, store.describe(device))
        self.run(f"{pipelines()[new]}{{{options.of_pipeline()}}}", operation)

    def program(self, operation: ir.Operation, stage: str, options: Options) -> Program:
        """Return the program of a module, which is left as it is."""
        if dumps.are_wanted():
            return self._program_in_steps(operation, stage, options)
        return self.emit(self._lowered_at_once(operation, stage, options), options.queue)

    def _lowered_at_once(
        self, operation: ir.Operation, stage: str, options: Options
    ) -> ir.Operation:
        """Return a copy of the module at the last stage for its target."""
        lowered = operation.clone().operation
        if stage == "tinytc":
            stage = "prepared"
            self.lower(lowered, "tinytc", stage, options)
        last = stages_of_module(lowered, stage)[-1]
        if stage != last:
            verify_each = switches.VERIFY_EACH.is_on()
            self._continue(lowered, stage, last, options, verify_each=verify_each)
        return lowered

    def _continue(
        self,
        operation: ir.Operation,
        old: str,
        new: str,
        options: Options,
        *,
        verify_each: bool = True,
    ) -> None:
        """Bring a prepared module in place from a stage to a later one."""
        if options.has_lines and new == "object":
            if old != "llvm":
                self.run(continuation(old, "llvm"), operation, verify_each=verify_each)
            self.run(_LINES, operation)
            old = "llvm"
        self.run(continuation(old, new), operation, verify_each=verify_each)

    def _program_in_steps(self, operation: ir.Operation, stage: str, options: Options) -> Program:
        """Return the program, and write and read the files of its stages."""
        from ..stage_files import lower_in_steps, printed

        def advance(operation: ir.Operation, old: str, new: str) -> None:
            if old == "prepared":
                found = {each: strategies_of(operation, each) for each in kernel_names(operation)}
                dumps.write(folder, dumps.STRATEGIES, json.dumps(found, indent=1) + "\n")
            self.lower(operation, old, new, options)

        first = operation.clone().operation
        folder = dumps.folder_of(kernel_names(first), [printed(first, stage), options.key()])
        is_first = stage == "tinytc"
        way = stages_of(options.target) if is_first else stages_of_module(first, stage)
        stages = way[way.index(stage) :]
        overrides.note_program(folder, dumps.names_of(stages), stacklevel=5)
        lowered = lower_in_steps(first, stages, advance, self._read, folder)
        program = self.emit(lowered.operation, options.queue)
        given = dumps.replacement(folder, dumps.code_name(program.manifest.format))
        if given is not None:
            plain = None if lowered.plain is None else self.emit(lowered.plain).code
            if given[1] != plain:
                program = Program(given[1], program.manifest, queue=options.queue)
        dumps.write_program(folder, program, printed(lowered.operation, stages[-1]))
        return program

    def _read(self, data: bytes, path: str, stage: str) -> ir.Operation:
        """Return the module in the file of a stage."""
        operation = self.context._read_mlir(data, path).operation
        found = stage_of(operation)
        if found != stage:
            raise LoweringError(f"{path}: expected a module of stage {stage!r}, got {found!r}")
        return operation

    def emit(self, lowered: ir.Operation, queue: object = None) -> Program:
        """Return the program of a module at the spirv or the ptx stage."""
        from .._tinytc import emit
        from ..frontend.mlir_diagnostics import collected, spelled

        with collected(self.context._mlir_context, self.sources, self.names) as found:
            try:
                code, manifest = emit(lowered)
            except ValueError as error:
                shown = spelled(found, self.sources) if self.is_text else found
                raise LoweringError(tuple(shown) or str(error)) from None
        return Program(code, self._with_excerpts(Manifest.from_json(manifest)), queue=queue)

    def native_text(self, operation: ir.Operation, form: str) -> str:
        """Return the text of the code for a module at the llvm stage of a native target."""
        from .._tinytc import emit

        copy = operation.clone().operation
        self.run(f"tinytc-serialize-to-object{{form={form}}}", copy)
        return emit(copy)[0].decode()

    def _with_excerpts(self, manifest: Manifest) -> Manifest:
        """Return the manifest of a debug build with lines of the source text."""
        from ..frontend.mlir_diagnostics import with_excerpt

        def shown(diagnostic: Diagnostic) -> Diagnostic:
            notes = tuple(map(shown, diagnostic.notes))
            found = with_excerpt(dataclasses.replace(diagnostic, notes=notes), self.sources)
            filename = found.filename or ""
            return dataclasses.replace(found, filename=self.names.get(filename, filename) or None)

        kernels = []
        for kernel in manifest.kernels:
            checks = tuple(
                dataclasses.replace(check, diagnostic=shown(check.diagnostic))
                for check in kernel.checks
            )
            kernels.append(dataclasses.replace(kernel, checks=checks))
        return dataclasses.replace(manifest, kernels=tuple(kernels))

    def derivative(
        self, operation: ir.Operation, suffix: str, options: Mapping[str, str]
    ) -> ir.Operation:
        """Return a module with the derivative of a kernel alone; `suffix` is "_vjp" or "_jvp"."""
        copy = operation.clone().operation
        flag = "tinytc-tangent" if suffix == "_jvp" else "tinytc-adjoint"
        text = " ".join(f"{key}={value}" for key, value in options.items())
        self.run(f"{flag}{{{text}}}", copy)
        start = options["kernel"] + suffix
        for op in list(copy.regions[0].blocks[0].operations):
            if op.operation.name != "tinytc.func" or not op.sym_name.value.startswith(start):
                op.operation.erase()
        return copy

    def on_tiles(self, operation: ir.Operation, stage: str, options: str) -> ir.Operation:
        """Return a copy of a module as programs on tiles; nothing is done for one that is."""
        copy = operation.clone().operation
        if stage != "tile":
            self.run(f"{pipelines()['tile']}{options}", copy)
        return copy

    def tile_bytecode(self, operation: ir.Operation, version: str | None) -> bytes:
        """Return the bytecode of programs on tiles."""
        from .._tinytc import write_tile_bytecode
        from ..frontend.mlir_diagnostics import collected

        with collected(self.context._mlir_context, self.sources, self.names) as found:
            try:
                return write_tile_bytecode(operation, version or "")
            except ValueError as error:
                raise LoweringError(tuple(found) or str(error)) from None
