# SPDX-License-Identifier: BSD-3-Clause
"""The list of all cases, and the selection of some of them."""

from __future__ import annotations

import fnmatch
import functools
from collections.abc import Sequence

from tinytc_mlir.errors import TinyTCError, hint

from .bandwidth_cases import bandwidth_cases
from .case import Case
from .fused_cases import fused_cases
from .gemm_cases import gemm_cases
from .recipe_cases import recipe_cases
from .seissol_cases import seissol_cases


@functools.cache
def all_cases() -> dict[str, Case]:
    """Return all cases by name, in the order of the report."""
    cases = [
        *gemm_cases(),
        *fused_cases(),
        *bandwidth_cases(),
        *recipe_cases(),
        *seissol_cases(),
    ]
    return {case.name: case for case in cases}


def select(patterns: Sequence[str]) -> list[Case]:
    """Return the cases that patterns name, all without patterns.

    Args:
        patterns: names, beginnings of names up to a dot, or shell wildcards.

    Raises:
        TinyTCError: a pattern names no case.

    >>> [case.name for case in select(["fused.f32.sample"])]
    ['fused.f32.sample']
    """
    cases = all_cases()
    for pattern in patterns:
        if not any(_matches(name, pattern) for name in cases):
            raise TinyTCError(
                f"expected the name of a case or the beginning of one, got {pattern!r}"
                + hint(pattern, list(cases))
            )
    return [
        case
        for name, case in cases.items()
        if not patterns or any(_matches(name, pattern) for pattern in patterns)
    ]


def _matches(name: str, pattern: str) -> bool:
    return f"{name}.".startswith(f"{pattern}.") or fnmatch.fnmatchcase(name, pattern)
