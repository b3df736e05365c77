# SPDX-License-Identifier: BSD-3-Clause
"""Launches of native code with arrays of a framework, checked once for all of some shapes."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._arrays import PlannedLaunch
from ..errors import ArgumentError
from ..runtime.bounds.launch_values import checked_scalars
from ..runtime.kernel import Kernel
from ..runtime.kernel_info import MemrefArgument, ScalarArgument
from ..runtime.launches import launch
from ..runtime.launches.by_address import CONSTANT, CONTENTS, GIVEN, divisor_of, words_of
from ..runtime.native.processor import usual_threads
from ..scalars import SCALAR_TYPES
from .functional import FunctionalKernel, element_type
from .sizes import Known


class Plan(NamedTuple):
    """A launch, and a text that tells it from all others."""

    launch: PlannedLaunch
    key: str


class NativeCalls:
    """How the code of a function is launched.

    Args:
        function: the function.
        passed: its parameters in the order in which addresses are passed. If one is there twice,
            the kernel takes the last.
        integers: those that are integers, which are passed themselves.
    """

    def __init__(
        self, function: FunctionalKernel, passed: Sequence[str], integers: Collection[str] = ()
    ) -> None:
        self._function, self._passed, self._integers = function, passed, integers
        self._numbers = {name: number for number, name in enumerate(passed)}

    def plan(self, given: Known) -> Plan:
        """Return the launch for inputs of some shapes.

        Args:
            given: their shapes; of integers that sizes depend on, the values.

        Raises:
            ArgumentError: an argument or the number of groups is wrong, whatever scalars are.
        """
        function, kernel = self._function, self._kernel
        counts = function.counts(given)
        values = self._values(given)
        parts = kernel.signature.parts(list(values.values()), {})
        prepared = launch.prepare(kernel, parts, counts, None, waits=True)
        address, words, sizes = words_of(prepared)
        slots, zeros = self._slots(words), self._zeros(given)
        shapes = [getattr(value, "shape", ()) for value in values.values()]
        text = function.text, kernel.program.digest, slots, sizes, zeros, counts, shapes
        if not self._scalars:
            self._check(given, {})
        planned = PlannedLaunch(
            address,
            slots,
            sizes,
            prepared.kernel.local_bytes,  # type: ignore[attr-defined]
            usual_threads(),
            self._divisors,
            zeros,
            [number for number, slot in enumerate(slots) if slot[1] in self._scalars and slot[0]],
            functools.partial(self._fault, dict(given)),
            prepared.kernel,
        )
        return Plan(planned, repr(text))

    def buffer_shapes(self, given: Known) -> dict[str, tuple[int, ...]]:
        """Return the shapes of buffers; like `plan`."""
        function, buffers = self._function, self._kernel.buffers
        if buffers is None:
            return {}
        values = [v for n, v in self._arguments(given).items() if n not in function.buffers]
        return buffers.shapes(values, function.counts(given))

    def _arguments(self, given: Known) -> dict[str, object]:
        """Return what a launch takes; None for buffers."""
        function = self._function
        values: dict[str, object] = {}
        for name, argument in function.arguments.items():
            if name in function.constants:
                values[name] = function.constants[name]
            elif isinstance(argument, ScalarArgument):
                zero = False if argument.type == "bool" else 0
                values[name] = given[name] if name in self._integers else zero
            elif name in function.buffers:
                values[name] = None
            else:
                values[name] = _like(function, name, function.shape(name, given))
        return values

    def _values(self, given: Known) -> dict[str, object]:
        """Return what a launch takes, buffers among them."""
        shapes = self.buffer_shapes(given)
        buffers = {name: _like(self._function, name, shape) for name, shape in shapes.items()}
        return self._arguments(given) | buffers

    @functools.cached_property
    def _kernel(self) -> Kernel:
        """The kernel without checks, as scalars are not known yet."""
        kernel = self._function.kernel
        checks: Any = dict.fromkeys(("group_bounds", "equal_sizes", "unchecked_uses"), ())
        return Kernel(kernel.program, dataclasses.replace(kernel.info, **checks))

    @functools.cached_property
    def _scalars(self) -> dict[int, str]:
        """The scalars that checks of a launch depend on, by their numbers."""
        names = checked_scalars(self._function.kernel.info)
        return {number: name for name, number in self._numbers.items() if name in names}

    def _fault(self, given: Known, bits: Sequence[int]) -> str | None:
        """Return what a launch says against the scalars with some bits; None if nothing."""
        scalars = {
            name: np.frombuffer(each.to_bytes(8, "little"), dtype(self._function, name), 1)[0]
            for name, each in zip(self._scalars.values(), bits, strict=True)
        }
        try:
            self._check(given, scalars)
        except ArgumentError as error:
            return str(error)
        return None

    def _check(self, given: Known, scalars: Mapping[str, object]) -> None:
        """Check the arguments of a call as a launch does."""
        function, signature = self._function, self._function.kernel.signature
        values = self._values(given) | dict(scalars)
        signature.counts(function.counts(given), signature.parts(list(values.values()), {}))

    def _slots(self, words: Sequence[tuple[int, bool]]) -> list[tuple[int, int, int, int, bool]]:
        """Return where each argument of the kernel's function comes from."""
        function, numbers = self._function, self._numbers
        slots = [(CONSTANT, bits, 0, 0, is_real) for bits, is_real in words]
        position = 0
        for name, argument in function.arguments.items():
            if isinstance(argument, MemrefArgument):
                slots[position] = (GIVEN, numbers[name], 0, 0, False)
                position += 1 + (*argument.shape, *argument.stride).count(None)
                continue
            scalar = SCALAR_TYPES[argument.type]
            count = 1 + (scalar.kind == "complex")
            size = dtype(function, name).itemsize // count
            for part in range(count if name in numbers else 0):
                is_real = slots[position + part][-1]
                source = GIVEN if name in self._integers else CONTENTS
                slots[position + part] = (source, numbers[name], part * size, size, is_real)
            position += count
        return slots

    @functools.cached_property
    def _divisors(self) -> list[int]:
        """What each address is a multiple of; 1 for that of a scalar."""
        function = self._function
        arguments = [function.arguments[name] for name in self._passed]
        return [divisor_of(each) if isinstance(each, MemrefArgument) else 1 for each in arguments]

    def _zeros(self, given: Known) -> list[tuple[int, int]]:
        """Return the numbers and the bytes of the arrays that are 0 before."""
        function = self._function
        cleared = function.cleared(given)
        return [
            (
                number,
                _elements(function, each, function.shape(each, given))
                * dtype(function, each).itemsize,
            )
            for each, number in self._numbers.items()
            if each in cleared
        ]


def dtype(function: FunctionalKernel, name: str) -> np.dtype[Any]:
    """Return the type of the elements of a parameter."""
    return SCALAR_TYPES[element_type(function.arguments[name])].array_dtype


def _like(function: FunctionalKernel, name: str, shape: Sequence[int]) -> object:
    """Return an array that a launch takes as it would that of a framework; nothing is in it."""
    dtype = SCALAR_TYPES[element_type(function.arguments[name])].dtype
    strides = function.strides(name, shape)
    memory = np.empty(max(_elements(function, name, shape), 1), dtype)
    strides_bytes = [each * dtype.itemsize for each in strides]
    return np.lib.stride_tricks.as_strided(memory, shape, strides_bytes)


def _elements(function: FunctionalKernel, name: str, shape: Sequence[int]) -> int:
    """Return how many elements there are from the first to the last one."""
    modes = zip(shape, function.strides(name, shape), strict=True)
    return 0 if 0 in shape else 1 + sum((size - 1) * stride for size, stride in modes)
