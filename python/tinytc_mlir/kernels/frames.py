# SPDX-License-Identifier: BSD-3-Clause
"""Tracebacks of errors in kernels, which show the caller's code alone."""

from __future__ import annotations

import functools
import pathlib
import types
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from ..errors import TinyTCError

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")
_HIDDEN = (str(pathlib.Path(__file__).parents[1]), functools.__file__)  # and cached properties


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
