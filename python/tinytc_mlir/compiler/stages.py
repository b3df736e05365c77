# SPDX-License-Identifier: BSD-3-Clause
"""The stages of compilation, and what a module of any stage says about itself."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..errors import LoweringError
from .targets import target_name

if TYPE_CHECKING:
    from mlir import ir

# The stages before those that the compiler lists for each family of targets.
_FIRST_STAGES: Mapping[str, str | None] = {"tinytc": None, "prepared": "prepare"}
# Attributes that name the kernels of later stages, by operation.
_SYMBOLS = {
    "gpu.func": "sym_name",
    "spirv.EntryPoint": "fn",
    "llvm.func": "sym_name",
    "func.func": "sym_name",
    "tile.entry": "sym_name",
}


@dataclasses.dataclass(frozen=True)
class Family:
    """A family of targets, as the compiler describes it.

    Args:
        name: its name.
        format: the format of the code, as manifests name it; empty if no target takes it.
        targets: the names of its targets.
        pipelines: the names of pipelines by that of each stage after preparation, in their order.
        ops: the operation of its kernels, or of what holds their code, for each of these stages.
    """

    name: str
    format: str
    targets: Sequence[str]
    pipelines: Mapping[str, str]
    ops: Mapping[str, str]

    @property
    def stages(self) -> Sequence[str]:
        """All stages, in their order; programs for no target need no preparation."""
        first = _FIRST_STAGES if self.targets else ("tinytc",)
        return (*first, *self.pipelines)

    def stage_with(self, ops: Sequence[str]) -> str | None:
        """Return the first stage past linalg whose kernels are one of the operations, if any."""
        stages = (stage for stage, op in self.ops.items() if stage != "linalg" and op in ops)
        return next(stages, None)


@functools.cache
def families() -> Sequence[Family]:
    """Return the families, that of the default target first.

    >>> [family.name for family in families()]
    ['spirv', 'nvidia', 'native', 'tiles']
    """
    from .._tinytc import families as described

    return tuple(
        Family(
            each["name"],
            each["format"],
            tuple(each["targets"]),
            {stage["name"]: stage["pipeline"] for stage in each["stages"]},
            {stage["name"]: stage["op"] for stage in each["stages"]},
        )
        for each in json.loads(described())
    )


@functools.cache
def pipelines() -> Mapping[str, str | None]:
    """Return the stages that programs go through, and the pipeline that leads to each.

    >>> pipelines()["llvm"]
    'lower-to-llvm-dialect'
    """
    found = dict(_FIRST_STAGES)
    for family in families():
        found.update((name, f"lower-to-{word}") for name, word in family.pipelines.items())
    return found


def _family_of(target: str | None) -> Family:
    """Return the family of a target, the first one if it is None."""
    return next((each for each in families() if target in each.targets), families()[0])


def _target_of(module: ir.Operation) -> str | None:
    from .._tinytc import target_of

    target = target_of(module)
    return None if target is None else target.name


def stages_of(target: object) -> Sequence[str]:
    """Return the stages that lead to the code for a target, in their order.

    Args:
        target: the name, a dpctl device or queue, or None for the default device.

    Raises:
        LoweringError: there is no target of that name.
        DeviceError: the object is no device or queue, or one that is not for any target.

    >>> stages_of("cuda:sm_90")[-2:]
    ('nvvm', 'ptx')
    """
    return _family_of(target_name(target)).stages


def stages_without_target(stage: str | None) -> Sequence[str]:
    """Return the stages that lead to a stage of programs for no target, none if targets have it.

    >>> stages_without_target("tile"), stages_without_target("gpu")
    (('tinytc', 'tile'), ())
    """
    ways = (family.stages for family in families() if not family.targets)
    return next((stages for stages in ways if stage in stages[1:]), ())


def stages_of_module(module: ir.Operation, stage: str) -> Sequence[str]:
    """Return the stages that lead to code for a module's target, to SPIR-V if it has none yet."""
    # Passes will say that the target is missing, or another one.
    ways = [_family_of(_target_of(module)), *families()]
    return next(family.stages for family in ways if stage in family.stages)


def continuation(first: str, last: str) -> str:
    """Return the name of the pipeline from one stage past the first to a later one.

    >>> continuation("gpu", "llvm")  # upstream has a pass gpu-to-llvm
    'gpu-to-llvm-dialect'
    """
    words = {"prepared": "prepared"}
    for family in families():
        words.update(family.pipelines)
    return f"{words[first]}-to-{words[last]}"


def leads_to(first: str, last: str) -> bool:
    """Return whether a module of one stage can be lowered to another."""
    ways = [family.stages for family in families()]
    return any(first in way and last in way[way.index(first) :] for way in ways)


def stage_of(module: ir.Operation) -> str:
    """Return the stage of a module: the earliest that any of its kernels is at."""
    found: set[str | None] = set()
    family = _family_of(_target_of(module))
    for each in module.regions[0].blocks[0].operations:
        operation = each.operation
        if operation.name == "gpu.module":
            names = [op.operation.name for op in operation.regions[0].blocks[0].operations]
            found.add(_stage_with(names, family) or "gpu")
        elif operation.name in ("tinytc.func", "func.func"):
            found.add(_stage_of_kernel(operation))
        else:
            found.add(_stage_with([operation.name], family))
    return next((stage for stage in pipelines() if stage in found), "tinytc")


def _stage_with(ops: Sequence[str], family: Family) -> str | None:
    """Return the stage whose kernels are one of the operations, in this family if it has one."""
    ways = (family, *families())
    return next(filter(None, (each.stage_with(ops) for each in ways)), None)


def _stage_of_kernel(kernel: ir.Operation) -> str:
    from .._tinytc import is_prepared

    if is_prepared(kernel):
        return "prepared" if kernel.name == "tinytc.func" else "linalg"
    return "tinytc"


def kernel_names(module: ir.Operation) -> list[str]:
    """Return the names of the kernels of a module of any stage."""
    from .._tinytc import kernels_of

    found = []
    for each in module.regions[0].blocks[0].operations:
        operation = each.operation
        if operation.name in ("tinytc.func", "func.func"):
            found.append(operation.attributes["sym_name"].value)
        elif operation.name in ("gpu.module", "spirv.module", "tile.module"):
            for nested in operation.regions[0].blocks[0].operations:
                name = _SYMBOLS.get(nested.operation.name)
                if name is not None:
                    found.append(str(nested.operation.attributes[name].value))
        elif operation.name == "gpu.binary":
            found += kernels_of(operation)
    return found


def target_text(module: ir.Operation) -> str:
    """Return for which target a module was lowered, for people."""
    from .._tinytc import target_of

    target = target_of(module)
    return "" if target is None else f" for {target.name}"


def check_target(module: ir.Operation, name: str | None) -> None:
    """Check that a module past the first stage is one for the target; None is any.

    Raises:
        LoweringError: it was lowered for another.
    """
    from .._tinytc import target_of

    target = target_of(module)
    # Passes will say that it is missing.
    if name is not None and target is not None and target.name != name:
        raise LoweringError(
            f"expected a module that was lowered for the target {name!r}, got one for "
            f"{target.name!r}"
        )
