# SPDX-License-Identifier: BSD-3-Clause
"""`verify`: collects what is shown of a kernel into a report."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..certificates import Certificate, Claim, Outcome
from ..errors import ArgumentError, got
from ..gpu_stage import GpuStage
from ..measure.comparison import members_of
from ..measure.sample_data import SampleOptions, sample_arguments
from ..reference.arguments import check_launch
from ..reference.untyped import Ir
from ..runtime.kernel_info import KernelInfo, ScalarArgument
from ..runtime.launches.arguments import checked_counts
from ..scalars import SCALAR_TYPES
from ..version import __version__
from . import derivatives, machine_code
from .exactness import Subject
from .stages import Comparison
from .unshown import Unshown

if TYPE_CHECKING:
    from ..compiler import Module
    from ..runtime.program import Program

_GROUPS = 3
PARTS = ("stages", "accesses", "derivatives", "machine", "rounding")
"""What can be asked for."""


def verify(
    module: Module,
    kernel: str | None = None,
    *,
    target: object = None,
    options: SampleOptions | None = None,
    parts: Sequence[str] = PARTS,
    of: Program | None = None,
) -> Certificate:
    """Return what is shown of a kernel for sizes and a target; see `Module.verify`.

    Args:
        module: the program.
        kernel: as `Module.verify` takes it.
        target: likewise.
        options: likewise.
        parts: likewise.
        of: the program that was compiled, with its options; by default it is compiled now.
    """
    for part in parts:
        if part not in PARTS:
            raise ArgumentError(f"expected parts of {', '.join(PARTS)}, {got(part, PARTS)}")
    program = module.compile(target) if of is None else of
    compiled = program[only(list(program), kernel)]
    if options is None:
        options = SampleOptions(groups=default_groups(compiled.info))
    subject = Subject(
        module,
        compiled.info,
        sample_arguments(compiled.info, options),
        checked_counts(options.groups, 1),
    )
    stage = GpuStage(module, lower=functools.partial(_lowered, module, program))
    comparison = Comparison(subject, stage, options.seed)
    claims: list[Claim] = []
    if {"stages", "accesses"} & set(parts):
        claims += comparison.claims()
    if "derivatives" in parts:
        claims += derivatives.claims(module, subject, options.seed)
    if "machine" in parts:
        claims.append(machine_code.claim_for(subject, compiled, program.target, options.seed))
    if "rounding" in parts:
        claims += _rounding(subject)
    return Certificate(
        kernel=compiled.info.name,
        target=program.target,
        groups=tuple(subject.groups),
        shapes=_shapes(compiled.info, subject.values),
        scalars=_scalars(compiled.info, subject.values),
        seed=options.seed,
        primes=comparison.primes,
        versions=(("tinytc", __version__), ("numpy", np.__version__)),
        claims=tuple(each for each in claims if each.part in parts),
        source=module.to_text(),
        options=tuple((name, value) for name, value in program.options.items()),
    )


def _lowered(module: Module, program: Program, stage: str) -> Ir:
    """Return what the compiler makes of a module on the way to a program."""
    target = program.target if program.queue is None else program.queue
    options: dict[str, Any] = dict(program.options)
    return module.lower(stage, target=target, **options).operation


def default_groups(info: KernelInfo) -> int:
    """Return 3, or 1 for a kernel that does not ask for its group or whose arrays fit one only.

    >>> default_groups(KernelInfo("f", (), (1, 1, 1), 16, grid_dimensions=()))
    1
    """
    if not info.grid_dimensions:
        return 1
    try:
        check_launch(info, sample_arguments(info, SampleOptions(_GROUPS)), _GROUPS)
    except ArgumentError:
        return 1
    return _GROUPS


def only(names: list[str], kernel: str | None) -> str:
    """Return the name of a kernel, which may be left out if there is only one."""
    if kernel is None and len(names) == 1:
        return names[0]
    if kernel is None:
        raise ArgumentError(f"expected the name of one of the kernels {', '.join(names)}, got none")
    if kernel not in names:
        raise ArgumentError(f"expected one of the kernels {', '.join(names)}, {got(kernel, names)}")
    return str(kernel)


def _rounding(subject: Subject) -> list[Claim]:
    """Return the bounds of rounding errors of all results."""
    try:
        found = subject.roundings()
    except Unshown as unshown:
        return [Claim("rounding", "rounding errors", Outcome.UNSHOWN, unshown.reason)]
    if not found:
        text = "it writes no floating-point numbers"
        return [Claim("rounding", "rounding errors", Outcome.UNSHOWN, text)]
    values = f", for one value of {', '.join(subject.integers)}" if subject.integers else ""
    return [
        Claim(
            "rounding",
            f"rounding errors of {name}",
            Outcome.TESTED if subject.integers else Outcome.SHOWN,
            f"at most {units:.1f} u times what the kernel computes of absolute values{values}",
        )
        for name, units in found.items()
    ]


def _scalars(info: KernelInfo, values: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    return tuple(
        (each.name, int(values[each.name]))
        for each in info.arguments
        if isinstance(each, ScalarArgument) and SCALAR_TYPES[each.type].kind in ("integer", "bool")
    )


def _shapes(info: KernelInfo, values: Mapping[str, Any]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    firsts = ((each.name, members_of(values[each.name])) for each in info.arguments)
    return tuple((name, tuple(np.shape(found[0])) if found else ()) for name, found in firsts)
