# SPDX-License-Identifier: BSD-3-Clause
"""`tinytc man`: writes the manual pages of all commands, from their parsers."""

from __future__ import annotations

import argparse
import pathlib
import re
from collections.abc import Iterator

from ..version import __version__
from .files import EXIT_OK, EXIT_STATUSES, Commands, command, write

_EXAMPLES = (
    ("", "writes tinytc.1 and a page for each command into this folder"),
    ("-o ~/.local/share/man/man1", "where `man tinytc-run` finds them"),
)


def add(commands: Commands) -> None:
    """Add the command."""
    help_ = "write the manual pages of all commands"
    parser = command(commands, "man", run, help_, _EXAMPLES)
    parser.add_argument("-o", "--output", default=".", help="folder to write, by default this one")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    folder = pathlib.Path(arguments.output)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages(arguments.parser).items():
        write(str(folder / f"{name}.1"), text)
        print(folder / f"{name}.1")
    return EXIT_OK


def pages(parser: argparse.ArgumentParser) -> dict[str, str]:
    """Return the manual pages of a parser and its commands by their names.

    Args:
        parser: that of the whole command line.
    """
    commands = {}
    for words, each in _commands(parser):
        commands["-".join(words)] = each
    found = {}
    for name, each in commands.items():
        others = [other for other in commands if other != name]
        found[name] = _page(name, each, others if name == parser.prog else [parser.prog])
    return found


def _commands(
    parser: argparse.ArgumentParser, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], argparse.ArgumentParser]]:
    words = words or (parser.prog,)
    yield words, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, each in action.choices.items():
                yield from _commands(each, (*words, name))


def _page(name: str, parser: argparse.ArgumentParser, others: list[str]) -> str:
    lines = [
        f'.TH {_quoted(name.upper())} 1 "" "tinytc-mlir {__version__}" "Tiny Tensor language"',
        ".SH NAME",
        f"{_text(name)} \\- {_text(parser.description or '')}",
        ".SH SYNOPSIS",
        *_verbatim(parser.format_usage().removeprefix("usage: ")),
    ]
    for group in parser._action_groups:
        if group._group_actions:
            lines.append(f".SH {_quoted((group.title or 'arguments').upper())}")
            lines += [line for action in group._group_actions for line in _item(parser, action)]
    examples = re.search(r"examples:\n(.*?)\n\n", parser.epilog or "", re.S)
    if examples:
        lines += [".SH EXAMPLES", *_verbatim(examples[1])]
    lines += [".SH EXIT STATUS", *_verbatim(EXIT_STATUSES.partition("\n")[2])]
    last = len(others) - 1
    lines.append(".SH SEE ALSO")
    lines += [f".BR {_text(other)} (1){',' * (i < last)}" for i, other in enumerate(others)]
    return "\n".join(lines) + "\n"


def _item(parser: argparse.ArgumentParser, action: argparse.Action) -> Iterator[str]:
    """Yield the lines about an argument, or about each command."""
    formatter = parser._get_formatter()
    if isinstance(action, argparse._SubParsersAction):
        for each in action._choices_actions:
            yield from (".TP", f".B {_text(each.dest)}", _text(each.help or ""))
        return
    yield ".TP"
    yield f".B {_text(formatter._format_action_invocation(action))}"
    yield _text(formatter._expand_help(action) if action.help else "")


def _verbatim(text: str) -> list[str]:
    return [".nf", *(_text(line.strip()) for line in text.strip().splitlines()), ".fi"]


def _quoted(text: str) -> str:
    return f'"{_text(text)}"'


def _text(text: str) -> str:
    r"""Escape a text for roff, where lines must not begin with a dot or an apostrophe.

    >>> print(_text("--json, a\\b"), _text(".x"))
    \-\-json, a\eb \&.x
    """
    text = re.sub(r"\s+", " ", text).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text
