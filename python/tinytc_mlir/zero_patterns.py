# SPDX-License-Identifier: BSD-3-Clause
"""Patterns of zeros: the boxes outside of which all elements of an array are zero."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .errors import describe
from .shapes import Boxes


def boxes_of(pattern: object, order: int, *, reverse: bool = False) -> Boxes:
    """Return a pattern of zeros as boxes.

    Args:
        pattern: boxes, each a sequence of `begin, end` for each of the first modes; or an array of
            bool, where the elements may be other than zero, with a mode for each of the first ones.
        order: number of modes that an array has at least.
        reverse: whether the modes of the boxes are in the opposite order.

    Raises:
        TypeError: it is neither.

    >>> import numpy as np
    >>> boxes_of(np.tri(3, dtype=bool), 2)
    ((0, 3, 0, 1), (1, 3, 1, 2), (2, 3, 2, 3))
    >>> boxes_of([(0, 2, 1, 3)], 2, reverse=True)
    ((1, 3, 0, 2),)
    """
    if isinstance(pattern, np.ndarray):
        if pattern.dtype != np.bool_ or pattern.ndim > order:
            given = f"dtype {pattern.dtype} and {pattern.ndim} modes"
            raise TypeError(f"expected an array of bool with at most {order} modes, got {given}")
        return _boxes_of_mask(pattern.T if reverse else pattern)
    if not isinstance(pattern, (list, tuple)):
        raise TypeError(f"expected boxes or an array of bool, got {describe(pattern)}")
    boxes = []
    for box in pattern:
        if not isinstance(box, (list, tuple)) or not all(type(each) is int for each in box):
            message = "expected a box such as (0, 8, 4, 12), two integers for a mode"
            raise TypeError(f"{message}, got {describe(box)}")
        if len(box) % 2 or len(box) > 2 * order:
            message = f"expected two integers for each of at most {order} modes"
            raise TypeError(f"{message}, got {len(box)} integers in {tuple(box)}")
        ranges = [(box[n], box[n + 1]) for n in range(0, len(box), 2)]
        boxes.append(tuple(bound for each in ranges[:: -1 if reverse else 1] for bound in each))
    return tuple(boxes)


def _boxes_of_mask(mask: npt.NDArray[np.bool_]) -> Boxes:
    """Return boxes for equal neighbours along the last mode, which do not overlap."""
    if mask.ndim == 0:
        return ((),) if mask else ()
    found: list[tuple[int, ...]] = []
    begin = 0
    for end in range(1, mask.shape[-1] + 1):
        if end < mask.shape[-1] and np.array_equal(mask[..., begin], mask[..., end]):
            continue
        found += [(*box, begin, end) for box in _boxes_of_mask(mask[..., begin])]
        begin = end
    return tuple(found)


def mask_of(boxes: Sequence[Sequence[int]], shape: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Return where the elements of an array may be other than zero.

    >>> mask_of([(0, 1, 0, 2), (1, 2, 1, 2)], (2, 2)).astype(int).tolist()
    [[1, 1], [0, 1]]
    """
    mask = np.zeros(tuple(shape), bool)
    for box in boxes:
        mask[tuple(slice(box[n], box[n + 1]) for n in range(0, len(box), 2))] = True
    return mask
