"""Type checkers know instructions, views and kernels; and all names are in the stub."""

import ast
import re

import pytest

import tinytc_mlir as tt
import type_checkers
from tinytc_mlir.kernels.namespace import names

PATH = type_checkers.PACKAGE / "kernels" / "language.pyi"
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
    type_checkers.write_files(tmp_path, GOOD, BAD, type_checkers.PLUGIN)
    return tmp_path


def test_mypy(folder):
    output, errors = type_checkers.mypy_errors(folder)
    assert errors == type_checkers.marked(BAD), output


def test_mypy_without_the_plugin(folder):
    settings = folder / "mypy.ini"
    settings.write_text(settings.read_text().replace(type_checkers.PLUGIN, ""))
    lines = [n for n, line in enumerate(GOOD.splitlines(), 1) if re.match(r" +assert_type", line)]
    expected = type_checkers.marked(BAD) + [("good.py", line) for line in lines]
    output, errors = type_checkers.mypy_errors(folder)
    assert errors == expected, output


def test_pyright(folder):
    found, errors = type_checkers.pyright_errors(folder)
    assert errors == type_checkers.marked(BAD), found
