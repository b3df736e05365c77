# SPDX-License-Identifier: BSD-3-Clause
"""Loops: ranges with carried values, grids, tiles, components of matrices."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from ..frontend import ast as text
from ..frontend.scope import DependsOnError
from ..frontend.source import counted
from . import early_exits
from .conditionals import Conditionals
from .nodes import attributes_node
from .reader import describe, numbers_of, written
from .types import SCALARS, Coopmatrix
from .values import Choice, Instruction, Local, OutOfScope, Static, Value


class Loops(Conditionals):
    """The part that reads loops."""

    def _for(self, node: ast.For, after: set[str]) -> None:
        call, body = node.iter, early_exits.without(ast.Continue, node.body)
        if node.orelse:
            raise self.error("expected no 'else' of a loop, got one", node.orelse[0])
        node = ast.copy_location(ast.For(node.target, call, body, []), node)
        called = self.called(call.func) if isinstance(call, ast.Call) else None
        if isinstance(call, ast.Call) and isinstance(called, Static) and called.value is range:
            self._range_loop(node, call, after)
            return
        words = called.words if isinstance(called, Instruction) else ()
        if words in (("foreach",), ("foreach_tile",)):
            self._foreach_loop(node, call, words[0])  # type: ignore[arg-type]
        elif words == ("cooperative_matrix_apply",):
            self._apply_loop(node, call)  # type: ignore[arg-type]
        else:
            raise self.error(
                "expected range(...), tt.foreach(...) or tt.foreach_tile(...) after 'in'",
                node.iter,
                "write for i in range(A.shape[0]), and A[i] in it",
            )

    def _targets(self, node: ast.For, count: int) -> list[tuple[str, text.Identifier]]:
        """Return the names before `in`, and what they are called in the program."""
        targets = items(node.target)
        names = [t.id for t in targets if isinstance(t, ast.Name)]
        if len(targets) != count or len(names) != count:
            found = len(targets) if len(names) == len(targets) else "an expression"
            expected = f"expected {counted(count, 'name')} before 'in'"
            raise self.error(f"{expected}, got {found}", node.target)
        return [(name, self.identifier(node.target, name)) for name in names]

    def _end_targets(self, node: ast.For) -> None:
        """Mark the names before `in` as gone, also where they were names of before the loop."""
        for target in items(node.target):
            if isinstance(target, ast.Name):
                self.scope[target.id] = OutOfScope(
                    self.span(target), "from a region that has ended"
                )

    def _range_loop(self, node: ast.For, call: ast.Call, after: set[str]) -> None:
        known = {str(k.arg): self.static(k.value, "a constant") for k in call.keywords}
        if not 1 <= len(call.args) <= 3:
            raise self.error(
                f"expected range(end) or range(start, end, step), got {len(call.args)} operands",
                call,
            )
        bounds = [self.operand(self.scalar(arg), arg) for arg in call.args]
        if len(bounds) == 1:
            bounds.insert(0, text.Number(self.span(call), 0))
        target = self._targets(node, 1)
        used = after | self.liveness.effect(node.body).used
        changed = [name for name in self.rebound(node.body) if name != target[0][0]]
        for name in changed:
            if name in used and self.is_array(name):
                raise self.error(
                    f"expected a number for '{name}', which the loop changes, got an array",
                    node,
                    "index the array by the variable of the loop, or copy its elements",
                )
        carried = [n for n in changed if n in used and self._is_carried(n)]
        inits = [self._initial(name, node) for name in carried]
        arguments = [(name, self.identifier(node.target, name)) for name in carried]
        results = [self.identifier(node, name) for name in carried]
        for name, init, (_, inside), result in zip(carried, inits, arguments, results, strict=True):
            before = self.scope[name]
            if not isinstance(before, Local):
                number = written(before.value) if isinstance(before, Static) else "..."
                self.untyped[init.name] = (name, number)
            if init.name in self.untyped:
                self.untyped |= dict.fromkeys((inside.name, result.name), self.untyped[init.name])

        def fill() -> None:
            self.body(node.body, used | set(carried))
            if carried:
                self._yield(node, {name: self.scope[name] for name in carried}, inits)

        made = self.add(
            node,
            "for",
            bounds,
            results=results,
            variable=target[0][1],
            attributes=attributes_node(known, self.span(call)),
            carried=[argument for _, argument in arguments],
            inits=[self.operand(init, node.target) for init in inits],
            body=self.region(node, fill, [*target, *arguments]),
        )
        self.leave(node)
        self.scope.update(zip(carried, made, strict=True))
        self._end_targets(node)

    def _yield(
        self, node: ast.For, values: Mapping[str, Value | OutOfScope], inits: Sequence[Local]
    ) -> None:
        """Append the yield of a loop, whose values have the types of those before it."""
        for value, init in zip(values.values(), inits, strict=True):
            if isinstance(value, Local) and value.type != init.type:
                raise self.error(
                    f"expected a value of type {init.type} at the end of the region, got "
                    f"{describe(value)}",
                    node,
                    self.retyped(init, value.type),
                )
        operands = [self.operand(value, node, name) for name, value in values.items()]
        self.add(node, "yield", operands)

    def _is_carried(self, name: str) -> bool:
        found = self.scope.get(name)
        if isinstance(found, OutOfScope) and not found.reason:
            raise DependsOnError
        return found is not None and not isinstance(found, OutOfScope)

    def _initial(self, name: str, node: ast.For) -> Local:
        """Return the value of a name before a loop, which must have a type."""
        found = self.scope[name]
        if isinstance(found, Local):
            return found
        if not isinstance(found, (Static, Choice)):
            raise self.unexpected("a number", found, node)
        numbers = numbers_of(found)
        inferred = [self.type_in(name, number, node) for number in numbers]
        if inferred[0] and len(set(inferred)) == 1:
            return self.constant(found, node.target, inferred[0])
        where, hint = ", which the loop changes", f"{name} = {{}} before the loop"
        types = [self.typed(name, value, node, where, hint) for value in numbers]
        return self.constant(found, node.target, SCALARS[types[0]])

    def _foreach_loop(self, node: ast.For, call: ast.Call, name: str) -> None:
        self.expect_none_carried(node)
        is_tiled = name == "foreach_tile"
        ranges = call.args[:-1] if is_tiled else call.args
        is_pair = len(ranges) == 2 and all(isinstance(each, ast.Tuple) for each in ranges)
        ends = [n for each in ranges[is_pair:] for n in items(each)]
        if not ends:
            raise self.error(f"expected the ends of the indices in 'tt.{name}', got none", call)
        starts = (
            items(ranges[0]) if is_pair else [ast.copy_location(ast.Constant(0), call)] * len(ends)
        )
        if len(starts) != len(ends):
            raise self.error(
                f"expected as many lower as upper bounds, got {len(starts)} and {len(ends)}", call
            )
        names = self._targets(node, len(ends) * (1 + is_tiled))
        identifiers = [identifier for _, identifier in names]
        tiles: dict[str, Any] = {"extents": identifiers[len(ends) :]} if is_tiled else {}
        if is_tiled:
            sizes = self.static(call.args[-1], "the sizes of a tile")
            sizes = sizes if isinstance(sizes, tuple) else (sizes,)
            tiles["sizes"] = [text.Integer(self.span(call.args[-1]), size) for size in sizes]
        self.add(
            node,
            name,
            [self.operand(self.scalar(each), each) for each in starts],
            indices=[self.operand(self.scalar(each), each) for each in ends],
            variables=identifiers[: len(ends)],
            body=self.spmd_region(node, lambda: self.body(node.body, set()), names),
            **tiles,
        )
        self.leave(node)
        self._end_targets(node)

    def _apply_loop(self, node: ast.For, call: ast.Call) -> None:
        """`for row, column, x in tt.cooperative_matrix_apply(M)` replaces each x, and then M."""
        values = [self.expression(arg) for arg in call.args]
        first = call.args[0] if call.args else None
        matrices = [v for v in values if isinstance(v, Local) and isinstance(v.type, Coopmatrix)]
        if not isinstance(first, ast.Name) or len(matrices) != len(values):
            raise self.error("expected names of cooperative matrices, got something else", call)
        type_ = self.type_keyword(call, "the type of a cooperative matrix", (Coopmatrix,))
        names = self._targets(node, 2 + len(values))
        component = names[2][0]

        def fill() -> None:
            self.body(node.body, {component})
            self.add(node, "yield", [self.operand(self.scope[component], node)])

        made = self.add(
            node,
            "cooperative_matrix_apply",
            [self.operand(m, arg) for m, arg in zip(matrices, call.args, strict=True)],
            type_,
            results=[self.identifier(first, first.id)],
            variables=[identifier for _, identifier in names],
            body=self.region(node, fill, names),
        )
        self.leave(node)
        self._end_targets(node)
        self.scope[first.id] = made[0]


def items(node: ast.expr) -> list[ast.expr]:
    """Return the items of a tuple, or the only one."""
    return list(node.elts) if isinstance(node, ast.Tuple) else [node]
