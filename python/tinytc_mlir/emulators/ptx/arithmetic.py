# SPDX-License-Identifier: BSD-3-Clause
"""Arithmetic instructions of PTX as Python expressions.

Each function takes the operands' writer and an instruction, and returns the type of the result and
the expression. Sources: the sections of the PTX ISA on integer, floating-point, half-precision,
comparison, logic and shift instructions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..numbers import FLOATS
from .module import SIZES

if TYPE_CHECKING:
    from .operands import Instruction, Operands

SIGNS = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^"}
COMPARISONS = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "lo": "<",
    "ls": "<=",
    "hi": ">",
    "hs": ">=",
}
OPERATIONS = {"add": "np.add", "sub": "np.subtract", "mul": "np.multiply"}


def _unsigned(type_: str) -> str:
    return type_ if type_ in FLOATS else f"u{type_[1:]}"


def _sources(code: Operands, ins: Instruction, type_: str) -> list[str]:
    return [code.source(operand, type_) for operand in ins.operands[1:]]


def _mixed(code: Operands, ins: Instruction) -> tuple[str, str]:
    """Factors and the first summand are narrow, all else is f32."""
    *narrow, last = ins.operands[1:]
    values = [code.source(operand, ins.type) for operand in narrow]
    wide = "from_bf16({})" if ins.type == "bf16" else "{}.astype(f32)"
    values = [wide.format(value) for value in values] + [code.source(last, "f32")]
    if ins.root == "fma":
        return "f32", f"fma({', '.join(values)}, 'f32')"
    return "f32", f" {SIGNS[ins.root]} ".join(values)


def _is_mixed(ins: Instruction) -> bool:
    return ins.type in ("f16", "bf16") and ins.words[-2] == "f32"


def _add(code: Operands, ins: Instruction) -> tuple[str, str]:
    if _is_mixed(ins):
        return _mixed(code, ins)
    type_ = _unsigned(ins.type)
    a, b = _sources(code, ins, type_)
    if type_ == "bf16":
        return type_, f"binary({OPERATIONS[ins.root]}, {a}, {b}, 'bf16')"
    return type_, f"{a} {SIGNS[ins.root]} {b}"


def _multiply(code: Operands, ins: Instruction) -> tuple[str, str]:
    if ins.type in FLOATS:
        return _fma(code, ins) if ins.root == "mad" else _add(code, ins)
    how = ins.words[1]
    bits = SIZES[ins.type] * 8
    type_ = {"lo": _unsigned(ins.type), "hi": f"u{bits}", "wide": f"{ins.type[0]}{2 * bits}"}[how]
    source = _unsigned(ins.type) if how == "lo" else ins.type
    a, b = (code.source(operand, source) for operand in ins.operands[1:3])
    if how == "hi":
        product = f"multiply_high({a}, {b}).view(u{bits})"
    elif how == "wide":
        product = f"np.asarray({a}).astype({type_}) * np.asarray({b}).astype({type_})"
    else:
        product = f"{a} * {b}"
    if ins.root == "mad":
        product += f" + {code.source(ins.operands[3], type_)}"
    return type_, product


def _fma(code: Operands, ins: Instruction) -> tuple[str, str]:
    if _is_mixed(ins):
        return _mixed(code, ins)
    return ins.type, f"fma({', '.join(_sources(code, ins, ins.type))}, {ins.type!r})"


def _divide(code: Operands, ins: Instruction) -> tuple[str, str]:
    a, b = _sources(code, ins, ins.type)
    if ins.type in FLOATS:
        return ins.type, f"{a} / {b}"
    return ins.type, f"divide({a}, {b}, remainder={ins.root == 'rem'})"


def _min_max(code: Operands, ins: Instruction) -> tuple[str, str]:
    a, b = _sources(code, ins, ins.type)
    if ins.type in FLOATS:
        return ins.type, f"min_max(np.f{ins.root}, {a}, {b}, {ins.type!r}, {ins.has('NaN')})"
    return ins.type, f"np.{ins.root}imum({a}, {b})"


def _negate(code: Operands, ins: Instruction) -> tuple[str, str]:
    type_ = _unsigned(ins.type)
    (a,) = _sources(code, ins, type_)
    if type_ == "bf16":
        return type_, f"{a} ^ u16(0x8000)"
    return type_, f"-{a}" if type_ in FLOATS else f"{type_}(0) - {a}"


def _absolute(code: Operands, ins: Instruction) -> tuple[str, str]:
    (a,) = _sources(code, ins, ins.type)
    return ins.type, f"{a} & u16(0x7FFF)" if ins.type == "bf16" else f"np.abs({a})"


def _copy_sign(code: Operands, ins: Instruction) -> tuple[str, str]:
    a, b = _sources(code, ins, ins.type)
    return ins.type, f"np.copysign({b}, {a})"


def _logic(code: Operands, ins: Instruction) -> tuple[str, str]:
    a, b = _sources(code, ins, ins.type)
    return ins.type, f"{a} {SIGNS[ins.root]} {b}"


def _not(code: Operands, ins: Instruction) -> tuple[str, str]:
    (a,) = _sources(code, ins, ins.type)
    return ins.type, f"~{a}" if ins.root == "not" else f"({a} == 0)"


def _shift(code: Operands, ins: Instruction) -> tuple[str, str]:
    type_ = ins.type.replace("b", "u")
    a, count = code.source(ins.operands[1], type_), code.source(ins.operands[2], "u32")
    return type_, f"shift(np.asarray({a}), {count}, left={ins.root == 'shl'})"


def _funnel_shift(code: Operands, ins: Instruction) -> tuple[str, str]:
    arguments = ", ".join(_sources(code, ins, "u32"))
    return "u32", f"funnel_shift({arguments}, left={ins.has('l')}, wraps={ins.has('wrap')})"


def _extract(code: Operands, ins: Instruction) -> tuple[str, str]:
    a = code.source(ins.operands[1], ins.type)
    position, length = (code.source(operand, "u32") for operand in ins.operands[2:])
    return ins.type, f"extract_bits(np.asarray({a}), {position}, {length})"


def _permute(code: Operands, ins: Instruction) -> tuple[str, str]:
    return "u32", f"permute_bytes({', '.join(_sources(code, ins, 'u32'))})"


def _table(code: Operands, ins: Instruction) -> tuple[str, str]:
    values = [code.source(operand, "u32") for operand in ins.operands[1:4]]
    table = int(ins.operands[4], 0)
    terms = []
    for row in range(8):
        if table >> row & 1:
            bits = (("~" if not row >> 2 - k & 1 else "") + value for k, value in enumerate(values))
            terms.append(f"({' & '.join(bits)})")
    return "u32", " | ".join(terms) or "u32(0)"


_BIT_COUNTS = {"popc": "count_bits", "clz": "count_leading_zeros", "brev": "reverse_bits"}


def _count(code: Operands, ins: Instruction) -> tuple[str, str]:
    a = code.source(ins.operands[1], ins.type.replace("b", "u"))
    type_ = ins.type if ins.root == "brev" else "u32"
    return type_, f"{_BIT_COUNTS[ins.root]}(np.asarray({a}))"


def _select(code: Operands, ins: Instruction) -> tuple[str, str]:
    a, b = (code.source(operand, ins.type) for operand in ins.operands[1:3])
    return ins.type, f"np.where({code.predicate(ins.operands[3])}, {a}, {b})"


def _comparison(how: str, a: str, b: str, type_: str) -> str:
    unordered = f"np.isnan({a}) | np.isnan({b})"
    if type_ not in FLOATS:
        return f"{a} {COMPARISONS[how]} {b}"
    if how in ("num", "nan"):
        return unordered if how == "nan" else f"~({unordered})"
    if len(how) == 3:  # true for unordered operands
        return f"({a} {COMPARISONS[how[:2]]} {b}) | {unordered}"
    return f"({a} {COMPARISONS[how]} {b}) & ~({unordered})"


def _compare(code: Operands, ins: Instruction) -> tuple[str, str]:
    a, b = (code.source(operand, ins.type) for operand in ins.operands[1:3])
    if ins.type == "bf16":
        a, b = f"from_bf16({a})", f"from_bf16({b})"
    result = _comparison(ins.words[1], a, b, ins.type)
    combination = ins.one_of("and", "or", "xor")
    if combination:
        other = code.predicate(ins.operands[3])
        result = f"({result}) {SIGNS[combination]} {other}"
    return "pred", result


_TESTS = {
    "infinite": "np.isinf({})",
    "finite": "np.isfinite({})",
    "notanumber": "np.isnan({})",
    "number": "~np.isnan({})",
}


def _test(code: Operands, ins: Instruction) -> tuple[str, str]:
    return "pred", _TESTS[ins.words[1]].format(code.source(ins.operands[1], ins.type))


def _function(code: Operands, ins: Instruction) -> tuple[str, str]:
    (a,) = _sources(code, ins, ins.type)
    if ins.root == "sqrt" and ins.has("rn"):
        return ins.type, f"np.sqrt({a})"
    if ins.root == "rcp" and ins.has("rn"):
        return ins.type, f"{ins.type}(1) / {a}"
    return ins.type, f"approximate({ins.root!r}, {a})"


EXPRESSIONS = {
    **dict.fromkeys(("add", "sub"), _add),
    **dict.fromkeys(("mul", "mad"), _multiply),
    **dict.fromkeys(("div", "rem"), _divide),
    **dict.fromkeys(("min", "max"), _min_max),
    **dict.fromkeys(("and", "or", "xor"), _logic),
    **dict.fromkeys(("not", "cnot"), _not),
    **dict.fromkeys(("shl", "shr"), _shift),
    **dict.fromkeys(("popc", "clz", "brev"), _count),
    **dict.fromkeys(("ex2", "lg2", "sin", "cos", "tanh", "rcp", "rsqrt", "sqrt"), _function),
    "fma": _fma,
    "neg": _negate,
    "abs": _absolute,
    "copysign": _copy_sign,
    "selp": _select,
    "shf": _funnel_shift,
    "bfe": _extract,
    "prmt": _permute,
    "lop3": _table,
    "setp": _compare,
    "testp": _test,
}
