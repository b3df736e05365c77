"""The kernels of the example in Python are those of the other examples' texts."""

import pathlib
import re
import runpy

import pytest
from mlir import passmanager

import tinytc_mlir as tt

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"
KERNELS = runpy.run_path(str(EXAMPLES / "13_python_kernels.py"))["KERNELS"]
CONSTANT = re.compile(r"^ *(%\S+) = tinytc\.constant (.*)\n", re.M)


def canonical(module):
    """Return a module without equal values, and with constants in place."""
    clone = module.operation.clone().operation
    with clone.context:
        passmanager.PassManager.parse("builtin.module(canonicalize,cse)").run(clone)
    text = str(clone)
    for name, value in CONSTANT.findall(text):
        text = re.sub(rf"{re.escape(name)}\b", f"<{value}>", text)
    return re.sub(r"^ *<.*> = tinytc\.constant .*\n", "", text, flags=re.M)


@pytest.mark.parametrize("name", KERNELS)
def test_the_modules_are_the_same(name):
    text = tt.Context().parse_file(EXAMPLES / name)
    assert canonical(KERNELS[name].module) == canonical(text)
