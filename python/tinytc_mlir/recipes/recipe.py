# SPDX-License-Identifier: BSD-3-Clause
"""The base of all recipes: a text, the program that it compiles to, checks of arguments."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from ..compiler import Context, Module
from ..compiler.derivative import Derivative
from ..errors import ArgumentError, CompileError, describe, got
from ..files import write_atomically
from ..frontend import format_source
from ..runtime.bounds.group_bounds import GroupBound
from ..runtime.kernel import Kernel
from ..runtime.launches.integers import checked_integer, is_integer
from ..runtime.program import Program
from ..scalars import SCALAR_TYPES
from ..shapes import INT64_MAX

ScalarLike: TypeAlias = "complex | np.number[npt.NBitBase]"
Size: TypeAlias = SupportsIndex
# For the exact answer, where first and last addresses do not tell; NumPy types it as -1 or 0.
_OVERLAP_WORK: Any = 1000
# The error in a text that the caller has not written, and what is said of the argument `dtype`.
_NO_TYPE = (r"(expected no (\w+) on target .*), got .*", r"\1, got \2")
NUMBER_TYPES = tuple(name for name, type_ in SCALAR_TYPES.items() if type_.kind != "bool")


class AsOperation(NamedTuple):
    """The kernel of a recipe that is an operation of PyTorch or JAX.

    Args:
        kernel: its name.
        constants: parameters with fixed values.
        shapes: shapes of results that inputs do not tell, as for an operation.
        groups: numbers of groups, as for an operation.
        temporaries: arrays that it writes and that are no results.
    """

    kernel: str
    constants: Mapping[str, object]
    shapes: Mapping[str, Sequence[int | tuple[str, int]]]
    groups: Sequence[int | tuple[str, int] | GroupBound] = ()
    temporaries: Sequence[str] = ()


class Recipe:
    """A program of two kernels that differ in beta: any value, or zero.

    Args:
        text: program in the tensor language.
        kernel: name of the kernel for any beta; that for zero ends in `_beta0`.
        target: name of a target, a dpctl device or queue, or None for the default device.
    """

    _recipe: str | None = None  # its name, if that is not the kernel's

    def __init__(self, text: str, kernel: str, target: object) -> None:
        self._text = format_source(text, f"<{kernel}>")
        self._name = kernel
        self._target = target

    @property
    def text(self) -> str:
        """The program in the tensor language, as `tinytc fmt` prints it."""
        return self._text

    @functools.cached_property
    def program(self) -> Program:
        """The compiled program.

        Raises:
            ArgumentError: the target lacks the type.
            LoweringError: the target rejects the program for another reason.
            DeviceError: no target is given and there is no device.
        """
        try:
            return self._module.compile(self._target)
        except CompileError as error:
            raise self._of_arguments(error) from None

    def _of_arguments(self, error: CompileError) -> ArgumentError | CompileError:
        """Return an error in terms of the caller's arguments, if it follows from one of them."""
        pattern, said = _NO_TYPE
        for diagnostic in error.diagnostics:
            match = re.fullmatch(pattern, diagnostic.message)
            if match:
                return Checker(self._recipe or self._name).error("dtype", match.expand(said))
        return error

    def vjp(
        self,
        *,
        wrt: Sequence[str] | None = None,
        beta: object = 1,
        atomic: bool = False,
        buffers: bool = True,
    ) -> Derivative:
        """Return the reverse derivative of the kernel for a value of beta.

        The other arguments are those of `Module.vjp`.
        """
        kernel = self._kernel_name(beta)
        return self._module.vjp(kernel, wrt=wrt, atomic=atomic, buffers=buffers)

    def jvp(self, *, wrt: Sequence[str] | None = None, beta: object = 1) -> Derivative:
        """Return the forward derivative of the kernel for a value of beta."""
        return self._module.jvp(self._kernel_name(beta), wrt=wrt)

    @property
    def _module(self) -> Module:
        return Context().parse(self._text, f"<{self._name}>")

    def _as_operation(self) -> AsOperation:
        """Return the kernel that is an operation, with an alpha of 1 and a beta of 0."""
        return AsOperation(self._kernel_name(0), {"alpha": 1, "beta": 0}, {})

    def _kernel_name(self, beta: object) -> str:
        return f"{self._name}_beta0" if is_zero(beta) else self._name

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the text to a file; `program.save` writes the compiled program.

        Args:
            path: name of the file, conventionally with the suffix `.ir`.

        Raises:
            OSError: the file cannot be written.
        """
        write_atomically(path, self._text.encode())

    def kernel(self, beta: object) -> Kernel:
        """Return the kernel for a value of beta; the one for zero never reads what it writes."""
        return self.program[self._kernel_name(beta)]

    def __repr__(self) -> str:
        first = self._text.partition("\n")[0].removeprefix("; ")
        return f"<{type(self).__name__}: {first}>"


class Checker:
    """Checks the arguments of a recipe; errors name the recipe and the argument.

    Args:
        recipe: name of the recipe.
    """

    def __init__(self, recipe: str) -> None:
        self._recipe = recipe

    def error(self, argument: str, message: str) -> ArgumentError:
        """Return an error about an argument."""
        return ArgumentError(f"{self._recipe}: argument {argument!r}: {message}", argument=argument)

    def type_name(self, dtype: npt.DTypeLike) -> str:
        """Return the name of the scalar type that a name or a NumPy dtype stands for."""
        if isinstance(dtype, str) and dtype in NUMBER_TYPES:
            return dtype
        try:
            if dtype is None:  # f64 to NumPy
                raise TypeError
            found = np.dtype(dtype)
        except Exception:  # by NumPy, or by an attribute of the object
            names = ", ".join(NUMBER_TYPES)
            raise self.error(
                "dtype", f"expected a NumPy dtype or one of {names}, {got(dtype, NUMBER_TYPES)}"
            ) from None
        for name in NUMBER_TYPES:
            if SCALAR_TYPES[name].names(found):
                return name
        names = ", ".join(NUMBER_TYPES)
        raise self.error("dtype", f"expected the dtype of one of {names}, got {found}")

    def size(self, argument: str, value: object, least: int = 0) -> int:
        """Return a size, which is at least so large."""
        return self._integer(argument, value, "as size", least)

    def at_least(self, argument: str, value: object, default: int, reason: str) -> int:
        """Return a leading dimension or a stride, which is at least its default.

        Args:
            argument: name of the argument.
            value: what the caller gave, None for the default.
            default: least value.
            reason: where the least value comes from.
        """
        if default > INT64_MAX:
            raise self.error(argument, f"expected at most {INT64_MAX}, got {default}, {reason}")
        if value is None:
            return default
        found = self._integer(argument, value, "as number of elements", 0)
        if found < default:
            raise self.error(argument, f"expected at least {default}, {reason}, got {found}")
        return found

    def memory(
        self, argument: str, type_: str, shape: Sequence[int | None], strides: Sequence[int | None]
    ) -> None:
        """Check that an array has less than 2^63 bytes.

        Args:
            argument: argument that says how large it is.
            type_: element type.
            shape: sizes of its modes, None if not known.
            strides: in elements, None if not known.
        """
        elements = 1
        for size, stride in zip(shape, strides, strict=True):
            elements = (elements if stride is None else stride) * (1 if size is None else size)
        size_bytes = elements * SCALAR_TYPES[type_].dtype.itemsize
        if size_bytes > INT64_MAX:
            raise self.error(
                argument, f"expected an array of less than 2^63 bytes, got {size_bytes}"
            )

    def layout(
        self, name: str, shape: tuple[int, int], leading: object, stride: object
    ) -> tuple[int, int, int]:
        """Return the strides of a batch of matrices; the last is 0 if there is only one.

        Args:
            name: "A", "B" or "C"; C has a matrix for each product.
            shape: rows and columns of a matrix.
            leading: elements from one column to the next, None for the rows.
            stride: elements from one matrix to the next, None for as few as there can be.
        """
        letter = name.lower()
        rows, columns = shape
        distance = self.at_least(f"ld{letter}", leading, max(rows, 1), f"the rows of {name}")
        if name != "C" and is_integer(stride) and int(stride) == 0:
            return 1, distance, 0
        reason = f"ld{letter} times the columns of {name} = {distance} * {columns}"
        if name != "C":
            reason += f", or 0 for a single {name}"
        least = distance * max(columns, 1)
        return 1, distance, self.at_least(f"stride_{letter}", stride, least, reason)

    def block(self, argument: str, value: object) -> int:
        """Return a number of rows, 0 to choose one."""
        return self._integer(argument, value, "as number of rows", 0)

    def alignment(self, argument: str, value: object) -> int:
        """Return an alignment in bytes, a power of two; 0 promises nothing."""
        found = self._integer(argument, value, "as number of bytes", 0)
        if found & (found - 1):
            raise self.error(argument, f"expected 0 or a power of two, got {found}")
        return found

    def flag(self, argument: str, value: object) -> bool:
        """Return a truth value."""
        if not isinstance(value, (bool, np.bool_)):
            raise self.error(argument, f"expected True or False, got {describe(value)}")
        return bool(value)

    def _integer(self, argument: str, value: object, what: str, low: int) -> int:
        try:
            return checked_integer(value, what, low)
        except ValueError as error:
            raise self.error(argument, str(error)) from None


def is_zero(factor: object) -> bool:
    """Whether a factor is the number zero."""
    return isinstance(factor, (int, float, complex, np.number)) and bool(factor == 0)


def check_apart(
    check: Checker, name: str, result: object, operands: Iterable[tuple[str, object]]
) -> None:
    """Check that a result does not overlap what is read while it is written.

    Args:
        check: makes the error.
        name: parameter of the result.
        result: what the caller gave for it; only arrays of NumPy are checked, ours included.
        operands: the other parameters and what the caller gave.

    Raises:
        ArgumentError: it overlaps an operand.
    """
    for other, operand in operands:
        if isinstance(result, np.ndarray) and isinstance(operand, np.ndarray):
            try:
                overlaps = np.shares_memory(result, operand, max_work=_OVERLAP_WORK)
            except np.exceptions.TooHardError:
                continue
            if overlaps:
                message = f"expected an array that does not overlap {other!r}, got one that does"
                raise check.error(name, message)


def constant_text(value: complex, type_: str) -> str:
    """Return a number that a scalar type holds as a constant of the type.

    >>> constant_text(1, "c32"), constant_text(0, "i8"), constant_text(2.5, "f16")
    ('[1.0, 0.0]', '0', '2.5')
    """
    kind = SCALAR_TYPES[type_].kind
    if kind == "complex":
        return f"[{float(value.real)}, {float(value.imag)}]"
    return str(float(value.real) if kind == "floating" else int(value.real))
