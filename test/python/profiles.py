"""The tests of a commit, and those of a night.

`TINYTC_TEST_PROFILE` is `commit` or `nightly`; `bash test/run.sh --nightly` sets it. In a commit
every test runs, but what repeats itself on other targets, in other orders or with other tools runs
in turns.
"""

import functools
import itertools
import os
import pathlib
import random
import subprocess
import zlib

PROFILES = ("commit", "nightly")
PROFILE = os.environ.get("TINYTC_TEST_PROFILE", PROFILES[0])
if PROFILE not in PROFILES:
    raise ValueError(f"expected TINYTC_TEST_PROFILE to be commit or nightly, got {PROFILE!r}")
IS_NIGHTLY = PROFILE == "nightly"

FIRST_KERNEL = 0 if IS_NIGHTLY else 12
"""The seed with which samples of random kernels begin.

Kernels 3 and 11 solve in subgroups of 64, which takes compilers up to 40 s of processor time.
"""

_FUZZ_SECONDS = float(os.environ.get("TINYTC_FUZZ_SECONDS", "120" if IS_NIGHTLY else "2"))


def fuzz_rounds():
    """Count the rounds of a test that goes on for as long as one likes, one at least.

    Their processor time counts, with that of processes that have ended.
    """
    end = sum(os.times()[:4]) + _FUZZ_SECONDS
    for number in itertools.count():
        yield number
        if sum(os.times()[:4]) >= end:
            return


@functools.cache
def turn():
    """Return a number that changes from commit to commit, so that samples rotate.

    `TINYTC_TEST_TURN` gives it; 0 outside of a checkout.
    """
    given = os.environ.get("TINYTC_TEST_TURN")
    if given is not None:
        return int(given)
    command, folder = ["git", "rev-parse", "HEAD"], pathlib.Path(__file__).parent
    try:
        found = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    except OSError:
        return 0
    return int(found.stdout[:8] or "0", 16)


def in_turns(choices, key):
    """Return all choices at night; in a commit the one that a text decides.

    Args:
        choices: what a test could be repeated for.
        key: text that is the same in each run, such as the name of a test.
    """
    choices = list(choices)
    if IS_NIGHTLY or not choices:
        return choices
    return [choices[zlib.crc32(key.encode()) % len(choices)]]


def some_of(cases, key):
    """Return all cases at night; in a commit one of each ten if there are many, two of a few.

    Args:
        cases: similar cases, of which each takes time.
        key: text that is the same in each run, which decides which they are.
    """
    cases = list(cases)
    step = 1 if IS_NIGHTLY else min(10, 1 + max(0, len(cases) - 1) // 2)
    rng = random.Random(key)  # with a fixed distance, all could have the same type
    parts = (cases[first : first + step] for first in range(0, len(cases), step))
    return [rng.choice(similar) for similar in parts]
