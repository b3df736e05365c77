# SPDX-License-Identifier: BSD-3-Clause
"""Kernels that search for the fastest values of their constants when they are called."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ..errors import ArgumentError, got
from ..runtime.launches.arguments import Groups
from .autotune import Autotuning, Family, search

if TYPE_CHECKING:
    from ..compiler import Module
    from ..explore import Page
    from ..runtime.kernel import BoundKernel
    from ..runtime.launches.event import Event
    from ..runtime.program import Program


class AutotunedKernel:
    """A kernel that launches with the fastest of some choices for its `tt.const` parameters.

    Args:
        kernel: the kernel, as `@tt.kernel` makes it.
        choices: values to try for each constant, and schedules.
        key: names of parameters for whose values there is a search of its own.
        options: arguments of `tt.autotune`.
    """

    def __init__(
        self,
        kernel: Family,
        choices: Mapping[str, Sequence[object]],
        key: Sequence[str] = (),
        options: Mapping[str, Any] | None = None,
    ) -> None:
        names = kernel.parameter_names
        for name in key:
            if name not in names:
                message = f"expected the name of a parameter, {got(name, names)}"
                raise ArgumentError(f"{kernel.name}: key: {message}", argument="key")
        self.kernel, self.choices, self.key = kernel, dict(choices), tuple(key)
        self._options = dict(options or {})
        self._found: dict[object, Autotuning] = {}
        functools.update_wrapper(self, kernel, updated=())  # type: ignore[arg-type]
        del self.__dict__["__wrapped__"]  # which `inspect.signature` would take

    def __get__(self, instance: object, owner: object = None) -> AutotunedKernel:
        """Return the kernel; `help` shows what has this method as a function."""
        return self

    @property
    def __signature__(self) -> inspect.Signature:
        """How the kernel is called, without the constants that have choices."""
        return inspect.signature(self._first)

    def __getitem__(self, values: object) -> AutotunedKernel | Family:
        """Return the kernel for values of its constants, in their order.

        They are those that are not among the choices, or all: then there is nothing to search.

        Raises:
            ArgumentError: there is another number of constants, or a value is no constant.
        """
        items = values if isinstance(values, tuple) else (values,)
        names = list(self.kernel.constant_names)
        others = [name for name in names if name not in self.choices]
        if len(items) not in (len(names), len(others)):
            raise ArgumentError(
                f"{self.kernel.name}: expected values of the constants {', '.join(names)}, or of "
                f"{', '.join(others) or 'none'} beside the choices, got {len(items)}"
            )
        found = names if len(items) == len(names) else others
        return self.with_constants(dict(zip(found, items, strict=True)))

    def with_constants(self, values: Mapping[str, object]) -> AutotunedKernel | Family:
        """Return the kernel for values of constants, which it then does not search for.

        Raises:
            ArgumentError: there is no such parameter, or a value is no constant.
        """
        kernel = self.kernel.with_constants(values)
        choices = {name: each for name, each in self.choices.items() if name not in values}
        if not choices:
            return kernel
        return type(self)(kernel, choices, self.key, self._options)

    def with_first_choices(self, values: Mapping[str, object]) -> Family:
        """Return the kernel for values of constants, and the first choices of the others."""
        names = self.kernel.constant_names
        first = {name: each[0] for name, each in self.choices.items() if name in names}
        constants = first | dict(values)
        return self.kernel.with_constants(constants) if constants else self.kernel

    # With the first choices, as in commands ----------------------------------------------------

    @property
    def _first(self) -> Any:  # noqa: ANN401, a kernel
        return self.with_first_choices({})

    @property
    def text(self) -> str:
        """The program for the first choices; `kernel[...]` has that for others.

        >>> import tinytc_mlir as tt
        >>> @tt.autotune({"TILE": [8, 16]})
        ... @tt.kernel
        ... def shift(x: tt.f32[None], TILE: tt.const):
        ...     for i, n in tt.foreach_tile(x.shape[0], TILE):
        ...         x[i] += 1
        >>> "foreach_tile" in shift.text, shift.text == shift[8].text
        (True, True)
        """
        return str(self._first.text)

    def typed(self, /, *values: object, **named: object) -> Family:
        """Return the kernel with the first choices for arguments like these, without a launch."""
        found: Family = self._first.typed(*values, **named)
        return found

    @property
    def module(self) -> Module:
        """The module for the first choices."""
        module: Module = self._first.module
        return module

    def compile(self, target: object = None, **options: Any) -> Program:  # noqa: ANN401, of Module
        """Return the program for the first choices; the arguments are those of `Module.compile`."""
        program: Program = self._first.compile(target, **options)
        return program

    def save(self, path: str | os.PathLike[str], target: object = None) -> None:
        """Compile for the first choices and write a file that `tt.load` reads."""
        self._first.save(path, target)

    def lower(self, stage: str, **options: Any) -> Module:  # noqa: ANN401, of Module
        """Return the module for the first choices at a later stage, as `Module.lower` does."""
        module: Module = self._first.lower(stage, **options)
        return module

    def explore(self, target: object = None, *, debug: bool = False) -> Page:
        """Return a page with all stages for the first choices, as `Module.explore` does."""
        page: Page = self._first.explore(target, debug=debug)
        return page

    def python(self, /, *values: object, groups: Groups = None, **named: object) -> None:
        """Run the function itself on NumPy arrays; constants that are not given are first choices.

        Args:
            values: arguments by position, without those of `tt.const` parameters.
            groups: number of groups; None is that of the launch.
            named: arguments by name, constants too.
        """
        constants = {n: named.pop(n) for n in self.kernel.constant_names if n in named}
        kernel: Any = self.with_first_choices(constants)
        kernel.python(*values, groups=groups, **named)

    # Launches -----------------------------------------------------------------------------------

    def tuned(
        self, /, *values: object, groups: Groups = None, **named: object
    ) -> tuple[Autotuning, dict[str, Any]]:
        """Return what a search with these arguments finds, and the arguments without constants.

        The result is kept in the cache like that of `tt.autotune`.

        Args:
            values: arguments by position, without those of `tt.const` parameters.
            groups: number of groups.
            named: arguments by name; constants that are not among the choices, too.

        Raises:
            ArgumentError: an argument is odd.
            DeviceError: there is no device, or no combination runs.
        """
        constants = {n: v for n, v in named.items() if n in self.kernel.constant_names}
        rest = {n: v for n, v in named.items() if n not in constants}
        names = self.kernel.constant_names
        parameters = [name for name in self.kernel.parameter_names if name not in names]
        given = dict(zip(parameters, values, strict=False)) | rest
        known = (
            repr(sorted(constants.items())),
            *(str(getattr(given.get(name), "dtype", type(given.get(name)))) for name in parameters),
            *(_in_key(given.get(name)) for name in self.key if name in parameters),
        )
        if known not in self._found:
            kernel = self.kernel.with_constants(constants) if constants else self.kernel
            args = {name: _column_major(value) for name, value in given.items()}
            self._found[known] = search(kernel, self.choices, args, groups=groups, **self._options)
        return self._found[known], rest

    def __call__(
        self, /, *values: object, groups: Groups = None, queue: object = None, **named: object
    ) -> None:
        """Launch the fastest kernel and wait; the first call with a new key searches for it."""
        found, rest = self.tuned(*values, groups=groups, **named)
        found.kernel(*values, groups=groups, queue=queue, **rest)

    def submit(self, /, *values: object, groups: Groups = None, **named: Any) -> Event:  # noqa: ANN401
        """Launch the fastest kernel and return at once; the arguments are those of `Kernel`."""
        options = {n: named.pop(n) for n in ("queue", "depends") if n in named}
        found, rest = self.tuned(*values, groups=groups, **named)
        return found.kernel.submit(*values, groups=groups, **options, **rest)

    def bind(
        self, /, *values: object, groups: Groups = None, queue: object = None, **named: object
    ) -> BoundKernel:
        """Return the fastest kernel with its arguments; they are those of `Kernel.bind`."""
        found, rest = self.tuned(*values, groups=groups, **named)
        return found.kernel.bind(*values, groups=groups, queue=queue, **rest)

    def __reduce__(self) -> Any:  # noqa: ANN401, of pickle
        return type(self), (self.kernel, self.choices, self.key, self._options)

    def __repr__(self) -> str:
        return f"<AutotunedKernel of {self.kernel!r}>"


@overload
def autotune(
    text: Mapping[str, Sequence[object]],
    *,
    key: Sequence[str] = ...,
    **options: Any,  # noqa: ANN401, those of search
) -> Callable[[Any], Any]: ...
@overload
def autotune(  # options by keyword
    text: str | Family,
    choices: Mapping[str, Sequence[object]],
    args: Sequence[object] | Mapping[str, object] | None = None,
    *,
    groups: Groups = None,
    kernel: str | None = None,
    target: str | None = None,
    limit_s: float = 60.0,
    store_result: bool = True,
    progress: Callable[[str], None] = ...,
) -> Autotuning: ...


def autotune(
    text: Any,
    choices: Mapping[str, Sequence[object]] | None = None,
    *rest: Any,
    key: Sequence[str] = (),
    **options: Any,
) -> Autotuning | Callable[[Any], Any]:
    """Return the fastest combination of choices for a program, or a decorator of kernels.

    Args:
        text: the program, as `search` takes it. A mapping of choices makes `autotune` a decorator
            above `@tt.kernel`: the first call with new sizes searches with its arguments, later
            ones launch the fastest combination.
        choices: values to try for each variable; see `search`.
        rest: arguments of the launches; see `search`.
        key: names of parameters for whose values a decorated kernel searches again; of arrays, the
            shape counts.
        options: the other arguments of `search`.

    Raises:
        ArgumentError: the choices or arguments are odd.
        DeviceError: there is no device, or no combination runs.

    >>> import tinytc_mlir as tt
    >>> @tt.autotune({"TILE": [8, 16]}, key=["x"])
    ... @tt.kernel
    ... def double(x: tt.f32[None], TILE: tt.const):
    ...     for i in tt.foreach(x.shape[0]):
    ...         x[i] = 2 * x[i]
    >>> double.key
    ('x',)
    """
    if isinstance(text, Mapping):
        return lambda kernel: AutotunedKernel(kernel, text, key, options)
    return search(text, choices, *rest, **options)  # type: ignore[arg-type]


def _column_major(value: object) -> object:
    """Return an argument in the order in which searches use arrays in place."""
    if isinstance(value, (list, tuple)):
        return [_column_major(each) for each in value]
    is_row_major = isinstance(value, np.ndarray) and value.flags.c_contiguous
    return np.asfortranarray(value) if is_row_major else value


def _in_key(value: object) -> object:
    """Return the part of an argument that a search depends on."""
    shape = getattr(value, "shape", None)
    return value if shape is None else tuple(shape)
