# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of statements: where their temporaries are, and launches; the base of two recipes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ..compiler import target_name
from ..errors import describe
from ..runtime.arrays.host_arrays import view_of
from ..runtime.arrays.memory import empty
from ..scalars import SCALAR_TYPES
from .kernel_text import KernelText
from .recipe import AsOperation, Checker, Recipe, check_apart
from .terms import Parameter
from .writer import Temporary

# The compiler places an alloca at a multiple of this, in bytes.
_ALIGNMENT = 64
# Scratch memory that a launch allocates, unless one group needs more.
_SCRATCH_BYTES = 64 << 20


def write(kernels: Sequence[KernelText], target: object) -> tuple[str, int]:
    """Return a program, and the elements of global memory that a group needs for temporaries.

    Args:
        kernels: its kernels.
        target: what it is compiled for, which decides how much local memory there is.

    Raises:
        LoweringError: there is no target of that name; only if temporaries are large.
        DeviceError: the target is an object that is no device or queue; likewise.
    """
    found = [_spilled(kernel, target) for kernel in kernels]
    elements = max(size for _, size in found)
    texts = [k.text(scratch, elements) for k, (scratch, _) in zip(kernels, found, strict=True)]
    return "\n".join(texts), elements


def _spilled(kernel: KernelText, target: object) -> tuple[dict[str, int], int]:
    """Return the places of temporaries in global memory, and how many elements that is."""
    size_bytes = SCALAR_TYPES[kernel.type_].size_bytes
    local: list[Temporary] = [*kernel.temporaries]
    spilled: list[Temporary] = []
    while not _fits(_placed(local, size_bytes)[1] * size_bytes, target):
        largest = max(local, key=lambda each: each.elements)
        local.remove(largest)
        spilled.append(largest)
    return _placed(sorted(spilled, key=lambda each: each.begin), size_bytes)


def _placed(temporaries: Sequence[Temporary], size_bytes: int) -> tuple[dict[str, int], int]:
    """Return the first element of each temporary, chosen as the compiler does, and their end."""
    alignment = max(_ALIGNMENT // size_bytes, 1)
    placed: list[tuple[int, int, int | None]] = []
    starts: dict[str, int] = {}
    for each in temporaries:
        live = [other for other in placed if other[2] is None or other[2] > each.begin]
        start = 0
        while blocking := [o for o in live if o[0] < start + each.elements and start < o[1]]:
            start = -(-blocking[0][1] // alignment) * alignment
        starts[each.name] = start
        placed.append((start, start + each.elements, each.end))
    return starts, max((end for _, end, _ in placed), default=0)


def _fits(size_bytes: int, target: object) -> bool:
    """Whether a target has as much local memory; small sizes fit all of them."""
    from .._tinytc import targets

    known = {each.name: each.local_memory_bytes for each in targets()}
    return size_bytes <= min(known.values()) or size_bytes <= known[target_name(target)]


class Chain(Recipe):
    """A program of statements on batches of tensors.

    Args:
        kernels: the kernels; if there are two, the second one is for a beta of zero.
        name: name of the function that made the recipe, for errors.
        written: names of the tensors that the kernels write.
        target: name of a target, a dpctl device or queue, or None for the default device.

    Raises:
        LoweringError: there is no target of that name; only if temporaries are large.
        DeviceError: the target is an object that is no device or queue; likewise.
        ArgumentError: a tensor is larger than memory can be.
    """

    def __init__(
        self, kernels: Sequence[KernelText], name: str, written: Sequence[str], target: object
    ) -> None:
        self._check = Checker(name)
        self._tensors = [p for p in kernels[0].parameters if isinstance(p, Parameter)]
        self._written = written
        self._scratch_name = kernels[0].scratch_name
        self._dtype = SCALAR_TYPES[kernels[0].type_].dtype
        text, self._scratch_size = write(kernels, target)
        for elements in (self._scratch_size, *(math.prod(each.shape) for each in self._tensors)):
            self._check.memory("shapes", kernels[0].type_, (elements,), (1,))
        super().__init__(text, kernels[0].name, target)

    @property
    def scratch_size(self) -> int:
        """Elements of global memory that a group needs for temporaries, 0 if it needs none."""
        return self._scratch_size

    def _as_operation(self) -> AsOperation:
        operation = super()._as_operation()
        if not self._scratch_size:
            return operation
        # All groups run at a time: an operation has its memory from the library.
        batches = [(t.name, len(t.shape)) for t in self._tensors if t.is_batched]
        batch = next((each for each in batches if each[0] not in self._written), 1)
        shapes: dict[str, Sequence[int | tuple[str, int]]] = {
            t.name: [*t.shape, batch] for t in self._tensors if t.is_batched
        }
        shapes[self._scratch_name] = [self._scratch_size, batch]
        return operation._replace(shapes=shapes, groups=[batch], temporaries=[self._scratch_name])

    def _howmany(self, arrays: Mapping[str, object]) -> int:
        """Return the size of the batch, which all arrays with a batch mode must have.

        Args:
            arrays: what the caller gave for the tensors; errors about others are the launch's.

        Raises:
            ArgumentError: the sizes differ, or an array that is written overlaps another one.
        """
        counts: dict[str, int] = {}
        for tensor in self._tensors:
            if not tensor.is_batched or tensor.name not in arrays:
                continue
            try:
                shape = view_of(arrays[tensor.name]).shape
            except ValueError as error:
                raise self._check.error(tensor.name, str(error)) from None
            if len(shape) != len(tensor.shape) + 1:
                raise self._check.error(
                    tensor.name,
                    f"expected an array of {len(tensor.shape) + 1} modes, the last that of the "
                    f"batch, got one of shape {shape}",
                )
            counts[tensor.name] = shape[-1]
        for name, count in counts.items():
            first, expected = next(iter(counts.items()))
            if count != expected:
                message = f"expected {expected} groups as in {first!r}, got {count}"
                raise self._check.error(name, message)
        for name in self._written:
            others = [pair for pair in arrays.items() if pair[0] != name]
            check_apart(self._check, name, arrays.get(name), others)
        return next(iter(counts.values()), 1)

    def _with_scratch(
        self, arrays: Mapping[str, object], scratch: object, queue: object
    ) -> tuple[int, list[object]]:
        """Return the number of groups to launch, and scratch memory if the kernels need it.

        Args:
            arrays: what the caller gave for the tensors.
            scratch: what the caller gave as scratch memory.
            queue: what the caller gave as queue.
        """
        groups, size = self._howmany(arrays), self._scratch_size
        if not size:
            if scratch is not None:
                raise self._check.error(
                    "scratch",
                    "expected None, as all temporaries are in local memory, got "
                    f"{describe(scratch)}",
                )
            return groups, []
        if scratch is None:
            columns = max(_SCRATCH_BYTES // (size * self._dtype.itemsize), 1)
            place = self._target if queue is None else queue
            scratch = empty((size, max(min(groups, columns), 1)), self._dtype, queue=place)
        try:
            shape = view_of(scratch).shape
        except ValueError as error:
            raise self._check.error("scratch", str(error)) from None
        if len(shape) != 2 or shape[0] != size or not shape[1]:
            message = f"expected shape ({size}, n) for n groups at a time, got {shape}"
            raise self._check.error("scratch", message)
        check_apart(self._check, "scratch", scratch, arrays.items())
        return min(groups, shape[1]), [scratch]
