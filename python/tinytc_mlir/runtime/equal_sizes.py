"""What the manifest says about sizes that must be equal."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import describe
from .launch_sums import Sum, json_integer, json_object, sum_from_list, sum_to_list


@dataclasses.dataclass(frozen=True)
class EqualSizes:
    """Two sizes that an instruction of all groups requires to be equal.

    Args:
        size: size of a mode of a factor.
        expected: size of the mode that gives the product its size.
        instruction: name of the first instruction that requires it.
        line: its line, if it is known.
    """

    size: Sum
    expected: Sum
    instruction: str
    line: int | None = None


def sizes_to_dict(sizes: EqualSizes) -> dict[str, Any]:
    """Return sizes as the manifest has them."""
    sums = {"size": sum_to_list(sizes.size), "expected": sum_to_list(sizes.expected)}
    return sums | {"instruction": sizes.instruction, "line": sizes.line}


def sizes_from_dict(data: object, values: Mapping[str, Sequence[int | None]]) -> EqualSizes:
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
    return EqualSizes(
        sum_from_list(fields.get("size"), values),
        sum_from_list(fields.get("expected"), values),
        instruction,
        None if line is None else json_integer(line, "a line", 0, 2**32),
    )
