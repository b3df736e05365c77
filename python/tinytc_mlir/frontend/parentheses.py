# SPDX-License-Identifier: BSD-3-Clause
"""Tells a missing parenthesis from other errors in a list."""

from __future__ import annotations

import re

from tinytc_mlir.frontend.tokens import ATTRIBUTE_NAMES, MASTER

_OPENING, _CLOSING = ("(", "[", "{", "<"), (")", "]", "}", ">")
# How a list may go on in the next line: with a parameter, its end, or a comment.
_CONTINUATION = re.compile(r"%\w+\s*:|\)|;")
_DICTIONARY = re.compile(rf'\s*(?:"|(?:{"|".join(ATTRIBUTE_NAMES)})\s*=)')


def is_closed(text: str, offset: int) -> bool:
    r"""Whether a parenthesis that is open at an offset is closed later in the same list.

    A list ends where a region or function begins or ends, or where its line does; only parameters
    may go on in the next line, which begins with one then.

    Args:
        text: the program.
        offset: place within the parentheses.

    >>> is_closed("(%a %b) {", 4), is_closed("(%a {", 4), is_closed("(%a -> (f32) {", 4)
    (True, False, False)
    >>> is_closed("(%a: f32\n %b: f32)", 8), is_closed("(%a\n %b = f(%c)", 3)
    (True, False)
    """
    depth = 0
    for match in MASTER.finditer(text, offset):
        end = match.end()
        start = end if match.lastgroup is None else match.start(match.lastgroup)
        space, token = text[match.start() : start], text[start:end]
        if "\n" in space and not _CONTINUATION.match(text, start):
            return False
        if token == "func" or (token == "{" and not begins_dictionary(text, end)):
            return False
        if depth == 0 and token in _CLOSING:
            return token == ")"
        depth += (token in _OPENING) - (token in _CLOSING)
    return False


def begins_dictionary(text: str, offset: int) -> bool:
    """Whether what follows an open brace is that of a dictionary, not of a region.

    >>> begins_dictionary("{alignment = 8}", 1), begins_dictionary("{ %a = 8 }", 1)
    (True, False)
    """
    return _DICTIONARY.match(text, offset) is not None


def begins_body(text: str, offset: int) -> bool:
    """Whether what follows an open brace, after a parameter, is a body, since a ')' is missing.

    Else it is a dictionary, whether rightly written or not: a parameter or ')' follows it.

    >>> begins_body("{ %y = f(%x) }", 1), begins_body("{alignmen=8}, %y: f32)", 1)
    (True, False)
    """
    if begins_dictionary(text, offset):
        return False
    depth, closed = 0, False
    for match in MASTER.finditer(text, offset):
        end = match.end()
        token = text[end if match.lastgroup is None else match.start(match.lastgroup) : end]
        if closed or token == "func":
            return token not in (",", ")")
        closed = depth == 0 and token == "}"
        depth += (token == "{") - (token == "}")
    return True
