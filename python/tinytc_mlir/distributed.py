# SPDX-License-Identifier: BSD-3-Clause
"""Runs kernels over the blocks of dask arrays, on all cores of a machine or on many machines.

A kernel computes its groups independently, so the batch can be cut: each block of the arrays is a
launch of its own, in whatever process dask chooses. Kernels are pickled as their binary, so workers
need no compiler. The results are those of one launch over the whole batch, bit for bit.

dask is imported when it is needed; the extra `tinytc-mlir[distributed]` installs it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from .errors import ArgumentError, describe
from .runtime.bounds.group_bounds import OTHER, SHARED, GroupAccess, LaunchDependent
from .runtime.kernel import Kernel
from .runtime.kernel_info import Argument, GroupArgument, KernelInfo, MemrefArgument

if TYPE_CHECKING:
    from .runtime.arrays.array_view import Array

__all__ = ["batch_modes", "map_blocks"]


class KernelFamily(Protocol):
    """Functions marked with `@tt.kernel`, which are compiled for their arguments."""

    def compiled_for(
        self, values: Sequence[object], named: Mapping[str, object]
    ) -> tuple[Kernel, dict[str, Any]]:
        """Return the kernel for arguments like these, and those by name that it has."""


@dataclasses.dataclass(frozen=True)
class _Split:
    """An array that is cut along a mode.

    Args:
        argument: its parameter.
        axis: the mode.
        array: the dask array.
    """

    argument: MemrefArgument
    axis: int
    array: Any


def batch_modes(kernel: Kernel | KernelFamily) -> dict[str, int]:
    """Return the modes along which the batch can be cut, by the names of parameters.

    They are those that all accesses index by exactly the group's id. An array of a group's members
    is cut along its last mode. All groups share the arrays that are not named, in the same way.

    Args:
        kernel: the kernel.

    Raises:
        ArgumentError: a group accesses more than its own element of an array, or the kernel
            computes with its group id, the number of groups or the size of the batch.

    >>> import tinytc_mlir as tt
    >>> text = '''func @double(%f: f32, %X: memref<f32x4x?>) {
    ...   %g = group_id : index
    ...   %x = subview %X[:,%g] : memref<f32x4>
    ...   axpby.n %f, %x, %f, %x
    ... }'''
    >>> batch_modes(tt.Context().parse(text).compile("cpu")["double"])
    {'X': 1}
    """
    kernel = kernel.compiled_for((), {})[0] if hasattr(kernel, "compiled_for") else kernel
    info = kernel.info
    if info.group_accesses is None:
        message = (
            "expected a binary that says which elements its groups access, got one of an older "
            "version: compile it again, or name the modes to cut in `modes`"
        )
        raise _error(info, None, message)
    if not set(info.grid_dimensions) <= {0}:
        raise _error(info, None, "expected groups in one dimension, got a grid of several")
    arguments = {argument.name: argument for argument in info.arguments}
    found: dict[str, int] = {}
    for access in info.group_accesses:
        if access.index == SHARED:
            continue
        argument = arguments[access.argument]
        assert isinstance(argument, MemrefArgument)
        axes = _axes(argument, access.modes)
        modes = "modes" if len(axes) > 1 else "mode"
        expected = (
            f"expected each group to index {modes} {' and '.join(map(str, axes))} by exactly its "
            "group_id"
        )
        is_member = isinstance(argument, GroupArgument) and bool(access.modes)
        if access.index == OTHER or is_member:
            got = access.reason or "an index of a mode of the members"
            raise _error(info, access.argument, f"{expected}, got {got}{_place(access)}; {_ADVICE}")
        if found.setdefault(access.argument, axes[0]) != axes[0]:
            message = f"{expected} alone, got mode {found[access.argument]} too; {_ADVICE}"
            raise _error(info, access.argument, message)
    for use in info.launch_dependent:
        message = (
            "expected a kernel that uses group_id as an index, or to compare it with the size of "
            f"the batch, got another use{_place(use)}: {use.instruction}; {_ADVICE}"
        )
        raise _error(info, None, message)
    return found


_ADVICE = (
    "each block would be a launch of its own, with other results than one launch: launch the whole "
    "batch at once, or name the modes to cut in `modes` if that is what you want"
)


def _axes(argument: MemrefArgument, modes: Sequence[int]) -> list[int]:
    """Return the modes of an array that an access is about."""
    if isinstance(argument, GroupArgument):
        return list(modes) or [len(argument.shape)]
    return [mode if argument.modes is None else argument.modes[mode] for mode in modes]


def _place(found: GroupAccess | LaunchDependent) -> str:
    return "" if found.line is None else f" in line {found.line}"


def map_blocks(
    kernel: Kernel | KernelFamily,
    /,
    *values: object,
    modes: Mapping[str, int] | None = None,
    **named: object,
) -> dict[str, Any]:
    """Return the arrays that a kernel writes, computed block by block.

    Arrays of the batch are dask arrays, or NumPy arrays that are cut like them. A block is launched
    with as many groups as it has elements along the batch. All other arguments go to each block as
    they are: scalars, NumPy arrays, and dask arrays that the kernel does not index by its group.

    Nothing is computed yet: `dask.compute(*results.values())`, or the methods of the arrays, do
    that, on the cluster of the current `distributed.Client` or in threads of this process. Where a
    kernel only writes an array, `dask.array.empty` says its shape and blocks.

    In a block, `group_id` counts from 0, and `num_groups` and the sizes of the arrays are those of
    the block. So a kernel is refused if its groups access more than their own elements of an array
    that is cut, or compute with these numbers. With `modes`, neither is checked, and the results
    may not be those of one launch.

    Args:
        kernel: the kernel, or a function marked with `@tt.kernel`; the blocks run on the default
            device of its target.
        values: arguments by position; the last may be a mapping with arguments by name.
        modes: mode of the batch, for each array that has one, instead of those that the compiler
            finds and checks.
        named: arguments by name.

    Returns:
        A dask array for each parameter that the kernel writes, by its name.

    Raises:
        ArgumentError: an argument does not fit its parameter, the blocks of arrays are not of known
            sizes, the kernel writes an array that is not cut, or its results in blocks may not be
            those of one launch.
        ImportError: dask is not installed.

    >>> import dask.array, numpy as np, tinytc_mlir as tt
    >>> text = '''func @scale(%f: f32, %A: memref<f32x4x?>, %B: memref<f32x4x?>) {
    ...   %g = group_id : index
    ...   %a = subview %A[:,%g] : memref<f32x4>
    ...   %b = subview %B[:,%g] : memref<f32x4>
    ...   %zero = constant 0.0 : f32
    ...   axpby.n %f, %a, %zero, %b
    ... }'''
    >>> kernel = tt.Context().parse(text).compile("cpu")["scale"]
    >>> a = dask.array.ones((4, 1000), dtype=np.float32, chunks=(4, 300))
    >>> b = dask.array.empty_like(a)
    >>> map_blocks(kernel, 3.0, a, b)["B"].sum().compute()
    np.float32(12000.0)
    """
    dask = _dask()
    if hasattr(kernel, "compiled_for"):
        kernel, named = kernel.compiled_for(values, named)
    if not isinstance(kernel, Kernel):
        raise ArgumentError(f"map_blocks: expected a kernel, got {describe(kernel)}")
    given = kernel.signature.ordered(values, named)
    arguments = dict(zip(kernel.info.arguments, given, strict=True))
    splits = _splits(dask, kernel, arguments, modes)
    chunks = _chunks(dask, kernel.info, splits)
    whole = {
        argument.name: _whole(dask, argument, value)
        for argument, value in arguments.items()
        if argument.name not in splits
    }
    _check(dask, kernel, arguments, splits)
    blocks = {
        name: split.array.rechunk(_layout(split, chunks)).to_delayed().ravel()
        for name, split in splits.items()
    }
    written = [split for split in splits.values() if split.argument.is_written]
    launch = dask.delayed(_launched, pure=True, nout=len(written))
    sent = dask.delayed(kernel, pure=True)
    parts: list[list[Any]] = [[] for _ in written]
    for number, groups in enumerate(chunks):
        of_block = {name: found[number] for name, found in blocks.items()}
        for part, split, array in zip(
            parts, written, launch(sent, groups, whole | of_block), strict=True
        ):
            shape = _with_size(split, groups)
            part.append(dask.array.from_delayed(array, shape, split.array.dtype))
    return {
        split.argument.name: dask.array.concatenate(part, split.axis)
        for split, part in zip(written, parts, strict=True)
    }


def _splits(
    dask: Any,
    kernel: Kernel,
    arguments: Mapping[Argument, object],
    modes: Mapping[str, int] | None,
) -> dict[str, _Split]:
    """Return the arrays that are cut, by the names of parameters."""
    info = kernel.info
    axes = batch_modes(kernel) if modes is None else _checked_modes(info, modes)
    found: dict[str, _Split] = {}
    for argument, value in arguments.items():
        if argument.name in axes and value is not None:
            assert isinstance(argument, MemrefArgument)
            if not isinstance(value, (dask.array.Array, np.ndarray)):
                message = f"expected a dask or NumPy array, got {describe(value)}"
                raise _error(info, argument.name, message)
            order = len(argument.shape) + isinstance(argument, GroupArgument)
            if value.ndim != order:
                message = f"expected an array of {order} modes, got one of {value.ndim}"
                raise _error(info, argument.name, message)
            found[argument.name] = _Split(argument, axes[argument.name], value)
        elif isinstance(argument, MemrefArgument) and argument.is_written and value is not None:
            message = "expected groups that index a mode of what the kernel writes, got none"
            raise _error(info, argument.name, message)
    if not found:
        raise _error(info, None, "expected an array with a mode that groups index, got none")
    return found


def _checked_modes(info: KernelInfo, modes: object) -> dict[str, int]:
    """Return the modes that the caller gives."""
    if not isinstance(modes, Mapping):
        raise _error(info, "modes", f"expected a mapping of names, got {describe(modes)}")
    arguments = {argument.name: argument for argument in info.arguments}
    for name, mode in modes.items():
        argument = arguments.get(name)
        if not isinstance(argument, MemrefArgument):
            raise _error(info, "modes", f"expected names of arrays, got {describe(name)}")
        last = len(argument.shape) - 1 + isinstance(argument, GroupArgument)
        if type(mode) is not int or not 0 <= mode <= last:
            message = f"expected a mode of {name!r} from 0 to {last}, got {describe(mode)}"
            raise _error(info, "modes", message)
    return dict(modes)


def _chunks(dask: Any, info: KernelInfo, splits: dict[str, _Split]) -> tuple[int, ...]:
    """Return the sizes of the blocks along the batch, those of the first dask array."""
    sizes: dict[str, int] = {}
    chunks: tuple[int, ...] | None = None
    for name, split in splits.items():
        if isinstance(split.array, np.ndarray):
            sizes[name] = split.array.shape[split.axis]
            continue
        if any(np.isnan(size) for size in split.array.shape):
            raise _error(
                info,
                name,
                "expected blocks of known sizes, got none; compute_chunk_sizes() finds them",
            )
        sizes[name] = split.array.shape[split.axis]
        chunks = chunks or split.array.chunks[split.axis]
    first = next(iter(sizes))
    for name, size in sizes.items():
        if size != sizes[first]:
            message = (
                f"expected {sizes[first]} elements along mode {splits[name].axis}, as many as "
                f"{first!r} has along mode {splits[first].axis}, got {size}"
            )
            raise _error(info, name, message)
    if chunks is None:
        message = "expected a dask array among those with a mode that groups index, got none"
        raise _error(info, first, message)
    for name, split in splits.items():
        if isinstance(split.array, np.ndarray):
            array = dask.array.from_array(split.array, _layout(split, chunks))
            splits[name] = dataclasses.replace(split, array=array)
    return tuple(size for size in chunks if size)


def _layout(split: _Split, chunks: tuple[int, ...]) -> dict[int, Any]:
    """Return the blocks of an array, cut along the batch only."""
    layout: dict[int, Any] = dict.fromkeys(range(split.array.ndim), -1)
    return layout | {split.axis: chunks}


def _whole(dask: Any, argument: Argument, value: object) -> object:
    """Return an argument that goes to each block, as one task that all of them share."""
    if isinstance(value, dask.array.Array):
        return value.rechunk(-1).to_delayed().ravel()[0]
    if isinstance(value, np.ndarray) and isinstance(argument, MemrefArgument):
        return dask.delayed(_ordered(argument, value), pure=True)
    return value


def _check(
    dask: Any,
    kernel: Kernel,
    arguments: Mapping[Argument, object],
    splits: Mapping[str, _Split],
) -> None:
    """Check arrays of one group now, by their types and sizes; their contents do not count."""
    values: list[object] = []
    for argument, value in arguments.items():
        split = splits.get(argument.name)
        if split is not None:
            sample = np.empty(_with_size(split, 1), split.array.dtype)
            values.append(_ordered(split.argument, sample))
        elif isinstance(value, (dask.array.Array, np.ndarray)):
            sample = np.empty(value.shape, value.dtype)
            if isinstance(argument, MemrefArgument):
                sample = _ordered(argument, sample)
            values.append(sample)
        else:
            values.append(value)
    kernel.signature.parts(values, {})


def _with_size(split: _Split, size: int) -> tuple[int, ...]:
    """Return the shape of an array with another size along the batch."""
    shape: Sequence[int] = split.array.shape
    return (*shape[: split.axis], size, *shape[split.axis + 1 :])


def _ordered(argument: MemrefArgument, array: Array) -> Array:
    """Return an array with the modes in memory in the kernel's order, copied if need be."""
    if argument.modes is None or array.ndim != len(argument.modes):
        return np.asfortranarray(array)
    order = argument.modes
    ordered: Array = np.asfortranarray(array.transpose(order)).transpose(np.argsort(order))
    return ordered


def _launched(
    kernel: Kernel, groups: int, values: Mapping[str, object]
) -> tuple[npt.NDArray[Any], ...]:
    """Launch a kernel over a block and return the arrays that it writes."""
    given = dict(values)
    written = []
    for argument in kernel.info.arguments:
        value = given[argument.name]
        if not isinstance(argument, MemrefArgument) or not isinstance(value, np.ndarray):
            continue
        ordered = _ordered(argument, value)
        if argument.is_written:  # blocks of dask arrays are never changed
            ordered = ordered.copy(order="K") if np.may_share_memory(ordered, value) else ordered
            written.append(ordered)
        given[argument.name] = ordered
    kernel(given, groups=groups)
    return tuple(written)


def _error(info: KernelInfo, name: str | None, message: str) -> ArgumentError:
    where = f"{info.name}: " if name is None else f"{info.name}: argument {name!r}: "
    return ArgumentError(where + message, argument=name)


def _dask() -> Any:
    """Return dask.

    Raises:
        ImportError: it is not installed.
    """
    try:
        import dask
        import dask.array
    except ImportError as error:
        raise ImportError(
            "expected dask, which `pip install 'tinytc-mlir[distributed]'` installs, "
            f"got an import error: {error}"
        ) from error
    return dask
