# SPDX-License-Identifier: BSD-3-Clause
"""What a function takes from outside: values as they were when the function was first used."""

from __future__ import annotations

import functools
import hashlib
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ..errors import LaunchError, describe
from .types import TYPES, Const, CoopmatrixOf, GroupOf

_KEPT = (bool, int, float, complex, str, tuple)


class VisibleNames(Mapping[str, object]):
    """The values that a function sees, those of the functions around it first."""

    def __init__(self, function: types.FunctionType) -> None:
        self._globals = function.__globals__
        closure = function.__closure__ or ()
        self._cells = dict(zip(function.__code__.co_freevars, closure, strict=True))

    def __getitem__(self, name: str) -> object:
        if name in self._cells:
            try:
                return self._cells[name].cell_contents
            except ValueError:  # not bound yet
                pass
        return self._globals[name]

    def __iter__(self) -> Iterator[str]:
        bound = (name for name in self._cells if self.get(name, self) is not self)
        yield from dict.fromkeys([*self._globals, *bound])

    def __len__(self) -> int:
        return sum(1 for _ in self)


class OutsideValues:
    """The values that a function has read from outside, which are constants of its programs.

    Python looks names up whenever a function runs. A program cannot, so `check` refuses to run one
    where a name has another value by now.

    Args:
        names: values that the function sees.

    Attributes:
        functions: sources of the functions among the values.
    """

    def __init__(self, names: Mapping[str, object]) -> None:
        self._names = names
        self._values: dict[str, object] = {}
        self._watched: tuple[tuple[str, Callable[[], object], object], ...] = ()
        self._arrays: tuple[tuple[str, Callable[[], object]], ...] = ()
        self.functions: tuple[Any, ...] = ()

    def value_of(self, name: str, holder: object = None) -> object:
        """Return the value of a name, as it was when it was read first; of an array, a copy.

        Args:
            name: the name, or the path to an attribute.
            holder: what the last name of a path is an attribute of.

        Raises:
            KeyError: there is no such name.
            AttributeError: there is no such attribute.
        """
        if name not in self._values:
            head, _, last = name.rpartition(".")
            find = functools.partial(self._names.__getitem__, name)
            if head:
                find = functools.partial(getattr, holder, last)
            value = find()
            if not _stays(value, holder):
                self._watch(name, find, value)
            self._values[name] = value.copy() if isinstance(value, np.ndarray) else plain(value)
        return self._values[name]

    def _watch(self, name: str, find: Callable[[], object], value: object) -> None:
        if isinstance(value, np.ndarray):
            self._arrays += ((name, find),)
            return
        self._watched += ((name, find, value),)
        if (source := _source_of(value)) is not None:
            self.functions += (source,)

    def check(self, function: str) -> None:
        """Check that each value is still the same.

        Args:
            function: name of the function that is called, for the message.

        Raises:
            LaunchError: a name has another value by now, or an array other elements.
        """
        for name, find, value in self._watched:
            now = _found(find, value)
            if now is not value and text_of(plain(now)) != text_of(plain(value)):
                raise _changed(function, name, value, now)
        for name, find in self._arrays:
            kept = self._values[name]
            if not _is_same(now := _found(find, kept), kept):
                raise _changed(function, name, kept, now)


def _stays(value: object, holder: object) -> bool:
    """Return whether a value need not be looked up again."""
    if isinstance(holder, np.ndarray):  # a copy
        return True
    is_of_library = isinstance(holder, types.ModuleType) and callable(value)
    return isinstance(value, types.ModuleType) or (is_of_library and _source_of(value) is None)


def _found(find: Callable[[], object], value: object) -> object:
    """Return what a name has by now: the value that it had, if it is gone."""
    try:
        return find()
    except (KeyError, AttributeError):
        return value


def _is_same(value: object, kept: object) -> bool:
    """Return whether an array is the same as one that was kept, bit for bit."""
    return (
        isinstance(value, np.ndarray)
        and isinstance(kept, np.ndarray)
        and (value.dtype, value.shape) == (kept.dtype, kept.shape)
        and value.tobytes() == kept.tobytes()
    )


def _changed(function: str, name: str, value: object, now: object) -> LaunchError:
    is_array = isinstance(value, np.ndarray) and isinstance(now, np.ndarray)
    given = "other elements" if is_array else describe(now)
    wanted = f"the elements of {name}" if is_array else f"{name} = {describe(value)}"
    return LaunchError(
        f"{function}: expected {wanted} as when {function} was first used, got {given}: pass it as "
        f"an argument, or define {function} again"
    )


def plain(value: object) -> object:
    """Return a number of NumPy as one of Python, whose type is decided where it is used.

    >>> import numpy as np
    >>> plain(np.float32(2.5)), plain((np.int8(3), "text"))
    (2.5, (3, 'text'))
    """
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return value.item() if isinstance(value, np.generic) else value


def is_known(value: object) -> bool:
    """Return whether a value from outside is the same wherever it has the same text."""
    is_kept = isinstance(value, (*_KEPT, *TYPES, Const, GroupOf, CoopmatrixOf))
    is_builtin = getattr(value, "__module__", "") == "builtins"  # max and float, also renamed
    return is_kept or is_builtin or hasattr(type(value), "instruction_words")


def text_of(value: object) -> str | None:
    """Return what the meaning of a value depends on, as text; None if that is not known."""
    if (source := _source_of(value)) is not None:
        return str(source.key())
    if is_known(value):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if callable(value) and hasattr(value, "__name__"):
        return f"{getattr(value, '__module__', '')}.{value.__name__}"
    return None


def _source_of(value: object) -> Any:  # noqa: ANN401  a FunctionSource, which imports this
    """Return the source of a function of ours, None for other values."""
    is_module = isinstance(value, types.ModuleType)
    return None if is_module else getattr(value, "inlined_source", None)
