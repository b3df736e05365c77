"""Kernels of debug builds that do what the language leaves undefined.

Arrays are in USM memory between guard zones, so a store that goes beyond them is found.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import tinytc_mlir as tt
from cases.memory import GUARD
from interpreting import at
from tinytc_mlir.compiler import ABIS


class Guarded:
    """An array between two guard zones.

    Args:
        values: what the array holds.
    """

    def __init__(self, values: Any) -> None:
        values = np.asarray(values)
        size = values.size + 2 * GUARD
        self._initial = np.full(size, 77, values.dtype)
        self._data = tt.empty(size, values.dtype)
        for data in (self._initial, self._data):
            self._view(data, values.shape)[...] = values
        self._data[:GUARD] = self._data[-GUARD:] = 77
        self.array = self._view(self._data, values.shape)

    @staticmethod
    def _view(data: Any, shape: tuple[int, ...]) -> Any:
        return np.ndarray(shape, data.dtype, data, GUARD * data.itemsize, order="F")

    @property
    def guards_are_untouched(self) -> bool:
        """Whether the elements around the array have their values."""
        return bool((self._data[:GUARD] == 77).all() and (self._data[-GUARD:] == 77).all())

    @property
    def is_untouched(self) -> bool:
        """Whether all elements have their values."""
        return self._data.tobytes() == self._initial.tobytes()


def launch(
    text: str, *values: Any, groups: Any = 1, **options: Any
) -> tuple[tt.CheckError | None, list[Any]]:
    """Return what a debug build of a program reports, and the arrays after it.

    Each array is put between guard zones, which must not change. The kernel is launched twice:
    what one launch has reported does not concern the next one.
    """
    kernel = tt.Context().parse(text, "test.ir").compile(debug=True, **options)["f"]
    errors = []
    for _ in range(2):
        guarded: list[Guarded] = []
        arguments = [_guarded(value, guarded) for value in values]
        try:
            kernel(*arguments, groups=groups)
        except tt.CheckError as error:
            errors.append(error)
        assert all(array.guards_are_untouched for array in guarded)
    messages = {_without_agent(error) for error in errors}
    assert len(errors) in (0, 2), "one launch reports what the other does not"
    assert len(messages) <= 1
    return errors[0] if errors else None, guarded


def _guarded(value: Any, all_: list[Guarded]) -> Any:
    if isinstance(value, list):
        return [_guarded(member, all_) for member in value]
    if not isinstance(value, np.ndarray):
        return value
    all_.append(Guarded(value))
    return all_[-1].array


def _without_agent(error: tt.CheckError) -> str:
    """Which of several violations is reported is a matter of chance, but not where it is."""
    diagnostic = error.diagnostics[0]
    return f"{diagnostic.line}:{diagnostic.column}"


def expect(text: str, message: str, *values: Any, **options: Any) -> list[Any]:
    """Check that both kinds of debug build report the instruction after `@@ ` and live on.

    Returns:
        the arrays after the launch with the plain ABI.
    """
    place = at(text, "@@ ")
    for abi in ABIS:
        error, arrays = launch(text.replace("@@ ", "   "), *values, abi=abi, **options)
        assert error is not None
        (diagnostic,) = error.diagnostics
        assert message in diagnostic.message
        assert (diagnostic.filename, diagnostic.line, diagnostic.column) == ("test.ir", *place)
    return arrays


def expect_nothing(text: str, *values: Any, **options: Any) -> list[Any]:
    """Check that no debug build reports anything; return the arrays after the launch."""
    for abi in ABIS:
        error, arrays = launch(text, *values, abi=abi, **options)
        assert error is None, str(error)
    return [guarded.array for guarded in arrays]
