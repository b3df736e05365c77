# SPDX-License-Identifier: BSD-3-Clause
"""The manifest: descriptions of the kernels of a compiled module, and their JSON form.

The compiler emits the JSON next to the code; every launch is checked against it.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from ..certificates import Certificate
from .bounds.equal_sizes import sizes_to_dict
from .bounds.group_bounds import bound_to_dict, unchecked_to_dict
from .bounds.launch_sums import sum_to_list
from .kernel_info import SPIRV, Argument, GroupArgument, KernelInfo, MemrefArgument, ScalarArgument
from .manifest_reader import VERSION, read_manifest


@dataclasses.dataclass(frozen=True)
class Manifest:
    """The kernels of a program, and the target that it was compiled for.

    Args:
        target: name of the target.
        kernels: descriptions of the kernels.
        format: what the code is: "spirv", "ptx", "cubin", "elf", or what another loader takes.
        registers: registers of a thread that kernels are made for, which the driver is told; None
            if it may decide.
        certificates: what was shown of the kernels.

    >>> manifest = Manifest("cpu", (KernelInfo("f", (), (1, 1, 1), 16),))
    >>> Manifest.from_json(manifest.to_json()) == manifest
    True
    """

    target: str
    kernels: tuple[KernelInfo, ...]
    format: str = SPIRV
    registers: int | None = None
    certificates: tuple[Certificate, ...] = ()

    def kernel(self, name: str) -> KernelInfo:
        """Return the description of a kernel that the program has.

        >>> Manifest("cpu", (KernelInfo("f", (), (1, 1, 1), 16),)).kernel("f").subgroup_size
        16
        """
        return next(kernel for kernel in self.kernels if kernel.name == name)

    def to_json(self) -> str:
        """Return the manifest as JSON text."""
        kernels = [_kernel_to_dict(kernel) for kernel in self.kernels]
        data: dict[str, object] = {"version": VERSION, "target": self.target}
        data["format"] = self.format
        if self.registers is not None:
            data["registers"] = self.registers
        if self.certificates:
            data["certificates"] = [each.to_dict() for each in self.certificates]
        return json.dumps(data | {"kernels": kernels})

    @classmethod
    def from_json(cls, text: str | bytes) -> Manifest:
        """Return the manifest that a JSON text describes.

        Raises:
            TinyTCError: the text is not a manifest, or is one of another version.
        """
        return cls(**read_manifest(text))


def _kernel_to_dict(kernel: KernelInfo) -> dict[str, Any]:
    kinds = {ScalarArgument: "scalar", MemrefArgument: "memref", GroupArgument: "group"}
    return dataclasses.asdict(kernel) | {
        "arguments": [
            {"kind": kinds[type(argument)]} | _argument_to_dict(argument)
            for argument in kernel.arguments
        ],
        "group_bounds": [bound_to_dict(bound) for bound in kernel.group_bounds],
        "equal_sizes": [sizes_to_dict(sizes) for sizes in kernel.equal_sizes],
        "unchecked_uses": [unchecked_to_dict(use) for use in kernel.unchecked_uses],
        "launch_dependent": [use._asdict() for use in kernel.launch_dependent],
    }


def _argument_to_dict(argument: Argument) -> dict[str, Any]:
    data = dataclasses.asdict(argument)
    if isinstance(argument, MemrefArgument):
        del data["buffer"]  # most have none
        if argument.nonzero is None:
            del data["nonzero"]
        if argument.buffer is not None:
            data["buffer"] = [
                size if isinstance(size, int) else sum_to_list(size) for size in argument.buffer
            ]
    return data
