"""Colours for MLIR and for rules of the grammar in the documentation."""

from pygments import token
from pygments.lexer import RegexLexer


class MLIRLexer(RegexLexer):
    """Assembly of MLIR: names, types, attributes, numbers."""

    name = "MLIR"
    aliases = ("mlir",)
    tokens = {  # noqa: RUF012
        "root": [
            (r"//.*?$", token.Comment.Single),
            (r'"(?:[^"\\]|\\.)*"', token.String),
            (r"[%@^][\w$.-]+(?:#\d+)?", token.Name.Variable),
            (r"#[\w$.]+", token.Name.Attribute),
            (r"![\w$.]+", token.Keyword.Type),
            (r"\b(?:index|memref|tensor|vector|complex|none|[iuf]\d+|bf16)\b", token.Keyword.Type),
            (r"\b[a-z_]\w*(?:\.\w+)+", token.Name.Function),
            (r"\b(?:true|false|attributes|loc|module|func)\b", token.Keyword),
            (r"-?\b\d[\w.]*", token.Number),
            (r"\s+", token.Text.Whitespace),
            (r"[\w]+", token.Text),
            (r".", token.Punctuation),
        ]
    }


class GrammarLexer(RegexLexer):
    """Rules of the grammar: what is defined, terminals, signs of repetition."""

    name = "Grammar"
    aliases = ("ebnf",)
    tokens = {  # noqa: RUF012
        "root": [
            (r"'[^']*'|\"[^\"]*\"", token.String),
            (r"^[\w-]+(?= =)", token.Name.Function),
            (r"[\w-]+", token.Name),
            (r"[=|{}\[\]()]", token.Operator),
            (r"\s+", token.Text.Whitespace),
            (r".", token.Text),
        ]
    }
