# SPDX-License-Identifier: BSD-3-Clause
"""Kernels as operations of JAX: a primitive whose native code programs of XLA call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..errors import ArgumentError, describe
from ..runtime.kernel_info import GroupArgument
from . import jax_transforms  # noqa: F401 (tells JAX)
from .functional import Constants, FunctionalKernel
from .native_calls import dtype
from .ops import Groups, KernelOp, functional_kernel
from .sizes import Shapes
from .xla_calls import Call, bind

__all__ = ["Op", "op"]


def op(
    kernel: object,
    *,
    name: str | None = None,
    outputs: str | Sequence[str] | None = None,
    constants: Constants | None = None,
    shapes: Shapes | None = None,
    groups: Groups = None,
    atomic: bool = False,
) -> Op:
    """Return a kernel as an operation of JAX, native code that programs of XLA call.

    The operation takes the kernel's parameters and returns the arrays that the kernel writes, as
    new arrays. It works with `jax.jit`, `jax.vmap`, `jax.shard_map` and all derivatives. Arrays
    have the order of modes that the kernel wants without a copy, if XLA can arrange that.

    Args:
        kernel: a module, a function that is a kernel, a derivative, or a recipe.
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
        atomic: in gradients, let groups add to what they share in any order, instead of in a second
            kernel.

    Raises:
        ArgumentError: an argument does not fit the kernel, or the kernel has groups of arrays.

    >>> import jax
    >>> import jax.numpy as jnp
    >>> import tinytc_mlir as tt
    >>> module = tt.Context().parse('''
    ... func @square(%x: memref<f32x?>, %y: memref<f32x?>) {
    ...   %i = group_id.x : index
    ...   %a = load %x[%i] : f32
    ...   %b = arith.mul %a, %a : f32
    ...   store %b, %y[%i]
    ... }''')
    >>> square = tt.jax.op(module)
    >>> jax.grad(lambda x: square(x).sum())(jnp.array([1.0, 2.0, 3.0]))
    Array([2., 4., 6.], dtype=float32)
    """
    function = functional_kernel(
        kernel,
        name=name,
        outputs=outputs,
        constants=constants,
        shapes=shapes,
        groups=groups,
        target="native",
        atomic=atomic,
    )
    for argument in function.arguments.values():
        if isinstance(argument, GroupArgument) or getattr(argument, "optional", False):
            raise ArgumentError(
                f"{function.name}: expected arrays that are always given and no groups, as JAX has "
                f"no others, got {argument}"
            )
    return Op(function)


class Op(KernelOp):
    """A kernel as an operation of JAX; made by `op`."""

    def __init__(self, function: FunctionalKernel) -> None:
        super().__init__(function.name, function)
        self._call = Call(function, frozenset())
        self._dtypes = [dtype(function, each) for each in function.inputs]

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Return the arrays that the kernel writes: an array, or a tuple of several.

        Args:
            values: inputs by position: arrays; for scalars, arrays of order 0 or numbers.
            named: further inputs by name.
        """
        given: Sequence[Any] = values
        if named or len(values) != len(self.parameters):
            given = self._ordered(values, named)
        arrays = list(map(self._array, self.parameters, given, self._dtypes))
        if any(isinstance(each, jax.core.Tracer) for each in arrays):
            results: Sequence[Any] = bind(arrays, self._call)
        else:
            results = self._call.run(*arrays)
        return results[0] if len(results) == 1 else tuple(results)

    def _array(self, name: str, value: Any, dtype: Any) -> Any:
        try:
            if isinstance(value, (bool, int, float, complex)):
                value = np.asarray(value, dtype)
            array = value if isinstance(value, jax.Array) else jnp.asarray(value)
        except (TypeError, ValueError, OverflowError):
            raise ArgumentError(
                f"{self.name}: argument {name!r}: expected numbers of {dtype}, got "
                f"{describe(value)}",
                argument=name,
            ) from None
        if array.dtype != dtype:
            is_missing = jax.dtypes.canonicalize_dtype(dtype) != dtype
            hint = "; jax.config.update('jax_enable_x64', True)" if is_missing else ""
            raise ArgumentError(
                f"{self.name}: argument {name!r}: expected dtype {dtype}, got {array.dtype}{hint}",
                argument=name,
            )
        return array
