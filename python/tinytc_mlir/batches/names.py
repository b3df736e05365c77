# SPDX-License-Identifier: BSD-3-Clause
"""Names and calls in batched functions: of NumPy, of `tt`, of Python, and other functions."""

from __future__ import annotations

import ast
import builtins
import re
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..frontend.cursor import closest
from ..kernels.foreign_names import instead
from ..kernels.types import SCALARS, Scalar
from ..kernels.values import Instruction, Static
from . import libraries
from .arrays import Array, OfArray, Several
from .functions import FUNCTIONS, METHODS, OWN, Function, extreme
from .parts import Parts

_BUILTINS = ("enumerate", "len", "list", "round", "reversed", "sum", "tuple", "zip")
_CONVERSIONS = {"float": "f64", "int": "i64", "complex": "c64"}
_PROPERTIES = ("T", "mT", "H", "shape", "ndim", "size", "dtype", "real", "imag")


_INSTEAD = {
    "eig": "eigh is for Hermitian matrices",
    "svd": "svdvals returns singular values",
    **dict.fromkeys(("select", "piecewise", "heaviside", "copysign"), "write np.where"),
    **dict.fromkeys(
        ("fmod", "divmod"), "write x - y * np.trunc(x / y), or % for Python's remainder"
    ),
    **dict.fromkeys(("tensordot", "tensorsolve"), "write np.einsum"),
    **dict.fromkeys(("cumprod", "cummax", "interp", "apply_along_axis"), "write a loop"),
    **dict.fromkeys(
        ("sort", "argsort", "median"), "nothing sorts; np.min and np.max find extremes"
    ),
}
"""What to write in place of functions of NumPy."""


def _as_called(message: str) -> str:
    """Return what Python says of a wrong call of a rule, without its reader and place."""
    found = message.partition("() ")[2] or message
    counts = [int(count) - 2 for count in re.findall(r"\d+", found)]
    if found.startswith("takes "):
        return f"at most {counts[-2]}, got {counts[-1]}"
    return found if found.startswith("got ") else f"got {found}"


class Names(Parts):
    """The part that reads names and calls."""

    def lookup(self, node: ast.Name) -> Any:
        """Return what a name stands for; more of Python's own names than in kernels."""
        is_own = node.id in self.scope or node.id in self.source.names
        if node.id in _BUILTINS and not is_own:
            return Static(getattr(builtins, node.id))
        return super().lookup(node)

    def _without_operands(self, node: ast.expr, value: Any) -> Any:
        return value  # `tt.exp` is no instruction without operands

    def _attribute(self, node: ast.Attribute) -> Any:  # noqa: PLR0911, one for each
        if not isinstance(node.value, (ast.Name, ast.Attribute)):
            holder = self.expression(node.value)
        else:
            holder = self.called(node.value)
        if not isinstance(holder, Array):
            return super()._attribute(node)
        name, rank = node.attr, len(holder.shape)
        match name:
            case "T":
                return self.transposed(node, holder, range(rank)[::-1])
            case "mT" | "H" if rank >= 2:
                turned = self.transposed(node, holder, [*range(rank - 2), rank - 1, rank - 2])
                return FUNCTIONS["conj"](self, node, turned) if name == "H" else turned
            case "shape":
                return Static(holder.shape)
            case "ndim":
                return Static(rank)
            case "size":
                return Static(holder.size)
            case "dtype":
                return Static(holder.type)
            case "real" | "imag":
                return FUNCTIONS[name](self, node, holder)
        if name in METHODS:
            return OfArray(holder, name)
        listed = ", ".join([*_PROPERTIES, *sorted(METHODS)])
        raise self.error(f"expected one of {listed} of an array, got '{name}'", node)

    def called(self, node: ast.expr) -> Any:
        """Return what is called."""
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        return super().called(node)

    def call(self, node: ast.Call) -> Any:
        """Return the value of a call."""
        called = self.called(node.func)
        match called:
            case OfArray(array, name):
                return self._function(node, name, [array])
            case Instruction(("linalg", name)) if name in OWN:
                raise self._unknown(node, Instruction((name,)))
            case Instruction((name,) | ("linalg", name)):
                return self._named_call(node, name)
            case Static(Scalar() as type_):
                return self._conversion_to(node, type_)
            case Static(type() as type_) if issubclass(type_, np.generic):
                return self._conversion_to(node, self.type_of_dtype(type_, node))
            case Static(value) if hasattr(value, "inlined_source"):
                return self.inline(node, value)
            case Static(value) if callable(value):
                return self._python_call(node, value)
        raise self._unknown(node, called)

    def _named_call(self, node: ast.Call, name: str) -> Any:
        if name in FUNCTIONS:
            return self._function(node, name, [])
        raise self._unknown(node, Instruction((name,)))

    def _unknown(self, node: ast.Call, called: Any) -> Exception:
        value = called.value if isinstance(called, Static) else None
        words = called.words if isinstance(called, Instruction) else ()
        name = words[0] if words else getattr(value, "__name__", ast.unparse(node.func))

        if (
            isinstance(value, types.FunctionType)
            and value.__code__.co_filename == self.source.filename
        ):
            hint = f"mark {name!r} with @tt.inline to call it"
        elif words and words[0] in ("gemm", "gemv", "axpby", "foreach", "local", "group_id"):
            hint = "instructions are for @tt.kernel; write expressions of whole arrays"
        elif name in OWN:
            hint = f"write tt.{name}, which returns the first result alone"
        elif value is not None and name in FUNCTIONS:
            hint = f"write tt.{name}, whose arguments and defaults are NumPy's"
        else:
            near = (
                closest(name, list(FUNCTIONS)) if value is None else None
            )  # there is no such name
            hint = f"did you mean '{near}'?" if near else _INSTEAD.get(name) or instead(name)
        shown_ = ast.unparse(node.func)
        return self.error(
            f"expected a function that batched functions have, got '{shown_}'", node, hint
        )

    def _python_call(self, node: ast.Call, function: Callable[..., Any]) -> Any:
        """Return the value of a function of NumPy, or one of Python's own."""
        name = getattr(function, "__name__", "")
        rule = None if name in OWN else libraries.found(function, name)
        if rule is not None:
            outer, self.default_type = self.default_type, SCALARS["f64"]
            try:
                return self._function(node, name, [], rule)
            finally:
                self.default_type = outer
        if getattr(builtins, name, None) is not function:
            raise self._unknown(node, Static(function))
        values = [self.expression(each) for each in node.args]
        are_known = all(isinstance(value, Static) for value in values)
        return (
            self._folded(node, function, *values)
            if are_known
            else self._own(node, function, values)
        )

    def _own(self, node: ast.Call, function: Callable[..., Any], values: list[Any]) -> Any:
        """Return the value of one of Python's own functions."""
        name, first = function.__name__, values[0]
        named = {str(each.arg): self.expression(each.value) for each in node.keywords}
        if named and (name != "round" or named.keys() != {"ndigits"}):
            message = f"expected no keywords of Python's own {name}, got {min(named)!r}"
            raise self.error(message, node)
        values = [*values, *named.values()]
        if name in ("max", "min") and len(values) == 1 and len(self.array(first, node).shape) > 1:
            message = f"expected numbers, of which Python's own {name} takes one, got rows"
            raise self.error(message, node, f"write np.{name}")
        if name in ("max", "min", "sum", "abs") and len(values) == 1:
            along = {"axis": Static(0)} if name == "sum" else {}
            return self._function_of_values(node, name, FUNCTIONS[name], values, along)
        if name in ("max", "min"):
            found = first
            for each in values[1:]:
                type_ = self.common_type([self.factor(v, node) for v in (found, each)])
                found = self.elementwise(node, extreme(f"{name}imum", type_), [found, each])
            return found
        if name == "round":
            found = self._function_of_values(node, name, FUNCTIONS[name], values, {})
            return found if len(values) > 1 else self.cast(found, node, SCALARS["i64"])
        if name == "len" and isinstance(first, (Array, Several)):
            return Static(first.shape[0] if isinstance(first, Array) else len(first.items))
        if name in _CONVERSIONS:
            return self.cast(self.array(first, node), node, SCALARS[_CONVERSIONS[name]])
        if name in ("tuple", "list") and isinstance(first, Several):
            return Several(first.items, name == "list")
        raise self._unknown(node, Static(function))

    def _function(  # type: ignore[override]
        self, node: ast.Call, name: str, first: list[Any], rule: Function | None = None
    ) -> Any:
        values = [*first, *(self.expression(each) for each in node.args)]
        named = {str(each.arg): self.expression(each.value) for each in node.keywords}
        return self._function_of_values(node, name, rule or FUNCTIONS[name], values, named)

    def _function_of_values(
        self,
        node: ast.Call,
        name: str,
        rule: Function,
        values: Sequence[Any],
        named: Mapping[str, Any],
    ) -> Any:
        try:
            return rule(self, node, *values, **named)
        except (TypeError, ValueError, IndexError) as error:
            message = str(error)
            if not message.startswith("expected"):
                message = f"expected other arguments of '{name}', {_as_called(message)}"
            raise self.error(message, node) from None

    def _conversion_to(self, node: ast.Call, type_: Scalar) -> Any:
        if len(node.args) != 1:
            raise self.error(f"expected one value to convert, got {len(node.args)}", node)
        return self.array(self.expression(node.args[0]), node, type_)
