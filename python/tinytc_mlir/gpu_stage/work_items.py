# SPDX-License-Identifier: BSD-3-Clause
"""What work-items know of themselves: the values of the gpu dialect's numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..reference.machine import Geometry, Site
from ..reference.rounding import Array
from ..reference.untyped import Value
from .findings import Findings, Kind
from .lanes import Lanes


@dataclasses.dataclass(frozen=True)
class At:
    """Where the work-items of a team are; fields are named like the operations.

    Args:
        block_id: the work-group, in three modes.
        grid_dim: number of work-groups.
        block_dim: number of work-items.
        thread_id: work-items in the work-group.
        lane_id: work-items in their subgroups.
        subgroup_id: subgroups.
        subgroup_size: number of work-items in a subgroup.
        num_subgroups: number of subgroups.
        buffers: addresses of the buffers of local memory.
        constants: those of constants.
        findings: where faults are reported.
    """

    block_id: tuple[Any, ...]
    grid_dim: tuple[Any, ...]
    block_dim: tuple[Any, ...]
    thread_id: tuple[Any, ...]
    lane_id: Any
    subgroup_id: Any
    subgroup_size: Any
    num_subgroups: Any
    buffers: tuple[Any, ...]
    constants: tuple[Any, ...]
    findings: Findings

    def check_divisor(self, site: Site, lanes: Lanes, divisor: Value) -> None:
        """Report a division by zero."""
        is_zero = lanes.spread(divisor) == 0
        if is_zero.any():
            who = int(lanes.active[np.argmax(is_zero)])
            message = f"expected a divisor that differs from 0, got 0 in work-item {who}"
            self.findings.add(Kind.DIVISION, site, message)


def describe(
    geometry: Geometry,
    numbers: Array,
    grid: tuple[Sequence[int], Sequence[int]],
    places: tuple[Sequence[int], Sequence[int]],
    findings: Findings,
) -> At:
    """Return where work-items are.

    Args:
        geometry: the work-group's size.
        numbers: (n,) array of the work-items, counted along the first mode first.
        grid: the work-group and the number of work-groups, in three modes.
        places: addresses of the buffers of local memory, and those of constants.
        findings: where faults are reported.
    """
    rows, columns = geometry.work_group_size
    size = geometry.subgroup_size
    index = np.int64
    return At(
        block_id=tuple(map(index, grid[0])),
        grid_dim=tuple(map(index, grid[1])),
        block_dim=(index(rows), index(columns), index(1)),
        thread_id=(_uniform(numbers % rows), _uniform(numbers // rows), index(0)),
        lane_id=_uniform(numbers % size),
        subgroup_id=_uniform(numbers // size),
        subgroup_size=index(size),
        num_subgroups=index(geometry.subgroups),
        buffers=tuple(map(index, places[0])),
        constants=tuple(map(index, places[1])),
        findings=findings,
    )


def _uniform(values: Array) -> Value:
    """Return a scalar for integers that are all the same."""
    return values[0] if (values == values[0]).all() else values
