# SPDX-License-Identifier: BSD-3-Clause
"""Statements: assignments, loops, conditionals, SPMD regions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from ..frontend import ast as text
from ..frontend.scope import DependsOnError
from ..frontend.source import TextError
from . import liveness
from .expressions import BINARY, slices
from .products import Products
from .reader import describe
from .types import SCALARS, TYPES, Coopmatrix, Group, Memref, Type, attributes_node
from .values import Gone, Instruction, Local, Method, Static, Transposed, Value

_INDEX, _BOOL = SCALARS["index"], SCALARS["bool"]
_WORDS = {
    "While": "a for loop over range(...)",
    "FunctionDef": "a function outside, marked with @tt.inline",
    "ClassDef": "nothing: kernels have no objects",
    "Try": "a debug build, which reports errors",
    "Raise": "a debug build, which reports errors",
    "Import": "an import outside of the function",
    "ImportFrom": "an import outside of the function",
    "Delete": "nothing: names end with their region",
    "Global": "a parameter",
    "Nonlocal": "a parameter",
    "Break": "a condition around the rest of the body",
    "Continue": "a condition around the rest of the body",
    "Match": "if and elif",
}


class Statements(Products):
    """The part that reads statements."""

    def body(self, nodes: Sequence[ast.stmt], after: set[str]) -> None:
        """Append the instructions of statements; errors go to the reporter.

        Args:
            nodes: the statements.
            after: names that are used after them.
        """
        for position, node in enumerate(nodes):
            following = liveness.live_before(nodes[position + 1 :], after)
            try:
                self.statement(node, following)
            except (TextError, DependsOnError) as error:
                if isinstance(error, TextError):
                    self.reporter.add(error)
                for name in liveness.assigned([node]):
                    self.scope[name] = Gone(self.span(node))

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
        """Constants are checked now; what only a launch knows is checked by `python`."""
        value = self.static(node.test, "a condition")
        if not value:
            message = f": {self.static(node.msg, 'a text')}" if node.msg is not None else ""
            raise self.error(f"expected {ast.unparse(node.test)}{message}", node)

    def _assign_statement(self, node: ast.Assign) -> None:
        if len(node.targets) != 1:
            raise self.error("expected one target, got several", node)
        target = node.targets[0]
        if isinstance(target, ast.Subscript):
            self._assign_place(node, target, None)
        elif isinstance(target, ast.Name):
            self._define(target, self.expression(node.value), node.value)
        elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            values = [self.expression(item) for item in node.value.elts]
            if len(values) != len(target.elts):
                raise self.error(f"expected {len(target.elts)} values, got {len(values)}", node)
            for each, value in zip(target.elts, values, strict=True):
                self._define(each, value, node.value)
        else:
            raise self.error("expected a name or a place in an array before '='", target)

    def _annassign_statement(self, node: ast.AnnAssign) -> None:
        type_ = self.static(node.annotation, "a type")
        if node.value is None or not isinstance(type_, TYPES):
            raise self.error("expected a type and a value, as in x: tt.f32 = 0.0", node)
        value = self.expression(node.value)
        if isinstance(value, Static) and value.is_number and isinstance(node.target, ast.Name):
            value = self.constant(value.value, node.value, type_, node.target.id)
        if not isinstance(value, Local) or value.type != type_:
            raise self.error(f"expected a value of type {type_}, got {describe(value)}", node.value)
        self._define(node.target, value, node.value)

    def _define(self, target: ast.expr, value: Value, node: ast.expr) -> None:
        """Bind a name; the result that has just been made is called like it."""
        if not isinstance(target, ast.Name):
            raise self.error("expected a name before '='", target)
        if isinstance(value, (Transposed, Method, Instruction)):
            raise self.error(f"expected a value to keep, got {describe(value)}", node)
        last = self.statements[-1] if self.statements else None
        results = last.results if isinstance(last, text.Instruction) else []
        names = [result.name for result in results]
        if isinstance(value, Local) and names == [value.name] and value.name.isdigit():
            value = Local(self.new_name(target.id), value.type)
            results[0].name, results[0].span = value.name, self.span(target)
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
        holder = self.expression(target.value)
        if not (isinstance(holder, Local) and isinstance(holder.type, Memref)):
            raise self.error(f"expected an array before '[', got {describe(holder)}", target.value)
        rank = len(holder.type.shape)
        if not self.is_element(target, holder.type):
            is_all = all(
                isinstance(i, ast.Slice) and i.lower is i.upper is i.step is None
                for i in slices(target)
            )
            place = holder if is_all and len(slices(target)) <= rank else self.part(target, holder)
            self.assign_matrix(node, place, op)
            return
        indices = self.indices(target)
        value = node.value  # type: ignore[attr-defined]
        found = self.scalar(value)
        if op is not None:
            place_text = [self.text_of(holder, target)]
            before = self.value_of(
                target, "load", place_text, holder.type.element, indices=list(indices)
            )
            found = self.binary(node, BINARY[type(op)], before, found)  # type: ignore[arg-type]
        operand = self.operand(found, value, holder.type.element)
        self.add(node, "store", [operand, self.text_of(holder, target)], indices=indices)

    def _with_statement(self, node: ast.With) -> None:
        item = node.items[0]
        call = item.context_expr
        called = self._called(call.func) if isinstance(call, ast.Call) else None
        if called != Instruction(("parallel",)) or item.optional_vars or len(node.items) > 1:
            raise self.error("expected 'with tt.parallel():', got another 'with'", node)
        body = self.inner(node, node.body, set())
        self.add(node, "parallel", body=body)
        self._leave(node)

    def _return_statement(self, node: ast.Return) -> None:
        raise self.error(
            "expected no 'return' in a kernel, got one",
            node,
            "kernels write to arrays; functions marked with @tt.inline return",
        )

    def inner(
        self,
        node: ast.AST,
        nodes: Sequence[ast.stmt],
        after: set[str],
        end: Callable[[], None] = lambda: None,
        names: Sequence[tuple[str, Local]] = (),
    ) -> text.Region:
        """Return the region of statements.

        Args:
            node: the statement around them.
            nodes: the statements.
            after: names that are used after them.
            end: what is appended at the end.
            names: what is visible in the region only.
        """

        def fill() -> None:
            self.scope.update(names)
            self.body(nodes, after)
            end()

        return self.region(node, fill)

    def _leave(self, node: ast.stmt, kept: Sequence[str] = ()) -> None:
        """Mark what a region assigned as gone."""
        for name in liveness.assigned([node]):
            if name not in kept:
                what = "an 'if'" if isinstance(node, ast.If) else "a region"
                self.scope[name] = Gone(self.span(node), f"from {what} that has ended")

    # Loops ----------------------------------------------------------------------------------

    def _for(self, node: ast.For, after: set[str]) -> None:
        call = node.iter
        if node.orelse:
            raise self.error("expected no 'else' of a loop, got one", node.orelse[0])
        called = self._called(call.func) if isinstance(call, ast.Call) else None
        assert isinstance(call, ast.Call) or called is None
        if isinstance(called, Static) and called.value is range:
            self._range_loop(node, call, after)  # type: ignore[arg-type]
        elif called in (Instruction(("foreach",)), Instruction(("foreach_tile",))):
            self._foreach_loop(node, call, called.words[0])  # type: ignore
        elif called == Instruction(("cooperative_matrix_apply",)):
            self._apply_loop(node, call)  # type: ignore[arg-type]
        else:
            raise self.error(
                "expected range(...), tt.foreach(...) or tt.foreach_tile(...) after 'in'", node.iter
            )

    def _range_loop(self, node: ast.For, call: ast.Call, after: set[str]) -> None:
        if not isinstance(node.target, ast.Name):
            raise self.error("expected a name before 'in'", node.target)
        known = {str(k.arg): self.static(k.value, "a constant") for k in call.keywords}
        if not 1 <= len(call.args) <= 3:
            raise self.error(
                f"expected range(end) or range(start, end, step), got {len(call.args)} operands",
                call,
            )
        values = [self.scalar(arg) for arg in call.args]
        values = [Static(0), *values] if len(values) == 1 else values
        typed = [v.type for v in values if isinstance(v, Local)]
        loop = typed[0] if typed else _INDEX
        places = [call.args[0], *call.args] if len(call.args) == 1 else call.args
        bounds = [self.operand(v, n, loop) for v, n in zip(values, places, strict=True)]
        carried = self._carried(node, after)
        inits = [self._initial(name, node) for name in carried]
        variable = Local(self.new_name(node.target.id), loop)
        inner = [
            Local(self.new_name(name), init.type) for name, init in zip(carried, inits, strict=True)
        ]
        used = after | set(carried) | liveness.live_before(node.body, set())

        def end() -> None:
            pairs = zip(carried, inits, strict=True)
            self._yield(node, [(self.scope[name], init.type) for name, init in pairs])

        names = [(node.target.id, variable), *zip(carried, inner, strict=True)]
        body = self.inner(node, node.body, used, end if carried else lambda: None, names)
        made = self.add(node, "for", bounds, body=body)
        assert made is None
        loop_node = self.statements[-1]
        assert isinstance(loop_node, text.For)
        loop_node.variable = text.Identifier(self.span(node.target), variable.name)
        loop_node.type = None if loop == _INDEX and not typed else loop.node(self.span(call))
        if known:
            loop_node.attributes = attributes_node(known, self.span(call))
        span = self.span(node.target)
        loop_node.carried = [text.Identifier(span, local.name) for local in inner]
        loop_node.inits = [text.Identifier(span, init.name) for init in inits]
        self._results(
            node, loop_node, [(name, init.type) for name, init in zip(carried, inits, strict=True)]
        )
        self._leave(node, carried)
        self.scope.pop(node.target.id, None)

    def _results(
        self, node: ast.AST, made: text.For | text.If, names: Sequence[tuple[str, Type]]
    ) -> None:
        """Give a loop or a conditional its results, and bind the names."""
        span = self.span(node)
        made.return_types = [type_.node(span) for _, type_ in names]
        for name, type_ in names:
            local = Local(self.new_name(name), type_)
            made.results.append(text.Identifier(span, local.name))
            self.scope[name] = local

    def _carried(self, node: ast.For, after: set[str]) -> list[str]:
        """Return the names that the body assigns, and that it or what follows uses."""
        used = after | liveness.live_before(node.body, set())
        return [
            name for name in liveness.assigned(node.body) if name in used and self._is_carried(name)
        ]

    def _is_carried(self, name: str) -> bool:
        found = self.scope.get(name)
        if isinstance(found, Gone) and not found.reason:
            raise DependsOnError
        is_array = isinstance(found, Local) and isinstance(found.type, (Memref, Group))
        return found is not None and not isinstance(found, Gone) and not is_array

    def _initial(self, name: str, node: ast.For) -> Local:
        """Return the value of a name before a loop, which must have a type."""
        found = self.scope[name]
        if isinstance(found, Local):
            return found
        if isinstance(found, Static) and type(found.value) in (bool, int):
            type_ = _BOOL if isinstance(found.value, bool) else _INDEX
            return self.constant(found.value, node.target, type_, name)
        value = found.value if isinstance(found, Static) else found
        raise self.error(
            f"expected a value with a type for '{name}', which the loop changes, got {value!r}",
            node,
            f"write {name} = tt.f32({value!r}) before the loop",
        )

    def _yield(self, node: ast.AST, values: Sequence[tuple[Value | Gone, Type]]) -> None:
        operands = []
        for value, type_ in values:
            if isinstance(value, Gone):
                raise DependsOnError
            if isinstance(value, Local) and value.type != type_:
                raise self.error(
                    f"expected a value of type {type_} at the end of the region, got "
                    f"{describe(value)}",
                    node,
                )
            operands.append(self.operand(value, node, type_))
        self.add(node, "yield", operands)

    def _foreach_loop(self, node: ast.For, call: ast.Call, name: str) -> None:
        is_tiled = name == "foreach_tile"
        ranges = call.args[:-1] if is_tiled else call.args
        is_pair = len(ranges) == 2 and all(isinstance(each, ast.Tuple) for each in ranges)
        ends = [self.scalar(n) for each in ranges[is_pair:] for n in _items(each)]
        starts = [self.scalar(n) for n in _items(ranges[0])] if is_pair else [Static(0)] * len(ends)
        if len(starts) != len(ends):
            raise self.error(
                f"expected as many lower as upper bounds, got {len(starts)} and {len(ends)}", call
            )
        targets = list(_items(node.target))
        count = len(ends) * (1 + is_tiled)
        if len(targets) != count or not all(isinstance(t, ast.Name) for t in targets):
            raise self.error(f"expected {count} names before 'in', got {len(targets)}", node.target)
        types = [
            next((v.type for v in bounds if isinstance(v, Local)), _INDEX)
            for bounds in zip(starts, ends, strict=True)
        ]
        words = [t.id for t in targets if isinstance(t, ast.Name)]
        of_words = types * (1 + is_tiled)
        names = [(w, Local(self.new_name(w), t)) for w, t in zip(words, of_words, strict=True)]
        body = self.inner(node, node.body, set(), names=names)
        operands, indices = (
            [self.operand(v, call, t) for v, t in zip(values, types, strict=True)]
            for values in (starts, ends)
        )
        fields: dict[str, Any] = {}
        identifiers = [text.Identifier(self.span(node.target), local.name) for _, local in names]
        if is_tiled:
            sizes = self.static(call.args[-1], "the sizes of a tile")
            sizes = sizes if isinstance(sizes, tuple) else (sizes,)
            fields["sizes"] = [text.Integer(self.span(call.args[-1]), size) for size in sizes]
            fields["extents"] = identifiers[len(ends) :]
        self.add(
            node,
            name,
            operands,
            indices=indices,
            body=body,
            variables=identifiers[: len(ends)],
            **fields,
        )
        self._leave(node)

    def _apply_loop(self, node: ast.For, call: ast.Call) -> None:
        """`for row, column, x in tt.cooperative_matrix_apply(M)` replaces each x, and then M."""
        argument = call.args[0] if len(call.args) == 1 else call
        value = self.expression(argument) if isinstance(argument, ast.Name) else None
        if not isinstance(value, Local) or not isinstance(value.type, Coopmatrix):
            raise self.error("expected the name of a cooperative matrix, got something else", call)
        assert isinstance(argument, ast.Name)
        targets = _items(node.target)
        if len(targets) != 3 or not all(isinstance(t, ast.Name) for t in targets):
            raise self.error(
                "expected 3 names before 'in', for row, column and component", node.target
            )
        words = [t.id for t in targets if isinstance(t, ast.Name)]
        types = (SCALARS["i32"], SCALARS["i32"], value.type.element)
        names = [(w, Local(self.new_name(w), t)) for w, t in zip(words, types, strict=True)]

        def end() -> None:
            self._yield(node, [(self.scope[words[2]], types[2])])

        body = self.inner(node, node.body, {words[2]}, end, names)
        span = self.span(node.target)
        variables = [text.Identifier(span, local.name) for _, local in names]
        operands = [self.text_of(value, argument)]
        made = self.value_of(
            node, "cooperative_matrix_apply", operands, value.type, hint=argument.id,
            variables=variables, body=body,
        )  # fmt: skip
        self._leave(node)
        self.scope[argument.id] = made

    # Conditionals ---------------------------------------------------------------------------

    def _if(self, node: ast.If, after: set[str]) -> None:
        condition = self.scalar(node.test)
        if isinstance(condition, Static):  # only the branch that is taken is read
            self.body(node.body if condition.value else node.orelse, after)
            return
        operand = self._condition(condition, node.test)
        names = [n for n in liveness.assigned([node]) if n in after and self._in_both(n, node)]
        types: dict[str, Type] = {}
        regions: list[text.Region] = []
        ends: list[dict[str, Value | Gone]] = []
        for branch in (node.body, node.orelse):

            def keep() -> None:
                ends.append({name: self.scope[name] for name in names})

            regions.append(self.inner(node, branch, after, keep))
        for name in names:
            types[name] = self._common(node, name, [found[name] for found in ends])
        if names:
            for region, found in zip(regions, ends, strict=True):
                outer, self.statements = self.statements, region.statements
                self._yield(node, [(found[name], types[name]) for name in names])
                self.statements = outer
        has_else = bool(node.orelse) or bool(names)
        made = self._add_if(node, operand, regions[0], regions[1] if has_else else None)
        self._results(node, made, list(types.items()))
        self._leave(node, names)

    def _add_if(
        self, node: ast.AST, operand: text.Operand, then: text.Region, other: text.Region | None
    ) -> text.If:
        self.add(node, "if", [operand], then_region=then, else_region=other)
        made = self.statements[-1]
        assert isinstance(made, text.If)
        return made

    def _condition(self, value: Value, node: ast.expr) -> text.Operand:
        if isinstance(value, Local) and value.type != _BOOL:
            raise self.error(
                f"expected a condition of type bool, got {describe(value)}",
                node,
                "compare it: x != 0",
            )
        return self.operand(value, node, _BOOL)

    def _in_both(self, name: str, node: ast.If) -> bool:
        """Return whether a name has a value after either branch."""
        branches = (node.body, node.orelse)
        is_known = not isinstance(self.scope.get(name, Gone(self.span(node))), Gone)
        return is_known or all(name in liveness.assigned(each) for each in branches)

    def _common(self, node: ast.AST, name: str, values: Sequence[Value | Gone]) -> Type:
        """Return the type of a name after both branches."""
        if any(isinstance(value, Gone) for value in values):
            raise DependsOnError
        types = [value.type for value in values if isinstance(value, Local)]
        if any(isinstance(type_, (Memref, Group)) for type_ in types):
            raise self.error(
                f"expected a number for '{name}', which branches change, got an array", node
            )
        if types:
            if types[0] != types[-1]:
                raise self.error(
                    f"expected one type for '{name}' after both branches, got "
                    f"{types[0]} and {types[-1]}",
                    node,
                )
            return types[0]
        given = [value.value for value in values if isinstance(value, Static)]
        if all(isinstance(value, bool) for value in given):
            return _BOOL
        if all(type(value) is int for value in given):
            return _INDEX
        raise self.error(
            f"expected a value with a type for '{name}', got {given[0]!r}",
            node,
            f"write {name} = tt.f32({given[0]!r}), for example",
        )

    def _ifexp(self, node: ast.IfExp) -> Value:
        condition = self.scalar(node.test)
        if isinstance(condition, Static):
            return self.expression(node.body if condition.value else node.orelse)
        operand = self._condition(condition, node.test)
        regions, ends = [], []
        for branch in (node.body, node.orelse):
            regions.append(self.region(node, lambda b=branch: ends.append(self.scalar(b))))  # type: ignore
        type_ = self._common(node, ast.unparse(node), ends)
        for region, value in zip(regions, ends, strict=True):
            outer, self.statements = self.statements, region.statements
            self._yield(node, [(value, type_)])
            self.statements = outer
        made = self._add_if(node, operand, *regions)
        made.return_types = [type_.node(self.span(node))]
        local = Local(self.new_name(), type_)
        made.results.append(text.Identifier(self.span(node), local.name))
        return local


def _items(node: ast.expr) -> Sequence[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def _written(name: str) -> str:
    return {"FunctionDef": "def", "ClassDef": "class", "ImportFrom": "import", "Delete": "del"}.get(
        name, name.lower()
    )
