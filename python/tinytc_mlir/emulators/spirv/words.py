# SPDX-License-Identifier: BSD-3-Clause
"""Instructions of SPIR-V as words: their names, identifiers as `%7`, and what enumerations say.

Source: the SPIR-V specification, "Binary Form", and OpenCL's extended instructions.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Callable, Iterator, Sequence

INSTRUCTIONS: dict[int, tuple[str, str]] = {
    0: ("Nop", ""),
    1: ("Undef", "tr"),
    2: ("SourceContinued", "?"),
    3: ("Source", "?"),
    4: ("SourceExtension", "?"),
    5: ("Name", "?"),
    6: ("MemberName", "?"),
    7: ("String", "r?"),
    8: ("Line", "?"),
    10: ("Extension", "s"),
    11: ("ExtInstImport", "rs"),
    12: ("ExtInst", "trieI"),
    14: ("MemoryModel", "nn"),
    15: ("EntryPoint", "nisI"),
    16: ("ExecutionMode", "iM"),
    17: ("Capability", "n"),
    19: ("TypeVoid", "r"),
    20: ("TypeBool", "r"),
    21: ("TypeInt", "rN"),
    22: ("TypeFloat", "rN"),
    23: ("TypeVector", "rin"),
    28: ("TypeArray", "rii"),
    32: ("TypePointer", "rSi"),
    33: ("TypeFunction", "rI"),
    41: ("ConstantTrue", "tr"),
    42: ("ConstantFalse", "tr"),
    43: ("Constant", "trc"),
    46: ("ConstantNull", "tr"),
    50: ("Constant", "trc"),  # of specializations, which launches leave as they are
    54: ("Function", "trni"),
    55: ("FunctionParameter", "tr"),
    56: ("FunctionEnd", ""),
    59: ("Variable", "trSI"),
    61: ("Load", "trim"),
    62: ("Store", "iim"),
    71: ("Decorate", "iD"),
    79: ("VectorShuffle", "triiN"),
    81: ("CompositeExtract", "triN"),
    82: ("CompositeInsert", "triiN"),
    224: ("ControlBarrier", "I"),
    225: ("MemoryBarrier", "I"),
    228: ("AtomicStore", "I"),
    246: ("LoopMerge", "ii?"),
    247: ("SelectionMerge", "i?"),
    248: ("Label", "r"),
    249: ("Branch", "i"),
    250: ("BranchConditional", "iiiN"),
    251: ("Switch", "iiN"),
    253: ("Return", ""),
    255: ("Unreachable", ""),
    264: ("GroupIAdd", "trigI"),
    265: ("GroupFAdd", "trigI"),
    266: ("GroupFMin", "trigI"),
    267: ("GroupUMin", "trigI"),
    268: ("GroupSMin", "trigI"),
    269: ("GroupFMax", "trigI"),
    270: ("GroupUMax", "trigI"),
    271: ("GroupSMax", "trigI"),
    317: ("NoLine", ""),
    330: ("ModuleProcessed", "?"),
    349: ("GroupNonUniformIAdd", "trigI"),
    350: ("GroupNonUniformFAdd", "trigI"),
    351: ("GroupNonUniformIMul", "trigI"),
    352: ("GroupNonUniformFMul", "trigI"),
    353: ("GroupNonUniformSMin", "trigI"),
    354: ("GroupNonUniformUMin", "trigI"),
    355: ("GroupNonUniformFMin", "trigI"),
    356: ("GroupNonUniformSMax", "trigI"),
    357: ("GroupNonUniformUMax", "trigI"),
    358: ("GroupNonUniformFMax", "trigI"),
    **{
        number: (name, "trI")
        for number, name in (
            (44, "ConstantComposite"),
            (51, "ConstantComposite"),
            (57, "FunctionCall"),
            (65, "AccessChain"),
            (66, "InBoundsAccessChain"),
            (67, "PtrAccessChain"),
            (70, "InBoundsPtrAccessChain"),
            (77, "VectorExtractDynamic"),
            (78, "VectorInsertDynamic"),
            (80, "CompositeConstruct"),
            (83, "CopyObject"),
            (109, "ConvertFToU"),
            (110, "ConvertFToS"),
            (111, "ConvertSToF"),
            (112, "ConvertUToF"),
            (113, "UConvert"),
            (114, "SConvert"),
            (115, "FConvert"),
            (117, "ConvertPtrToU"),
            (120, "ConvertUToPtr"),
            (124, "Bitcast"),
            (126, "SNegate"),
            (127, "FNegate"),
            (128, "IAdd"),
            (129, "FAdd"),
            (130, "ISub"),
            (131, "FSub"),
            (132, "IMul"),
            (133, "FMul"),
            (134, "UDiv"),
            (135, "SDiv"),
            (136, "FDiv"),
            (137, "UMod"),
            (138, "SRem"),
            (140, "FRem"),
            (142, "VectorTimesScalar"),
            (156, "IsNan"),
            (157, "IsInf"),
            (158, "IsFinite"),
            (160, "SignBitSet"),
            (162, "Ordered"),
            (163, "Unordered"),
            (164, "LogicalEqual"),
            (165, "LogicalNotEqual"),
            (166, "LogicalOr"),
            (167, "LogicalAnd"),
            (168, "LogicalNot"),
            (169, "Select"),
            (170, "IEqual"),
            (171, "INotEqual"),
            (172, "UGreaterThan"),
            (173, "SGreaterThan"),
            (174, "UGreaterThanEqual"),
            (175, "SGreaterThanEqual"),
            (176, "ULessThan"),
            (177, "SLessThan"),
            (178, "ULessThanEqual"),
            (179, "SLessThanEqual"),
            (180, "FOrdEqual"),
            (181, "FUnordEqual"),
            (182, "FOrdNotEqual"),
            (183, "FUnordNotEqual"),
            (184, "FOrdLessThan"),
            (185, "FUnordLessThan"),
            (186, "FOrdGreaterThan"),
            (187, "FUnordGreaterThan"),
            (188, "FOrdLessThanEqual"),
            (189, "FUnordLessThanEqual"),
            (190, "FOrdGreaterThanEqual"),
            (191, "FUnordGreaterThanEqual"),
            (194, "ShiftRightLogical"),
            (195, "ShiftRightArithmetic"),
            (196, "ShiftLeftLogical"),
            (197, "BitwiseOr"),
            (198, "BitwiseXor"),
            (199, "BitwiseAnd"),
            (200, "Not"),
            (227, "AtomicLoad"),
            (229, "AtomicExchange"),
            (230, "AtomicCompareExchange"),
            (234, "AtomicIAdd"),
            (235, "AtomicISub"),
            (236, "AtomicSMin"),
            (237, "AtomicUMin"),
            (238, "AtomicSMax"),
            (239, "AtomicUMax"),
            (240, "AtomicAnd"),
            (241, "AtomicOr"),
            (242, "AtomicXor"),
            (245, "Phi"),
            (263, "GroupBroadcast"),
            (337, "GroupNonUniformBroadcast"),
            (345, "GroupNonUniformShuffle"),
            (346, "GroupNonUniformShuffleXor"),
            (347, "GroupNonUniformShuffleUp"),
            (348, "GroupNonUniformShuffleDown"),
            (5614, "AtomicFMinEXT"),
            (5615, "AtomicFMaxEXT"),
            (6035, "AtomicFAddEXT"),
        )
    },
}
FUNCTIONS = {
    12: "ceil",
    13: "copysign",
    14: "cos",
    19: "exp",
    20: "exp2",
    21: "exp10",
    22: "expm1",
    23: "fabs",
    25: "floor",
    26: "fma",
    27: "fmax",
    28: "fmin",
    29: "fmod",
    37: "log",
    38: "log2",
    39: "log10",
    40: "log1p",
    42: "mad",
    48: "pow",
    53: "rint",
    56: "rsqrt",
    57: "sin",
    61: "sqrt",
    62: "tan",
    63: "tanh",
    66: "trunc",
    67: "half_cos",
    69: "half_exp",
    70: "half_exp2",
    71: "half_exp10",
    72: "half_log",
    73: "half_log2",
    74: "half_log10",
    76: "half_recip",
    77: "half_rsqrt",
    78: "half_sin",
    79: "half_sqrt",
    80: "half_tan",
    81: "native_cos",
    83: "native_exp",
    84: "native_exp2",
    85: "native_exp10",
    86: "native_log",
    87: "native_log2",
    88: "native_log10",
    90: "native_recip",
    91: "native_rsqrt",
    92: "native_sin",
    93: "native_sqrt",
    94: "native_tan",
    97: "fmax_common",
    98: "fmin_common",
    141: "s_abs",
    156: "s_max",
    157: "u_max",
    158: "s_min",
    159: "u_min",
    160: "s_mul_hi",
    203: "u_mul_hi",
}

_HEAD_WORDS = 5
STORAGE_CLASSES = {1: "Input", 4: "Workgroup", 5: "CrossWorkgroup", 7: "Function"}
_MODES = {17: "LocalSize", 35: "SubgroupSize"}
_GROUP_OPERATIONS = {0: "Reduce", 1: "InclusiveScan", 2: "ExclusiveScan"}
_VOLATILE, _ALIGNED, _NONTEMPORAL = 1, 2, 4  # bits of memory operands
_BUILT_IN, _LINKAGE = 11, 41  # decorations
BUILT_INS = {
    24: "NumWorkgroups",
    25: "WorkgroupSize",
    26: "WorkgroupId",
    27: "LocalInvocationId",
    28: "GlobalInvocationId",
    29: "LocalInvocationIndex",
    31: "GlobalSize",
    33: "GlobalOffset",
    36: "SubgroupSize",
    37: "SubgroupMaxSize",
    38: "NumSubgroups",
    40: "SubgroupId",
    41: "SubgroupLocalInvocationId",
}


@dataclasses.dataclass(frozen=True)
class Instruction:
    """An instruction.

    Args:
        result: the number of what it computes, None if it computes nothing.
        name: its name without "Op"; its number if that is not known here.
        words: its operands, of which a type is the first.
    """

    result: int | None
    name: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        return f"Op{self.name} {' '.join(self.words)}"

    def id(self, index: int) -> int:
        """Return the number of an operand."""
        return int(self.words[index][1:])

    @property
    def value(self) -> int:
        """The number of what it computes."""
        assert self.result is not None
        return self.result


def instructions(binary: bytes) -> Iterator[Instruction]:
    """Yield the instructions of a module.

    Args:
        binary: a whole module.

    >>> import struct
    >>> words = [0x07230203, 0x10400, 0, 9, 0, 4 << 16 | 21, 7, 32, 0]
    >>> [str(each) for each in instructions(struct.pack("<9I", *words))]
    ['OpTypeInt 32 0']
    """
    words = struct.unpack(f"<{len(binary) // 4}I", binary)
    position = _HEAD_WORDS
    while position < len(words):
        size, number = words[position] >> 16, words[position] & 0xFFFF
        name, form = INSTRUCTIONS.get(number, (str(number), "N"))
        yield _read(name, form, words[position + 1 : position + size])
        position += size


def _read(name: str, form: str, words: Sequence[int]) -> Instruction:
    """Return an instruction; each letter of the form is for an operand.

    Of one word are `t` (a type) and `i` (identifiers), `r` (the result), `n` (a number), `S`
    (a storage class), `g` (a group operation) and `e` (a function); `s` is a string. What is left
    are `I` (identifiers), `N` (numbers), `c` (a constant), `m` (memory operands), `M` (a mode), `D`
    (a decoration), or `?` for what is of no use here.
    """
    result, at = None, 0
    found: list[str] = []
    for letter in form:
        rest = words[at:]
        if letter == "r":
            result = rest[0]
        elif letter == "s":
            text = _string(rest)
            found.append(text)
            at += len(text.encode()) // 4
        elif letter in _SINGLE:
            found.append(_SINGLE[letter](rest[0]))
        else:
            found += _REST[letter](rest)
        at += 1
    return Instruction(result, name, tuple(found))


_SINGLE: dict[str, Callable[[int], str]] = {
    **dict.fromkeys("ti", "%{}".format),
    "n": str,
    "S": lambda number: STORAGE_CLASSES.get(number, str(number)),
    "g": lambda number: _GROUP_OPERATIONS.get(number, str(number)),
    "e": lambda number: FUNCTIONS.get(number, str(number)),
}


def _string(words: Sequence[int]) -> str:
    return struct.pack(f"<{len(words)}I", *words).split(b"\0", 1)[0].decode(errors="replace")


def _constant(words: Sequence[int]) -> list[str]:
    return [str(sum(word << 32 * k for k, word in enumerate(words)))]


def _memory_operands(words: Sequence[int]) -> list[str]:
    if not words:
        return []
    names = {"Volatile": _VOLATILE, f"Aligned {words[-1]}": _ALIGNED, "Nontemporal": _NONTEMPORAL}
    found = [name for name, bit in names.items() if words[0] & bit]
    others = words[0] & ~(_VOLATILE | _ALIGNED | _NONTEMPORAL)
    return [*found, *([f"{others:#x}", *map(str, words[1:])] if others else [])]


def _mode(words: Sequence[int]) -> list[str]:
    return [_MODES.get(words[0], str(words[0])), *map(str, words[1:])]


def _decoration(words: Sequence[int]) -> list[str]:
    if words[0] == _BUILT_IN:
        return ["BuiltIn", BUILT_INS.get(words[1], str(words[1]))]
    if words[0] == _LINKAGE:
        return ["Linkage", _string(words[1:]), "Import" if words[-1] else "Export"]
    return [*map(str, words)]


_REST: dict[str, Callable[[Sequence[int]], list[str]]] = {
    "I": lambda words: [f"%{word}" for word in words],
    "N": lambda words: [*map(str, words)],
    "c": _constant,
    "m": _memory_operands,
    "M": _mode,
    "D": _decoration,
    "?": lambda words: [],
}
