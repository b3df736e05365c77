# SPDX-License-Identifier: BSD-3-Clause
"""The parts of a chain of contractions: statements, their terms, accesses.

`einsum` and `contract` read subscripts and expressions into statements; `kernel_text` plans the
steps of each term, `contraction` writes a step as instructions, `writer` what these have in common,
and `chain` decides which temporaries are in global memory.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from ..shapes import Boxes

Shape: TypeAlias = "Sequence[int | None]"


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A tensor that the caller passes, in packed column-major order.

    Args:
        name: name of the kernel's parameter.
        shape: size of each mode without that of the batch.
        is_batched: whether each group has its own.
        boxes: where elements may be other than zero; None for everywhere.
    """

    name: str
    shape: tuple[int, ...]
    is_batched: bool
    boxes: Boxes | None = None


@dataclasses.dataclass(frozen=True)
class Mode:
    """The part of a mode that an access is about.

    Args:
        index: letter that runs over the part; empty if it is only the element at `start`.
        size: number of elements.
        start: first element.
        whole: size of the mode.
    """

    index: str
    size: int
    start: int
    whole: int


@dataclasses.dataclass(frozen=True)
class Access:
    """A tensor, or part of it, with the indices of its modes.

    Args:
        tensor: name of a parameter or of a temporary.
        modes: all modes of the tensor.
    """

    tensor: str
    modes: tuple[Mode, ...]

    @property
    def indices(self) -> str:
        """The letters of the modes, as often as they occur."""
        return "".join(mode.index for mode in self.modes)

    def broadcast(self, sizes: Mapping[str, int]) -> Access:
        """Return the access without the indices of more elements than the mode has, which is one.

        Args:
            sizes: size of each index.
        """
        modes = (
            mode
            if sizes.get(mode.index, mode.size) == mode.size
            else dataclasses.replace(mode, index="")
            for mode in self.modes
        )
        return Access(self.tensor, tuple(modes))


@dataclasses.dataclass(frozen=True)
class Factor:
    """A product of a number and scalar parameters.

    Args:
        number: the number.
        names: names of the parameters, as often as they occur.
    """

    number: complex = 1
    names: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Term:
    """A factor times a product of tensors, summed over the indices that the target lacks.

    Args:
        factor: the factor.
        accesses: the tensors, at least one.
    """

    factor: Factor
    accesses: tuple[Access, ...]


@dataclasses.dataclass(frozen=True)
class Statement:
    """`target := beta target + terms`.

    Args:
        target: what is written; no index occurs twice.
        beta: factor of the target's old values, which are not read if it is 0.
        terms: at least one; a term is the same along indices that it lacks.
        sizes: size of each index.
        comment: the statement for readers of the text.
    """

    target: Access
    beta: Factor
    terms: tuple[Term, ...]
    sizes: Mapping[str, int]
    comment: str = ""
