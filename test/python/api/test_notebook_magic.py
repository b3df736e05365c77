"""The cell magic of notebooks, in IPython's own shell."""

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

import tinytc_mlir as tt

CELL = """\
func @scale(%alpha: f32, %X: memref<f32x16x$N>) {
  %g = group_id.x : index
  %x = subview %X[:, %g] : memref<f32x16>
  %zero = constant 0.0 : f32
  axpby.n %alpha, %x, %zero, %x
}
"""


@pytest.fixture
def shell():
    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "tinytc_mlir.notebook")
    yield shell
    shell.history_manager.end_session()


def test_kernels_become_variables(shell):
    assert shell.run_cell_magic("tinytc", "--target cpu -D N=10 module", CELL) is None
    x = np.ones((16, 10), np.float32, order="F")
    shell.user_ns["scale"](3.0, x, groups=10)
    assert (x == 3).all()
    assert isinstance(shell.user_ns["module"], tt.Module)


def test_the_explorer(shell):
    page = shell.run_cell_magic("tinytc", "--target cpu -D N=10 --explore", CELL)
    assert "scale" in page.html


@pytest.mark.parametrize(
    ("line", "cell", "message"),
    [
        ("", CELL, "<cell>:1:44: error: expected a defined compile-time variable, got '$N'"),
        ("--nothing", CELL, "%%tinytc: unrecognized arguments: --nothing"),
        ("-D N", CELL, "%%tinytc: expected NAME=VALUE after -D, got 'N'"),
        ("--target none", "func @f() { }", "expected the target to be one of cpu"),
    ],
)
def test_errors_without_a_traceback(shell, capsys, line, cell, message):
    assert shell.run_cell_magic("tinytc", line, cell) is None
    printed = capsys.readouterr().err
    assert message in printed
    assert "Traceback" not in printed
    assert "scale" not in shell.user_ns
