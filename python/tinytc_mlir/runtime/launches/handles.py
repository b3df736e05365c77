# SPDX-License-Identifier: BSD-3-Clause
"""Protocols of kernels and programs for launches, which are below them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, MutableMapping, Sequence
from typing import Any, Protocol

from ..kernel_info import KernelInfo
from ..protocol import Binary, Native
from .arguments import Part, Signature


class ProgramHandle(Binary, Protocol):
    """The part of a program that its kernels need."""

    @property
    def target(self) -> str:
        """Name of the target that the program was compiled for."""

    @property
    def queue(self) -> object:
        """Queue or device that launches use unless told otherwise, None for the default."""

    def reduced_kernel(self, name: str) -> tuple[Callable[..., object], tuple[object, ...]]:
        """Return what pickles one of its kernels."""

    def token(self) -> tuple[str, str]:
        """Return what is equal for equal programs, for the keys of dask's tasks."""


class LaunchMemory(Protocol):
    """A cache of launches of a kernel, such as `LaunchCache`."""

    def remember(
        self,
        values: Sequence[object],
        parts: Sequence[Part],
        groups: object,
        queue: object,
        prepared: Any,  # noqa: ANN401, `Prepared`, whose module imports this one
    ) -> None:
        """Remember a launch, without keeping the arrays alive."""


class KernelHandle(Protocol):
    """The part of a kernel that a launch needs."""

    @property
    def program(self) -> ProgramHandle:
        """The program that the kernel belongs to."""

    @property
    def info(self) -> KernelInfo:
        """Description of the kernel."""

    @property
    def signature(self) -> Signature:
        """The parameters, ready to check launches."""

    @property
    def launch_cache(self) -> LaunchMemory:
        """How the last launches looked."""

    @property
    def loaded(self) -> MutableMapping[Hashable, Native]:
        """Loaded kernels by the place of queues; launches fill it."""
