# SPDX-License-Identifier: BSD-3-Clause
"""The stages of compilation, and what a module of any stage says about itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..errors import LoweringError
from .targets import target_name

if TYPE_CHECKING:
    from mlir import ir

# The stages that a program goes through, and the pipeline that leads to each.
STAGES: Mapping[str, str | None] = {
    "tinytc": None,
    "prepared": "prepare",
    "linalg": "lower-to-linalg",
    "gpu": "lower-to-gpu",
    "spirv": "lower-to-spirv",
    "nvvm": "lower-to-nvvm",
    "ptx": "lower-to-ptx",
    "vector": "lower-to-vector",
    "llvm": "lower-to-llvm-dialect",
    "object": "lower-to-object",
    "tile": "lower-to-tile",
}
# The ways from the first stage to code that a runtime takes, by families of targets.
_COMMON_STAGES = ("tinytc", "prepared", "linalg", "gpu")
_SPIRV_STAGES = (*_COMMON_STAGES, "spirv")
_WAYS = {
    "nvidia_gpu": (*_COMMON_STAGES, "nvvm", "ptx"),
    "native": (*_COMMON_STAGES, "vector", "llvm", "object"),
}
# The way to what NVIDIA's assembler of Tile IR takes, which is no program of a target.
_TILE_STAGES = ("tinytc", "tile")
# Attributes that name the kernels of later stages, by operation.
_SYMBOLS = {
    "gpu.func": "sym_name",
    "spirv.EntryPoint": "fn",
    "llvm.func": "sym_name",
    "func.func": "sym_name",
    "tile.entry": "sym_name",
}


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
    from .._tinytc import targets

    name = target_name(target)
    family = next(each.family for each in targets() if each.name == name)
    return _WAYS.get(family, _SPIRV_STAGES)


def stages_of_module(module: ir.Operation, stage: str) -> Sequence[str]:
    """Return the stages that lead to code for a module's target, to SPIR-V if it has none yet.

    Args:
        module: the module.
        stage: the stage that it is at.
    """
    from .._tinytc import target_of

    if stage == "tile":
        return _TILE_STAGES
    target = target_of(module)
    if stage == "spirv" or target is None:  # passes will say that it is missing
        return _SPIRV_STAGES
    return _WAYS.get(target.family, _SPIRV_STAGES)


def continuation(first: str, last: str) -> str:
    """Return the name of the pipeline from one stage past the first to a later one.

    >>> continuation("gpu", "llvm")  # upstream has a pass gpu-to-llvm
    'gpu-to-llvm-dialect'
    """
    words = {"llvm": "llvm-dialect"}
    return f"{words.get(first, first)}-to-{words.get(last, last)}"


def leads_to(first: str, last: str) -> bool:
    """Return whether a module of one stage can be lowered to another."""
    ways = (_SPIRV_STAGES, _TILE_STAGES, *_WAYS.values())
    return any(first in way and last in way[way.index(first) :] for way in ways)


def stage_of(module: ir.Operation) -> str:
    """Return the stage of a module: the earliest that any of its kernels is at."""
    from .._tinytc import target_of

    found = set()
    target = target_of(module)
    is_native = target is not None and target.family == "native"
    for each in module.regions[0].blocks[0].operations:
        operation = each.operation
        if operation.name == "gpu.module":
            found.add(_stage_of_kernels(operation, is_native=is_native))
        elif operation.name == "spirv.module":
            found.add("spirv")
        elif operation.name == "gpu.binary":
            found.add("object" if is_native else "ptx")
        elif operation.name == "tile.module":
            found.add("tile")
        elif operation.name in ("tinytc.func", "func.func"):
            found.add(_stage_of_kernel(operation))
    return next((stage for stage in STAGES if stage in found), "tinytc")


def _stage_of_kernels(kernels: ir.Operation, *, is_native: bool) -> str:
    """Return the stage of a gpu.module."""
    names = {op.operation.name for op in kernels.regions[0].blocks[0].operations}
    if "llvm.func" in names:
        return "llvm" if is_native else "nvvm"
    return "gpu" if "gpu.func" in names or not is_native else "vector"


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
