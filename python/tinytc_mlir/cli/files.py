# SPDX-License-Identifier: BSD-3-Clause
"""Files of the commands, and the options that name them."""

from __future__ import annotations

import argparse
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

from ..errors import Diagnostic, ProgramWarning, TinyTCError, got
from ..files import read_bytes, write_atomically
from ..options import ABIS, OPTIONS

if TYPE_CHECKING:
    from ..compiler import Module

EXIT_OK, EXIT_ERROR, EXIT_USAGE, EXIT_DEVICE = 0, 1, 2, 3
EXIT_STATUSES = """\
exit status:
  0  success
  1  a program, a file or a launch has an error, which is printed
  2  the command line is wrong
  3  there is no device, or the device lacks or refuses what the kernel needs"""

TARGET_HELP = "what to compile for; by default what TINYTC_TARGET names, else the first device"

MLIR_SUFFIXES = (".mlir", ".mlirbc")

# The result of `ArgumentParser.add_subparsers`.
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


class UsageError(TinyTCError):
    """The words of the command line are each right, but do not fit together or the file."""


class LazyChoices:
    """Names to choose from, which are imported when they are needed.

    Args:
        names: returns them.
    """

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        self._names = names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __contains__(self, name: object) -> bool:
        return name in tuple(self._names())


def command(
    commands: Commands,
    name: str,
    run: Callable[[argparse.Namespace], int],
    help_: str = TARGET_HELP,
    examples: Sequence[tuple[str, str]] = (),
) -> argparse.ArgumentParser:
    """Add a command and return its parser.

    Args:
        commands: where to add it.
        name: its name.
        run: executes it and returns the exit status.
        help_: what it does, in a few words.
        examples: command lines without `tinytc NAME`, each with what it does.
    """
    lines = [f"  tinytc {name} {words}".rstrip() for words, _ in examples]
    width = max(map(len, lines), default=0)
    shown = [f"{line:{width}}  # {what}" for line, (_, what) in zip(lines, examples, strict=True)]
    parser = commands.add_parser(
        name,
        help=help_,
        description=help_,
        epilog="\n".join(["examples:", *shown, "", EXIT_STATUSES]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def add_file(parser: argparse.ArgumentParser) -> None:
    """Add the program and the values of its preprocessor variables."""
    parser.add_argument(
        "file",
        help="program (.ir, .tinytc), MLIR (.mlir, .mlirbc), - for stdin, or a kernel in Python as "
        "module.py:name",
    )
    add_defines(parser)


def add_defines(parser: argparse.ArgumentParser) -> None:
    """Add the values of preprocessor variables."""
    parser.add_argument(
        "-D",
        dest="defines",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        type=_define,
        help="value of the preprocessor variable $NAME",
    )


def add_target(
    parser: argparse.ArgumentParser,
    help_: str = TARGET_HELP,
    *,
    others: Sequence[str] = (),
    several: bool = False,
) -> None:
    """Add the choice of a target, None by default, or of other names, or of several targets."""

    def checked(names: str) -> str:
        if names in others or not several:
            return names if names in others else _target(names)
        return ",".join(map(_target, names.split(",")))

    action = parser.add_argument("--target", type=checked, help=help_)
    action.others = others  # type: ignore[attr-defined]  # `tinytc completion` offers them


def add_build_options(parser: argparse.ArgumentParser, *, without: Sequence[str] = ()) -> None:
    """Add the options of `Module.compile` besides the target."""
    for field in OPTIONS:
        if field.name in without:
            continue
        how: dict[str, Any] = {"default": field.default, "help": field.metadata["help"]}
        if field.name == "abi":
            how["choices"] = ABIS
        elif field.default is False:
            how["action"] = "store_true"
        else:
            how |= {"metavar": "N", "type": _natural}
        parser.add_argument(switch_of(field.name), **how)


def switch_of(name: str) -> str:
    """Return how an option of the compiler is given on the command line.

    >>> switch_of("vector_bytes")
    '--vector-bytes'
    """
    return "--" + name.replace("_", "-")


def given_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options of `add_build_options` that are not the default ones, by their names."""
    pairs = ((field, getattr(arguments, field.name, field.default)) for field in OPTIONS)
    return {field.name: value for field, value in pairs if value != field.default}


def build_options(arguments: argparse.Namespace, module: Module) -> dict[str, Any]:
    """Return the options that are given for a module.

    Raises:
        UsageError: the module is past the stage at which they are decided.
    """
    options = given_options(arguments)
    if options and module.stage != "tinytc":
        raise UsageError(
            f"{name_of(arguments.file)}: expected a module of stage 'tinytc' for "
            f"{switch_of(next(iter(options)))}, got one of stage {module.stage!r}: give the option "
            "to the command that lowers the program"
        )
    return options


def check_stage(stage: str, stages: Sequence[str], switch: str) -> None:
    """Check that a target has a stage.

    Args:
        stage: the stage.
        stages: those of the target.
        switch: where the stage comes from.

    Raises:
        UsageError: it does not.
    """
    if stage not in stages:
        raise UsageError(
            f"expected one of the target's stages {', '.join(stages)} for {switch}, got {stage}"
        )


def add_output(parser: argparse.ArgumentParser, default: str) -> None:
    """Add the file to write."""
    parser.add_argument("-o", "--output", default=default, help="file to write, - for stdout")


def _target(name: str) -> str:
    """Return the name if it is that of a target; only now is the compiler needed."""
    from ..compiler.targets import ALIASES, target_names, unknown_target

    if name not in ALIASES and name not in target_names():
        raise argparse.ArgumentTypeError(unknown_target(name))
    return name


def positive(text: str) -> int:
    """Return the positive integer of an option."""
    value = int(text) if re.fullmatch(r"\d+(_\d+)*", text, re.ASCII) else 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a positive integer, got {text!r}")
    return value


def _natural(text: str) -> int:
    """Return the natural number of an option."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a natural number, got {text!r}")
    return int(text)


def _define(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.lstrip("$"):
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, got {text!r}")
    return name.lstrip("$"), value


def read_module(arguments: argparse.Namespace) -> Module:
    """Return the module of the file, or of the kernel in Python, that a command names."""
    module = module_in_python(arguments.file, arguments.defines)
    return module_of(arguments, read(arguments.file)) if module is None else module


def is_kernel(file: str) -> bool:
    """Return whether a command names a kernel in Python, as `module.py:name`."""
    return file.rpartition(":")[0].endswith(".py")


def module_in_python(file: str, defines: Sequence[tuple[str, str]]) -> Module | None:
    """Return the module of the kernel in Python that a command names, None if it names a file."""
    if not is_kernel(file):
        return None
    from .python_kernels import module_of_kernel

    path, _, name = file.rpartition(":")
    return module_of_kernel(path, name, defines)


def module_of(arguments: argparse.Namespace, data: bytes) -> Module:
    """Return the module in the contents of the file that a command names."""
    show(unused_defines(arguments.defines, [data]))
    return parse(arguments.file, data, arguments.defines)


def parse(path: str, data: bytes, defines: Sequence[tuple[str, str]]) -> Module:
    """Return the module of a file that has been read, and print its warnings."""
    module, found = parse_with_warnings(path, data, defines)
    show(found)
    return module


def parse_with_warnings(
    path: str, data: bytes, defines: Sequence[tuple[str, str]]
) -> tuple[Module, list[Diagnostic]]:
    """Return the module of a file that has been read, and the warnings about it."""
    from ..compiler import Context

    if path.endswith(MLIR_SUFFIXES):
        return Context().parse_mlir(data, path), []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ProgramWarning)
        module = Context().parse(data, name_of(path), defines=dict(defines))
    found = []
    for each in caught:
        if isinstance(each.message, ProgramWarning):
            found.append(each.message.diagnostic)
        else:
            warnings.showwarning(each.message, each.category, each.filename, each.lineno)
    return module, found


def unused_defines(defines: Sequence[tuple[str, str]], texts: Sequence[bytes]) -> list[Diagnostic]:
    """Return a warning for each value of a variable that no text and no other value uses.

    >>> print(*unused_defines([("SIZ", "3")], [b"func @f(%a: memref<f32 x $SIZE>) { }"]))
    warning: expected -D to name a variable of the program, got '$SIZ'; did you mean '$SIZE'?
    """
    if not defines:
        return []
    from ..frontend.lexer import variables

    sources = [text.decode(errors="replace") for text in texts]
    in_texts = {name for text in sources for name in variables(text)}
    used = in_texts.union(*(variables(value) for _, value in defines))
    return [
        Diagnostic(
            "warning",
            "expected -D to name a variable of the program, "
            + got(f"${name}", [f"${other}" for other in sorted(in_texts)]),
        )
        for name in dict(defines)
        if name not in used
    ]


def show(diagnostics: Iterable[Diagnostic]) -> None:
    """Print diagnostics on stderr."""
    for each in diagnostics:
        print(each.format(colour=wants_colour(sys.stderr)), file=sys.stderr)


def name_of(path: str) -> str:
    """Return what messages call a file."""
    return "<stdin>" if path == "-" else path


def read(path: str) -> bytes:
    """Return the contents of a file, or of stdin for `-`.

    Raises:
        UsageError: it is a file of Python, whose kernels have names.
    """
    if path.endswith(".py"):
        from .python_kernels import kernels_in

        names = kernels_in(read_bytes(path).decode(errors="replace")) or ["NAME"]
        listed = " or ".join(f"{path}:{name}" for name in names)
        raise UsageError(f"expected a kernel in a file of Python, as {listed}, got {path}")
    if path != "-":
        return read_bytes(path)
    if sys.stdin is None:
        raise TinyTCError("expected standard input to be open, got none")
    return sys.stdin.buffer.read()


def write(path: str, data: str | bytes) -> None:
    """Write a file, or stdout for `-`."""
    data = data.encode() if isinstance(data, str) else data
    if path != "-":
        write_atomically(path, data)
    elif sys.stdout is None:
        raise TinyTCError("expected standard output to be open, got none")
    else:
        sys.stdout.flush()
        rest = memoryview(data)
        while rest:  # with PYTHONUNBUFFERED, one call may write a part
            rest = rest[sys.stdout.buffer.write(rest) :]


def describe_error(error: OSError) -> str:
    """Return the message for an error of the system, without its number.

    >>> describe_error(FileNotFoundError(2, "No such file or directory", "a.ir"))
    'a.ir: no such file or directory'
    """
    reason = error.strerror or str(error)
    reason = re.sub(r"^[A-Z](?![A-Z])", lambda match: match[0].lower(), reason)
    return reason if error.filename is None else f"{os.fsdecode(error.filename)}: {reason}"


def wants_colour(stream: TextIO | None) -> bool:
    """Whether a stream shows colours: a terminal does, and NO_COLOR and FORCE_COLOR decide."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"
