"""`tinytc-opt` as a command: its version, short errors, and readers that leave early."""

import shlex
import subprocess

import pytest

import tile_tools
from tinytc_mlir.version import __version__

HEAD = f"// tinytc-mlir {__version__}\nmodule {{\n"
WRONG = """
tinytc.func @f(%a: !tinytc.memref<8xf32>) {
  %0 = tinytc.size %a[3] : !tinytc.memref<8xf32>
}
"""


@pytest.fixture(scope="module")
def opt():
    return tile_tools.find_tool("tinytc-opt")


def run(opt, *words, text=""):
    return subprocess.run([opt, *words], input=text, capture_output=True, text=True)


def test_version(opt):
    result = run(opt, "--version")
    assert result.returncode == 0
    assert result.stdout.startswith(f"tinytc-opt {__version__} with MLIR 22.")


def test_errors_do_not_repeat_the_op(opt):
    result = run(opt, text=WRONG)
    assert result.returncode == 1
    assert "error: 'tinytc.size' op expected the mode to be at least 0" in result.stderr
    assert "see current operation" not in result.stderr
    result = run(opt, "--mlir-print-op-on-diagnostic", text=WRONG)
    assert 'see current operation: %0 = "tinytc.size"' in result.stderr


@pytest.mark.parametrize("trap", ["", "trap '' PIPE; "], ids=["shell", "python"])
def test_a_reader_that_leaves(opt, tmp_path, trap):
    """Parents such as Python ignore the signal, and processes inherit that."""
    path = tmp_path / "long.mlir"
    path.write_text("".join(f"func.func private @f{i}()\n" for i in range(20000)))
    line = f"{shlex.quote(str(opt))} {shlex.quote(str(path))} | head -n 2"
    result = subprocess.run(["bash", "-c", trap + line], capture_output=True, text=True)
    assert (result.stdout, result.stderr) == (HEAD, "")
