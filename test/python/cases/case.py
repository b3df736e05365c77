"""A kernel as data, and what kernels have in common.

The numbers in the arrays are small integers, so that sums and products are exact in every
type, and the device must agree with the reference bit for bit whatever order it adds in.
"""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

import tinytc_mlir as tt
from cases.memory import GUARD, Buffer
from interpreting import COMPLEX, DTYPES, INTEGERS
from tinytc_mlir.scalars import bfloat16_bits
from tinytc_mlir.tuning import Schedule, functions_of, set_schedule

SIZES = (1, 2, 3, 5, 7, 13, 16, 17, 31, 32, 64, 67)
SHAPES = (
    "",
    "subgroup_size=16, work_group_size=[16,1]",
    "subgroup_size=16, work_group_size=[32,2]",
    "subgroup_size=32, work_group_size=[64,4]",
    "subgroup_size=4, work_group_size=[4,1]",
    "subgroup_size=8, work_group_size=[8,3]",
    "subgroup_size=64, work_group_size=[64,1]",
    "work_group_size=[48,1]",
)
"""Attributes of a function: work-group shapes from one subgroup to several."""

WORK_ITEM = """\
%sg = builtin.subgroup_id : i32
%lane = builtin.subgroup_local_id : i32
%width = builtin.subgroup_size : i32
%base = arith.mul %sg, %width : i32
%item = arith.add %base, %lane : i32
%i = cast %item : index"""
"""The number of a work-item in a work-group of one row: %item as i32, %i as index."""


@dataclasses.dataclass
class Case:
    """One kernel, its arguments, and the groups to launch.

    Args:
        name: what is printed when device and reference disagree.
        body: text between the braces of the function.
        parameters: by name, type and value: a scalar, a Buffer, or a list of Buffers with the
            offset of the group.
        groups: number of groups, or up to three of them.
        attributes: what is in the braces after `attributes`.
        tolerance: relative difference between device and reference that is allowed.
        schedule: tiling of the kernel.
        may_round: whether device and reference may also differ as `kernel_check` allows.
    """

    name: str
    body: str
    parameters: dict[str, tuple[str, Any]]
    groups: int | tuple[int, ...] = 1
    attributes: str = ""
    tolerance: float = 0.0
    schedule: Schedule = dataclasses.field(default_factory=Schedule)
    may_round: bool = False

    def text(self, kernel: str) -> str:
        """Return the text of the function."""
        parameters = ", ".join(f"%{name}: {type_}" for name, (type_, _) in self.parameters.items())
        attributes = f" attributes {{{self.attributes}}}" if self.attributes else ""
        return f"func @{kernel}({parameters}){attributes} {{\n{self.body}\n}}\n"


def stored(values: Any, type_: str) -> Any:
    """Return numbers as a type has them in memory."""
    if type_ == "bf16":
        return bfloat16_bits(np.asarray(values, np.float32))
    return np.asarray(values).astype(DTYPES[type_])


def numbers(rng: random.Random, type_: str, count: int) -> Any:
    """Return small whole numbers of a type, none of them 0."""
    real = np.array(rng.choices((-3, -2, -1, 1, 2, 3), k=count))
    if type_ in COMPLEX:
        return stored(real + 1j * np.array(rng.choices((-2, -1, 1, 2), k=count)), type_)
    return stored(real, type_)


def buffer(
    rng: random.Random,
    type_: str,
    shape: Sequence[int],
    stride: Sequence[int] | None = None,
    *,
    fill: Any = None,
) -> Buffer:
    """Return an array with random elements, in the packed layout if no stride is given."""
    shape = tuple(shape)
    if stride is None:
        stride = tuple(itertools.accumulate((1, *shape[:-1]), lambda a, b: a * b))[: len(shape)]
    extent = 1 + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))
    data = numbers(rng, type_, extent + 2 * GUARD)
    result = Buffer(type_, data, shape, tuple(stride))
    if fill is not None:
        result.view(data)[...] = stored(fill, type_)
    return result


def literal(type_: str, value: Any) -> str:
    """Return a constant of a type."""
    if type_ in COMPLEX:
        return f"[{value.real:.1f}, {value.imag:.1f}]"
    return str(value) if type_ in INTEGERS else f"{value:.1f}"


_T = TypeVar("_T")


def halves(
    cases: Sequence[Case], build: Callable[[Sequence[Case]], _T], failures: list[str]
) -> Iterator[tuple[Sequence[Case], _T]]:
    """Yield cases and what `build` makes of them; half of them at a time where it fails."""
    try:
        built = build(cases)
    except tt.TinyTCError as error:
        if len(cases) == 1:
            failures.append(f"{cases[0].name}: {error}\n{cases[0].text('f')}")
            return
        half = len(cases) // 2
        yield from halves(cases[:half], build, failures)
        yield from halves(cases[half:], build, failures)
    else:
        yield cases, built


def parse(cases: Sequence[Case]) -> tt.Module:
    """Return a module of cases, whose kernels are k0, k1, ..."""
    text = "".join(case.text(f"k{i}") for i, case in enumerate(cases))
    module = tt.Context().parse(text, "cases.ir")
    for (_, function), case in zip(functions_of(module.operation), cases, strict=True):
        set_schedule(function, case.schedule)
    return module
