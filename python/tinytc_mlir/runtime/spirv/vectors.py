# SPDX-License-Identifier: BSD-3-Clause
"""Whether the CPU driver has formed vectors of a kernel.

Intel's driver computes with the lanes of a subgroup as one vector. If its compiler gives that up,
it says so in the build log only, and runs each work-item as a subgroup of its own: all of them take
themselves for the first lane, and what the others should do is not done.
"""

from __future__ import annotations

import re

from .code import tells_lanes_apart

_NOT_VECTORIZED = re.compile(r'Kernel "(?P<name>[^"]*)" was not vectorized')


def lost_lanes(spirv: bytes, log: str) -> str | None:
    """Return the name of a kernel that the driver computes with the first lane alone, if any.

    Args:
        spirv: the module that was built.
        log: the driver's messages from building it.

    >>> lost_lanes(b"", 'Kernel "f" was successfully vectorized (16)') is None
    True
    """
    found = _NOT_VECTORIZED.search(log)
    if found is None or not tells_lanes_apart(spirv):
        return None
    return found["name"]


def problem(name: str) -> str:
    """Return the message for such a kernel."""
    return (
        f"{name}: expected the driver to compute with all lanes of a subgroup, got code for the "
        "first lane alone; another subgroup_size, or the target 'native', may avoid that"
    )
