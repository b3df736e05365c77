# SPDX-License-Identifier: BSD-3-Clause
"""Names of derivatives and batches of an operation of PyTorch.

Caches of `torch.compile` last longer than a process: the next one calls these operations by name,
before anything has been differentiated in it. So a name says how its operation is derived.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from torch._ops import _OpNamespace


def derived_name(name: str, kind: str, numbers: Iterable[int]) -> str:
    """Return the name of a derivative or a batch of an operation.

    Args:
        name: the operation.
        kind: "vjp", "jvp" or "batch".
        numbers: of the inputs that it is differentiated by, or that a batch has several of.

    >>> derived_name("physics::energy", "vjp", [0, 2])
    'physics::energy_vjp_0_2'
    """
    return "_".join([name, kind, *map(str, sorted(numbers))])


def parse_name(name: str) -> tuple[str, str, list[int]] | None:
    """Return the arguments of `derived_name` for a name, None if it is no such name.

    >>> parse_name("physics::energy_vjp_0_2_jvp_1")
    ('physics::energy_vjp_0_2', 'jvp', [1])
    """
    match = re.fullmatch(r"(.+)_(vjp|jvp|batch)((?:_\d+)+)", name)
    if match is None:
        return None
    return match[1], match[2], [int(number) for number in match[3].split("_")[1:]]


def find_derived(namespace: Any, find: Callable[[str], object]) -> None:
    """Let a namespace of `torch.ops` define derivatives and batches when they are asked for.

    Args:
        namespace: `torch.ops.physics` or the like.
        find: defines the operation of a qualified name, and returns None if it cannot.
    """
    if type(namespace) is not _OpNamespace:
        return

    class Operations(_OpNamespace):  # type: ignore[misc]
        """A namespace with derivatives and batches."""

        __module__ = _OpNamespace.__module__  # a part of the names of its operations

        def __getattr__(self, op_name: str) -> Any:
            try:
                return super().__getattr__(op_name)
            except AttributeError:
                if find(f"{self.name}::{op_name}") is None:
                    raise
                return super().__getattr__(op_name)

    namespace.__class__ = Operations
