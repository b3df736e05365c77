# SPDX-License-Identifier: BSD-3-Clause
"""Modules as what they are read from: their source, operation, stage and text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .. import switches
from ..errors import LoweringError
from ..options import one_of
from ..program_cache import Source
from ..runtime.tracing import dumps
from .lowering import Lowering
from .mlir_context import MLIR_STDIN, MLIRContext
from .stages import kernel_names, stages_of_module, target_text

if TYPE_CHECKING:
    from mlir import ir


_NATIVE_FORMS = ("asm", "llvm-ir")


class SourceReader(MLIRContext):
    """A context that reads sources of programs."""

    def __init__(self) -> None:
        super().__init__()
        # Until it is handed out: its owner may then change what programs mean.
        self._is_private = True

    @property
    def _uses_cache(self) -> bool:
        skips = switches.VERIFY_EACH.is_on() or switches.INTERPRET.is_on() or dumps.are_wanted()
        return self._is_private and not skips

    def _read(self, source: Source) -> ParsedModule:
        """Return the module of a source, which is parsed."""
        raise NotImplementedError


class ParsedModule:
    """A program at one of the stages, whose source is parsed when that is needed.

    Args:
        context: the context that the module belongs to.
        operation: the `builtin.module`; None if it is parsed when it is needed.
        sources: source texts by file name, for diagnostics.
        stage: stage of the module, one of `STAGES`.
        is_text: whether the sources are texts of the language, not MLIR's.
        filename: what diagnostics call a text of MLIR, whose name no location carries.
        source: what the caller gave, if the module is nothing else.
    """

    def __init__(
        self,
        context: SourceReader,
        operation: ir.Operation | None,
        sources: Mapping[str, str],
        stage: str = "tinytc",
        *,
        is_text: bool = False,
        filename: str | None = None,
        source: Source | None = None,
    ) -> None:
        self._context = context
        self._known_operation = operation
        self._known_sources = sources
        self._stage = stage
        self._is_text = is_text
        self._mlir_filename = filename
        self._source = source

    def _parse(self) -> ir.Operation:
        """Parse the source, if that has not been done; return the `builtin.module`."""
        if self._known_operation is None:
            assert self._source is not None
            module = self._context._read(self._source)
            self._known_sources = module._known_sources
            self._mlir_filename = module._mlir_filename
            self._known_operation = module._parse()
        return self._known_operation

    @property
    def _operation(self) -> ir.Operation:
        return self._parse()

    @property
    def _sources(self) -> Mapping[str, str]:
        self._parse()
        return self._known_sources

    @property
    def _names(self) -> Mapping[str, str]:
        """Names of files in diagnostics, by the names that locations carry."""
        self._parse()
        return {} if self._mlir_filename is None else {MLIR_STDIN: self._mlir_filename}

    @property
    def _lowering(self) -> Lowering:
        return Lowering(self._context, self._sources, self._names, self._is_text)

    @property
    def operation(self) -> ir.Operation:
        """The `builtin.module`."""
        operation = self._operation
        self._source = None  # the caller may change it
        return operation

    @property
    def sources(self) -> Mapping[str, str]:
        """Source texts by the file name that locations carry, for diagnostics."""
        return self._sources

    @property
    def stage(self) -> str:
        """Stage of the module, one of `STAGES`."""
        return self._stage

    @property
    def stages(self) -> Sequence[str]:
        """The stages that lead to code for the module's target, to SPIR-V if it has none yet."""
        return stages_of_module(self._operation, self._stage)

    @property
    def is_of_language(self) -> bool:
        """Whether its kernels are as the language has them, neither lowered nor of linalg."""
        kernels = self._operation.regions[0].blocks[0].operations
        return self._stage == "tinytc" and all(op.operation.name != "func.func" for op in kernels)

    def __dask_tokenize__(self) -> tuple[object, ...]:
        if self._source is not None:
            return ("tinytc_mlir.Module", *self._source.key())
        return ("tinytc_mlir.Module", str(self._operation.get_asm(enable_debug_info=True)))

    def __repr__(self) -> str:
        kernels = ", ".join(kernel_names(self._operation)) or "no kernel"
        found = self._lowering.filename()
        source = f" of {found!r}" if found is not None else ""
        return f"<Module{source} at stage {self._stage!r}{target_text(self._operation)}: {kernels}>"

    def __str__(self) -> str:
        if self._stage == "ptx":
            return self._lowering.emit(self._operation).ptx
        # Later stages are printed as by tinytc-opt, which knows no names.
        has_names = self._stage == "tinytc"
        return str(self._operation.get_asm(use_name_loc_as_prefix=has_names))

    def to_text(self) -> str:
        """Return the program in the canonical spelling of the language; it parses back.

        Raises:
            LoweringError: the module is past the dialect's own stage.
        """
        from ..frontend.printer import to_text

        self._check_stage()
        return to_text(self._operation)

    def native_text(self, form: str = "asm") -> str:
        """Return the code of a module at the llvm stage as text.

        Args:
            form: "asm" for the assembly of the target's processor, or "llvm-ir" for the LLVM IR
                that it is made of, optimized.

        Raises:
            LoweringError: the form is another one, or the module is not at the llvm stage.

        >>> import tinytc_mlir as tt
        >>> text = "func @f(%A: memref<f32>) { %zero = constant 0.0 : f32 store %zero, %A[] }"
        >>> lowered = tt.Context().parse(text).lower("llvm", target="aarch64")
        >>> "str" in lowered.native_text(), "store float" in lowered.native_text("llvm-ir")
        (True, True)
        """
        form = one_of("form", form, _NATIVE_FORMS)
        if self._stage != "llvm":
            raise LoweringError(
                f"expected a module of stage 'llvm', got {self._stage!r}; call lower('llvm') first"
            )
        return self._lowering.native_text(self._operation, form)

    def _check_stage(self) -> None:
        if self._stage != "tinytc":
            raise LoweringError(f"expected a module of stage 'tinytc', got {self._stage!r}")

    def _has_functions(self) -> bool:
        """Whether this is more than definitions of compile-time variables."""
        return len(self._operation.regions[0].blocks[0].operations) > 0

    def _check_functions(self) -> None:
        if not self._has_functions():
            raise self._lowering.rejected("expected a program with a function, got an empty one")
