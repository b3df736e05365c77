# SPDX-License-Identifier: BSD-3-Clause
"""Names of `tt` for kernels besides its own: types and instructions."""

from __future__ import annotations

from .types import OBJECTS

_SPECIAL = (
    *("cooperative_matrix_apply", "expand", "foreach", "foreach_tile", "local", "outer"),
    *("parallel", "subview"),
)


def names() -> list[str]:
    """Return the names of types and instructions, as kernels write them after `tt.`."""
    from .names import choices

    return sorted({*OBJECTS, *choices(), *_SPECIAL})


def find(name: str) -> object:
    """Return the type or instruction of a name, None if there is none."""
    if name in OBJECTS:  # which needs no table of instructions
        return OBJECTS[name]
    from .names import InstructionName

    return InstructionName((name,)) if name in names() else None
