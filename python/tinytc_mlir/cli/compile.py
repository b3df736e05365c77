# SPDX-License-Identifier: BSD-3-Clause
"""`tinytc compile`: compiles a program ahead of time."""

from __future__ import annotations

import argparse
import pathlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..files import COMPILED_SUFFIX
from .files import (
    EXIT_OK,
    TARGET_HELP,
    Commands,
    UsageError,
    add_build_options,
    add_file,
    add_target,
    build_options,
    check_stage,
    command,
    read_module,
    switch_of,
    write,
)

if TYPE_CHECKING:
    from ..compiler import Module
    from ..runtime.program import Program

_EXAMPLES = (
    ("gemm.ir", "writes gemm.tinytcb for the first device"),
    ("--target intel-gpu:pvc --emit spirv gemm.ir -o gemm.spv", "a SPIR-V binary for a GPU"),
    ("--target tile gemm.ir -o gemm.tileirbc", "Tile IR bytecode for NVIDIA's tileiras"),
    ("--target cuda:sm_90 --tiles gemm.ir", "a program that tileiras makes of whole tiles"),
    ("--abi plain --emit manifest gemm.ir -o -", "prints the parameters for other hosts"),
    ("--target intel-gpu:pvc --emit asm gemm.ir", "writes the machine code to gemm.asm"),
    ("--target x86-64-v3 --emit object gemm.ir", "an object file to link, without any driver"),
    ("--target x86-64-v4,x86-64-v3,aarch64 gemm.ir", "one file for several processors"),
    ("--build gemm.ir", "also lets the CPU driver build the kernels, for their first launch"),
)

# The forms of a program, with the ends of their files' names.
_SUFFIXES = {
    "tinytc": COMPILED_SUFFIX,
    "spirv": ".spv",
    "ptx": ".ptx",
    "manifest": ".json",
    "asm": ".asm",
    "text": ".out.ir",
    "mlir": ".mlir",
    "prepared": ".prepared.mlir",
    "linalg": ".linalg.mlir",
    "gpu": ".gpu.mlir",
    "spirv-mlir": ".spirv.mlir",
    "nvvm": ".nvvm.mlir",
    "vector": ".vector.mlir",
    "llvm": ".llvm.mlir",
    "llvm-ir": ".ll",
    "object": ".o",
}
# No target of programs, but of bytecode, which has one form alone.
_TILE, _TILE_SUFFIX = "tile", ".tileirbc"
# The stage of native code that is printed as text of LLVM.
_LAST_NATIVE_STAGE = "llvm"
# Those of a compiled program.
_BUILT = ("tinytc", "spirv", "ptx", "object", "manifest")
# Those of a program that is assembled from tiles.
_ON_TILES = ("tinytc", "manifest")
# Those that are stages of MLIR.
_STAGES = {
    "mlir": "tinytc",
    "prepared": "prepared",
    "linalg": "linalg",
    "gpu": "gpu",
    "spirv-mlir": "spirv",
    "nvvm": "nvvm",
    "vector": "vector",
    "llvm": "llvm",
}


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(commands, "compile", run, "compile a program ahead of time", _EXAMPLES)
    add_file(parser)
    add_target(
        parser,
        f"{TARGET_HELP}; a lowered program keeps its own; tile writes the bytecode that NVIDIA's "
        "assembler of Tile IR takes; of several targets with commas between them, the best first, "
        "loading the file takes what runs there",
        others=(_TILE,),
        several=True,
    )
    parser.add_argument(
        "--emit",
        choices=tuple(_SUFFIXES),
        default="tinytc",
        metavar="FORM",
        help="tinytc, a file that `tinytc run` and tinytc_mlir.load read; its parts spirv, ptx "
        "or object and manifest; the machine code of an Intel GPU or of a processor, asm; the LLVM "
        "IR of the latter, llvm-ir; or the program on its way: "
        "text, mlir, prepared, linalg, gpu, spirv-mlir, nvvm, vector, llvm",
    )
    add_build_options(parser)
    parser.add_argument(
        "--aligned",
        action="store_true",
        help="for --target tile: promise that arrays begin at multiples of 16 bytes",
    )
    parser.add_argument(
        "--bytecode-version",
        metavar="VERSION",
        help="for --target tile: 13.1, 13.2 or 13.3; by default the oldest that has all that the "
        "kernels use",
    )
    parser.add_argument(
        "--tiles",
        action="store_true",
        help="for targets of NVIDIA: let tileiras assemble the kernels as programs on tiles",
    )
    parser.add_argument(
        "--build",
        action="store_true",
        help="let the CPU driver build all kernels and keep its code, so that no launch waits for "
        "it: 20 to 300 ms for each kernel",
    )
    parser.add_argument("-o", "--output", help="file to write, - for stdout")


def _build(program: Program) -> None:
    """Build a program and keep the driver's code."""
    from .. import cache, switches

    if program.target != "cpu":
        raise UsageError(
            "expected --target cpu with --build, as only its driver's code can be kept, got "
            f"{program.target}"
        )
    if cache.folder() is None:
        name = switches.CACHE_DIR.name
        raise UsageError(
            f"expected a cache for --build to write to, got {name} that turns it off; unset it"
        )
    program.build()


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from ..compiler import target_name

    module = read_module(arguments)
    target = arguments.target
    if target is None and module.stage == "tinytc":  # a later stage names its own
        target = target_name(None)
    if arguments.build and arguments.emit not in _BUILT:
        raise UsageError(f"expected --emit {', '.join(_BUILT)} with --build, got {arguments.emit}")
    _check_tile_switches(arguments, target)
    if target is not None and "," in target:
        data, suffix = _for_several(module, target.split(","), arguments), COMPILED_SUFFIX
    elif target == _TILE:
        data, suffix = _tile_bytecode(module, arguments), _TILE_SUFFIX
    else:
        data, suffix = _emitted(module, target, arguments), _SUFFIXES[arguments.emit]
        if arguments.emit == "asm" and _is_native(module, target):
            suffix = ".s"
    source = arguments.file
    write(arguments.output or ("-" if source == "-" else pathlib.Path(source).stem + suffix), data)
    return EXIT_OK


def _for_several(module: Module, targets: Sequence[str], arguments: argparse.Namespace) -> bytes:
    """Return a file with a program for each target."""
    from ..runtime.program import packed

    if arguments.emit != "tinytc" or arguments.build or arguments.tiles:
        given = f"--emit {arguments.emit}" if arguments.emit != "tinytc" else "--build or --tiles"
        raise UsageError(f"expected one target with {given}, got several")
    options = build_options(arguments, module)
    return packed((module.compile(target, **options) for target in targets), arguments.file)


def _check_tile_switches(arguments: argparse.Namespace, target: str | None) -> None:
    """Check that switches about programs on tiles are given for targets that have them."""
    if target != _TILE:
        for switch in ("aligned", "bytecode_version"):
            if getattr(arguments, switch):
                raise UsageError(
                    f"expected --target {_TILE} with {switch_of(switch)}, got {target}"
                )
    if not arguments.tiles:
        return
    if arguments.emit not in _ON_TILES:
        forms = ", ".join(_ON_TILES)
        raise UsageError(f"expected --emit {forms} with --tiles, got {arguments.emit}")


def _tile_bytecode(module: Module, arguments: argparse.Namespace) -> bytes:
    """Return the bytecode of a program on tiles."""
    more = (f"--{name}" for name in ("build", "tiles") if getattr(arguments, name))
    given = next(more, f"--emit {arguments.emit}")
    if given != "--emit tinytc":
        raise UsageError(f"expected bytecode alone for --target {_TILE}, got {given}")
    _check_no_options(build_options(arguments, module), f"--target {_TILE}")
    return module.export_tile(version=arguments.bytecode_version, aligned=arguments.aligned)


def _check_no_options(options: Mapping[str, Any], given: str) -> None:
    """Check that no option of other programs is given."""
    for name, value in options.items():
        raise UsageError(f"expected no {switch_of(name)} for {given}, got {value}")


def _emitted(module: Module, target: str | None, arguments: argparse.Namespace) -> bytes:
    """Return the form of a program that is asked for."""
    if arguments.emit == "text":
        return module.to_text().encode()
    if arguments.emit in _STAGES:
        from ..compiler.version_stamps import stamped

        return stamped(f"{str(_lowered(module, target, arguments)).rstrip()}\n").encode()
    if arguments.emit in ("asm", "llvm-ir") and _is_native(module, target):
        return _lowered(module, target, arguments).native_text(arguments.emit).encode()
    from ..runtime import container

    options = build_options(arguments, module)
    if arguments.tiles:
        _check_no_options(options, "--tiles")
        program = module.assemble_tile(target)
    else:
        program = module.compile(target, **options)
    if arguments.build:
        _build(program)
    _check_form(arguments.emit, program)
    if arguments.emit == "asm":
        from ..explore.stages import machine_code

        return "".join(machine_code(program).values()).encode()
    part = _part(program, arguments.emit)
    return container.pack(program.code, program.manifest) if part is None else part


def _check_form(form: str, program: Program) -> None:
    """Check that a target has a form of code."""
    if form not in ("asm", "llvm-ir", "spirv", "ptx", "object"):
        return
    from ..compiler import TARGETS, stages_of
    from ..runtime.spirv.intel_gpus import INTEL_GPUS

    def takes(target: str) -> bool:
        is_native = _LAST_NATIVE_STAGE in stages_of(target)
        if form == "asm":
            return is_native or target in INTEL_GPUS
        return is_native if form == "llvm-ir" else stages_of(target)[-1] == form

    if not takes(program.target):
        takers = [name for name in TARGETS if takes(name)]
        raise UsageError(
            f"expected one of the targets {', '.join(takers)} for --emit {form}, "
            f"got {program.target}"
        )


def _part(program: Program, name: str) -> bytes | None:
    """Return a part of a compiled program, None if the name is not that of one."""
    if name == "spirv":
        return program.spirv
    if name == "ptx":
        return program.ptx.encode()
    if name == "object":
        return program.code
    if name == "manifest":
        return program.manifest.to_json().encode() + b"\n"
    return None


def _is_native(module: Module, target: str | None) -> bool:
    """Whether the code for the target is that of a processor."""
    return _LAST_NATIVE_STAGE in _way(module, target)


def _way(module: Module, target: str | None) -> Sequence[str]:
    """Return the stages that compiling goes through."""
    from ..compiler import stages_of

    return stages_of(target) if module.stage == "tinytc" else module.stages


def _lowered(module: Module, target: str | None, arguments: argparse.Namespace) -> Module:
    """Return a program at the stage that is asked for, as compiling it goes through it."""
    stage = _STAGES.get(arguments.emit, _LAST_NATIVE_STAGE)
    check_stage(stage, _way(module, target), f"--emit {arguments.emit}")
    return module.lower(stage, target=target, **build_options(arguments, module))
