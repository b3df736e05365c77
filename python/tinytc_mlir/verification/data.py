# SPDX-License-Identifier: BSD-3-Clause
"""Random arguments of launches: points of a field, and small integers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from ..measure.comparison import copied, members_of
from ..reference.rounding import Array
from ..runtime.kernel_info import Argument, KernelInfo, ScalarArgument
from ..scalars import SCALAR_TYPES, ScalarType
from ..zero_patterns import mask_of
from .residues import Residues

Arguments: TypeAlias = "dict[str, Any]"
"""Numbers, arrays, and groups of arrays by the names of parameters."""


def is_number(scalar_type: ScalarType) -> bool:
    """Return whether a type has rounded numbers: floating-point or complex ones."""
    return scalar_type.kind in ("floating", "complex")


def number_types(info: KernelInfo) -> set[ScalarType]:
    """Return the types of floating-point and complex parameters of a kernel."""
    found = (type_of(each) for each in info.arguments)
    return {each for each in found if is_number(each)}


def type_of(argument: Argument) -> ScalarType:
    """Return the type of a scalar parameter, or of the elements of another one."""
    if isinstance(argument, ScalarArgument):
        return SCALAR_TYPES[argument.type]
    return SCALAR_TYPES[argument.element_type]


def changed(
    info: KernelInfo,
    values: Mapping[str, Any],
    array: Callable[[str, ScalarType, Array], None],
    scalar: Callable[[str, ScalarType], complex],
) -> Arguments:
    """Return copies of arguments with other floating-point numbers; patterns of zeros are kept.

    Args:
        info: the kernel's signature.
        values: arguments by name.
        array: fills an array, given the parameter's name and type.
        scalar: returns a number for a scalar parameter.
    """
    result = {name: copied(value) for name, value in values.items()}
    for argument in info.arguments:
        scalar_type = type_of(argument)
        if not is_number(scalar_type):
            continue
        if isinstance(argument, ScalarArgument):
            result[argument.name] = scalar(argument.name, scalar_type)
            continue
        for member in members_of(result[argument.name]):
            if member is not None:
                array(argument.name, scalar_type, member)
                if argument.nonzero is not None:
                    member[~mask_of(argument.nonzero, member.shape)] = 0
    return result


def residues(info: KernelInfo, values: Mapping[str, Any], seed: int, limit: int) -> Arguments:
    """Return copies of arguments whose floating-point numbers are random residues, none of them 0.

    Args:
        info: the kernel's signature.
        values: arguments by name.
        seed: of the random numbers.
        limit: residues are below it, and not 0.
    """
    rng = np.random.default_rng(seed)

    def array(_: str, scalar_type: ScalarType, member: Array) -> None:
        part = scalar_type.real
        count = 2 if scalar_type.kind == "complex" else 1
        drawn = rng.integers(1, limit, (*member.shape, count)).astype(f"u{part.size_bytes}")
        member[...] = drawn.view(member.dtype)[..., 0]

    return changed(info, values, array, lambda _, scalar_type: _any_number(rng, scalar_type))


def definite(
    info: KernelInfo, values: Mapping[str, Any], numbers: Residues, *, are_factors: bool = False
) -> Arguments:
    """Return copies of arguments whose square matrices are L L^H, with a real diagonal of L.

    Args:
        info: the kernel's signature.
        values: arguments by name, of residues.
        numbers: the field.
        are_factors: whether they are L instead, of which the kernel makes definite matrices.
    """

    def fill(_: str, scalar_type: ScalarType, member: Array) -> None:
        if member.ndim < 2 or member.shape[0] != member.shape[1]:
            return
        matrices = np.moveaxis(
            np.asarray(numbers.from_memory(scalar_type, member)), (0, 1), (-2, -1)
        )
        lower = np.tril(matrices)
        places = np.arange(member.shape[0])
        lower[..., places, places] = lower[..., places, places].real
        upper = np.swapaxes(lower, -2, -1)
        if scalar_type.kind == "complex":
            upper = np.asarray(numbers.unary("conj", scalar_type)(upper))
        product = lower
        if not are_factors:
            product = np.asarray(numbers.matmul(scalar_type, lower, upper))
        member[...] = numbers.to_memory(scalar_type, np.moveaxis(product, (-2, -1), (0, 1)))

    return changed(info, values, fill, lambda name, _: values[name])


def integers(info: KernelInfo, values: Mapping[str, Any], seed: int, largest: int) -> Arguments:
    """Return copies of arguments whose floating-point numbers are random integers.

    Args:
        info: the kernel's signature.
        values: arguments by name.
        seed: of the random numbers.
        largest: the largest absolute value.
    """
    rng = np.random.default_rng(seed)

    def drawn(scalar_type: ScalarType, shape: tuple[int, ...]) -> Array:
        numbers = rng.integers(-largest, largest + 1, shape).astype(np.float64)
        if scalar_type.kind == "complex":
            return numbers + 1j * rng.integers(-largest, largest + 1, shape)
        return numbers

    def array(_: str, scalar_type: ScalarType, member: Array) -> None:
        numbers = drawn(scalar_type, member.shape).astype(scalar_type.value_dtype)
        member[...] = scalar_type.to_memory(numbers)

    def scalar(_: str, scalar_type: ScalarType) -> complex:
        number: Any = drawn(scalar_type, ())[()]
        return complex(number) if scalar_type.kind == "complex" else float(number)

    return changed(info, values, array, scalar)


_EXPONENTS = {"f16": 28}


def spread(scalar_type: ScalarType) -> float:
    """Return how many residues a random scalar of a type has at least, if it is to be hit."""
    exponents = _EXPONENTS.get(scalar_type.name, 64)
    return float(2 ** min(scalar_type.precision, 30) * exponents / 4)  # some have one residue


def _any_number(rng: np.random.Generator, scalar_type: ScalarType) -> complex:
    """Return a random number of a type, whose residue is as good as random."""
    precision = min(scalar_type.precision, 30)
    exponents = _EXPONENTS.get(scalar_type.name, 64)

    def real() -> float:
        mantissa = int(rng.integers(2 ** (precision - 1), 2**precision))
        exponent = int(rng.integers(-exponents // 2, exponents // 2)) - precision
        return float(rng.choice((-1.0, 1.0))) * float(np.ldexp(float(mantissa), exponent))

    return complex(real(), real()) if scalar_type.kind == "complex" else real()


def copy_nan(info: KernelInfo, expected: Arguments, actual: Arguments, numbers: Residues) -> None:
    """Set elements to NaN where others are: code may read less than the language says.

    Args:
        info: the kernel's signature.
        expected: arguments by name.
        actual: others of the same shapes, which change.
        numbers: the field.
    """
    for argument in info.arguments:
        scalar_type = type_of(argument)
        if isinstance(argument, ScalarArgument) or not is_number(scalar_type):
            continue
        pairs = (members_of(each[argument.name]) for each in (expected, actual))
        for one, other in zip(*pairs, strict=True):
            if one is not None:
                other[...] = np.where(nan_places(scalar_type, one, numbers), one, other)


def nan_places(scalar_type: ScalarType, member: Array, numbers: Residues) -> Array:
    """Return which elements of an array are NaN, or have a part that is."""
    values = np.asarray(numbers.from_memory(scalar_type, member))
    return np.asarray((values.real == numbers.nan) | (values.imag == numbers.nan))


def written_gaps(values: Arguments) -> list[str]:
    """Return the names of copied arrays between whose elements something has been stored.

    >>> value = copied(np.zeros((4, 3), order="F")[:2])
    >>> written_gaps({"A": value})
    []
    >>> value.base[20] = 1
    >>> written_gaps({"A": value})
    ['A']
    """
    found = []
    for name, value in values.items():
        for member in members_of(value):
            if not isinstance(member, np.ndarray) or not member.size:
                continue
            buffer: Any = member.base
            is_gap = np.ones(len(buffer), bool)
            shape, strides = (*member.shape, member.itemsize), (*member.strides, 1)
            np.lib.stride_tricks.as_strided(is_gap, shape, strides)[...] = False
            if buffer[is_gap].any():
                found.append(name)
    return list(dict.fromkeys(found))


def different(first: Arguments, second: Arguments, info: KernelInfo | None = None) -> list[str]:
    """Return how many elements of each argument differ.

    Args:
        first: arguments by name.
        second: others of the same shapes.
        info: the kernel's signature, to compare values: zeros of both signs are equal then, and
            NaN; without it, bits are compared.
    """
    types = {} if info is None else {each.name: type_of(each) for each in info.arguments}
    texts = []
    for name, value in first.items():
        count = 0
        for one, other in zip(members_of(value), members_of(second[name]), strict=True):
            if not isinstance(one, np.ndarray):
                continue
            a, b = (_compared(types.get(name), each) for each in (one, other))
            is_same = a == b
            if a.dtype.kind in "fc":
                is_same |= np.isnan(a) & np.isnan(b)
            count += int(np.count_nonzero(~is_same))
        if count:
            texts.append(f"{count} elements of {name}")
    return texts


def _compared(scalar_type: ScalarType | None, array: Array) -> Array:
    if scalar_type is not None:
        return np.atleast_1d(np.asarray(scalar_type.from_memory(np.atleast_1d(array))))
    values = np.atleast_1d(np.ascontiguousarray(array))
    return values.view(np.dtype((np.void, values.itemsize)))
