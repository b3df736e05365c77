"""Whole valid programs made at random; every instruction and every type can appear.

`generate(random.Random(seed))` is reproducible without hypothesis; `programs()` is the
strategy for property tests. Tests in other folders may use both.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Collection

from hypothesis import strategies as st

from program_instructions import CHOICES
from program_maker import Maker

INSTRUCTION_NAMES = tuple(name for choice in CHOICES for name in choice.names)
"""Every instruction that the generator can write."""


def generate(
    rng: random.Random,
    count: int = 8,
    must_use: str | None = None,
    names: Collection[str] = INSTRUCTION_NAMES,
) -> str:
    """Return the text of a random program.

    Args:
        rng: source of all choices.
        count: number of instructions of each body, not counting what they need.
        must_use: name of an instruction that the program must contain.
        names: instructions that the program may contain.
    """
    allowed = [
        dataclasses.replace(choice, names=kept)
        for choice in CHOICES
        if (kept := tuple(name for name in choice.names if name in names))
    ]
    texts = []
    for number in range(rng.randint(1, 2)):
        maker = Maker(rng, f"kernel_{number}", allowed)
        texts.append(maker.function(count, must_use if number == 0 else None))
    return "\n".join(texts)


@st.composite
def programs(draw: st.DrawFn, must_use: str | None = None, max_count: int = 8) -> str:
    """Strategy for the texts of programs."""
    rng = draw(st.randoms(use_true_random=False))
    return generate(rng, draw(st.integers(0, max_count)), must_use)
