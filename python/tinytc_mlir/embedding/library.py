# SPDX-License-Identifier: BSD-3-Clause
"""Builds libraries of kernels with the system's C compiler and linker.

The C source of a library is 200 lines of checks and calls. The compiler of the hosts that are to
call the kernels is there anyway, and its linker knows how shared libraries are made on the system.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..errors import TinyTCError
from ..files import write_atomically
from ..runtime.kernel_info import ELF, SPIRV, KernelInfo
from ..runtime.native.elf import ObjectFile, kernel_symbol
from .batch_functions import PROCESSOR, batch_header
from .compiler_api import compiler_api_files
from .devices import archived_sources, device_sources, driver_options
from .languages import c_header, cpp_header, fortran_module, template
from .masks import with_masks
from .source import c_source, internal_name
from .table import Kernel, check_library_name, kernel_table

if TYPE_CHECKING:
    from ..compiler import Module
    from ..runtime.program import Program

DEFAULT_TARGETS = ("x86-64-v3", "x86-64-v4")
_C_FLAGS = ("-std=gnu11", "-O2", "-fPIC", "-fvisibility=default")
_X86 = ("x86-64-v4-amx", "x86-64-v4-bf16", "x86-64-v4", "x86-64-v3", "x86-64-v2")
_AARCH64 = ("aarch64-sve512", "aarch64-sve256", "aarch64-mmla", "aarch64")
_ORDER = ("native", *_X86, *_AARCH64)  # the best first


def build_library(
    module: Module,
    folder: str | os.PathLike[str],
    name: str,
    *,
    targets: Sequence[str] = DEFAULT_TARGETS,
    masks: bool = False,
    sources: Sequence[str] = (),
) -> list[pathlib.Path]:
    """Build an archive of kernels with headers, and a shared library if they are for CPUs.

    Args:
        module: the program.
        folder: where to write `include/` and `lib/`; it need not exist.
        name: name of the library, with which names in C begin.
        targets: targets of native code for one kind of processor, of which the best that the
            processor can run is taken at run time. Or one target whose devices run SPIR-V or PTX:
            its kernels are launched by OpenCL and SYCL, or by CUDA's driver, on queues and streams
            of the caller.
        masks: whether functions that take a batch by position leave out elements by their flags
            on devices, too; on processors they always may.
        sources: texts that generated C++ code asks the Tiny Tensor Compiler's interface for, of
            which the program was made; for targets that run SPIR-V, the library has headers that
            answer, for SYCL.

    Returns:
        The files.

    Raises:
        TinyTCError: a target is not one of native code, names clash, or there is no C compiler.
        OSError: a file cannot be written.
    """
    check_library_name(name)
    if len(targets) == 1 and targets[0] not in _ORDER:
        program = with_masks(module) if masks else module
        return _build_for_device(program, pathlib.Path(folder), name, targets[0], sources)
    machine = _machine(targets)
    names = [target for target in _ORDER if target in targets]
    programs = {target: module.compile(target, abi="plain") for target in names}
    kernels = kernel_table(name, _kernels(list(programs.values())))
    prefix = _tools(machine)
    texts = {
        f"include/{name}.h": c_header(name, kernels),
        f"include/{name}.hpp": cpp_header(name, kernels),
        f"include/{name}.f90": fortran_module(name, kernels),
        f"include/{name}_batch.hpp": batch_header(name, kernels, PROCESSOR),
        f"lib/cmake/{name}/{name}-config.cmake": template("config.cmake.in", library=name),
        f"lib/pkgconfig/{name}.pc": template("library.pc.in", library=name),
    }
    files = {path: text.encode() for path, text in texts.items()}
    with tempfile.TemporaryDirectory(prefix="tinytc-") as made:
        place = pathlib.Path(made)
        _compile(place, name, kernels, programs, prefix)
        for file in (f"lib{name}.a", f"lib{name}.so"):
            files[f"lib/{file}"] = (place / file).read_bytes()
    return [_write(pathlib.Path(folder, path), data) for path, data in files.items()]


def _kernels(programs: Sequence[Program]) -> tuple[KernelInfo, ...]:
    """Return descriptions of kernels, with the memory that the code of any target needs."""
    return tuple(
        dataclasses.replace(
            infos[0], local_memory_bytes=max(info.local_memory_bytes for info in infos)
        )
        for infos in zip(*(program.manifest.kernels for program in programs), strict=True)
    )


def _build_for_device(
    module: Module, folder: pathlib.Path, name: str, target: str, sources: Sequence[str]
) -> list[pathlib.Path]:
    """Build a library of kernels that are launched on a device."""
    # Generated code launches one work-group for each group.
    program = module.compile(target, abi="plain" if sources else "packed")
    kernels = kernel_table(name, program.manifest.kernels, is_native=False)
    tools = _tools(platform.machine())
    texts = dict(device_sources(name, kernels, target, program))
    if sources and program.manifest.format == SPIRV:
        texts |= compiler_api_files(name, sources, driver_options(target, program))
    files = {path: text.encode() for path, text in texts.items()}
    with tempfile.TemporaryDirectory(prefix="tinytc-") as made:
        place = pathlib.Path(made)
        (place / f"{name}.h").write_text(texts[f"include/{name}.h"], encoding="utf-8")
        objects = []
        for source, text in archived_sources(name, kernels, program).items():
            (place / source).write_text(text, encoding="utf-8")
            objects.append(f"{name}_{source[:-2]}.o")
            _run(place, tools["cc"], *_C_FLAGS, "-c", source, "-o", objects[-1])
        _run(place, tools["ar"], "rcsD", f"lib{name}.a", *objects)
        files[f"lib/lib{name}.a"] = (place / f"lib{name}.a").read_bytes()
    return [_write(folder / path, data) for path, data in files.items()]


def _write(path: pathlib.Path, data: bytes) -> pathlib.Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, data)
    return path


def _machine(targets: Sequence[str]) -> str:
    """Return the kind of processor that targets are for."""
    unknown = next((target for target in targets if target not in _ORDER), None)
    if unknown is not None or not targets:
        names = ", ".join(_ORDER)
        raise TinyTCError(
            f"expected targets of native code ({names}) or one other target alone, got "
            f"{unknown or 'none'}"
        )
    if "native" in targets:
        if len(set(targets)) > 1:
            raise TinyTCError(f"expected no target besides native, got {', '.join(targets)}")
        return platform.machine()
    machines = sorted({"aarch64" if target in _AARCH64 else "x86_64" for target in targets})
    if len(machines) > 1:
        raise TinyTCError(
            "expected targets for one kind of processor, as a library has, got "
            f"{', '.join(targets)}"
        )
    return machines[0]


def _tools(machine: str) -> Mapping[str, str]:
    """Return the programs that compile and link for a kind of processor."""
    prefix = "" if machine == platform.machine() else f"{machine}-linux-gnu-"
    compiler = f"{prefix}gcc" if prefix else os.environ.get("CC") or "cc"
    tools = {"cc": compiler, "objcopy": f"{prefix}objcopy", "ar": f"{prefix}ar"}
    for tool in tools.values():
        if shutil.which(tool) is None:
            package = f"gcc-{machine.replace('_', '-')}-linux-gnu" if prefix else "gcc"
            raise TinyTCError(
                f"expected the program {tool} (Debian's package {package}) to build a library for "
                f"{machine}, got none"
            )
    return tools


def _compile(
    place: pathlib.Path,
    name: str,
    kernels: Sequence[Kernel],
    programs: Mapping[str, Program],
    tools: Mapping[str, str],
) -> None:
    """Compile and link a library in a folder."""
    objects = []
    for target, program in programs.items():
        assert program.manifest.format == ELF
        objects.append(f"{name}_{target}.o")
        (place / objects[-1]).write_bytes(program.code)
        defined = ObjectFile(program.code, objects[-1]).functions()
        renamed = [
            f"--redefine-sym={kernel_symbol(kernel.info.name, defined)}"
            f"={internal_name(kernel, target)}"
            for kernel in kernels
        ]
        _run(place, tools["objcopy"], *renamed, objects[-1])
    (place / f"{name}.h").write_text(c_header(name, tuple(kernels)), encoding="utf-8")
    (place / f"{name}.c").write_text(c_source(name, kernels, list(programs)), encoding="utf-8")
    _run(place, tools["cc"], *_C_FLAGS, "-c", f"{name}.c", "-o", f"{name}.o")
    objects.insert(0, f"{name}.o")
    _run(place, tools["ar"], "rcsD", f"lib{name}.a", *objects)
    soname = f"-Wl,-soname,lib{name}.so"
    _run(place, tools["cc"], "-shared", soname, "-o", f"lib{name}.so", *objects, "-lm")


def compile_shared(
    sources: Sequence[pathlib.Path],
    made: pathlib.Path,
    include: Sequence[pathlib.Path],
    archives: Sequence[pathlib.Path],
) -> None:
    """Compile C sources and archives of kernels to a shared library.

    Args:
        sources: the sources.
        made: the shared library.
        include: folders with headers.
        archives: the archives.

    Raises:
        TinyTCError: there is no C compiler, or it finds an error.
    """
    words = [_tools(platform.machine())["cc"], *_C_FLAGS, "-shared", f"-Wl,-soname,{made.name}"]
    words += [f"-I{folder.absolute()}" for folder in include]
    files = [str(each.absolute()) for each in (*sources, *archives)]
    _run(made.parent, *words, *files, "-lm", "-o", made.name)


def _run(place: pathlib.Path, *words: str) -> None:
    done = subprocess.run(words, cwd=place, capture_output=True, text=True, check=False)
    if done.returncode:
        raise TinyTCError(f"expected {words[0]} to succeed, got an error: {done.stderr.strip()}")
