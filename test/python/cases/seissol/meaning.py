"""What the maker's programs mean, in NumPy, and how far rounding may lead away from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from cases.seissol.maker import Matrix, Program, Statement, View


@dataclasses.dataclass
class Storage:
    """The elements in which the members of a matrix lie, those between them included.

    Args:
        values: the elements.
        errors: by how much each may be wrong.
        starts: where the first element of each group's member is; one for a constant.
    """

    values: np.ndarray[Any, Any]
    errors: np.ndarray[Any, Any]
    starts: np.ndarray[Any, Any]

    def index(self, view: View) -> np.ndarray[Any, Any]:
        """Return where the elements of a view are, of shape (groups, rows, columns)."""
        rows = np.arange(view.row, view.row + view.rows)
        columns = view.matrix.stride * np.arange(view.column, view.column + view.columns)
        return np.asarray(self.starts[:, None, None] + rows[:, None] + columns)


def run(program: Program, storages: Mapping[str, Storage], alpha: float, groups: int) -> None:
    """Run a program for all groups, in the precision of its type.

    Args:
        program: the program.
        storages: memory of the parameters by name; those that are written are changed.
        alpha: value of the parameter `%alpha`.
        groups: number of groups.
    """
    dtype = next(iter(storages.values())).values.dtype
    every = dict(storages)
    for name, matrix in program.matrices().items():
        if name not in every:
            every[name] = _temporary(matrix, groups, dtype)
    for statement in program.statements:
        _run(statement, every, alpha if statement.alpha is None else statement.alpha, groups)


def _temporary(matrix: Matrix, groups: int, dtype: Any) -> Storage:
    size = matrix.stride * matrix.columns
    values = np.full(size * groups, np.nan, dtype)
    return Storage(values, np.zeros(values.size), size * np.arange(groups))


def _run(statement: Statement, storages: Mapping[str, Storage], alpha: float, groups: int) -> None:
    def read(view: View) -> tuple[Any, Any]:
        storage = storages[view.matrix.name]
        index = storage.index(view)[:groups]
        return storage.values[index], storage.errors[index]

    a, a_error = read(statement.a)
    epsilon = np.finfo(a.dtype).eps
    alpha = a.dtype.type(alpha)
    if statement.b is None:
        if statement.is_transposed:
            a, a_error = a.swapaxes(1, 2), a_error.swapaxes(1, 2)
        result, size, error, terms = alpha * a, np.abs(a), a_error, 1
    else:
        b, b_error = read(statement.b)
        if statement.is_transposed:
            b, b_error = b.swapaxes(1, 2), b_error.swapaxes(1, 2)
        a_size, b_size = np.abs(a).astype(float), np.abs(b).astype(float)
        result, size, terms = alpha * (a @ b), a_size @ b_size, a.shape[-1]
        error = a_size @ b_error + a_error @ b_size
    # Each product and each sum is rounded once, in both runs by half an epsilon.
    size, error = np.abs(alpha) * size, np.abs(alpha) * error
    if statement.beta != 0:
        c, c_error = read(statement.c)
        result = result + c.dtype.type(statement.beta) * c
        size = size + np.abs(statement.beta * c)
        error = error + np.abs(statement.beta) * c_error
    target = storages[statement.c.matrix.name]
    index = target.index(statement.c)[:groups]
    target.values[index] = result
    target.errors[index] = error + (terms + 2) * epsilon * size
