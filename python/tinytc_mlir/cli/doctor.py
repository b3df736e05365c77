# SPDX-License-Identifier: BSD-3-Clause
"""`tinytc doctor`: checks the installation and the environment."""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import importlib.metadata
import os
import pathlib
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator

from ..errors import TinyTCError
from .files import EXIT_DEVICE, EXIT_ERROR, EXIT_OK, Commands, command, name_of, read
from .tools import tool_path

OK, WARNING, FAILURE = "ok", "warning", "failure"
_EXAMPLES = (
    ("", "what is installed, what is missing, and how to get it"),
    ("gemm.tinytcb", "what was shown of a program"),
)
_DEVICES, _DRIVER = "devices", "OpenCL CPU driver"
_DEVICE_SUBJECTS = {_DEVICES, _DRIVER}
_LONG_S = 30


@dataclasses.dataclass(frozen=True)
class Finding:
    """The result of one check.

    Args:
        status: "ok", "warning" or "failure".
        subject: what was checked.
        detail: what was found, and how to fix it.
    """

    status: str
    subject: str
    detail: str

    def __str__(self) -> str:
        return f"{self.status:8} {self.subject}: {self.detail}"


def add(commands: Commands) -> None:
    """Add the command."""
    help_ = "check the installation and the environment"
    parser = command(commands, "doctor", run, help_, _EXAMPLES)
    parser.add_argument("file", nargs="?", help="compiled program, to print its certificates")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.file is not None:
        return _print_certificates(arguments.file)
    findings = examine()
    for finding in findings:
        print(finding)
    failed = {finding.subject for finding in findings if finding.status == FAILURE}
    if not failed:
        return EXIT_OK
    return EXIT_DEVICE if failed <= _DEVICE_SUBJECTS else EXIT_ERROR


def _print_certificates(file: str) -> int:
    """Print what was shown of the kernels of a compiled program."""
    from ..runtime.program import loaded

    program = loaded(read(file), name_of(file))
    for certificate in program.certificates:
        print(certificate)
    if not program.certificates:
        kernels = ", ".join(program)
        print(f"no certificates of {kernels}: `tinytc verify -o` writes a program that has some")
    return EXIT_OK


def examine() -> list[Finding]:
    """Return the findings of all checks.

    >>> all(finding.status in (OK, WARNING, FAILURE) for finding in examine())
    True
    """
    checks: tuple[Callable[[], Iterator[Finding]], ...] = (
        _packages,
        _compiler,
        _tools,
        _environment,
        _cache,
        _devices,
        _tiles,
    )
    return [finding for check in checks for finding in check()]


def _uses_sycl() -> bool:
    """Whether the distribution that is installed requires a driver for SYCL."""
    from ..runtime import installed_packages

    is_there = sys.platform == "linux" and platform.machine() == "x86_64"
    return is_there and installed_packages.version("tinytc-mlir-core") is None


def _packages() -> Iterator[Finding]:
    sycl = ("dpctl", "intel-opencl-rt") if _uses_sycl() else ()
    for name in ("numpy", *sycl, "xtc-mlir-python-bindings"):
        try:
            yield Finding(OK, name, importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            yield Finding(FAILURE, name, f"expected the package, got none; pip install {name}")


def _compiler() -> Iterator[Finding]:
    try:
        importlib.import_module("tinytc_mlir.compiler")
    except ImportError as error:
        yield Finding(FAILURE, "compiler", f"expected the built extension, got {error}")
        return
    yield Finding(OK, "compiler", "the dialect is registered with the mlir package")
    optimizer = pathlib.Path(*importlib.import_module("mlir").__path__, "bin", "mlir-opt")
    for subject, path, status in (
        ("tinytc-opt", tool_path("tinytc-opt"), FAILURE),
        ("mlir-opt", optimizer, WARNING),
        ("plugin for mlir-opt", tool_path("TinyTCPlugin.so"), WARNING),
    ):
        if path.is_file():
            yield Finding(OK, subject, str(path))
        else:
            yield Finding(status, subject, f"expected the file {path}, got none")


def _tools() -> Iterator[Finding]:
    for tool, package, users in (
        ("spirv-val", "spirv-tools", "tests"),
        ("ocloc", "intel-opencl-icd", "tests and `tinytc bench gpu`"),
    ):
        path = shutil.which(tool)
        if path:
            yield Finding(OK, tool, path)
        else:
            yield Finding(WARNING, tool, f"only {users} need it; apt install {package}")


def _environment() -> Iterator[Finding]:
    selector = os.environ.get("ONEAPI_DEVICE_SELECTOR")
    if selector in ("opencl:cpu", "opencl:*"):
        yield Finding(
            FAILURE,
            "ONEAPI_DEVICE_SELECTOR",
            f"expected '*:cpu' or no value, got {selector!r}, with which dpctl finds no device",
        )
    elif selector:
        yield Finding(WARNING, "ONEAPI_DEVICE_SELECTOR", f"{selector!r} hides all other devices")
    if os.environ.get("OCL_ICD_VENDORS"):
        yield Finding(
            WARNING, "OCL_ICD_VENDORS", "it replaces /etc/OpenCL/vendors and may hide GPU drivers"
        )
    yield from _named_drivers()


def _named_drivers() -> Iterator[Finding]:
    """Yield what is wrong with the drivers that OCL_ICD_FILENAMES names, as dpctl gets them."""
    from ..runtime.spirv import driver

    driver.name_driver()
    names = os.environ.get("OCL_ICD_FILENAMES", "").split(os.pathsep)
    for name in filter(None, names):
        problem = _problem_of_driver(name)
        if problem:
            yield Finding(
                FAILURE,
                "OCL_ICD_FILENAMES",
                f"expected OpenCL drivers, got {name!r}, {problem}; unset the variable to use the "
                "driver that pip installed",
            )


def _problem_of_driver(name: str) -> str:
    """Return why the OpenCL loader cannot use a library; in a process, as loading runs its code."""
    if os.sep in name and not os.path.isfile(name):
        return "which is no file"
    code = "import ctypes, sys; ctypes.CDLL(sys.argv[1]).clGetExtensionFunctionAddress"
    words = [sys.executable, "-c", code, name]
    try:
        result = subprocess.run(words, capture_output=True, text=True, timeout=_LONG_S, check=False)
    except subprocess.TimeoutExpired:
        return f"which takes more than {_LONG_S} s to load"
    if result.returncode == 0:
        return ""
    if result.returncode < 0:
        return f"which ends the process that loads it with signal {-result.returncode}"
    reason = result.stderr.strip().rsplit(": ", 1)[-1]
    return f"which cannot be used ({reason})"


def _cache() -> Iterator[Finding]:
    from .. import cache

    folder = cache.folder()
    if folder is None:
        yield Finding(OK, "cache", "off; every process compiles and builds again")
        return
    entries = cache.entries()
    noun = "entry" if len(entries) == 1 else "entries"
    size_mib = sum(entry.size_bytes for entry in entries) / 2**20
    found = f"{len(entries)} {noun} of {size_mib:.1f} MiB in {folder}"
    if not cache.is_usable():
        problem = f"expected a folder that only you can write, got {found}; nothing in it is used"
        yield Finding(WARNING, "cache", problem)
    elif not cache.is_writable():
        yield Finding(WARNING, "cache", f"{found}, into which you cannot write")
    else:
        yield Finding(OK, "cache", f"{found}; `tinytc cache` shows and clears it")


def _devices() -> Iterator[Finding]:
    from ..runtime import devices
    from ..runtime.spirv import driver

    if driver.driver_path() is None and _uses_sycl():
        yield Finding(FAILURE, _DRIVER, "expected it in the package intel-opencl-rt")
    try:
        found = devices.devices()
    except TinyTCError as error:
        yield Finding(FAILURE, _DEVICES, str(error))
        return
    if not found:
        yield Finding(FAILURE, _DEVICES, "expected at least one with USM memory, got none")
    for device in found:
        yield Finding(OK, "device", devices.describe_device(device))


def _tiles() -> Iterator[Finding]:
    from ..runtime.native import host

    if host.machine() != "x86-64":
        return
    problem = host.problem_of_tiles()
    found = f"{problem}, so that products of bf16 and i8 run on vectors" if problem else "used"
    yield Finding(OK, "tile registers (AMX)", found)
