# SPDX-License-Identifier: BSD-3-Clause
"""Patterns of zeros: which elements of memory are promised to be zero, and to stay so."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..shapes import Boxes
from ..zero_patterns import mask_of
from .memory import GroupValue, MemrefValue
from .untyped import Ir, Value


def promised_boxes(attribute: Ir) -> Boxes:
    """Return the boxes of an attribute `nonzero`."""
    return tuple(tuple(box) for box in attribute)


def promise_zeros(value: Value, boxes: Sequence[Sequence[int]]) -> None:
    """Let accesses check that a memref, or the members of a group, are zero outside of boxes."""
    if isinstance(value, GroupValue):
        for member in value.members:
            promise_zeros(member, boxes)
        return
    assert isinstance(value, MemrefValue)
    if not value.is_associated:
        return
    places = np.indices(value.shape).reshape(value.order, -1)
    addresses = value.offset + np.asarray(value.stride, np.int64) @ places
    zeros = np.zeros(len(value.storage.flat), bool)
    zeros[addresses[~mask_of(boxes, value.shape).reshape(-1)]] = True
    value.storage.add_zeros(zeros)


def patterns_of_parameters(func: Ir) -> dict[int, Boxes]:
    """Return the patterns of zeros of a kernel's parameters, by their number."""
    found = {}
    for number, attributes in enumerate(func.arg_attrs or ()):
        if "tinytc.nonzero" in attributes:
            found[number] = promised_boxes(attributes["tinytc.nonzero"])
    return found


def promise_of_parameters(func: Ir, values: Sequence[Value]) -> None:
    """Let accesses check the patterns of zeros of a kernel's parameters."""
    for number, boxes in patterns_of_parameters(func).items():
        promise_zeros(values[number], boxes)
