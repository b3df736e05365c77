# SPDX-License-Identifier: BSD-3-Clause
"""`tinytc completion`: prints what makes shells complete commands, options and files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from .files import EXIT_OK, Commands, command, write

_EXAMPLES = (
    ("bash > ~/.local/share/bash-completion/completions/tinytc", "for each new bash"),
    ("zsh > ~/.zfunc/_tinytc", "for zsh, with ~/.zfunc in fpath"),
    ("fish > ~/.config/fish/completions/tinytc.fish", "for each new fish"),
)
_FILES = ("file", "files", "output", "json", "markdown", "plot", "source")
"""Where the command line keeps names of files."""


def add(commands: Commands) -> None:
    """Add the command."""
    help_ = "print what makes a shell complete commands, options, targets and files"
    parser = command(commands, "completion", run, help_, _EXAMPLES)
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    import shtab

    parser = arguments.parser
    for action in _actions(parser):
        if action.dest in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.dest == "target":
            from ..compiler import TARGETS

            action.choices = (*TARGETS, *getattr(action, "others", ()))
    write("-", shtab.complete(parser, shell=arguments.shell))
    return EXIT_OK


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the options and arguments of all commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from _actions(each)
