#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Puts the licence into the head of source files that lack it.

    python tools/licence_lines.py FILE...

The status is 1 if it has changed a file. `REUSE.toml` has the licence of all other files.
"""

from __future__ import annotations

import pathlib
import sys

# In two parts, as `reuse` would take it for the licence of this file.
LINE = "SPDX-" + "License-Identifier: BSD-3-Clause"
COMMENTS = {
    **dict.fromkeys((".cpp", ".h", ".td"), "//"),
    **dict.fromkeys((".py", ".sh", ".txt", ".cmake"), "#"),
}


def with_licence(text: str, comment: str) -> str:
    """Return the text of a file with the line in its head, after the title or what runs it."""
    head, separator, rest = text.partition("\n")
    line = f"{comment} {LINE}\n"
    if head.startswith(("//===-", "#!")):
        return head + separator + line + rest
    return line + text


def main(paths: list[str]) -> int:
    """Change files; return the status."""
    changed = False
    for path in map(pathlib.Path, paths):
        text = path.read_text(encoding="utf-8")
        if LINE not in "\n".join(text.split("\n", 5)[:5]):
            path.write_text(with_licence(text, COMMENTS[path.suffix]), encoding="utf-8")
            print(f"{path}: {LINE}")
            changed = True
    return int(changed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
