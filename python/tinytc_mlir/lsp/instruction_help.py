# SPDX-License-Identifier: BSD-3-Clause
"""Words what editors show of instructions, from the table of instructions and ODS."""

from __future__ import annotations

from typing import NamedTuple

from tinytc_mlir.frontend._documentation_gen import DOCUMENTATION
from tinytc_mlir.frontend.instructions import (
    ALIASES,
    INSTRUCTIONS,
    LATER_SPELLINGS,
    Instruction,
    LaterSpelling,
    Modifier,
    Syntax,
    Typing,
)

_FORMS = {
    Syntax.ALLOCA: "[{{alignment=...}}]",
    Syntax.CONSTANT: "value",
    Syntax.EXPAND: "%source[mode -> size x size ...]",
    Syntax.SUBVIEW: "%source[offset:size | : | offset, ...]",
    Syntax.YIELD: "(%value, ...)",
    Syntax.FOR: "%i = %from, %to[, %step] [init(%x = %x0, ...) -> (type, ...)] {{ ... }}",
    Syntax.FOREACH: "(%i, ...) = (%from, ...), (%to, ...) {{ ... }}",
    Syntax.FOREACH_TILE: (
        "(%i, ...) = (%from, ...), (%to, ...) as (%size, ...) <= (16, ...) {{ ... }}"
    ),
    Syntax.IF: "%condition [-> (type, ...)] {{ ... }} [else {{ ... }}]",
    Syntax.PARALLEL: "{{ ... }}",
    Syntax.PRINT: '"text", %value, ...',
    Syntax.APPLY: "(%row, %column, %x, ...) = %matrix, ... -> type {{ ... }}",
}
_TYPED = (Syntax.OPERANDS, Syntax.INDEXED, Syntax.ALLOCA, Syntax.CONSTANT, Syntax.EXPAND)


class Spelling(NamedTuple):
    """A name that the language has for an instruction.

    Args:
        name: as it is written.
        instruction: its canonical name.
        summary: what it is, in a few words.
    """

    name: str
    instruction: str
    summary: str


def spellings() -> list[Spelling]:
    """Return all names of all instructions.

    >>> next(each for each in spellings() if each.name == "gemm").summary
    'general matrix-matrix product'
    """
    names = {name: name for name in INSTRUCTIONS} | ALIASES
    names |= {name: later.instruction for name, later in LATER_SPELLINGS.items()}
    return [Spelling(name, of, DOCUMENTATION[of][0]) for name, of in names.items()]


def canonical(name: str) -> Instruction | None:
    """Return the instruction that a name stands for, None if there is none.

    >>> canonical("group_id").name, canonical("nothing")
    ('builtin.group_id', None)
    """
    later = LATER_SPELLINGS.get(name, LaterSpelling(ALIASES.get(name, name)))
    return INSTRUCTIONS.get(later.instruction)


def form(spec: Instruction) -> str:
    """Return how an instruction is written.

    >>> form(INSTRUCTIONS["gemm"])
    'gemm(.n|.t|.r|.c)(.n|.t|.r|.c)[.atomic] %alpha, %a, %b, %beta, %c'
    >>> form(INSTRUCTIONS["load"])
    '%result = load %source[%indices, ...] : type'
    """
    words = spec.name + "".join(map(_modifier, spec.modifiers))
    if spec.syntax in _FORMS:
        words += " " + _FORMS[spec.syntax].format()
    else:
        needed = len(spec.operands) - spec.optional
        words += (" " + ", ".join(map(_operand, spec.operands[:needed]))).rstrip()
        words += "".join(f"[, {_operand(name)}]" for name in spec.operands[needed:])
    if spec.indices:
        words += f"[{', '.join(map(_operand, spec.indices))}]"
    words += "".join(f", {_operand(name)}" for name in spec.trailing)
    has_type = spec.typing is not Typing.NONE
    if has_type and (spec.syntax in _TYPED or spec.syntax is Syntax.SUBVIEW):
        words += " : type"
    has_result = has_type or spec.syntax in (Syntax.FOR, Syntax.IF)
    result = "[%result, ... =] " if has_result and not has_type else "%result = "
    return result + words if has_result else words


def markdown(spec: Instruction) -> str:
    """Return what a hover shows of an instruction."""
    summary, description = DOCUMENTATION[spec.name]
    return f"```tinytc\n{form(spec)}\n```\n\n**{spec.name}**: {summary}\n\n{description}\n"


def modifiers(spec: Instruction) -> list[str]:
    """Return the words that may follow the name of an instruction after a dot.

    >>> modifiers(INSTRUCTIONS["gemm"])
    ['n', 't', 'r', 'c', 'atomic']
    """
    return list(dict.fromkeys(word for each in spec.modifiers for word in each.choices))


def _modifier(modifier: Modifier) -> str:
    words = "|".join(f".{word}" for word in modifier.choices)
    if modifier.required or modifier.enum in ("transpose", "tensor_form"):
        return f"({words})"
    return f"[{words}]"


def _operand(name: str) -> str:
    if name[0] in '#"':
        return name[1:] if name[0] == "#" else f'"{name[1:]}"'
    return f"%{name[1:]}, ..." if name[0] == "*" else f"%{name}"
