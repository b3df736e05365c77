"""The records of dialect/TinyTC.td and dialect/tile/Tile.td, as TableGen sees them."""

import functools
import importlib.util
import json
import pathlib
import subprocess

import mlir

ROOT = pathlib.Path(__file__).parents[2]
_INCLUDE = pathlib.Path(mlir.__path__[0]) / "include"
_LLVM = importlib.util.find_spec("llvm")
_TBLGEN = pathlib.Path(_LLVM.submodule_search_locations[0] if _LLVM else "") / "bin/llvm-tblgen"


@functools.cache
def records(path="TinyTC.td"):
    """Return all records of a file in dialect/ by name; callers must not change them."""
    command = [_TBLGEN, "--dump-json", "-I", ROOT, "-I", _INCLUDE, ROOT / "dialect" / path]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def ops(path="TinyTC.td", base="TinyTC_Op"):
    """Return the records of a dialect's ops by name, without the name of the dialect."""
    found = (records(path)[name] for name in records(path)["!instanceof"][base])
    return {op["opName"]: op for op in found}


def read(pattern):
    """Return the text of all files of the project that match, one after the other."""
    return "\n".join(path.read_text() for path in sorted(ROOT.glob(pattern)))
