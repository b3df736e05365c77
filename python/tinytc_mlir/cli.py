"""The command line `tinytc`; every command is a few lines over the Python API."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .errors import CompileError, InterpreterError, TinyTCError

if TYPE_CHECKING:
    from .compiler import Module

EXIT_OK, EXIT_ERROR, EXIT_USAGE = 0, 1, 2
_STAGES = ("tinytc", "linalg", "gpu", "spirv")
_TARGETS = ("cpu", "intel-gpu:pvc", "intel-gpu:dg2")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return the exit status: 0, 1 for an error, 2 for wrong usage.

    Args:
        argv: the words after the command's name; None takes those of the process.
    """
    arguments = _parser().parse_args(argv)
    try:
        status: int = arguments.run(arguments)
        sys.stdout.flush()
        return status
    except (CompileError, InterpreterError) as error:
        print(error.format(colour=_wants_colour(sys.stderr)), file=sys.stderr)
    except (TinyTCError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            return _leave_closed_pipe()
        print(f"tinytc: error: {error}", file=sys.stderr)
    except ImportError as error:
        print(f"tinytc: error: {error}; `tinytc doctor` looks for the reason", file=sys.stderr)
    return EXIT_ERROR


def opt_main() -> None:
    """Become `tinytc-opt`, the binary that the package brings."""
    from .doctor import opt_path

    path = opt_path()
    if not path.is_file():
        sys.exit(f"tinytc-opt: expected the file {path}, got none; was the package built?")
    os.execv(path, [str(path), *sys.argv[1:]])


def _leave_closed_pipe() -> int:
    """Return the status for output that nobody reads, without a second error at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXIT_ERROR


def _wants_colour(stream: Any) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tinytc", description="Compile and run programs of the Tiny Tensor language."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in _COMMANDS:
        add(commands)
    return parser


def _command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], int], help_: str
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=help_, description=help_)
    parser.set_defaults(run=run)
    return parser


def _add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="program (.ir), MLIR (.mlir, .mlirbc) or - for stdin")
    _add_defines(parser)


def _add_defines(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-D",
        dest="defines",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        type=_define,
        help="value of the preprocessor variable $NAME",
    )


def _add_target(parser: argparse.ArgumentParser, default: str | None, help_: str) -> None:
    parser.add_argument("--target", choices=_TARGETS, default=default, help=help_)


def _add_output(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument("-o", "--output", default=default, help="file to write, - for stdout")


def _define(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.lstrip("$"):
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, got {text!r}")
    return name.lstrip("$"), value


def read_module(arguments: argparse.Namespace) -> Module:
    """Return the module of the file that a command names."""
    from .compiler import Context

    defines = dict(arguments.defines)
    if arguments.file == "-":
        return Context().parse(sys.stdin.buffer.read(), "<stdin>", defines=defines)
    return Context().parse_file(arguments.file, defines=defines)


def _write(path: str, data: str | bytes) -> None:
    data = data.encode() if isinstance(data, str) else data
    if path == "-":
        sys.stdout.buffer.write(data)
    else:
        pathlib.Path(path).write_bytes(data)


def _add_check(commands: Any) -> None:
    parser = _command(commands, "check", _check, "parse and verify programs")
    parser.add_argument("files", nargs="+", metavar="file", help="program or MLIR, - for stdin")
    parser.add_argument(
        "--diagnostics",
        choices=("text", "json"),
        default="text",
        help="form of the errors: text on stderr, or one JSON array on stdout",
    )
    _add_defines(parser)


def _check(arguments: argparse.Namespace) -> int:
    errors: list[CompileError] = []
    for file in arguments.files:
        try:
            read_module(argparse.Namespace(file=file, defines=arguments.defines))
        except CompileError as error:
            errors.append(error)
            if arguments.diagnostics == "text":
                print(error.format(colour=_wants_colour(sys.stderr)), file=sys.stderr)
    if arguments.diagnostics == "json":
        found = [diagnostic.to_dict() for error in errors for diagnostic in error.diagnostics]
        print(json.dumps(found, indent=2))
    return EXIT_ERROR if errors else EXIT_OK


def _add_fmt(commands: Any) -> None:
    parser = _command(commands, "fmt", _fmt, "write programs in the canonical layout")
    parser.add_argument("files", nargs="+", metavar="file", help="program, - for stdin")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("-i", "--in-place", action="store_true", help="rewrite the files")
    mode.add_argument("--check", action="store_true", help="only name files that would change")


def _fmt(arguments: argparse.Namespace) -> int:
    from .frontend import format_source

    status = EXIT_OK
    for file in arguments.files:
        is_stdin = file == "-"
        text = (sys.stdin.buffer.read() if is_stdin else pathlib.Path(file).read_bytes()).decode(
            errors="surrogateescape"
        )
        formatted = format_source(text, "<stdin>" if is_stdin else file)
        if arguments.check:
            if formatted != text:
                print(file)
                status = EXIT_ERROR
        elif arguments.in_place and not is_stdin:
            if formatted != text:
                _write(file, formatted)
        else:
            _write("-", formatted)
    return status


def _add_lower(commands: Any) -> None:
    parser = _command(commands, "lower", _lower, "print a program at a stage of compilation")
    _add_file(parser)
    parser.add_argument("--to", choices=_STAGES, default="spirv", help="the stage")
    _add_target(parser, "cpu", "what to compile for")
    _add_output(parser, "-")


def _lower(arguments: argparse.Namespace) -> int:
    lowered = read_module(arguments).lower(arguments.to, target=arguments.target)
    _write(arguments.output, str(lowered).rstrip() + "\n")
    return EXIT_OK


def _add_compile(commands: Any) -> None:
    parser = _command(commands, "compile", _compile, "compile a program ahead of time")
    _add_file(parser)
    _add_target(parser, "cpu", "what to compile for")
    parser.add_argument(
        "--emit",
        choices=("tinytc", "spirv", "manifest"),
        default="tinytc",
        help="a file that `tinytc run` and tinytc_mlir.load read, or one of its parts",
    )
    parser.add_argument(
        "--tuned", action="store_true", help="use the schedules that `tinytc tune` has found"
    )
    parser.add_argument("-o", "--output", help="file to write, - for stdout")


def _compile(arguments: argparse.Namespace) -> int:
    from . import container

    program = read_module(arguments).compile(arguments.target, tuned=arguments.tuned)
    if arguments.emit == "spirv":
        suffix, data = ".spv", program.spirv
    elif arguments.emit == "manifest":
        suffix, data = ".json", program.manifest.to_json().encode() + b"\n"
    else:
        suffix, data = ".tinytc", container.pack(program.spirv, program.manifest)
    source = arguments.file
    _write(arguments.output or ("-" if source == "-" else pathlib.Path(source).stem + suffix), data)
    return EXIT_OK


def _add_run(commands: Any) -> None:
    from . import cli_run

    parser = _command(commands, "run", cli_run.run, "run a kernel on random data and time it")
    _add_file(parser)
    _add_target(parser, None, "what to compile for; by default the first device")
    cli_run.add_options(parser)


def _add_tune(commands: Any) -> None:
    from . import cli_tune

    help_ = "search the fastest schedule of a kernel for a device"
    parser = _command(commands, "tune", cli_tune.run, help_)
    _add_file(parser)
    _add_target(parser, None, "what to compile for; by default the first device")
    cli_tune.add_options(parser)


def _add_bench(commands: Any) -> None:
    from . import cli_bench

    help_ = "time our kernels beside those of libraries"
    cli_bench.add_options(_command(commands, "bench", cli_bench.run, help_))


def _add_devices(commands: Any) -> None:
    _command(commands, "devices", _devices, "list the devices that kernels can run on")
    _command(commands, "doctor", _doctor, "check the installation and the environment")


def _devices(_: argparse.Namespace) -> int:
    from . import runtime

    found = runtime.devices()
    for device in found:
        print(runtime.describe_device(device))
    if not found:
        print("no device; `tinytc doctor` looks for the reason", file=sys.stderr)
    return EXIT_OK if found else EXIT_ERROR


def _doctor(_: argparse.Namespace) -> int:
    from .doctor import FAILURE, examine

    findings = examine()
    for finding in findings:
        print(finding)
    return EXIT_ERROR if any(f.status == FAILURE for f in findings) else EXIT_OK


_COMMANDS = (
    _add_check,
    _add_fmt,
    _add_lower,
    _add_compile,
    _add_run,
    _add_tune,
    _add_bench,
    _add_devices,
)


if __name__ == "__main__":
    sys.exit(main())
