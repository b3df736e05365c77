"""Type checkers know instructions, views and kernels; the stub is that of the dialect."""

import ast
import pathlib
import subprocess
import sys

import pytest
from language_stub import PATH, stub

import tinytc_mlir as tt
from tinytc_mlir.kernels.namespace import names

GOOD = """
import numpy as np
import tinytc_mlir as tt
from typing import assert_type
from tinytc_mlir import KernelFunction


@tt.kernel
def volume(
    alpha: tt.f32,
    D: tt.f32[56, 56],
    Q: tt.f32[56, 9, None],
    S: tt.f32[9, 9, None],
    R: tt.f32[56, 9, None],
) -> None:
    i = tt.group_id.x
    t = tt.local(tt.f32, (56, 9))
    tt.gemm(1.0, D, Q[:, :, i], 0.0, t)
    tt.gemm.n.t(alpha, t, S[:, :, i], 1.0, R[:, :, i])
    R[:, :, i] += alpha * (t @ S[:, :, i].T)
    for j in range(0, 9):
        t[0, j] = tt.exp(t[0, j]) + tt.cast(i, tt.f32)
    with tt.parallel():
        assert tt.subgroup_size > 0


@tt.kernel(subgroup_size=16)
def empty(M: tt.const) -> None:
    pass


assert_type(volume, KernelFunction)
assert_type(empty[3], KernelFunction)
assert_type(volume.text, str)
volume(2.0, np.ones((56, 56)), groups=3)
"""
# A line and what is wrong with it.
BAD = """
import tinytc_mlir as tt

tt.gem(1.0)  # no such instruction
t = tt.local(tt.f32, (56, 9))
tt.gemm(1.0, t)  # operands are missing
tt.gemm.n.tt(1.0, t, t, 0.0, t)  # no such modifier
tt.gemm(1.0, 2.0, t, 0.0, t)  # no array
tt.assert_(tt.group_id.x > 0, 3)  # no text
t.transposed  # no such method
tt.kernel(3)  # no function
"""
WRONG = [number for number, line in enumerate(BAD.splitlines(), 1) if "#" in line]


def test_the_stub_is_that_of_the_dialect():
    """Else run language_stub.py."""
    assert ast.dump(ast.parse(PATH.read_text(encoding="utf-8"))) == ast.dump(ast.parse(stub()))


def test_every_name_is_there():
    tree = ast.parse(PATH.read_text(encoding="utf-8"))
    found = {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}
    found |= {n.target.id for n in tree.body if isinstance(n, ast.AnnAssign)}
    assert found == set(names()) - set(tt.__all__)


def test_mypy(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "bad.py").write_text(BAD)
    (tmp_path / "mypy.ini").write_text(
        "[mypy]\nstrict = true\n"
        "[mypy-tinytc_mlir.*]\nfollow_imports = silent\n"
        "[mypy-mlir.*]\nignore_missing_imports = true\nfollow_imports = skip\n"
    )
    package = pathlib.Path(tt.__file__).parent
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    if "site-packages" not in package.parts:
        environment["MYPYPATH"] = str(package.parent)
    command = [sys.executable, "-m", "mypy", "good.py", "bad.py"]
    output = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True
    ).stdout
    errors = [line.split(":", 2) for line in output.splitlines() if ": error:" in line]
    assert {file for file, *_ in errors} == {"bad.py"}, output
    assert sorted({int(line) for _, line, _ in errors}) == WRONG, output
