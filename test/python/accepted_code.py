"""Code that spirv-val, ocloc, ptxas and tileiras are known to take, so that they need not again.

`accepted_code.txt` has 40 bits of the SHA-256 of each tool, its options and the code. After a
change of code, `pytest -n auto --accept-code` replaces it by that of all tests. Without this, tests
take longer, but check the same.
"""

import hashlib
import pathlib
import textwrap
from collections.abc import Callable

import profiles

FILE = pathlib.Path(__file__).with_suffix(".txt")
ACCEPTED = frozenset(FILE.read_text(encoding="utf-8").split() if FILE.exists() else ())
taken: set[str] = set()
"""Digests of what tools took, and would have taken, in the tests of this process."""


def check_once(tool: str, code: bytes, check: Callable[[], object]) -> None:
    """Check code with a tool that has not taken it before; at night, whether it has or not.

    Args:
        tool: the tool and its options.
        code: SPIR-V, PTX or bytecode.
        check: runs the tool; raises an error if it does not take the code.
    """
    digest = hashlib.sha256(f"{tool} ".encode() + code).hexdigest()[:10]
    if profiles.IS_NIGHTLY or digest not in ACCEPTED:
        check()
    taken.add(digest)


def write() -> None:
    """Replace the digests of the file by those of this run."""
    FILE.write_text(textwrap.fill(" ".join(sorted(taken)), 99) + "\n", encoding="utf-8")
