# SPDX-License-Identifier: BSD-3-Clause
"""Loops: ranges with carried values, grids, tiles, components of matrices."""

from __future__ import annotations

import ast
from typing import Any

from ..frontend import ast as text
from ..frontend.scope import DependsOnError
from . import liveness
from .regions import Regions, items
from .types import SCALARS, Coopmatrix, Group, Memref, attributes_node
from .typing import element
from .values import Gone, Instruction, Local, Static

_INDEX, _BOOL = SCALARS["index"], SCALARS["bool"]


class Loops(Regions):
    """The part that reads loops."""

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
            self.yield_values(node, [(self.scope[name], init.type) for name, init in pairs])

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
        self.bind_results(
            node, loop_node, [(name, init.type) for name, init in zip(carried, inits, strict=True)]
        )
        self.leave(node, carried)
        self.scope.pop(node.target.id, None)

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

    def _foreach_loop(self, node: ast.For, call: ast.Call, name: str) -> None:
        is_tiled = name == "foreach_tile"
        ranges = call.args[:-1] if is_tiled else call.args
        is_pair = len(ranges) == 2 and all(isinstance(each, ast.Tuple) for each in ranges)
        ends = [self.scalar(n) for each in ranges[is_pair:] for n in items(each)]
        starts = [self.scalar(n) for n in items(ranges[0])] if is_pair else [Static(0)] * len(ends)
        if len(starts) != len(ends):
            raise self.error(
                f"expected as many lower as upper bounds, got {len(starts)} and {len(ends)}", call
            )
        targets = list(items(node.target))
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
        self.leave(node)

    def _apply_loop(self, node: ast.For, call: ast.Call) -> None:
        """`for row, column, x in tt.cooperative_matrix_apply(M)` replaces each x, and then M."""
        values = [self.expression(arg) for arg in call.args]
        first = call.args[0] if call.args else None
        matrices = [v for v in values if isinstance(v, Local) and isinstance(v.type, Coopmatrix)]
        if not isinstance(first, ast.Name) or len(matrices) != len(values):
            raise self.error("expected names of cooperative matrices, got something else", call)
        given = [self.static(k.value, "a type") for k in call.keywords if k.arg == "type"]
        result = given[0] if given else matrices[0].type
        if not isinstance(result, Coopmatrix):
            raise self.error(f"expected the type of a cooperative matrix, got {result!r}", call)
        targets = [t.id for t in items(node.target) if isinstance(t, ast.Name)]
        if len(targets) != 2 + len(values):
            raise self.error(
                f"expected {2 + len(values)} names before 'in', for row, column and components",
                node.target,
            )
        types = [SCALARS["i32"]] * 2 + [element(matrix.type) for matrix in matrices]
        names = [(w, Local(self.new_name(w), t)) for w, t in zip(targets, types, strict=True) if t]

        def end() -> None:
            self.yield_values(node, [(self.scope[targets[2]], result.element)])

        body = self.inner(node, node.body, {targets[2]}, end, names)
        span = self.span(node.target)
        self.scope[first.id] = self.value_of(
            node,
            "cooperative_matrix_apply",
            [self.text_of(m, arg) for m, arg in zip(matrices, call.args, strict=True)],
            result,
            hint=first.id,
            variables=[text.Identifier(span, local.name) for _, local in names],
            body=body,
        )
        self.leave(node, [first.id])
