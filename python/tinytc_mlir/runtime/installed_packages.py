# SPDX-License-Identifier: BSD-3-Clause
"""Versions and files of installed packages.

`importlib.metadata` knows more, and takes 20 ms to import, which each process would spend.
"""

from __future__ import annotations

import os
import sys

_SUFFIX = ".dist-info"


def version(package: str) -> str | None:
    """Return the version of a package, None if it is not installed.

    >>> version("no-such-package") is None
    True
    """
    found = _metadata_folder(package)
    return None if found is None else found[1].removesuffix(_SUFFIX).rpartition("-")[2]


def files(package: str, name: str) -> list[str]:
    """Return the paths of a package's files that have a name.

    Args:
        package: name of the package.
        name: the last part of the paths.
    """
    found = _metadata_folder(package)
    if found is None:
        return []
    folder, metadata = found
    try:
        with open(os.path.join(folder, metadata, "RECORD"), encoding="utf-8") as record:
            lines = record.read().splitlines()
    except OSError:
        return []
    # A path, a checksum and a size; a path that has a comma is in quotes.
    paths = (line.rsplit(",", 2)[0].strip('"') for line in lines)
    return [
        os.path.normpath(os.path.join(folder, *path.split("/")))
        for path in paths
        if path.rpartition("/")[2] == name
    ]


def _metadata_folder(package: str) -> tuple[str, str] | None:
    """Return the folder that a package is installed in, and the name of that of its metadata."""
    wanted = package.lower().replace("-", "_").replace(".", "_")
    for folder in sys.path:
        try:
            names = os.listdir(folder or os.curdir)
        except OSError:  # a ZIP archive, or nothing
            continue
        for name in names:
            if name.endswith(_SUFFIX):
                stem = name[: -len(_SUFFIX)].rpartition("-")[0]
                if stem.lower().replace("-", "_").replace(".", "_") == wanted:
                    return folder, name
    return None
