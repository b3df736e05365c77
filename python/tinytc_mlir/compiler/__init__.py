# SPDX-License-Identifier: BSD-3-Clause
"""The interface of the compiler: from text to a module of the dialect, its stages, a program.

Nothing here needs a device, unless no target is given, and MLIR is loaded when it is needed: not to
find a program that was compiled before.
"""

from typing import TYPE_CHECKING

from ..options import ABIS
from .interface import Context, Module
from .stages import pipelines, stages_of
from .targets import ALIASES, target_name, target_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    STAGES: Mapping[str, str | None]
    TARGETS: tuple[str, ...]

__all__ = ["ABIS", "ALIASES", "STAGES", "TARGETS", "Context", "Module", "stages_of", "target_name"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Return the names of the targets as `TARGETS`, the default first, and `STAGES`."""
        if name == "STAGES":
            return pipelines()
        if name != "TARGETS":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return target_names()
