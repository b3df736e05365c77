# SPDX-License-Identifier: BSD-3-Clause
"""Checks on the host whether an array fits a memref parameter."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from ..._arrays import address_of
from ...scalars import SCALAR_TYPES
from ...shapes import INT64_MAX
from ..kernel_info import MemrefArgument
from .array_view import Array, ArrayView
from .host_arrays import check_distinct, memory_of, view_of


class MemrefChecker:
    """Checks arrays against one memref type; computes in advance what it can.

    Args:
        argument: the parameter, or the group whose members are checked.

    >>> checker = MemrefChecker(MemrefArgument("A", "f32", (4, None), (1, None)))
    >>> view, dope = checker.check(np.zeros((4, 3), np.float32, order="F"))
    >>> dope  # the values of the question marks: size of mode 2, stride of mode 2
    (3, 4)
    """

    def __init__(self, argument: MemrefArgument) -> None:
        element_type = SCALAR_TYPES[argument.element_type]
        self.argument = argument
        self.itemsize = element_type.size_bytes
        self._element_type = element_type
        self._dtype = element_type.dtype  # the last one that fitted, which the next array has, too
        self._must_write = argument.is_written
        promises = argument.alignment, *argument.shape_gcd, *argument.stride_gcd
        self._has_promises = any(promises)
        self._strides_bytes = tuple(
            None if stride is None else stride * self.itemsize for stride in argument.stride
        )

    def check(self, value: object) -> tuple[ArrayView, tuple[int, ...]]:
        """Return the view of an array that fits, and the values of the `?` of shape and stride.

        Raises:
            ValueError: `expected ..., got ...`, the first rule that the array breaks.
        """
        modes = self.argument.modes
        if modes is not None:
            if type(value) is not np.ndarray:
                return self._check_permuted(value, modes)
            if value.ndim == len(modes):
                value = value.transpose(modes)
        if type(value) is np.ndarray and not self._has_promises:
            match = self._quick_match(value)
            if match is not None:
                return match
        return self._check_view(view_of(value))

    def _check_permuted(
        self, value: object, modes: Sequence[int]
    ) -> tuple[ArrayView, tuple[int, ...]]:
        """Check an array that is not NumPy's, with its modes in the order of the kernel."""
        view = view_of(value)
        if len(view.shape) == len(modes):
            shape = tuple(view.shape[mode] for mode in modes)
            strides = tuple(view.strides_bytes[mode] for mode in modes)
            array = view.array
            if isinstance(array, np.ndarray):
                array = array.transpose(modes)
            view = dataclasses.replace(view, shape=shape, strides_bytes=strides, array=array)
        return self._check_view(view)

    def _check_view(self, view: ArrayView) -> tuple[ArrayView, tuple[int, ...]]:
        self.check_elements(view)
        self.check_shape(view.shape)
        view, strides = self.fitting(view)
        self.check_alignment(view, 0)
        return view, self.dope(view.shape, strides)

    def _quick_match(self, value: Array) -> tuple[ArrayView, tuple[int, ...]] | None:
        """Return the result of `check` for an array that clearly fits, at a fraction of the cost.

        None means that the array needs a full check: it may be wrong, or a special case.
        """
        argument, itemsize = self.argument, self.itemsize
        if (
            value.dtype != self._dtype
            or value.ndim != len(argument.shape)
            or (self._must_write and not value.flags.writeable)
        ):
            return None
        sizes: list[int] = []
        strides: list[int] = []
        bound = itemsize
        modes = zip(value.shape, value.strides, argument.shape, self._strides_bytes, strict=True)
        for size, stride, expected_size, expected_stride in modes:
            if size == 0 or stride < bound or stride % itemsize:
                return None
            if expected_size is None:
                sizes.append(size)
            elif size != expected_size:
                return None
            if expected_stride is None:
                strides.append(stride // itemsize)
            elif stride != expected_stride:
                return None
            bound = stride * size
        address = address_of(value)
        memory = memory_of(value)
        if address % itemsize and memory is not None:
            return None
        view = ArrayView(
            address, value.dtype, value.shape, value.strides, True, value, memory, argument
        )
        return view, (*sizes, *strides)

    def dope(self, shape: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
        """Return the values of the `?` of the shape and then of the stride."""
        argument = self.argument
        pairs = zip((*argument.shape, *argument.stride), (*shape, *strides), strict=True)
        values = tuple(value for expected, value in pairs if expected is None)
        if values and max(values) > INT64_MAX:
            raise ValueError(f"expected sizes and strides up to {INT64_MAX}, got {max(values)}")
        return values

    def check_elements(self, view: ArrayView) -> None:
        """Check the dtype, the rank and whether the kernel may write what it writes."""
        if not self._element_type.fits(view.dtype):
            from .dlpack import dtype_text

            expected = " or ".join(self._element_type.dtype_names())
            raise ValueError(f"expected dtype {expected}, got {dtype_text(view)}")
        order = len(self.argument.shape)
        if len(view.shape) != order:
            raise ValueError(
                f"expected an array of {order} modes, shape {self._shown(self.argument.shape)}, "
                f"got {len(view.shape)} modes, shape {_tuple(view.shape)}"
            )
        self._dtype = view.dtype
        view.argument = self.argument
        if self._must_write and not view.is_writable:
            from .dlpack import read_only_text

            raise ValueError(
                "expected a writable array because the kernel writes it, "
                f"got {read_only_text(view.array)}"
            )

    def check_shape(self, shape: tuple[int, ...]) -> None:
        """Check the sizes of the modes."""
        argument = self.argument
        if not _matches(shape, argument.shape):
            is_reversed = _matches(shape[::-1], argument.shape)
            hint = " (transposed: modes are in column-major order)"
            hint = hint if is_reversed and argument.modes is None else ""
            raise ValueError(
                f"expected shape {self._shown(argument.shape)}, got {self._shown(shape)}{hint}"
            )
        self.check_divisors("size", "shape_gcd", argument.shape_gcd, shape)

    def check_divisors(
        self, what: str, attribute: str, divisors: Sequence[int], values: Sequence[int]
    ) -> None:
        """Check what `shape_gcd` or `stride_gcd` promises about the leading values."""
        for mode, (divisor, value) in enumerate(zip(divisors, values, strict=False)):
            if divisor and value % divisor:
                raise ValueError(
                    f"expected {what} of mode {mode} to be a multiple of {divisor} ({attribute}), "
                    f"got {value}"
                )

    def fitting(self, view: ArrayView) -> tuple[ArrayView, tuple[int, ...]]:
        """Return the view of an array with the strides that the kernel is told, also in elements.

        Launches copy arrays of the host, and those whose strides do not fit into others that do.
        A copy has the strides of the view, so that both are decided here.

        Raises:
            ValueError: `expected ..., got ...`, kernels use the array in place, or no strides fit.
        """
        is_rearranged = False
        try:
            strides = self.check_strides(view, view.shape)
        except ValueError:
            if view.memory is not None or not isinstance(view.array, np.ndarray):
                raise
            check_distinct(view)
            strides = self.packed(view.shape)
            _check_order(view.shape, strides)
            is_rearranged = True
        strides_bytes = tuple(stride * self.itemsize for stride in strides)
        view = dataclasses.replace(view, strides_bytes=strides_bytes, is_rearranged=is_rearranged)
        return view, strides

    def check_strides(self, view: ArrayView, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the strides in elements, with valid ones for modes of at most one index."""
        strides = self._element_strides(view)
        if 0 in shape:
            return self.packed(shape)
        strides = self._normalised(shape, strides)
        if not _matches(strides, self.argument.stride):
            raise ValueError(self._stride_message(strides))
        _check_order(shape, strides)
        divisors = [
            divisor if size > 1 else 0
            for divisor, size in zip(self.argument.stride_gcd, shape, strict=False)
        ]
        self.check_divisors("stride", "stride_gcd", divisors, strides)
        return strides

    def _element_strides(self, view: ArrayView) -> tuple[int, ...]:
        if any(stride % self.itemsize for stride in view.strides_bytes):
            raise ValueError(
                f"expected strides of whole elements ({self.itemsize} bytes), "
                f"got {_tuple(view.strides_bytes)} bytes"
            )
        return tuple(stride // self.itemsize for stride in view.strides_bytes)

    def packed(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the strides in elements, each dynamic one as small as it can be."""
        return self._normalised([size or 1 for size in shape], None)

    def _normalised(self, shape: Sequence[int], strides: Sequence[int] | None) -> tuple[int, ...]:
        """Return strides in which those that no index uses follow the memref's rules."""
        result: list[int] = []
        packed = 1
        for mode, (size, expected) in enumerate(zip(shape, self.argument.stride, strict=True)):
            if strides is not None and size > 1:
                stride = strides[mode]
            else:
                stride = self._smallest(mode, packed) if expected is None else expected
            result.append(stride)
            packed = stride * size
        return tuple(result)

    def _smallest(self, mode: int, bound: int) -> int:
        """Return the smallest stride from a bound on that `stride_gcd` allows."""
        divisors = self.argument.stride_gcd
        divisor = divisors[mode] if mode < len(divisors) else 0
        return bound + -bound % divisor if divisor else bound

    def _stride_message(self, strides: tuple[int, ...]) -> str:
        argument = self.argument
        hint = ""
        if argument.modes is not None:
            hint = "; np.ascontiguousarray(...) gives row-major order"
        elif argument.stride == argument.packed_stride or None in argument.stride:
            hint = "; np.asfortranarray(...) gives column-major order"
        return (
            f"expected strides {self._shown(argument.stride)} in elements, "
            f"got {self._shown(strides)}{hint}"
        )

    def _shown(self, values: Sequence[int | None]) -> str:
        """Return sizes or strides in the order of the array's modes, as text."""
        modes = self.argument.modes
        if modes is None:
            return _tuple(values)
        shown = list(values)
        for value, mode in zip(values, modes, strict=True):
            shown[mode] = value
        return _tuple(shown)

    def check_alignment(self, view: ArrayView, offset_bytes: int) -> None:
        """Check the address that a kernel sees; a copy of host memory will be aligned."""
        if view.memory is not None and view.address % self.itemsize:
            raise ValueError(
                f"expected an address that is a multiple of the element size {self.itemsize}, "
                f"got {view.address:#x}"
            )
        alignment = self.argument.alignment
        address = (0 if view.memory is None else view.address) + offset_bytes
        if alignment and address % alignment:
            what = "an offset in bytes" if view.memory is None else "an address"
            raise ValueError(
                f"expected {what} that is a multiple of {alignment} (alignment), got {address:#x}"
            )


def _check_order(shape: Sequence[int], strides: Sequence[int]) -> None:
    """Check the rules of the strided layout: 1 <= S_0 and S_(i-1) s_(i-1) <= S_i."""
    bound = 1
    for mode, (size, stride) in enumerate(zip(shape, strides, strict=True)):
        if stride < bound:
            rule = "1" if mode == 0 else f"size times stride of mode {mode - 1} = {bound}"
            raise ValueError(
                f"expected stride of mode {mode} to be at least {rule}, got {stride} "
                f"(strides {_tuple(strides)} in elements, shape {_tuple(shape)}); "
                "np.asfortranarray(...) gives column-major order"
            )
        bound = stride * size


def _matches(values: Sequence[int], expected: Sequence[int | None]) -> bool:
    pairs = zip(values, expected, strict=True)
    return all(want is None or value == want for value, want in pairs)


def _tuple(values: Sequence[int | None]) -> str:
    items = ["?" if value is None else str(value) for value in values]
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
