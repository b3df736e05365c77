# SPDX-License-Identifier: BSD-3-Clause
"""Reads programs: recursive descent, one method for each rule of the grammar.

The grammar itself is in docs/grammar.md. After an error the parser resumes at the next
instruction or function, so that one run shows several errors.
"""

from __future__ import annotations

import contextlib

from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.cursor import (
    CALCULATOR,
    GLOBAL,
    INTEGER,
    LOCAL,
    MODIFIER,
    SCALAR,
    STRING,
    VARIABLE,
    WORD,
    FatalTextError,
    identifier_name,
)
from tinytc_mlir.frontend.hints import READ_MLIR, looks_like_mlir
from tinytc_mlir.frontend.lexer import END_KIND
from tinytc_mlir.frontend.parentheses import begins_body
from tinytc_mlir.frontend.recovery import Recovery
from tinytc_mlir.frontend.source import Note, Reporter, Span, TextError, TooManyErrors
from tinytc_mlir.frontend.tokens import (
    CALCULATOR_WORDS,
    MNEMONICS,
    TYPE_NAMES,
)

_OPERATORS = ("^", "-", "+", "*", "/", "%")
_FUNCTION_WORDS = ("func", "function", "kernel", "def", "define")


class _UnclosedRegion(TextError):
    """A region without its closing brace; only the next function can be read."""


class Parser(Recovery):
    """Reads a whole program from the tokens."""

    def program(self) -> ast.Program:
        """program = {definition | function}."""
        items: list[ast.Function | ast.Definition] = []
        while self.token.kind != END_KIND:
            try:
                if self.token.kind == VARIABLE:
                    items.append(self.definition())
                elif self.at_word("func") and self.peek().kind != MODIFIER:
                    items.append(self.function())
                else:
                    notes = self._function_hints()
                    raise self.error_here("'func' or a compile-time definition", *notes)
            except FatalTextError:
                raise
            except TextError as error:
                self.reporter.add(error)
                self.skip_to_function()
        return ast.Program(Span(0, self.token.end), items, self.definitions)

    def function(self) -> ast.Function:
        """function = "func" global-identifier "(" [parameters] ")" [...] region."""
        self.advance()
        try:
            function = self.function_head()
        except FatalTextError:
            raise
        except TextError as error:
            self.reporter.add(error)
            function = ast.Function(self.token.span, "", [], None, ast.Region(self.token.span, []))
            if not self.skip_to_region():
                return function
        function.body = self.region()
        return function

    def function_head(self) -> ast.Function:
        """function-head = global-identifier "(" [parameters] ")" ["attributes" attributes]."""
        token = self.token
        if token.kind != GLOBAL:
            notes = [Note(f"write '@{token.text}'")] if token.kind == WORD else []
            raise self.error("a global identifier", *notes)
        self.advance()
        opening = self.expect("(")
        parameters = self.list_until(")", self.argument, opening)
        attributes = self.attributes() if self.accept_word("attributes") else None
        if self.token.kind != "{":
            expected = "'{'" if attributes else "'attributes' or '{'"
            raise self.error(expected, *self.misspelling(("attributes",)))
        body = ast.Region(self.token.span, [])
        return ast.Function(token.span, identifier_name(token), parameters, attributes, body)

    def argument(self) -> ast.Parameter:
        """argument = local-identifier ":" type [attributes]."""
        name = self.local_identifier()
        self.expect(":", "':' and a type")
        parameter_type = self.type()
        token, text = self.token, self.reporter.source.text
        is_dictionary = token.kind == "{" and not begins_body(text, token.end)
        attributes = self.attributes() if is_dictionary or token.kind == VARIABLE else None
        return ast.Parameter(name.span, name.name, parameter_type, attributes)

    def region(self) -> ast.Region:
        """region = "{" {definition | instruction} "}"."""
        opening = self.expect("{")
        self.enter("regions")
        statements: list[ast.Statement] = []
        while self.token.kind != "}":
            if self.token.kind == END_KIND or self.at_word("func"):
                note = Note("the region is opened here", opening.span)
                error = self.error_here("'}'", note)
                raise _UnclosedRegion(error.message, error.span, note)
            self._statement_into(statements)
        self.advance()
        self.leave()
        return ast.Region(Span(opening.start, self.previous_end), statements)

    def definition(self) -> ast.Definition:
        """definition = compile-time-variable "=" definition-value."""
        token = self.advance()
        name = identifier_name(token)
        self.expect("=")
        self.definitions.setdefault(name, token.span)
        return ast.Definition(token.span, name, self.definition_value())

    def definition_value(self) -> ast.DefinitionValue:
        """definition-value = constant | array | dictionary | string | type | calculation."""
        token = self.token
        if token.kind == CALCULATOR:
            return self.calculation()
        if token.kind == "[" and self.peek().kind == "floating constant":
            raise self.error("an array attribute, which holds no floating constants")
        if token.kind in ("[", "{", STRING):
            return self.attribute()
        if token.kind in (SCALAR, VARIABLE) or (token.kind == WORD and token.text in TYPE_NAMES):
            return self.type()
        return self.constant("a constant, an attribute, a type or '!calc'")

    def calculation(self) -> ast.Calculation:
        """calculation = "!calc" "(" {integer-constant | operator} ")"."""
        start = self.advance().start
        opening = self.expect("(")
        items: list[ast.Integer | ast.Variable | ast.Operator] = []
        while item := self.calculation_item():
            self.check_count(len(items))
            items.append(item)
        self.close(opening, "an integer constant, an operator or ')'", *self._calculation_hints())
        return ast.Calculation(Span(start, self.previous_end), items)

    def calculation_item(self) -> ast.Integer | ast.Variable | ast.Operator | None:
        """calculation-item = integer-constant | "^" | "-" | "+" | "*" | "/" | "%" | "min" ..."""
        token = self.token
        if token.kind in (INTEGER, VARIABLE):
            return self.integer_constant()
        is_word = token.kind == WORD and token.text in CALCULATOR_WORDS
        if token.kind in _OPERATORS or is_word:
            self.advance()
            return ast.Operator(token.span, token.text)
        return None

    def _calculation_hints(self) -> list[Note]:
        token = self.token
        if token.kind == LOCAL:
            return [Note("leave a space after the operator '%'")]
        return [Note(f"write '${token.text}' for a variable")] if token.kind == WORD else []

    def _statement_into(self, statements: list[ast.Statement]) -> None:
        """Read one statement, or report why that fails and go to the next one."""
        before = self.token.start
        try:
            if self.token.kind == VARIABLE:
                statements.append(self.definition())
            else:
                statements.append(self.instruction())
        except (FatalTextError, _UnclosedRegion):
            raise
        except TextError as error:
            self.reporter.add(error)
            self.skip_to_statement(before)

    def _function_hints(self) -> list[Note]:
        token = self.token
        if token.kind == WORD and looks_like_mlir(self.reporter.source.text[token.start :]):
            raise FatalTextError("expected a program, got MLIR", token.span, Note(READ_MLIR))
        if token.kind == WORD and token.text in _FUNCTION_WORDS:
            return [Note("did you mean 'func'?")]
        if token.kind == LOCAL or (token.kind == WORD and token.text in MNEMONICS):
            return [Note("instructions belong in the body of a function")]
        return self.misspelling(("func",)) if token.kind == WORD else []


def parse_program(reporter: Reporter) -> ast.Program | None:
    """Return the syntax tree of the reporter's source, None if errors were reported."""
    program = None
    with contextlib.suppress(TooManyErrors):
        try:
            program = Parser(reporter).program()
        except FatalTextError as error:
            reporter.add(error)
    return None if reporter else program
