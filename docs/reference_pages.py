"""Pages that are made from the package: the command line and the Python API."""

import argparse

import tinytc_mlir
from tinytc_mlir.cli import _parser

# Every public name is in one section.
SECTIONS = {
    "Compiling": ("Context", "Module"),
    "Programs and kernels": ("Program", "load", "Kernel", "BoundKernel", "Event", "prebuild"),
    "Arrays": ("asarray", "empty", "Group"),
    "What a kernel takes": (
        "Manifest",
        "KernelInfo",
        "ScalarArgument",
        "MemrefArgument",
        "GroupArgument",
    ),
    "Reference interpreter": ("interpret",),
    "Errors": (
        "TinyTCError",
        "CompileError",
        "ParseError",
        "VerificationError",
        "LoweringError",
        "LaunchError",
        "ArgumentError",
        "CheckError",
        "DeviceError",
        "InterpreterError",
        "Diagnostic",
    ),
}
_ELSEWHERE = {"__version__", "recipes"}  # a text; a page of its own


def python_page():
    """Return the page of all public names."""
    public = [name for name in tinytc_mlir.__all__ if name not in _ELSEWHERE]
    listed = {name for names in SECTIONS.values() for name in names}
    rest = [name for name in public if name not in listed]
    sections = {**SECTIONS, **({"More": tuple(rest)} if rest else {})}
    parts = []
    for title, names in sections.items():
        parts.append(f"## {title}\n")
        parts += [_entry(name) for name in names if name in public]
    return "\n".join(parts)


def _entry(name):
    value = getattr(tinytc_mlir, name)
    if isinstance(value, type):
        kind = "autoexception" if issubclass(value, BaseException) else "autoclass"
    else:
        kind = "autofunction" if callable(value) else "automodule"
    path = value.__name__ if kind == "automodule" else f"{value.__module__}.{value.__qualname__}"
    return f"```{{eval-rst}}\n.. {kind}:: {path}\n```\n"


def command_line_page():
    """Return the page of all commands, from their parsers."""
    parser = _parser()
    (commands,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    parts = [_block(parser)]
    for name, command in commands.choices.items():
        parts.append(f"## tinytc {name}\n\n{_block(command)}")
        nested = [a for a in command._actions if isinstance(a, argparse._SubParsersAction)]
        for action in nested:
            parts += [
                f"### tinytc {name} {word}\n\n{_block(each)}"
                for word, each in action.choices.items()
            ]
    return "\n".join(parts)


def _block(parser):
    return f"```text\n{parser.format_help().rstrip()}\n```\n"
