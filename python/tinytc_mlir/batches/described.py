# SPDX-License-Identifier: BSD-3-Clause
"""What a batched function is: its source, and the types and sizes of its arguments."""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from ..errors import ArgumentError, ParseError
from ..kernels.source import FunctionSource
from ..kernels.tracebacks import ShownAsFunction
from ..kernels.types import Element, Memref, Scalar
from ..shapes import Boxes
from .arrays import Shape, shown
from .signature import Size, Unification, check, parsed, value_of

_MOST_PLANS = 256


@dataclasses.dataclass(frozen=True)
class Argument:
    """A parameter of a batched function.

    Args:
        name: its name.
        type: type of its elements, None for that of the argument.
        sizes: the sizes of an element of the batch; None if all modes but the first are those.
        boxes: where elements may be other than zero; None for everywhere.
    """

    name: str
    type: Scalar | None
    sizes: tuple[Size, ...] | None
    boxes: Boxes | None = None


class DescribedFunction(ShownAsFunction):
    """A function of one element, and what has been found out about it.

    Args:
        source: the function as it is written.
        function: the function itself, None where only its source came along.
        signature: sizes of arguments and results as NumPy writes them, None for annotations.
    """

    def __init__(
        self, source: FunctionSource, function: Callable[..., Any] | None, signature: str | None
    ) -> None:
        self.inlined_source = source
        self._function = function
        self._given = signature
        self._plans: dict[object, Any] = {}
        self._kinds: dict[object, Any] = {}
        self._last: Any = None
        self._torch: Any = None

    @property
    def source(self) -> FunctionSource:
        """The function as it is written."""
        return self.inlined_source

    @property
    def name(self) -> str:
        """Name of the function."""
        return self.source.name

    @functools.cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return tuple(each.arg for each in self.source.tree.args.args)

    def found(self, key: object, make: Callable[[], Any]) -> Any:
        """Return what was found out for a key; a thread does if none has."""
        if key not in self._kinds:
            with self.source.lock:
                if key not in self._kinds:
                    self._kinds[key] = make()
        return self._kinds[key]

    def keep(self, key: object, plan: Any) -> None:
        """Keep how the function runs for arrays that look alike."""
        if len(self._plans) >= _MOST_PLANS:
            self._plans.clear()
        self._plans[key] = plan

    # Types ----------------------------------------------------------------------------------

    @functools.cached_property
    def arguments(self) -> tuple[Argument, ...]:
        """The parameters.

        Raises:
            ParseError: an annotation is no type, or a signature does not fit the parameters.
        """
        nodes = self.source.tree.args.args
        if self._given is not None:
            return self._of_signature()
        from ..frontend.source import Reporter
        from ..kernels.translation import Annotations, in_python

        class Sizes(Annotations):
            """Annotations with names of sizes."""

            types_allowed = (Scalar, Memref, Element)
            example = "tt.f64['n', 3]"

        reporter = Reporter(self.source.source)
        found = Sizes(self.source, reporter, {}).types()
        if reporter:
            raise ParseError(in_python(reporter.diagnostics())) from None
        made = []
        for name, node in zip(self.names, nodes, strict=True):
            type_ = found[name]
            if isinstance(type_, (Element, Memref)):
                for size in type_.shape:
                    if wrong := check(size):
                        raise self._error(wrong, node)
                known = dict(type_.known) if isinstance(type_, Memref) else {}
                boxes = type_.boxes if isinstance(type_, Element) else known.get("nonzero")
                shape = tuple(type_.shape)
                made.append(Argument(name, type_.element, shape, cast("Boxes | None", boxes)))
            else:
                made.append(Argument(name, type_, () if type_ else None))  # type: ignore[arg-type]
        return tuple(made)

    def _of_signature(self) -> tuple[Argument, ...]:
        names = self.names
        try:
            shapes, _ = parsed(str(self._given))
            if len(shapes) != len(names):
                listed = ", ".join(names)
                message = f"expected a signature of {len(names)} arguments ({listed})"
                raise ValueError(f"{message}, got {len(shapes)} in {self._given!r}")
        except ValueError as error:
            raise self._error(str(error), self.source.tree) from None
        return tuple(Argument(n, None, shape) for n, shape in zip(names, shapes, strict=True))

    def _error(self, message: str, node: ast.AST) -> ParseError:
        return ParseError([self.source.source.diagnostic(message, self.source.span(node))])

    def shapes_of(self, shapes: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Return the shapes of an element of the batch, for shapes of arguments.

        Raises:
            ArgumentError: sizes do not fit each other, or there are too few modes.
        """
        found = []
        for argument, shape in zip(self.arguments, shapes, strict=True):
            rank = max(len(shape) - 1, 0) if argument.sizes is None else len(argument.sizes)
            if len(shape) < rank:
                sizes = ", ".join(map(str, argument.sizes or ()))
                raise ArgumentError(
                    f"{self.name}: argument {argument.name!r}: expected an array whose last modes "
                    f"are ({sizes}), got shape {shape}",
                    argument=argument.name,
                )
            found.append(shape[len(shape) - rank :])
        arguments = zip(self.arguments, found, strict=True)
        named = [(a.name, a.sizes, s) for a, s in arguments if a.sizes is not None]
        Unification(self.name).unify(named)
        return found

    def batch_of(
        self, shapes: Sequence[Shape], cores: Sequence[Shape]
    ) -> tuple[list[Shape], Shape]:
        """Return the modes of the batch of each argument, and of all.

        Args:
            shapes: those of arguments.
            cores: those of an element of each.

        Raises:
            ArgumentError: they do not broadcast.
        """
        own = [s[: len(s) - len(core)] for s, core in zip(shapes, cores, strict=True)]
        try:
            return own, np.broadcast_shapes(*own)
        except ValueError:
            listed = ", ".join(
                f"{shown(each)} of '{name}'" for name, each in zip(self.names, own, strict=True)
            )
            message = f"{self.name}: expected modes of the batch that broadcast, got {listed}"
            raise ArgumentError(message) from None

    def sizes(self) -> list[tuple[int | str, ...]]:
        """Return the sizes of arguments, those without a name or number from the last call.

        Raises:
            ArgumentError: there has been no call.
        """
        found = []
        for place, argument in enumerate(self.arguments):
            given: Sequence[Size] | None = argument.sizes
            if given is None or None in given:
                if self._last is None:
                    message = f"expected sizes of '{argument.name}', got none: call it first"
                    raise ArgumentError(f"{self.name}: {message}", argument=argument.name)
                last = self._last.types[place][1]
                pairs = zip(given or last, last, strict=True)
                given = [old if isinstance(old, str) else new for old, new in pairs]
            found.append(tuple(each for each in given if each is not None))
        return found

    def sizes_for(self, known: Mapping[str, int]) -> list[tuple[int, ...]]:
        """Return the shapes of elements for numbers of all names."""
        return [
            tuple(size if isinstance(size, int) else value_of(size, known) for size in shape)
            for shape in self.sizes()
        ]
