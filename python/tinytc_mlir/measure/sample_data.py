# SPDX-License-Identifier: BSD-3-Clause
"""Random arguments for a kernel, from nothing but its manifest, for `tinytc run`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import ArgumentError, describe, got
from ..runtime.kernel_info import (
    Argument,
    GroupArgument,
    KernelInfo,
    MemrefArgument,
    ScalarArgument,
)
from ..runtime.launches.arguments import Group, checked_counts
from ..runtime.launches.integers import checked_integer
from ..scalars import SCALAR_TYPES
from ..zero_patterns import mask_of
from .sample_sizes import sample_sizes

# Allocates an array of a shape and dtype in column-major order.
Allocate = Callable[[tuple[int, ...], "np.dtype[Any]"], "np.ndarray[Any, Any]"]


@dataclasses.dataclass(frozen=True)
class SampleOptions:
    """The user's choices for the random arguments.

    Args:
        groups: number of groups, or up to three of them; their product is also the size of dynamic
            last modes and of dynamic groups. Modes are larger where groups are known to access
            more, have the size that instructions require, and of a grid with several dimensions
            the size that is known.
        seed: seed of the random numbers.
        sizes: sizes of dynamic modes, by argument name and mode counted from 0.
        scalars: values of scalar parameters by name.
    """

    groups: int | tuple[int, ...] = 1000
    seed: int = 0
    sizes: Mapping[tuple[str, int], int] = dataclasses.field(default_factory=dict)
    scalars: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def sample_arguments(
    info: KernelInfo, options: SampleOptions, allocate: Allocate | None = None
) -> dict[str, Any]:
    """Return a random argument for every parameter, by name.

    Floating-point values are normally distributed, integers are small; integer scalars are 1,
    because they often count or index something.

    Args:
        info: description of the kernel.
        options: sizes, values and seed.
        allocate: allocates arrays; plain NumPy arrays without it.

    Raises:
        ArgumentError: an option has an odd value, or names what the kernel does not have, or there
            is no memory for an array.

    >>> info = KernelInfo("f", (MemrefArgument("A", "f64", (3, None), (1, 3)),), (1, 1, 1), 16)
    >>> sample_arguments(info, SampleOptions(groups=5))["A"].shape
    (3, 5)
    """
    check_options(info, options)
    sampler = _Sampler(info, options, allocate or _allocate_on_host)
    return {argument.name: sampler.sample(argument) for argument in info.arguments}


def _allocate_on_host(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    return np.empty(shape, dtype, order="F")


def check_options(info: KernelInfo, options: SampleOptions) -> None:
    """Check that options have values that can be used and that a kernel has what they name.

    Raises:
        ArgumentError: an option has an odd value, or names what the kernel does not have.
    """
    if not isinstance(options, SampleOptions):
        raise ArgumentError(f"{info.name}: expected SampleOptions, got {describe(options)}")
    try:
        checked_counts(options.groups, 1)
        checked_integer(options.seed, "as seed")
        _check_sizes(options)
    except ValueError as error:
        raise ArgumentError(f"{info.name}: {error}") from None
    arguments = {argument.name: argument for argument in info.arguments}
    for name in [*options.scalars, *(name for name, _ in options.sizes)]:
        if name not in arguments:
            names = list(arguments)
            raise ArgumentError(
                f"{info.name}: expected one of the parameters {', '.join(names)}, "
                f"{got(name, names)}",
                argument=name,
            )
    for name, mode in options.sizes:
        argument = arguments[name]
        dynamic = _dynamic_modes(argument)
        if mode not in dynamic:
            modes = ", ".join(map(str, sorted(dynamic))) or "none"
            raise ArgumentError(
                f"{info.name}: argument {name!r}: expected a dynamic mode ({modes}), got {mode}",
                argument=name,
            )
    for name in options.scalars:
        if not isinstance(arguments[name], ScalarArgument):
            raise ArgumentError(
                f"{info.name}: argument {name!r}: expected a scalar parameter, "
                f"got {arguments[name]}",
                argument=name,
            )


def _check_sizes(options: SampleOptions) -> None:
    for mapping in (options.sizes, options.scalars):
        if not isinstance(mapping, Mapping):
            raise ValueError(f"expected a mapping of sizes or scalars, got {describe(mapping)}")
    for place, size in options.sizes.items():
        if not isinstance(place, tuple) or len(place) != 2:
            raise ValueError(f"expected name and mode of a size, got {describe(place)}")
        checked_integer(place[1], "as mode of a size")
        checked_integer(size, "as size")


def _dynamic_modes(argument: Argument) -> set[int]:
    if isinstance(argument, ScalarArgument):
        return set()
    return {mode for mode, size in enumerate(argument.shape) if size is None}


def _set_zeros(argument: MemrefArgument, array: np.ndarray[Any, Any]) -> None:
    """Keep the pattern of zeros of a parameter."""
    if argument.nonzero is not None:
        array[~mask_of(argument.nonzero, array.shape)] = 0


class _Sampler:
    def __init__(self, info: KernelInfo, options: SampleOptions, allocate: Allocate) -> None:
        self._info, self._options = info, options
        self._allocate = allocate
        self._random = np.random.default_rng(options.seed)
        scalars = {
            argument.name: self._scalar(argument)
            for argument in info.arguments
            if isinstance(argument, ScalarArgument)
            and SCALAR_TYPES[argument.type].kind == "integer"
        }
        counts = checked_counts(options.groups, 1)
        self._sizes = sample_sizes(info, counts, options.sizes, scalars)

    def sample(self, argument: Argument) -> Any:
        """Return a random argument for a parameter."""
        if isinstance(argument, ScalarArgument):
            return self._scalar(argument)
        if isinstance(argument, GroupArgument):
            return self._group(argument)
        array = self._array(argument, self._shape(argument))
        # From the order of the kernel's modes to that of the array's.
        return array if argument.modes is None else array.transpose(np.argsort(argument.modes))

    def _scalar(self, argument: ScalarArgument) -> Any:
        if argument.name in self._options.scalars:
            return self._options.scalars[argument.name]
        kind = SCALAR_TYPES[argument.type].kind
        if kind == "bool":
            return True
        if kind == "integer":
            return 1
        real = float(self._random.standard_normal())
        return complex(real, float(self._random.standard_normal())) if kind == "complex" else real

    def _shape(self, argument: MemrefArgument) -> tuple[int, ...]:
        """Return the sizes with those of dynamic modes filled in."""
        return tuple(
            self._sizes[argument.name, mode] if size is None else size
            for mode, size in enumerate(argument.shape)
        )

    def _group(self, argument: GroupArgument) -> Group:
        size = self._sizes[argument.name, None] if argument.size is None else argument.size
        shape = self._shape(argument)
        if not argument.offset:
            members = [self._array(argument, shape) for _ in range(size)]
            return Group(members)
        elements = argument.offset + self._extent(argument, shape)
        buffer = dataclasses.replace(argument, shape=(elements,), stride=(1,), nonzero=None)
        members = [self._array(buffer, (elements,)) for _ in range(size)]
        for member in members if argument.nonzero is not None else ():
            strides = [step * member.itemsize for step in self._strides(argument, shape)]
            view = np.lib.stride_tricks.as_strided(member[argument.offset :], shape, strides)
            _set_zeros(argument, view)
        return Group(members, argument.offset, shape)

    def _array(self, argument: MemrefArgument, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        """Return a random array with the strides of the parameter."""
        try:
            array = self._with_strides(argument, shape)
            array[...] = self._values(argument.element_type, shape)
        except (MemoryError, ValueError):  # more than there is, or more than NumPy can count
            sizes = "x".join(map(str, shape))
            raise ArgumentError(
                f"{self._info.name}: argument {argument.name!r}: expected sizes for which there "
                f"is memory, got {sizes} of {argument.element_type}",
                argument=argument.name,
            ) from None
        _set_zeros(argument, array)
        return array

    def _with_strides(
        self, argument: MemrefArgument, shape: tuple[int, ...]
    ) -> np.ndarray[Any, Any]:
        dtype = SCALAR_TYPES[argument.element_type].dtype
        buffer = self._allocate((max(self._extent(argument, shape), 1),), dtype)
        buffer[...] = 0
        strides_bytes = [stride * dtype.itemsize for stride in self._strides(argument, shape)]
        return np.lib.stride_tricks.as_strided(buffer, shape, strides_bytes)

    def _extent(self, argument: MemrefArgument, shape: tuple[int, ...]) -> int:
        """Return the number of elements from the first to the end of the last mode."""
        strides = self._strides(argument, shape)
        return strides[-1] * shape[-1] if shape else 1

    def _strides(self, argument: MemrefArgument, shape: tuple[int, ...]) -> list[int]:
        strides: list[int] = []
        packed = 1
        for size, stride in zip(shape, argument.stride, strict=True):
            strides.append(packed if stride is None else stride)
            packed = strides[-1] * max(size, 1)
        return strides

    def _values(self, element_type: str, shape: tuple[int, ...]) -> Any:
        kind = SCALAR_TYPES[element_type].kind
        if kind == "bool":
            return self._random.integers(0, 2, shape)
        if kind == "integer":
            return self._random.integers(-4, 5, shape)
        values = self._random.standard_normal(shape)
        if kind == "complex":
            return values + 1j * self._random.standard_normal(shape)
        return SCALAR_TYPES[element_type].to_memory(values)
