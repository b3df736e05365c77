# SPDX-License-Identifier: BSD-3-Clause
"""Files that TINYTC_DUMP_DIR writes and TINYTC_OVERRIDE_DIR reads, a folder for each program."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ... import switches
from ...errors import DeviceError, TinyTCError
from ...files import write_atomically
from ..kernel_info import ELF, SPIRV
from ..protocol import Binary, Device

if TYPE_CHECKING:
    import pathlib

MANIFEST, BUILD_LOG, DISASSEMBLY = "manifest.json", "build.log", "code.spvasm"
STRATEGIES = "strategies.json"  # how each instruction is computed
_LONGEST_NAMES = 60
_DISASSEMBLER, _LIMIT_S = "spirv-dis", 60.0
_folders: dict[str, str] = {}  # of the programs compiled in this process, by digest


def are_wanted() -> bool:
    """Return whether programs are dumped or changed, so that they must be compiled now.

    Raises:
        TinyTCError: both are wanted in one folder, where a dump would overwrite what was edited.
    """
    dump, override = switches.DUMP_DIR.folder(), switches.OVERRIDE_DIR.folder()
    if dump is not None and override is not None and dump.resolve() == override.resolve():
        names = f"{switches.DUMP_DIR.name} and {switches.OVERRIDE_DIR.name}"
        raise TinyTCError(f"expected {names} to be different folders, got {dump} for both")
    return dump is not None or override is not None


def folder_of(kernels: Sequence[str], key: object) -> str:
    """Return the name of a program's folder.

    Args:
        kernels: names of its kernels.
        key: all that the program depends on, as JSON.

    >>> folder_of(["gemm"], "text")
    'gemm-1e1d0f251d3a'
    """
    digest = hashlib.sha256(json.dumps(key).encode()).hexdigest()
    names = "-".join(kernels)[:_LONGEST_NAMES]
    return f"{names}-{digest[:12]}" if names else digest[:12]


def code_name(format_: str) -> str:
    """Return the name of the file of a binary in a format of manifests."""
    return "code.spv" if format_ == SPIRV else f"code.{format_}"


def names_of(stages: Sequence[str]) -> list[str]:
    """Return the names of a program's files.

    >>> names_of(["nvvm", "ptx"])
    ['nvvm.mlir', 'ptx.mlir', 'code.ptx', 'manifest.json', 'build.log']
    """
    format_ = {"object": ELF}.get(stages[-1], stages[-1])
    code = [code_name(format_), *([DISASSEMBLY] if format_ == SPIRV else [])]
    modules = [f"{stage}.mlir" for stage in stages]
    strategies = [STRATEGIES] if "prepared" in stages else []
    return [*modules, *strategies, *code, MANIFEST, BUILD_LOG]


def write(folder: str, name: str, data: str | bytes) -> None:
    """Write a file of a program, if dumps are wanted.

    Raises:
        OSError: the file cannot be written.
    """
    root = switches.DUMP_DIR.folder()
    if root is not None:
        path = root / folder
        path.mkdir(parents=True, exist_ok=True)
        write_atomically(path / name, data.encode() if isinstance(data, str) else data)


def replacement(folder: str, name: str) -> tuple[pathlib.Path, bytes] | None:
    """Return the file that takes the place of one of a program, None if there is none."""
    root = switches.OVERRIDE_DIR.folder()
    if root is None:
        return None
    path = root / folder / name
    try:
        return path, path.read_bytes()
    except FileNotFoundError:
        return None


def write_program(folder: str, program: Binary, other_disassembly: str | None = None) -> None:
    """Write code, disassembly and manifest of a program.

    Args:
        folder: the program's folder.
        program: the program.
        other_disassembly: what is written if there is no disassembler.
    """
    if switches.DUMP_DIR.folder() is None:
        return
    _folders[program.digest] = folder
    write(folder, code_name(program.manifest.format), program.code)
    write(folder, MANIFEST, program.manifest.to_json() + "\n")
    if program.manifest.format == SPIRV:
        text = _disassembly(program.code) or other_disassembly
        if text is not None:
            write(folder, DISASSEMBLY, text)


@contextlib.contextmanager
def build_noted(program: Binary, device: Device) -> Iterator[None]:
    """Write what the driver says while it builds a program.

    Args:
        program: the program; one that was not compiled in this process is written, too.
        device: the device that it is built for.
    """
    if switches.DUMP_DIR.folder() is None:
        yield
        return
    folder = _folders.get(program.digest)
    if folder is None:
        folder = folder_of([kernel.name for kernel in program.manifest.kernels], program.digest)
        write_program(folder, program)
    from ..spirv.build_log import build_log
    from ..spirv.intel_gpus import build_options

    head = f"{device.name}, {device.driver} driver {device.driver_version}\n"
    try:
        yield
    except DeviceError as error:
        write(folder, BUILD_LOG, f"{head}{error.build_log or error}\n")
        raise
    options = build_options(program.manifest.registers, device.target, device.driver)
    is_spirv = program.manifest.format == SPIRV
    log = build_log(program.code, device.name, options) if is_spirv else None
    write(folder, BUILD_LOG, f"{head}{log or 'the driver says nothing'}\n")


def _disassembly(code: bytes) -> str | None:
    """Return what spirv-dis prints, None without it."""
    import shutil
    import subprocess
    import tempfile

    program = shutil.which(_DISASSEMBLER)
    if program is None:
        return None
    with tempfile.NamedTemporaryFile(suffix=".spv") as file:
        file.write(code)
        file.flush()
        done = subprocess.run(
            [program, "--no-color", file.name],
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
    return done.stdout if done.returncode == 0 else f"; {done.stderr.strip()}\n"
