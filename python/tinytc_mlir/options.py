# SPDX-License-Identifier: BSD-3-Clause
"""All options of the compiler, in one table that the command line is made from, too."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from . import switches
from .errors import LoweringError, describe, got

ABIS = ("packed", "plain")


def _option(default: object, help_: str, *, least: int = 0, in_passes: bool = True) -> Any:  # noqa: ANN401
    """Return a field that callers may set.

    Args:
        default: its value if it is not given.
        help_: what the command line says of it.
        least: the least value of an integer.
        in_passes: whether pipelines have an option of that name.
    """
    metadata = {"help": help_, "least": least, "in_passes": in_passes}
    return dataclasses.field(default=default, metadata=metadata)


@dataclasses.dataclass(frozen=True)
class Options:
    """Target and options of a compilation, with the target resolved.

    Native code has tables of the lines of the program's text if the environment asks for that.

    Args:
        target: name of the target; None is the one that a module was lowered for.
        queue: the device or queue that was given as a target.
        has_lines: whether native code has tables of lines.
    """

    target: str | None = None
    queue: object = None
    has_lines: bool = dataclasses.field(default_factory=switches.DEBUG_DIR.is_on)
    abi: str = _option(
        "packed",
        "parameters of the kernels: packed, the default, or plain, as `tinytc-opt` has them, for "
        "launches by other hosts",
    )
    tuned: bool = _option(False, "use the schedules stored by `tinytc tune`", in_passes=False)
    debug: bool = _option(
        False, "report accesses out of bounds and whatever else the language leaves undefined"
    )
    vector_bytes: int | None = _option(
        None,
        "bytes of a vector register that schedules are for: 16, 32 or 64 for the target cpu; 0 is "
        "typical for the target; by default those of this machine",
    )
    registers: int | None = _option(
        None,
        "registers of a thread on GPUs of Intel: 128 or 256; by default what the cost model "
        "chooses, and 128 for the plain ABI",
        least=1,
    )
    allow_tf32: bool = _option(
        False,
        "compute products of f32 on the matrix unit of intel-gpu:pvc and intel-gpu:bmg, which "
        "ignores the last 13 bits of the factors",
    )

    def given(self) -> list[tuple[str, object]]:
        """Return names and values of the options that are not the default ones."""
        pairs = ((field, getattr(self, field.name)) for field in OPTIONS)
        return [(field.name, value) for field, value in pairs if value != field.default]

    def key(self) -> dict[str, object]:
        """Return what a program depends on besides its source."""
        names = (field.name for field in dataclasses.fields(self) if field.name != "queue")
        return {name: getattr(self, name) for name in names}

    def of_pipeline(self) -> str:
        """Return the options of the pipelines that prepare a module.

        >>> Options("cpu", vector_bytes=64, debug=True).of_pipeline()
        'target=cpu abi=packed debug vector-bytes=64'
        """
        words = [f"target={self.target}"]
        for field in OPTIONS:
            name, value = field.name.replace("_", "-"), getattr(self, field.name)
            if field.metadata["in_passes"] and value not in (None, False):
                words.append(name if value is True else f"{name}={value}")
        return " ".join(words + ["native"] * (self.vector_bytes is None))


#: The options that callers may set, with their defaults.
OPTIONS = tuple(field for field in dataclasses.fields(Options) if field.metadata)


def checked_options(target: str | None, queue: object, **values: object) -> Options:
    """Return options; `LoweringError` says which one has another type or value than it can."""
    from .runtime.launches.integers import checked_integer

    for field in OPTIONS:
        value = values[field.name]
        if field.name == "abi":
            one_of("abi", value, ABIS)
        elif field.default is False and not isinstance(value, bool):
            raise LoweringError(f"expected True or False for {field.name}, got {describe(value)}")
        elif field.default is None and value is not None:
            try:
                least = field.metadata["least"]
                values[field.name] = checked_integer(value, f"for {field.name}", least)
            except ValueError as error:
                raise LoweringError(str(error)) from None
    return Options(target, queue, **values)  # type: ignore[arg-type]  # they have been checked


def one_of(what: str, name: object, choices: Sequence[str]) -> str:
    """Return a name; `LoweringError` says what can be chosen if it is none of the choices."""
    if not isinstance(name, str) or name not in choices:
        raise LoweringError(
            f"expected the {what} to be one of {', '.join(choices)}, {got(name, choices)}"
        )
    return name
