# SPDX-License-Identifier: BSD-3-Clause
"""Makes programs of dpctl from code that the OpenCL driver has built before.

dpctl only builds programs from source, but what it calls for that is in SYCL's library: the
interoperability with OpenCL (`sycl_symbols`). Without it, and for
releases of dpctl for which nobody has tried this, programs are built as always.
"""

from __future__ import annotations

import ctypes
import pathlib
from typing import Any

from . import sycl_symbols as symbols
from .build_log import opencl

_EXECUTABLE, _OPENCL = 2, 1  # of SYCL's enumerations of the states of bundles and of backends
_SHARED_POINTER_BYTES = 16
_ADDRESS = ctypes.c_void_p


def program_of_binary(code: bytes, queue: Any, folder: pathlib.Path, module: Any) -> Any:
    """Return the program of dpctl for what the driver has built, None if that cannot be done.

    Args:
        code: what the driver has built.
        queue: dpctl queue.
        folder: where the library of dpctl is.
        module: dpctl's module of programs.
    """
    library, make = opencl(), symbols.program_maker(module)
    functions = symbols.sycl_functions(folder)
    if library is None or make is None or not functions.keys() >= symbols.OF_BINARIES:
        return None
    context = _ADDRESS(functions[symbols.CONTEXT](queue.sycl_context.addressof_ref()))
    device = _ADDRESS(functions[symbols.DEVICE](queue.sycl_device.addressof_ref()))
    program = _opencl_program(library, context, device, code)
    library.clReleaseContext(context)
    if program is None:
        return None
    bundle = functions[symbols.NEW](_SHARED_POINTER_BYTES)
    functions[symbols.BUNDLE](
        bundle, program, queue.sycl_context.addressof_ref(), False, _EXECUTABLE, _OPENCL
    )
    library.clReleaseProgram(program)  # SYCL has a reference of its own
    made = make(bundle)  # of a copy
    functions[symbols.DELETE](bundle)
    return made


def _opencl_program(
    library: Any, context: ctypes.c_void_p, device: ctypes.c_void_p, code: bytes
) -> ctypes.c_void_p | None:
    status, outcome = ctypes.c_int(0), ctypes.c_int(0)
    create = library.clCreateProgramWithBinary
    create.restype = _ADDRESS
    size, start = ctypes.c_size_t(len(code)), ctypes.c_char_p(code)
    places = (ctypes.byref(size), ctypes.byref(start))
    outcomes = (ctypes.byref(outcome), ctypes.byref(status))
    program = _ADDRESS(create(context, 1, ctypes.byref(device), *places, *outcomes))
    if status.value or outcome.value:
        return None
    if library.clBuildProgram(program, 1, ctypes.byref(device), b"", None, None):
        library.clReleaseProgram(program)
        return None
    return program
