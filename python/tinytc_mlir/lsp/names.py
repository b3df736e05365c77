# SPDX-License-Identifier: BSD-3-Clause
"""Finds what names stand for, also in programs with errors: it looks at tokens and braces only."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from tinytc_mlir.frontend.cursor import GLOBAL, LOCAL, VARIABLE, WORD, identifier_name
from tinytc_mlir.frontend.lexer import Token
from tinytc_mlir.frontend.parentheses import begins_dictionary
from tinytc_mlir.frontend.source import Span

_LOOPS = ("foreach", "foreach_tile", "as", "cooperative_matrix_apply")
"""Words before a list of names that a region defines."""


@dataclasses.dataclass(eq=False)
class Symbol:
    """A name with all its places.

    Args:
        sigil: `%`, `$` or `@`.
        name: the rest, numbers without leading zeros.
        definition: where it is defined, None if nowhere.
        uses: where else it is written.
    """

    sigil: str
    name: str
    definition: Span | None = None
    uses: list[Span] = dataclasses.field(default_factory=list)

    @property
    def spans(self) -> list[Span]:
        """All places, the definition first."""
        return [*([self.definition] if self.definition else []), *self.uses]


class Names:
    """The names of a program.

    Args:
        text: the program.
        tokens: its tokens without comments; only some of the first for what is visible there.

    Attributes:
        symbols: all of them, in the order of their first place.

    >>> from tinytc_mlir.lsp.text import Text
    >>> text = "func @f(%a: f32) { %b = arith.add %a, %a : f32 }"
    >>> [(s.sigil + s.name, len(s.uses)) for s in Names(text, Text(text).tokens()).symbols]
    [('@f', 0), ('%a', 2), ('%b', 0)]
    """

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.symbols: list[Symbol] = []
        self._text = text
        self._tokens = tokens
        self._scopes: list[dict[str, Symbol]] = [{}]
        self._pending: dict[str, Symbol] = {}
        self._outlived: dict[str, Symbol] = {}  # compile-time variables of regions that have ended
        self._parentheses: list[str] = []
        self._is_head = False
        for position, token in enumerate(tokens):
            self._read(position, token)

    def at(self, offset: int) -> Symbol | None:
        """Return the symbol at a place in the text, or the one that ends there."""
        for symbol in self.symbols:
            if any(start <= offset <= end for start, end in symbol.spans):
                return symbol
        return None

    def visible(self) -> list[Symbol]:
        """Return the defined names that are visible at the end of the tokens, the last first."""
        found = [each for names in self._scopes for each in names.values() if each.definition]
        seen = {each.sigil + each.name for each in found}
        found += [each for name, each in self._outlived.items() if name not in seen]
        return sorted(found, key=_place, reverse=True)

    def clashes(self, symbol: Symbol, name: str) -> bool:
        """Whether a name would stand for something else if a symbol had another name.

        Args:
            symbol: the symbol.
            name: its new name, without sigil.
        """
        spans = {*symbol.spans}
        renamed = [
            token._replace(text=symbol.sigil + name) if token.span in spans else token
            for token in self._tokens
        ]
        after = Names(self._text, renamed).symbols
        if [each.spans for each in after] != [each.spans for each in self.symbols]:
            return True
        new = after[self.symbols.index(symbol)]
        same = [each for each in after if (each.sigil, each.name) == (new.sigil, new.name)]
        # Functions have different names. A value from outside replaces every definition.
        return any(
            each.sigil == "@" or (each.sigil == "$" and None in (each.definition, new.definition))
            for each in same
            if each is not new
        )

    def functions(self) -> Iterator[Symbol]:
        """Yield the functions in their order."""
        return (symbol for symbol in self.symbols if symbol.sigil == "@")

    def _read(self, position: int, token: Token) -> None:
        if token.kind in (LOCAL, VARIABLE):
            self._name(position, token)
        elif token.kind == GLOBAL:
            self.symbols.append(Symbol("@", identifier_name(token), token.span))
        elif token.kind == WORD and token.text == "func":
            del self._scopes[1:]
            self._pending, self._parentheses, self._is_head = {}, [], True
        elif token.text == "{":
            is_region = not begins_dictionary(self._text, token.end)
            self._scopes.append(self._pending if is_region else {})
            if is_region:
                self._pending, self._parentheses, self._is_head = {}, [], False
        elif token.text == "}" and len(self._scopes) > 1:
            ended = self._scopes.pop()
            self._outlived |= {
                name: each for name, each in ended.items() if each.sigil == "$" and each.definition
            }
        elif token.text == "(":
            self._parentheses.append(self._tokens[position - 1].text if position else "")
        elif token.text == ")" and self._parentheses:
            self._parentheses.pop()

    def _name(self, position: int, token: Token) -> None:
        """Record a local identifier or a compile-time variable."""
        if token.kind == VARIABLE:
            is_new, scope = self._next(position) == "=", self._scopes[-1]
        else:
            is_new, scope = self._is_definition(position)
        symbol = self._found(token)
        if symbol is None and not is_new:
            symbol = self._outlived.get(token.text[0] + identifier_name(token))
        if symbol is not None:
            if is_new and symbol.definition is None:  # it was used too early
                symbol.definition = token.span
            else:
                symbol.uses.append(token.span)
            return
        if not is_new:
            scope = self._scopes[min(1, len(self._scopes) - 1)]
        symbol = Symbol(token.text[0], identifier_name(token))
        if is_new:
            symbol.definition = token.span
        else:
            symbol.uses.append(token.span)
        scope[symbol.sigil + symbol.name] = symbol
        self.symbols.append(symbol)

    def _is_definition(self, position: int) -> tuple[bool, dict[str, Symbol]]:
        """Return whether a local identifier is defined here, and the scope that it is in then."""
        before = self._tokens[position - 1].text if position else ""
        inner = self._parentheses[-1] if self._parentheses else ""
        following = self._next(position)
        is_pending = (
            (self._is_head and following == ":")
            or inner in _LOOPS
            or (inner == "init" and following == "=")
            or before == "for"
        )
        if is_pending:
            return True, self._pending
        return not self._parentheses and self._begins_results(position), self._scopes[-1]

    def _begins_results(self, position: int) -> bool:
        """Return whether a local identifier and those after it on its line come before `=`."""
        first = self._tokens[position].start
        for token, following in zip(
            self._tokens[position::2], self._tokens[position + 1 :: 2], strict=False
        ):
            is_broken = "\n" in self._text[first : following.start]
            if token.kind != LOCAL or is_broken or following.text not in (",", "="):
                return False
            if following.text == "=":
                return True
        return False

    def _next(self, position: int) -> str:
        following = self._tokens[position + 1 : position + 2]
        return following[0].text if following else ""

    def _found(self, token: Token) -> Symbol | None:
        key = token.text[0] + identifier_name(token)
        for names in (self._pending, *reversed(self._scopes)):
            if key in names:
                return names[key]
        return None


def _place(symbol: Symbol) -> int:
    assert symbol.definition is not None
    return symbol.definition.start


def before(tokens: Iterable[Token], offset: int) -> list[Token]:
    """Return the tokens that end before an offset."""
    return [token for token in tokens if token.end < offset]
