# SPDX-License-Identifier: BSD-3-Clause
"""Programs of dpctl, and the references that it leaks."""

from __future__ import annotations

import ctypes
import dataclasses
import pathlib
import threading
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from ... import cache
from ...errors import DeviceError
from ..protocol import Binary
from . import driver
from .build_log import build_log, built_code, log_of, opencl
from .code import check_spirv, with_inlined_calls
from .intel_gpus import build_options
from .sycl_binaries import program_of_binary
from .sycl_devices import SyclDevice, names_of_dpctl
from .sycl_symbols import KERNEL, sycl_functions
from .vectors import lost_lanes, problem

_T = TypeVar("_T")
# Numbers of OpenCL's queries.
_KERNEL_REFERENCES = 0x1192
_KERNEL_PROGRAM = 0x1194
_PROGRAM_REFERENCES = 0x1160


class SyclProgram:
    """A program of dpctl that is freed with its last kernel.

    Args:
        native: the program.
        leaks: whether dpctl forgets to release what it makes the program's kernels of.
        leaks_itself: whether it forgets that for the program, too.
        spirv: what the CPU driver has just built it from, nothing if it did so before.
        path: where to keep the driver's code, if anywhere.
        note: what the cache notes about it.
    """

    def __init__(
        self,
        native: Any,
        leaks: bool,
        *,
        leaks_itself: bool,
        spirv: bytes = b"",
        path: pathlib.Path | None = None,
        note: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        self._native = native
        self._leaks, self._leaks_itself = leaks, leaks_itself
        self._spirv, self._path, self._note = spirv, path, note
        self.lock = threading.Lock()

    def kernel(self, name: str) -> SyclKernel:
        """Return a kernel; one thread at a time may ask, which holds the lock."""
        kernel = self._native.get_sycl_kernel(name)
        if self._leaks:
            _release_leaked(kernel, with_program=self._leaks_itself)
            self._leaks_itself = False
        if self._spirv:
            self._check_vectors(kernel)
        if self._path is not None:
            code = _asked_of_program(kernel, built_code) or b""
            if code:
                cache.keep(self._path, code, self._note)
            self._path = None
        return SyclKernel(kernel, self)

    def _check_vectors(self, kernel: Any) -> None:
        """Check that the driver computes with all lanes; each launch is refused if not."""
        lost = lost_lanes(self._spirv, _asked_of_program(kernel, log_of) or "")
        if lost is not None:
            raise DeviceError(problem(lost))
        self._spirv = b""


@dataclasses.dataclass(frozen=True)
class SyclKernel:
    """A kernel of dpctl, which keeps its program."""

    native: Any
    program: SyclProgram


def built_program(program: Binary, queue: Any) -> SyclProgram:
    """Return a program for a queue's device, from the cache or as its driver builds it."""
    from . import binaries  # which needs a package that other implementations do not

    check_spirv(program.code, program.manifest, "program")
    device = SyclDevice(queue.sycl_device)
    is_opencl = device.driver == "opencl"
    if not device.is_cpu:
        options = build_options(program.manifest.registers, device.target, device.driver)
        native = _created(program, program.code, queue, options)
        leaks = is_opencl and names_of_dpctl().leaks_programs
        return SyclProgram(native, leaks, leaks_itself=leaks)
    keeps = is_opencl and names_of_dpctl().takes_binaries
    path = binaries.path_of(program.digest, device) if keeps else None
    native = _program_of(cache.load(path), queue)
    if native:
        return SyclProgram(native, names_of_dpctl().leaks_programs, leaks_itself=False)
    return _built_for_cpu(program, queue, device, path)


def _built_for_cpu(
    program: Binary, queue: Any, device: SyclDevice, path: pathlib.Path | None
) -> SyclProgram:
    """Return a program that the cache does not have."""
    from . import binaries, fatal_builds

    vendor, leaks, code = device.native.vendor, names_of_dpctl().leaks_programs, program.code
    if not driver.is_intel(vendor):
        code = with_inlined_calls(code)
    native = _program_of(fatal_builds.build_apart(program, code, device, path), queue)
    if native:
        return SyclProgram(native, leaks, leaks_itself=False)
    with fatal_builds.announced(program, device, path):
        native = _created(program, code, queue, driver.cpu_build_options(vendor))
    note = binaries.note_of(program.manifest)
    return SyclProgram(native, leaks, leaks_itself=leaks, spirv=code, path=path, note=note)


def _created(program: Binary, code: bytes, queue: Any, options: str) -> Any:
    """Return the program of dpctl for the SPIR-V of a program for this driver."""
    from . import binaries

    dpctl = names_of_dpctl()
    try:
        return dpctl.create_program(queue, code, options)
    except dpctl.BuildError as error:
        name = SyclDevice(queue.sycl_device).name
        log = build_log(code, name, options)
        kernels = binaries.names_of(program.manifest)
        raise DeviceError(f"{name} cannot build {kernels}", build_log=log) from error


def _program_of(code: bytes | None, queue: Any) -> Any:
    """Return the program of dpctl for what the driver has built, None if that cannot be done."""
    dpctl = names_of_dpctl()
    if code is None or not dpctl.takes_binaries:
        return None
    return program_of_binary(code, queue, dpctl.folder, dpctl.programs)


def _asked_of_program(kernel: Any, ask: Callable[[Any, ctypes.c_void_p], _T]) -> _T | None:
    """Return what OpenCL says of a kernel's program, None if it does not tell."""
    library, native_of = opencl(), sycl_functions(names_of_dpctl().folder).get(KERNEL)
    if library is None or native_of is None:
        return None
    handle = ctypes.c_void_p(native_of(kernel.addressof_ref()))  # with a reference of ours
    program = ctypes.c_void_p()
    library.clGetKernelInfo(handle, _KERNEL_PROGRAM, *_room(program))
    answer = ask(library, program)
    library.clReleaseKernel(handle)
    return answer


def _release_leaked(kernel: Any, *, with_program: bool) -> None:
    """Release the OpenCL objects that dpctl forgets when it makes a kernel.

    SYCL retains the program and the kernel that it is given, and what it gives; the caller is to
    release these references. dpctl 0.22 does not: it leaves one to the program that it makes, and
    for each kernel one to the program that it asks SYCL for and one to the kernel that it makes. A
    reference is released only if there is another, that of SYCL.

    Args:
        kernel: dpctl kernel that was just made.
        with_program: whether it is the first of its program.
    """
    library, native_of = opencl(), sycl_functions(names_of_dpctl().folder).get(KERNEL)
    if library is None or native_of is None:
        return
    handle = ctypes.c_void_p(native_of(kernel.addressof_ref()))  # with a reference of ours
    program = ctypes.c_void_p()
    library.clGetKernelInfo(handle, _KERNEL_PROGRAM, *_room(program))
    for _ in range(2 if with_program else 1):
        if _references(library.clGetProgramInfo, program, _PROGRAM_REFERENCES) > 1:
            library.clReleaseProgram(program)
    if _references(library.clGetKernelInfo, handle, _KERNEL_REFERENCES) > 2:
        library.clReleaseKernel(handle)
    library.clReleaseKernel(handle)


def _references(query: Any, handle: ctypes.c_void_p, what: int) -> int:
    """Return the number of references to an OpenCL object, 0 if the driver does not tell."""
    count = ctypes.c_uint(0)
    return 0 if query(handle, what, *_room(count)) else count.value


def _room(value: Any) -> tuple[Any, ...]:
    """Return the arguments of an OpenCL query that say where its answer goes."""
    return ctypes.c_size_t(ctypes.sizeof(value)), ctypes.byref(value), None
