# SPDX-License-Identifier: BSD-3-Clause
"""Kernels as functions without side effects: arrays come in, new arrays come out."""

from __future__ import annotations

import contextlib
import functools
import itertools
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ..compiler import Context, Module
from ..compiler.derivative import PARTIAL
from ..compiler.kernel_parameters import parameter_names
from ..errors import ArgumentError, LoweringError
from ..runtime.bounds.launch_sums import values_in
from ..runtime.launches.arguments import NoGroupsError
from ..runtime.manifest import Argument, GroupArgument, MemrefArgument, ScalarArgument
from ..scalars import SCALAR_TYPES
from .batching import batch_dimension, batched_text
from .sizes import GRID, Mode, ModeSizes, Shapes

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
        hidden: parameters that are no inputs: arrays that are 0 before.
        results: the arrays that the function returns, in their order.
        constants: parameters with a fixed value.
        shapes: shapes of hidden arrays that nothing else tells.
        groups: numbers of groups, if nothing else tells them.
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
        shapes: Shapes,
        groups: Sequence[int],
        target: str | None,
        atomic: bool,
    ) -> None:
        self.text, self.name = text, name
        self._outputs, self.results = frozenset(hidden), tuple(results)
        self.constants, self._shapes, self._groups = constants, shapes, tuple(groups)
        self._target, self._atomic = target, atomic
        self._derived: dict[object, Derived] = {}
        self._batched: dict[frozenset[str], FunctionalKernel] = {}
        self._batch_input: str | None = None

    @functools.cached_property
    def kernel(self) -> Kernel:
        """The compiled kernel for the target."""
        return self.compiled(self._target)

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

    # Shapes ---------------------------------------------------------------------------------

    @functools.cached_property
    def _sources(self) -> dict[str, list[int | Mode]]:
        """Where the sizes of hidden arrays come from, except for buffers."""
        sizes = ModeSizes(self.kernel.info, self._shapes, self._groups)
        known = [n for n in self.inputs if isinstance(self.arguments[n], MemrefArgument)]
        hidden = self.hidden - self.buffers
        found: dict[str, list[int | Mode]] = {name: [] for name in hidden}
        for name, mode in sizes.modes:
            if name in hidden:
                found[name].append(sizes.source((name, mode), known))
        grid = itertools.takewhile(
            lambda mode: sizes.knows(mode, known), ((GRID, dimension) for dimension in range(3))
        )
        found[GRID] = [sizes.source(mode, known) for mode in grid]
        return found

    def _same_shape(self, name: str) -> list[int | Mode]:
        """Return the shape of an array like a parameter."""
        if name in self.hidden:
            return self._sources[name]
        argument = self.arguments[name]
        if not isinstance(argument, MemrefArgument):
            return []
        order = len(argument.shape) + isinstance(argument, GroupArgument)
        return [(name, mode) for mode in range(order)]

    def shape(self, name: str, shapes: Mapping[str, Sequence[Any]]) -> tuple[Any, ...]:
        """Return the shape of a parameter, given those of the inputs; sizes may be symbols.

        Shapes of buffers follow from the other arguments of a launch.
        """
        if name not in self.hidden:
            return tuple(shapes[name])
        sources = self._sources[name]
        found = [s if isinstance(s, int) else self._size(s, shapes) for s in sources]
        argument = self.arguments[name]
        modes = argument.modes if isinstance(argument, MemrefArgument) else None
        return tuple(found) if modes is None else _permuted_back(found, modes)

    def _size(self, source: Mode, shapes: Mapping[str, Sequence[Any]]) -> object:
        """Return the size of a mode of an input."""
        name, mode = source
        modes = getattr(self.arguments[name], "modes", None)
        return shapes[name][mode if modes is None or mode >= len(modes) else modes[mode]]

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
                f"derivative depend, among the constants, got an input",
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
        module = self._module
        if suffix == "_vjp":
            found = module.vjp(self.name, wrt=wrt, atomic=self._atomic, buffers=buffers)
        else:
            found = module.jvp(self.name, wrt=wrt)
        text = kernel_text(found.text, found.name)
        renamed: dict[str, str] = {}  # parameters by that of the kernel whose derivative they hold
        partial = []
        for name in parameter_names(found.module._operation, found.name):
            if name in self.arguments or name in found.buffers:
                continue
            of, _, kind = name.rpartition("_")
            renamed[of] = _fresh_name(text, of, suffix)
            text = re.sub(rf"%{name}\b", f"%{renamed[of]}", text)
            partial += [of] * (f"_{kind}" == PARTIAL)
        hidden = set(self._outputs)
        if suffix == "_vjp":
            results = [name for name in wrt if name in renamed]
            given = [name for name in renamed if self.is_updated(name)]
            hidden |= {renamed[name] for name in renamed if name not in given}
        else:
            results = [name for name in self.results if name in renamed]
            given = [name for name in renamed if name not in self.hidden]
            hidden |= {renamed[name] for name in renamed if name in self.hidden}
        shapes: dict[str, Sequence[int | Mode]] = {
            name: self._sources[name] for name in (*self.hidden, GRID) if name in self._sources
        }
        for name, new in renamed.items():
            if new in hidden:
                grid = found.grid_modes if name in partial else 0
                shapes[new] = [*self._same_shape(name), *((GRID, mode) for mode in range(grid))]
        fixed = self.constants, shapes, self._groups, self._target, self._atomic
        function = FunctionalKernel(text, found.name, hidden, [], *fixed)
        # A derivative leaves arrays that it does not write as they are, 0 if they are hidden.
        written = [name for name in results if function.is_updated(renamed[name])]
        function.results = tuple(renamed[name] for name in written)
        return Derived(
            function,
            tuple(written),
            partial=dict.fromkeys(partial, found.grid_modes),
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
        info = self.kernel.info
        dimension = batch_dimension(info)
        every = names | self.hidden
        text = batched_text(self.text, info, every)
        new = {name: f"{name}_batch" if name in every else name for name in self.arguments}
        some = new[min(names)]
        rank = len(self._same_shape(min(names)))
        shapes = {
            new.get(name, name): [
                *((size if isinstance(size, int) else (new[size[0]], size[1])) for size in sizes),
                *[(some, rank)] * (name in self.hidden),
            ]
            for name, sizes in self._sources.items()
        }
        groups = self._groups
        if groups:
            groups = (*groups, *(1,) * (dimension - len(groups)))
        hidden, results = ([new[name] for name in every] for every in (self.hidden, self.results))
        fixed = self.constants, shapes, groups, self._target, self._atomic
        function = FunctionalKernel(text, self.name, hidden, results, *fixed)
        function._batch_input = some
        return function

    def batch_size(self, shapes: Mapping[str, Sequence[Any]]) -> Any:
        """Return the number of calls of a batch, given shapes of inputs; None if it is none."""
        return None if self._batch_input is None else shapes[self._batch_input][-1]

    # Launches -------------------------------------------------------------------------------

    def launch(
        self,
        values: Mapping[str, object],
        batch: int | None,
        queue: object = None,
        target: str | None = None,
    ) -> None:
        """Launch the kernel and wait until it has finished; do nothing for an empty batch.

        Args:
            values: inputs and hidden arrays by name.
            batch: number of calls of a batch; None if it is none.
            queue: where to launch it, None for the usual place.
            target: name of the target, None for that of the function.
        """
        members = [getattr(values[name], "shape", ())[-1:] for name in self._groups_of_arrays]
        if batch == 0 or (0,) in map(tuple, members):
            return
        kernel = self.kernel if target is None else self.compiled(target)
        given = [
            None if n in self.buffers else values[n] if n in values else self.constants[n]
            for n in self.arguments
        ]
        with contextlib.suppress(NoGroupsError):
            kernel(*given, groups=self.groups(batch) or None, queue=queue)

    def groups(self, batch: int | None) -> tuple[int, ...]:
        """Return the numbers of groups of a launch, nothing if the arrays tell them."""
        return (*self._groups, batch) if self._groups and batch is not None else self._groups


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


def _fresh_name(text: str, of: str, suffix: str) -> str:
    """Return a name for a parameter of a derivative that differs from all others."""
    number = 1
    while re.search(rf"%{of}{suffix}{number}\b", text):
        number += 1
    return f"{of}{suffix}{number}"


def _permuted_back(found: Sequence[object], modes: Sequence[int]) -> tuple[object, ...]:
    result: list[object] = list(found)
    for size, mode in zip(found, modes, strict=False):
        result[mode] = size
    return tuple(result)
