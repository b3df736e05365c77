# SPDX-License-Identifier: BSD-3-Clause
"""Signatures of kernels for `inspect.signature` and editors."""

from __future__ import annotations

import functools
import inspect
import keyword
from collections.abc import Iterator
from typing import Protocol

from ..kernel_info import Argument, KernelInfo, MemrefArgument
from .keywords import LAUNCH_OPTIONS

# Keywords of `Kernel.__call__`, with their defaults.
_KEYWORDS = {"groups": None, "queue": None, "verify": False, "copy": True}


class _Described(Protocol):
    @property
    def info(self) -> KernelInfo:
        """Description of a kernel."""


class LaunchSignature:
    """The attribute `__signature__` of kernels, which classes do not have."""

    def __get__(self, kernel: _Described | None, owner: type) -> inspect.Signature:
        if kernel is None:
            raise AttributeError("__signature__")
        return launch_signature(kernel.info)


@functools.lru_cache(maxsize=256)
def launch_signature(info: KernelInfo) -> inspect.Signature:
    """Return the signature of a launch that waits.

    Parameters up to the last one whose name cannot be a keyword are by position only.

    Args:
        info: description of the kernel.

    >>> from tinytc_mlir import ScalarArgument
    >>> print(launch_signature(KernelInfo("f", (ScalarArgument("x", "f32"),), (16, 1, 1), 16)))
    (x: 'f32', *, groups=None, queue=None, verify=False, copy=True)
    """
    parameters = list(_parameters(info))
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        for name, default in _KEYWORDS.items()
    ]
    return inspect.Signature([*parameters, *options])


def _parameters(info: KernelInfo) -> Iterator[inspect.Parameter]:
    names = [argument.name for argument in info.arguments]
    # A buffer has a default if no other parameter comes after it.
    others = [n for n, argument in enumerate(info.arguments) if not _is_buffer(argument)]
    first_buffer = max(others, default=-1) + 1
    last = max((n for n, name in enumerate(names) if not _is_keyword(name)), default=-1)
    for number, argument in enumerate(info.arguments):
        by_position = number <= last
        name = argument.name
        if not _is_keyword(name):
            name = f"_{name}" if f"_{name}".isidentifier() else f"_{number}"
            while name in names:
                name += "_"
        yield inspect.Parameter(
            name,
            inspect.Parameter.POSITIONAL_ONLY
            if by_position
            else inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=None if number >= first_buffer else inspect.Parameter.empty,
            annotation=str(argument).removeprefix(f"{argument.name}: "),
        )


def _is_buffer(argument: Argument) -> bool:
    return isinstance(argument, MemrefArgument) and argument.buffer is not None


def _is_keyword(name: str) -> bool:
    """Whether a parameter of this name can be given as a keyword argument."""
    return name.isidentifier() and not keyword.iskeyword(name) and name not in LAUNCH_OPTIONS
