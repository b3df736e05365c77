# SPDX-License-Identifier: BSD-3-Clause
"""Functions of SYCL's library that dpctl lacks, by the names that its linker knows.

`test/python/runtime/test_sycl_symbols.py` fails when dpctl offers more than it did, so that some of
this may go. What uses the functions does without them where they are missing.
"""

from __future__ import annotations

import ctypes
import functools
import pathlib
from collections.abc import Mapping
from typing import Any

#: sycl::context::getNative, sycl::device::getNative and sycl::kernel::getNative.
CONTEXT = "_ZNK4sycl3_V17context9getNativeEv"
DEVICE = "_ZNK4sycl3_V16device9getNativeEv"
KERNEL = "_ZNK4sycl3_V16kernel9getNativeEv"
#: sycl::detail::make_kernel_bundle, which takes a program of OpenCL.
BUNDLE = "_ZN4sycl3_V16detail18make_kernel_bundleEmRKNS0_7contextEbNS0_12bundle_stateENS0_7backendE"
NEW, DELETE = "_Znwm", "DPCTLKernelBundle_Delete"
#: What programs of dpctl are made of binaries with.
OF_BINARIES = frozenset({CONTEXT, DEVICE, BUNDLE, NEW, DELETE})
_MAKER = "SyclProgram_Make"

_ADDRESS = ctypes.c_void_p
_SIGNATURES = {
    CONTEXT: [_ADDRESS],
    DEVICE: [_ADDRESS],
    KERNEL: [_ADDRESS],
    # First where the result goes, as a class with a destructor is returned.
    BUNDLE: [_ADDRESS, _ADDRESS, _ADDRESS, ctypes.c_bool, ctypes.c_int, ctypes.c_byte],
    NEW: [ctypes.c_size_t],
    DELETE: [_ADDRESS],
}


@functools.cache
def sycl_functions(folder: pathlib.Path) -> Mapping[str, Any]:
    """Return the functions above that dpctl's library in a folder has, by name."""
    found: dict[str, Any] = {}
    for path in folder.glob("libDPCTLSyclInterface.so*"):
        library = ctypes.CDLL(str(path))  # names are looked up in the libraries that it needs, too
        for name, types in _SIGNATURES.items():
            function = getattr(library, name, None)
            if function is not None:
                function.argtypes, function.restype = types, _ADDRESS
                found.setdefault(name, function)
    return found


@functools.cache
def program_maker(module: Any) -> Any:
    """Return dpctl's function that makes a program of a bundle, None without it."""
    capsule = getattr(getattr(module, "_program", module), "__pyx_capi__", {}).get(_MAKER)
    if capsule is None:
        return None
    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of.restype, pointer_of.argtypes = _ADDRESS, [ctypes.py_object, ctypes.c_char_p]
    address = pointer_of(capsule, name_of(capsule))
    return ctypes.PYFUNCTYPE(ctypes.py_object, _ADDRESS)(address)
