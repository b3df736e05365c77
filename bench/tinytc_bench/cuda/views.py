# SPDX-License-Identifier: BSD-3-Clause
"""Parts of arrays on a device."""

from __future__ import annotations

from typing import Any

from tinytc_mlir.runtime.nvidia.cuda_array import PROTOCOL


class Part:
    """A part of an array on a device, which kernels take like a whole one.

    Args:
        whole: an array with CUDA's array interface.
        offset: bytes before the first element.
        shape: size of every mode.
        strides: distances of neighbours in bytes.
    """

    def __init__(
        self, whole: Any, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]
    ) -> None:
        interface: dict[str, Any] = dict(getattr(whole, PROTOCOL))
        address, is_read_only = interface["data"]
        interface["data"] = (address + offset, is_read_only)
        self._interface = interface | {"shape": shape, "strides": strides}
        self._whole = whole  # keeps the memory

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The interface that libraries read."""
        return self._interface
