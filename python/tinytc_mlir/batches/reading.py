# SPDX-License-Identifier: BSD-3-Clause
"""Reads a batched function for arguments of known sizes and types; nothing is executed."""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import CompileError, ParseError
from ..frontend.source import Reporter, TooManyErrors
from ..kernels import early_exits, liveness
from ..kernels.joined_source import JoinedSource
from ..kernels.source import FunctionSource
from ..kernels.types import SCALARS, Scalar
from ..kernels.values import Instruction, OutOfScope, Static
from .arrays import (
    VIEWS,
    Array,
    Block,
    OfArray,
    Region,
    Several,
    item_sizes,
    result_type,
    scalar_of,
    shown,
)
from .expressions import BOOL, INDEX
from .in_numpy import FUNCTIONS
from .names import Names

MAX_UNROLLED = 64
"""Turns of a loop of constant bounds that are read one by one; longer loops stay loops."""
MAX_STATEMENTS = 20_000
"""How many statements are read, those of loops as often as they turn."""


class _Rebinding(liveness.Liveness):
    """Liveness where `x[0] = y` makes a new array of the name x."""

    def _first_look(self, node: ast.stmt) -> liveness.Effect:
        found = super()._first_look(node)
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            for target in liveness.targets(node):
                base: ast.expr = target
                while isinstance(base, (ast.Subscript, ast.Attribute)):
                    base = base.value
                if isinstance(base, ast.Name) and base is not target:
                    found.assigned.setdefault(base.id, False)
                    found.used.add(base.id)
        return found


class Reading(Names):
    """Reads the statements of a function."""

    def __init__(self, source: FunctionSource, default_type: Scalar) -> None:
        reporter = Reporter(JoinedSource(source.source))
        super().__init__(source, reporter, {})
        self.liveness = _Rebinding()
        self.callees = [source]
        self.block = Block()
        self.default_type = default_type
        self._count = 0

    def function(self, parameters: Mapping[str, Array]) -> Block:  # type: ignore[override]
        """Return the operations of the function, and its results.

        Raises:
            ParseError: the function has what batched functions do not have, or sizes do not fit.
        """
        self.block.arrays += parameters.values()
        self.scope = ChainMap(dict(parameters))  # type: ignore[arg-type]
        try:
            results = self._returned(self.source)
            self.block.ends = [self.array(*each) for each in results]
        except CompileError:
            raise
        except TooManyErrors:
            pass
        except Exception as error:
            if not self._report(error):
                raise
        if self.reporter:
            raise ParseError(self.reporter.diagnostics()) from None
        return self.block

    def _report(self, error: Exception) -> bool:
        from ..frontend.scope import DependsOnError
        from ..frontend.source import TextError

        if isinstance(error, TextError):
            self.reporter.add(error)
        return isinstance(error, (TextError, DependsOnError))

    def _returned(self, source: FunctionSource) -> list[tuple[Any, ast.AST]]:
        """Read a body, and return the values after `return` with their places."""
        returned = [n for n in ast.walk(source.tree) if isinstance(n, ast.Return) and n.value]
        if not returned:
            hint = "write return x + 1"
            raise self.error("expected a value after 'return', got no 'return'", source.tree, hint)
        statements = early_exits.without(ast.Return, source.tree.body)
        self.body(statements, {early_exits.RESULT})
        found: Any = self.scope.get(early_exits.RESULT)
        place = returned[0].value
        assert place is not None
        if isinstance(found, OutOfScope) and not found.reason:
            from ..frontend.scope import DependsOnError

            raise DependsOnError
        if found is None or isinstance(found, OutOfScope):
            message = f"expected a value of '{source.name}' on all paths, got one on some"
            raise self.error(message, returned[0])
        if isinstance(found, Several) and not found.is_list:
            places = place.elts if isinstance(place, ast.Tuple) else [place] * len(found.items)
            return list(zip(found.items, places, strict=False))
        return [(found, place)]

    def inline(self, node: ast.Call, function: object) -> Any:
        """Return what a function returns that is read here, in place of the call."""
        source: FunctionSource = function.inlined_source  # type: ignore[attr-defined]
        if any(source is each for each in self.callees):
            message = f"expected no recursion, got a call of '{source.name}' in itself"
            raise self.error(message, node)
        return self.inlined(node, source, self._arguments(node, source))

    def inlined(self, node: ast.Call, source: FunctionSource, arguments: Mapping[str, Any]) -> Any:
        """Return what a function returns for arguments."""
        outer = self.source, self.scope, self.callers
        self.callers = self.call_notes(node, source.name)
        self.source, self.scope = source, ChainMap(dict(arguments))
        self.callees.append(source)
        try:
            values = [value for value, _ in self._returned(source)]
            return values[0] if len(values) == 1 else Several(tuple(values))
        finally:
            self.source, self.scope, self.callers = outer
            self.callees.pop()

    # Assignments ----------------------------------------------------------------------------

    def _expect_few_paths(self, node: ast.stmt) -> None:
        self._count += 1
        if self._count > MAX_STATEMENTS:
            message = f"expected at most {MAX_STATEMENTS} statements, loops turn by turn, got more"
            raise self.error(message, node)

    def _assign_statement(self, node: ast.Assign) -> None:
        value = self.expression(node.value)
        for target in node.targets:
            self.bind(target, value, node.value)

    def _annassign_statement(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.bind(node.target, self.expression(node.value), node.value)

    def bind(self, target: ast.expr, value: Any, node: ast.expr) -> None:
        """Make a name, names in a tuple, or a part of an array stand for a value."""
        if isinstance(target, ast.Name):
            if isinstance(value, (OfArray, Instruction)):
                raise self.error("expected a value to keep, got a function", node)
            self.scope[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            values = self._unpacked(value, node)
            if len(values) != len(target.elts):
                message = f"expected {len(target.elts)} values, got {len(values)}"
                raise self.error(message, node)
            for each, item in zip(target.elts, values, strict=True):
                self.bind(each, item, node)
        elif isinstance(target, ast.Subscript):
            self._change(target, value, node)
        else:
            raise self.error("expected a name or a part of an array before '='", target)

    def _unpacked(self, value: Any, node: ast.AST) -> list[Any]:
        """Return the items of a tuple, or the rows of an array."""
        if isinstance(value, Several):
            return list(value.items)
        if isinstance(value, Static) and isinstance(value.value, (tuple, list, range)):
            return [Static(item) for item in value.value]
        if (
            isinstance(value, Static)
            and isinstance(value.value, np.ndarray)
            and value.value.ndim == 1
        ):
            return [Static(item.item()) for item in value.value]
        if isinstance(value, Static) and isinstance(value.value, np.ndarray):
            value = self.array(value, node)
        if isinstance(value, Array) and value.shape:
            return list(FUNCTIONS["unstack"](self, node, value))
        raise self.unexpected("several values", value, node)

    def _change(self, target: ast.Subscript, value: Any, node: ast.AST) -> None:
        """`x[0] = value` makes a new array, which the name x stands for from now on."""
        if not isinstance(target.value, ast.Name):
            hint = "write x[i, j] = ... with all indices in one pair of brackets"
            raise self.error("expected a name before '['", target.value, hint)
        holder = self.lookup(target.value)
        if not isinstance(holder, Array):
            raise self.unexpected("an array before '['", holder, target.value)
        part = self.cast(self.array(value, node), node, holder.type)
        mask = self._mask(target.slice, holder)
        if mask is not None:
            if part.size != 1:
                message = f"expected a number for a mask, got an array of shape {shown(part.shape)}"
                raise self.error(message, node, "use tt.where(mask, x, y)")
            found = self.broadcast(self.where(target, mask, part, holder), node, holder.shape)
            self._forget_others(target.value.id, holder, target)
            self.scope[target.value.id] = found  # type: ignore[assignment]
            return
        items, indices = self.items(target, holder)
        part = self.broadcast(part, node, item_sizes(items))
        args = [holder, part, *indices]
        found = self.made(target, "update", args, holder.shape, holder.type, tuple(items))
        self._forget_others(target.value.id, holder, target)
        self.scope[target.value.id] = found  # type: ignore[assignment]

    def _mask(self, node: ast.expr, holder: Array) -> Array | None:
        """Return the truth values in square brackets, None if there is something else."""
        if isinstance(node, (ast.Slice, ast.Tuple, ast.Constant)):
            return None
        found = self.expression(node)
        is_mask = isinstance(found, Array) and found.type == BOOL and found.shape == holder.shape
        return found if is_mask and holder.shape else None

    def _forget_others(self, name: str, holder: Array, node: ast.AST) -> None:
        """Mark names of the same memory as gone, in which NumPy would change elements, too."""
        memory = _memory(holder)
        for other, value in list(self.scope.items()):
            is_same = isinstance(value, Array) and _memory(value) is memory
            if other != name and is_same:
                hint = "write .copy() where it is made"
                reason = f"whose memory has changed as a part of '{name}': {hint}"
                self.scope[other] = OutOfScope(self.span(node), reason)

    def _augassign_statement(self, node: ast.AugAssign) -> None:
        load = ast.copy_location(ast.parse(ast.unparse(node.target), mode="eval").body, node.target)
        for child in ast.walk(load):
            if hasattr(child, "lineno"):
                ast.copy_location(child, node.target)
        before = self.expression(load)
        found = self.combined(node, node.op, before, self.expression(node.value))
        if isinstance(before, Array) and isinstance(node.target, ast.Name):
            if before.shape:
                found = self.broadcast(self.array(found, node), node, before.shape)
                self._forget_others(node.target.id, before, node)
            self.scope[node.target.id] = found
            return
        self.bind(node.target, found, node.value)

    def _assert_statement(self, node: ast.Assert) -> None:
        value = self.expression(node.test)
        if isinstance(value, Static):
            if not value.value:
                raise self.error(f"expected {ast.unparse(node.test)}", node)
            return
        hint = "return the condition, and look at it outside"
        raise self.error("expected a condition that is known now, got one of numbers", node, hint)

    def _with_statement(self, node: ast.With) -> None:
        raise self.error("expected no 'with' in a batched function, got one", node)

    # Branches -------------------------------------------------------------------------------

    def _if(self, node: ast.If, after: set[str]) -> None:
        condition = self._truth_of(node.test)
        if isinstance(condition, Static):
            self.body(node.body if condition.value else node.orelse, after)
            return
        assigned = [self.liveness.effect(b).assigned for b in (node.body, node.orelse)]
        names = [
            name
            for name in self.liveness.effect([node]).assigned
            if name in after and (self._has_value(name) or all(name in each for each in assigned))
        ]
        branches = [self._branch(b, after, names) for b in (node.body, node.orelse)]
        outer = self.block
        region = Region([block for block, _ in branches])
        made = Array("if", (condition,), (), BOOL, (node, self.source), region)
        merged = {}
        for name, *values in zip(names, *(values for _, values in branches), strict=True):
            if any(isinstance(v, OutOfScope) for v in values):
                merged[name] = next(v for v in values if isinstance(v, OutOfScope))
            else:
                merged[name] = self._merged(node, name, values, made)
        self.block = outer
        outer.arrays.append(made)
        outer.arrays += [each for value in merged.values() for each in _results_in(value, made)]
        for name in self.liveness.effect([node]).assigned:
            self.scope[name] = OutOfScope(self.span(node), "from an 'if' that has ended")
        self.scope.update(merged)

    def _branch(
        self, statements: Sequence[ast.stmt], after: set[str], names: Sequence[str]
    ) -> tuple[Block, list[Any]]:
        outer = self.block, self.scope
        self.block, self.scope = Block(), self.scope.new_child()
        try:
            self.body(statements, after)
            return self.block, [self.scope.get(name) for name in names]
        finally:
            self.block, self.scope = outer

    def _merged(self, node: ast.AST, name: str, values: Sequence[Any], made: Array) -> Any:
        """Return the value of a name after both branches."""
        one, other = values
        if one is other or (isinstance(one, Static) and one == other):
            return one
        are_several = isinstance(one, Several) and isinstance(other, Several)
        if are_several and len(one.items) == len(other.items):
            pairs = zip(one.items, other.items, strict=True)
            return Several(tuple(self._merged(node, name, p, made) for p in pairs), one.is_list)
        type_ = self.common_type([self.factor(v, node) for v in values])
        ends = []
        for block, value in zip(made.data.blocks, values, strict=True):
            self.block = block
            ends.append(self.cast(self.array(value, node), node, type_))
        if ends[0].shape != ends[1].shape:
            first, second = (shown(each.shape) for each in ends)
            written = "the result" if name == early_exits.RESULT else f"'{name}'"
            message = (
                f"expected one shape for {written} after both branches, got {first} and {second}"
            )
            raise self.error(message, node)
        for block, end in zip(made.data.blocks, ends, strict=True):
            block.ends.append(end)
        number = len(made.data.blocks[0].ends) - 1
        return Array("result", (made,), ends[0].shape, type_, (node, self.source), number)

    # Loops ----------------------------------------------------------------------------------

    def _for(self, node: ast.For, after: set[str]) -> None:
        if node.orelse:
            raise self.error("expected no 'else' of a loop, got one", node.orelse[0])
        body = early_exits.without(ast.Continue, node.body)
        node = ast.copy_location(ast.For(node.target, node.iter, body, []), node)
        used = after | self.liveness.effect(node.body).used
        items = self._iterated(node.iter)
        if isinstance(items, list):
            for item in items:
                self.bind(node.target, item, node.iter)
                self.body(node.body, used)
            return
        self._run_time_loop(node, items, used)

    def _iterated(self, node: ast.expr) -> Any:
        """Return the values of the turns, or the bounds of a loop that stays one."""
        called = self.called(node.func) if isinstance(node, ast.Call) else None
        function = called.value if isinstance(called, Static) else None
        if isinstance(node, ast.Call) and function in (enumerate, zip, reversed):
            inner = [self.turns(each) for each in node.args]
            if function is reversed:
                return inner[0][::-1]
            if function is enumerate:
                return [Several((Static(n), each)) for n, each in enumerate(inner[0])]
            return [Several(each) for each in zip(*inner, strict=False)]
        if isinstance(node, ast.Call) and function is range:
            bounds = [self.expression(each) for each in node.args]
            if all(isinstance(each, Static) for each in bounds):
                folded: Any = self._folded(node, range, *bounds)
                turns: range = folded.value
                if len(turns) <= MAX_UNROLLED:
                    return list(map(Static, turns))
            return self._bounds(node, bounds)
        return self._unpacked(self.expression(node), node)

    def turns(self, node: ast.expr) -> list[Any]:
        """Return the values that a loop goes through, whose number is known now."""
        found = self._iterated(node)
        if isinstance(found, list):
            return found
        message = f"expected at most {MAX_UNROLLED} turns of such a loop, got more"
        raise self.error(message, node)

    def _bounds(self, node: ast.Call, bounds: Sequence[Any]) -> tuple[Array, ...]:
        start, stop, step = (
            (Static(0), *bounds, Static(1)) if len(bounds) == 1 else (*bounds, Static(1))[:3]
        )
        if not isinstance(step, Static) or step.value < 1:  # type: ignore[operator]
            raise self.error("expected a step of at least 1 that is known now, got another", node)
        for each in (start, stop):
            if isinstance(each, Array) and (each.shape or each.type.kind != "integer"):
                raise self.error("expected integers in 'range', got others", node)
        return tuple(self.array(each, node, INDEX) for each in (start, stop, step))

    def _run_time_loop(self, node: ast.For, bounds: tuple[Array, ...], used: set[str]) -> None:
        if not isinstance(node.target, ast.Name):
            raise self.error("expected a name before 'in'", node.target)
        names = [
            name
            for name in self.liveness.effect(node.body).assigned
            if name in used and name != node.target.id and self._has_value(name)
        ]
        inits = [self.factor(self.scope[name], node) for name in names]
        types_: list[Any] = [
            each.type if isinstance(each, Array) else self._weak(each.value) for each in inits
        ]
        for _ in range(3):
            ends, region = self._turn(node, names, inits, types_, used, bounds)
            if self.reporter:
                return
            found = [
                result_type(end, init if isinstance(init, Array) else init.value)
                for end, init in zip(ends, inits, strict=True)
            ]
            if found == types_:
                break
            types_ = found
        else:
            raise self.error("expected types that turns of the loop keep, got others", node)
        self._finish_loop(node, bounds, names, region)

    def _weak(self, value: object) -> Scalar:
        if isinstance(value, (bool, int)):
            return BOOL if isinstance(value, bool) else SCALARS["i64"]
        default = self.default_type
        return default if isinstance(value, float) else scalar_of(np.result_type(default.dtype, 1j))

    def _turn(
        self,
        node: ast.For,
        names: Sequence[str],
        inits: Sequence[Any],
        types_: Sequence[Scalar],
        used: set[str],
        bounds: Sequence[Array],
    ) -> tuple[list[Array], tuple[Region, list[Array]]]:
        """Read a turn, with carried arrays of some types."""
        starts = [self.array(i, node, t) for i, t in zip(inits, types_, strict=True)]
        carried = [Array("carried", (), s.shape, s.type, (node, self.source)) for s in starts]
        limits = [b.data for b in bounds[:2] if b.op == "constant" and b.data >= 0]
        known = limits if len(limits) == 2 else None
        variable = Array("variable", (), (), INDEX, (node, self.source), known)
        outer = self.block, self.scope
        self.block, self.scope = Block(), self.scope.new_child()
        self.scope[node.target.id] = variable  # type: ignore[assignment, attr-defined]
        self.scope.update(zip(names, carried, strict=True))  # type: ignore[arg-type]
        region = Region([self.block], variable, carried)
        try:
            self.body(node.body, used | set(names))
            ends = []
            for name, before in zip(names, carried, strict=True):
                value: Any = self.scope[name]
                if isinstance(value, OutOfScope):
                    raise self.unusable(value, node, name)
                end = self.array(value, node) if not isinstance(value, Array) else value
                if end.shape != before.shape:
                    end = self._grown(node, name, end, before)
                ends.append(end)
            cast = zip(ends, types_, strict=True)
            region.blocks[0].ends = [
                end if end.type == type_ else self.cast(end, node, type_) for end, type_ in cast
            ]
            return ends, (region, starts)
        finally:
            self.block, self.scope = outer

    def _grown(self, node: ast.AST, name: str, end: Array, before: Array) -> Array:
        sizes = f"got {shown(before.shape)} before and {shown(end.shape)} after a turn"
        hint = f"write {name} = tt.zeros({shown(end.shape)}) before the loop" if end.size else ""
        raise self.error(f"expected one shape for '{name}' in the loop, {sizes}", node, hint)

    def _finish_loop(
        self,
        node: ast.For,
        bounds: tuple[Array, ...],
        names: Sequence[str],
        made: tuple[Region, list[Array]],
    ) -> None:
        region, starts = made
        args = (*bounds, *starts)
        loop = Array("for", args, (), INDEX, (node, self.source), region)
        self.block.arrays.append(loop)
        for name in self.liveness.effect(node.body).assigned:
            self.scope[name] = OutOfScope(self.span(node), "from a loop that has ended")
        for number, (name, start) in enumerate(zip(names, starts, strict=True)):
            self.scope[name] = self.made(node, "result", [loop], start.shape, start.type, number)  # type: ignore[assignment]
        self.scope[node.target.id] = OutOfScope(self.span(node), "from a loop that has ended")  # type: ignore[attr-defined]

    def _has_value(self, name: str) -> bool:
        found = self.scope.get(name)
        return found is not None and not isinstance(found, OutOfScope)


def _results_in(value: Any, made: Array) -> list[Array]:
    """Return the results of an `if` in a merged value."""
    items = value.items if isinstance(value, Several) else [value]
    return [
        found
        for each in items
        for found in (
            _results_in(each, made)
            if isinstance(each, Several)
            else [each] * (isinstance(each, Array) and each.op == "result" and each.args[0] is made)
        )
    ]


def _memory(value: Array) -> Array:
    """Return the array that an array is a view of in NumPy."""
    while value.op in VIEWS and value.data != "copy":
        value = value.args[0]
    return value
