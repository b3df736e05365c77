# SPDX-License-Identifier: BSD-3-Clause
"""`tinytc check`: parses and verifies programs, and asks targets whether they take them."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Sequence

from ..errors import CompileError, Diagnostic
from .files import (
    EXIT_ERROR,
    EXIT_OK,
    Commands,
    add_defines,
    add_target,
    command,
    is_kernel,
    module_in_python,
    name_of,
    parse_with_warnings,
    read,
    show,
    unused_defines,
    write,
)

_EXAMPLES = (
    ("gemm.ir", "errors with file, line, column and a caret"),
    ("--target intel-gpu:pvc -D N=16 *.ir", "also what the target lacks"),
    ("--diagnostics json -", "a program from stdin, errors for tools"),
)


def add(commands: Commands) -> None:
    """Add the command."""
    help_ = "parse and verify programs, and check them against a target"
    parser = command(commands, "check", run, help_, _EXAMPLES)
    parser.add_argument("files", nargs="+", metavar="file", help="program or MLIR, - for stdin")
    parser.add_argument(
        "--diagnostics",
        choices=("text", "json"),
        default="text",
        help="form of the errors: text on stderr, or one JSON array on stdout",
    )
    add_target(parser, "what the programs are for; by default any target")
    add_defines(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    texts = [b"" if is_kernel(file) else read(file) for file in arguments.files]
    has_kernels = any(map(is_kernel, arguments.files))
    found = [] if has_kernels else unused_defines(arguments.defines, texts)
    is_text = arguments.diagnostics == "text"
    if is_text:
        show(found)
    status = EXIT_OK
    for file, text in zip(arguments.files, texts, strict=True):
        findings = _findings(file, text, arguments)
        status = EXIT_ERROR if any(each.severity == "error" for each in findings) else status
        found += findings
        if is_text:
            show(findings)
    if not is_text:
        write("-", json.dumps([each.to_dict() for each in found], indent=2) + "\n")
    return status


def _findings(file: str, text: bytes, arguments: argparse.Namespace) -> Sequence[Diagnostic]:
    """Return the errors of a program, or its warnings."""
    try:
        found: list[Diagnostic] = []
        module = module_in_python(file, arguments.defines)
        if module is None:
            module, found = parse_with_warnings(file, text, arguments.defines)
        module.check(arguments.target)
    except CompileError as error:
        return tuple(
            each if each.filename else dataclasses.replace(each, filename=name_of(file))
            for each in error.diagnostics
        )
    return found
