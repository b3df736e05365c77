# SPDX-License-Identifier: BSD-3-Clause
"""Reads types; each method is the rule of the grammar with the same name."""

from __future__ import annotations

from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.attribute_parser import AttributeParser
from tinytc_mlir.frontend.cursor import INTEGER, SCALAR, VARIABLE, WORD, closest, identifier_name
from tinytc_mlir.frontend.hints import SIZES_IN_TYPES
from tinytc_mlir.frontend.source import Note, Span, alternatives
from tinytc_mlir.frontend.tokens import (
    ADDRESS_SPACES,
    COMPOUND_TYPES,
    MATRIX_USES,
    NUMBER_TYPES,
    TYPE_NAMES,
)

_OTHER_LANGUAGES = {
    "float": "f32",
    "double": "f64",
    "half": "f16",
    "int": "i32",
    "long": "i64",
    "short": "i16",
    "char": "i8",
    "i1": "bool",
    "size_t": "index",
    "tensor": "memref",
}


class TypeParser(AttributeParser):
    """The part of the parser that reads types."""

    def type(self) -> ast.Type:
        """type = "void" | "bool" | scalar-type | memref-type | group-type | coopmatrix-type."""
        token = self.token
        if token.kind == SCALAR:
            self.advance()
            return ast.SimpleType(token.span, token.text)
        if token.kind == VARIABLE:
            self.advance()
            return ast.Variable(token.span, identifier_name(token))
        if token.kind == WORD:
            if token.text in ("void", "bool"):
                self.advance()
                return ast.SimpleType(token.span, token.text)
            if token.text == "memref":
                return self.memref_type()
            if token.text == "group":
                return self.group_type()
            if token.text == "coopmatrix":
                return self.coopmatrix_type()
        raise self.error("a type", *self._type_hints(TYPE_NAMES))

    def scalar_type(self) -> ast.Type:
        """scalar-type = "i8" | ... | "c64"; may be a compile-time variable."""
        token = self.token
        if token.kind not in (SCALAR, VARIABLE):
            raise self.error("a scalar type", *self._type_hints(NUMBER_TYPES))
        return self.type()

    def memref_type(self) -> ast.MemrefType:
        """memref-type = "memref<" scalar-type tensor-shape ["," layout] ["," space] ">"."""
        start = self.advance().start
        self.expect("<")
        element = self.scalar_type()
        shape = self.tensor_shape()
        stride, space = None, None
        if self.accept(","):
            if self.at_word("strided"):
                stride = self.strided_layout()
                if self.accept(","):
                    space = self.expect_word(ADDRESS_SPACES).text
            elif self.token.kind in (INTEGER, "?"):
                words = alternatives(f"'{word}'" for word in ("strided", *ADDRESS_SPACES))
                raise self.error(words, Note(SIZES_IN_TYPES))
            else:
                space = self.expect_word(("strided", *ADDRESS_SPACES)).text
        self._close_type("'x', ',' or '>'" if stride is None and space is None else "'>'")
        return ast.MemrefType(Span(start, self.previous_end), element, shape, stride, space)

    def tensor_shape(self) -> list[ast.Size]:
        """tensor-shape = {"x" constant-or-dynamic}."""
        shape: list[ast.Size] = []
        while self.accept("x"):
            self.check_count(len(shape))
            shape.append(self.constant_or_dynamic())
        return shape

    def strided_layout(self) -> list[ast.Size]:
        """strided-layout = "strided<" [constant-or-dynamic {"," constant-or-dynamic}] ">"."""
        self.advance()
        self.expect("<")
        return self.list_until(">", self.constant_or_dynamic)

    def constant_or_dynamic(self) -> ast.Size:
        """constant-or-dynamic = integer-constant | "?"."""
        token = self.token
        if token.kind == "?":
            self.advance()
            return ast.Dynamic(token.span)
        if token.kind in (INTEGER, VARIABLE):
            return self.integer_constant()
        raise self.error("an integer constant or '?'", *self.missing_dollar())

    def group_type(self) -> ast.GroupType:
        """group-type = "group<" memref-type "x" size ["," "offset" ":" size] ">"."""
        start = self.advance().start
        self.expect("<")
        if not self.at_word("memref") and self.token.kind != VARIABLE:
            raise self.error("a memref type")
        memref = self.type()
        self.expect("x", "'x' and the size of the group")
        size = self.constant_or_dynamic()
        offset = None
        if self.accept(","):
            self.expect_word(("offset",))
            self.expect(":")
            offset = self.constant_or_dynamic()
        self._close_type("',' or '>'" if offset is None else "'>'")
        return ast.GroupType(Span(start, self.previous_end), memref, size, offset)

    def coopmatrix_type(self) -> ast.CoopMatrixType:
        """coopmatrix-type = "coopmatrix<" scalar-type "x" rows "x" columns "," use ">"."""
        start = self.advance().start
        self.expect("<")
        component = self.scalar_type()
        self.expect("x", "'x' and the number of rows")
        rows = self.integer_constant()
        self.expect("x", "'x' and the number of columns")
        columns = self.integer_constant()
        self.expect(",", "',' and the use of the matrix")
        use = self.expect_word(MATRIX_USES).text
        self._close_type("'>'")
        span = Span(start, self.previous_end)
        return ast.CoopMatrixType(span, component, rows, columns, use)

    def return_types(self) -> list[ast.Type]:
        """return-types = "->" "(" [type {"," type}] ")"."""
        self.expect("->")
        opening = self.expect("(")
        return self.list_until(")", self.type, opening)

    def _close_type(self, expected: str) -> None:
        if not self.accept(">"):
            raise self.error(expected)

    def _type_hints(self, names: tuple[str, ...]) -> list[Note]:
        """Return what may have been meant by a token that is not a type."""
        token = self.token
        if token.kind == INTEGER and self.peek().kind == "x":
            return [Note("the element type comes first, as in memref<f32x16x8>")]
        if token.kind != WORD:
            return []
        word = token.text.split("x")[0] if token.text not in COMPOUND_TYPES else token.text
        hint = _OTHER_LANGUAGES.get(token.text) or closest(token.text, names)
        hint = hint or _OTHER_LANGUAGES.get(word) or closest(word, names)
        if hint in names:
            return [Note(f"did you mean '{hint}'?")]
        return self.missing_dollar()
