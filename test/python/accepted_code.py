"""Code that spirv-val, ocloc, ptxas and tileiras are known to take, so that they need not again.

`build/accepted_code.txt` has 40 bits of the SHA-256 of each tool, its options and the code. Tests
that pass write it.
"""

import hashlib
import pathlib
from collections.abc import Callable

import profiles

FILE = pathlib.Path(__file__).parents[2] / "build" / "accepted_code.txt"
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
    """Add the digests of this run to the file."""
    if not taken <= ACCEPTED:
        FILE.parent.mkdir(exist_ok=True)
        FILE.write_text("\n".join(sorted(ACCEPTED | taken)) + "\n", encoding="utf-8")
