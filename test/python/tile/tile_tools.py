"""The tools that tests of the tile dialect run."""

import pathlib
import shutil

import pytest

import tinytc_mlir


def find_tool(name):
    """Return the path of one of our tools: of the installed package, or of the build tree."""
    package = pathlib.Path(tinytc_mlir.__file__).parent
    build = pathlib.Path(tinytc_mlir.__path__[0]).parents[1]
    for folder in (package / "bin", build / "bin"):
        if (folder / name).exists():
            return str(folder / name)
    return shutil.which(name) or pytest.skip(f"no {name}")
