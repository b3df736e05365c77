# SPDX-License-Identifier: BSD-3-Clause
"""Reads instructions; each method is the rule of the grammar with the same name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend._instructions_gen import ENUMS
from tinytc_mlir.frontend.cursor import LOCAL, MODIFIER, VARIABLE, WORD
from tinytc_mlir.frontend.expression_parser import ExpressionParser
from tinytc_mlir.frontend.hints import instruction_hint
from tinytc_mlir.frontend.instructions import (
    FAMILIES,
    INSTRUCTIONS,
    SPELLINGS,
    WITH_DIMENSION,
    Instruction,
    Modifier,
    Syntax,
    Typing,
)
from tinytc_mlir.frontend.source import (
    Note,
    Reporter,
    Span,
    TextError,
    alternatives,
    counted,
    quote,
)

_STORE = "an element is stored: 'store %x, %A[%i]'"

_Node = TypeVar("_Node", bound=ast.Instruction)
_Item = TypeVar("_Item")


class InstructionParser(ExpressionParser):
    """The part of the parser that reads instructions, without their regions."""

    def __init__(self, reporter: Reporter) -> None:
        super().__init__(reporter)
        self._written = ""  # how the text spells the present instruction
        self._rules: dict[Syntax, Callable[[_Head], ast.Instruction]] = {
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
        start = self.token.start
        spec, implied = self.instruction_name(results)
        modifiers = self._modifiers(spec, implied)
        head = _Head(start, spec, results, modifiers)
        self._check_results(head)
        return self._rules[spec.syntax](head)

    def instruction_name(
        self, results: list[ast.Identifier]
    ) -> tuple[Instruction, tuple[str, ...]]:
        """instruction-name = word ["." word].

        Returns:
            the instruction, and the modifiers that are part of a name of version 0.4.
        """
        token = self.token
        if token.kind != WORD:
            raise self._no_instruction(results)
        name = token.text
        if name in FAMILIES and self.peek().kind == MODIFIER:
            name += self.peek().text
        spelling = SPELLINGS.get(name)
        if spelling is None:
            raise self._unknown_instruction(name)
        spec = INSTRUCTIONS[spelling.instruction]
        self.advance()
        if name != token.text:
            self.advance()
        self._written = name
        return spec, spelling.modifiers or self._dimension(name, spec)

    def _dimension(self, name: str, spec: Instruction) -> tuple[str, ...]:
        """Read the dimension of a grid that may follow a name of version 0.4."""
        if self.token.kind != MODIFIER or spec.name not in WITH_DIMENSION:
            return ()
        dimensions = ENUMS["dimension"]
        word = self.token.text[1:]
        if name == WITH_DIMENSION[spec.name]:
            if word not in dimensions:
                choices = alternatives(f"'.{dimension}'" for dimension in dimensions)
                raise self.error(f"{choices} after '{name}'")
            self.advance()
            return (word,)
        hints = [Note(f"write '{WITH_DIMENSION[spec.name]}.{word}'")] if word in dimensions else []
        raise self.error(f"no further modifier after '{name}'", *hints)

    def _modifiers(self, spec: Instruction, implied: tuple[str, ...]) -> list[str | None]:
        """Read the modifiers; version 0.4 writes .atomic before the others."""
        if not spec.modifiers:
            self._check_no_modifier(spec, [])
            return []
        chosen: dict[str, str | None] = {}
        in_order: list[Modifier] = []
        for modifier in spec.modifiers:
            if modifier.enum == "dimension":
                chosen[modifier.attribute] = implied[0] if implied else None
            elif implied and implied[0] in modifier.choices:
                chosen[modifier.attribute], implied = implied[0], implied[1:]
            elif self.token.text == ".atomic" and modifier.choices == ("atomic",):
                chosen[modifier.attribute] = self.modifier(spec, modifier)
                in_order.append(modifier)
        for modifier in spec.modifiers:
            if modifier.attribute not in chosen:
                chosen[modifier.attribute] = self.modifier(spec, modifier)
                in_order.append(modifier)
        self._check_no_modifier(spec, in_order)
        return [chosen[modifier.attribute] for modifier in spec.modifiers]

    def _no_instruction(self, results: list[ast.Identifier]) -> TextError:
        """Return the error that an instruction does not begin with a word."""
        if results:
            return self.error("an instruction or an expression")
        notes = []
        if self.token.kind == "/":
            notes = [Note("comments begin with ';'")]
        elif self.token.kind == "x" and self.peek().kind == "=":
            notes = [Note("write '%x' for a value")]
        return self.error_here("an instruction or '}'", *notes)

    def modifier(self, spec: Instruction, modifier: Modifier) -> str | None:
        """modifier = "." word."""
        token = self.token
        if token.kind == MODIFIER and token.text[1:] in modifier.choices:
            self.advance()
            return token.text[1:]
        if modifier.required:
            choices = alternatives(f"'.{choice}'" for choice in modifier.choices)
            hints = [f".{choice}" for choice in modifier.choices]
            raise self.error(f"{choices} after '{self._written}'", *self.misspelling(hints))
        return None

    def operand_instruction(self, head: _Head) -> ast.Instruction:
        """operand-instruction = [operand {"," operand}] [":" type]."""
        node = head.node(ast.Instruction)
        self._operands(node)
        return self._typed(node)

    def indexed_instruction(self, head: _Head) -> ast.Instruction:
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

    def alloca(self, head: _Head) -> ast.Instruction:
        """alloca = [attributes] ":" type."""
        node = head.node(ast.Instruction)
        if self.token.kind != ":":
            if self.token.kind not in ("{", VARIABLE):
                raise self.error("':' or a dictionary attribute")
            node.attributes = self.attributes()
        return self._typed(node)

    def constant_instruction(self, head: _Head) -> ast.Instruction:
        """constant-instruction = constant (":" | "->") type."""
        node = head.node(ast.Instruction)
        node.operands.append(self.constant())
        if self.accept("->"):
            node.type = self.type()
            return self._close(node)
        return self._typed(node)

    def expand(self, head: _Head) -> ast.Instruction:
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

    def subview(self, head: _Head) -> ast.Instruction:
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

    def yield_instruction(self, head: _Head) -> ast.Instruction:
        """yield-instruction = "(" [operand {"," operand}] ")"."""
        node = head.node(ast.Instruction)
        opening = self.expect("(")
        node.operands = self.list_until(")", self.operand, opening)
        return self._close(node)

    def for_instruction(self, head: _Head) -> ast.Instruction:
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

    def foreach(self, head: _Head) -> ast.Instruction:
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

    def foreach_tile(self, head: _Head) -> ast.Instruction:
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

    def if_instruction(self, head: _Head) -> ast.Instruction:
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

    def parallel(self, head: _Head) -> ast.Instruction:
        """parallel = region."""
        node = head.node(ast.Parallel)
        self._close(node)
        node.body = self.region()
        return node

    def apply(self, head: _Head) -> ast.Instruction:
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

    def print_instruction(self, head: _Head) -> ast.Instruction:
        """print-instruction = string {"," operand}."""
        node = head.node(ast.Instruction)
        node.operands.append(self.string())
        while self.accept(","):
            self.check_count(len(node.operands))
            node.operands.append(self.operand())
        return self._close(node)

    def _operands(self, node: ast.Instruction) -> None:
        """Read as many operands as the table says."""
        for position, name in enumerate(node.spec.operands):
            if position and not self.accept(","):
                count = len(node.spec.operands)
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

    def _check_results(self, head: _Head) -> None:
        """Check that a result is named if and only if the instruction has one."""
        spec, results = head.spec, head.results
        expected = 0 if spec.typing is Typing.NONE else 1
        if len(results) == expected or spec.syntax in (Syntax.FOR, Syntax.IF):
            return
        if expected == 0:
            message = (
                f"expected no result before '=', got {len(results)}: '{self._written}' has none"
            )
            raise TextError(message, Span(results[0].span.start, results[-1].span.end))
        span = Span(head.start, self.previous_end)
        raise TextError(f"expected 1 result of '{self._written}', got {len(results)}", span)

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

    def _check_no_modifier(self, spec: Instruction, in_order: list[Modifier]) -> None:
        """Report a modifier after those of an instruction, which are given as the text has them."""
        if self.token.kind != MODIFIER:
            return
        choices = [f".{choice}" for m in in_order for choice in m.choices]
        if spec.name in WITH_DIMENSION:
            raise self.error(f"no further modifier after '{WITH_DIMENSION[spec.name]}'")
        notes = self.misspelling(choices)
        text = self.token.text
        if text in choices or (choices and not notes):
            slots = ("|".join(f".{c}" for c in m.choices) for m in in_order)
            notes = [
                Note(f"the modifiers of '{self._written}' are, in this order, {' '.join(slots)}")
            ]
        expected = "an operand" if spec.operands else "no further modifier"
        raise self.error(f"{expected} after '{self._written}'", *notes)

    def _unknown_instruction(self, name: str) -> TextError:
        """Return the error for a name that is in no table, with what may have been meant."""
        span = Span(self.token.start, self.token.start + len(name))
        message = f"expected an instruction, got {quote(name)}"
        hint = instruction_hint(name, is_result=self.peek().kind == "=")
        return TextError(message, span, *[Note(hint)] * bool(hint))


class _Head:
    """The part that all instructions begin with."""

    def __init__(
        self,
        start: int,
        spec: Instruction,
        results: list[ast.Identifier],
        modifiers: list[str | None],
    ) -> None:
        self.start = start
        self.spec = spec
        self.results = results
        self.modifiers = modifiers

    def node(self, kind: type[_Node]) -> _Node:
        """Return a node that has only the head."""
        return kind(Span(self.start, self.start), self.spec, self.results, self.modifiers)
