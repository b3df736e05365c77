#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The address of the repository: None until `[project.urls]` in pyproject.toml has a `Repository`.

That is the one place to write it. The documentation, the extension for Visual Studio Code and the
recipes in packaging/ take it from there. As a script, this prints it.
"""

from __future__ import annotations

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def address(text: str | None = None) -> str | None:
    r"""Return the address in the text of pyproject.toml, by default that of this project.

    >>> address('[project.urls]\nRepository = "https://example.org/r"\n')
    'https://example.org/r'
    >>> address("[project.urls]\n# Repository: none yet\n[other]\nRepository = 3\n")
    """
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8") if text is None else text
    urls = text.partition("[project.urls]\n")[2].partition("\n[")[0]
    match = re.search(r'^"?Repository"?\s*=\s*"([^"]+)"', urls, re.M)
    return match and match[1]


if __name__ == "__main__":
    found = address()
    sys.exit("the repository has no public address yet") if found is None else print(found)
