# SPDX-License-Identifier: BSD-3-Clause
"""Lowers a module stage by stage, with the files of TINYTC_DUMP_DIR and TINYTC_OVERRIDE_DIR."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .errors import LoweringError
from .runtime.tracing import dumps

if TYPE_CHECKING:
    from mlir import ir


class Lowered(NamedTuple):
    """A module at the last stage.

    Args:
        operation: with what the files of the user say.
        plain: without; None if it cannot be lowered.
    """

    operation: ir.Operation
    plain: ir.Operation | None


def lower_in_steps(
    operation: ir.Operation,
    stages: Sequence[str],
    advance: Callable[[ir.Operation, str, str], None],
    read: Callable[[bytes, str, str], ir.Operation],
    folder: str,
) -> Lowered:
    """Return a module at the last of some stages; each is written, and may be replaced by a file.

    A file that is what the compiler makes without any file does not count as edited, so that a
    whole dump may be copied.

    Args:
        operation: the module at the first stage; it is changed in place.
        stages: the stages in their order.
        advance: lowers a module in place from a stage to the next.
        read: returns the module in a file, given its contents, its name and the stage.
        folder: the program's folder.

    Raises:
        LoweringError: a stage cannot lower the module.
        VerificationError: a file is no valid module of its stage.
    """
    edited, plain = operation, None
    is_plain = True  # whether no file has been taken so far
    for number, stage in enumerate(stages):
        if number:
            if plain is not None:
                plain = _advanced(plain, advance, stages[number - 1], stage)
            advance(edited, stages[number - 1], stage)
        name = f"{stage}.mlir"
        given = dumps.replacement(folder, name)
        if given is not None:
            path, data = given
            made = edited if is_plain else plain
            if made is None or data.strip() != printed(made, stage).encode().strip():
                replacement = read(data, str(path), stage)
                plain, is_plain = made, False
                edited = replacement
        dumps.write(folder, name, printed(edited, stage))
    return Lowered(edited, edited if is_plain else plain)


def _advanced(
    plain: ir.Operation, advance: Callable[[ir.Operation, str, str], None], old: str, new: str
) -> ir.Operation | None:
    """Return a module at the next stage, None if the compiler cannot lower it without a file."""
    try:
        advance(plain, old, new)
    except LoweringError:
        return None
    return plain


def printed(operation: ir.Operation, stage: str) -> str:
    """Return a module as `Module` prints it."""
    return f"{operation.get_asm(use_name_loc_as_prefix=stage == 'tinytc')}".rstrip() + "\n"
