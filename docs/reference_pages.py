"""Pages and tables that are made from the package."""

import argparse
import types

import tinytc_mlir
from tinytc_mlir import switches
from tinytc_mlir.cli import make_parser
from tinytc_mlir.frontend.names import spellings

# Every public name is in one section.
SECTIONS = {
    "Compiling": ("compile", "Context", "Module", "devices"),
    "Programs and kernels": (
        "Program",
        "load",
        "save",
        "Kernel",
        "BoundKernel",
        "Event",
        "prebuild",
    ),
    "Native code": ("native_queue",),
    "Arrays": ("asarray", "empty", "zeros", "ones", "Group"),
    "What a kernel takes": (
        "Manifest",
        "KernelInfo",
        "ScalarArgument",
        "MemrefArgument",
        "GroupArgument",
    ),
    "Measuring and tuning": ("do_bench", "Timing", "autotune", "Autotuning", "Schedule"),
    "Derivatives": ("grad", "Derivative", "DerivativeParameter", "Gradient"),
    "Profiling": ("add_launch_hook", "LaunchHook", "LaunchRecord"),
    "Reference interpreter": ("interpret",),
    "Kernels that the library writes": ("recipes", "linalg"),
    "PyTorch and JAX": ("torch", "jax"),
    "Clusters": ("distributed",),
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
_NO_ENTRY = {"__version__"}  # a text


def python_page():
    """Return the page of all public names."""
    public = [name for name in tinytc_mlir.__all__ if name not in _NO_ENTRY]
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
    path = f"tinytc_mlir.{name}"
    if not isinstance(value, types.ModuleType):
        return _directive(path, value)
    members = {f"{path}.{member}": getattr(value, member) for member in value.__all__}
    shown = [_directive(path, member) for path, member in members.items() if callable(member)]
    return f"`tt.{name}` has\n\n" + "\n".join(shown)


def _directive(path, value):
    """Return what makes autodoc describe a class or a function under its public name."""
    kind = "autofunction"
    if isinstance(value, type):
        kind = "autoexception" if issubclass(value, BaseException) else "autoclass"
    inherited = "   :inherited-members:\n" if value is tinytc_mlir.Module else ""
    return f"```{{eval-rst}}\n.. {kind}:: {path}\n{inherited}```\n"


def command_line_page():
    """Return the page of all commands, from their parsers."""
    parser = make_parser()
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


def names_table():
    """Return the names of instructions that differ between versions of the language."""
    pairs = [pair for pair in spellings() if pair[0] and pair[0] != pair[1]]
    rows = [f"| `{earlier}` | `{later.replace(', ', '`, `')}` |" for earlier, later in pairs]
    return "\n".join(["| version 0.3 | version 0.4 |", "|---|---|", *rows, ""])


def switches_table():
    """Return the environment variables of the package."""
    rows = [f"| `{each.name}` | {each.values} | {each.meaning} |" for each in switches.SWITCHES]
    return "\n".join(["| variable | value | meaning |", "|---|---|---|", *rows, ""])
