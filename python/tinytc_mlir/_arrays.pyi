"""Compares NumPy arrays with one that a launch has checked, launches machine code, and more."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

class LastWords:
    """A message for the case that a signal or `exit` ends the process in the context.

    Args:
        text: what it prints to stderr.
        path: a file that it writes.
        data: what it writes there.
    """

    def __init__(self, text: str, path: str, data: bytes) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...

class Layout:
    """The layout of arrays that are passed in the same way.

    Args:
        array_type: type of the arrays.
        dtype: their dtype, the same object.
        shape: their shape.
        strides: their strides in bytes.
        is_writable: whether they may be written.
        origin_of: what to call with the memory that an array lies in.
        origin: what that must return; None for arrays in NumPy's own memory.
        divisor: what addresses are divided by.
        remainder: what that must leave.
    """

    def __init__(
        self,
        array_type: type,
        dtype: np.dtype[np.generic],
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        is_writable: bool,
        origin_of: Callable[[object], object],
        origin: object,
        divisor: int,
        remainder: int,
    ) -> None: ...
    def address(self, array: object) -> int | None:
        """Return the address of an array of this layout, None for all else."""

    def pointer(self, array: object) -> tuple[object, int, None, None, tuple[()]] | None:
        """Return the entries of a `Pointer` to an array of this layout, None for all else."""

    def addresses(self, arrays: tuple[object, ...]) -> bytes | None:
        """Return the addresses of arrays of this layout, 8 bytes each; None if one has another."""

class LongBuild:
    """A message for the case that a context takes long; SIGINT ends the process from then on.

    Args:
        text: what it prints to stderr.
        seconds: how long.
    """

    def __init__(self, text: str, seconds: float) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...

class NativeLaunch:
    """A kernel in machine code, with its arguments.

    Args:
        function: address of its function.
        values: bits of each argument, and whether it is a real number.
        sizes: numbers of work-groups.
        local_bytes: local memory that the last parameter points to, 0 if there is none.
        threads: the most threads that run it.

    Raises:
        ValueError: there are too many arguments.
    """

    def __init__(
        self,
        function: int,
        values: list[tuple[int, bool]],
        sizes: tuple[int, int, int],
        local_bytes: int,
        threads: int,
    ) -> None: ...
    def start(self) -> int:
        """Run all work-groups and return the nanoseconds that they took."""

    def run(self, first: int, last: int) -> None:
        """Run work-groups `first` to `last - 1`, numbered in x, y and z, on this thread."""

class Overlaps:
    """Arrays of a launch that must not overlap; Overlaps.cpp says what rules and places are."""

    def __init__(
        self,
        rules: Sequence[tuple[int, int, list[int], list[int], list[int], bool, int, int, int]],
        places: Sequence[tuple[int, int, list[list[int]], list[list[int]], int] | None],
    ) -> None: ...
    def fault(
        self, addresses: list[int | bytes | None], groups: int
    ) -> tuple[int, int | None] | None:
        """Return the number of the first rule that is broken, and of the member.

        Addresses of members are bytes. If one group reads what another one updates, there is no
        member.
        """

    def add_table(self, table: int, members: bytes) -> None:
        """Note the addresses of the members that a table points to."""

    def hold(self, arguments: Sequence[object], groups: int) -> bool:
        """Return whether a launch certainly breaks no rule, given a list of its arguments."""

class Plan:
    """The tables of the rules of a kernel, as words, and its number of parameters."""

    def __init__(self, words: list[int], parameters: int) -> None: ...

class Rules:
    """The rules of a kernel for the values of a launch.

    Args:
        plan: the tables.
        values: integers that the host knows.
        missing: numbers of the parameters without an array.
        members: numbers of groups, and the sizes of their members by mode.
        available: bytes of memory from the first element of each array on.
    """

    def __init__(
        self,
        plan: Plan,
        values: list[int],
        missing: list[int],
        members: list[tuple[int, list[list[int]]]],
        available: list[int],
    ) -> None: ...
    def sum(self, place: int) -> int:
        """Return the value of a sum, by its place in the plan."""

    def verdicts(
        self,
        sizes: list[int],
        bounds: list[int],
        counts: tuple[int, int, int],
        others: tuple[int, int, int],
    ) -> list[int]:
        """Return the verdicts on pairs of sizes and then on bounds; none if all hold.

        `others` are the numbers of groups in dimensions that a bound is not for.
        """

    def most(
        self, bound: int, others: tuple[int, int, int], asks_conditions: bool = True
    ) -> int | None:
        """Return the number of groups that a bound allows, None if any number."""

    def index(self, bound: int, group: int, others: tuple[int, int, int]) -> int:
        """Return the index of a bound for a group."""

    def may_leave(self, bound: int, counts: tuple[int, int, int]) -> bool:
        """Return whether accesses may be outside, if no group certainly exceeds the bound."""

    def bytes_read(self, parameter: int) -> int:
        """Return how many bytes loads of blocks read of an array's memory."""

class PlannedLaunch:
    """What is the same for all launches of a kernel with arrays that differ only in where they are.

    Args:
        function: address of its function.
        slots: for each argument, its source (0 is a constant, 1 what is given, 2 bytes at an
            address that is given), its bits or the number of what is given, the first byte there
            and the number of bytes, and whether it is a real number.
        sizes: numbers of work-groups.
        local_bytes: local memory that the last parameter points to, 0 if there is none.
        threads: the most threads that run it.
        divisors: what each integer that is given is a multiple of.
        zeros: numbers of arrays that are 0 before, and their bytes.
        checked: numbers of the arguments that a launch checks.
        check: says what is wrong with some bits of theirs, None if nothing.
        code: what must stay alive.
    """

    def __init__(
        self,
        function: int,
        slots: list[tuple[int, int, int, int, bool]],
        sizes: tuple[int, int, int],
        local_bytes: int,
        threads: int,
        divisors: list[int],
        zeros: Sequence[tuple[int, int]],
        checked: list[int],
        check: Callable[[list[int]], str | None],
        code: object,
    ) -> None: ...
    @property
    def slots(self) -> list[tuple[int, int, int, int, bool]]:
        """Where each argument comes from."""
    def run(self, given: list[int]) -> str:
        """Run the kernel; return what is wrong with the integers, nothing if it has run.

        Args:
            given: addresses, and integers that the kernel takes.
        """

def clear_instruction_cache(address: int, size: int) -> None:
    """Let instructions run that have been written to memory.

    Args:
        address: where they begin.
        size: their bytes.
    """

def address_of(array: npt.NDArray[Any]) -> int:
    """Return the address of the first element, 50 times as fast as `array.ctypes.data`."""

def copy_elements(
    target: npt.NDArray[Any], source: npt.NDArray[Any], item_bytes: int, threads: int = 1
) -> None:
    """Copy arrays of the same shape and dtype, and of any strides.

    Args:
        target: where elements are written.
        source: where they are read.
        item_bytes: their size, 1, 2, 4, 8 or 16 bytes.
        threads: the most threads that copy.

    Raises:
        ValueError: the shapes differ, or elements have another size.
    """

def xla_handler() -> object:
    """Return the function that programs of XLA call, as a capsule."""

def define_xla_kernel(name: str, planned: PlannedLaunch) -> None:
    """Let programs of XLA call a kernel, by what their attribute says.

    Args:
        name: what the attribute says.
        planned: the launch; addresses of arguments and then of results are passed.
    """
