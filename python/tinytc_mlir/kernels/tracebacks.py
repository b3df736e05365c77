# SPDX-License-Identifier: BSD-3-Clause
"""Kernels as Python shows them: help as of functions, and tracebacks of the caller's code alone."""

from __future__ import annotations

import functools
import pathlib
import types
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from ..errors import TinyTCError

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")
_Object = TypeVar("_Object")
_HIDDEN = (str(pathlib.Path(__file__).parents[1]), functools.__file__)  # and cached properties


class ShownAsFunction:
    """An object that `help` shows as the function that it was made of, with its signature."""

    def __get__(self: _Object, instance: object, owner: object = None) -> _Object:
        """Return the object: `inspect.isroutine` looks for this method."""
        return self

    def _show_as(self, function: object) -> None:
        functools.update_wrapper(self, function, updated=())  # type: ignore[arg-type]
        del self.__dict__["__wrapped__"]  # help shows the kernel, not the function


def without_frames(error: BaseException) -> None:
    """Remove this package's frames from a traceback.

    A `raise` without operands that follows does not add the frame that it is in (since Python
    3.11; before, the frames that the error has passed stay).
    """
    kept = []
    at = error.__traceback__
    while at is not None:
        if not at.tb_frame.f_code.co_filename.startswith(_HIDDEN):
            kept.append(at)
        at = at.tb_next
    found = None
    for each in reversed(kept):
        found = types.TracebackType(found, each.tb_frame, each.tb_lasti, each.tb_lineno)
    error.__traceback__ = found


def hidden_frames(
    function: Callable[_Parameters, _Result],
) -> Callable[_Parameters, _Result]:
    """Return a function whose errors have no frames of this package."""

    @functools.wraps(function)
    def called(*args: _Parameters.args, **named: _Parameters.kwargs) -> _Result:
        try:
            return function(*args, **named)
        except TinyTCError as error:
            without_frames(error)
            raise

    return called
