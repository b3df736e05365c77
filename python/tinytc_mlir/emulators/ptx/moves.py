# SPDX-License-Identifier: BSD-3-Clause
"""Instructions of PTX that move or convert numbers, as statements of Python."""

from __future__ import annotations

from collections.abc import Sequence

from ..findings import Unsupported, matched
from ..numbers import ROUNDINGS, UNSIGNED
from .arithmetic import EXPRESSIONS, OPERATIONS
from .copies import copy
from .module import SIZES
from .operands import Instruction, Operands, names

#: Prefetches and fences change no number; each instruction is seen by all at once here.
NOTHING = ("fence", "membar", "prefetch", "nanosleep")
SPACES = ("global", "shared", "local", "param", "const")
UPDATES = ("add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec")
#: Accesses with these words may race by their meaning.
ATOMIC = ("relaxed", "acquire", "release", "volatile")


def nothing(code: Operands, ins: Instruction) -> list[str]:
    """Return the statements of a hint."""
    return ["pass"]


def _unpack(code: Operands, ins: Instruction) -> list[str]:
    registers = names(ins.operands[0])
    bits = SIZES[ins.type] * 8
    part = bits // len(registers)
    whole = UNSIGNED[bits].__name__
    lines = [f"whole = np.asarray({code.source(ins.operands[1], f'u{bits}')})"]
    for k, register in enumerate(registers):
        value = f"(whole >> np.{whole}({k * part})).astype(np.uint{part})"
        lines += code.assign(register, f"u{part}", value)
    return lines


def _pack(code: Operands, ins: Instruction) -> list[str]:
    registers = names(ins.operands[1])
    bits = SIZES[ins.type] * 8
    part = bits // len(registers)
    terms = (
        f"np.asarray({code.source(register, f'u{part}')}).astype(np.uint{bits})"
        f" << np.uint{bits}({k * part})"
        for k, register in enumerate(registers)
    )
    return code.assign(ins.operands[0], f"u{bits}", " | ".join(terms))


def move(code: Operands, ins: Instruction) -> list[str]:
    """Return the statements of `mov`."""
    if ins.operands[0].startswith("{"):
        return _unpack(code, ins)
    if ins.operands[1].startswith("{"):
        return _pack(code, ins)
    type_ = ins.type
    if type_[0] in "bus" and type_ != "bf16":
        type_ = f"u{type_[1:]}"
    return code.assign(ins.operands[0], type_, code.source(ins.operands[1], type_))


def convert(code: Operands, ins: Instruction) -> list[str]:
    """Return the statements of `cvt`."""
    to, source = ins.words[-2:]
    if to in ("f16x2", "bf16x2"):
        high, low = (
            f"np.asarray(round_float({code.source(operand, 'f32')}, {to[:-2]!r}))"
            ".view(u16).astype(u32)"
            for operand in ins.operands[1:]
        )
        return code.assign(ins.operands[0], "u32", f"{high} << u32(16) | {low}")
    value = code.source(ins.operands[1], source)
    arguments = f"{value}, {to!r}, {source!r}, {ins.one_of(*ROUNDINGS)!r}"
    return code.assign(ins.operands[0], to, f"convert({arguments})")


def _space(ins: Instruction) -> str:
    return next(word for word in ins.words if word in SPACES)


def load(code: Operands, ins: Instruction) -> list[str]:
    """Return the statements of `ld`."""
    space, bits = _space(ins), SIZES[ins.type] * 8
    if space == "param":
        match = matched(r"\[([\w$]+)(?:\+(\d+))?\]$", ins.operands[1])
        arguments = f"{match[1]!r}, {int(match[2] or 0)}, {bits}, {ins.count}"
        lines = [f"values = load_parameter({arguments})"]
    else:
        flags = f"atomic={ins.has(*ATOMIC)}, constant={ins.has('nc')}"
        used = code.entry.used(names(ins.operands[0]))
        arguments = f"{code.address(ins.operands[1])}, i, {bits}, {ins.count}, {used}"
        lines = [f"values = load({space!r}, {arguments}, {ins.text!r}, {flags})"]
    for k, register in enumerate(names(ins.operands[0])):
        lines += _take(code, register, ins.type, f"values[{k}]")
    return lines


def _take(code: Operands, register: str, type_: str, value: str) -> list[str]:
    """Return the statements that keep what was loaded; a register may be wider."""
    if register == "_":
        return []
    bits = SIZES[type_] * 8
    if code.entry.width(register) < bits:
        raise Unsupported(register)
    if type_[0] == "s":
        return [f"{code.view(register, 's')}[i] = {value}.view(np.int{bits})"]
    return [f"{code.view(register, 'u')}[i] = {value}"]


def store(code: Operands, ins: Instruction) -> list[str]:
    """Return the statements of `st`."""
    space, bits = _space(ins), SIZES[ins.type] * 8
    values = ", ".join(code.source(name, f"u{bits}") for name in names(ins.operands[1]))
    arguments = f"{code.address(ins.operands[0])}, i, {bits}, ({values},), {ins.text!r}"
    return [f"store({space!r}, {arguments}, atomic={ins.has(*ATOMIC)})"]


def update(code: Operands, ins: Instruction) -> list[str]:
    """Return the statements of `atom` and `red`."""
    space, what = _space(ins), ins.one_of(*UPDATES)
    operands = list(ins.operands)
    result = operands.pop(0) if ins.root == "atom" else None
    values = ", ".join(code.source(operand, ins.type) for operand in operands[1:])
    arguments = f"{code.address(operands[0])}, i, {what!r}, {ins.type!r}, ({values},)"
    call = f"update({space!r}, {arguments}, {ins.text!r})"
    return code.assign(result, ins.type, call) if result else [call]


def packed(code: Operands, ins: Instruction) -> list[str]:
    """Return the statements of an instruction on two numbers of 16 bits in a register."""
    type_, lines = ins.type[:-2], []
    for half in range(2):
        values = []
        for k, operand in enumerate(ins.operands[1:]):
            values.append(f"operand{k}")
            word = f"(np.asarray({code.source(operand, 'u32')}) >> u32({16 * half})).astype(u16)"
            view = "" if type_ in ("bf16", "u16") else f".view({type_})"
            lines.append(f"operand{k} = {word}{view}")
        lines.append(f"half{half} = np.asarray({_packed_expression(ins, type_, values)})")
    words = [f"half{half}.view(u16).astype(u32)" for half in range(2)]
    return lines + code.assign(ins.operands[0], "u32", f"{words[0]} | {words[1]} << u32(16)")


def _packed_expression(ins: Instruction, type_: str, values: Sequence[str]) -> str:
    arguments = ", ".join(values)
    if ins.root in OPERATIONS:
        return f"binary({OPERATIONS[ins.root]}, {arguments}, {type_!r})"
    if ins.root == "fma":
        return f"fma({arguments}, {type_!r})"
    if ins.root in ("min", "max") and type_ in ("f16", "bf16"):
        return f"min_max(np.f{ins.root}, {arguments}, {type_!r}, {ins.has('NaN')})"
    if ins.root in ("min", "max"):
        return f"np.{ins.root}imum({arguments})"
    signs = {"neg": "^ u16(0x8000)", "abs": "& u16(0x7FFF)"}
    return f"{values[0]}.view(u16) {signs[ins.root]}"


STATEMENTS = {
    **dict.fromkeys(NOTHING, nothing),
    "ld": load,
    **dict.fromkeys(("atom", "red"), update),
    "cp": copy,
    "mov": move,
    "cvt": convert,
    "st": store,
}
assert not STATEMENTS.keys() & EXPRESSIONS.keys()
