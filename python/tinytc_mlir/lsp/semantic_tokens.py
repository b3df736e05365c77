# SPDX-License-Identifier: BSD-3-Clause
"""Colours of tokens, from the table of tokens, as the protocol encodes them."""

from __future__ import annotations

from tinytc_mlir.frontend.lexer import Token
from tinytc_mlir.frontend.tokens import RULES, WORD_SCOPES

from .names import Names
from .text import Text

_TYPE_OF_SCOPE = {
    "comment.line.semicolon": "comment",
    "variable.other.local": "variable",
    "variable.other.constant": "macro",
    "storage.type.scalar": "type",
    "storage.type": "type",
    "storage.modifier": "modifier",
    "storage.modifier.type": "modifier",
    "constant.numeric.float": "number",
    "constant.numeric.integer": "number",
    "constant.language": "keyword",
    "string.quoted.double": "string",
    "entity.name.function": "function",
    "entity.other.attribute-name": "property",
    "keyword.operator.calculator": "macro",
    "keyword.operator.instruction": "method",
    "keyword.control": "keyword",
}
TYPES = tuple(dict.fromkeys(_TYPE_OF_SCOPE.values()))
"""Legend: kinds of tokens, by their numbers."""
MODIFIERS = ("definition",)
"""Legend: what a token may be besides, by bits."""

_TYPE_OF_KIND = {rule.kind: _TYPE_OF_SCOPE[rule.scope] for rule in RULES if rule.scope}
_TYPE_OF_WORD = {
    word: _TYPE_OF_SCOPE[scope] for words, scope in reversed(WORD_SCOPES) for word in words
}


def encode(text: Text, tokens: list[Token], names: Names) -> list[int]:
    """Return five numbers for each token with a colour.

    They are lines and columns after the token before, length, type, and modifiers.
    """
    definitions = {symbol.definition for symbol in names.symbols}
    data: list[int] = []
    last_line = last_column = 0
    for token in tokens:
        kind = _kind(token)
        if kind is None:
            continue
        line, column = text.place(token.start)
        length = text.place(token.start + len(token.text.rstrip("\r"))).column - column
        step = column - last_column if line == last_line else column
        modifiers = int(token.span in definitions)  # JSON has no true where an integer belongs
        data += [line - last_line, step, length, TYPES.index(kind), modifiers]
        last_line, last_column = line, column
    return data


def _kind(token: Token) -> str | None:
    if token.kind == "word":
        return _TYPE_OF_WORD.get(token.text)
    return _TYPE_OF_KIND.get(token.kind)
