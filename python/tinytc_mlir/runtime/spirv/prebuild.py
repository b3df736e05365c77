# SPDX-License-Identifier: BSD-3-Clause
"""Builds programs for the CPU in processes of their own, as the driver builds one at a time."""

from __future__ import annotations

import contextlib
import os
import pathlib
import queue
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from ... import cache, switches
from ...errors import ArgumentError, DeviceError, describe
from ..devices import default_device
from ..kernel_info import SPIRV
from ..launches.integers import checked_integer
from ..program import Program
from ..protocol import Binary, Device
from . import binaries
from .build_process import BuildProcess
from .split_module import part_of

_CPU = "cpu"
_Item: TypeAlias = "tuple[pathlib.Path, Binary]"  # where the driver's code goes
_Waiting: TypeAlias = "queue.SimpleQueue[_Item | None]"  # None ends a thread


def prebuild(programs: Iterable[Program], *, processes: int | None = None) -> None:
    """Build programs for the CPU and keep the code for this process and later ones.

    A kernel that has been built is loaded in about 2 ms, instead of 20 to 300. The kernels of one
    program are built in different processes, too. The code is kept in the cache (TINYTC_CACHE_DIR,
    `tinytc cache`); without one, nothing is built.

    Args:
        programs: programs for the CPU; those whose code is there already are left out. The first
            are built while further ones are made.
        processes: number of processes, None for the number of cores.

    Raises:
        ArgumentError: what is given is not a program for the CPU, or not a number of processes.
        DeviceError: the driver cannot build a program, or there is no CPU driver.
        OSError: a file cannot be written, or a process cannot be started.

    >>> import tinytc_mlir as tt
    >>> program = tt.Context().parse("func @nothing(%x: f32) { }").compile("cpu")
    >>> tt.prebuild([program])
    >>> program["nothing"](1.0, groups=1)
    """
    count = _count(processes)
    if isinstance(programs, (Program, str, bytes)) or not isinstance(programs, Iterable):
        raise _error("programs", f"expected an iterable of programs, got {describe(programs)}")
    if switches.INTERPRET.is_on():  # nothing will be built
        return
    device = default_device(_CPU)
    waiting: _Waiting = queue.SimpleQueue()
    problems: list[BaseException] = []
    ends: list[threading.Event] = []  # of the threads
    try:
        for item in _missing(programs, device):
            waiting.put(item)
            if len(ends) < count:
                end = threading.Event()
                arguments = (waiting, problems, device, end)
                threading.Thread(target=_feed, args=arguments, daemon=True).start()
                ends.append(end)
        _finish(ends, waiting)
    except BaseException as error:
        problems.append(error)  # so that what waits is not built
        _finish(ends, waiting)
        raise
    finally:
        cache.evict()
    if problems:
        raise problems[0]


def _finish(ends: Sequence[threading.Event], waiting: _Waiting) -> None:
    """Let the threads end after what is waiting, and wait for them.

    Not by joining them: a thread whose joining is interrupted counts as one that has ended.
    """
    for _ in ends:
        waiting.put(None)
    for end in ends:
        end.wait()


def _count(processes: object) -> int:
    """Return the number of processes that the caller wants."""
    if processes is None:
        return len(os.sched_getaffinity(0))
    try:
        return checked_integer(processes, "as number of processes", 1)
    except ValueError as error:
        raise _error("processes", str(error)) from None


def _error(argument: str, message: str) -> ArgumentError:
    return ArgumentError(f"prebuild: argument {argument!r}: {message}", argument=argument)


def _missing(programs: Iterable[object], device: Device) -> Iterator[_Item]:
    """Yield the files that are not there yet and the parts of programs to build for them."""
    seen: set[pathlib.Path] = set()
    for program in programs:
        if not isinstance(program, Program):
            raise _error("programs", f"expected compiled programs, got {describe(program)}")
        if program.target != _CPU or program.manifest.format != SPIRV:
            raise _error("programs", f"expected programs for {_CPU}, got one for {program.target}")
        for name in program:
            part = part_of(program, name)
            path = binaries.path_of(part.digest, device)
            if path is None:
                return
            path = path.absolute()
            if path not in seen and cache.load(path) is None:
                yield path, part
            seen.add(path)


def _feed(
    waiting: _Waiting, problems: list[BaseException], device: Device, end: threading.Event
) -> None:
    """Give programs to a process, one after the other, until there are no more."""
    try:
        item = waiting.get()
        if item is not None:
            _feed_process(item, waiting, problems, device)
    except OSError as error:
        problems.append(error)
    finally:
        end.set()


def _feed_process(
    item: _Item | None, waiting: _Waiting, problems: list[BaseException], device: Device
) -> None:
    """Start a process, and give it a program and those that are waiting."""
    with contextlib.closing(BuildProcess(device, lambda: bool(problems))) as process:
        while item is not None:
            if not problems:
                path, program = item
                try:
                    process.build(program.code, program, path)
                except (DeviceError, OSError) as error:
                    problems.append(error)
            item = waiting.get()
