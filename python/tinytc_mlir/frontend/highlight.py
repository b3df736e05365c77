# SPDX-License-Identifier: BSD-3-Clause
"""Highlighting made from the table of tokens: a Pygments lexer and a TextMate grammar.

`python -m tinytc_mlir.frontend.highlight > tinytc.tmLanguage.json` writes the latter for an editor.
"""

from __future__ import annotations

import json
import re
from typing import Any, ClassVar

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

from tinytc_mlir.frontend.tokens import RULES, WORD_SCOPES

_TOKEN_OF_SCOPE = {
    "comment.line.semicolon": Comment.Single,
    "variable.other.local": Name.Variable,
    "variable.other.constant": Name.Constant,
    "storage.type.scalar": Keyword.Type,
    "storage.type": Keyword.Type,
    "storage.modifier": Name.Decorator,
    "storage.modifier.type": Keyword.Pseudo,
    "constant.numeric.float": Number.Float,
    "constant.numeric.integer": Number.Integer,
    "constant.language": Keyword.Constant,
    "string.quoted.double": String.Double,
    "entity.name.function": Name.Function,
    "entity.other.attribute-name": Name.Attribute,
    "keyword.operator.calculator": Operator.Word,
    "keyword.operator.instruction": Name.Builtin,
    "keyword.control": Keyword,
}
_TOKEN_OF_KIND = {"space": Text.Whitespace, "word": Name, "punctuation": Punctuation, "x": Operator}


def _pygments_rules() -> list[tuple[Any, Any]]:
    """Return the rules of the token table, each with the token of its scope."""
    rules: list[tuple[Any, Any]] = []
    for rule in RULES:
        if rule.kind == "word":
            rules += [
                (words(names, suffix=r"(?![A-Za-z0-9_])"), _TOKEN_OF_SCOPE[scope])
                for names, scope in WORD_SCOPES
            ]
        token = _TOKEN_OF_SCOPE[rule.scope] if rule.scope else _TOKEN_OF_KIND[rule.kind]
        rules.append((rule.pattern, token))
    return rules


class TensorLanguageLexer(RegexLexer):  # type: ignore[misc]
    r"""Pygments lexer of the Tiny Tensor language.

    >>> from pygments import highlight
    >>> from pygments.formatters import NullFormatter
    >>> highlight("%x = constant 1.0 : f32", TensorLanguageLexer(), NullFormatter())
    '%x = constant 1.0 : f32\n'
    """

    name = "Tiny Tensor language"
    aliases: ClassVar[list[str]] = ["tinytc", "tiny-tensor"]
    filenames: ClassVar[list[str]] = ["*.ir", "*.tinytc"]
    url = "https://intel.github.io/tiny-tensor-compiler/"
    tokens: ClassVar[dict[str, list[tuple[Any, Any]]]] = {"root": _pygments_rules()}


def textmate_grammar() -> str:
    """Return the TextMate grammar as JSON, for editors that read such grammars.

    >>> json.loads(textmate_grammar())["scopeName"]
    'source.tinytc'
    """
    patterns = []
    for rule in RULES:
        if rule.kind == "word":
            patterns += [
                _textmate_rule(rf"\b(?:{'|'.join(map(re.escape, names))})\b", scope)
                for names, scope in WORD_SCOPES
            ]
        elif rule.scope:
            patterns.append(_textmate_rule(rule.pattern, rule.scope))
    grammar = {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "Tiny Tensor language",
        "scopeName": "source.tinytc",
        "fileTypes": ["ir"],
        "patterns": patterns,
    }
    return json.dumps(grammar, indent=2) + "\n"


def _textmate_rule(pattern: str, scope: str) -> dict[str, str]:
    return {"match": pattern, "name": f"{scope}.tinytc"}


if __name__ == "__main__":
    print(textmate_grammar(), end="")
