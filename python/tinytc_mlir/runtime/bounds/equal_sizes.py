# SPDX-License-Identifier: BSD-3-Clause
"""Entries of the manifest for sizes that must be equal."""

from __future__ import annotations

import dataclasses
from typing import Any

from ...errors import describe
from .launch_sums import (
    Known,
    Sum,
    json_integer,
    json_list,
    json_object,
    needed_names,
    sized_in,
    sum_from_list,
    sum_to_list,
)


@dataclasses.dataclass(frozen=True)
class EqualSizes:
    """Two sizes that an instruction requires to be equal.

    Args:
        size: size of a mode of a factor.
        expected: size of the mode that gives the product its size.
        instruction: name of the first instruction that requires it.
        line: its line, if it is known.
        conditions: the first group executes it if none of these sums is negative.
        reason: why it is not known whether any group executes it even then; "" if one does.
    """

    size: Sum
    expected: Sum
    instruction: str
    line: int | None = None
    conditions: tuple[Sum, ...] = ()
    reason: str = ""

    @property
    def sized(self) -> set[str]:
        """The parameters whose modes are mentioned."""
        return set().union(*map(sized_in, (self.size, self.expected, *self.conditions)))

    @property
    def needed(self) -> set[str]:
        """The groups without whose members they say nothing, among others."""
        return needed_names((self.size, self.expected, *self.conditions))

    def __str__(self) -> str:
        place = "" if self.line is None else f" in line {self.line}"
        return f"{self.instruction}{place}: {self.reason}"


def sizes_to_dict(sizes: EqualSizes) -> dict[str, Any]:
    """Return sizes as the manifest has them."""
    sums = {"size": sum_to_list(sizes.size), "expected": sum_to_list(sizes.expected)}
    result = sums | {"instruction": sizes.instruction, "line": sizes.line}
    if sizes.conditions:
        result["conditions"] = list(map(sum_to_list, sizes.conditions))
    return result | ({"reason": sizes.reason} if sizes.reason else {})


def sizes_from_dict(data: object, values: Known) -> EqualSizes:
    """Return sizes of the manifest.

    Args:
        data: an object of JSON.
        values: what the host knows of each parameter, as for `sum_from_list`.

    Raises:
        ValueError: `expected ..., got ...`.
    """
    fields = json_object(data, "sizes")
    instruction, line = fields.get("instruction"), fields.get("line")
    if not isinstance(instruction, str):
        raise ValueError(f"expected the name of an instruction, got {describe(instruction)}")
    reason = fields.get("reason", "")
    if not isinstance(reason, str):
        raise ValueError(f"expected a reason, got {describe(reason)}")
    conditions = json_list(fields.get("conditions", []), "conditions")
    return EqualSizes(
        sum_from_list(fields.get("size"), values),
        sum_from_list(fields.get("expected"), values),
        instruction,
        None if line is None else json_integer(line, "a line", 0, 2**32),
        tuple(sum_from_list(each, values) for each in conditions),
        reason,
    )
