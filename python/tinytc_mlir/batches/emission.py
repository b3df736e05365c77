# SPDX-License-Identifier: BSD-3-Clause
"""Writes the operations of a batched function as a kernel; what both kinds of kernels share.

The kernel of a group computes one element of the batch, whose place is that of the group.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..frontend import ast as text
from ..kernels.names import named
from ..kernels.operators import BINARY, COMPARE
from ..kernels.translation import Translation
from ..kernels.types import SCALARS, Memref, Scalar, Type
from ..kernels.values import Local, Static
from ..shapes import Boxes
from ..zero_patterns import boxes_of
from .arrays import Array, Block, Region, Shape

Number: TypeAlias = Local | Static
GRID = ("x", "y", "z")
_FOLDS: dict[str, Callable[..., Any]] = {
    **{name: fold for name, fold in BINARY.values() if name != "arith.div"},
    **dict(COMPARE.values()),
    "arith.neg": operator.neg,
}


def in_memory(type_: Scalar) -> Scalar:
    """Return the type that memory has for elements: truth values are bytes."""
    return SCALARS["i8"] if type_.kind == "bool" else type_


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of the kernel: an argument or a result of the function.

    Args:
        name: its name.
        type: type of its elements.
        shape: the shape of an element of the batch.
        modes: the dimensions of the grid that are its modes of the batch, in the order of NumPy.
        is_packed: whether the numbers of an element are next to each other, in the order of C.
        is_dense: whether all numbers are.
        boxes: where elements may be other than zero; None for everywhere.
    """

    name: str
    type: Scalar
    shape: Shape
    modes: tuple[int, ...]
    is_packed: bool = True
    is_dense: bool = False
    boxes: Boxes | None = None

    @property
    def memref(self) -> Memref:
        """Its type in the language, where modes are in the opposite order."""
        type_ = in_memory(self.type)
        core = Memref(type_, self.shape[::-1])
        stride = core.packed if self.is_packed else (None,) * len(self.shape)
        sizes = (*core.shape, *(None for _ in self.modes))
        found = Memref(type_, sizes)
        if self.boxes is not None:
            found = found.nonzero(boxes_of(self.boxes, len(self.shape), reverse=True))
        return found if self.is_dense else found.strided(*stride, *(None for _ in self.modes))


@dataclasses.dataclass(frozen=True)
class Program:
    """A function for arguments of one kind.

    Args:
        block: its operations and results.
        inputs: the parameters for its arguments.
        outputs: the parameters for its results.
    """

    block: Block
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]

    def types(self) -> dict[str, Type]:
        """Return the types of the kernel's parameters."""
        return {each.name: each.memref for each in (*self.inputs, *self.outputs)}


def kernel_name(name: str) -> str:
    """Return the name of the kernel of a function, whose own may be none in the language.

    >>> kernel_name("step"), kernel_name("_step")
    ('step', 'f_step')
    """
    found = re.sub(r"\W", "_", name, flags=re.ASCII)
    return f"f{found}" if found[0] in "_0123456789" else found


def in_parts(numbers: Sequence[Number], join: Callable[[Any, Any], Any]) -> Any:
    """Return numbers as one; a step waits for that of its part alone, of which there are four.

    >>> in_parts("abcdef", lambda one, other: f"({one}{other})")
    '(((ae)(bf))(cd))'
    """
    parts = [functools.reduce(join, numbers[k::4]) for k in range(min(4, len(numbers)))]
    while len(parts) > 1:
        parts = [functools.reduce(join, parts[k : k + 2]) for k in range(0, len(parts), 2)]
    return parts[0]


class Emission(Translation):
    """Appends the instructions of operations, one after the other."""

    program: Program
    places: list[Local]

    def function(self, types: Mapping[str, Type], options: Mapping[str, object]) -> text.Function:
        """Return the kernel."""
        arguments = {each.arg: each for each in self.source.tree.args.args}
        parameters = [(n, t, arguments.get(n, self.source.tree)) for n, t in types.items()]
        made = self.made_function(parameters, options, self._fill)
        return dataclasses.replace(made, name=kernel_name(self.source.name))

    def _fill(self) -> None:
        tree = self.source.tree
        modes = {m for each in (*self.program.inputs, *self.program.outputs) for m in each.modes}
        self.places = []
        for mode in range(max(modes, default=-1) + 1):
            found = named(("group_id", GRID[mode]))
            place = ast.copy_location(ast.Name("i", ast.Load()), tree)
            made = self._made(place, found, [], None)  # type: ignore[arg-type]
            assert isinstance(made, Local)
            self.places.append(made)
        self.block(self.program.block)
        for parameter, result in zip(self.program.outputs, self.program.block.ends, strict=True):
            self.at(result)
            self.returned(parameter, result)

    def block(self, block: Block) -> None:
        """Append the operations of a block."""
        for each in block.arrays:
            self.at(each)
            self.operation_of(each)

    def at(self, array: Array) -> ast.AST:
        """Make an operation's place that of instructions that follow; return it."""
        node, self.source = array.place
        return node

    def operation_of(self, array: Array) -> None:
        """Append an operation."""
        raise NotImplementedError

    def returned(self, parameter: Parameter, result: Array) -> None:
        """Append what writes a result."""
        raise NotImplementedError

    def batch_indices(self, parameter: Parameter, node: ast.AST) -> list[text.Operand]:
        """Return the indices of the element of the batch, in the order of the language."""
        return [self.operand(self.places[mode], node) for mode in reversed(parameter.modes)]

    def loaded(self, parameter: Parameter, node: ast.AST, indices: Sequence[int]) -> Local:
        """Append a load of an element of a parameter."""
        places = [self.integer(node, index) for index in reversed(indices)]
        every = [*places, *self.batch_indices(parameter, node)]
        found = self.element(node, self.scope[parameter.name], every)  # type: ignore[arg-type]
        return self.as_read(node, found, parameter.type)

    def as_read(self, node: ast.AST, value: Local, type_: Scalar) -> Local:
        """Return a number that memory holds; truth values are bytes there."""
        return value if type_.kind != "bool" else self.apply(node, "cmp.ne", [value, Static(0)])

    def as_stored(self, node: ast.AST, value: Number, type_: Scalar) -> Local:
        """Return a number as memory holds it."""
        found = self.number(node, value, type_)
        if type_.kind != "bool":
            return found
        byte = in_memory(type_)
        ends = [self.constant(Static(number), node, byte) for number in (1, 0)]
        return self.apply(node, "select", [found, *ends])

    # Numbers --------------------------------------------------------------------------------

    def number(self, node: ast.AST, value: Number, type_: Scalar) -> Local:
        """Return a number as a value of the program."""
        if isinstance(value, Local):
            return value
        if type_.kind == "bool":
            return self.constant(Static(bool(value.value)), node, type_)
        found: Any = value.value
        if type_.kind == "integer":
            found = int(found)
        elif type_.kind == "floating":
            found = float(found)
        elif type_.kind == "complex":
            found = complex(found)
        return self.constant(Static(found), node, type_)

    def computed(self, array: Array, values: Sequence[Number]) -> Number:
        """Return an element of an operation that works element by element."""
        node, name = array.place[0], array.op
        if all(isinstance(value, Static) for value in values):
            folded = self._constant_of(array, [v.value for v in values])
            if folded is not None:
                return folded
        if name == "select" and isinstance(values[0], Static):
            return values[1 if values[0].value else 2]
        if name == "arith.mul":
            for one, other in (values, values[::-1]):
                if isinstance(one, Static) and one.value == 1:
                    return other
        inside = array.args[-1].type
        if name == "power":
            base = self.number(node, values[0], inside)
            found = self.power(node, base, Static(array.data))  # type: ignore[arg-type]
            assert isinstance(found, Local)
            return found
        types = [arg.type for arg in array.args]
        locals_ = [self.number(node, v, t) for v, t in zip(values, types, strict=True)]
        if name == "cast":
            return self.apply(node, "cast", locals_, array.type)
        is_part = name in ("arith.re", "arith.im", "arith.abs")
        return self.apply(node, name, locals_, array.type if is_part else None)

    @staticmethod
    def _constant_of(array: Array, values: Sequence[Any]) -> Static | None:
        """Return what constants are combined to, None where the language does it."""
        if array.op == "select":
            return Static(values[1] if values[0] else values[2])
        if array.op == "cast":
            dtype = array.type.dtype
            return Static(np.asarray(values[0]).astype(dtype).item())
        fold = _FOLDS.get(array.op)
        if fold is None or array.type.kind == "integer":
            return None
        return Static(fold(*values))

    # Regions --------------------------------------------------------------------------------

    def conditional(
        self,
        array: Array,
        condition: Local,
        fill: Callable[[Block], Sequence[Number]],
        types: Sequence[Scalar],
    ) -> list[Local]:
        """Append an `if`, and return the numbers that its branches hand on."""
        node, region = array.place[0], array.data
        assert isinstance(region, Region)
        branches: list[Callable[[], list[Any]]] = [
            lambda b=block: [  # type: ignore[misc]
                self.number(node, v, t) for v, t in zip(fill(b), types, strict=True)
            ]
            for block in region.blocks
        ]
        names = [f"result {number}" for number in range(len(types))]
        results = [self.identifier(node) for _ in types]
        return self._conditional(node, self.operand(condition, node), branches, names, results)

    def loop(
        self,
        array: Array,
        bounds: Sequence[Number],
        inits: Sequence[Local],
        turn: Callable[[Local, list[Local]], Sequence[Local]],
    ) -> list[Local]:
        """Append a `for` that carries numbers, and return them after it."""
        node = array.place[0]
        variable = self.identifier(node, "k")
        inside = [self.identifier(node) for _ in inits]
        names = [f"carried {number}" for number in range(len(inits))]

        def fill() -> None:
            carried: list[Any] = [self.scope[name] for name in names]
            index: Any = self.scope["variable"]
            ends = turn(index, carried)
            if ends:
                self.add(node, "yield", [self.operand(each, node) for each in ends])

        return self.add(
            node,
            "for",
            [self.operand(each, node) for each in bounds],
            results=[self.identifier(node) for _ in inits],
            variable=variable,
            attributes=None,
            carried=inside,
            inits=[self.operand(each, node) for each in inits],
            body=self.region(
                node, fill, [("variable", variable), *zip(names, inside, strict=True)]
            ),
        )


INDEX = SCALARS["index"]
