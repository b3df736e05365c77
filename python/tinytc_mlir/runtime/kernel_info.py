# SPDX-License-Identifier: BSD-3-Clause
"""Descriptions of the kernels of a compiled module, against which every launch is checked."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import TypeAlias

from ..errors import Diagnostic
from ..shapes import Boxes, packed_stride
from .bounds.disjoint_blocks import DisjointBlocks
from .bounds.equal_sizes import EqualSizes
from .bounds.group_bounds import (
    GroupAccess,
    GroupBound,
    LaunchDependent,
    UncheckedUse,
)
from .bounds.launch_sums import Sum

# Formats of code.
SPIRV = "spirv"  # that of older manifests, which do not name theirs
PTX = "ptx"
CUBIN = "cubin"
ELF = "elf"
ACCESSES = ("none", "read", "write", "read_write")
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(\d{1,3})\}")
Dimensions: TypeAlias = tuple[int | None, ...]


@dataclasses.dataclass(frozen=True)
class ScalarArgument:
    """A parameter of scalar type.

    Args:
        name: name of the parameter without its `%`.
        type: name of the scalar type in the language.
    """

    name: str
    type: str

    def __str__(self) -> str:
        return f"{self.name}: {self.type}"


@dataclasses.dataclass(frozen=True)
class MemrefArgument:
    """A parameter of memref type; None means that a value is only known at the launch.

    Args:
        name: name of the parameter without its `%`.
        element_type: name of the scalar type of the elements.
        shape: size of every mode.
        stride: stride of every mode in elements.
        access: what the kernel does with the elements: one of `ACCESSES`.
        alignment: divisor of the base pointer in bytes, None if nothing is promised.
        shape_gcd: divisors of the leading sizes.
        stride_gcd: divisors of the leading strides.
        optional: whether a launch may pass None, because the kernel asks with `associated`.
        modes: mode i is mode modes[i] of the array of a launch; None if they are the same.
        buffer: if a launch allocates the array when it is not given, each size that is None: a
            sum of what the launch knows, or the dimension whose number of groups it is.
        nonzero: boxes outside of which all elements are zero, None if nothing is promised; launches
            do not read arrays to check it.

    >>> str(MemrefArgument("A", "f32", (16, None), (1, 16), "read"))
    'A: memref<f32x16x?>'
    """

    name: str
    element_type: str
    shape: Dimensions
    stride: Dimensions
    access: str = "read_write"
    alignment: int | None = None
    shape_gcd: tuple[int, ...] = ()
    stride_gcd: tuple[int, ...] = ()
    optional: bool = False
    modes: tuple[int, ...] | None = None
    buffer: tuple[Sum | int, ...] | None = None
    nonzero: Boxes | None = None

    @property
    def is_read(self) -> bool:
        """Whether the kernel may read elements."""
        return self.access in ("read", "read_write")

    @property
    def is_written(self) -> bool:
        """Whether the kernel may write elements."""
        return self.access in ("write", "read_write")

    @property
    def packed_stride(self) -> Dimensions:
        """Strides of the shape if no layout is written."""
        return packed_stride(self.shape)

    @property
    def memref_type(self) -> str:
        """The type as the language writes it."""
        shape = "".join(f"x{_dimension(size)}" for size in self.shape)
        if self.stride == self.packed_stride:
            return f"memref<{self.element_type}{shape}>"
        strides = ",".join(_dimension(stride) for stride in self.stride)
        return f"memref<{self.element_type}{shape},strided<{strides}>>"

    def __str__(self) -> str:
        return f"{self.name}: {self.memref_type}"


@dataclasses.dataclass(frozen=True)
class GroupArgument(MemrefArgument):
    """A parameter of group type: the fields of a memref describe every member.

    Args:
        size: number of members, None if it is only known at the launch.
        offset: elements between the pointer of a member and what a load returns.

    >>> str(GroupArgument("A", "f32", (16, 8), (1, 16), "read", size=None))
    'A: group<memref<f32x16x8>x?>'
    """

    size: int | None = None
    offset: int | None = 0

    def __str__(self) -> str:
        offset = "" if self.offset == 0 else f", offset: {_dimension(self.offset)}"
        return f"{self.name}: group<{self.memref_type}x{_dimension(self.size)}{offset}>"


Argument: TypeAlias = ScalarArgument | MemrefArgument


@dataclasses.dataclass(frozen=True)
class Check:
    """A check of a debug build, or a print.

    Args:
        diagnostic: the error that it reports; `{0}` in its message is the first value, and `{{` and
            `}}` are braces.
        types: how the values are stored: "i64", "f32" or "f64".
        print: whether it is a print, which is no error.

    >>> Check(Diagnostic("error", "expected {{x}}, got {0}"), ("i64",)).message(["3"])
    'expected {x}, got 3'
    """

    diagnostic: Diagnostic
    types: tuple[str, ...] = ()
    print: bool = False

    def message(self, values: Sequence[str]) -> str:
        """Return the message about some values."""

        def replacement(match: re.Match[str]) -> str:
            return values[int(match[1])] if match[1] else match[0][0]

        return _PLACEHOLDER.sub(replacement, self.diagnostic.message)


@dataclasses.dataclass(frozen=True)
class KernelInfo:
    """The description of one kernel for launches.

    Args:
        name: entry point of the code.
        arguments: the parameters from left to right.
        local_size: work-group size in work-items, three modes; the third one is 1, or the groups
            that run side by side.
        subgroup_size: work-items of a subgroup.
        local_memory_bytes: local memory of a work-group.
        groups_per_work_group: groups that one work-group computes, one after the other or side by
            side; if above 1, the kernel has one more parameter, the number of groups as i64.
        requires: what the device must support, e.g. "f64".
        checks: what a debug build can report; if there are any, the kernel has one more parameter,
            a pointer to the buffer of the report, before the number of groups.
        group_bounds: what elements groups access; a launch with more groups than fit is refused.
        equal_sizes: sizes that instructions require to be equal; a launch with others is refused.
        disjoint_blocks: arrays of which an instruction reads one and updates the other; a launch of
            arrays that overlap is refused.
        unchecked_uses: accesses that no bound covers; the first launch in which they may be outside
            the arrays warns of them.
        group_accesses: how groups share the modes of the arrays that they access; None in binaries
            of older versions.
        launch_dependent: instructions whose results differ if the batch is cut into several
            launches.
        grid_dimensions: dimensions whose group id or number of groups the kernel asks for.
        flops_per_group: floating-point operations of a group, of products and of scalars in
            `foreach`; None if they depend on sizes of the launch or on conditions.
        bytes_per_group: bytes of global memory that a group reads and writes, each view once; None
            as above.
        aligned_variant: name of the same kernel for arrays that begin at multiples of 16 bytes and
            of which those that are written do not overlap those that are only read; launches with
            such arrays take it. None if there is none.
        variant_may_overlap: whether arrays of the variant may overlap all the same.
        aligned_strides: whether columns must begin at multiples of 16 bytes for it, too, where the
            program does not say their stride.
        aligned_members_variant: name of a variant that asks of members of groups, too, that they
            begin at multiples of 16 bytes. None if there is none.
        complex_parts: whether a complex scalar is two parameters, its real and its imaginary part.

    >>> KernelInfo("f", (ScalarArgument("x", "f32"),), (16, 1, 1), 16).signature
    'f(x: f32)'
    """

    name: str
    arguments: tuple[Argument, ...]
    local_size: tuple[int, int, int]
    subgroup_size: int
    local_memory_bytes: int = 0
    groups_per_work_group: int = 1
    requires: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    group_bounds: tuple[GroupBound, ...] = ()
    equal_sizes: tuple[EqualSizes, ...] = ()
    disjoint_blocks: tuple[DisjointBlocks, ...] = ()
    unchecked_uses: tuple[UncheckedUse, ...] = ()
    group_accesses: tuple[GroupAccess, ...] | None = None
    launch_dependent: tuple[LaunchDependent, ...] = ()
    grid_dimensions: tuple[int, ...] = (0,)
    flops_per_group: int | None = None
    bytes_per_group: int | None = None
    aligned_variant: str | None = None
    variant_may_overlap: bool = False
    aligned_strides: bool = False
    aligned_members_variant: str | None = None
    complex_parts: bool = False

    def work(self, groups: int) -> tuple[int | None, int | None]:
        """Return operations of a launch and bytes that it moves; None is not known."""
        flops, moved = self.flops_per_group, self.bytes_per_group
        return (
            None if flops is None else flops * groups,
            None if moved is None else moved * groups,
        )

    @property
    def entries(self) -> list[str]:
        """The names of the kernel and of its variants in the code."""
        names = (self.name, self.aligned_variant, self.aligned_members_variant)
        return [name for name in names if name is not None]

    @property
    def signature(self) -> str:
        """The kernel's name and parameters on one line."""
        return f"{self.name}({', '.join(map(str, self.arguments))})"


def _dimension(value: int | None) -> str:
    return "?" if value is None else str(value)
