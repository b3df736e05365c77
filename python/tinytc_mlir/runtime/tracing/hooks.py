# SPDX-License-Identifier: BSD-3-Clause
"""Functions that are called before and after each launch, as profilers need them."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import TypeAlias

from ...errors import ArgumentError, describe


@dataclasses.dataclass
class LaunchRecord:
    """A launch, as hooks see it.

    Args:
        kernel: name of the kernel.
        groups: numbers of groups by dimension.
        device: name of the device.
        waits: whether the call returns when the kernel has finished; `submit` does not wait.
        start_ns: when it began, by `time.perf_counter_ns`.
        end_ns: when it was over, or had been submitted; 0 before.
    """

    kernel: str
    groups: Sequence[int]
    device: str
    waits: bool
    start_ns: int = 0
    end_ns: int = 0


Hook: TypeAlias = Callable[[LaunchRecord], object]


class LaunchHook:
    """Functions around all launches, until `remove` or the end of a `with` block.

    Made by `add_launch_hook`.
    """

    def __init__(self, before: Hook | None, after: Hook | None) -> None:
        self.before = before
        self.after = after

    def remove(self) -> None:
        """Stop calling the functions; removing a hook twice does nothing."""
        with contextlib.suppress(ValueError):
            active.remove(self)

    def __enter__(self) -> LaunchHook:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.remove()


#: The hooks of the process. Launches check whether there are any.
active: list[LaunchHook] = []


def add_launch_hook(before: Hook | None = None, after: Hook | None = None) -> LaunchHook:
    """Have functions called around each launch of this process, those of bound kernels included.

    What they raise ends the call that launches.

    Args:
        before: called with a `LaunchRecord` before the kernel is submitted.
        after: called when the launch is over, or has been submitted by a `submit` that does not
            wait, in the opposite order of `before`.

    Returns:
        What takes the hook away: its `remove`, or the end of a `with` block.

    Raises:
        ArgumentError: one of them cannot be called.

    >>> import tinytc_mlir as tt
    >>> kernel = tt.Context().parse("func @nothing(%x: f32) { }").compile("cpu")["nothing"]
    >>> with tt.add_launch_hook(before=lambda launch: print(launch.kernel, launch.groups)):
    ...     kernel(1.0, groups=3)
    nothing [3, 1, 1]
    """
    for name, function in (("before", before), ("after", after)):
        if function is not None and not callable(function):
            message = f"add_launch_hook: expected a function for {name}, got {describe(function)}"
            raise ArgumentError(message, argument=name)
    hook = LaunchHook(before, after)
    active.append(hook)
    return hook


@contextlib.contextmanager
def around(record: LaunchRecord) -> Iterator[None]:
    """Call the hooks before and after a launch, also after one that fails."""
    hooks = tuple(active)
    for hook in hooks:
        if hook.before is not None:
            hook.before(record)
    record.start_ns = time.perf_counter_ns()
    try:
        yield
    finally:
        record.end_ns = time.perf_counter_ns()
        for hook in reversed(hooks):
            if hook.after is not None:
                hook.after(record)
