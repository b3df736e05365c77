# SPDX-License-Identifier: BSD-3-Clause
"""The forms of instructions of PTX that run, word for word and operand for operand.

An instruction in no form is `Unsupported`: no modifier is ignored. Sources: the PTX ISA's sections
on each instruction, "Syntax".
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from ..findings import Unsupported
from .operands import SPECIAL, Instruction

_SETS = {
    "FLOAT": "f16/bf16/f32/f64",
    "HALVES": "f16x2/bf16x2",
    "SHORTS": "u16x2/s16x2",
    "SIGNED": "s16/s32/s64",
    "INTEGER": "u16/u32/u64/s16/s32/s64",
    "NARROW": "u16/u32/s16/s32",
    "ANY": "u8/u16/u32/u64/s8/s16/s32/s64",
    "BITS": "b16/b32/b64",
    "ELEMENT": "b8/b16/b32/b64/u8/u16/u32/u64/s8/s16/s32/s64/f32/f64",
    "SPACE": "global/shared",
    "SCOPE": "cta/gpu/sys",
    "ORDER": "relaxed/acquire/release/acq_rel",
}

#: Opcodes, modifiers and operands. Of modifiers, `a/b` is one of several and `a?` may be missing.
#: Operands are d (a register for the result, or _), s (a register, a number or a variable), r (a
#: register or a number), p (a predicate, negated, or a number), n (no number), q (a predicate's
#: register), e (a register, and perhaps one for a predicate), m (an address), i (a number), 0
#: (zero) and l (a label); a vector of so many has their count, or N if the modifiers say it.
FORMS = (
    ("add sub mul", "rn? FLOAT", "d s s"),
    ("add sub mul", "rn? HALVES", "d s s"),
    ("add sub", "rn? f32 f16/bf16", "d s s"),
    ("add sub", "INTEGER", "d s s"),
    ("add sub min max", "SHORTS", "d s s"),
    ("mul", "lo/hi INTEGER", "d s s"),
    ("mul", "wide NARROW", "d s s"),
    ("mad", "lo/hi INTEGER", "d s s s"),
    ("mad", "wide NARROW", "d s s s"),
    ("fma", "rn FLOAT", "d s s s"),
    ("fma", "rn HALVES", "d s s s"),
    ("fma", "rn f32 f16/bf16", "d s s s"),
    ("mad", "rn f32/f64", "d s s s"),
    ("div rem", "INTEGER", "d s s"),
    ("div", "rn f32/f64", "d s s"),
    ("div", "approx/full f32", "d s s"),
    ("min max", "INTEGER", "d s s"),
    ("min max", "f64", "d s s"),
    ("min max", "NaN? f16/bf16/f32", "d s s"),
    ("min max", "NaN? HALVES", "d s s"),
    ("neg abs", "SIGNED", "d s"),
    ("neg abs", "FLOAT", "d s"),
    ("neg abs", "HALVES", "d s"),
    ("copysign", "f32/f64", "d s s"),
    ("and or xor", "BITS", "d s s"),
    ("and or xor", "pred", "q p p"),
    ("not cnot", "BITS", "d s"),
    ("not", "pred", "q p"),
    ("shl", "BITS", "d s s"),
    ("shr", "BITS", "d s s"),
    ("shr", "INTEGER", "d s s"),
    ("shf", "l/r clamp/wrap b32", "d s s s"),
    ("bfe", "u32/u64/s32/s64", "d s s s"),
    ("prmt", "b32", "d s s s"),
    ("lop3", "b32", "d s s s i"),
    ("popc clz brev", "b32/b64", "d s"),
    ("selp", "BITS", "d s s p"),
    ("selp", "INTEGER", "d s s p"),
    ("selp", "f32/f64", "d s s p"),
    ("setp", "eq/ne BITS", "q s s"),
    ("setp", "eq/ne/lt/le/gt/ge INTEGER", "q s s"),
    ("setp", "lo/ls/hi/hs u16/u32/u64", "q s s"),
    ("setp", "eq/ne/lt/le/gt/ge/equ/neu/ltu/leu/gtu/geu/num/nan FLOAT", "q s s"),
    ("setp", "eq/ne/lt/le/gt/ge and/or/xor INTEGER", "q s s p"),
    ("setp", "eq/ne/lt/le/gt/ge/equ/neu/ltu/leu/gtu/geu and/or/xor FLOAT", "q s s p"),
    ("testp", "finite/infinite/number/notanumber f32/f64", "q s"),
    ("ex2 lg2 sin cos tanh rcp sqrt rsqrt", "approx f32", "d s"),
    ("rcp sqrt", "rn f32/f64", "d s"),
    ("mov", "pred", "q p"),
    ("mov", "BITS", "d s"),
    ("mov", "INTEGER", "d s"),
    ("mov", "f32/f64", "d s"),
    ("mov", "b32/b64", "d s2"),
    ("mov", "b32/b64", "d s4"),
    ("mov", "b32/b64", "d2 s"),
    ("mov", "b32/b64", "d4 s"),
    ("cvt", "ANY ANY", "d s"),
    ("cvt", "rni/rzi/rmi/rpi ANY FLOAT", "d s"),
    ("cvt", "rn f16/f32/f64 ANY", "d s"),
    ("cvt", "rn bf16 u8/u16/u32/s8/s16/s32", "d s"),
    ("cvt", "f32 f16/bf16", "d s"),
    ("cvt", "f64 f16/bf16/f32", "d s"),
    ("cvt", "rn f16/bf16 f32/f64", "d s"),
    ("cvt", "rn f32 f64", "d s"),
    ("cvt", "rni/rzi/rmi/rpi f16 f16", "d s"),
    ("cvt", "rni/rzi/rmi/rpi f32 f32", "d s"),
    ("cvt", "rni/rzi/rmi/rpi f64 f64", "d s"),
    ("cvt", "rn HALVES f32", "d s s"),
    ("ld", "volatile? global/shared/local v2/v4? ELEMENT", "dN m"),
    ("ld", "relaxed/acquire SCOPE SPACE v2/v4? ELEMENT", "dN m"),
    ("ld", "global nc v2/v4? ELEMENT", "dN m"),
    ("ld", "const/param v2/v4? ELEMENT", "dN m"),
    ("st", "volatile? global/shared/local v2/v4? ELEMENT", "m sN"),
    ("st", "relaxed/release SCOPE SPACE v2/v4? ELEMENT", "m sN"),
    ("atom", "ORDER? SCOPE? SPACE exch b32/b64", "d m s"),
    ("atom", "ORDER? SCOPE? SPACE cas BITS", "d m s s"),
    ("atom", "ORDER? SCOPE? SPACE add u32/s32/u64/f32/f64", "d m s"),
    ("atom", "ORDER? SCOPE? SPACE add noftz f16/bf16", "d m s"),
    ("atom", "ORDER? SCOPE? SPACE min/max u32/s32/u64/s64", "d m s"),
    ("atom", "ORDER? SCOPE? SPACE and/or/xor b32/b64", "d m s"),
    ("atom", "ORDER? SCOPE? SPACE inc/dec u32", "d m s"),
    ("red", "relaxed/release? SCOPE? SPACE add u32/s32/u64/f32/f64", "m s"),
    ("red", "relaxed/release? SCOPE? SPACE add noftz f16/bf16", "m s"),
    ("red", "relaxed/release? SCOPE? SPACE min/max u32/s32/u64/s64", "m s"),
    ("red", "relaxed/release? SCOPE? SPACE and/or/xor b32/b64", "m s"),
    ("red", "relaxed/release? SCOPE? SPACE inc/dec u32", "m s"),
    ("cp", "async ca/cg shared global L2::64B/L2::128B/L2::256B?", "m m i"),
    ("cp", "async ca/cg shared global L2::64B/L2::128B/L2::256B?", "m m i s"),
    ("cp", "async commit_group", ""),
    ("cp", "async wait_all", ""),
    ("cp", "async wait_group", "i"),
    ("membar", "cta/gl/sys", ""),
    ("fence", "sc/acq_rel SCOPE", ""),
    ("prefetch", "global L1/L2", "m"),
    ("nanosleep", "u32", "s"),
    ("bra", "uni?", "l"),
    ("ret exit", "uni?", ""),
    ("trap", "", ""),
    ("bar", "cta? sync", "0"),
    ("barrier", "cta? sync aligned?", "0"),
    ("bar", "warp sync", "r"),
    ("shfl", "sync up/down/bfly/idx b32", "e r r r r"),
    ("redux", "sync add/min/max u32/s32", "d r r"),
    ("redux", "sync and/or/xor b32", "d r r"),
    ("vote", "sync all/any/uni pred", "q n r"),
    ("vote", "sync ballot b32", "d n r"),
    ("activemask", "b32", "d"),
    ("mma", "sync aligned m16n8k8 row col f32 f16 f16 f32", "d4 r2 r1 r4"),
    ("mma", "sync aligned m16n8k8 row col f16 f16 f16 f16", "d2 r2 r1 r2"),
    ("mma", "sync aligned m16n8k8 row col f32 bf16 bf16 f32", "d4 r2 r1 r4"),
    ("mma", "sync aligned m16n8k16 row col f32 f16 f16 f32", "d4 r4 r2 r4"),
    ("mma", "sync aligned m16n8k16 row col f16 f16 f16 f16", "d2 r4 r2 r2"),
    ("mma", "sync aligned m16n8k16 row col f32 bf16 bf16 f32", "d4 r4 r2 r4"),
    ("mma", "sync aligned m16n8k4 row col f32 tf32 tf32 f32", "d4 r2 r1 r4"),
    ("mma", "sync aligned m16n8k8 row col f32 tf32 tf32 f32", "d4 r4 r2 r4"),
    ("mma", "sync aligned m8n8k4 row col f64 f64 f64 f64", "d2 r1 r1 r2"),
    ("mma", "sync aligned m16n8k4 row col f64 f64 f64 f64", "d4 r2 r1 r4"),
    ("mma", "sync aligned m16n8k8 row col f64 f64 f64 f64", "d4 r4 r2 r4"),
    ("mma", "sync aligned m16n8k16 row col f64 f64 f64 f64", "d4 r8 r4 r4"),
    ("mma", "sync aligned m16n8k16 row col s32 s8/u8 s8/u8 s32", "d4 r2 r1 r4"),
    ("mma", "sync aligned m16n8k32 row col s32 s8/u8 s8/u8 s32", "d4 r4 r2 r4"),
)

_REGISTER = r"%\w+"
_NUMBER = r"[-+]?(?:0[xX][\da-fA-F]+|0|[1-9]\d*)"
_FLOAT = r"0[fF][\da-fA-F]{8}|0[dD][\da-fA-F]{16}"
_NAME = r"[A-Za-z_$][\w$]*"
_OFFSET = r"\s*\+\s*-?\d+"
_SOURCE = rf"(?:{SPECIAL.pattern}|{_REGISTER}|{_FLOAT}|{_NUMBER}U?|{_NAME}(?:{_OFFSET})?)"
_TARGET = rf"(?:{_REGISTER}|_)"
_OPERANDS = {
    "d": _TARGET,
    "s": _SOURCE,
    "r": rf"(?:{_REGISTER}|{_FLOAT}|{_NUMBER}U?)",
    "p": rf"!?{_REGISTER}|{_NUMBER}",
    "n": rf"!?{_REGISTER}",
    "q": _REGISTER,
    "e": rf"{_REGISTER}(?:\|{_REGISTER})?",
    "m": rf"\[\s*(?:{_REGISTER}|{_NAME})(?:{_OFFSET})?\s*\]",
    "i": _NUMBER,
    "0": "0",
    "l": _NAME,
}


def _choices(word: str) -> list[str]:
    """Return what a word of the modifiers may be, empty if it may be missing."""
    name = word.removesuffix("?")
    return [*_SETS.get(name, name).split("/"), *[""] * word.endswith("?")]


def expanded(modifiers: str) -> Iterator[tuple[str, ...]]:
    """Yield all modifiers of a form.

    >>> list(expanded("rn? f32/f64"))
    [('rn', 'f32'), ('rn', 'f64'), ('f32',), ('f64',)]
    """
    for words in itertools.product(*map(_choices, modifiers.split())):
        yield tuple(filter(None, words))


def _pattern(operand: str, words: tuple[str, ...]) -> re.Pattern[str]:
    kind, count = operand[0], operand[1:]
    if count == "N":
        count = next((word[1:] for word in words if word in ("v2", "v4")), "")
    pattern = _OPERANDS[kind]
    if count:
        vector = rf"\{{\s*{pattern}(?:\s*,\s*{pattern}){{{int(count) - 1}}}\s*\}}"
        pattern = f"{pattern}|{vector}" if count == "1" else vector
    return re.compile(pattern)


def _table() -> dict[tuple[str, ...], list[list[re.Pattern[str]]]]:
    table: dict[tuple[str, ...], list[list[re.Pattern[str]]]] = {}
    for opcodes, modifiers, operands in FORMS:
        for opcode, words in itertools.product(opcodes.split(), expanded(modifiers)):
            patterns = [_pattern(operand, words) for operand in operands.split()]
            table.setdefault((opcode, *words), []).append(patterns)
    return table


_TABLE = _table()


def check(ins: Instruction) -> None:
    """Check that an instruction has a form that runs.

    Raises:
        Unsupported: it has another opcode, modifier or operand.
    """
    if not any(_fit(ins.operands, patterns) for patterns in _TABLE.get(ins.words, [])):
        raise Unsupported(ins.text, ins.line)


def _fit(operands: Sequence[str], patterns: Sequence[re.Pattern[str]]) -> bool:
    return len(patterns) == len(operands) and all(
        pattern.fullmatch(operand) for pattern, operand in zip(patterns, operands, strict=True)
    )
