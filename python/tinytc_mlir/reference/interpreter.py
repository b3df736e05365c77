# SPDX-License-Identifier: BSD-3-Clause
"""The reference interpreter: runs a kernel as the language document specifies and checks it."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from mlir import ir

from .._tinytc import is_prepared
from ..errors import Diagnostic, InterpreterError, LaunchError, got
from ..frontend.mlir_diagnostics import with_excerpt
from ..runtime.bounds.launch_values import Counts
from ..runtime.launches.integers import checked_integers
from ..runtime.protocol import KernelArgument
from . import (
    collective_ops,
    control_ops,
    coopmatrix_components,
    coopmatrix_ops,
    factor_ops,
    memory_ops,
    scalar_ops,
    subgroup_ops,
    views,
)
from .arguments import abi_values, bind_arguments, kernel_info
from .arithmetic import NUMPY, Arithmetic
from .kernel import Builder
from .machine import Geometry, State
from .untyped import Ir
from .zero_patterns import promise_of_parameters

_HANDLERS = {
    **collective_ops.HANDLERS,
    **control_ops.HANDLERS,
    **coopmatrix_components.HANDLERS,
    **coopmatrix_ops.HANDLERS,
    **factor_ops.HANDLERS,
    **memory_ops.HANDLERS,
    **scalar_ops.HANDLERS,
    **subgroup_ops.HANDLERS,
    **views.HANDLERS,
}
# In the order in which they are tried for a given work-group size.
_SUBGROUP_SIZES = (16, 32, 8, 4, 2, 1)


class Interpretable(Protocol):
    """A module of MLIR, or one of this package, which also knows its source texts."""

    @property
    def operation(self) -> ir.Operation:
        """The `builtin.module` at the stage of the dialect."""


def interpret(
    module: Interpretable,
    kernel: str,
    args: Sequence[Any] | Mapping[str, Any],
    groups: int | Sequence[int] | None = 1,
    *,
    work_group_size: tuple[int, int] | None = None,
    subgroup_size: int | None = None,
    arithmetic: Arithmetic = NUMPY,
) -> None:
    """Run a kernel on NumPy arrays, in place, and check everything that it does.

    Work-groups run one after another, the work-items of a group together from barrier to
    barrier, so that results are the same in every run. Undefined behaviour is an error:
    accesses out of bounds, reads of uninitialised local memory, uses after `lifetime_stop`,
    races between work-items or work-groups, integer division by zero or with overflow, casts
    to an integer type that cannot hold the value, loops without a positive step, invalid views,
    divergence where all work-items must take part, and elements that are not zero though `nonzero`
    promises it.

    Args:
        module: `tinytc_mlir.Module` or `mlir.ir.Module` at the stage of the dialect.
        kernel: name of the kernel.
        args: arguments by position or by name, as for a launch: scalars, arrays, and lists of
            arrays or `tinytc_mlir.Group` for groups, with the dtypes that a launch takes.
        groups: number of work-groups, an integer or up to three of them; None is the number that
            fits the arrays.
        work_group_size: work-items of a work-group along two modes; by default what the kernel
            requests, else two subgroups.
        subgroup_size: work-items of a subgroup; by default what the kernel requests, else 16.
        arithmetic: what numbers are; by default those of NumPy.

    Raises:
        InterpreterError: the kernel's behaviour is undefined; the diagnostic has the place.
        ArgumentError: an argument does not fit its parameter, or there are more groups than fit
            the arrays.
        LaunchError: there is no such kernel, or the sizes are inconsistent.

    Source: tensor language reference.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> module = tt.Context().parse('''
    ... func @axpy(%alpha: f32, %x: memref<f32x3>, %y: memref<f32x3>) {
    ...   %one = constant 1.0 : f32
    ...   axpby.n %alpha, %x, %one, %y
    ... }''')
    >>> x, y = np.array([1, 2, 3], np.float32), np.ones(3, np.float32)
    >>> interpret(module, "axpy", [2.0, x, y])
    >>> y.tolist()
    [3.0, 5.0, 7.0]
    """
    func = _find_kernel(module, kernel)
    geometry = _geometry(func, work_group_size, subgroup_size)
    info = kernel_info(func, geometry)
    values, launch = bind_arguments(info, args, groups, arithmetic)
    _run_and_explain(module, func, geometry, values, launch.counts, arithmetic)
    launch.finish()


def interpret_abi(
    module: Interpretable, kernel: str, arguments: Sequence[KernelArgument], counts: Counts
) -> None:
    """Run a kernel with the arguments of its ABI, as the runtime passes them.

    Args:
        module: the program at the stage of the dialect.
        kernel: name of the kernel.
        arguments: numbers, and pointers to memory of the host; those that only the compiled kernel
            has, after the others, are not read.
        counts: number of work-groups in three modes.

    Raises:
        InterpreterError: the kernel's behaviour is undefined.
    """
    func = _find_kernel(module, kernel)
    geometry = _geometry(func, None, None)
    values = abi_values(kernel_info(func, geometry), arguments)
    _run_and_explain(module, func, geometry, values, counts)


def _run_and_explain(
    module: Interpretable,
    func: Ir,
    geometry: Geometry,
    values: list[Any],
    counts: Counts,
    arithmetic: Arithmetic = NUMPY,
) -> None:
    """Execute all work-groups; errors show lines of the source text."""
    try:
        with np.errstate(all="ignore"):
            _run(func, geometry, values, counts, arithmetic)
    except InterpreterError as error:
        sources = getattr(module, "sources", {})
        found = [_with_excerpts(diagnostic, sources) for diagnostic in error.diagnostics]
        raise InterpreterError(found) from None


def _run(
    func: Ir, geometry: Geometry, values: list[Any], counts: Counts, arithmetic: Arithmetic
) -> None:
    """Execute all work-groups."""
    builder = Builder(_HANDLERS, arithmetic, has_empty_views=is_prepared(func.operation))
    arguments = builder.slots(func.body.blocks[0].arguments)
    body = builder.block(func.body)
    state = State(geometry, builder.sites, builder.slot_count, counts, arithmetic)
    promise_of_parameters(func, values)
    for slot, value in zip(arguments, values, strict=True):
        state.values[slot] = value
    for z, y, x in itertools.product(*map(range, reversed(counts))):
        state.enter_group((x, y, z))
        body.run(state)


def _find_kernel(module: Interpretable, kernel: str) -> Ir:
    """Return the `tinytc.func` of a name."""
    operations = module.operation.regions[0].blocks[0].operations
    kernels = {op.sym_name.value: op for op in operations if op.operation.name == "tinytc.func"}
    if not isinstance(kernel, str) or kernel not in kernels:
        names = sorted(kernels)
        raise LaunchError(
            f"expected the name of a kernel ({', '.join(names) or 'there is none'}), "
            f"{got(kernel, names)}"
        )
    return kernels[kernel]


def _geometry(
    func: Ir, work_group_size: Sequence[int] | None, subgroup_size: int | None
) -> Geometry:
    """Return the requested sizes, completed with defaults."""
    if work_group_size is not None:
        work_group_size = _checked_sizes(work_group_size, "as size of the work-group")
        if len(work_group_size) != 2:
            raise LaunchError(f"expected 2 sizes of the work-group, got {len(work_group_size)}")
    elif func.work_group_size is not None:
        work_group_size = tuple(func.work_group_size)
    if subgroup_size is not None:
        (subgroup_size,) = _checked_sizes((subgroup_size,), "as size of the subgroup")
    if subgroup_size is None and func.subgroup_size is not None:
        subgroup_size = int(func.subgroup_size.value)
    if work_group_size is None:
        work_group_size = (2 * (subgroup_size or _SUBGROUP_SIZES[0]), 1)
    rows, columns = work_group_size
    if subgroup_size is None:
        subgroup_size = next(size for size in _SUBGROUP_SIZES if rows % size == 0)
    if rows % subgroup_size:
        raise LaunchError(
            f"expected the first mode of the work-group size to be a multiple of the subgroup "
            f"size {subgroup_size}, got {rows}"
        )
    return Geometry((rows, columns), subgroup_size)


def _checked_sizes(values: object, what: str) -> tuple[int, ...]:
    try:
        return checked_integers(values, what, 1)
    except ValueError as error:
        raise LaunchError(str(error)) from None


def _with_excerpts(diagnostic: Diagnostic, sources: Mapping[str, str]) -> Diagnostic:
    """Return a diagnostic and its notes with the lines of the source text."""
    notes = tuple(_with_excerpts(note, sources) for note in diagnostic.notes)
    return with_excerpt(dataclasses.replace(diagnostic, notes=notes), sources)
