# SPDX-License-Identifier: BSD-3-Clause
"""Memory-bound cases: BLAS 1 and 2, element-wise instructions, sums; large and small."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .case import Array, Arrays, Case, Instruction, Source

_MATRIX = (256, 256)
_SMALL = (35, 9)
_VECTOR = (1_000_000,)
_CUBE = (20, 9, 20)


@dataclasses.dataclass(frozen=True)
class _Work:
    factors: tuple[float, float]  # alpha and beta
    flops: int
    terms: int
    expected: Callable[[Arrays], dict[str, Any]]


@dataclasses.dataclass(frozen=True)
class _Along:
    shape: tuple[int, ...]
    mode: int


def bandwidth_cases() -> Iterator[Case]:
    """Yield all memory-bound cases."""
    for type_ in ("f32", "f64"):
        for matrix in (_MATRIX, _SMALL):
            yield from _products(type_, matrix)
        for shape in (_MATRIX, _VECTOR, _SMALL):
            yield from _elementwise(type_, shape)
            yield _sum(type_, shape)
            yield _cumsum(type_, shape)
        yield _cumsum(type_, _MATRIX, mode=1)
        for mode in (1, 2):
            yield _cumsum(type_, _CUBE, mode)


def _products(type_: str, shape: tuple[int, int]) -> Iterator[Case]:
    place, (rows, columns) = _place(shape), shape
    yield _case(
        f"gemv.{type_}.{place}",
        type_,
        "gemv.n %alpha, {A}, {X}, %beta, {Y}",
        {"A": (shape, "in"), "X": ((columns,), "in"), "Y": ((rows,), "out")},
        _Work((1.0, 0.0), 2 * rows * columns, columns, _gemv),
        _Along(shape, 1),
    )
    yield _case(
        f"ger.{type_}.{place}",
        type_,
        "ger %alpha, {X}, {Y}, %beta, {A}",
        {"X": ((rows,), "in"), "Y": ((columns,), "in"), "A": (shape, "inout")},
        _Work((0.5, 0.5), 2 * rows * columns, 4, _ger),
        _Along(shape, 1),
    )


def _elementwise(type_: str, shape: tuple[int, ...]) -> Iterator[Case]:
    place, elements = _place(shape), int(np.prod(shape))
    yield _case(
        f"axpby.{type_}.{place}",
        type_,
        "axpby.n %alpha, {X}, %beta, {Y}",
        {"X": (shape, "in"), "Y": (shape, "inout")},
        _Work((0.5, 0.5), 3 * elements, 4, lambda a: {"Y": 0.5 * a["X"] + 0.5 * a["Y"]}),
        _Along(shape, 0),
    )
    yield _case(
        f"hadamard_product.{type_}.{place}",
        type_,
        "hadamard_product %alpha, {X}, {Y}, %beta, {Z}",
        {"X": (shape, "in"), "Y": (shape, "in"), "Z": (shape, "out")},
        _Work((1.0, 0.0), elements, 4, lambda a: {"Z": a["X"] * a["Y"]}),
        _Along(shape, 0),
    )


def _sum(type_: str, shape: tuple[int, ...]) -> Case:
    return _case(
        f"sum.{type_}.{_place(shape)}",
        type_,
        "sum.n %alpha, {X}, %beta, {Y}",
        {"X": (shape, "in"), "Y": (shape[:1] if len(shape) == 2 else (), "out")},
        _Work((1.0, 0.0), int(np.prod(shape)), shape[-1], lambda a: {"Y": a["X"].sum(axis=-2)}),
        _Along(shape, len(shape) - 1),
    )


def _cumsum(type_: str, shape: tuple[int, ...], mode: int = 0) -> Case:
    return _case(
        f"cumsum.{type_}.{_place(shape)}" + (f".mode{mode}" if mode else ""),
        type_,
        f"cumsum %alpha, {{X}}, {mode}, %beta, {{Y}}",
        {"X": (shape, "in"), "Y": (shape, "out")},
        _Work((1.0, 0.0), int(np.prod(shape)), shape[mode], lambda a: {"Y": a["X"].cumsum(mode)}),
        _Along(shape, mode),
    )


def _gemv(arrays: Arrays) -> dict[str, Any]:
    return {"Y": np.einsum("ikg,kg->ig", arrays["A"], arrays["X"])}


def _ger(arrays: Arrays) -> dict[str, Any]:
    product = np.einsum("ig,jg->ijg", arrays["X"], arrays["Y"])
    return {"A": 0.5 * product + 0.5 * arrays["A"]}


def _place(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)).replace("000000", "M")


def _case(
    name: str,
    type_: str,
    instruction: str,
    shapes: dict[str, tuple[tuple[int, ...], str]],
    work: _Work,
    along: _Along,
) -> Case:
    """Return a case of one instruction; shapes gives the shape and role of every operand."""
    parameters, views = [], []
    for operand, (shape, _) in shapes.items():
        sizes = "".join(f"x{size}" for size in shape)
        modes = ",".join([*(":" for _ in shape), "%g"])
        parameters.append(f"%{operand}: memref<{type_}{sizes}x?>")
        views.append(f"  %{operand.lower()} = subview %{operand}[{modes}] : memref<{type_}{sizes}>")
    used = {operand: f"%{operand.lower()}" for operand in shapes}
    lines = [
        f"func @kernel({', '.join(parameters)}) {{",
        "  %g = builtin.group_id : index",
        *views,
        f"  %alpha = constant {work.factors[0]} : {type_}",
        f"  %beta = constant {work.factors[1]} : {type_}",
        f"  {instruction.format(**used)}",
        "}\n",
    ]
    arrays = tuple(Array(key, type_, shape, role) for key, (shape, role) in shapes.items())
    return Case(
        name=name,
        family="bandwidth",
        type=type_,
        arrays=arrays,
        ours=Source("\n".join(lines), ("kernel",)),
        flops=work.flops,
        expected=work.expected,
        terms=work.terms,
        instruction=Instruction(
            name.partition(".")[0], tuple(shapes), along.shape, along.mode, work.factors
        ),
    )
