# SPDX-License-Identifier: BSD-3-Clause
"""Functions of Python that kernels may call, marked with `@tt.inline`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .source import FunctionSource, global_name, restored_source, source_of
from .tracebacks import ShownAsFunction, hidden_frames


class InlineFunction(ShownAsFunction):
    """A function marked with `@tt.inline`: kernels that call it contain its instructions.

    Args:
        source: the function as it is written.
        function: the function itself, which Python may call too; None in a pickle.
    """

    def __init__(self, source: FunctionSource, function: Callable[..., Any] | None) -> None:
        self.inlined_source = source
        self.inlined_function = function
        if function is not None:
            functools.update_wrapper(self, function, updated=())

    def __call__(self, *values: object, **named: object) -> object:
        """Call the function itself, which works on numbers and NumPy arrays."""
        assert self.inlined_function is not None
        return self.inlined_function(*values, **named)

    def __reduce__(self) -> Any:  # noqa: ANN401, also a name
        return global_name(self) or (_restored_inline, (self.inlined_source.state(),))


def _restored_inline(state: tuple[Any, ...]) -> InlineFunction:
    return InlineFunction(restored_source(*state), None)


@hidden_frames
def inline(function: Callable[..., Any]) -> InlineFunction:
    """Return a function that kernels may call, and Python too.

    Args:
        function: its parameters need no types; `return` may be in its branches, not in loops.

    Raises:
        ParseError: the source of the function cannot be read, or has changed since.
    """
    return InlineFunction(source_of(function), function)
