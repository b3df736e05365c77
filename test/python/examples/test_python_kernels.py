"""The kernels of the example in Python are those of the other examples' texts."""

import pathlib
import runpy

import pytest

import tinytc_mlir as tt
from equal_modules import canonical

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"
KERNELS = runpy.run_path(str(EXAMPLES / "13_python_kernels.py"))["KERNELS"]


def test_every_text_is_there():
    assert sorted(KERNELS) == sorted(path.name for path in EXAMPLES.glob("*.ir"))


@pytest.mark.parametrize("name", KERNELS)
def test_the_modules_are_the_same(name):
    text = tt.Context().parse_file(EXAMPLES / name)
    kernels = [function for kernel in KERNELS[name] for function in canonical(kernel.module)]
    assert kernels == canonical(text)
