"""Memory for the maker's programs, between guard zones, and launches compared with NumPy."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from typing import Any

import numpy as np

import tinytc_mlir as tt
from cases.memory import GUARD, is_same
from cases.seissol.maker import Matrix, Program
from cases.seissol.meaning import Storage, run

DTYPES = {"f32": np.float32, "f64": np.float64}


class Parameter:
    """The memory of a parameter: its members in random order, with guard zones around each.

    All elements between and around the matrices are NaN: those that a kernel reads by mistake
    spoil its result, and those that it writes are found.

    Args:
        rng: source of sizes, places and values.
        matrix: the matrix.
        members: number of members.
        dtype: NumPy dtype.
    """

    def __init__(self, rng: random.Random, matrix: Matrix, members: int, dtype: Any) -> None:
        self.matrix = matrix
        self._offset = rng.randint(0, 70) if matrix.offset == "?" else int(matrix.offset or 0)
        starts = self._places(rng, members)
        self._size = int(max(starts)) + self._extent + GUARD
        values = np.full(self._size, np.nan, dtype)
        self.storage = Storage(values, np.zeros(values.size), starts + self._offset)
        rows, columns = np.arange(matrix.rows), matrix.stride * np.arange(matrix.columns)
        index = self.storage.starts[:, None, None] + rows[:, None] + columns
        random_values = np.random.default_rng(rng.randrange(2**32)).standard_normal(index.shape)
        values[index] = random_values

    @property
    def _extent(self) -> int:
        """Elements from the pointer to a member to its end."""
        return self._offset + (self.matrix.columns - 1) * self.matrix.stride + self.matrix.rows

    def _places(self, rng: random.Random, members: int) -> np.ndarray[Any, Any]:
        """Return where the pointers to the members point."""
        if self.matrix.kind == "constant":
            return np.array([GUARD])
        if self.matrix.kind == "batch":
            return GUARD + self.matrix.member_stride * np.arange(members)
        slots = list(range(members + 2))  # two of them stay empty
        rng.shuffle(slots)
        distance = self._extent + GUARD + rng.randint(0, 9)
        return GUARD + distance * np.array(slots[:members])

    def argument(self, memory: Any) -> Any:
        """Return the argument of a launch.

        Args:
            memory: the elements, where the kernel reads and writes them.
        """
        matrix, places = self.matrix, self.storage.starts - self._offset
        if matrix.kind == "constant":
            return self._array(memory, places[0])
        if matrix.kind == "batch":
            return self._array(memory, places[0], len(places))
        if matrix.offset is None:
            return [self._array(memory, place) for place in places]
        members = [memory[place : place + self._extent] for place in places]
        return tt.Group(members, self._offset, shape=(matrix.rows, matrix.columns))

    def _array(self, memory: Any, place: int, members: int | None = None) -> Any:
        matrix, size_bytes = self.matrix, memory.itemsize
        shape = (matrix.rows, matrix.columns)
        strides = (size_bytes, size_bytes * matrix.stride)
        if members is not None:
            shape, strides = (*shape, members), (*strides, size_bytes * matrix.member_stride)
        return np.ndarray(shape, memory.dtype, memory, place * size_bytes, strides)


def may_share(program: Program, left: Matrix, right: Matrix) -> bool:
    """Return whether two parameters may be the same batch: none is an operand of the other."""
    if left.kind != "group" or dataclasses.replace(left, name=right.name) != right:
        return False
    return not any(
        statement.c.matrix in (left, right)
        and any(v is not None and v.matrix in (left, right) for v in (statement.a, statement.b))
        for statement in program.statements
    )


def compare(
    rng: random.Random,
    program: Program,
    kernel: tt.Kernel,
    groups: int,
    place: Callable[[Any], Any] = tt.asarray,
) -> str:
    """Return where a launch and NumPy disagree, empty if they do not.

    Args:
        rng: source of offsets, places and values.
        program: the program.
        kernel: its kernel.
        groups: number of groups; batches may have more members.
        place: makes the arrays that the kernel gets of arrays of the host.
    """
    matrices = program.parameters()
    groups = min([groups, *(m.members for m in matrices.values() if m.members)])
    parameters: dict[str, Parameter] = {}
    memories: dict[str, Any] = {}
    for name, matrix in matrices.items():
        same = next((n for n in parameters if may_share(program, matrices[n], matrix)), None)
        if same is not None and rng.random() < 0.5:
            parameters[name], memories[name] = parameters[same], memories[same]
            continue
        members = matrix.members or groups + rng.choice((0, 0, 2))
        parameters[name] = Parameter(rng, matrix, members, DTYPES[program.type_])
        memories[name] = place(parameters[name].storage.values.copy())
    alpha = rng.choice((1.0, -0.75))
    arguments = {name: p.argument(memories[name]) for name, p in parameters.items()}
    kernel({**arguments, **({"alpha": alpha} if program.has_alpha else {})}, groups=groups)
    run(program, {name: p.storage for name, p in parameters.items()}, alpha, groups)
    for name, parameter in parameters.items():
        message = _difference(memories[name], parameter.storage)
        if message:
            return f"%{name}: {message}"
    return ""


def _difference(actual: Any, expected: Storage) -> str:
    with np.errstate(all="ignore"):
        same = is_same(actual, expected.values)
        same |= np.abs(actual - expected.values) <= expected.errors
    if same.all():
        return ""
    index = int(np.argmin(same))
    return (
        f"{int((~same).sum())} elements differ, the first at {index}: got {actual[index]}, "
        f"expected {expected.values[index]} within {expected.errors[index]}"
    )
