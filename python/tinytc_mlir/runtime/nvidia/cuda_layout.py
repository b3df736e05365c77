# SPDX-License-Identifier: BSD-3-Clause
"""Arrays on NVIDIA devices that look like one that a launch has checked."""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol, cast

from ..arrays.array_view import ArrayView
from ..protocol import Pointer, PointerOf
from .cuda_array import PROTOCOL, CudaArray, has_interface, stream_of
from .cuda_device import CudaDevice, ordinal_of


class _Stream(Protocol):
    """The part of a queue that is needed here."""

    device: CudaDevice
    native: Any

    def wait_for(self, stream: int) -> None:
        """Let later launches wait for another stream."""


def pointers_like(array: object, view: ArrayView, divisor: int, queue: _Stream) -> PointerOf | None:
    """Return what points to arrays that look like one, and waits for their streams.

    Args:
        array: the array, with CUDA's array interface; the result for others is None.
        view: what it became.
        divisor: addresses must leave the same remainder.
        queue: where launches are started, on the device of the array.
    """
    if view.memory is not array or not has_interface(array):
        return None
    try:
        type_, look = cast("Any", type(array)), _look(getattr(array, PROTOCOL))
    except Exception:  # by code of the library, or it has a number instead of sizes
        return None
    remainder, ordinal, native = view.address % divisor, queue.device.ordinal, int(queue.native)
    # Keeps no array alive; where the elements are, pointers say.
    layout = dataclasses.replace(view, address=0, array=None, memory=None)
    is_ours = type_ is CudaArray

    def pointer_of(array: Any) -> Pointer | None:
        if type(array) is not type_:
            return None
        try:
            interface = array.__cuda_array_interface__
            address, stream = interface["data"][0], stream_of(interface)
            if _look(interface) != look or address % divisor != remainder:
                return None
            # The driver need not be asked about memory of ours.
            found = array.__dlpack_device__()[1] if is_ours else ordinal_of(address)
        except Exception:  # by code of the library; the checks of a first launch say what it means
            return None
        if found != ordinal:
            return None
        if stream is not None and stream != native:
            queue.wait_for(stream)
        return Pointer(array, address, layout)

    return pointer_of


def _look(interface: dict[str, Any]) -> tuple[object, ...]:
    """Return all that a launch depends on but the address and the stream."""
    shape, strides = tuple(interface["shape"]), interface.get("strides")
    strides = strides if strides is None else tuple(strides)  # a list may change
    return shape, strides, interface["typestr"], interface["data"][1], interface.get("mask") is None
