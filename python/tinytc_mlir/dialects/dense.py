# SPDX-License-Identifier: BSD-3-Clause
"""Elements of constant memrefs: arrays of NumPy to attributes and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from mlir import ir

from .._tinytc import dense_bytes
from ..scalars import ScalarType, scalar_type_named


def dense_attribute(array: npt.NDArray[Any], element: ir.Type) -> ir.Attribute:
    """Return the value of a constant memref.

    Args:
        array: the elements as they are stored, of bf16 their bits.
        element: their type.
    """
    type_ = ir.RankedTensorType.get(array.shape, element)
    # MLIR reads no buffers of complex numbers, but their parts.
    bits: npt.NDArray[Any] = np.ascontiguousarray(array).reshape(array.shape)
    if bits.dtype.kind == "c":
        bits = bits.reshape(-1).view(f"f{bits.dtype.itemsize // 2}")
    return ir.DenseElementsAttr.get(bits, type=type_)


def dense_elements(op: ir.Operation, name: str, scalar_type: ScalarType) -> npt.NDArray[Any]:
    """Return the elements of a dense attribute in the order of a tensor, the last index first.

    Args:
        op: the operation.
        name: name of the attribute.
        scalar_type: type of the elements; of bf16, the bits are returned.
    """
    dtype = scalar_type.dtype
    return np.frombuffer(dense_bytes(op, name, dtype.itemsize), dtype)


def constant_array(op: ir.Operation) -> npt.NDArray[Any]:
    """Return the elements of a constant memref as they are stored."""
    memref = op.results[0].type
    elements = dense_elements(op, "value", scalar_type_named(str(memref.element_type)))
    return elements.reshape(tuple(memref.shape))


def dense_constant(memref: Any, array: npt.ArrayLike) -> ir.Attribute:
    """Return the value of a constant memref.

    Args:
        memref: its type.
        array: an array of its shape, of a dtype that can be cast to that of its elements.

    Raises:
        ValueError: the array has another shape, or elements that the type does not have.
    """
    scalar_type = scalar_type_named(str(memref.element_type))
    values, shape = np.asarray(array), tuple(memref.shape)
    if values.shape != shape:
        raise ValueError(f"expected an array of shape {shape}, got {values.shape}")
    if scalar_type.is_bits and scalar_type.fits(values.dtype):
        stored = values.view(scalar_type.dtype)
    else:
        if not np.can_cast(values.dtype, scalar_type.value_dtype, "same_kind"):
            message = f"expected an array of {scalar_type.name}, got one of {values.dtype}"
            raise ValueError(message)
        stored = scalar_type.to_memory(_cast(values, np.dtype(scalar_type.value_dtype)))
    return dense_attribute(stored, memref.element_type)


def _cast(values: npt.NDArray[Any], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return values of a type that has these integers, or where finite numbers stay finite."""
    with np.errstate(over="ignore"):
        cast = values.astype(dtype)
    if dtype.kind == "i":
        most = int(np.iinfo(dtype).max)
        # No constant is -2^63, of a memref neither.
        least = -most if dtype.itemsize == 8 else -most - 1
        wrong = (cast != values) | (cast < least)
        expected = f"integers from {least} to {most}"
    else:
        wrong, expected = np.isfinite(values) & ~np.isfinite(cast), f"numbers of {dtype}"
    if wrong.any():
        raise ValueError(f"expected {expected}, got {values[wrong].flat[0]}")
    return cast
