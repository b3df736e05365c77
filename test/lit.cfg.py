"""Configuration of the lit suite: .mlir files piped through tinytc-opt and FileCheck.

Runs on a build tree (`lit build/test`, through lit.site.cfg.py) and, without one, on
the installed package (`lit test`).
"""

import importlib.util
import os
import sys
from pathlib import Path

import lit.formats

config.name = "tinytc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ir"]
config.excludes = ["python", "Inputs", "lit.cfg.py"]


def package_dir(name):
    """Folder of an installed package, found without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        lit_config.fatal(f"the package {name} is not installed")
    return Path(next(iter(spec.submodule_search_locations)))


if not getattr(config, "tinytc_tools_dir", None):
    config.test_source_root = os.path.dirname(__file__)
    config.test_exec_root = os.path.join(os.getcwd(), "build", "lit")
    locations = importlib.util.find_spec("tinytc_mlir").submodule_search_locations
    tools = [Path(location) / "bin" for location in locations]
    config.tinytc_tools_dir = str(next(tool for tool in tools if tool.is_dir()))

# NVIDIA's assembler and disassembler of Tile IR, where their package is installed.
nvidia = importlib.util.find_spec("nvidia")
roots = list(nvidia.submodule_search_locations) if nvidia else []
assemblers = [str(tool.parent) for root in roots for tool in Path(root).glob("*/bin/tileiras")]
if assemblers:
    config.available_features.add("tileiras")

# FileCheck, not, count and split-file come with the LLVM wheel.
path = [
    config.tinytc_tools_dir,
    str(package_dir("llvm") / "bin"),
    str(Path(sys.executable).parent),
    *assemblers,
    os.environ["PATH"],
]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input=fail"
