"""SPIR-V that ocloc is known to compile, so that it need not do so again.

`accepted_spirv.txt` has a line for each: the SHA-256 of GPU, registers and SPIR-V. After a change
of code for GPUs, `python test/python/race/accept_spirv.py` compiles what is new and writes it.
"""

import hashlib
import pathlib

import profiles

FILE = pathlib.Path(__file__).with_suffix(".txt")
ACCEPTED = frozenset(FILE.read_text(encoding="utf-8").split())
used = set()
"""Digests of what this process was asked for."""


def is_accepted(gpu, registers, spirv):
    """Whether ocloc has compiled SPIR-V before; at night nothing counts as such."""
    digest = hashlib.sha256(f"{gpu} {registers} ".encode() + spirv).hexdigest()
    used.add(digest)
    return digest in ACCEPTED and not profiles.IS_NIGHTLY
