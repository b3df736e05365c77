# SPDX-License-Identifier: BSD-3-Clause
"""The ceilings of a roofline, measured: fused multiply-adds per second and copied bytes per second.

They are timed in the same rounds as the kernels, since the machine may be shared.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from tinytc_mlir.runtime.arrays.memory import empty

from .native import library

_FMA_TYPES = {"f32": "f32", "c32": "f32", "f64": "f64", "c64": "f64"}
_FMA_ITERATIONS = 10_000


@dataclasses.dataclass(frozen=True)
class Ceiling:
    """Something to time whose rate is an upper bound for kernels.

    Args:
        run: does the work once.
        amount: operations, or bytes read and written, of one run.
    """

    run: Callable[[], Any]
    amount: float


def fma(type_: str) -> Ceiling:
    """Return fused multiply-adds in registers of all cores, for results of a type.

    Raises:
        NativeError: the C source cannot be compiled.
    """
    element = _FMA_TYPES[type_]
    function = getattr(library("ceilings"), f"fma_{element}")
    function.restype = ctypes.c_double
    result = (ctypes.c_float if element == "f32" else ctypes.c_double)()

    def run(iterations: int = _FMA_ITERATIONS) -> float:
        return float(function(ctypes.c_long(iterations), ctypes.byref(result)))

    return Ceiling(run, run(1) * _FMA_ITERATIONS)


def copies(footprint_bytes: int) -> dict[str, Ceiling]:
    """Return two ways to copy between arrays that are together as large as those of a kernel.

    For large arrays, memcpy bypasses the caches when it writes; plain stores, like those of a
    kernel, first read what they replace.

    Args:
        footprint_bytes: size of source and target together.

    Raises:
        NativeError: the C source cannot be compiled.
    """
    native = library("ceilings")
    size = max(footprint_bytes // 2, 64) // 64 * 64
    source, target = empty(size, np.int8), empty(size, np.int8)
    source[:], target[:] = 1, 0
    addresses = [ctypes.c_void_p(array.ctypes.data) for array in (target, source)]

    def run(function: Any, _keep: Any = (source, target)) -> None:
        function(*addresses, ctypes.c_long(size))

    for function in (native.copy_pieces, native.copy_plain):
        function.restype = None
    return {
        "copy": Ceiling(functools.partial(run, native.copy_pieces), 2 * size),
        "copy_plain": Ceiling(functools.partial(run, native.copy_plain), 2 * size),
    }
