# SPDX-License-Identifier: BSD-3-Clause
"""What a function takes from outside: values as they were when the function was first used."""

from __future__ import annotations

import hashlib
import types
from collections.abc import Container, Iterator, Mapping
from typing import Any

import numpy as np

from ..errors import LaunchError, describe
from .types import TYPES, Const, CoopmatrixOf, GroupOf

PACKAGE = __name__.split(".", maxsplit=1)[0]
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
        paths: names, and paths to attributes, that are read whenever the function runs.

    Attributes:
        functions: sources of the functions among the values.
    """

    def __init__(self, names: Mapping[str, object], paths: Container[str]) -> None:
        self._names, self._paths = names, paths
        self._values: dict[str, object] = {}
        self._watched: tuple[_Watched, ...] = ()
        self.functions: tuple[Any, ...] = ()

    def value_of(self, name: str, holder: object = None) -> object:
        """Return the value of a name, as it was when it was read first; of an array, a copy.

        Args:
            name: the name, or the path to an attribute.
            holder: what the last name of a path is an attribute of.

        Raises:
            KeyError: there is no such name.
            AttributeError: there is no such attribute.
            LaunchError: it is a function that was used before, with constants that have changed.
        """
        if name not in self._values:
            head, _, last = name.rpartition(".")
            found = getattr(holder, last) if head else self._names[name]
            kept = _kept(found)
            if self._may_change(name, found, holder):
                self._watched += (_Watched(name, found, kept),)
            if (source := inlined_source_of(found)) is not None:
                source.check_outside()
                self.functions += (source,)
            self._values[name] = kept
        return self._values[name]

    def _may_change(self, name: str, value: object, holder: object) -> bool:
        """Return whether calls look a value up again."""
        if isinstance(holder, np.ndarray):  # a copy of one that is watched
            return False
        root = self._names.get(name.partition(".")[0])
        if isinstance(root, types.ModuleType) and root.__name__ == PACKAGE:
            return False
        return name in self._paths or _has_arrays(value)

    def check(self, function: str) -> None:
        """Check that each value is still the same.

        Args:
            function: name of the function that is called, for the message.

        Raises:
            LaunchError: a name has another value by now, or an array other elements.
        """
        for each in self._watched:
            try:
                now = self._names[each.head]
                for attribute in each.attributes:
                    now = getattr(now, attribute)
            except (KeyError, AttributeError):  # gone
                continue
            if (now is not each.value or each.has_arrays) and not _is_same(now, each.kept):
                raise _changed(function, each.path, each.kept, now)


class _Watched:
    """A value that a function read, and where from.

    Args:
        path: the name as written.
        value: what it was, the object itself.
        kept: a copy of it.
    """

    __slots__ = ("attributes", "has_arrays", "head", "kept", "path", "value")

    def __init__(self, path: str, value: object, kept: object) -> None:
        self.path, self.value, self.kept = path, value, kept
        self.head, *self.attributes = path.split(".")
        self.has_arrays = _has_arrays(value)


def _has_arrays(value: object) -> bool:
    return isinstance(value, np.ndarray) or (
        isinstance(value, tuple) and any(map(_has_arrays, value))
    )


def _kept(value: object) -> object:
    """Return a value whose elements do not change."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, tuple) and _has_arrays(value):
        kept = map(_kept, value)
        return value._make(kept) if hasattr(value, "_make") else tuple(kept)
    return plain(value)


def _is_same(value: object, kept: object) -> bool:
    """Return whether a value is the same as one that was kept: of arrays, bit for bit."""
    if isinstance(kept, np.ndarray):
        return (
            isinstance(value, np.ndarray)
            and (value.dtype, value.shape) == (kept.dtype, kept.shape)
            and value.tobytes() == kept.tobytes()
        )
    if isinstance(kept, tuple) and isinstance(value, tuple):
        return len(value) == len(kept) and all(map(_is_same, value, kept))
    text = text_of(plain(value))
    return value is kept or (text is not None and text == text_of(kept))


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
    if (source := inlined_source_of(value)) is not None:
        return str(source.key())
    if isinstance(value, tuple) and _has_arrays(value):
        return f"tuple ({', '.join(str(text_of(each)) for each in value)})"
    if is_known(value):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if callable(value) and hasattr(value, "__name__"):
        return f"{getattr(value, '__module__', '')}.{value.__name__}"
    return None


def inlined_source_of(value: object) -> Any:  # noqa: ANN401  a FunctionSource, which imports this
    """Return the source of a function of ours, None for other values."""
    is_module = isinstance(value, types.ModuleType)
    return None if is_module else getattr(value, "inlined_source", None)
