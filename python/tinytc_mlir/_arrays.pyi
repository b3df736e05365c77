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
    """Arrays of a launch that must not overlap.

    Args:
        rules: for each pair of blocks, the numbers of the parameter that is updated and of the one
            that is read, sizes of both blocks (-1 for the array's own), modes in which both do not
            begin at the first element, whether the same block may be both, the mode of an array
            that counts the members of the other group, and the modes of both that count the groups,
            each -1 if there is none.
        places: for each parameter, the position of its first argument, bytes of an element, sizes
            and strides in bytes of each mode, of each member or one for all, and the number of
            members, 0 for an array. None if there is no array.
    """

    def __init__(
        self,
        rules: Sequence[tuple[int, int, list[int], list[int], list[int], bool, int, int, int]],
        places: Sequence[tuple[int, int, list[list[int]], list[list[int]], int] | None],
    ) -> None: ...
    def fault(
        self, addresses: list[int | bytes | None], groups: int
    ) -> tuple[int, int | None] | None:
        """Return the number of the first rule that is broken, and of the member.

        Args:
            addresses: of each parameter; for a group those of its members, 8 bytes each.
            groups: number of groups. If one reads what another one updates, there is no member.
        """

    def add_table(self, table: int, members: bytes) -> None:
        """Note the addresses of the members that a table points to.

        Args:
            table: its address.
            members: theirs, 8 bytes each.
        """

    def hold(self, arguments: Sequence[object], groups: int) -> bool:
        """Return whether a launch breaks no rule; it may if a table has been forgotten.

        Args:
            arguments: a list, whose pointers are tuples with the address second.
            groups: number of groups.
        """

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
        zeros: list[tuple[int, int]],
        checked: list[int],
        check: Callable[[list[int]], str | None],
        code: object,
    ) -> None: ...
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
