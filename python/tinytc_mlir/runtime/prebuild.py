"""Builds programs for the CPU in processes of their own, as the driver builds one at a time.

As a program it reads the names of a SPIR-V file and of a file for what the driver makes of it,
separated by a tab, and answers each line by an empty one, or by what went wrong.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from ..errors import DeviceError, LaunchError
from . import binaries
from .build_log import build
from .devices import default_device
from .manifest import SPIRV
from .program import Program
from .protocol import Device

_CPU = "cpu"
# Where the driver's code goes and SPIR-V; None ends a thread.
_Waiting: TypeAlias = "queue.SimpleQueue[tuple[pathlib.Path, bytes] | None]"


def prebuild(programs: Iterable[Program], *, processes: int | None = None) -> None:
    """Build programs for the CPU and keep the code for this process and later ones.

    A program that has been built is loaded in about 2 ms, instead of 20 to 300 for each kernel. The
    files are in the folder that TINYTC_BINARIES names, or in the user's cache.

    Args:
        programs: programs for the CPU; those whose code is there already are left out. The first
            are built while further ones are made.
        processes: number of processes, None for the number of cores.

    Raises:
        DeviceError: the driver cannot build a program, or there is no CPU driver.
        LaunchError: a program is not for the CPU, or the number of processes is not positive.
        OSError: a file cannot be written.

    >>> import tinytc_mlir as tt
    >>> program = tt.Context().parse("func @nothing(%x: f32) { }").compile("cpu")
    >>> tt.prebuild([program])
    >>> program["nothing"](1.0, groups=1)
    """
    if processes is not None and processes < 1:
        raise LaunchError(f"expected at least 1 process, got {processes}")
    device = default_device(_CPU)
    waiting: _Waiting = queue.SimpleQueue()
    problems: list[str] = []
    threads = [
        threading.Thread(target=_feed, args=(waiting, problems))
        for _ in range(processes or len(os.sched_getaffinity(0)))
    ]
    for thread in threads:
        thread.start()
    try:
        for path, code in _missing(programs, device):
            waiting.put((path, code))
    finally:
        for _ in threads:
            waiting.put(None)
        for thread in threads:
            thread.join()
    if problems:
        raise DeviceError(f"{device.name} cannot build a program", build_log=problems[0])


def _missing(programs: Iterable[Program], device: Device) -> Iterator[tuple[pathlib.Path, bytes]]:
    """Yield the files that are not there yet and the SPIR-V to build for them."""
    seen: set[pathlib.Path] = set()
    for program in programs:
        if program.target != _CPU or program.manifest.format != SPIRV:
            raise LaunchError(f"expected programs for {_CPU}, got one for {program.target}")
        path = binaries.path_of(program.digest, device)
        if path not in seen and binaries.load(path) is None:
            yield path, program.code
        seen.add(path)


def _feed(waiting: _Waiting, problems: list[str]) -> None:
    """Give programs to a process, one after the other, until there are no more."""
    item = waiting.get()
    if item is None:
        return
    command = [sys.executable, "-m", __name__]
    pipe = subprocess.PIPE
    with (
        tempfile.NamedTemporaryFile(suffix=".spv") as file,
        subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process,
    ):
        while item is not None:
            if not problems:
                path, code = item
                pathlib.Path(file.name).write_bytes(code)
                answer = _answer(process, f"{file.name}\t{path}")
                if answer:
                    problems.append(answer)
            item = waiting.get()
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()


def _answer(process: subprocess.Popen[str], line: str) -> str:
    """Return the answer to a line, without its end."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        print(line, file=process.stdin, flush=True)
        answer = process.stdout.readline()
    except BrokenPipeError:
        answer = ""
    return answer.rstrip("\n") if answer else "the process that builds it has ended"


def main() -> None:
    """Build programs until stdin ends."""
    device = default_device(_CPU).name  # which also loads the driver
    for line in sys.stdin:
        source, path = line.rstrip("\n").split("\t")
        built = build(pathlib.Path(source).read_bytes(), device)
        if built is None or built.code is None:
            log = f"no device {device!r}" if built is None else built.log
            print(" ".join(log.split()) or "no message", flush=True)
            continue
        try:
            binaries.save(pathlib.Path(path), built.code)
        except OSError as error:
            print(f"{path}: {error}", flush=True)
            continue
        print(flush=True)


if __name__ == "__main__":
    main()
