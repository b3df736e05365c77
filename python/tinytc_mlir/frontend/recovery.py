# SPDX-License-Identifier: BSD-3-Clause
"""Finds the place where the parser resumes after an error, without reading every token."""

from __future__ import annotations

import re

from tinytc_mlir.frontend.cursor import STRING, WORD
from tinytc_mlir.frontend.instruction_parser import InstructionParser
from tinytc_mlir.frontend.tokens import ATTRIBUTE_NAMES, MNEMONICS

_LOCAL = r"%[A-Za-z0-9_]+[ \t]*"
_STATEMENT = (
    rf"(?:(?:{'|'.join(sorted(MNEMONICS, key=len, reverse=True))})(?![A-Za-z0-9_])"
    rf"|{_LOCAL}(?:,[ \t]*{_LOCAL})*=|\$[A-Za-z0-9_]+[ \t]*="
    r"|[a-z_]+(?:\.[a-z_]+)*[ \t]+%)"  # a misspelt instruction
)
_LANDMARK = re.compile(
    r';[^\n]*|"[^"\n]*"?'
    r"|(?P<function>(?<![A-Za-z0-9_%@$.])func(?![A-Za-z0-9_]))"
    rf"|(?P<statement>^[ \t]*(?={_STATEMENT})[%$A-Za-z])"
    r"|(?P<end>^[ \t]*\})"
    r"|(?P<brace>[{}])",
    re.MULTILINE,
)

_MAX_LANDMARKS = 20_000
"""Number of landmarks after which the parser gives up on the rest of the text."""


class Recovery(InstructionParser):
    """The part of the parser that skips text after an error."""

    def skip_to_statement(self, start: int) -> None:
        """Go to what may be the next instruction, reading regions on the way for their errors.

        Args:
            start: offset of the broken statement.
        """
        text = self.reporter.source.text
        depth = self._open_braces(start)
        position = self.previous_end if self.token.start > start else self.token.end
        for _ in range(_MAX_LANDMARKS):
            match = _LANDMARK.search(text, position)
            if match is None:
                break
            position = match.end()
            if match.lastgroup == "brace":
                if match.group() == "{":
                    self.jump(match.start())
                    self._skip_braces()
                    position = self.previous_end
                    continue
                depth -= 1
            # The brace of a dictionary is closed on the line of the statement.
            if match.lastgroup in ("function", "end") or depth < 0:
                self.jump(match.start())
                return
            if match.lastgroup == "statement":
                self.jump(position - 1)
                return
        self.jump(len(text))

    def skip_to_region(self) -> bool:
        """Go to the body of a function with a broken head, and return whether it has one."""
        text = self.reporter.source.text
        position = self.token.start
        for _ in range(_MAX_LANDMARKS):
            match = _LANDMARK.search(text, position)
            if match is None:
                break
            position = match.end()
            if match.lastgroup == "function":
                self.jump(match.start())
                return False
            if match.group() == "{":
                self.jump(match.start())
                if self._opens_region():
                    return True
                self._skip_braces()
                position = self.previous_end
        self.jump(len(text))
        return False

    def skip_to_function(self) -> None:
        """Go to the next function, or to the next definition that begins its line."""
        text = self.reporter.source.text
        position = self.token.start if self.at_word("func") else self.token.end
        self._depth = 0
        while match := _LANDMARK.search(text, position):
            position = match.end()
            if match.lastgroup == "function" or match.group() == "$":
                self.jump(match.start())
                return
        self.jump(len(text))

    def _open_braces(self, start: int) -> int:
        """Return how many braces are open between an offset and the current token."""
        text = self.reporter.source.text
        return sum(_depth_change(m) for m in _LANDMARK.finditer(text, start, self.token.start))

    def _opens_region(self) -> bool:
        """Return whether the current brace looks like that of a region, not a dictionary."""
        inner = self.peek()
        is_name = inner.kind == WORD and inner.text in ATTRIBUTE_NAMES
        return not (is_name or inner.kind == STRING)

    def _skip_braces(self) -> None:
        """Go past the brace that closes the current one."""
        if self._opens_region():
            self.region()
            return
        text = self.reporter.source.text
        position, depth = self.token.end, 1
        while depth and (match := _LANDMARK.search(text, position)):
            position = match.end()
            depth += _depth_change(match)
        self.jump(position if depth == 0 else len(text))


def _depth_change(landmark: re.Match[str]) -> int:
    """Return 1 for an opening brace, -1 for a closing one, else 0."""
    if landmark.lastgroup not in ("brace", "end"):
        return 0
    return 1 if landmark.group() == "{" else -1
