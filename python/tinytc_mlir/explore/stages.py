# SPDX-License-Identifier: BSD-3-Clause
"""The panes of the explorer: a program at every stage, with the lines that it came from."""

from __future__ import annotations

import dataclasses
import pathlib
import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING

from ..errors import TinyTCError
from .locations import MarkedLines, mark_assembly, mark_disassembly

if TYPE_CHECKING:
    from ..runtime.program import Program
    from .program import Explorable

_TIMEOUT_S = 120.0
_TITLES = {"tinytc": "dialect", "spirv": "spirv dialect"}


@dataclasses.dataclass(frozen=True)
class Pane:
    """One form of the program.

    Args:
        name: identifier of the pane.
        title: heading.
        language: how to colour it: "tinytc", "mlir", "spirv" or "asm".
        text: the lines and where they came from.
        note: what the reader should know, for example why there is nothing.
    """

    name: str
    title: str
    language: str
    text: MarkedLines
    note: str = ""


def source_pane(module: Explorable) -> Pane:
    """Return the pane of the source: its text as the user wrote it, if it is known."""
    text = next(iter(module.sources.values()), None)
    is_mlir = "-" in module.sources or text is None
    if text is None:
        text = str(module)
    lines = text.rstrip("\n").split("\n")
    marks: list[tuple[int, ...]] = [(number,) for number in range(1, len(lines) + 1)]
    title = pathlib.PurePath(next(iter(module.sources), "source")).name
    title = "source" if title in ("-", "") or title.startswith("<") else title
    return Pane("text", title, "mlir" if is_mlir else "tinytc", MarkedLines(lines, marks))


def stage_pane(module: Explorable, filename: str) -> Pane:
    """Return the pane of a module at its stage.

    Args:
        module: the module.
        filename: what locations call the source.
    """
    has_names = module.stage == "tinytc"
    text = module.operation.get_asm(enable_debug_info=True, use_name_loc_as_prefix=has_names)
    name = module.stage
    return Pane(name, _TITLES.get(name, name), "mlir", mark_assembly(text, filename))


def disassembly_pane(module: Explorable) -> Pane:
    """Return the pane of the SPIR-V binary of a module at the spirv stage."""
    from .._tinytc import emit_with_lines

    title = "SPIR-V"
    program = shutil.which("spirv-dis")
    if program is None:
        note = "needs spirv-dis: apt install spirv-tools"
        return Pane("disassembly", title, "spirv", MarkedLines([], []), note)
    result = subprocess.run(
        [program, "--no-color", "--no-header", "-"],
        input=emit_with_lines(module.operation),
        capture_output=True,
        timeout=_TIMEOUT_S,
        check=False,
    )
    if result.returncode != 0:
        note = result.stderr.decode(errors="replace").strip()
        return Pane("disassembly", title, "spirv", MarkedLines([], []), note)
    return Pane("disassembly", title, "spirv", mark_disassembly(result.stdout.decode()))


def text_pane(title: str, text: str) -> Pane:
    """Return the pane of code, PTX or assembly, whose lines name no source."""
    lines = text.rstrip("\n").split("\n")
    return Pane("disassembly", title, "asm", MarkedLines(lines, [()] * len(lines)))


def machine_code(program: Program) -> dict[str, str]:
    """Return the assembly of each kernel for an Intel GPU, by name.

    Raises:
        TinyTCError: ocloc is missing, does not know the target or rejects the module, or the target
            is no Intel GPU.
    """
    from . import ocloc

    target, registers = program.target, program.manifest.registers or 128
    gpus = {record.name: gpu for gpu, record in ocloc.DEVICES.items()}
    if target not in gpus:
        raise TinyTCError(
            f"expected one of the targets {', '.join(gpus)} for machine code, got {target!r}"
        )
    if ocloc.is_installed() and not ocloc.knows(gpus[target]):
        raise TinyTCError(f"expected an ocloc that knows {target}, got an older one")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ocloc.compile_binary(program.spirv, gpus[target], registers=registers, dump=folder)
        return ocloc.assemblies(folder)


def machine_pane(program: Program) -> Pane:
    """Return the pane of the machine code, with a note where there is none."""
    title = "machine code"
    try:
        texts = machine_code(program)
    except TinyTCError as error:
        return Pane("machine", title, "asm", MarkedLines([], []), str(error))
    lines = [line for text in texts.values() for line in _code_lines(text)]
    note = "Intel's compiler does not keep lines of the source"
    return Pane("machine", title, "asm", MarkedLines(lines, [()] * len(lines)), note)


def _code_lines(assembly: str) -> list[str]:
    """Return the lines of a kernel's code without the description of its registers."""
    lines = assembly.rstrip().splitlines()
    return [line for line in lines if not line.startswith(("//.declare", "//.full_options"))]
