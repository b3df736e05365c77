"""Damaged programs: an error or a module that prints, never anything else.

TINYTC_FUZZ_SECONDS sets the number of seconds of the processor, TINYTC_FUZZ_SEED the seed.
"""

import os
import random
import re

import profiles
from programs import generate
from tinytc_mlir import frontend
from tinytc_mlir.errors import CompileError
from tinytc_mlir.frontend.instructions import ALIASES, INSTRUCTIONS, LATER_SPELLINGS
from tinytc_mlir.frontend.printer import to_text

SEED = int(os.environ.get("TINYTC_FUZZ_SEED", "0"))
PIECE = re.compile(r"\s+|[%@$.!]?\w+|.")
EXTRA_WORDS = r"""
( ) [ ] { } < > , : = ? x -> - + * ; " % @ $ . ! \ é func else init yield true nan inf
memref<f32> group< coopmatrix<f32x8x8,matrix_a> strided< local index bool void
0 -1 9223372036854775807 9223372036854775808 1.0 1e400 0x1p-1 300
$n $n=8 !calc(1 !calc {alignment=4} attributes{unroll=true} // #
"""
EXTRA = [
    *INSTRUCTIONS,
    *ALIASES,
    *LATER_SPELLINGS,
    *EXTRA_WORDS.split(),
    "\n",
    "\0",
    "; comment\n",
    "!calc(8 2 /)",
]


def damaged(rng: random.Random, text: str) -> str:
    """Return a program with a few pieces removed, repeated, swapped or inserted."""
    pieces = PIECE.findall(text)
    for _ in range(rng.choice((0, 1, 1, 2, 3, 8))):
        if not pieces:
            break
        at, other = rng.randrange(len(pieces)), rng.randrange(len(pieces))
        action = rng.randrange(6)
        if action == 0:
            del pieces[at : at + rng.randint(1, 3)]
        elif action == 1:
            pieces.insert(at, pieces[other])
        elif action == 2:
            pieces[at], pieces[other] = pieces[other], pieces[at]
        elif action == 3:
            pieces.insert(at, rng.choice(EXTRA))
        elif action == 4:
            pieces[at] = rng.choice(EXTRA)
        else:
            pieces[at] = pieces[at][:1] + chr(rng.randrange(1, 256)) + pieces[at][1:]
    return "".join(pieces)


def check(text: str) -> bool:
    """Return whether a text is a program; its diagnostics or its printed form are sound."""
    try:
        module = frontend.parse(text, "fuzz.ir")
    except CompileError as error:
        assert error.diagnostics
        for diagnostic in error.diagnostics:
            assert diagnostic.message
            assert len(str(diagnostic)) < 5000
        return False
    canonical = to_text(module)
    assert to_text(frontend.parse(canonical)) == canonical
    formatted = frontend.format_source(text)
    assert frontend.format_source(formatted) == formatted
    assert str(frontend.parse(formatted)) == str(module)
    return True


def test_damaged_programs() -> None:
    counts = {True: 0, False: 0}
    for seed in map(SEED.__add__, profiles.fuzz_rounds()):
        rng = random.Random(seed)
        text = damaged(rng, generate(rng, count=rng.randint(1, 6)))
        try:
            counts[check(text)] += 1
        except Exception as error:
            raise AssertionError(f"seed {seed}:\n{text}") from error
    print(f"{counts[True]} programs, {counts[False]} refused")
    assert min(counts.values()) > 0
