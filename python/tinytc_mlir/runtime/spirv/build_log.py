# SPDX-License-Identifier: BSD-3-Clause
"""Builds a SPIR-V binary with the OpenCL driver itself, since dpctl hides the build log.

Used after dpctl has failed to build a binary, and to measure builds: unlike those of dpctl, these
programs are freed.
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import functools
import itertools
import os
import time
from collections.abc import Iterator
from typing import Any

from .. import installed_packages
from . import driver

_DEVICE_TYPE_ALL = 0xFFFFFFFF
_DEVICE_NAME = 0x102B
_DEVICE_VENDOR = 0x102C
_DEVICE_TYPE = 0x1000
_DEVICE_TYPE_CPU = 1 << 1
_PROGRAM_DEVICES = 0x1163
_PROGRAM_BUILD_LOG = 0x1183
_PROGRAM_BINARY_SIZES = 0x1165
_PROGRAM_BINARIES = 0x1166
_LOADER = "libOpenCL.so.1"
_LOADER_PACKAGES = ("intel-cmplr-lib-rt", "intel-opencl-rt")
# Libraries that the packaged one needs but does not search in its own folder, in the order in which
# they need each other. Where SYCL is loaded, they are, too.
_LOADER_NEEDS = ("libintlc.so.5", "libimf.so", "libirng.so", "libsvml.so")


@dataclasses.dataclass(frozen=True)
class Build:
    """The outcome of building a binary.

    Args:
        log: the driver's messages.
        time_ns: time that the driver took.
        code: the device's program, None if the build failed.
    """

    log: str
    time_ns: int = 0
    code: bytes | None = None

    @property
    def code_bytes(self) -> int | None:
        """Size of the device's program, None if the build failed."""
        return None if self.code is None else len(self.code)


def build_log(spirv: bytes, device_name: str, options: str = "") -> str | None:
    """Return the log of building a binary, None if it is not available.

    Args:
        spirv: the binary.
        device_name: the driver's name of the device.
        options: those of the driver.
    """
    found = build(spirv, device_name, options)
    return None if found is None else found.log


def build(spirv: bytes, device_name: str, options: str = "") -> Build | None:
    """Build a binary, free the program and return the outcome; None without such a device.

    Args:
        spirv: the binary.
        device_name: the driver's name of the device.
        options: those of the driver.
    """
    library = opencl()
    if library is None:
        return None
    for device in _devices(library):
        if _device_text(library, device, _DEVICE_NAME) == device_name:
            return _build_for(library, device, spirv, options)
    return None


@functools.cache
def opencl() -> Any:
    """Return the OpenCL loader, preferably the one that comes with dpctl; None without any."""
    # The one that SYCL has loaded comes first: two loaders would know different drivers.
    loaded = (_LOADER, ctypes.DEFAULT_MODE | os.RTLD_NOLOAD)
    names = itertools.chain(_packaged_loaders(), [_LOADER])
    for name, mode in itertools.chain([loaded], ((name, ctypes.DEFAULT_MODE) for name in names)):
        try:
            library = ctypes.CDLL(name, mode)
        except OSError:
            continue
        for function in ("clCreateContext", "clCreateProgramWithIL"):
            getattr(library, function).restype = ctypes.c_void_p
        return library
    return None


def _packaged_loaders() -> Iterator[str]:
    """Yield the loaders that pip installed; what one needs is loaded then."""
    for package in _LOADER_PACKAGES:
        for path in installed_packages.files(package, _LOADER):
            for name in _LOADER_NEEDS:
                with contextlib.suppress(OSError):
                    ctypes.CDLL(os.path.join(os.path.dirname(path), name))
            yield path


def _devices(library: Any) -> list[ctypes.c_void_p]:
    count = ctypes.c_uint(0)
    library.clGetPlatformIDs(0, None, ctypes.byref(count))
    platforms = (ctypes.c_void_p * count.value)()
    library.clGetPlatformIDs(count, platforms, None)
    result: list[ctypes.c_void_p] = []
    for platform in platforms:
        arguments = (ctypes.c_void_p(platform), ctypes.c_uint64(_DEVICE_TYPE_ALL))
        number = ctypes.c_uint(0)
        library.clGetDeviceIDs(*arguments, 0, None, ctypes.byref(number))
        devices = (ctypes.c_void_p * number.value)()
        library.clGetDeviceIDs(*arguments, number, devices, None)
        result += [ctypes.c_void_p(device) for device in devices]
    return result


def _device_text(library: Any, device: ctypes.c_void_p, what: int) -> str:
    buffer = ctypes.create_string_buffer(1024)
    library.clGetDeviceInfo(device, what, ctypes.c_size_t(len(buffer)), buffer, None)
    return buffer.value.decode(errors="replace").strip()


def _options(library: Any, device: ctypes.c_void_p) -> bytes:
    kind = ctypes.c_uint64(0)
    room = (ctypes.c_size_t(ctypes.sizeof(kind)), ctypes.byref(kind), None)
    library.clGetDeviceInfo(device, _DEVICE_TYPE, *room)
    if not kind.value & _DEVICE_TYPE_CPU:
        return b""
    return driver.cpu_build_options(_device_text(library, device, _DEVICE_VENDOR)).encode()


def _build_for(library: Any, device: ctypes.c_void_p, spirv: bytes, options: str) -> Build | None:
    status = ctypes.c_int(0)
    context = ctypes.c_void_p(
        library.clCreateContext(None, 1, ctypes.byref(device), None, None, ctypes.byref(status))
    )
    if status.value:
        return None
    try:
        return _build_in_context(library, context, device, spirv, options)
    finally:
        library.clReleaseContext(context)


def _build_in_context(
    library: Any, context: ctypes.c_void_p, device: ctypes.c_void_p, spirv: bytes, options: str
) -> Build:
    status = ctypes.c_int(0)
    size = ctypes.c_size_t(len(spirv))
    begin = time.perf_counter_ns()
    program = ctypes.c_void_p(
        library.clCreateProgramWithIL(context, spirv, size, ctypes.byref(status))
    )
    if status.value:
        return Build(f"clCreateProgramWithIL failed with code {status.value}")
    try:
        words = options.encode() or _options(library, device)
        code = library.clBuildProgram(program, 1, ctypes.byref(device), words, None, None)
        time_ns = time.perf_counter_ns() - begin
        text = _log_for(library, program, device)
        text = text or f"clBuildProgram returned {code} and an empty log"
        if code:
            return Build(text, time_ns)
        return Build(text, time_ns, built_code(library, program))
    finally:
        library.clReleaseProgram(program)


def _log_for(library: Any, program: ctypes.c_void_p, device: ctypes.c_void_p) -> str:
    size = ctypes.c_size_t(0)
    arguments = (program, device, _PROGRAM_BUILD_LOG)
    library.clGetProgramBuildInfo(*arguments, ctypes.c_size_t(0), None, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(max(size.value, 1))
    library.clGetProgramBuildInfo(*arguments, size, buffer, None)
    return buffer.value.decode(errors="replace").strip()


def log_of(library: Any, program: ctypes.c_void_p) -> str:
    """Return the log of building a program for its only device, nothing if there is none."""
    device = ctypes.c_void_p()
    room = (ctypes.c_size_t(ctypes.sizeof(device)), ctypes.byref(device), None)
    if library.clGetProgramInfo(program, _PROGRAM_DEVICES, *room):
        return ""
    return _log_for(library, program, device)


def built_code(library: Any, program: ctypes.c_void_p) -> bytes:
    """Return what was built for the only device of a program, nothing if it has several."""
    size = ctypes.c_size_t(0)
    room = (ctypes.c_size_t(ctypes.sizeof(size)), ctypes.byref(size), None)
    library.clGetProgramInfo(program, _PROGRAM_BINARY_SIZES, *room)
    buffer = ctypes.create_string_buffer(size.value)
    start = ctypes.c_void_p(ctypes.addressof(buffer))
    room = (ctypes.c_size_t(ctypes.sizeof(start)), ctypes.byref(start), None)
    library.clGetProgramInfo(program, _PROGRAM_BINARIES, *room)
    return buffer.raw
