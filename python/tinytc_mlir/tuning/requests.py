# SPDX-License-Identifier: BSD-3-Clause
"""Requests of `search` to a worker, and its answers, as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias, TypedDict


class _Settings(TypedDict):
    rounds: int
    block_s: float


class Request(TypedDict):
    """A request to a worker, as JSON."""

    module: str
    kernel: str
    target: str
    groups: int | Sequence[int]
    sizes: list[tuple[str, int, int]]
    scalars: dict[str, float]
    seed: int
    schedules: list[tuple[int, dict[str, int]]]
    settings: _Settings


# One line of what a worker answers.
Answer: TypeAlias = Mapping[str, object]
