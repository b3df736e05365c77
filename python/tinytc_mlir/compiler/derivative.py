# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of kernels: kernels that the passes `tinytc-tangent` and `tinytc-adjoint` add."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast, overload

import numpy as np

from ..errors import ArgumentError, LoweringError, got, hint
from ..runtime.arrays.host_arrays import view_of
from ..runtime.kernel_info import Argument, GroupArgument, MemrefArgument, ScalarArgument
from ..scalars import SCALAR_TYPES
from .kernel_parameters import buffer_names, parameter_names, parameter_orders

if TYPE_CHECKING:
    import numpy.typing as npt
    from mlir import ir

    from ..runtime.kernel import Kernel
    from ..runtime.launches.arguments import Groups
    from ..runtime.program import Program

ADJOINT, PARTIAL, TANGENT = "_adjoint", "_partial", "_tangent"


class Differentiable(Protocol):
    """An object that `grad` differentiates: a module, a function that is a kernel, a recipe."""

    def vjp(
        self, /, *, wrt: Sequence[str] | None = None, atomic: bool = False, buffers: bool = True
    ) -> Derivative:
        """Return the reverse derivative of its kernel."""


_Gradient_co = TypeVar("_Gradient_co", covariant=True)


class WithGradient(Protocol[_Gradient_co]):
    """A function of elements, which has a gradient of its own."""

    def gradient(
        self, wrt: Sequence[str] | None, of: object = None, *, atomic: bool = False
    ) -> _Gradient_co:
        """Return the gradient of the sum of all results."""


class DifferentiableModule(Differentiable, Protocol):
    """The part of a module that a derivative needs."""

    def compile(self, target: object = None) -> Program:
        """Return the program for a target."""

    def to_text(self) -> str:
        """Return the program in the language."""

    def vjp(
        self,
        name: str | None = None,
        /,
        *,
        wrt: Sequence[str] | None = None,
        atomic: bool = False,
        buffers: bool = True,
    ) -> Derivative:
        """Return the reverse derivative of a kernel."""

    def jvp(self, name: str | None = None, /, *, wrt: Sequence[str] | None = None) -> Derivative:
        """Return the forward derivative of a kernel."""

    def _with_derivative(
        self, name: str, suffix: str, wrt: Sequence[str] | None, options: Mapping[str, str]
    ) -> DifferentiableModule: ...

    @property
    def _operation(self) -> ir.Operation: ...


@dataclasses.dataclass(frozen=True)
class DerivativeParameter:
    """A parameter that a derivative has besides those of the kernel.

    Args:
        name: its name: that of the kernel's parameter with `_adjoint` or `_tangent`, and with a
            number if the kernel has a parameter of this name.
        of: the kernel's parameter.
        is_input: whether the kernel is differentiated with respect to that.
        is_output: whether the kernel writes that.
        is_shared: whether the adjoint is a sum over groups, which a second kernel computes.
    """

    name: str
    of: str
    is_input: bool
    is_output: bool
    is_shared: bool


class Derivative:
    """A kernel that computes derivatives of another one; made by `vjp` and `jvp`.

    Calling it launches it. Its arguments are those of the kernel, and then one for each of
    `parameters`: arrays that are read and written in place, or for tangents of scalars, numbers.

    Args:
        primal: the module of the kernel.
        name: the kernel.
        suffix: "_vjp" or "_jvp".
        wrt: names of parameters to differentiate with respect to; None for all that can be.
        options: further options of the pass.
    """

    def __init__(
        self,
        primal: DifferentiableModule,
        name: str,
        suffix: str,
        wrt: Sequence[str] | None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        self._primal = primal
        self.of = name
        self.name = f"{name}{suffix}"
        self._suffix = suffix
        self._wrt = wrt
        self._adds_alone = suffix == "_vjp" and "atomic" not in (options or {})
        self.module = primal._with_derivative(name, suffix, wrt, options or {})
        self._programs: dict[str | None, Program] = {}

    @property
    def text(self) -> str:
        """The derivative in the language."""
        return self.module.to_text()

    @functools.cached_property
    def _primal_kernel(self) -> Kernel:
        return self._primal.compile()[self.of]

    @functools.cached_property
    def _arguments(self) -> dict[str, Argument]:
        buffers = buffer_names(self._primal._operation, self.of)
        arguments = self._primal_kernel.info.arguments
        return {each.name: each for each in arguments if each.name not in buffers}

    @functools.cached_property
    def buffers(self) -> tuple[str, ...]:
        """The parameters that a launch allocates if they are not given by name."""
        return tuple(buffer_names(self.module._operation, self.name))

    @functools.cached_property
    def parameters(self) -> tuple[DerivativeParameter, ...]:
        """The parameters after those of the kernel, in the order of the kernel's; no buffers."""
        names = parameter_names(self.module._operation, self.name)
        suffix = TANGENT if self._suffix == "_jvp" else ADJOINT
        found = []
        for each in names:
            if each in self._arguments or each in self.buffers:
                continue
            of, _, kind = each.rpartition("_")
            name = self._fresh_name(of + suffix)
            argument = self._arguments[of]
            is_output = isinstance(argument, MemrefArgument) and argument.is_written
            is_input = self._wrt is None or of in self._wrt
            is_shared = f"_{kind}".startswith(PARTIAL)
            found.append(DerivativeParameter(name, of, is_input, is_output, is_shared))
        return tuple(found)

    @functools.cached_property
    def grid_modes(self) -> int:
        """The number of modes of the grid that arrays of partial sums end with; 0 without these."""
        names = parameter_names(self.module._operation, self.name)
        orders = dict(zip(names, parameter_orders(self.module._operation, self.name), strict=True))
        shared = (p.of for p in self.parameters if p.is_shared)
        return next((orders[self._fresh_name(of + PARTIAL)] - orders[of] for of in shared), 0)

    def _fresh_name(self, name: str) -> str:
        """Return the name that a parameter gets: with a number if the kernel has one of it."""
        candidate = name
        for number in itertools.count(2):
            if candidate not in self._arguments:
                break
            candidate = f"{name}{number}"
        return candidate

    @property
    def inputs(self) -> tuple[str, ...]:
        """The kernel's parameters that it is differentiated with respect to."""
        return tuple(p.of for p in self.parameters if p.is_input)

    @property
    def outputs(self) -> tuple[str, ...]:
        """The kernel's arrays that depend on the inputs."""
        return tuple(p.of for p in self.parameters if p.is_output)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The names of all parameters of a call, without buffers."""
        return (*self._arguments, *(p.name for p in self.parameters))

    def vjp(
        self, *, wrt: Sequence[str] | None = None, atomic: bool = False, buffers: bool = True
    ) -> Derivative:
        """Return the reverse derivative of the derivative; arguments as for `Module.vjp`."""
        return self.module.vjp(self.name, wrt=wrt, atomic=atomic, buffers=buffers)

    def jvp(self, *, wrt: Sequence[str] | None = None) -> Derivative:
        """Return the forward derivative of the derivative; arguments as for `Module.jvp`."""
        return self.module.jvp(self.name, wrt=wrt)

    def compile(self, target: object = None) -> Program:
        """Return the program of the derivative; `module.compile` takes options."""
        return self.module.compile(target)

    def _program(self, queue: object) -> Program:
        from .targets import target_name

        target = None if queue is None else target_name(queue)
        if target not in self._programs:
            self._programs[target] = self.compile(target)
        return self._programs[target]

    # Launches -------------------------------------------------------------------------------

    def __call__(
        self, /, *values: object, groups: Groups = None, queue: object = None, **named: object
    ) -> None:
        """Launch the derivative and wait until it has finished.

        Args:
            values: arguments by position.
            groups: number of groups; None is the number that fits the kernel's arrays.
            queue: dpctl queue or device to launch on.
            named: arguments by name.

        Raises:
            ArgumentError: an argument does not fit its parameter.
        """
        given = self._bound(values, named)
        self._check_members(given)
        program = self._program(queue)
        shared = [p for p in self.parameters if p.is_shared]
        if not shared:
            program[self.name](given, groups=groups, queue=queue)
            return
        counts = self._counts(given, groups)
        grid = counts[: self.grid_modes]
        if math.prod(counts) != math.prod(grid):
            raise ArgumentError(
                f"{self.name}: expected one group in dimensions of the grid after the last one "
                f"whose index the kernel asks for, got {counts}",
                argument="groups",
            )
        sums = {p.name: given.pop(p.name) for p in shared}
        shapes = {p.name: np.shape(cast("npt.ArrayLike", sums[p.name])) for p in shared}
        partial = {
            self._fresh_name(p.of + PARTIAL): self._partial(p.of, (*shapes[p.name], *grid))
            for p in shared
        }
        program[self.name]({**given, **partial}, groups=counts, queue=queue)
        # The second kernel takes the groups in one mode.
        partial = {
            name: array.reshape((*shape, math.prod(grid)), order="F")
            for (name, array), shape in zip(partial.items(), shapes.values(), strict=True)
        }
        columns = max(math.prod(shape[1:] or shape) for shape in shapes.values())
        program[f"{self.name}_sum"]({**partial, **sums}, groups=max(columns, 1), queue=queue)

    def _bound(self, values: Sequence[object], named: Mapping[str, object]) -> dict[str, object]:
        """Return the arguments by name."""
        names = self.parameter_names
        buffers = {name: named[name] for name in self.buffers if name in named}
        named = {name: value for name, value in named.items() if name not in buffers}
        for name in named:
            if name not in names:
                message = f"{self.name}: unexpected argument {name!r}{hint(name, names)}"
                raise ArgumentError(message, argument=name)
        given = dict(zip(names, values, strict=False)) | dict(named)
        if len(given) != len(values) + len(named) or len(given) != len(names):
            raise ArgumentError(
                f"{self.name}: expected {len(names)} arguments ({', '.join(names)}), got "
                f"{len(values) + len(named)}"
            )
        return {name: given[name] for name in names} | buffers

    def _check_members(self, given: Mapping[str, object]) -> None:
        """Check that no adjoint is a member twice, to which two groups would add at once."""
        for parameter in self.parameters if self._adds_alone else ():
            is_group = isinstance(self._arguments[parameter.of], GroupArgument)
            value = given[parameter.name]
            members = getattr(value, "members", value)
            if not is_group or parameter.is_output or not isinstance(members, (list, tuple)):
                continue
            first: dict[int, int] = {}
            for index, member in enumerate(members):
                with contextlib.suppress(ValueError):  # what is no array, the launch finds out
                    other = first.setdefault(view_of(member).address, index)
                    if other != index:
                        raise ArgumentError(
                            f"{self.name}: argument {parameter.name!r}: expected each array once, "
                            f"because a group adds to its own member, got members {other} and "
                            f"{index} that are the same; with atomic=True, several groups may add",
                            argument=parameter.name,
                        )

    def _counts(self, given: Mapping[str, object], groups: Groups) -> tuple[int, int, int]:
        """Return the numbers of groups of a launch."""
        signature, buffers = self._primal_kernel.signature, self._primal_kernel.buffers
        values = [given[name] for name in self._arguments]
        if buffers is not None:
            return buffers.counts(values, groups)
        parts = signature.parts(values, {})
        return signature.counts(groups, parts)

    def _partial(self, name: str, shape: tuple[int, ...]) -> npt.NDArray[Any]:
        """Return an array for the partial sums of the groups."""
        argument = self._arguments[name]
        type_ = argument.type if isinstance(argument, ScalarArgument) else argument.element_type
        return np.zeros(shape, SCALAR_TYPES[type_].dtype, order="F")

    def zeros(self, name: str, like: object) -> Any:  # noqa: ANN401, an array or a list of them
        """Return an adjoint of a parameter of the kernel that is 0.

        Args:
            name: the parameter.
            like: an argument for it.
        """
        argument = self._arguments[name]
        if isinstance(argument, ScalarArgument):
            return np.zeros((), SCALAR_TYPES[argument.type].dtype)
        if isinstance(argument, GroupArgument) and isinstance(like, (list, tuple)):
            return [np.zeros_like(member) for member in like]
        return np.zeros_like(like)

    def __repr__(self) -> str:
        names = parameter_names(self.module._operation, self.name)
        return f"<Derivative {self.name}({', '.join(names)})>"


@dataclasses.dataclass(frozen=True)
class Gradient:
    """A function that returns the gradient of the sum of what a kernel computes.

    Args:
        derivative: the reverse derivative.
        of: the arrays whose elements are added up.
    """

    derivative: Derivative
    of: tuple[str, ...]

    def __call__(
        self, /, *values: object, groups: Groups = None, queue: object = None, **named: object
    ) -> dict[str, Any]:
        """Return the gradient by each input; the kernel's arguments are left as they are.

        Args:
            values: arguments of the kernel by position.
            groups: number of groups; None is the number that fits the arrays.
            queue: dpctl queue or device to launch on.
            named: arguments of the kernel by name.

        Returns:
            For each input an array of its shape, of shape () for a scalar.

        Raises:
            ArgumentError: an argument does not fit its parameter.
        """
        derivative = self.derivative
        names = list(derivative._arguments)
        given = dict(zip(names, values, strict=False)) | named
        missing = [name for name in names if name not in given]
        if missing or len(given) != len(values) + len(named):
            raise ArgumentError(
                f"{derivative.of}: expected {len(names)} arguments ({', '.join(names)}), got "
                f"{len(values) + len(named)}",
                argument=missing[0] if missing else None,
            )
        adjoints = {}
        for parameter in derivative.parameters:
            adjoint = derivative.zeros(parameter.of, given[parameter.of])
            if parameter.of in self.of:
                for array in adjoint if isinstance(adjoint, list) else [adjoint]:
                    array[...] = 1
            adjoints[parameter.name] = adjoint
        derivative(**given, **adjoints, groups=groups, queue=queue)
        inputs = [p for p in derivative.parameters if p.is_input]
        return {p.of: adjoints[p.name] for p in inputs}


@overload
def grad(
    kernel: WithGradient[_Gradient_co],
    wrt: str | Sequence[str] | None = None,
    of: None = None,
    *,
    atomic: bool = False,
) -> _Gradient_co: ...
@overload
def grad(
    kernel: Differentiable,
    wrt: str | Sequence[str] | None = None,
    of: str | Sequence[str] | None = None,
    *,
    atomic: bool = False,
    buffers: bool = True,
) -> Gradient: ...
def grad(
    kernel: Any,
    wrt: str | Sequence[str] | None = None,
    of: str | Sequence[str] | None = None,
    *,
    atomic: bool = False,
    buffers: bool = True,
) -> Any:
    """Return the function that computes the gradient of a kernel.

    Args:
        kernel: a module with one kernel, a function that is a kernel, or a recipe.
        wrt: names of parameters to differentiate with respect to; None for all that can be.
        of: names of arrays that the kernel writes, the sum of whose elements is differentiated;
            None for all.
        atomic: let groups add to what they share in any order, instead of in a second kernel.
        buffers: keep what local memory cannot in buffers that launches allocate.

    Raises:
        LoweringError: an instruction has no derivative.
        ArgumentError: there is no array `of` that depends on the parameters.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> module = tt.Context().parse('''
    ... func @square(%x: memref<f64x3>, %y: memref<f64x3>) {
    ...   %one = constant 1.0 : f64
    ...   %zero = constant 0.0 : f64
    ...   hadamard_product %one, %x, %x, %zero, %y
    ... }''')
    >>> tt.grad(module, wrt="x")(np.array([1.0, 2.0, 3.0]), np.zeros(3), groups=1)
    {'x': array([2., 4., 6.])}
    """
    names = (wrt,) if isinstance(wrt, str) else wrt
    if hasattr(kernel, "gradient"):  # of a batched function
        return kernel.gradient(names, of, atomic=atomic)
    derivative = kernel.vjp(wrt=names, atomic=atomic, buffers=buffers)
    chosen = derivative.outputs if of is None else (of,) if isinstance(of, str) else tuple(of)
    for name in chosen:
        if name not in derivative.outputs:
            raise ArgumentError(
                f"{derivative.of}: expected an array that the kernel writes "
                f"({', '.join(derivative.outputs)}), {got(name, derivative.outputs)}",
                argument=name,
            )
    return Gradient(derivative, chosen)


def only_kernel(names: Sequence[str], name: str | None) -> str:
    """Return the kernel of a module that is meant; `LoweringError` if that is not clear."""
    if name is None and len(names) == 1:
        return names[0]
    if name is None or name not in names:
        known = ", ".join(names) or "there is none"
        found = "no name" if name is None else repr(name)
        raise LoweringError(f"expected the name of a kernel ({known}), got {found}")
    return name
