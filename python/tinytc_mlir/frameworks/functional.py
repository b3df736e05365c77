# SPDX-License-Identifier: BSD-3-Clause
"""Kernels as functions without side effects: arrays come in, new arrays come out."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ..compiler import Context, Module
from ..compiler.derivative import PARTIAL, DifferentiableModule
from ..compiler.kernel_parameters import function_named, parameter_names, rename_parameters
from ..errors import ArgumentError, LoweringError
from ..runtime.bounds.launch_sums import values_in
from ..runtime.bounds.launch_values import Counts
from ..runtime.kernel_info import Argument, GroupArgument, MemrefArgument, ScalarArgument
from ..scalars import SCALAR_TYPES
from .batching import batch_dimension, batched_text, fresh_name
from .overwritten_arrays import Overwriting, find_overwriting
from .sizes import GRID, Known, Size, Sizes

if TYPE_CHECKING:
    from ..runtime.kernel import Kernel

Constants: TypeAlias = Mapping[str, object]


def is_differentiable(argument: Argument) -> bool:
    """Whether a parameter holds floating-point or complex numbers."""
    return SCALAR_TYPES[element_type(argument)].kind in ("floating", "complex")


def element_type(argument: Argument) -> str:
    """Return the name of a parameter's scalar type."""
    return argument.type if isinstance(argument, ScalarArgument) else argument.element_type


class FunctionalKernel:
    """A kernel as a function of its inputs, with the arrays that it writes as results.

    Args:
        text: a program with this kernel alone, as the printer writes it.
        name: the kernel.
        hidden: parameters that are no inputs: arrays that are 0 before, as far as that matters.
        results: the arrays that the function returns, in their order.
        constants: parameters with a fixed value.
        sizes: returns where sizes of hidden arrays and numbers of groups come from, given the
            function.
        target: name of the target.
        atomic: let groups add to adjoints of what they share in any order.
    """

    def __init__(  # noqa: PLR0913, PLR0917 (what makes the function)
        self,
        text: str,
        name: str,
        hidden: Collection[str],
        results: Sequence[str],
        constants: Constants,
        sizes: Callable[[FunctionalKernel], Sizes],
        target: str | None,
        atomic: bool,
    ) -> None:
        self.text, self.name = text, name
        self._outputs, self.results = frozenset(hidden), tuple(results)
        self.constants, self._find_sizes = constants, sizes
        self.target, self._atomic = target, atomic
        self.options: object = None  # what a user gave, to compare
        # Where the kernel comes from, which errors name, or the function of one call of a batch
        # with its inputs by those of this one.
        self.source: DifferentiableModule | None = None
        self._call: tuple[FunctionalKernel, Mapping[str, str]] | None = None
        self._derived: dict[object, Derived] = {}
        self._batched: dict[frozenset[str], FunctionalKernel] = {}

    @functools.cached_property
    def kernel(self) -> Kernel:
        """The compiled kernel for the target."""
        return self.compiled(self.target)

    @functools.cache  # noqa: B019 (an operation lives as long as the process)
    def compiled(self, target: str | None) -> Kernel:
        """Return the kernel for a target."""
        return self._module.compile(target)[self.name]

    @property
    def _module(self) -> Module:
        return Context().parse(self.text, f"<{self.name}>")

    @functools.cached_property
    def arguments(self) -> dict[str, Argument]:
        """The kernel's parameters by name."""
        return {argument.name: argument for argument in self.kernel.info.arguments}

    @functools.cached_property
    def buffers(self) -> frozenset[str]:
        """The parameters that a launch allocates."""
        return frozenset(
            name
            for name, argument in self.arguments.items()
            if isinstance(argument, MemrefArgument) and argument.buffer is not None
        )

    @property
    def is_of_arrays(self) -> bool:
        """Whether no parameter is a group of arrays."""
        return not self._groups_of_arrays

    @functools.cached_property
    def _groups_of_arrays(self) -> list[str]:
        return [name for name, each in self.arguments.items() if isinstance(each, GroupArgument)]

    @functools.cached_property
    def hidden(self) -> frozenset[str]:
        """The parameters that are no inputs: arrays that are 0 before, and buffers."""
        return self._outputs | self.buffers

    @functools.cached_property
    def inputs(self) -> tuple[str, ...]:
        """The parameters that the function takes."""
        others = (*self.hidden, *self.constants)
        return tuple(name for name in self.arguments if name not in others)

    @functools.cached_property
    def differentiable(self) -> tuple[str, ...]:
        """The inputs that it can be differentiated with respect to."""
        return tuple(name for name in self.inputs if is_differentiable(self.arguments[name]))

    def is_updated(self, name: str) -> bool:
        """Whether a parameter is an array that the kernel writes."""
        argument = self.arguments[name]
        return isinstance(argument, MemrefArgument) and argument.is_written

    @functools.cached_property
    def overwriting(self) -> Overwriting:
        """What it reads and overwrites."""
        module = self._module  # which owns the function
        function = function_named(module._operation, self.name)
        return find_overwriting(function, list(self.arguments))

    def cleared(self, known: Known) -> set[str]:
        """Return the hidden arrays that must be 0 before, as a call does not overwrite all of them.

        Args:
            known: shapes and integers of the inputs.
        """
        every = {**self.constants, **known}
        found = set(self.hidden - self.buffers)
        for name in found - self.overwriting.read:
            shape = [self.sizes.size(each, every) for each in self.sizes.arrays[name]]
            if any(self._is_all(name, box, shape, every) for box in self.overwriting.boxes(name)):
                found.discard(name)
        return found

    def _is_all(self, name: str, box: Sequence[Size], shape: Sequence[Any], known: Known) -> bool:
        """Whether a box is all of an array."""
        return all(
            extent == (name, mode) or self._extent(extent, known) == size
            for mode, (extent, size) in enumerate(zip(box, shape, strict=True))
        )

    def _extent(self, extent: Size, known: Known) -> Any:
        """Return how many elements a box has; None if that is not known."""
        if isinstance(extent, int) or extent[0] == GRID or extent[0] in self.inputs:
            return self.sizes.size(extent, known)
        arrays = self.sizes.arrays
        if extent[0] not in arrays:
            return None
        return self.sizes.size(arrays[extent[0]][extent[1]], known)

    # Shapes ---------------------------------------------------------------------------------

    @functools.cached_property
    def sizes(self) -> Sizes:
        """Where the sizes of hidden arrays, except for buffers, and numbers of groups come from."""
        return self._find_sizes(self)

    def _same_shape(self, name: str) -> Sequence[Size]:
        """Return the shape of an array like a parameter."""
        if name in self.hidden:
            return self.sizes.arrays[name]
        argument = self.arguments[name]
        if not isinstance(argument, MemrefArgument):
            return []
        order = len(argument.shape) + isinstance(argument, GroupArgument)
        return [(name, mode) for mode in range(order)]

    def shape(self, name: str, known: Known) -> tuple[Any, ...]:
        """Return the shape of a parameter, given shapes and integers of the inputs.

        Sizes may be symbols. Shapes of buffers follow from the other arguments of a launch.
        """
        if name not in self.hidden:
            return tuple(known[name])
        every = {**self.constants, **known}
        found = [self.sizes.size(each, every) for each in self.sizes.arrays[name]]
        argument = self.arguments[name]
        modes = argument.modes if isinstance(argument, MemrefArgument) else None
        return tuple(found) if modes is None else _permuted_back(found, modes)

    def counts(self, known: Known) -> tuple[Any, Any, Any]:
        """Return the numbers of groups of a launch, given shapes and integers of the inputs."""
        return self.sizes.counts({**self.constants, **known})

    @functools.cached_property
    def _scalars_of_sizes(self) -> list[str]:
        """The inputs that are scalars and sizes of buffers depend on."""
        sums = [
            size
            for name in self.buffers
            for size in getattr(self.arguments[name], "buffer", ())
            if not isinstance(size, int)
        ]
        found = {v.argument for terms in sums for v in values_in(terms) if v.mode is None}
        return sorted(found & set(self.inputs))

    def strides(self, name: str, shape: Sequence[Any]) -> tuple[Any, ...]:
        """Return the strides in elements of an array that the kernel uses in place."""
        argument = self.arguments[name]
        assert isinstance(argument, MemrefArgument)
        modes = argument.modes or range(len(argument.shape))
        result: list[Any] = [0] * len(shape)
        packed: Any = 1
        for mode, (position, stride) in enumerate(zip(modes, argument.stride, strict=True)):
            divisors = argument.stride_gcd
            divisor = divisors[mode] if mode < len(divisors) else 0
            smallest = packed + -packed % divisor if divisor else packed
            result[position] = smallest if stride is None else stride
            packed = result[position] * shape[position]
        if isinstance(argument, GroupArgument):  # its members follow each other
            result[-1] = packed
        return tuple(result)

    # Derivatives ----------------------------------------------------------------------------

    def vjp(self, wrt: Sequence[str], *, scalar_sizes: bool = True) -> Derived:
        """Return the function that maps inputs and adjoints of results to those of inputs.

        Args:
            wrt: names of inputs.
            scalar_sizes: whether sizes of buffers may depend on inputs that are scalars.

        Raises:
            ArgumentError: they do, and values cannot be computed again instead.
        """
        derived = self._derive("_vjp", wrt)
        scalars = derived.function._scalars_of_sizes
        if scalar_sizes or not scalars:
            return derived
        try:
            return self._derive("_vjp", wrt, buffers=False)
        except LoweringError as error:
            raise ArgumentError(
                f"{self.name}: expected {' and '.join(scalars)}, on which sizes of buffers of the "
                f"derivative depend, as constants, got an input; name them in constants=",
                argument="constants",
            ) from error

    def jvp(self, wrt: Sequence[str]) -> Derived:
        """Return the function that maps inputs and their tangents to the results' tangents."""
        return self._derive("_jvp", wrt)

    def _derive(self, suffix: str, wrt: Sequence[str], *, buffers: bool = True) -> Derived:
        key = suffix, tuple(wrt), buffers
        if key not in self._derived:
            self._derived[key] = self._derivative(suffix, tuple(wrt), buffers)
        return self._derived[key]

    def _derivative(self, suffix: str, wrt: tuple[str, ...], buffers: bool) -> Derived:
        module = self.source or self._module
        try:
            if suffix == "_vjp":
                found = module.vjp(self.name, wrt=wrt, atomic=self._atomic, buffers=buffers)
            else:
                found = module.jvp(self.name, wrt=wrt)
        except LoweringError:
            if self._call is not None:  # whose error names the user's line
                function, names = self._call
                function._derivative(suffix, tuple(names.get(each, each) for each in wrt), buffers)
            raise
        text, grid_modes = kernel_text(found.text, found.name), found.grid_modes
        renamed: dict[str, str] = {}  # parameters by that of the kernel whose derivative they hold
        names, partial = {}, []
        for name in parameter_names(found.module._operation, found.name):
            if name in self.arguments or name in found.buffers:
                continue
            of, _, kind = name.rpartition("_")
            names[name] = renamed[of] = fresh_name(text, f"{of}{suffix}1")
            partial += [of] * (f"_{kind}" == PARTIAL)
        rename_parameters(found.module._operation, found.name, names)
        hidden = set(self._outputs)
        if suffix == "_vjp":
            results = [name for name in wrt if name in renamed]
            given = [name for name in renamed if self.is_updated(name)]
            hidden |= {renamed[name] for name in renamed if name not in given}
        else:
            results = [name for name in self.results if name in renamed]
            given = [name for name in renamed if name not in self.hidden]
            hidden |= {renamed[name] for name in renamed if name in self.hidden}
        arrays: dict[str, Sequence[Size]] = {}
        for name, new in renamed.items():
            if new in hidden:
                grid = grid_modes if name in partial else 0
                arrays[new] = [*self._same_shape(name), *((GRID, mode) for mode in range(grid))]
        sizes = self.sizes.with_arrays(arrays)
        text = kernel_text(found.text, found.name)
        function = self._function(text, found.name, hidden, [], sizes)
        function.source = found.module
        # A derivative leaves arrays that it does not write as they are, 0 if they are hidden.
        written = [name for name in results if function.is_updated(renamed[name])]
        function.results = tuple(renamed[name] for name in written)
        return Derived(
            function,
            tuple(written),
            partial=dict.fromkeys(partial, grid_modes),
            given={renamed[name]: name for name in given},
            unchanged=[name for name in results if name in given and name not in written],
        )

    # Batches --------------------------------------------------------------------------------

    def batched(self, names: Collection[str]) -> FunctionalKernel:
        """Return the function of a batch of calls, in one launch.

        Args:
            names: inputs that each call has its own of, with one more mode, the last. Those that
                the kernel writes are among them; results have the mode, too.

        Raises:
            ArgumentError: no batch mode fits the kernel.
        """
        key = frozenset(names)
        if key not in self._batched:
            self._batched[key] = self._with_batch(key)
        return self._batched[key]

    def _with_batch(self, names: frozenset[str]) -> FunctionalKernel:
        dimension = batch_dimension(self.kernel.info, self.sizes.groups)
        new = {n: fresh_name(self.text, f"{n}_batch") for n in (*names, *self.hidden)}
        first = min(names)
        batch = new[first], len(self._same_shape(first))
        sizes = self.sizes.with_batch(new, dimension, batch)
        hidden, results = ([new[name] for name in each] for each in (self.hidden, self.results))
        text = batched_text(self.text, new, dimension)
        function = self._function(text, self.name, hidden, results, sizes)
        function._call = self, {new[name]: name for name in new}
        return function

    def _function(
        self, text: str, name: str, hidden: Collection[str], results: Sequence[str], sizes: Sizes
    ) -> FunctionalKernel:
        """Return a function that is derived from this one."""
        fixed = self.constants, lambda _: sizes, self.target, self._atomic
        return FunctionalKernel(text, name, hidden, results, *fixed)

    # Launches -------------------------------------------------------------------------------

    def launch(
        self,
        values: Mapping[str, object],
        counts: Counts,
        queue: object = None,
        target: str | None = None,
    ) -> None:
        """Launch the kernel and wait until it has finished; do nothing for no groups.

        Args:
            values: inputs and hidden arrays by name.
            counts: numbers of groups.
            queue: where to launch it, None for the usual place.
            target: name of the target, None for that of the function.
        """
        members = [getattr(values[name], "shape", ())[-1:] for name in self._groups_of_arrays]
        if 0 in counts or (0,) in map(tuple, members):
            return
        kernel = self.kernel if target is None else self.compiled(target)
        given = [
            None if n in self.buffers else values[n] if n in values else self.constants[n]
            for n in self.arguments
        ]
        kernel(*given, groups=counts, queue=queue)


class Derived(NamedTuple):
    """A derivative of a function.

    Args:
        function: the function that computes it.
        results: of which inputs, or results of the function, its results are the derivatives.
        partial: results that have a partial sum for each group in their last modes, by the number
            of these.
        given: inputs that hold derivatives, with the parameters that these belong to.
        unchanged: parameters whose derivative is what was given.
    """

    function: FunctionalKernel
    results: tuple[str, ...]
    partial: Mapping[str, int]
    given: Mapping[str, str]
    unchanged: Sequence[str]

    def arguments(
        self, given: Mapping[str, Any], of: Mapping[str, Any], zeros: Callable[[str], Any]
    ) -> dict[str, Any]:
        """Return the inputs of the function that computes the derivative.

        Args:
            given: inputs of the function that was differentiated.
            of: tangents of its inputs, or adjoints of its results; they may lack some.
            zeros: returns zeros like a parameter.
        """
        arguments = {}
        for name in self.function.inputs:
            parameter = self.given.get(name)
            value = given[name] if parameter is None else of.get(parameter)
            arguments[name] = zeros(parameter) if value is None and parameter else value
        return arguments

    def passed_on(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the derivatives that are what was given, by their parameters."""
        return {of: arguments[each] for each, of in self.given.items() if of in self.unchanged}

    def batch(self, batch: Collection[str], *, is_reverse: bool) -> frozenset[str]:
        """Return the inputs of the function that each call of a batch has its own of.

        Args:
            batch: those of the function that was differentiated.
            is_reverse: whether it has adjoints, of which each call has its own.
        """
        function, given = self.function, self.given
        return frozenset(
            each
            for each in function.inputs
            if function.is_updated(each)
            or each in batch
            or (each in given and (is_reverse or given[each] in batch))
        )

    def axes(self, result: str, *, is_batch: bool) -> tuple[int, ...]:
        """Return the modes of partial sums, counted from the end, of a result.

        Args:
            result: the input whose derivative it is.
            is_batch: whether it has the mode of a batch, which is the last one.
        """
        return tuple(-1 - is_batch - mode for mode in range(self.partial.get(result, 0)))


def kernel_text(text: str, name: str) -> str:
    """Return the part of a program with one kernel, without comments.

    Raises:
        LoweringError: there is none of this name.
    """
    match = re.search(rf"^func @{re.escape(name)}\(.*?^}}\n", text, re.MULTILINE | re.DOTALL)
    if match is None:
        raise LoweringError(f"expected a program with the kernel {name}, got none")
    return re.sub(r"^\s*;.*\n", "", match[0], flags=re.MULTILINE)


def _permuted_back(found: Sequence[object], modes: Sequence[int]) -> tuple[object, ...]:
    result: list[object] = list(found)
    for size, mode in zip(found, modes, strict=False):
        result[mode] = size
    return tuple(result)
