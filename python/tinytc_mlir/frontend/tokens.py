# SPDX-License-Identifier: BSD-3-Clause
"""THE table of tokens, from which the lexer and the editors' highlighters are made."""

from __future__ import annotations

import re
from typing import NamedTuple

from tinytc_mlir.frontend._instructions_gen import ENUMS
from tinytc_mlir.frontend.instructions import ALIASES, INSTRUCTIONS, LATER_SPELLINGS
from tinytc_mlir.scalars import SCALAR_TYPES

NUMBER_TYPES = tuple(each.name for each in SCALAR_TYPES.values() if each.kind != "bool")
SIMPLE_TYPES = ("void", *SCALAR_TYPES)
COMPOUND_TYPES = ("memref", "group", "coopmatrix")
TYPE_NAMES = (*SIMPLE_TYPES, *COMPOUND_TYPES)

MATRIX_USES = ENUMS["matrix_use"]
ADDRESS_SPACES = ENUMS["address_space"]
STATEMENT_WORDS = ("func", "attributes", "init", "else", "as")
TYPE_WORDS = ("strided", "offset", *ADDRESS_SPACES, *MATRIX_USES)
LITERAL_WORDS = ("true", "false", "inf", "nan", "dense")
CALCULATOR_WORDS = ("min", "max", "shl", "shr", "and", "or", "xor", "not")
ATTRIBUTES = {
    "func": {"schedule": "schedule", "subgroup_size": "i32", "work_group_size": "i32 x 2"},
    "schedule": {"rows": "i64", "columns": "i64", "unroll": "i64", "groups": "i64"},
    "parameter": {
        "alignment": "i64",
        "buffer": "i64 x ?",
        "nonzero": "boxes",
        "shape_gcd": "i64 x ?",
        "stride_gcd": "i64 x ?",
    },
    "alloca": {"alignment": "i64", "nonzero": "boxes"},
    "for": {"unroll": "bool or i64"},
}
"""Owners of attributes, with the names and the kind of their values; a schedule is one itself."""
ATTRIBUTE_NAMES = tuple(sorted({name for kinds in ATTRIBUTES.values() for name in kinds}))

INSTRUCTION_NAMES = (*INSTRUCTIONS, *ALIASES, *LATER_SPELLINGS)
MNEMONICS = {name.split(".")[0] for name in INSTRUCTION_NAMES}
"""Words that begin an instruction; after an error the parser resumes at one of them."""


NAME = re.compile(r"[0-9]+|[A-Za-z][A-Za-z0-9_]*")
"""The part of an identifier after its prefix."""


class Rule(NamedTuple):
    """One kind of token.

    Args:
        kind: name of the kind, as it is written in error messages.
        pattern: regular expression without capturing groups.
        scope: TextMate scope, None where editors show plain text.
    """

    kind: str
    pattern: str
    scope: str | None = None


_END = r"(?![A-Za-z0-9_])"
_NAME = f"(?:{NAME.pattern})"
_HEX = r"[0-9A-Fa-f]"
_BEFORE_SHAPE = rf"(?:{_END}|(?=x(?![A-Za-z_])))"

# The order matters: the first rule that matches wins.
RULES = (
    Rule("space", r"[ \t\r\n\f\v]+"),
    Rule("comment", r";[^\n]*", "comment.line.semicolon"),
    Rule("local identifier", "%" + _NAME, "variable.other.local"),
    Rule("scalar type", f"(?:{'|'.join(NUMBER_TYPES)}){_BEFORE_SHAPE}", "storage.type.scalar"),
    Rule("x", r"x(?![A-Za-z_])"),
    Rule(
        "floating constant",
        rf"[+-]?0[xX](?:(?:{_HEX}*\.{_HEX}+|{_HEX}+\.)(?:[pP][+-]?[0-9]+)?|{_HEX}+[pP][+-]?[0-9]+)"
        r"|[+-]?(?:[0-9]*\.[0-9]+|[0-9]+\.)(?:[eE][+-]?[0-9]+)?"
        r"|[+-]?[0-9]+[eE][+-]?[0-9]+"
        rf"|[+-]?inf{_END}|nan{_END}",
        "constant.numeric.float",
    ),
    Rule("integer constant", r"[+-]?[0-9]+", "constant.numeric.integer"),
    Rule("word", r"[A-Za-z_][A-Za-z0-9_]*"),
    Rule("modifier", r"\.[A-Za-z_][A-Za-z0-9_]*", "storage.modifier"),
    Rule("string", r'"[ !#-~]*"', "string.quoted.double"),
    Rule("compile-time variable", r"\$" + _NAME, "variable.other.constant"),
    Rule("global identifier", "@" + _NAME, "entity.name.function"),
    Rule("calculator", r"!calc" + _END, "keyword.operator.calculator"),
    Rule("punctuation", r"->|<=|>=|==|!=|[()\[\]{}<>,:=?*/^+-]|%(?=[\s)])"),
)

WORD_SCOPES = (
    (STATEMENT_WORDS, "keyword.control"),
    (("memref", "group", "coopmatrix", "void", "bool"), "storage.type"),
    (TYPE_WORDS, "storage.modifier.type"),
    (LITERAL_WORDS, "constant.language"),
    (ATTRIBUTE_NAMES, "entity.other.attribute-name"),
    (tuple(sorted({n.split(".")[0] for n in INSTRUCTION_NAMES})), "keyword.operator.instruction"),
)
"""Words that editors distinguish, and their TextMate scopes."""

BAD_TEXT = (
    r'"[^\n"]*"?|(?:[%@$!.](?![A-Za-z0-9_]))+|[%@$!][A-Za-z0-9_]*'
    r"|#[^\n]*|[^\x00-\x7f]+|[\x00-\x1f\x7f]+|."
)
"""Text that no rule matches, split into pieces that deserve one message each."""

_SPACE = RULES[0].pattern.replace("+", "*")
# Tried early: these characters are frequent, and no other rule begins with one.
_FREQUENT = r"[()\[\]{},:?*]|[>=](?!=)"

MASTER = re.compile(
    f"{_SPACE}(?:(?P<frequent>{_FREQUENT})|"
    + "".join(f"(?P<t{i}>{rule.pattern})|" for i, rule in enumerate(RULES) if i)
    + rf"\Z|(?P<bad>{BAD_TEXT}))"
)
"""White space, then all other rules in one expression; group `t<i>` is rule number i, `frequent`
is punctuation too. The end of the text matches without a group."""
