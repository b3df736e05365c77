"""Type checkers know instructions, views and kernels; and all names are in the stub."""

import ast
import json
import pathlib
import re
import subprocess
import sys

import pytest

import tinytc_mlir as tt
from tinytc_mlir.kernels.namespace import names

PACKAGE = pathlib.Path(tt.__file__).parent
PATH = PACKAGE / "kernels" / "language.pyi"
GOOD = """
import numpy as np
import tinytc_mlir as tt
from typing import assert_type
from tinytc_mlir import KernelFunction
from tinytc_mlir.kernels.values_of_kernels import Number, View


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
    assert_type(Q[:, :, i], View)
    assert_type(Q[0, i, 2], Number)
    tt.gemm(1.0, D, Q[:, :, i], 0.0, t)
    tt.gemm.n.t(alpha, t, S[:, :, i], 1.0, R[:, :, i])
    R[:, :, i] += alpha * (t @ S[:, :, i].T)
    for j in range(0, 9):
        t[0, j] = tt.exp(t[0, j]) + tt.cast(i, tt.f32)
    with tt.parallel():
        assert tt.subgroup_size > 0


@tt.kernel(subgroup_size=16)
def empty(M: tt.const, A: tt.group[tt.f32[3, 4]], x: tt.f32) -> None:
    assert_type(A[tt.group_id], View)
    A[0][M % 4, 0] = tt.f32(2) * x + 1


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


def test_every_name_is_there():
    tree = ast.parse(PATH.read_text(encoding="utf-8"))
    (types,) = (node for node in tree.body if isinstance(node, ast.If))
    nodes = [*tree.body, *types.body]
    found = {n.name for n in nodes if isinstance(n, ast.FunctionDef)}
    found |= {n.target.id for n in nodes if isinstance(n, ast.AnnAssign)}
    assert found == set(names()) - set(tt.__all__)
    assert [n.name for n in types.orelse] == [n.target.id for n in types.body]


@pytest.fixture
def folder(tmp_path):
    """Return a folder with the files and the settings of both type checkers."""
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "bad.py").write_text(BAD)
    (tmp_path / "mypy.ini").write_text(
        "[mypy]\nstrict = true\nplugins = tinytc_mlir.kernels.mypy_plugin\n"
        "[mypy-tinytc_mlir.*]\nfollow_imports = silent\n"
        "[mypy-mlir.*]\nignore_missing_imports = true\nfollow_imports = skip\n"
        "[mypy-jax.*,torch.*]\nfollow_imports = skip\n"  # whose types take five times as long
    )
    settings = {"extraPaths": [str(PACKAGE.parent)], "typeCheckingMode": "standard"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    return tmp_path


def run(folder, *words, **more):
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), **more}
    command = [sys.executable, "-m", *words, "good.py", "bad.py"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def mypy_errors(folder):
    """Return the output of mypy, and the places of errors."""
    is_installed = "site-packages" in PACKAGE.parts
    paths = {} if is_installed else {"MYPYPATH": str(PACKAGE.parent)}
    found = run(folder, "mypy", PYTHONPATH=str(PACKAGE.parent), **paths)
    errors = [line.split(":", 2) for line in found.stdout.splitlines() if ": error:" in line]
    return found.stdout + found.stderr, {(file, int(line)) for file, line, _ in errors}


def test_mypy(folder):
    pytest.importorskip("mypy")
    output, errors = mypy_errors(folder)
    assert sorted(errors) == [("bad.py", line) for line in WRONG], output


def test_mypy_without_the_plugin(folder):
    pytest.importorskip("mypy")
    settings = folder / "mypy.ini"
    settings.write_text(re.sub("plugins.*\n", "", settings.read_text()))
    lines = [n for n, line in enumerate(GOOD.splitlines(), 1) if re.match(r" +assert_type", line)]
    expected = [("bad.py", line) for line in WRONG] + [("good.py", line) for line in lines]
    output, errors = mypy_errors(folder)
    assert sorted(errors) == expected, output


def test_pyright(folder):
    pytest.importorskip("pyright")
    result = run(folder, "pyright", "--outputjson", "--pythonpath", sys.executable)
    if not result.stdout.startswith("{"):  # its package loads the checker from the network once
        pytest.skip(f"pyright cannot start: {result.stderr}")
    found = json.loads(result.stdout)["generalDiagnostics"]
    found = [e for e in found if e["severity"] == "error"]
    errors = {(pathlib.Path(e["file"]).name, e["range"]["start"]["line"] + 1) for e in found}
    assert sorted(errors) == [("bad.py", line) for line in WRONG], found
