# SPDX-License-Identifier: BSD-3-Clause
"""Makes the module from the syntax tree: functions, regions, and the ops that yield values."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence

from mlir import ir

from tinytc_mlir.frontend import ast
from tinytc_mlir.frontend.attributes import named_attributes
from tinytc_mlir.frontend.builder import Value
from tinytc_mlir.frontend.emit_expressions import ExpressionEmitter
from tinytc_mlir.frontend.instructions import SEGMENTS, VALUE, Syntax
from tinytc_mlir.frontend.preprocessor import Preprocessor
from tinytc_mlir.frontend.resolver import Type
from tinytc_mlir.frontend.scope import DependsOnError, Scope
from tinytc_mlir.frontend.source import Note, Reporter, Span, TextError, counted
from tinytc_mlir.frontend.uninitialized_memory import is_only_read

_PARAMETER_KINDS = ("bool", "integer", "floating", "complex", "memref", "group")
_INTEGER = ("integer",)


class Emitter(ExpressionEmitter):
    """Makes a module; if errors go to the reporter, the module is unusable.

    Args:
        reporter: where errors go.
        context: context with the tinytc dialect.
        preprocessor: what compile-time variables stand for.
        place: the place of errors of the module as a whole, by default its start.
    """

    def __init__(
        self,
        reporter: Reporter,
        context: ir.Context,
        preprocessor: Preprocessor,
        place: Span | None = None,
    ) -> None:
        super().__init__(reporter, context, preprocessor)
        self._functions = Scope[None]("@", "function")
        self._yielded: list[tuple[str, list[Type] | None]] = []
        self.module = ir.Module.create(self.location(place or Span(0, 1)))
        self.block = ir.InsertionPoint(self.module.body)
        self._rules = {
            **self.simple_rules(),
            Syntax.YIELD: self.yield_instruction,
            Syntax.FOR: self.for_instruction,
            Syntax.FOREACH: self.foreach,
            Syntax.FOREACH_TILE: self.foreach_tile,
            Syntax.IF: self.if_instruction,
            Syntax.PARALLEL: self.parallel,
            Syntax.APPLY: self.apply,
        }

    def program(self, program: ast.Program) -> None:
        """Make the functions of a program."""
        for item in program.items:
            self.block = ir.InsertionPoint(self.module.body)
            try:
                if isinstance(item, ast.Definition):
                    self.preprocessor.define(item)
                else:
                    self.function(item)
            except TextError as error:
                self.reporter.add(error)
            except DependsOnError:
                pass
        if not self.reporter:
            self._warn_of_unwritten()

    def instruction(self, node: ast.Instruction) -> list[Value]:
        """Make the op of an instruction, and return its results."""
        self._rules[node.spec.syntax](node)
        return [self.lookup(result) for result in node.results]

    def _warn_of_unwritten(self) -> None:
        """Warn of allocas that are read and never written."""
        for op, span in self.allocas:
            if is_only_read(op.results[0]):
                message = (
                    "expected local memory to be written before it is read, got an alloca that "
                    "nothing writes"
                )
                self.reporter.warn(TextError(message, span))

    def function(self, node: ast.Function) -> None:
        """Make a function with its parameters and its body."""
        self._functions.define(node.name, node.span, None)
        self.nodes[node.span.start] = node
        types = [
            self.resolver.checked_type(parameter.type, _PARAMETER_KINDS)
            for parameter in node.parameters
        ]
        attributes = named_attributes(self.resolver, self.preprocessor, "func", node.attributes)
        attributes["sym_name"] = ir.StringAttr.get(node.name, self.context)
        function_type = ir.FunctionType.get([t.mlir for t in types], [], self.context)
        attributes["function_type"] = ir.TypeAttr.get(function_type, self.context)
        arguments = [self._parameter(p, t) for p, t in zip(node.parameters, types, strict=True)]
        if any(arguments):
            dictionaries = [ir.DictAttr.get(a, self.context) for a in arguments]
            attributes["arg_attrs"] = ir.ArrayAttr.get(list(dictionaries), self.context)
        location = self.location(node.span)
        op = ir.Operation.create(
            "tinytc.func", attributes=attributes, regions=1, loc=location, ip=self.block
        )
        names = [ast.Identifier(p.span, p.name) for p in node.parameters]
        self._region(op.regions[0], node.body, None, names, types)
        self.values.forget_ended()

    def for_instruction(self, node: ast.Instruction) -> None:
        """Make a loop; the bounds have the type of the loop variable."""
        assert isinstance(node, ast.For)
        assert node.variable is not None
        loop_type = self._loop_type(node, node.operands)
        bounds = [self.typed_value(bound, loop_type) for bound in node.operands]
        returns = [self.resolver.checked_type(t, VALUE) for t in node.return_types] or [
            self.lookup(init).type for init in node.inits if isinstance(init, ast.Known)
        ]
        inits = [
            self.typed_value(init, type_) for init, type_ in zip(node.inits, returns, strict=True)
        ]
        attributes = named_attributes(self.resolver, self.preprocessor, "for", node.attributes)
        segments = [1, 1, len(bounds) - 2, len(inits)]
        attributes[SEGMENTS] = ir.DenseI32ArrayAttr.get(segments, self.context)
        op = self.create(node, [*bounds, *inits], attributes, returns, regions=1)
        names = [node.variable, *node.carried]
        self._region(op.regions[0], node.body, returns, names, [loop_type, *returns])
        self.define(node, op, returns)

    def foreach(self, node: ast.Instruction) -> None:
        """Make a foreach; bounds have the types of their loop variables."""
        assert isinstance(node, ast.Foreach)
        types = self._loop_types(node)
        op = self.create(node, self._bounds(node, types), {}, regions=1)
        self._region(op.regions[0], node.body, None, node.variables, types)

    def foreach_tile(self, node: ast.Instruction) -> None:
        """Make a loop over tiles; bounds and extents have the types of the variables."""
        assert isinstance(node, ast.ForeachTile)
        types = self._loop_types(node)
        sizes = [self.preprocessor.integer(size).value for size in node.sizes]
        attributes = {"sizes": ir.DenseI64ArrayAttr.get(sizes, self.context)}
        op = self.create(node, self._bounds(node, types), attributes, regions=1)
        names = [*node.variables, *node.extents]
        self._region(op.regions[0], node.body, None, names, [*types, *types])

    def _bounds(self, node: ast.Foreach, types: Sequence[Type]) -> list[ir.Value]:
        bounds = zip((*node.operands, *node.indices), (*types, *types), strict=True)
        return [self.typed_value(bound, type_) for bound, type_ in bounds]

    def if_instruction(self, node: ast.Instruction) -> None:
        """Make a conditional; without an else part its second region is empty."""
        assert isinstance(node, ast.If)
        condition, type_ = self.value(node.operands[0], None)
        if type_ is not self.resolver.bool:
            raise self.type_mismatch(node.operands[0], self.resolver.bool, type_)
        returns = [self.resolver.checked_type(t, VALUE) for t in node.return_types]
        if returns and node.else_region is None:
            assert node.then_region is not None
            end = node.then_region.span.end
            message = (
                f"expected 'else' after an 'if' with {counted(len(returns), 'result')}, got none"
            )
            raise TextError(message, Span(end - 1, end))
        op = self.create(node, [condition], {}, returns, regions=2)
        self._region(op.regions[0], node.then_region, returns)
        if node.else_region is not None:
            self._region(op.regions[1], node.else_region, returns)
        if isinstance(node, ast.OpenIf) and node.ends is not None:
            op, returns = self._with_results(node, op)
        self.define(node, op, returns)

    def _with_results(self, node: ast.OpenIf, old: ir.Operation) -> tuple[ir.Operation, list[Type]]:
        """Replace a conditional without results by one that yields what its regions end with."""
        assert node.ends is not None
        yields, types = node.ends()
        made = self.create(node, list(old.operands), {}, types, regions=2)
        outer = self.block
        for before, region, operands in zip(old.regions, made.regions, yields, strict=True):
            block = before.blocks[0]
            block.append_to(region)
            block.operations[len(block.operations) - 1].operation.erase()  # the empty yield
            self.block = ir.InsertionPoint(block)
            pairs = zip(operands, types, strict=True)
            values = [self.typed_value(operand, type_) for operand, type_ in pairs]
            ir.Operation.create("tinytc.yield", [], values, loc=made.location, ip=self.block)
        self.block = outer
        old.erase()
        return made, list(types)

    def parallel(self, node: ast.Instruction) -> None:
        """Make an SPMD region."""
        assert isinstance(node, ast.Parallel)
        op = self.create(node, [], {}, regions=1)
        self._region(op.regions[0], node.body, None)

    def apply(self, node: ast.Instruction) -> None:
        """Make an apply; its region takes components of the matrices and yields one."""
        assert isinstance(node, ast.Apply)
        matrices = [self.value(operand, None) for operand in node.operands]
        for operand, matrix in zip(node.operands, matrices, strict=True):
            if matrix.type.kind != "coopmatrix":
                message = f"expected a coopmatrix, got {matrix.type.text}"
                raise TextError(message, operand.span)
        result = self.annotation(node) or matrices[0].type
        op = self.create(node, [each.value for each in matrices], {}, (result,), regions=1)
        types = [self.resolver.i32, self.resolver.i32]
        types += [matrix.type.scalar for matrix in matrices]
        self._region(op.regions[0], node.body, [result.scalar], node.variables, types)
        self.define(node, op, (result,))

    def yield_instruction(self, node: ast.Instruction) -> None:
        """Make a yield; the region that it ends determines what it returns."""
        owner, expected = self._yielded[-1]
        if expected is None:
            message = (
                "expected 'yield' in an 'if', a 'for' or a 'cooperative_matrix_apply', "
                f"got it in a '{owner}'"
            )
            raise TextError(message, node.span)
        if len(node.operands) != len(expected):
            listed = f" ({', '.join(t.text for t in expected)})" if expected else ""
            raise TextError(
                f"expected {counted(len(expected), 'yielded value')}{listed}, "
                f"got {len(node.operands)}",
                node.span,
            )
        values = [
            self.typed_value(operand, type_)
            for operand, type_ in zip(node.operands, expected, strict=True)
        ]
        self.create(node, values, {})

    def _parameter(self, node: ast.Parameter, type_: Type) -> dict[str, ir.Attribute]:
        """Return the attributes of a parameter, which only memrefs and groups take."""
        if node.attributes is not None and type_.kind not in ("memref", "group"):
            message = f"expected a memref or group type for attributes, got {type_.text}"
            raise TextError(message, node.attributes.span)
        attributes = named_attributes(
            self.resolver, self.preprocessor, "parameter", node.attributes
        )
        if node.attributes is not None:
            self._warn_of_divisors(node, type_)
        return attributes

    def _warn_of_divisors(self, node: ast.Parameter, type_: Type) -> None:
        """Warn of divisors of modes that a memref or the members of a group do not have."""
        assert node.attributes is not None
        dictionary = self.preprocessor.attribute(node.attributes)
        assert isinstance(dictionary, ast.Dictionary)
        order = len((type_.element if type_.kind == "group" and type_.element else type_).shape)
        for entry in dictionary.entries:
            if entry.name not in ("shape_gcd", "stride_gcd"):
                continue
            assert isinstance(entry.value, ast.Array)
            if len(entry.value.items) > order:
                self.surplus_divisors(entry.name, entry.value, order)

    def surplus_divisors(self, name: str, divisors: ast.Array, order: int) -> None:
        """Warn of divisors of modes that there are not."""
        most = f"at most {counted(order, 'number')} in {name}"
        count = len(divisors.items)
        message = (
            f"expected {most}, the order of the memref, got {count}: the others have no effect"
        )
        self.reporter.warn(TextError(message, divisors.span))

    def _loop_types(self, node: ast.Foreach) -> list[Type]:
        return [
            self._loop_type(node, bounds)
            for bounds in zip(node.operands, node.indices, strict=True)
        ]

    def _loop_type(self, node: ast.Instruction, bounds: Sequence[ast.Operand]) -> Type:
        """Return the type of a loop variable: the one written, else that of its bounds."""
        if node.type is not None:
            return self.resolver.checked_type(node.type, _INTEGER)
        for bound in bounds:
            if isinstance(bound, ast.Identifier):
                found = self.lookup(bound).type
                if found.kind in _INTEGER:
                    return found
                raise TextError(
                    f"expected '%{bound.name}' to have an integer type, got {found.text}",
                    bound.span,
                    *self.values.note(bound.name),
                )
        return self.resolver.index

    def _region(
        self,
        region: ir.Region,
        node: ast.Region | None,
        yielded: list[Type] | None,
        names: Sequence[ast.Identifier] = (),
        types: Sequence[Type] = (),
    ) -> None:
        """Fill a region with the ops of its statements."""
        assert node is not None
        # Callers know parameters by their names.
        are_parameters = region.owner.name == "tinytc.func"
        locations = [
            self.location(name.span, [name], with_numbers=are_parameters) for name in names
        ]
        block = ir.Block.create_at_start(region, [t.mlir for t in types], locations)
        outer, self.block = self.block, ir.InsertionPoint(block)
        self.values.enter()
        self.preprocessor.scope.enter()
        owner = region.owner.name.removeprefix("tinytc.")
        self._yielded.append((owner, yielded))
        for name, argument, type_ in zip(names, block.arguments, types, strict=True):
            self._define_argument(name, Value(argument, type_))
        try:
            self._fill(node, yielded)
        finally:
            self._yielded.pop()
            self.preprocessor.scope.leave()
            self.values.leave()
            self.block = outer

    def _fill(self, node: ast.Region, yielded: list[Type] | None) -> None:
        if isinstance(node, ast.OpenRegion):
            node.fill()
            operations = self.block.block.operations
            if not len(operations) or operations[len(operations) - 1].name != "tinytc.yield":
                self._end_region(node, None)
        elif self._check_yields(node):
            for statement in node.statements:
                self._statement(statement)
            self._end_region(node, yielded)

    def _check_yields(self, node: ast.Region) -> bool:
        """Return whether no yield comes before the end of a region; report one that does."""
        instructions = [s for s in node.statements if isinstance(s, ast.Instruction)]
        for statement, following in itertools.pairwise(instructions):
            if statement.spec.syntax is Syntax.YIELD:
                note = Note("this instruction follows", following.span)
                message = "expected 'yield' at the end of its region, got it before the end"
                self.reporter.add(TextError(message, statement.span, note))
                return False
        return True

    def _define_argument(self, name: ast.Identifier, value: Value) -> None:
        try:
            self.values.define(name.name, name.span, value)
        except TextError as error:
            self.reporter.add(error)

    def _statement(self, statement: ast.Statement) -> None:
        """Make the ops of a statement; after an error its results are marked as wrong."""
        try:
            if isinstance(statement, ast.Definition):
                self.preprocessor.define(statement)
            else:
                self._rules[statement.spec.syntax](statement)
            return
        except TextError as error:
            self.reporter.add(error)
        except DependsOnError:
            pass
        self._report_undefined(statement)
        if isinstance(statement, ast.Instruction):
            for result in statement.results:
                self._define_wrong(result)

    def _report_undefined(self, statement: ast.Statement) -> None:
        """Report the other undefined identifiers of a wrong instruction."""
        if not isinstance(statement, ast.Instruction):
            return
        for operand in statement.all_operands():
            if isinstance(operand, ast.Identifier):
                try:
                    self.values.lookup(operand.name, operand.span)
                except TextError as error:
                    self.reporter.add(error)

    def _define_wrong(self, name: ast.Identifier) -> None:
        """Define a name, so that its uses are not reported."""
        with contextlib.suppress(TextError):
            self.values.define(name.name, name.span, None)

    def _end_region(self, node: ast.Region, yielded: list[Type] | None) -> None:
        """Check that a required yield is at the end, or add an empty one."""
        end = Span(node.span.end - 1, node.span.end)
        instructions = [s for s in node.statements if isinstance(s, ast.Instruction)]
        if instructions and instructions[-1].spec.syntax is Syntax.YIELD:
            return
        if yielded:
            listed = ", ".join(t.text for t in yielded)
            values = counted(len(yielded), "value")
            message = f"expected 'yield' with {values} ({listed}) before '}}'"
            self.reporter.add(TextError(f"{message}, got none", end))
            return
        ir.Operation.create("tinytc.yield", loc=self.location(end), ip=self.block)
