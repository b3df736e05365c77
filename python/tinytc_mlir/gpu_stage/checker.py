# SPDX-License-Identifier: BSD-3-Clause
"""The interface of the checker: runs kernels of the gpu stage and says what is wrong with them."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from mlir import ir

from .._tinytc import moves_lane_conditions, needs_whole_subgroups, schedule_entries, targets
from ..errors import LaunchError, LoweringError, hint
from ..frontend.mlir_diagnostics import diagnostics_of, with_excerpt
from ..reference.arguments import kernel_info, work_groups
from ..reference.arithmetic import NUMPY, Arithmetic
from ..reference.untyped import Ir
from ..runtime.bounds.launch_values import Counts
from ..runtime.kernel_info import KernelInfo
from ..runtime.launches.arguments import Signature
from .accesses import Accesses
from .argument_memory import ArgumentMemory
from .arguments import Value, abi_values, are_sizes, raw_values, report_buffer
from .findings import Finding, Findings, Kind
from .linalg_loops import lower_by_loops
from .translate import Code, translate
from .work_group import Launch, run_in_step, run_interleaved

_DEFAULT_TARGET = targets()[0].name
_PIPELINES = {"prepared": "prepare", "linalg": "lower-to-linalg", "gpu": "lower-to-gpu"}


@dataclasses.dataclass(frozen=True)
class Prepared:
    """A program of the language that passes have changed, for the reference interpreter.

    Args:
        operation: the `builtin.module`.
    """

    operation: Ir


class GpuStage:
    """The gpu stage of a program, ready to run its kernels.

    Args:
        module: `tinytc_mlir.Module` at the stage of the dialect, or MLIR of the gpu stage itself,
            whose kernels take the values of the ABI: numbers, arrays for pointers, and lists of
            arrays for pointers to pointers.
        target: name of the target to lower for.
        abi: "plain" or "packed".
        native: whether the schedule is for the vector registers of this machine.
        registers: registers of a thread, 0 if that is left open.
        allow_tf32: whether products of f32 may ignore the last 13 bits of the factors.
        arithmetic: what numbers are.
        lower: returns the operation of a stage, "prepared", "linalg" or "gpu", in place of passes
            with the target and the options above.

    Raises:
        LoweringError: the program cannot be lowered.
    """

    def __init__(  # noqa: PLR0913, options by keyword
        self,
        module: Any,
        *,
        target: str = _DEFAULT_TARGET,
        abi: str = "plain",
        native: bool = False,
        registers: int = 0,
        allow_tf32: bool = False,
        arithmetic: Arithmetic = NUMPY,
        lower: Callable[[str], Ir] | None = None,
    ) -> None:
        self._arithmetic = arithmetic
        self._module = module  # owns the operations
        self._kernels = _operations(module.operation, "tinytc.func")
        self._lowered = self._prepared = module.operation
        if self._kernels:
            words = f"target={target} abi={abi} native={str(native).lower()}"
            words += f" registers={registers} allow-tf32={str(allow_tf32).lower()}"
            self._lower = lower or functools.partial(_run_passes, module, f"{{{words}}}")
            self._prepared, self._lowered = self._lower("prepared"), self._lower("gpu")
        self._funcs: dict[str, Any] = {}
        for kernels in _operations(self._lowered, "gpu.module").values():
            self._funcs |= _operations(kernels, "gpu.func")
        self._codes: dict[tuple[str, bool], Code] = {}

    def check(
        self,
        kernel: str,
        arguments: Sequence[Any] | Mapping[str, Any],
        groups: int | Sequence[int] | None = 1,
        *,
        seed: int | None = None,
        is_preemptive: bool = False,
        reports_equal_stores: bool = False,
    ) -> list[Finding]:
        """Run a kernel on NumPy arrays, in place, and return what is wrong with it.

        Args:
            kernel: name of the kernel.
            arguments: arguments by position or by name, as for a launch.
            groups: number of groups, an integer or up to three of them; None is the number that
                fits the arrays.
            seed: None runs all work-items of a work-group in step. A number runs them one after the
                other in an order that it decides, each to the next barrier or operation of its
                subgroup: results are then wrong where they depend on the order.
            is_preemptive: with a seed, also let others run before each access to memory.
            reports_equal_stores: whether stores of equal values to one element count.

        Raises:
            ArgumentError: an argument does not fit its parameter, or there are more groups than
                fit the arrays.
            LaunchError: there is no such kernel, or a number of groups is not positive.
            InterpreterError: the kernel holds what the gpu stage does not, or a loop without a
                positive step.
        """
        code = self._code(kernel, is_preemptive and seed is not None)
        values, counts, finish = self._values(kernel, arguments, groups)
        types = [argument.type for argument in self._funcs[kernel].regions[0].blocks[0].arguments]
        with np.errstate(all="ignore"):
            memory = (code.buffers, code.constants)
            placed = ArgumentMemory(types, values, *memory, self._arithmetic)
            findings = _launch(code, placed, counts, seed)
        finish()
        return [
            dataclasses.replace(
                each, diagnostic=with_excerpt(each.diagnostic, self._module.sources)
            )
            for each in findings
            if reports_equal_stores or each.kind is not Kind.EQUAL_STORES
        ]

    def using(self, arithmetic: Arithmetic) -> GpuStage:
        """Return the same stage with other numbers."""
        found = copy.copy(self)
        found._arithmetic, found._codes = arithmetic, {}
        return found

    def changed(self, lowered: Ir) -> GpuStage:
        """Return the stage with other IR in place of what the compiler has made.

        Args:
            lowered: a `builtin.module` with kernels of the same parameters.
        """
        found = copy.copy(self)
        found._lowered, found._codes, found._funcs = lowered, {}, {}
        for kernels in _operations(lowered, "gpu.module").values():
            found._funcs |= _operations(kernels, "gpu.func")
        return found

    def by_loops(self) -> GpuStage | str:
        """Return a stage in which upstream has made loops of linalg ops, or why there is none.

        All work-items run these loops, so that what `check` finds there means nothing.

        Raises:
            LoweringError: a pass fails.
        """
        lowered = self._lower("linalg")
        with _as_errors(self._module):
            reason = lower_by_loops(self._module.context, lowered)
        return reason or self.changed(lowered)

    @property
    def lowered(self) -> Ir:
        """The `builtin.module` of the stage."""
        return self._lowered

    @property
    def prepared(self) -> Prepared:
        """The program of the language that the stage is made of: with the target's decisions."""
        return Prepared(self._prepared)

    def takes_count(self, kernel: str) -> bool:
        """Return whether the prepared kernel has the number of groups as one more parameter."""
        prepared = _operations(self._prepared, "tinytc.func")
        counts = [
            len(each[kernel].regions[0].blocks[0].arguments) for each in (prepared, self._kernels)
        ]
        return counts[0] > counts[1]

    def function(self, kernel: str) -> Ir:
        """Return the `gpu.func` of a kernel."""
        return self._funcs[kernel]

    def pointers_to_sizes(
        self, kernel: str, arguments: Sequence[Any] | Mapping[str, Any], groups: object
    ) -> list[Ir]:
        """Return the parameters of a kernel's function that point to sizes, and not to data."""
        values, _, _ = self._values(kernel, arguments, groups)
        parameters = self._funcs[kernel].regions[0].blocks[0].arguments
        return [each for each, value in zip(parameters, values, strict=True) if are_sizes(value)]

    @property
    def kernels(self) -> list[str]:
        """Names of the kernels."""
        return list(self._funcs)

    def info(self, kernel: str) -> KernelInfo:
        """Return the signature of a kernel, without parameters if only the ABI knows them."""
        geometry = self._code(kernel, False).geometry
        if not self._kernels:
            return KernelInfo(kernel, (), (*geometry.work_group_size, 1), geometry.subgroup_size)
        info = kernel_info(self._kernels[kernel].opview, geometry)
        attributes = _operations(self._prepared, "tinytc.func")[kernel].attributes
        if "schedule" not in attributes:
            return info
        share = schedule_entries(attributes["schedule"])["groups"] or 1
        return dataclasses.replace(info, groups_per_work_group=share)

    def source(self, kernel: str) -> str:
        """Return the Python function that a kernel becomes."""
        return self._code(kernel, False).source

    def _code(self, kernel: str, is_preemptive: bool) -> Code:
        if kernel not in self._funcs:
            names = sorted(self._funcs)
            raise LaunchError(
                f"expected the name of a kernel ({', '.join(names) or 'there is none'}), "
                f"got {kernel!r}{hint(kernel, names)}"
            )
        key = (kernel, is_preemptive)
        if key not in self._codes:
            self._codes[key] = translate(
                self._funcs[kernel],
                is_preemptive=is_preemptive,
                broadcasts_indices=moves_lane_conditions(self._lowered),
                needs_whole_subgroups=needs_whole_subgroups(self._lowered),
                arithmetic=self._arithmetic,
            )
        return self._codes[key]

    def _values(
        self, kernel: str, arguments: Any, groups: Any
    ) -> tuple[list[Value], Counts, Callable[[], None]]:
        """Return the values of the ABI, the number of work-groups, and what ends the launch."""
        info = self.info(kernel)
        if self._kernels:
            values, launch = abi_values(info, arguments, groups, self._arithmetic)
            parameters = self._funcs[kernel].regions[0].blocks[0].arguments
            if len(parameters) > len(values):  # a debug build
                values.append(report_buffer())
            return values, launch.counts, launch.finish
        return raw_values(arguments), work_groups(Signature(info), groups, [])[0], lambda: None


def check_races(
    module: Any,
    kernel: str,
    arguments: Sequence[Any] | Mapping[str, Any],
    groups: int | Sequence[int] | None = 1,
    *,
    seed: int | None = None,
    **options: Any,
) -> list[Finding]:
    """Lower a program to the gpu stage, check a kernel there once, and return what is wrong.

    Args:
        module: `tinytc_mlir.Module` at the stage of the dialect.
        kernel: name of the kernel.
        arguments: as `GpuStage.check` takes them.
        groups: likewise.
        seed: likewise.
        options: those of `GpuStage`.

    >>> import numpy as np
    >>> import tinytc_mlir as tt
    >>> module = tt.Context().parse('''
    ... func @axpy(%alpha: f32, %x: memref<f32x3>, %y: memref<f32x3>) {
    ...   %one = constant 1.0 : f32
    ...   axpby.n %alpha, %x, %one, %y
    ... }''')
    >>> x, y = np.array([1, 2, 3], np.float32), np.ones(3, np.float32)
    >>> check_races(module, "axpy", [2.0, x, y]), y.tolist()
    ([], [3.0, 5.0, 7.0])
    """
    return GpuStage(module, **options).check(kernel, arguments, groups, seed=seed)


def _launch(
    code: Code, placed: ArgumentMemory, counts: tuple[int, int, int], seed: int | None
) -> Findings:
    """Run all work-groups, and copy what they wrote to the host."""
    findings = Findings()
    size = code.geometry.subgroup_size
    accesses = Accesses(
        placed.memory, code.sites, findings, buffers=placed.buffers, subgroup_size=size
    )
    launch = Launch(code, placed, counts, findings, accesses)
    groups = [(x, y, z) for z, y, x in itertools.product(*map(range, reversed(counts)))]
    if seed is None:
        for group in groups:
            run_in_step(launch, group)
    else:
        rng = random.Random(seed)
        rng.shuffle(groups)
        for group in groups:
            run_interleaved(launch, group, rng)
    placed.copy_back()
    return findings


def _operations(parent: Ir, name: str) -> dict[str, Ir]:
    """Return operations of a kind by the name of their symbol."""
    found = (op.operation for op in parent.regions[0].blocks[0].operations)
    return {op.attributes["sym_name"].value: op for op in found if op.name == name}


def _run_passes(module: Any, options: str, stage: str) -> Any:
    """Return a copy of a module at a stage."""
    operation = module.operation.clone().operation
    with _as_errors(module):
        module.context.run_pipeline(f"{_PIPELINES[stage]}{options}", operation)
    return operation


@contextlib.contextmanager
def _as_errors(module: Any) -> Iterator[None]:
    """Turn errors of passes on a module into ours."""
    try:
        yield
    except ir.MLIRError as error:
        raise LoweringError(diagnostics_of(error, module.sources)) from None
