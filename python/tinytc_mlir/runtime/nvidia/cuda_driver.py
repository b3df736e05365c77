# SPDX-License-Identifier: BSD-3-Clause
"""Calls of the CUDA driver by cuda-bindings: the only module that imports it, on first use."""

from __future__ import annotations

import functools
import importlib
import sys
from typing import Any

from ...errors import DeviceError

PACKAGE = "cuda-bindings"
_MODULE = "cuda.bindings.driver"
# Advice for errors of the driver, by their number.
_ADVICE = {
    2: "the device has not enough free memory",
    3: "no NVIDIA driver works here",
    100: "the driver finds no NVIDIA device",
    209: "the program is for another kind of device",
    222: "the driver is too old for this code",
    701: "the kernel needs more registers or local memory than the device has",
    803: "the driver of the system and its libraries do not fit each other",
}
# After one of these nothing works in the context any more.
_FATAL = frozenset({700, 710, 714, 715, 716, 717, 718, 719})


class CudaError(Exception):
    """An error that the driver returned.

    Args:
        code: its number.
        text: its name and what it means.
    """

    def __init__(self, code: int, text: str) -> None:
        self.code = code
        super().__init__(text)


@functools.cache
def driver() -> Any:
    """Return the module of the driver's functions, after their initialisation.

    Raises:
        DeviceError: the package or the driver is missing.
    """
    try:
        functions = importlib.import_module(_MODULE)
    except ImportError as error:
        raise DeviceError(
            f"expected the package {PACKAGE} (pip install 'tinytc-mlir[cuda]'), got an import "
            f"error: {error}"
        ) from error
    try:
        result(functions, functions.cuInit(0))
    except Exception as error:  # without the library, the package raises an error of its own
        raise DeviceError(f"expected an NVIDIA driver, got none that works: {error}") from error
    return functions


def result(functions: Any, returned: tuple[Any, ...]) -> Any:
    """Return what a function of the driver returned after its status.

    Raises:
        CudaError: the status is an error.
    """
    status = int(returned[0])
    if status:
        name = functions.cuGetErrorName(returned[0])[1]
        text = name.decode() if isinstance(name, bytes) else str(name)
        if status in _ADVICE:
            text = f"{_ADVICE[status]} ({text})"
        elif status in _FATAL:
            text = f"{text}; CUDA cannot be used in this process any more"
        raise CudaError(status, text)
    return returned[1] if len(returned) == 2 else None


def call(name: str, *arguments: Any) -> Any:
    """Call a function of the driver.

    Raises:
        CudaError: it returned an error.
    """
    functions = driver()
    return result(functions, getattr(functions, name)(*arguments))


def is_native(handle: object, class_name: str) -> bool:
    """Whether an object is of a class of the driver's module; imports nothing."""
    functions = sys.modules.get(_MODULE)
    return functions is not None and isinstance(handle, getattr(functions, class_name))
