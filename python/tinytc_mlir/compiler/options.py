# SPDX-License-Identifier: BSD-3-Clause
"""The options of `Module.compile` and `Module.lower` besides the target."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from .. import switches
from ..errors import LoweringError, describe, got
from ..runtime.launches.integers import checked_integer

ABIS = ("packed", "plain")


@dataclasses.dataclass(frozen=True)
class Options:
    """The options of `Module.compile` and `Module.lower` besides the target.

    Native code has tables of the lines of the program's text if the environment asks for that.
    """

    abi: str
    vector_bytes: int | None
    registers: int | None
    allow_tf32: bool
    tuned: bool
    debug: bool
    has_lines: bool = dataclasses.field(default_factory=switches.DEBUG_DIR.is_on)

    def given(self) -> list[tuple[str, object]]:
        """Return names and values of the options that are not the default ones."""
        default = Options("packed", None, None, allow_tf32=False, tuned=False, debug=False)
        pairs = zip(dataclasses.astuple(self), dataclasses.astuple(default), strict=True)
        names = (field.name for field in dataclasses.fields(self))
        return [
            (name, value)
            for name, (value, usual) in zip(names, pairs, strict=True)
            if value != usual
        ]

    def of_pipeline(self, target: str) -> str:
        """Return the options of the pipelines that prepare a module."""
        flags = {
            "native": self.vector_bytes is None,
            "allow-tf32": self.allow_tf32,
            "debug": self.debug,
        }
        words = [f"target={target}", f"abi={self.abi}", *(name for name, on in flags.items() if on)]
        words += [] if self.registers is None else [f"registers={self.registers}"]
        return " ".join(words)


def checked_options(
    abi: object,
    vector_bytes: object,
    registers: object,
    allow_tf32: object,
    tuned: object,
    debug: object,
) -> Options:
    """Return options; `LoweringError` says which one has another type or value than it can."""
    abi = one_of("abi", abi, ABIS)
    _check_flags(allow_tf32=allow_tf32, tuned=tuned, debug=debug)
    try:
        if vector_bytes is not None:
            vector_bytes = checked_integer(vector_bytes, "for vector_bytes", 0)
        if registers is not None:
            registers = checked_integer(registers, "for registers", 1)
    except ValueError as error:
        raise LoweringError(str(error)) from None
    return Options(abi, vector_bytes, registers, bool(allow_tf32), bool(tuned), bool(debug))


def _check_flags(**flags: object) -> None:
    for option, value in flags.items():
        if not isinstance(value, bool):
            raise LoweringError(f"expected True or False for {option}, got {describe(value)}")


def one_of(what: str, name: object, choices: Sequence[str]) -> str:
    """Return a name; `LoweringError` says what can be chosen if it is none of the choices."""
    if not isinstance(name, str) or name not in choices:
        raise LoweringError(
            f"expected the {what} to be one of {', '.join(choices)}, {got(name, choices)}"
        )
    return name
