# SPDX-License-Identifier: BSD-3-Clause
"""What `tt` has for kernels besides its own names: types and instructions."""

from __future__ import annotations

from .expressions import OBJECTS
from .names import InstructionName, choices

_SPECIAL = (
    *("cooperative_matrix_apply", "expand", "foreach", "foreach_tile", "local", "outer"),
    *("parallel", "subview"),
)


def names() -> list[str]:
    """Return the names of types and instructions, as kernels write them after `tt.`."""
    return sorted({*OBJECTS, *choices(), *_SPECIAL})


def find(name: str) -> object:
    """Return the type or instruction of a name, None if there is none."""
    if name in OBJECTS:
        return OBJECTS[name]
    if name in choices() or name in _SPECIAL:
        return InstructionName((name,))
    return None
