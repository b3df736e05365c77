# SPDX-License-Identifier: BSD-3-Clause
"""Statements: assignments, loops, conditionals, SPMD regions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from ..frontend import ast as text
from ..frontend.scope import DependsOnError
from ..frontend.source import TextError
from . import early_exits
from .loops import Loops
from .reader import quotable
from .types import TYPES, Memref
from .values import Choice, InForm, Instruction, Local, Method, OutOfScope, Static, Value

MAX_PATHS = 64
"""How often a statement is read: one that follows nested `continue` is in several branches."""

_WORDS = {
    "FunctionDef": "a function outside, marked with @tt.inline",
    "ClassDef": "nothing: kernels have no objects",
    "Try": "a debug build, which reports errors",
    "Raise": "a debug build, which reports errors",
    "Import": "an import outside of the function",
    "ImportFrom": "an import outside of the function",
    "Delete": "nothing: names end with their region",
    "Global": "a parameter",
    "Nonlocal": "a parameter",
    "Match": "if and elif",
    "AsyncFor": "a for loop",
    "AsyncFunctionDef": "a function outside, marked with @tt.inline",
    "AsyncWith": "a with statement",
}


class Statements(Loops):
    """The part that reads statements."""

    def body(self, nodes: Sequence[ast.stmt], after: set[str]) -> None:
        """Append the instructions of statements; errors go to the reporter.

        Args:
            nodes: the statements.
            after: names that are used after them.
        """
        for node, following in zip(nodes, self.liveness.after(nodes, after), strict=True):
            try:
                self._expect_few_paths(node)
                self.statement(node, following)
            except (TextError, DependsOnError) as error:
                if isinstance(error, TextError):
                    self.reporter.add(error)
                for name in self.liveness.effect([node]).assigned:
                    self.scope[name] = OutOfScope(self.span(node))

    def statement(self, node: ast.stmt, after: set[str]) -> None:
        """Append the instructions of one statement."""
        if isinstance(node, ast.For):
            self._for(node, after)
            return
        if isinstance(node, ast.If):
            self._if(node, after)
            return
        name = type(node).__name__
        simple: Callable[[ast.stmt], None] | None = getattr(
            self, f"_{name.lower()}_statement", None
        )
        if simple is None:
            hints = [f"use {_WORDS[name]}"] if name in _WORDS else []
            message = f"expected a statement that kernels have, got '{_written(name)}'"
            raise self.error(message, node, *hints)
        simple(node)

    def _expect_few_paths(self, node: ast.stmt) -> None:
        """Refuse a statement that has been copied into too many branches."""
        self._copies[node] += 1
        if self._copies[node] > MAX_PATHS:
            message = f"expected at most {MAX_PATHS} ways through branches to a statement, got more"
            hint = "write 'if' around it, in place of nested 'continue' or 'return' before it"
            raise self.error(message, node, hint)

    def _pass_statement(self, node: ast.stmt) -> None:
        """Append nothing."""

    def _expr_statement(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return
        if not isinstance(node.value, ast.Call):
            self.expression(node.value)
            raise self.error("expected a call or an assignment, got a value that is not used", node)
        self.call(node.value)

    def _assert_statement(self, node: ast.Assert) -> None:
        """Constants are checked now; what only a launch knows is checked by debug builds."""
        value = self.scalar(node.test)
        message = f": {self.static(node.msg, 'a text')}" if node.msg is not None else ""
        shown = ast.unparse(node.test) + message
        if isinstance(value, Static):
            if not value.value:
                raise self.error(f"expected {shown}", node)
            return
        condition = self.condition(value, node.test)
        self.add(node, "assert", [condition, text.String(self.span(node), quotable(shown))])

    def _assign_statement(self, node: ast.Assign) -> None:
        if len(node.targets) != 1:
            raise self.error("expected one target, got several", node)
        target = node.targets[0]
        if not self.callers and isinstance(target, ast.Name) and target.id == early_exits.RESULT:
            hint = "kernels write to arrays; functions marked with @tt.inline return"
            raise self.error("expected no value after 'return' in a kernel, got one", node, hint)
        if isinstance(target, ast.Subscript):
            self._assign_place(node, target, None)
        elif isinstance(target, ast.Name):
            self._define(target, self.expression(node.value), node.value)
        elif isinstance(target, ast.Tuple):
            for each in target.elts:
                if isinstance(each, ast.Starred):
                    raise self.error("expected targets one by one, got '*'", each)
            values = self._several(node.value)
            if len(values) != len(target.elts):
                raise self.error(f"expected {len(target.elts)} values, got {len(values)}", node)
            for each, (value, place) in zip(target.elts, values, strict=True):
                self._assign_item(each, value, place)
        else:
            raise self.error("expected a name or a place in an array before '='", target)

    def _several(self, node: ast.expr) -> list[tuple[Value, ast.expr]]:
        """Return the values for several targets, each with its place."""
        if isinstance(node, ast.Tuple):
            return [(self.expression(item), item) for item in node.elts]
        value = self.expression(node)
        if isinstance(value, Method) and value.name == "shape":
            modes = range(len(value.holder.type.shape))  # type: ignore[union-attr]
            return [(self.size(node, value.holder, mode), node) for mode in modes]
        if isinstance(value, Static) and isinstance(value.value, tuple):
            return [(Static(item), node) for item in value.value]
        raise self.unexpected("several values", value, node, "assign names one by one")

    def _annassign_statement(self, node: ast.AnnAssign) -> None:
        type_ = self.static(node.annotation, "a type")
        if node.value is None or not isinstance(type_, TYPES):
            raise self.error("expected a type and a value, as in x: tt.f32 = 0.0", node)
        value = self.expression(node.value)
        is_number = isinstance(value, Choice) or (isinstance(value, Static) and value.is_number)
        if is_number and isinstance(node.target, ast.Name):
            value = self.constant(value, node.value, type_)  # type: ignore[arg-type]
        if not isinstance(value, Local) or value.type != type_:
            raise self.unexpected(f"a value of type {type_}", value, node.value)
        self._define(node.target, value, node.value)

    def _define(self, target: ast.expr, value: Value, node: ast.expr) -> None:
        """Bind a name; the result that has just been made is called like it."""
        if not isinstance(target, ast.Name):
            raise self.error("expected a name before '='", target)
        if isinstance(value, (InForm, Method, Instruction)):
            raise self.unexpected("a value to keep", value, node)
        if isinstance(value, Local) and value.name.isdigit():
            value = Local(self.new_name(target.id), value.value)
            self.emitter.rename(value.value, value.name)
        self.scope[target.id] = value

    def _augassign_statement(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Subscript):
            self._assign_place(node, target, node.op)
            return
        if not isinstance(target, ast.Name):
            raise self.error("expected a name or a place in an array", target)
        value = self.lookup(target)
        if isinstance(value, Local) and isinstance(value.type, Memref):
            self.assign_matrix(node, value, node.op)
            return
        load = ast.copy_location(ast.Name(target.id, ast.Load()), target)
        both = ast.copy_location(ast.BinOp(load, node.op, node.value), node)
        self._define(target, self.expression(both), node.value)

    def _assign_place(self, node: ast.stmt, target: ast.Subscript, op: ast.operator | None) -> None:
        holder = self._holder(target)
        value = node.value  # type: ignore[attr-defined]
        if not self.is_element(target, holder.type):  # type: ignore[arg-type]
            self.assign_matrix(node, self.part(target, holder), op)
        elif op is None:  # Python computes the value before the indices
            self._store(node, target, holder, self.scalar(value), value)
        else:
            self.expect_operator(node, op)
            array, indices = self.operand(holder, target.value), self.indices(target)
            before = self.value_of(target, "load", [array], indices=list(indices))
            found = self.operation(node, op, before, self.scalar(value))  # type: ignore[arg-type]
            self.expect_element(target, holder, found, value)
            self.add(node, "store", [self.operand(found, value), array], indices=indices)

    def _holder(self, target: ast.Subscript) -> Local:
        """Return the array that an assignment changes."""
        holder = self.expression(target.value)
        if isinstance(holder, Local) and isinstance(holder.type, Memref):
            return holder
        raise self.unexpected("an array before '['", holder, target.value)

    def _store(
        self, node: ast.AST, target: ast.Subscript, holder: Local, value: Value, place: ast.expr
    ) -> None:
        self.expect_element(target, holder, value, place)
        operands = [self.operand(value, place), self.operand(holder, target.value)]
        self.add(node, "store", operands, indices=self.indices(target))

    def _assign_item(self, target: ast.expr, value: Value, place: ast.expr) -> None:
        """Assign to one of several targets, after all values have been computed."""
        if not isinstance(target, ast.Subscript):
            self._define(target, value, place)
            return
        holder = self._holder(target)
        if not self.is_element(target, holder.type) or self.is_view(value):  # type: ignore[arg-type]
            raise self.error(
                "expected numbers and elements in an assignment of several, got an array",
                target,
                "assign arrays one by one",
            )
        self._store(target, target, holder, value, place)

    def _with_statement(self, node: ast.With) -> None:
        item = node.items[0]
        call = item.context_expr
        called = self.called(call.func) if isinstance(call, ast.Call) else None
        if called != Instruction(("parallel",)) or item.optional_vars or len(node.items) > 1:
            raise self.error("expected 'with tt.parallel():', got another 'with'", node)
        self.add(node, "parallel", body=self.spmd_region(node, lambda: self.body(node.body, set())))
        self.leave(node)

    def _while_statement(self, node: ast.While) -> None:
        condition = ast.unparse(node.test)
        hint = f"write for k in range(n), with the most turns, and 'if {condition}:' in it"
        raise self.error("expected a loop with a number of turns, got 'while'", node, hint)

    def _break_statement(self, node: ast.Break) -> None:
        hint = "write done = False before the loop, 'if not done:' in it, and done = True here"
        raise self.error("expected a loop that runs all turns, got 'break'", node, hint)

    def _continue_statement(self, node: ast.Continue) -> None:
        hint = "assign a truth value here, and write 'if' around what comes after"
        raise self._too_deep(node, "continue", "loop", hint)

    def _return_statement(self, node: ast.Return) -> None:
        hint = "'continue' ends one turn of a loop; for all, assign a truth value, and look at it"
        raise self._too_deep(node, "return", "function", hint)

    def _too_deep(self, node: ast.stmt, word: str, owner: str, hint: str) -> Exception:
        return self.error(
            f"expected '{word}' in the body of the {owner} or in one of at most "
            f"{early_exits.MAX_DEPTH} conditionals there, got it deeper",
            node,
            hint,
        )


def _written(name: str) -> str:
    name = name.removesuffix("Def").removesuffix("From").replace("Async", "async ").lower()
    return {"function": "def", "async function": "async def", "delete": "del"}.get(name, name)
