# SPDX-License-Identifier: BSD-3-Clause
"""Launches of native code with arrays of a framework, checked once for all of some shapes."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays import PlannedLaunch
from ..errors import ArgumentError
from ..runtime.bounds.launch_values import checked_scalars
from ..runtime.kernel import Kernel
from ..runtime.kernel_info import ScalarArgument
from ..runtime.launches.by_address import planned_launch
from ..scalars import SCALAR_TYPES
from .functional import FunctionalKernel, element_type
from .sizes import Known


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

    def plan(self, given: Known) -> PlannedLaunch:
        """Return the launch for inputs of some shapes.

        Args:
            given: their shapes; of integers that sizes depend on, the values.

        Raises:
            ArgumentError: an argument or the number of groups is wrong, whatever scalars are.
        """
        function = self._function
        checked = checked_scalars(function.kernel.info).intersection(self._passed)
        planned = planned_launch(
            self._kernel if checked else function.kernel,
            list(self._values(given).values()),
            function.counts(given),
            self._passed,
            integers=self._integers,
            zeros=self._zeros(given),
            checked=checked,
            fault=functools.partial(self._fault, dict(given)),
        )
        assert planned is not None, "native code and arrays like those that it takes"
        return planned

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

    def _fault(self, given: Known, scalars: Mapping[str, object]) -> str | None:
        """Return what a launch says against some scalars; None if nothing."""
        function, signature = self._function, self._function.kernel.signature
        values = self._values(given) | dict(scalars)
        try:
            signature.counts(function.counts(given), signature.parts(list(values.values()), {}))
        except ArgumentError as error:
            return str(error)
        return None

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
            for number, each in enumerate(self._passed)
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
