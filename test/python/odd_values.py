"""Values that callers pass by mistake, for tests of the API."""

import ctypes
import datetime
import fractions
import itertools

import numpy as np
import pytest

from tinytc_mlir.runtime.launches.arguments import Group


class NoText:
    def __repr__(self):
        raise RuntimeError("no text")


class NoArray:
    def __array__(self, *_, **__):
        raise RuntimeError("no array")


class Usm:
    """An array of another library, whose description a test chooses."""

    def __init__(self, **changes):
        self.changes = changes

    @property
    def __sycl_usm_array_interface__(self):
        if None in self.changes.values():
            raise RuntimeError("no description")
        described = {"data": (4096, False), "shape": (4, 2), "strides": (1, 4), "typestr": "<f4"}
        return {**described, "version": 1, **self.changes}


NUMBERS = [True, np.True_, -1, 0, 3, 2**31, 2**63 - 1, 2**63, -(2**63) - 1, 2**64, 10**5000]
NUMBERS += [np.int8(-1), np.uint64(2**64 - 1), np.timedelta64(3, "s"), np.datetime64("2020")]
NUMBERS += [1.0, -0.5, float("nan"), float("inf"), 1e308, 1j, complex("nan"), np.float16(2)]
NUMBERS += [np.longdouble(10) ** 4000, fractions.Fraction(1, 3), datetime.timedelta(1)]
OBJECTS = [None, ..., "3", b"3", bytearray(b"33"), "", (), [], {}, {3}, object(), int, np.ndarray]
OBJECTS += [NoText(), NoArray(), iter([3]), range(4), itertools.count(), lambda: 3, Group([])]
OBJECTS += [memoryview(b"abc"), (ctypes.c_float * 4)(), ctypes.c_int(3), slice(3)]
ARRAYS = [np.array(3), np.zeros(0), np.zeros((4, 2), object), np.array(["a", "b"])]
ARRAYS += [
    np.zeros(8, "f4,i4"),
    np.zeros((4, 2), ">f4"),
    np.ma.zeros((4, 2), "f4"),
    np.zeros(3, "M8[s]"),
]
ARRAYS += [np.lib.stride_tricks.as_strided(np.zeros(1, "f4"), (4, 2), (2, 8))]
ARRAYS += [np.broadcast_to(np.float32(1), (4, 2)), np.zeros(3, "M8[s]"), np.zeros((1,) * 32, "f4")]
CHANGES = [
    {"data": 3},
    {"data": ("a", 1)},
    {"data": (-1, False)},
    {"data": (2**64, False)},
    {"shape": 3.5},
    {"shape": (-4, 2)},
    {"shape": (2**62, 2**62)},
    {"shape": (0, 2**62, 2**62, 2**62), "strides": None or ()},
    {"strides": (1,)},
    {"strides": (1, 2**64)},
    {"strides": "ab"},
    {"typestr": "|O"},
    {"typestr": "banana"},
    {"typestr": ()},
    {"offset": 2**70},
    {"offset": "a"},
    {"version": None},
]
ARRAYS += [Usm(**changes) for changes in CHANGES]
ODD = [*NUMBERS, *OBJECTS, *ARRAYS]


# The same in every process, unlike what some values look like.
NAMES = [f"{number}-{type(value).__name__}" for number, value in enumerate(ODD)]
odd = pytest.mark.parametrize("value", ODD, ids=NAMES)
