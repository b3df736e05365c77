# SPDX-License-Identifier: BSD-3-Clause
"""`tinytc verify`: shows that kernels are compiled right, for sizes and a target."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..files import is_compiled
from .files import (
    EXIT_ERROR,
    EXIT_OK,
    Commands,
    UsageError,
    add_build_options,
    add_file,
    add_target,
    build_options,
    command,
    module_in_python,
    module_of,
    name_of,
    read,
)
from .run import add_data_options, sample_options

if TYPE_CHECKING:
    from ..certificates import Certificate
    from ..runtime.program import Program

_EXAMPLES = (
    ("gemm.ir", "all that can be shown of the kernel for the default device"),
    ("--target cuda:sm_90 --parts stages,accesses gemm.ir", "what needs no device"),
    ("--all --size A.2=5 --groups 5 gemm.ir", "all kernels, for chosen sizes"),
    ("-o gemm.tinytcb gemm.ir", "writes the program with its certificates"),
    ("--check gemm.tinytcb", "repeats what the certificates of a program say"),
)


def add(commands: Commands) -> None:
    """Add the command."""
    help_ = "show that a kernel is compiled right, for sizes and a target"
    parser = command(commands, "verify", run, help_, _EXAMPLES)
    add_file(parser)
    add_target(parser)
    add_build_options(parser)
    add_data_options(parser)
    parser.set_defaults(groups=None)
    parser.add_argument("--all", action="store_true", help="verify all kernels")
    parser.add_argument(
        "--parts",
        metavar="PART[,PART]",
        help="what to show: stages, accesses, derivatives, machine, rounding; by default all. The "
        "status is 0 only if all of it is shown",
    )
    parser.add_argument("--check", action="store_true", help="repeat certificates of a program")
    parser.add_argument("-o", "--output", help="compiled program to write, with its certificates")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    module = module_in_python(arguments.file, arguments.defines)
    data = read(arguments.file) if module is None else b""
    if is_compiled(data) != arguments.check:
        expected = "a compiled program" if arguments.check else "a program to compile"
        raise UsageError(f"expected {expected}, got {arguments.file}")
    if arguments.check:
        return _check(data, name_of(arguments.file))
    module = module_of(arguments, data) if module is None else module
    parts = None if arguments.parts is None else arguments.parts.split(",")
    program = module.compile(arguments.target, **build_options(arguments, module))
    found = []
    for name in list(program) if arguments.all else [arguments.kernel]:
        found.append(_verified(name, program, arguments, parts))
        print(found[-1], flush=True)
    if arguments.output is not None and not any(each.is_wrong for each in found):
        manifest = dataclasses.replace(program.manifest, certificates=tuple(found))
        type(program)(program.code, manifest).save(arguments.output)
    elif arguments.output is not None:
        print(f"{arguments.output} is not written, because a claim is wrong")
    return EXIT_OK if all(each.holds for each in found) else EXIT_ERROR


def _verified(
    name: str | None,
    program: Program,
    arguments: argparse.Namespace,
    parts: Sequence[str] | None,
) -> Certificate:
    """Verify a kernel, with as many groups as it needs if no number is given."""
    from ..verification import default_groups

    info = program.kernels.get(next(iter(program)) if name is None else name)
    if arguments.groups is None and info is not None:
        arguments = argparse.Namespace(**{**vars(arguments), "groups": (default_groups(info),)})
    options = sample_options(arguments) if info is not None else None
    return program.verify(name, options=options, parts=parts)


def _check(data: bytes, filename: str) -> int:
    """Repeat the certificates of a compiled program; the code must be what is compiled again."""
    from ..compiler import Context
    from ..runtime.program import loaded
    from ..verification import check_options, options_of

    program = loaded(data, filename)
    if not program.certificates:
        raise UsageError(f"expected a program with certificates, got {filename}")
    status = EXIT_OK
    for old in program.certificates:
        check_options(old)
        module = Context().parse(old.source, f"{filename}: {old.kernel}")
        again = module.compile(old.target, **dict(old.options))
        options = options_of(old, again)
        parts = list(dict.fromkeys(claim.part for claim in old.claims))
        new = again.verify(old.kernel, options=options, parts=parts)
        print(new, flush=True)
        if again.code != program.code:
            print("  differs    the code is not what this version compiles of the source")
            status = EXIT_ERROR
        if [claim.outcome for claim in new.claims] != [claim.outcome for claim in old.claims]:
            print(f"  differs    from the certificate:\n{old}")
            status = EXIT_ERROR
    return status
