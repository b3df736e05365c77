# SPDX-License-Identifier: BSD-3-Clause
"""Makes a program of the language from a function of Python; nothing is executed."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections import ChainMap, Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from ..errors import Diagnostic
from ..frontend import ast as text
from ..frontend.scope import DependsOnError
from ..frontend.source import TextError, counted
from . import early_exits, liveness
from .calls import Calls
from .foreign_names import instead
from .nodes import attributes_node, type_node, types_in_python
from .source import FunctionSource
from .statements import Statements
from .types import TYPES, Element, Group, Memref, Type
from .values import Choice, Local, OutOfScope, Static, Value

MAX_INNER_CALLS = 5000
"""How many calls in inlined functions a kernel may have, each with its instructions."""

_QUOTED = re.compile(r"'(\w+)'")
_OPERAND = re.compile(r"'(\w+)' is '(.*)'( of type .*)")
_IDENTIFIER = re.compile(r"%(\w+)")


class Translation(Statements):
    """Reads one function, and the functions that are inlined in it."""

    callees: list[FunctionSource]
    _inner_calls = 0

    def inline(self, node: ast.Call, function: object) -> Value | None:
        """Append the instructions of a function that is marked with `@tt.inline`."""
        source = getattr(function, "inlined_source")  # noqa: B009, objects have none
        assert isinstance(source, FunctionSource)
        if any(source is each for each in self.callees):
            raise self.error(
                f"expected no recursion, got a call of '{source.name}' in itself", node
            )
        if len(self.callees) > early_exits.MAX_DEPTH:
            message = f"expected at most {early_exits.MAX_DEPTH} functions inlined in each other"
            raise self.error(f"{message}, got more", node)
        arguments = self._arguments(node, source)
        outer = (self.source, self.scope, self.callers, self._copies)
        self._count_inner_call(node)
        self.callers = self.call_notes(node, source.name)
        self._copies = Counter()
        self.source, self.scope = source, ChainMap(dict[str, Value | OutOfScope](arguments))
        self.callees.append(source)
        try:
            return self._inlined(source)
        finally:
            self.source, self.scope, self.callers, self._copies = outer
            self.callees.pop()

    def _count_inner_call(self, node: ast.Call) -> None:
        """Bound the calls in functions that are inlined, which may double with each function."""
        self._inner_calls += bool(self.callers)
        if self._inner_calls > MAX_INNER_CALLS:
            raise self.error(
                f"expected at most {MAX_INNER_CALLS} calls in functions that are inlined, got more",
                node,
                "a call has all instructions of its function: bind its result to a name, and use "
                "that twice, or call it in a loop",
            )

    def _inlined(self, source: FunctionSource) -> Value | None:
        *others, last = source.tree.body
        returned = [n for n in ast.walk(source.tree) if isinstance(n, ast.Return) and n.value]
        for each in returned:
            items = each.value.elts if isinstance(each.value, ast.Tuple) else []
            if not all(map(self._is_constant, items)):
                count = counted(len(items), "value")
                raise self.error(
                    f"expected one value after 'return' of '{source.name}', got {count}",
                    each,
                    "mark a function for each with @tt.inline, or store them in arrays",
                )
        if returned == [last]:
            self.body(others, liveness.names(last))
            return self.expression(returned[0].value)  # type: ignore[arg-type]
        self.body(early_exits.without(ast.Return, source.tree.body), {early_exits.RESULT})
        found = self.scope.get(early_exits.RESULT)
        if returned and not isinstance(found, (Local, Static, Choice)):
            if isinstance(found, OutOfScope) and not found.reason:
                raise DependsOnError  # it has been reported
            message = f"expected a value of '{source.name}' on all paths, got one on some"
            raise self.error(message, returned[0])
        return found if returned else None  # type: ignore[return-value]

    def _is_constant(self, node: ast.expr) -> bool:
        """Return whether an expression holds no name whose value a launch computes."""
        used = (self.scope.get(name) for name in liveness.names(node))
        others = {*self.source.assigned} & liveness.names(node)
        return not others and not any(isinstance(value, (Local, Choice)) for value in used)

    def _arguments(self, node: ast.Call, source: FunctionSource) -> dict[str, Value]:
        names = [argument.arg for argument in source.tree.args.args]
        given = dict(zip(names, [self.expression(arg) for arg in node.args], strict=False))
        given |= {str(k.arg): self.expression(k.value) for k in node.keywords}
        count = len(node.args) + len(node.keywords)
        if count != len(names) or set(given) != set(names):
            raise self.error(
                f"expected the arguments {', '.join(names)} of '{source.name}', got {count}",
                node,
            )
        return given

    def function(self, types: Mapping[str, Type], options: Mapping[str, object]) -> text.Function:
        """Return the function, whose body is read when it is made.

        Args:
            types: the type of each parameter.
            options: attributes of the function, such as `subgroup_size`.
        """
        arguments = [a for a in self.source.tree.args.args if a.arg in types]
        parameters = [(each.arg, types[each.arg], each) for each in arguments]
        statements = early_exits.without(ast.Return, self.source.tree.body)
        return self.made_function(parameters, options, lambda: self.body(statements, set()))

    def made_function(
        self,
        parameters: Sequence[tuple[str, Type, ast.AST]],
        options: Mapping[str, object],
        fill: Callable[[], None],
    ) -> text.Function:
        """Return a function of the program.

        Args:
            parameters: names, types and places of its parameters.
            options: attributes of the function.
            fill: appends its instructions.
        """
        self.callees = [self.source]
        tree, span = self.source.tree, self.span(self.source.tree)
        made, names = [], []
        for own, type_, node in parameters:
            place, name = self.span(node), self.identifier(node, own)
            names.append((own, name))
            known = dict(type_.known) if isinstance(type_, (Memref, Group)) else {}
            attributes = attributes_node(known, place)
            made.append(text.Parameter(place, name.name, type_node(type_, place), attributes))
        body = self.region(tree, fill, names)
        return text.Function(span, tree.name, made, attributes_node(options, span), body)


class Annotations(Calls):
    """Reads the annotations of parameters."""

    types_allowed: tuple[type, ...] = TYPES
    example = "tt.f32[8, None]"

    def outside_array(self, array: object, node: ast.AST) -> Static:
        """Return an array from outside, which a type takes as a pattern of zeros."""
        return Static(array)

    def types(self) -> dict[str, object]:
        """Return what the annotation of each parameter stands for, None where there is none."""
        found: dict[str, object] = {}
        for argument in self.source.tree.args.args:
            found[argument.arg] = self.source.annotations.get(argument.arg)
            if argument.annotation is None or found[argument.arg] is not None:
                continue
            try:
                found[argument.arg] = self._type(argument.annotation)
            except DependsOnError:
                continue
            except TextError as error:
                self.reporter.add(error)
        return found

    def _list(self, node: ast.List) -> Value:
        return Static(tuple(self.static(item, "a constant") for item in node.elts))

    def _type(self, node: ast.expr) -> object:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                inner = ast.parse(node.value, mode="eval").body
            except (SyntaxError, ValueError) as error:
                wrong = getattr(error, "msg", str(error))
                raise self.error(
                    f"expected a type such as {self.example}, got a text with an error: {wrong}",
                    node,
                ) from None
            node = ast.copy_location(inner, node)
            for child in ast.walk(node):
                ast.copy_location(child, node) if hasattr(child, "col_offset") else None
        is_bool = isinstance(node, ast.Name) and node.id not in self.source.names
        found = bool if is_bool and node.id == "bool" else self.static(node, "a type")  # type: ignore[attr-defined]
        if isinstance(found, self.types_allowed) or repr(found) == "const":
            return found
        hints = ["names of sizes are for @tt.batched"] if isinstance(found, Element) else []
        if isinstance(found, type):
            hints += [instead(found.__name__).removesuffix("(x)").removesuffix("(z)")]
            hints.append("without a type, the first call gives it")
        message = f"expected a type such as {self.example}, got {found!r}"
        raise self.error(message, node, *hints)


def in_python(
    found: list[Diagnostic], written: Mapping[str, ast.AST] = MappingProxyType({})
) -> list[Diagnostic]:
    """Return diagnostics that name values and operands as the function does.

    Args:
        found: the diagnostics.
        written: what values without a name were made of.
    """

    def shown(match: re.Match[str]) -> str:
        name = match[1]
        return ast.unparse(written[name]) if name.isdigit() and name in written else name

    def read(given: Diagnostic) -> Diagnostic:
        matches = (_OPERAND.fullmatch(note.message) for note in given.notes)
        operands = {found[1]: found[2] for found in matches if found}
        message = types_in_python(_IDENTIFIER.sub(shown, given.message))
        message = _QUOTED.sub(lambda m: f"'{operands.get(m[1], m[1])}'", message)
        message = _OPERAND.sub(r"'\2' is\3", message)
        return dataclasses.replace(given, message=message, notes=tuple(map(read, given.notes)))

    return list(map(read, found))
