# SPDX-License-Identifier: BSD-3-Clause
"""Arguments of batched functions as arrays of PyTorch and JAX; numbers take the types of NumPy."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, describe
from .calls import expect_count, expect_weak, is_weak

if TYPE_CHECKING:
    from .described import DescribedFunction


def dtype_name(array: Any) -> str:
    """Return the name of the dtype of an array or a tensor."""
    return str(array.dtype).removeprefix("torch.")


def torch_arguments(function: DescribedFunction, values: Sequence[Any]) -> Sequence[Any]:
    """Return arguments as tensors, on the device of those that are tensors.

    Raises:
        ArgumentError: there are too few or too many, or one has no numbers of its type.
    """
    import torch

    expect_count(function, values)
    given = [each for each in values if isinstance(each, torch.Tensor)]
    if len(given) == len(values):
        return values
    from ..frameworks.torch_calls import device_of

    device = device_of(given)

    def tensor(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return value
        array = np.asarray(value, order="C")  # tensors have no negative strides
        native = array.astype(array.dtype.newbyteorder("="), copy=False)
        return torch.as_tensor(native, device=device)

    def dtype_for(value: complex, strong: Sequence[Any]) -> Any:
        if (found := _numpy_type(strong, value)) is not None:
            return found
        widest = functools.reduce(torch.promote_types, [each.dtype for each in strong])
        return torch.result_type(torch.empty(1, dtype=widest, device="meta"), value)

    def number(value: complex, dtype: Any) -> Any:
        own = getattr(torch, dtype.name) if isinstance(dtype, np.dtype) else dtype
        return torch.as_tensor(value, dtype=own, device=device)

    return _arguments(function, values, tensor, dtype_for, number)


def jax_arguments(function: DescribedFunction, values: Sequence[Any]) -> Sequence[Any]:
    """Return arguments as arrays of JAX.

    Raises:
        ArgumentError: there are too few or too many, or one has no numbers of its type.
    """
    import jax
    import jax.numpy as jnp

    expect_count(function, values)

    def dtype_for(value: complex, strong: Sequence[Any]) -> Any:
        found = _numpy_type(strong, value)
        return jnp.result_type(*strong, value) if found is None else found

    def number(value: complex, dtype: Any) -> Any:
        canonical = None if dtype is None else jax.dtypes.canonicalize_dtype(dtype)
        return jnp.asarray(value, canonical)

    return _arguments(function, values, jnp.asarray, dtype_for, number)


def _arguments(
    function: DescribedFunction,
    values: Sequence[Any],
    array: Callable[[Any], Any],
    dtype_for: Callable[[complex, Sequence[Any]], Any],
    number: Callable[[complex, Any], Any],
) -> Sequence[Any]:
    """Return arguments as arrays.

    Args:
        function: the function.
        values: the arguments.
        array: makes an array of what is no number of Python.
        dtype_for: returns the dtype of a number of Python beside some arrays.
        number: makes an array of a number of Python and a dtype, None for that of the framework.
    """

    def made(name: str, value: Any, make: Callable[..., Any], *more: Any) -> Any:
        try:
            return make(value, *more)
        except (TypeError, ValueError, RuntimeError, OverflowError):
            message = f"expected numbers, got {describe(value)}"
            raise ArgumentError(
                f"{function.name}: argument {name!r}: {message}", argument=name
            ) from None

    found = [
        value if is_weak(value) else made(name, value, array)
        for name, value in zip(function.names, values, strict=True)
    ]
    strong = [each for each in found if not is_weak(each)]
    for place, argument in enumerate(function.arguments):
        value, name = found[place], argument.name
        if not is_weak(value):
            continue
        dtype = np.dtype(argument.type.dtype) if argument.type else None
        if dtype is None and strong:
            dtype = dtype_for(value, strong)
        if isinstance(dtype, np.dtype):
            expect_weak(function, name, value, dtype)
        found[place] = made(name, value, number, dtype)
    return found


def _numpy_type(strong: Sequence[Any], value: complex) -> np.dtype[Any] | None:
    """Return the dtype of NumPy for a number beside some arrays, None if one's is not NumPy's."""
    names = [dtype_name(each) for each in strong]
    with contextlib.suppress(TypeError):
        if "bfloat16" not in names:
            return np.result_type(*map(np.dtype, names), value)
    return None
