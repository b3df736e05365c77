# SPDX-License-Identifier: BSD-3-Clause
"""The protocol of modules that the explorer takes, such as `tinytc_mlir.Module`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mlir import ir

    from ..runtime.program import Program


class Explorable(Protocol):
    """A program at one of the stages of compilation."""

    @property
    def stage(self) -> str:
        """Its stage."""

    @property
    def stages(self) -> Sequence[str]:
        """The stages that lead to code for its target."""

    @property
    def sources(self) -> Mapping[str, str]:
        """Source texts by the file name that locations carry."""

    @property
    def operation(self) -> ir.Operation:
        """The `builtin.module`."""

    def lower(self, stage: str, *, target: object = None, debug: bool = False) -> Explorable:
        """Return a copy at a later stage."""

    def native_text(self) -> str:
        """Return the assembly of a module at the llvm stage."""

    def compile(self, target: object = None) -> Program:
        """Return the program for a target."""
