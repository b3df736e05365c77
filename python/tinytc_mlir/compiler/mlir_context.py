# SPDX-License-Identifier: BSD-3-Clause
"""The part of a context that knows MLIR, not the language."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..errors import VerificationError, describe

if TYPE_CHECKING:
    from mlir import ir
    from mlir.passmanager import PassManager

MLIR_STDIN = "-"  # MLIR's name for a text that is not in a file


class MLIRContext:
    """Owns a context of the `mlir` package, made when it is needed, and the passes run in it."""

    def __init__(self) -> None:
        self._idle_pipelines: dict[tuple[str, bool], PassManager] = {}

    @functools.cached_property
    def _mlir_context(self) -> ir.Context:
        """The context of the `mlir` package; dialects are loaded when they are needed.

        All of them take several milliseconds.
        """
        from mlir import ir

        from .._tinytc import register_dialect

        context = ir.Context(load_on_create_dialects=())
        register_dialect(context)
        # Few passes work on single kernels: threads cost more than they gain.
        context.enable_multithreading(False)
        return context

    def _read_mlir(self, text: str | bytes, filename: str) -> ir.Module:
        """Return the module that assembly or bytecode describes.

        Args:
            text: assembly in the custom or generic form, or bytecode.
            filename: name that diagnostics carry.

        Raises:
            VerificationError: MLIR cannot read the text, or the module violates a restriction.
        """
        from mlir import ir

        from ..frontend.mlir_diagnostics import diagnostics_of

        if not isinstance(text, (str, bytes, bytearray)):
            raise VerificationError(f"expected MLIR as str or bytes, got {describe(text)}")
        try:
            with self._mlir_context:
                return ir.Module.parse(_data_of(text))
        except ir.MLIRError as error:
            sources, names = {MLIR_STDIN: shown_text(text)}, {MLIR_STDIN: filename}
            raise VerificationError(diagnostics_of(error, sources, names)) from None

    def run_pipeline(
        self, pipeline: str, operation: ir.Operation, *, verify_each: bool = True
    ) -> None:
        """Run passes on a `builtin.module`.

        Passes collect their patterns once, so the pass manager is kept for the next module.

        Args:
            pipeline: the passes in MLIR's syntax.
            operation: the module; it is changed in place.
            verify_each: verify the module after each pass, not only after the last.

        Raises:
            mlir.ir.MLIRError: a pass or the verifier fails.
        """
        from mlir.passmanager import PassManager

        key = (pipeline, verify_each)
        # A pass manager runs one module at a time: other threads do not find this one meanwhile.
        manager = self._idle_pipelines.pop(key, None)
        with self._mlir_context:
            if manager is None:
                manager = PassManager.parse(f"builtin.module({pipeline})")
                manager.enable_verifier(verify_each)
            try:
                manager.run(operation)
                if not verify_each:
                    operation.verify()
            finally:
                self._idle_pipelines[key] = manager

    @contextlib.contextmanager
    def _warnings(self) -> Iterator[list[str]]:
        """Collect the warnings that MLIR reports meanwhile; they go where they always go."""
        from mlir import ir

        found: list[str] = []

        def note(diagnostic: ir.Diagnostic) -> bool:
            if diagnostic.severity == ir.DiagnosticSeverity.WARNING:
                found.append(diagnostic.message)
            return False  # it is not handled

        handler = self._mlir_context.attach_diagnostic_handler(note)
        try:
            yield found
        finally:
            handler.detach()


def shown_text(text: str | bytes) -> str:
    """Return MLIR as diagnostics quote it."""
    return _data_of(text).decode(errors="replace")


def _data_of(text: str | bytes) -> bytes:
    return text.encode(errors="replace") if isinstance(text, str) else bytes(text)


def verify_operation(operation: ir.Operation, sources: Mapping[str, str]) -> None:
    """Raise an error if an operation violates a restriction."""
    from mlir import ir

    from ..frontend.mlir_diagnostics import diagnostics_of

    try:
        operation.verify()
    except ir.MLIRError as error:
        raise VerificationError(diagnostics_of(error, sources)) from None
