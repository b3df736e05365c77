# SPDX-License-Identifier: BSD-3-Clause
"""Reads instructions; each method is the rule of the grammar with the same name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.cursor import LOCAL, VARIABLE
from tinytc_mlir.frontend.head_parser import Head, HeadParser
from tinytc_mlir.frontend.instructions import Syntax, Typing
from tinytc_mlir.frontend.source import Note, Reporter, Span, TextError, counted

_STORE = "an element is stored: 'store %x, %A[%i]'"

_Item = TypeVar("_Item")


class InstructionParser(HeadParser):
    """The part of the parser that reads instructions, without their regions."""

    def __init__(self, reporter: Reporter) -> None:
        super().__init__(reporter)
        self._rules: dict[Syntax, Callable[[Head], ast.Instruction]] = {
            Syntax.OPERANDS: self.operand_instruction,
            Syntax.INDEXED: self.indexed_instruction,
            Syntax.ALLOCA: self.alloca,
            Syntax.CONSTANT: self.constant_instruction,
            Syntax.EXPAND: self.expand,
            Syntax.SUBVIEW: self.subview,
            Syntax.YIELD: self.yield_instruction,
            Syntax.FOR: self.for_instruction,
            Syntax.FOREACH: self.foreach,
            Syntax.FOREACH_TILE: self.foreach_tile,
            Syntax.IF: self.if_instruction,
            Syntax.PARALLEL: self.parallel,
            Syntax.APPLY: self.apply,
            Syntax.PRINT: self.print_instruction,
        }

    def region(self) -> ast.Region:
        """Read a region; implemented by the class that knows statements."""
        raise NotImplementedError

    def instruction(self) -> ast.Instruction:
        """instruction = [results "="] instruction-name ... | results "=" expression-instruction."""
        results: list[ast.Identifier] = []
        if self.token.kind == LOCAL:
            results = self.list_of(self.local_identifier)
            if not self.accept("="):
                notes = [Note(_STORE)] if self.token.kind == "[" else []
                raise self.error("',' or '='", *notes)
            if self.starts_expression():
                return self.expression_instruction(results)
        head = self._head(results)
        return self._rules[head.spec.syntax](head)

    def operand_instruction(self, head: Head) -> ast.Instruction:
        """operand-instruction = [operand {"," operand}] [":" type]."""
        node = head.node(ast.Instruction)
        self._operands(node)
        return self._typed(node)

    def indexed_instruction(self, head: Head) -> ast.Instruction:
        """indexed-instruction = operand {"," operand} "[" ... "]" {"," operand} [":" type]."""
        node = head.node(ast.Instruction)
        self._operands(node)
        self.expect("[")
        names = head.spec.indices
        if names[0].startswith("*"):
            node.indices = list(self.list_until("]", self.operand))
            return self._typed(node)
        for position, name in enumerate(names):
            if position:
                self.expect(",")
            node.indices.append(self._operand(name))
        self.expect("]")
        for name in head.spec.trailing:
            self.expect(",", f"',' and '{name[1:]}'")
            node.indices.append(self.integer_constant())
        return self._typed(node)

    def alloca(self, head: Head) -> ast.Instruction:
        """alloca = [attributes] ":" type."""
        node = head.node(ast.Instruction)
        if self.token.kind != ":":
            if self.token.kind not in ("{", VARIABLE):
                raise self.error("':' or a dictionary attribute")
            node.attributes = self.attributes()
        return self._typed(node)

    def constant_instruction(self, head: Head) -> ast.Instruction:
        """constant-instruction = (constant | dense) (":" | "->") type."""
        node = head.node(ast.Instruction)
        node.operands.append(self.dense() if self.at_word("dense") else self.constant())
        if self.accept("->"):
            node.type = self.type()
            return self._close(node)
        return self._typed(node)

    def expand(self, head: Head) -> ast.Instruction:
        """expand = operand "[" integer-constant "->" expand-shape "]" ":" type."""
        node = head.node(ast.Expand)
        self._operands(node)
        self.expect("[")
        node.indices.append(self.integer_constant())
        self.expect("->")
        node.indices += self.expand_shape()
        self.expect("]", "'x' or ']'")
        return self._typed(node)

    def expand_shape(self) -> list[ast.Operand]:
        """expand-shape = operand "x" operand {"x" operand}."""
        shape = [self.operand()]
        if self.token.kind != "x":
            raise self.error("'x' and a second size", *self._glued_x(shape[0]))
        while self.accept("x"):
            self.check_count(len(shape))
            shape.append(self.operand())
        return shape

    def _glued_x(self, size: ast.Operand) -> list[Note]:
        """Return a hint if an x has become part of the identifier before it."""
        if not isinstance(size, ast.Identifier):
            return []
        name, x, rest = size.name.rpartition("x")
        if not (name and x and rest.isdigit()):
            return []
        return [Note(f"'x' is part of the name; did you mean '%{name} x{rest}'?")]

    def subview(self, head: Head) -> ast.Instruction:
        """subview = operand "[" [slice {"," slice}] "]" ":" type."""
        node = head.node(ast.Subview)
        self._operands(node)
        self.expect("[")
        node.slices = self.list_until("]", self.slice)
        return self._typed(node)

    def slice(self) -> ast.Slice:
        """slice = operand [":" (operand | "?")] | ":"."""
        start = self.token.start
        if self.accept(":"):
            return ast.Slice(Span(start, start + 1), None, None)
        offset = self.operand()
        size: ast.Operand | ast.Dynamic = ast.Integer(offset.span, 0)
        if self.accept(":"):
            place = self.token.start
            is_rest = self.accept("?")
            size = ast.Dynamic(Span(place, place + 1)) if is_rest else self.operand()
        return ast.Slice(Span(start, self.previous_end), offset, size)

    def yield_instruction(self, head: Head) -> ast.Instruction:
        """yield-instruction = "(" [operand {"," operand}] ")"."""
        node = head.node(ast.Instruction)
        opening = self.expect("(")
        node.operands = self.list_until(")", self.operand, opening)
        return self._close(node)

    def for_instruction(self, head: Head) -> ast.Instruction:
        """for-instruction = variable "=" range [init-values] [return-types] region [...]."""
        node = head.node(ast.For)
        node.variable = self.local_identifier()
        if self.accept(":"):
            node.type = self.type()
        self.expect("=", "'='" if node.type else "':' or '='")
        node.operands = [self.operand()]
        self.expect(",", "',' and the upper bound")
        node.operands.append(self.operand())
        if self.accept(","):
            node.operands.append(self.operand())
        if self.at_word("init"):
            self.init_values(node)
        if node.inits or self.token.kind == "->":
            node.return_types = self.return_types()
            self._check_carried_count(node)
        self._check_result_count(node, node.return_types)
        self._close(node)
        node.body = self.region()
        node.attributes = self.for_attributes()
        return node

    def init_values(self, node: ast.For) -> None:
        """init-values = "init" "(" [init-value {"," init-value}] ")"."""
        self.advance()
        opening = self.expect("(")
        for carried, init in self.list_until(")", self.init_value, opening):
            node.carried.append(carried)
            node.inits.append(init)

    def init_value(self) -> tuple[ast.Identifier, ast.Operand]:
        """init-value = local-identifier "=" operand."""
        carried = self.local_identifier()
        self.expect("=")
        return carried, self.operand()

    def for_attributes(self) -> ast.Dictionary | ast.Variable | None:
        """for-attributes = ["attributes"] attributes."""
        if self.accept_word("attributes"):
            return self.attributes()
        is_use = self.token.kind == VARIABLE and self.peek().kind != "="
        return self.attributes() if is_use or self.token.kind == "{" else None

    def foreach(self, head: Head) -> ast.Instruction:
        """foreach = "(" variables ")" [":" type] "=" bounds "," bounds region."""
        node = head.node(ast.Foreach)
        self._variables(node)
        if self.accept(":"):
            node.type = self.type()
        self.expect("=", "'='" if node.type else "':' or '='")
        self._range(node)
        self._close(node)
        node.body = self.region()
        return node

    def foreach_tile(self, head: Head) -> ast.Instruction:
        """foreach-tile = "(" variables ")" "=" bounds "," bounds "as" extents "<=" sizes region."""
        node = head.node(ast.ForeachTile)
        self._variables(node)
        self.expect("=")
        self._range(node)
        if not self.accept_word("as"):
            raise self.error("'as' and the extents of a tile")
        node.extents = self._list_like_variables(node, self.local_identifier, "extent")
        self.expect("<=", "'<=' and the sizes of a tile")
        node.sizes = self._list_like_variables(node, self.integer_constant, "tile size")
        self._close(node)
        node.body = self.region()
        return node

    def _variables(self, node: ast.Foreach) -> None:
        opening = self.expect("(")
        node.variables = self.list_of(self.local_identifier)
        self.close(opening)

    def _range(self, node: ast.Foreach) -> None:
        node.operands = self._list_like_variables(node, self.operand, "lower bound")
        self.expect(",", "',' and the upper bounds")
        node.indices = self._list_like_variables(node, self.operand, "upper bound")

    def if_instruction(self, head: Head) -> ast.Instruction:
        """if-instruction = operand [return-types] region ["else" region]."""
        node = head.node(ast.If)
        node.operands.append(self.operand())
        if self.token.kind == "->":
            node.return_types = self.return_types()
        self._check_result_count(node, node.return_types)
        self._close(node)
        node.then_region = self.region()
        if self.accept_word("else"):
            node.else_region = self.region()
        return node

    def parallel(self, head: Head) -> ast.Instruction:
        """parallel = region."""
        node = head.node(ast.Parallel)
        self._close(node)
        node.body = self.region()
        return node

    def apply(self, head: Head) -> ast.Instruction:
        """apply = "(" variables ")" "=" operand {"," operand} "->" type region."""
        node = head.node(ast.Apply)
        opening = self.expect("(")
        node.variables = self.list_of(self.local_identifier)
        self.close(opening)
        names = Span(opening.start, self.previous_end)
        self.expect("=")
        node.operands = self.list_of(self.operand)
        count = 2 + len(node.operands)
        if len(node.variables) != count:
            component = "component" if count == 3 else f"{count - 2} components"
            raise TextError(
                f"expected {count} names, for row, column and {component}, "
                f"got {len(node.variables)}",
                names,
            )
        self.expect("->", "'->' and a type")
        node.type = self.type()
        self._close(node)
        node.body = self.region()
        return node

    def print_instruction(self, head: Head) -> ast.Instruction:
        """print-instruction = string {"," operand}."""
        node = head.node(ast.Instruction)
        node.operands.append(self.string())
        while self.accept(","):
            self.check_count(len(node.operands))
            node.operands.append(self.operand())
        return self._close(node)

    def _operands(self, node: ast.Instruction) -> None:
        """Read as many operands as the table says."""
        count = len(node.spec.operands)
        for position, name in enumerate(node.spec.operands):
            if position and not self.accept(","):
                if position >= count - node.spec.optional:
                    return
                raise self.error(f"',' and operand {position + 1} of {count} of '{self._written}'")
            node.operands.append(self._operand(name))

    def _operand(self, name: str) -> ast.Operand:
        """Read the operand that the table calls so."""
        if name[0] == '"':
            return self.string()
        return self.integer_constant() if name[0] == "#" else self.operand()

    def _list_like_variables(
        self, node: ast.Foreach, item: Callable[[], _Item], what: str
    ) -> list[_Item]:
        """Read a list in parentheses that is as long as that of the loop variables."""
        opening = self.expect("(")
        items = self.list_of(item)
        self.close(opening)
        if len(items) != len(node.variables):
            raise TextError(
                f"expected {counted(len(node.variables), what)} like loop variables, "
                f"got {len(items)}",
                Span(opening.start, self.previous_end),
            )
        return items

    def _typed(self, node: ast.Instruction) -> ast.Instruction:
        """Read the type after the colon if the table says that there is one."""
        if node.spec.typing is not Typing.NONE:
            self.expect(":", "':' and a type")
            node.type = self.type()
        return self._close(node)

    def _close(self, node: ast.Instruction) -> ast.Instruction:
        """End the instruction after what has been read so far."""
        node.span = Span(node.span.start, self.previous_end)
        return node

    def _check_carried_count(self, node: ast.For) -> None:
        types = node.return_types
        if len(types) == len(node.inits):
            return
        raise TextError(
            f"expected {counted(len(node.inits), 'return type')} like loop-carried values, "
            f"got {len(types)}",
            types[-1].span if types else Span(self.previous_end - 1, self.previous_end),
        )

    def _check_result_count(self, node: ast.Instruction, types: list[ast.Type]) -> None:
        if len(node.results) == len(types):
            return
        first = node.results[0].span.start if node.results else node.span.start
        end = node.results[-1].span.end if node.results else self.previous_end
        raise TextError(
            f"expected {counted(len(types), 'result')} like return types, got {len(node.results)}",
            Span(first, end),
        )
