# SPDX-License-Identifier: BSD-3-Clause
"""Kernels as custom operations of PyTorch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import torch

from ..errors import ArgumentError, describe
from ..runtime.kernel_info import ScalarArgument
from .functional import Constants, element_type
from .ops import Groups, KernelOp, functional_kernel
from .sizes import Shapes
from .torch_calls import DTYPES, device_of, is_eager, is_tensor
from .torch_definitions import Definition, is_of_batch

__all__ = ["Op", "op"]


def op(  # noqa: PLR0913 (by keyword)
    kernel: object,
    qualified_name: str,
    *,
    name: str | None = None,
    outputs: str | Sequence[str] | None = None,
    constants: Constants | None = None,
    shapes: Shapes | None = None,
    groups: Groups = None,
    target: str | None = None,
    atomic: bool = False,
) -> Op:
    """Return a kernel as an operation of PyTorch.

    The operation takes the kernel's parameters and returns the arrays that the kernel writes, as
    new tensors. It works with autograd in both modes, `torch.func`, `torch.vmap`, `torch.compile`
    and `torch.export`. Its gradients are those of PyTorch, conjugate for complex numbers.

    Args:
        kernel: a module, a function that is a kernel, a derivative, or a recipe.
        qualified_name: its name in PyTorch, with a namespace: "namespace::name". Another kernel
            of the same name is another overload.
        name: the kernel of a module, if there are several.
        outputs: arrays that the kernel writes and whose values before do not matter: they are no
            parameters of the operation, and are 0 before. None for those that the kernel
            overwrites as far as the program shows.
        constants: parameters with fixed values. Factors of recipes, `alpha` and `beta`, are 1 and
            0.
        shapes: shapes of outputs that no input tells: for each mode a size, or a mode of an input
            as in ("A", 1).
        groups: number of groups, or up to three of them, each a number or a mode of an input as for
            `shapes`; None for the numbers that fit the inputs.
        target: name of the target for tensors of the host; None for native code where there is
            such, which uses their memory in place. Tensors on NVIDIA devices have code of their
            own.
        atomic: in gradients, let groups add to what they share in any order, instead of in a second
            kernel; for groups of arrays that several groups read, there is no other way.

    Raises:
        ArgumentError: an argument does not fit the kernel, or PyTorch has another operation of
            this name.

    >>> import torch
    >>> import tinytc_mlir as tt
    >>> module = tt.Context().parse('''
    ... func @square(%x: memref<f64x?>, %y: memref<f64x?>) {
    ...   %i = group_id.x : index
    ...   %a = load %x[%i] : f64
    ...   %b = arith.mul %a, %a : f64
    ...   store %b, %y[%i]
    ... }''')
    >>> square = tt.torch.op(module, "doc::square")
    >>> x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    >>> square(x).sum().backward()
    >>> x.grad
    tensor([2., 4., 6.], dtype=torch.float64)
    """
    if not isinstance(qualified_name, str) or not re.fullmatch(r"\w+::\w+", qualified_name):
        raise ArgumentError(
            f"op: argument 'qualified_name': expected 'namespace::name', got "
            f"{describe(qualified_name)}",
            argument="qualified_name",
        )
    function = functional_kernel(
        kernel,
        name=name,
        outputs=outputs,
        constants=constants,
        shapes=shapes,
        groups=groups,
        target=target,
        atomic=atomic,
    )
    return Op(Definition.of(function, qualified_name))


class Op(KernelOp):
    """A kernel as an operation of PyTorch; made by `op`."""

    def __init__(self, definition: Definition) -> None:
        super().__init__(definition.name, definition.function)
        self._definition, self._overload = definition, definition.overload
        self._are_scalars = [
            isinstance(definition.function.arguments[each], ScalarArgument)
            for each in self.parameters
        ]
        self._dtypes = [
            DTYPES[element_type(definition.function.arguments[each])]
            if is_tensor(definition.function, each)
            else None
            for each in self.parameters
        ]

    @property
    def overload(self) -> Any:
        """The operation in `torch.ops`."""
        return self._overload

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Return the arrays that the kernel writes: a tensor, or a tuple of several.

        Args:
            values: inputs by position: tensors; for scalars, tensors of order 0 or numbers.
            named: further inputs by name.
        """
        given: Sequence[Any] = values
        if named or len(values) != len(self.parameters):
            given = self._ordered(values, named)
        tensors = [
            value if dtype is None else self._as_tensor(number, given, dtype)
            for number, (value, dtype) in enumerate(zip(given, self._dtypes, strict=True))
        ]
        if is_eager():
            return self._definition.call(*tensors)
        several = [
            name
            for name, value, dtype in zip(self.parameters, tensors, self._dtypes, strict=True)
            if dtype is None and isinstance(value, torch.Tensor) and is_of_batch(value)
        ]
        return self._definition.run_for(several, tensors) if several else self._overload(*tensors)

    def _as_tensor(self, number: int, given: Sequence[Any], dtype: torch.dtype) -> torch.Tensor:
        """Return a tensor for a parameter; a real number may be given for a complex scalar."""
        value = given[number]
        if isinstance(value, torch.Tensor):
            is_narrower = dtype.is_complex and self._are_scalars[number] and not value.is_complex()
            return value.to(dtype) if is_narrower else value
        device = "cpu" if self._are_scalars[number] else device_of(given)
        try:
            return torch.as_tensor(value, dtype=dtype, device=device)
        except (TypeError, ValueError, RuntimeError):
            name = self.parameters[number]
            raise ArgumentError(
                f"{self.name}: argument {name!r}: expected numbers of {dtype}, got "
                f"{describe(value)}",
                argument=name,
            ) from None
