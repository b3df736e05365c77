# SPDX-License-Identifier: BSD-3-Clause
"""`tinytc cache`: shows and clears what is kept between processes."""

from __future__ import annotations

import argparse
import time

from .. import cache
from .files import EXIT_OK, Commands, command

_ACTIONS = ("info", "list", "clear")
_EXAMPLES = (
    ("info", "where entries are, how many and how large"),
    ("list", "which programs and kernels are kept, the one used last first"),
    ("clear --kind device", "lets the driver build all kernels again"),
)


def add(commands: Commands) -> None:
    """Add the command."""
    help_ = "show or clear the programs and device code that are kept"
    parser = command(commands, "cache", run, help_, _EXAMPLES)
    parser.add_argument(
        "action",
        choices=_ACTIONS,
        help="info: folder, limit and sizes; list: the entries, the one used last first; "
        "clear: delete them",
    )
    parser.add_argument(
        "--kind",
        choices=tuple(cache.KINDS),
        action="append",
        help="only entries of this kind: "
        + ", ".join(f"{kind} ({what})" for kind, what in cache.KINDS.items()),
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if cache.folder() is None:
        print("off: nothing is read or written")
        return EXIT_OK
    kinds = tuple(dict.fromkeys(arguments.kind or cache.KINDS))
    {"info": _info, "list": _list, "clear": _clear}[arguments.action](kinds)
    return EXIT_OK


def _info(kinds: tuple[str, ...]) -> None:
    print(f"folder   {cache.folder()}")
    print(f"limit    {_size(cache.MAX_BYTES)}; what was used longest ago is deleted")
    found = cache.entries()
    for kind in kinds:
        sizes = [entry.size_bytes for entry in found if entry.kind == kind]
        print(f"{kind:8} {len(sizes)} in {_size(sum(sizes))}: {cache.KINDS[kind]}")
    root = cache.root()
    winners = list((root / "schedules").glob("*.json")) if root is not None else []
    print(f"tuned    {len(winners)}: schedules that `tinytc tune` has found; clear keeps them")


def _list(kinds: tuple[str, ...]) -> None:
    for entry in cache.entries():
        if entry.kind not in kinds:
            continue
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.used_s))
        print(f"{used}  {_size(entry.size_bytes):>9}  {entry.kind:8} {_described(entry)}")


def _described(entry: cache.Entry) -> str:
    note = cache.note_of(entry)
    if note is None:
        return "damaged, or others can write it; it is not used"
    kernels = note.get("kernels")
    names = ", ".join(map(str, kernels)) if isinstance(kernels, list) and kernels else "no kernel"
    source = f", {note['source']}" if "source" in note else ""
    return f"{names} for {note.get('target', 'any target')}{source}"


def _clear(kinds: tuple[str, ...]) -> None:
    count, size_bytes = cache.clear(kinds)
    print(f"deleted {count} {'entry' if count == 1 else 'entries'} of {_size(size_bytes)}")


def _size(size_bytes: int) -> str:
    """Return a number of bytes in a unit that people read.

    >>> _size(100), _size(3 * 2**20)
    ('0.1 KiB', '3.0 MiB')
    """
    if size_bytes < 2**20:
        return f"{size_bytes / 2**10:.1f} KiB"
    return f"{size_bytes / 2**20:.1f} MiB"
