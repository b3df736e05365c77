# SPDX-License-Identifier: BSD-3-Clause
"""The instructions that exchange values between the active work-items of a subgroup."""

from __future__ import annotations

import numpy as np

from . import arithmetic
from .checks import Violation
from .kernel import Builder, Handler, Step, element_type, keyword
from .machine import Site, State
from .rounding import Array
from .untyped import Ir


def broadcast(builder: Builder, op: Ir) -> Step:
    """Compile `subgroup_broadcast`."""
    site = builder.site(op)
    a, lane, result = builder.slots([op.a, op.lane, op.result])

    def run(state: State) -> None:
        size = state.geometry.subgroup_size
        active = state.by_subgroup(state.spmd_lanes.active)
        chosen = state.uniform(site, state.values[lane], "lane")
        outside = ((chosen < 0) | (chosen >= size)) & active.any(axis=1)
        rule = f"expected 'lane' to lie in [0, {size})"
        state.check(site, Violation(np.repeat(outside, size), rule, np.repeat(chosen, size)))
        index = (np.arange(len(chosen)), np.where(outside, 0, chosen) % size)
        absent = ~active[index] & active.any(axis=1)
        rule = "expected 'lane' to name a work-item that executes the broadcast"
        state.check(site, Violation(np.repeat(absent, size), rule, np.repeat(chosen, size)))
        state.values[result] = np.repeat(state.by_subgroup(state.values[a])[index], size)

    return run


def _expect_first_lanes(state: State, site: Site, active: Array) -> None:
    """Fail if a work-item scans and one before it in its subgroup does not."""
    has_gap = (~active[:, :-1] & active[:, 1:]).any(axis=1)
    if has_gap.any():
        subgroup = int(np.argmax(has_gap))
        lanes = ", ".join(map(str, np.flatnonzero(active[subgroup])))
        state.fail(
            site,
            f"expected the first work-items of subgroup {subgroup} to execute '{site.name}', got "
            f"{lanes}",
        )


_SUBGROUP_IDENTITIES = {
    "add": lambda scalar_type: 0,
    "max": arithmetic.smallest,
    "min": arithmetic.largest,
}


def _subgroup_operation(word: str) -> Handler:
    def compile_(builder: Builder, op: Ir) -> Step:
        site = builder.site(op)
        a, result = builder.slots([op.a, op.result])
        mode = keyword(op, "mode", "reduce")
        scalar_type = element_type(op.result.type)
        combine = builder.arithmetic.binary(word, scalar_type)
        identity = _SUBGROUP_IDENTITIES[word](scalar_type)
        first = neutral = builder.arithmetic.constant(scalar_type, identity)
        if word != "add" and scalar_type.kind == "floating":
            neutral = builder.arithmetic.constant(scalar_type, np.nan)  # which loses to infinities

        def run(state: State) -> None:
            values = state.by_subgroup(state.values[a])
            active = state.by_subgroup(state.spmd_lanes.active)
            if mode != "reduce":
                _expect_first_lanes(state, site, active)
            total: Array = np.full(len(values), neutral)
            scan = np.empty(values.shape, values.dtype)
            for lane in range(values.shape[1]):
                before = total
                total = np.where(active[:, lane], combine(total, values[:, lane]), total)
                scan[:, lane] = before if mode == "exclusive_scan" else total
            if mode == "exclusive_scan":
                scan[:, 0] = first
            if mode == "reduce":
                scan[:] = total[:, None]
            state.values[result] = scan.reshape(-1)

        return run

    return compile_


HANDLERS: dict[str, Handler] = {
    "tinytc.subgroup_broadcast": broadcast,
    **{f"tinytc.subgroup_{word}": _subgroup_operation(word) for word in _SUBGROUP_IDENTITIES},
}
