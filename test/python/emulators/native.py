"""What the emulators compute in C++: fused multiply-adds, and races."""

import ctypes
import functools
import pathlib
import subprocess
import tempfile

import numpy as np

SOURCE = pathlib.Path(__file__).with_name("shadow.cpp")


@functools.cache
def library():
    """Return the compiled helpers."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "shadow.so")
        command = ["c++", "-std=c++17", "-O2", "-march=native", "-shared", "-fPIC"]
        subprocess.run([*command, "-o", path, SOURCE], check=True)
        return ctypes.CDLL(str(path))


def pointer(array):
    """Return the address of an array, null for None."""
    return None if array is None else ctypes.c_void_p(array.ctypes.data)


class Shadow(ctypes.Structure):
    """Who accessed each byte of a memory last; shadow.cpp has the same."""

    _fields_ = [
        (name, ctypes.c_void_p)
        for name in ("writer", "written", "reader", "read", "constant", "bytes")
    ]


class Threads(ctypes.Structure):
    """The threads of a launch; shadow.cpp has the same."""

    _fields_ = [
        ("epoch", ctypes.c_void_p),
        ("domain", ctypes.c_void_p),
        ("base", ctypes.c_int64),
    ]


def fused_multiply_add(a, b, c, dtype):
    """Return a * b + c, rounded once."""
    shape = np.broadcast_shapes(np.shape(a), np.shape(b), np.shape(c))
    a, b, c = (np.ascontiguousarray(np.broadcast_to(x, shape), dtype) for x in (a, b, c))
    result = np.empty(shape, dtype)
    function = library().fmaDouble if dtype == np.float64 else library().fmaFloat
    function(ctypes.c_int64(result.size), *map(pointer, (a, b, c, result)))
    return result
