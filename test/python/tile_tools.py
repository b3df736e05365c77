"""The tools that tests of the tile dialect run, and one kernel for each of its examples."""

import pathlib
import re
import shutil
import subprocess
import textwrap

import pytest
from mlir import ir

import accepted_code
import ods
import profiles
import tinytc_mlir
from tinytc_mlir import _tinytc, tile_programs
from tinytc_mlir.frontend.mlir_diagnostics import collected

ARCHITECTURES = ["sm_90", "sm_100"]


def architectures(key):
    """Return those to assemble something for: at night all, in a commit one in turn."""
    return profiles.in_turns(ARCHITECTURES, key)


def find_tool(name):
    """Return the path of one of our tools: of the installed package, or of the build tree."""
    package = pathlib.Path(tinytc_mlir.__file__).parent
    build = pathlib.Path(tinytc_mlir.__path__[0]).parents[1]
    for folder in (package / "bin", build / "bin"):
        if (folder / name).exists():
            return str(folder / name)
    return shutil.which(name) or pytest.skip(f"no {name}")


def find_nvidia_tool(name="tileiras"):
    """Return the path of a program of the package nvidia-cuda-tileiras."""
    try:
        return tile_programs.find_tool(name)
    except tinytc_mlir.DeviceError as error:
        pytest.skip(str(error))


def check_assembles(bytecode, architecture, folder):
    """Check that the assembler takes the bytecode, without diagnostics."""

    def check():
        assert assemble(bytecode, architecture, folder) == ""

    accepted_code.check_once(f"tileiras {architecture}", bytecode, check)


def assemble(bytecode, architecture, folder):
    """Return the diagnostics of the assembler, empty if it takes the bytecode."""
    source = folder / "kernels.tileirbc"
    source.write_bytes(bytecode)
    command = [find_nvidia_tool(), f"--gpu-name={architecture}", str(source)]
    command += ["-o", str(folder / "kernels.cubin")]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    return result.stderr if result.returncode else ""


def context():
    """Return a context that has the dialect."""
    made = ir.Context()
    _tinytc.register_dialect(made)
    return made


def write(text, version=""):
    """Return the bytecode of the text of a module."""
    with context() as made, collected(made, {}) as found:
        module = ir.Module.parse(text)
        try:
            return _tinytc.write_tile_bytecode(module.operation, version)
        except ValueError:
            raise ValueError("; ".join(map(str, found))) from None


def disassemble(bytecode, folder):
    """Return what NVIDIA's disassembler prints of bytecode."""
    source = folder / "kernels.tileirbc"
    source.write_bytes(bytecode)
    command = [find_nvidia_tool("tileirdisasm"), str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout


def examples():
    """Return the examples of the ops, each as a module of one kernel, by name."""
    found = {}
    for name, op in ods.ops("tile/Tile.td", "Tile_Op").items():
        (example,) = re.findall(r"```mlir\n(.*?)```", op["description"], re.DOTALL)
        text = textwrap.dedent(example).strip()
        if not text.startswith("tile.module"):
            end = "" if text == "tile.return" else "tile.return"
            text = f"tile.module @kernels {{\ntile.entry @example() {{\n{text}\n{end}\n}}\n}}"
        kernel = re.search(r"tile.entry @(\w+)", text).group(1)
        found[name] = text.replace(f"@{kernel}", f"@test_{name}")
    return found
