# SPDX-License-Identifier: BSD-3-Clause
"""Makes programs of dpctl from code that the OpenCL driver has built before.

dpctl only builds programs from source, but what it calls for that is in SYCL's library: the
interoperability with OpenCL, here called by the names that the linker knows. Without them, and for
releases of dpctl for which nobody has tried this, programs are built as always.
"""

from __future__ import annotations

import ctypes
import functools
import pathlib
from typing import Any

from .build_log import opencl

_EXECUTABLE, _OPENCL = 2, 1  # of SYCL's enumerations of the states of bundles and of backends
_SHARED_POINTER_BYTES = 16
_CONTEXT = "_ZNK4sycl3_V17context9getNativeEv"
_DEVICE = "_ZNK4sycl3_V16device9getNativeEv"
_BUNDLE = (
    "_ZN4sycl3_V16detail18make_kernel_bundleEmRKNS0_7contextEbNS0_12bundle_stateENS0_7backendE"
)
_NEW, _DELETE = "_Znwm", "DPCTLKernelBundle_Delete"
_MAKER = "SyclProgram_Make"

_ADDRESS = ctypes.c_void_p
_SIGNATURES = {
    _CONTEXT: [_ADDRESS],
    _DEVICE: [_ADDRESS],
    # First where the result goes, as a class with a destructor is returned.
    _BUNDLE: [_ADDRESS, _ADDRESS, _ADDRESS, ctypes.c_bool, ctypes.c_int, ctypes.c_byte],
    _NEW: [ctypes.c_size_t],
    _DELETE: [_ADDRESS],
}


def program_of_binary(code: bytes, queue: Any, folder: pathlib.Path, module: Any) -> Any:
    """Return the program of dpctl for what the driver has built, None if that cannot be done.

    Args:
        code: what the driver has built.
        queue: dpctl queue.
        folder: where the library of dpctl is.
        module: dpctl's module of programs.
    """
    library, functions, make = opencl(), _functions(folder), _maker(module)
    if library is None or functions is None or make is None:
        return None
    context = _ADDRESS(functions[_CONTEXT](queue.sycl_context.addressof_ref()))
    device = _ADDRESS(functions[_DEVICE](queue.sycl_device.addressof_ref()))
    program = _opencl_program(library, context, device, code)
    library.clReleaseContext(context)
    if program is None:
        return None
    bundle = functions[_NEW](_SHARED_POINTER_BYTES)
    functions[_BUNDLE](
        bundle, program, queue.sycl_context.addressof_ref(), False, _EXECUTABLE, _OPENCL
    )
    library.clReleaseProgram(program)  # SYCL has a reference of its own
    made = make(bundle)  # of a copy
    functions[_DELETE](bundle)
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


@functools.cache
def _functions(folder: pathlib.Path) -> dict[str, Any] | None:
    """Return the functions of SYCL by name, None if one is missing."""
    for path in folder.glob("libDPCTLSyclInterface.so*"):
        library = ctypes.CDLL(str(path))  # names are looked up in the libraries that it needs, too
        if all(hasattr(library, name) for name in _SIGNATURES):
            functions = {name: getattr(library, name) for name in _SIGNATURES}
            for name, function in functions.items():
                function.argtypes, function.restype = _SIGNATURES[name], _ADDRESS
            return functions
    return None


@functools.cache
def _maker(module: Any) -> Any:
    """Return dpctl's function that makes a program of a bundle, None without it."""
    capsule = getattr(getattr(module, "_program", module), "__pyx_capi__", {}).get(_MAKER)
    if capsule is None:
        return None
    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of.restype, pointer_of.argtypes = _ADDRESS, [ctypes.py_object, ctypes.c_char_p]
    address = pointer_of(capsule, name_of(capsule))
    return ctypes.PYFUNCTYPE(ctypes.py_object, _ADDRESS)(address)
