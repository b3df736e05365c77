# SPDX-License-Identifier: BSD-3-Clause
"""Points of convergence: barriers, and operations in which a subgroup exchanges values."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from ..reference.arithmetic import Arithmetic
from ..reference.coopmatrix_layout import places
from ..reference.machine import Geometry, Site
from ..reference.rounding import Array
from ..reference.untyped import Value
from ..scalars import scalar_type_named
from .findings import Findings, Kind
from .fragments import LANES, fragments

_TF32 = np.uint32(0xFFFFE000)
"""The bits of a factor of f32 that a matrix unit takes; the others are cut off."""


@dataclasses.dataclass(frozen=True)
class ConvergencePoint:
    """A place where work-items wait for each other.

    Args:
        site: the instruction.
        needs_all: whether it is undefined where some of them do not come.
    """

    site: Site
    needs_all: bool = dataclasses.field(default=True, kw_only=True)

    def size(self, geometry: Geometry) -> int:
        """Return how many work-items wait: a subgroup, unless a subclass says otherwise."""
        return geometry.subgroup_size

    def exchange(self, running: Array, *operands: Array) -> tuple[Array, ...]:
        """Return what the work-items of each subgroup get for what they bring.

        Args:
            running: (subgroups, subgroup size) bool array of those that are here.
            operands: arrays of the same shape, with anything for the others.

        Returns:
            arrays of the same shape, or with one column for results that all get.
        """
        raise NotImplementedError

    def exchange_equal(self, *operands: Value) -> tuple[Any, ...] | None:
        """Return the results if all work-items contribute the same; None if they differ."""
        return None

    def check_operands(self, findings: Findings, running: Array, *operands: Array) -> None:
        """Report operands that break a rule, given those of subgroups that have arrived."""

    def report_incomplete(self, findings: Findings, what: str) -> None:
        """Report that not all work-items are here."""
        message = f"divergence: expected all work-items to execute '{self.site.name}', {what}"
        findings.add(Kind.DIVERGENCE, self.site, message)

    def check_partners(self, findings: Findings, running: Array, partners: Array) -> None:
        """Report work-items that are named and do not exist, or are not here."""
        size = partners.shape[1]
        is_wrong = ((partners < 0) | (partners >= size)) & running
        if is_wrong.any():
            wrong = int(partners[is_wrong][0])
            message = f"expected the number of a work-item below {size}, got {wrong}"
            findings.add(Kind.BOUNDS, self.site, message)
            return
        is_absent = ~np.take_along_axis(running, np.where(running, partners, 0), axis=1) & running
        if is_absent.any() and not self.needs_all:  # else it is reported already
            absent = int(partners[is_absent][0])
            message = f"expected a work-item that executes '{self.site.name}', got {absent}"
            findings.add(Kind.DIVERGENCE, self.site, f"divergence: {message}")


@dataclasses.dataclass(frozen=True)
class Barrier(ConvergencePoint):
    """All work-items of the work-group wait.

    Args:
        fences_global: whether it orders accesses to global memory.
        fences_local: whether it orders accesses to local memory.
    """

    fences_global: bool
    fences_local: bool

    def size(self, geometry: Geometry) -> int:
        """Return the size of the work-group."""
        return geometry.work_items


@dataclasses.dataclass(frozen=True)
class Broadcast(ConvergencePoint):
    """All work-items of a subgroup get the value of one of them.

    Args:
        subgroup_size: number of work-items in a subgroup.
    """

    subgroup_size: int

    def exchange_equal(self, *operands: Value) -> tuple[Any, ...] | None:
        """Return the value, which all have, if that work-item exists."""
        value, lane = operands
        return (value,) if 0 <= lane < self.subgroup_size else None

    def exchange(self, running: Array, *operands: Array) -> tuple[Array, ...]:
        """Return the values that are broadcast."""
        values, lanes = operands
        lane = np.clip(_of_first(running, lanes), 0, values.shape[1] - 1)
        return (np.take_along_axis(values, lane, axis=1),)

    def check_operands(self, findings: Findings, running: Array, *operands: Array) -> None:
        """All name the same work-item, and it is here."""
        lanes = operands[1]
        self.check_partners(findings, running, lanes)
        if ((lanes != _of_first(running, lanes)) & running).any():
            message = "expected all work-items of a subgroup to name the same one, got several"
            findings.add(Kind.DIVERGENCE, self.site, message)


@dataclasses.dataclass(frozen=True)
class Shuffle(ConvergencePoint):
    """Work-items get the value of another one of their subgroup.

    Args:
        mode: "idx", "up", "down" or "xor".
    """

    mode: str

    def exchange(self, running: Array, *operands: Array) -> tuple[Array, ...]:
        """Return the values, and whether there is such a work-item."""
        values, offsets = operands
        source = self._source(offsets)
        is_valid = (source >= 0) & (source < values.shape[1])
        chosen = np.where(is_valid, source, np.arange(values.shape[1]))
        return np.take_along_axis(values, chosen, axis=1), is_valid

    def check_operands(self, findings: Findings, running: Array, *operands: Array) -> None:
        """A work-item that is named is here; one at a distance need not exist."""
        source = self._source(operands[1])
        if self.mode in ("up", "down"):
            exists = (source >= 0) & (source < source.shape[1])
            source = np.where(exists, source, np.arange(source.shape[1]))
        self.check_partners(findings, running, source)

    def _source(self, offsets: Array) -> Array:
        lanes = np.arange(offsets.shape[1])
        if self.mode == "idx":
            return offsets
        if self.mode == "xor":
            exchanged: Array = np.bitwise_xor(lanes, offsets)
            return exchanged
        return lanes + offsets if self.mode == "down" else lanes - offsets


@dataclasses.dataclass(frozen=True)
class MatrixProduct(ConvergencePoint):
    """The work-items of a subgroup multiply matrices and get their row of the result.

    The sum is rounded once.

    Args:
        arithmetic: what numbers are.
        type_name: type of the elements of A and B.
        depth: columns of A, which are the rows of B.
        columns: columns of B and C.
        has_halves: whether work-items bring halves of the elements of B.
    """

    arithmetic: Arithmetic
    type_name: str
    depth: int
    columns: int
    has_halves: bool

    def exchange(self, running: Array, *operands: Array) -> tuple[Array, ...]:
        """Return the columns of A B + C, given those of A, the entries of B, those of C."""
        a = np.stack(operands[: self.depth], axis=2)
        entries = np.stack(operands[self.depth : -self.columns], axis=2)
        c = np.stack(operands[-self.columns :], axis=2)
        b = self._numbers(entries) if self.has_halves else self._rows(entries)
        result_type = "i32" if self.type_name.startswith("i") else "f32"
        found = _multiply_add(self.arithmetic, (self.type_name, result_type), a, b, c)
        return tuple(np.moveaxis(found, 2, 0))

    def _numbers(self, entries: Array) -> Array:
        """Return the numbers of f32 whose halves neighbouring work-items bring."""
        bits = entries.astype(np.int16).view(np.uint16).astype(np.uint32)
        numbers: Array = bits[:, ::2] | bits[:, 1::2] << np.uint32(16)
        stored = numbers.view(np.float32)
        return np.asarray(self.arithmetic.from_memory(scalar_type_named("f32"), stored))

    def _rows(self, entries: Array) -> Array:
        """Return B of each subgroup, whose entries are those of a coopmatrix."""
        lanes = entries.shape[1]
        component_bytes = scalar_type_named(self.type_name).dtype.itemsize
        where = places((self.depth, self.columns), "matrix_b", component_bytes, lanes)
        b = np.zeros((len(entries), self.depth, self.columns), entries.dtype)
        b[:, where.rows[where.held], where.columns[where.held]] = entries[:, where.held]
        return b


def _multiply_add(
    arithmetic: Arithmetic, type_names: tuple[str, str], a: Array, b: Array, c: Array
) -> Array:
    """Return A B + C of stacks of matrices, given the types of the factors and of the sum."""
    factor, result = map(scalar_type_named, type_names)
    if not arithmetic.is_plain(result):
        convert, add = arithmetic.cast(factor, result), arithmetic.binary("add", result)
        return np.asarray(add(arithmetic.matmul(result, convert(a), convert(b)), c))
    if type_names == ("f32", "f32"):
        a, b = ((each.view(np.uint32) & _TF32).view(np.float32) for each in (a, b))
    wide = np.dtype(np.int64 if result.kind == "integer" else np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        total: Array = a.astype(wide) @ b.astype(wide) + c.astype(wide)
        return total.astype(result.dtype)


@dataclasses.dataclass(frozen=True)
class WarpProduct(ConvergencePoint):
    """The work-items of a warp multiply matrices on its tensor cores.

    The sum is rounded once; one of f64 is rounded as NumPy does it.

    Args:
        arithmetic: what numbers are.
        type_name: type of the elements of A and B.
    """

    arithmetic: Arithmetic
    type_name: str

    def exchange(self, running: Array, *operands: Array) -> tuple[Array, ...]:
        """Return the elements of A B + C, given those of A, B and C."""
        if operands[0].shape[1] != LANES:
            raise ValueError(f"expected a subgroup of {LANES}, got {operands[0].shape[1]}")
        at_a, at_b, at_c, (m, n, k) = warp_fragments(self.type_name)
        elements = iter(operands)

        def matrix(shape: tuple[int, int], places: tuple[Array, Array]) -> Array:
            """Put the next elements, (lanes, i) `places`, together."""
            given = [next(elements) for _ in places[0].T]
            result = np.zeros((len(operands[0]), *shape), given[0].dtype)
            for rows, columns, each in zip(places[0].T, places[1].T, given, strict=True):
                result[:, rows, columns] = each
            return result

        a, b, c = matrix((m, k), at_a), matrix((k, n), at_b), matrix((m, n), at_c)
        result_type = {"i8": "i32", "f64": "f64"}.get(self.type_name, "f32")
        product = _multiply_add(self.arithmetic, (self.type_name, result_type), a, b, c)
        places = zip(*(each.T for each in at_c), strict=True)
        return tuple(product[:, rows, columns] for rows, columns in places)


def warp_fragments(type_name: str) -> Any:
    """Return (rows, columns) by lane and element, for A, B and C, and the sizes m, n, k.

    They are those of the emulator, from NVIDIA's manual, and not of the compiler's one rule.
    """
    depth = {"f16": 16, "bf16": 16, "i8": 32, "f64": 8}[type_name]
    return fragments(f"m16n8k{depth}", type_name.replace("i", "s"))


@dataclasses.dataclass(frozen=True)
class Reduction(ConvergencePoint):
    """Work-items get the combined values of those that are here, in their order."""

    combine: Callable[[Any, Any], Any]

    def exchange(self, running: Array, *operands: Array) -> tuple[Array, ...]:
        """Return the result of each subgroup."""
        (values,) = operands
        result: Any = _of_first(running, values)[:, 0]
        more = running & (np.arange(values.shape[1]) > np.argmax(running, axis=1)[:, None])
        for lane in np.flatnonzero(more.any(axis=0)):
            combined = self.combine(result, values[:, lane])
            result = combined if more[:, lane].all() else np.where(more[:, lane], combined, result)
        return (result[:, None],)


def _of_first(running: Array, values: Array) -> Array:
    """Return the value of the first work-item of each subgroup that is here, as a column."""
    return np.take_along_axis(values, np.argmax(running, axis=1)[:, None], axis=1)
