"""Names that are imported from the package by themselves, and names of the grid that are called."""

import pickle
import types

import numpy as np
import pytest
from kernel_files import imported

import tinytc_mlir as tt
from nearness import assert_near
from tinytc_mlir import exp, f32, foreach, group_id, i64, load, local, num_groups, outer, parallel

library = types.ModuleType("library")
library.real, library.exponential, library.place = f32, exp, group_id


def of_grid():
    """Return kernels that store 10 times the first number of their group, plus the second."""

    @tt.kernel
    def imported_name(x: i64[None, None]):
        x[group_id.x, group_id.y] = i64(10 * group_id.x + group_id.y)

    @tt.kernel
    def without_mode(x: i64[None, None]):
        i = group_id
        x[group_id, tt.group_id.y] = i64(10 * i + tt.group_id.y)

    @tt.kernel
    def called(x: i64[None, None]):
        i = group_id() if x.shape[0] > 0 else group_id
        x[tt.group_id(), tt.group_id.y()] = i64(10 * i + group_id.y())

    @tt.kernel
    def of_a_library(x: i64[None, None]):
        x[library.place, library.place.y] = i64(10 * library.place + library.place.y())

    return imported_name, without_mode, called, of_a_library


@pytest.mark.parametrize("kernel", of_grid(), ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("run", ["__call__", "python"])
def test_grids(kernel, run):
    x = np.zeros((3, 2), np.int64)
    getattr(kernel, run)(x, groups=(3, 2))
    assert x.tolist() == [[0, 1], [10, 11], [20, 21]]


@tt.kernel
def mixed(A: f32[8, 8], x: f32[8]):
    y = local(f32, (8,))
    for i in foreach(8):
        y[i] = exp(f32(0)) * x[i] + f32(num_groups())
    with parallel():
        tt.print("a text")
    A[:] = outer(y, x)


@tt.kernel
def of_library(A: f32[8, 8], x: f32[8]):
    for i in foreach(8):
        A[i, 0] = library.exponential(library.real(0)) + x[i]


@pytest.mark.parametrize("kernel", [mixed, of_library], ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("run", ["__call__", "python"])
def test_instructions(kernel, run):
    x, A = np.arange(8, dtype=np.float32), np.zeros((8, 8), np.float32, order="F")
    getattr(kernel, run)(A, x, groups=1)
    expected = np.outer(x + 1, x) if kernel is mixed else np.outer(x + 1, np.arange(8) == 0)
    np.testing.assert_array_equal(A, expected)


TEXT = """from __future__ import annotations
import tinytc_mlir as tt
from tinytc_mlir import {first} as function, const, f32, group, kernel

largest = {second}

@kernel
def applied(G: group[f32[8]], N: const, T: const):
    x = G[tt.group_id]
    for i in tt.foreach(N):
        x[i] = function(T(i)) + T(largest(i, 3))
"""


def test_names_are_in_the_key(tmp_path):
    """The same function with other functions behind its names is another kernel."""
    names = (("exp", "max"), ("log", "max"), ("exp", "min"))
    texts = [TEXT.format(first=first, second=second) for first, second in names]
    files = [imported(tmp_path / f"{n}.py", text) for n, text in enumerate(texts)]
    assert len({each["applied"].source.key() for each in files}) == 3


def test_names_are_pickled(tmp_path):
    kernel = imported(tmp_path / "a.py", TEXT.format(first="exp", second="max"))["applied"]
    again = pickle.loads(pickle.dumps(kernel))
    x, y = np.zeros((2, 8), np.float32)
    again([x], N=8, T=tt.f32, groups=1)
    kernel.python([y], N=8, T=tt.f32, groups=1)
    assert_near(x, y)
    assert_near(x, np.exp(np.arange(8)) + np.maximum(np.arange(8), 3))


def test_an_instruction_that_is_not_called():
    @tt.kernel
    def kept(x: f32[8]):
        x[0] = exp

    with pytest.raises(tt.ParseError, match="expected a call of 'tt.exp', got its name"):
        kept.text  # noqa: B018


def test_a_function_of_the_package_with_the_name_of_an_instruction():
    @tt.kernel
    def loaded(x: f32[8]):
        x[0] = load(x, 1)

    with pytest.raises(tt.ParseError, match="note: use tt.load"):
        loaded.text  # noqa: B018
