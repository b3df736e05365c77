# SPDX-License-Identifier: BSD-3-Clause
"""Kernels whose arrays are in local memory: products are instructions, the rest is loops.

Chains of operations element by element are one loop, without arrays between them. An array is held
in memory with its modes in the opposite order, so that its last one runs fastest.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..frontend import ast as text
from ..kernels.types import Memref
from ..kernels.values import Local, Static
from .arrays import Array, Block, Range, Region, Shape, walk
from .emission import INDEX, Number, Parameter, in_memory, in_parts
from .factored import FACTORED, Factored, Matrix
from .rewriting import uses

LONG, PARTS = 16, 8
"""Elements from which on an array is reduced in memory, and parts of it that are at once."""


class Memory(Factored):
    """Writes operations as instructions on arrays, and loops over their elements."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.regions: dict[Array, list[Local]] = {}
        self._results: dict[Array, Parameter] = {}
        self._kept: set[Array] = set()
        self._updated: set[Array] = set()

    def _fill(self) -> None:
        block = self.program.block
        self._kept = _kept(block)
        for parameter, end in zip(self.program.outputs, block.ends, strict=True):
            is_new = end.op not in ("parameter", "result", "reshape") and end.shape
            if is_new and end in block.arrays and end not in self._results:
                self._results[end] = parameter
                self._kept.add(end)
        self._updated = _updated(block)
        for each in reversed(block.arrays):
            if each in self._results and each.args and each.args[-1] in self._updated:
                self._results[each.args[-1]] = self._results[each]
        super()._fill()

    def operation_of(self, array: Array) -> None:
        """Append an operation: compute a number, or fill the memory of an array."""
        if array.op in ("if", "for"):
            getattr(self, f"_{array.op}_region")(array)
        elif array.op == "parameter":
            self._parameter(array)
        elif array.op == "result":
            found = self.regions[array.args[0]][array.data]
            (self.memory if array.shape else self.numbers)[array] = found
        elif not array.shape:
            self.numbers[array] = self._number_of(array)
        elif array in self._kept:
            target = self._results.get(array)
            place = None if target is None else self._in_batch(target, array)
            self.memory[array] = self._stored(array, place)

    def returned(self, parameter: Parameter, result: Array) -> None:
        """Store a result that is not in its place yet."""
        node = result.place[0]
        if not result.shape:
            value = self.as_stored(node, self.numbers[result], parameter.type)
            operands = [value, self.scope[parameter.name]]
            given = [self.operand(each, node) for each in operands]
            self.add(node, "store", given, indices=self.batch_indices(parameter, node))
        elif self._results.get(result) is not parameter:
            self._copied(result, self._in_batch(parameter, result))

    def _parameter(self, array: Array) -> None:
        found = next(each for each in self.program.inputs if each.name == array.data)
        if array.shape:
            self.memory[array] = self._in_batch(found, array)
        else:
            self.numbers[array] = self.loaded(found, array.place[0], ())

    def _in_batch(self, parameter: Parameter, array: Array) -> Local:
        """Return the element of the batch in a parameter."""
        node = array.place[0]
        holder: Any = self.scope[parameter.name]
        if not parameter.modes:
            return holder  # type: ignore[no-any-return]
        span = self.span(node)
        whole = [text.Slice(span, None, None) for _ in parameter.shape]
        zero = self.integer(node, 0)
        at = [text.Slice(span, each, zero) for each in self.batch_indices(parameter, node)]
        return self.value_of(node, "subview", [self.operand(holder, node)], None, slices=whole + at)

    def _new(self, array: Array) -> Local:
        """Return new local memory for an array."""
        memref = Memref(in_memory(array.type), array.shape[::-1], None, "local")
        return self.value_of(array.place[0], "alloca", [], memref, attributes=None)

    # Filling memory -------------------------------------------------------------------------

    def _stored(self, array: Array, place: Local | None) -> Local:
        """Return the memory of an array, after filling it."""
        node = array.place[0]
        if array.op in ("matmul", "gemm"):
            return self._multiplied(array, place)
        if array.op in FACTORED:
            return self.factored(array, place)
        if array.op == "cumsum" and len(array.shape) <= 3:
            axis, is_reversed = array.data
            source = self._matrix(array.args[0], is_straight=True).memory
            place = place or self._new(array)
            mode = self.integer(node, len(array.shape) - 1 - axis)
            modifiers = ["reverse" if is_reversed else None, None]
            operands = [*self._operands(node, 1, source), mode, *self._operands(node, 0, place)]
            self.add(node, "cumsum", operands, modifiers=modifiers)
            return place
        if array.op == "reshape" and array.args[0].size > 1:
            return self._reshaped(array)
        if array.op == "literal":
            self.memory[array] = self._constant_memory(array)
            if place is None:
                return self.memory[array]
        place = place or self._new(array)
        if array.op == "update":
            self._copied(array.args[0], place)
            self._changed(array, place)
        elif array.op in ("stack", "concatenate"):
            self._joined(array, place)
        else:
            self._copied(array, place)
        return place

    def _constant_memory(self, array: Array) -> Local:
        """Return the memory of an array from outside of the function."""
        node = array.place[0]
        values = array.data.transpose()
        if array.type.kind == "bool":
            values = values.astype(np.int8)
        memref = Memref(in_memory(array.type), values.shape)
        return self.value_of(node, "constant", [text.Dense(self.span(node), values)], memref)

    def _operands(self, node: Any, factor: float, place: Local) -> list[text.Operand]:
        return [self.operand(Static(factor), node), self.operand(place, node)]

    def _copied(self, array: Array, place: Local) -> None:
        """Store all elements of an array, computed one by one where they are in no memory."""
        self._each(
            array.shape, array, lambda at: self._put(array, self.element_of(array, at), place, at)
        )

    def _put(self, array: Array, value: Number, place: Local, at: Sequence[Number]) -> None:
        node = array.place[0]
        value = self.as_stored(node, value, array.type)
        operands = [self.operand(value, node), self.operand(place, node)]
        self.add(node, "store", operands, indices=self.indices_of(node, at))

    def _each(self, shape: Shape, array: Array, fill: Callable[[list[Number]], None]) -> None:
        """Append a loop over all indices of a shape, by all work-items."""
        node = array.place[0]
        if 0 in shape:
            return
        variables = [self.identifier(node, "i") for _ in shape]
        names = [f"index {mode}" for mode in range(len(shape))]
        zeros = [self.integer(node, 0) for _ in shape]
        ends: list[text.Operand] = [self.integer(node, size) for size in reversed(shape)]

        def inside() -> None:
            found: list[Any] = [self.scope[name] for name in reversed(names)]
            fill(found)

        pairs = list(zip(names, variables, strict=True))
        body = self.spmd_region(node, inside, pairs)
        self.add(node, "foreach", zeros, indices=ends, variables=variables, body=body)

    def _changed(self, array: Array, place: Local) -> None:
        """Store a part of an array."""
        part = array.args[1]

        def fill(at: list[Number]) -> None:
            inner = self.source_indices(array, array.data, at, first=1)
            self._put(array, self.element_of(part, at), place, inner)

        self._each(part.shape or (1,), array, lambda at: fill(at if part.shape else []))

    def _joined(self, array: Array, place: Local) -> None:
        """Store arrays one after the other."""
        start = 0
        axis = array.data if array.op == "concatenate" else 0
        for part in array.args:
            begin = start

            def fill(at: list[Number], part: Array = part, begin: int = begin) -> None:
                if array.op == "stack":
                    inner: list[Number] = [Static(begin), *(at if part.shape else [])]
                else:
                    inner = list(at)
                    inner[axis] = self.offset(array, inner[axis], begin)
                self._put(array, self.element_of(part, at if part.shape else []), place, inner)

            self._each(part.shape or (1,), array, fill)
            start += part.shape[axis] if array.op == "concatenate" else 1

    def _reshaped(self, array: Array) -> Local:
        """Return the same memory in another shape."""
        node = array.place[0]
        found = self._matrix(array.args[0], is_straight=True, is_packed=True).memory
        rank = len(array.args[0].shape)
        if rank > 1:
            found = self._fused(node, found, rank)
        if len(array.shape) > 1:
            sizes = [self.integer(node, size) for size in reversed(array.shape)]
            found = self.value_of(
                node, "expand", [self.operand(found, node)], indices=[self.integer(node, 0), *sizes]
            )
        return found

    def _fused(self, node: Any, memory: Local, rank: int) -> Local:
        """Return the same memory with all modes as one."""
        modes = [self.integer(node, 0), self.integer(node, rank - 1)]
        return self.value_of(node, "fuse", [self.operand(memory, node)], indices=modes)

    # Products -------------------------------------------------------------------------------

    def _multiplied(self, array: Array, place: Local | None) -> Local:
        node = array.place[0]
        factors, before = array.args[:2], None
        alpha: Number = Static(1)
        if array.op == "gemm":
            alpha, factors = self.numbers[array.args[0]], array.args[1:3]
            before = array.args[3] if len(array.args) > 3 else None
        left, right = (self._matrix(each) for each in factors)
        beta = 0 if before is None else 1
        if before in self._updated:
            place = self.memory[before]
        place = place or self._new(array)
        if before is not None and before not in self._updated:
            self._copied(before, place)
        ranks = [len(each.shape) for each in factors]
        scale = self.operand(self._scale(array, alpha), node)
        whole = place
        if ranks == [2, 2] and array.shape[1] == 1:  # a column is a vector
            rows, ranks = factors[1].shape[0], [2, 1]
            right = Matrix(self._column(node, right, rows))
            place = self._column(node, Matrix(place), array.shape[0])
        ends = self._operands(node, beta, place)
        if ranks == [2, 2]:
            words = [None if each.is_straight else "t" for each in (right, left)]
            given = [self.operand(each.memory, node) for each in (right, left)]
            self.add(node, "gemm", [scale, *given, *ends], modifiers=[*words, None])
            return place
        matrix, vector = (left, right) if ranks[0] == 2 else (right, left)
        is_turned = matrix.is_straight == (ranks[0] == 2)
        given = [self.operand(each.memory, node) for each in (matrix, vector)]
        word = "t" if is_turned else None
        self.add(node, "gemv", [scale, *given, *ends], modifiers=[word, None])
        return whole

    def _column(self, node: Any, matrix: Matrix, rows: int) -> Local:
        """Return the only column of a matrix in memory."""
        span, zero = self.span(node), self.integer(node, 0)
        sizes = [zero, self.integer(node, rows)]  # 0 is that of an index
        slices = [text.Slice(span, zero, size) for size in sizes]
        found = [self.operand(matrix.memory, node)]
        slices = slices if matrix.is_straight else slices[::-1]
        return self.value_of(node, "subview", found, None, slices=slices)

    def _scale(self, array: Array, alpha: Number) -> Number:
        if isinstance(alpha, Static) and array.type.kind == "complex":
            return self.number(array.place[0], alpha, array.type)
        return alpha

    def _matrix(
        self, array: Array, *, is_straight: bool = False, is_packed: bool = False
    ) -> Matrix:
        """Return an array in memory; of the others, a copy."""
        found = self._viewed(array, is_packed=is_packed)
        if found is None or (is_straight and not found.is_straight):
            place = self._new(array)
            self._copied(array, place)
            self.memory[array] = place  # only in this block
            found = Matrix(place)
        return found

    def _viewed(self, array: Array, *, is_packed: bool = False) -> Matrix | None:
        """Return an array in memory if it is there, or is a view of what is."""
        if array in self.memory:
            memory = self.memory[array]
            assert isinstance(memory.type, Memref)
            is_usable = not is_packed or memory.type.stride is None
            return Matrix(memory) if is_usable else None
        if array.op == "transpose" and array.data == (1, 0):
            inner = self._viewed(array.args[0], is_packed=is_packed)
            return inner and Matrix(inner.memory, not inner.is_straight)
        if array.op == "slice" and not is_packed:
            return self._sliced(array)
        return None

    def _sliced(self, array: Array) -> Matrix | None:
        inner = self._viewed(array.args[0])
        items = array.data
        is_simple = all(item is not None and getattr(item, "step", 1) == 1 for item in items)
        if inner is None or not is_simple or not inner.is_straight or 0 in array.shape:
            return None
        node = array.place[0]
        span, slices = self.span(node), []
        for item in reversed(items):
            start = item.start if isinstance(item, Range) else item
            at = self.indices_of(node, [self.start_of(array, start, first=0)])[0]
            size = item.size if isinstance(item, Range) else 0
            slices.append(text.Slice(span, at, self.integer(node, size)))
        place = [self.operand(inner.memory, node)]
        return Matrix(self.value_of(node, "subview", place, None, slices=slices))

    # Numbers --------------------------------------------------------------------------------

    def _number_of(self, array: Array) -> Number:
        """Return the value of an array of one element."""
        node = array.place[0]
        if array.op == "constant":
            return Static(array.data)
        if array.op == "matmul":
            left, right = (self._matrix(each).memory for each in array.args)
            return self.dot(node, left, right)  # type: ignore[arg-type]
        if array.op in ("reshape", "broadcast"):
            return self.element_of(array.args[0], [Static(0)] * len(array.args[0].shape))
        if array.op == "update":
            return self.numbers[array.args[1]]
        return self._element(array)

    def _reduced(self, array: Array) -> Number:
        """Return an array as one number, by instructions on its memory where it is long."""
        node, source = array.place[0], array.args[0]
        memory = self._viewed(source, is_packed=len(source.shape) > 1)
        if memory is None and source.size >= LONG:
            memory = self._matrix(source, is_straight=True, is_packed=True)
        is_sum = array.data[0] == "arith.add"
        if memory is None or source.size < (1 if is_sum else LONG):
            return self.reduced_over(array, [])
        vector, rank = memory.memory, len(source.shape)
        if rank > 1:
            vector = self._fused(node, vector, rank)
        if is_sum:
            return self.reduced(node, "sum", vector)  # type: ignore[arg-type]
        return self._reduced_in_parts(array, vector)

    def _reduced_in_parts(self, array: Array, vector: Local) -> Number:
        """Return a vector as one number, where each work-item takes one of `PARTS` elements."""
        node, op, source = array.place[0], array.data[0], array.args[0]
        whole = dataclasses.replace(array, shape=(source.size,), type=source.type)
        parts = dataclasses.replace(array, shape=(PARTS,))
        self.memory |= {whole: vector, parts: self._new(parts)}
        end = source.size // PARTS * PARTS

        def fill(at: list[Number]) -> None:
            def turn(variable: Local, carried: list[Local]) -> list[Local]:
                place = self.apply(node, "arith.add", [variable, at[0]])
                return [self.apply(node, op, [carried[0], self.element_of(whole, [place])])]

            first: Any = self.element_of(whole, at)
            bounds = [Static(PARTS), Static(end), Static(PARTS)]
            self._put(array, self.loop(array, bounds, [first], turn)[0], self.memory[parts], at)

        self._each(parts.shape, array, fill)
        numbers = [self.element_of(parts, [Static(k)]) for k in range(PARTS)]
        numbers += [self.element_of(whole, [Static(k)]) for k in range(end, source.size)]
        found: Number = in_parts(numbers, lambda a, b: self.apply(node, op, [a, b]))
        return found

    def _element(self, array: Array) -> Number:
        if array.is_elementwise:
            return self.computed(array, [self.numbers[arg] for arg in array.args])
        if array.op == "slice":
            return self.element_of(array.args[0], self.source_indices(array, array.data, [], 0))
        if array.op == "companion":
            return self.companion_number(array)
        assert array.op == "reduce"
        return self._reduced(array)

    # Regions --------------------------------------------------------------------------------

    def _inner_block(self, block: Block) -> None:
        """Append a block; memory that is made in it ends with it."""
        outer = dict(self.memory)
        self.block(block)
        self.memory = outer | {a: m for a, m in self.memory.items() if a in block.arrays}

    def _if_region(self, array: Array) -> None:
        region = array.data
        assert isinstance(region, Region)
        ends = region.blocks[0].ends
        places = [self._new(end) if end.shape else None for end in ends]

        def fill(block: Block) -> list[Number]:
            self._inner_block(block)
            for end, place in zip(block.ends, places, strict=True):
                if place is not None:
                    self.at(end)
                    self._copied(end, place)
            return [self.numbers[end] for end in block.ends if not end.shape]

        types = [end.type for end in ends if not end.shape]
        condition = self.number(array.place[0], self.numbers[array.args[0]], array.type)
        found = iter(self.conditional(array, condition, fill, types))
        self.regions[array] = [place or next(found) for place in places]

    def _for_region(self, array: Array) -> None:
        region = array.data
        assert isinstance(region, Region)
        node, starts = array.place[0], array.args[3:]
        places = []
        for each, start in zip(region.carried, starts, strict=True):
            places.append(self._new(each) if each.shape else None)
            if each.shape:
                self._copied(start, places[-1])  # type: ignore[arg-type]
        numbers = [each for each in region.carried if not each.shape]
        pairs = zip(region.carried, starts, strict=True)
        inits = [self.number(node, self.numbers[s], c.type) for c, s in pairs if not c.shape]

        def turn(variable: Local, values: list[Local]) -> list[Local]:
            assert region.variable is not None
            self.numbers[region.variable] = variable
            self.numbers.update(zip(numbers, values, strict=True))
            self.memory.update((c, p) for c, p in zip(region.carried, places, strict=True) if p)
            block = region.blocks[0]
            self._inner_block(block)
            moves = [(e, p) for e, p in zip(block.ends, places, strict=True) if p is not None]
            held = [e if self.memory.get(e) not in (None, p) else self._saved(e) for e, p in moves]
            for end, (_, place) in zip(held, moves, strict=True):
                self._copied(end, place)
            return [self.number(node, self.numbers[e], e.type) for e in block.ends if not e.shape]

        bounds = [self.number(node, self.numbers[a], INDEX) for a in array.args[:3]]
        found = iter(self.loop(array, bounds, inits, turn))
        self.regions[array] = [place or next(found) for place in places]

    def _saved(self, array: Array) -> Array:
        """Return an array with memory of its own, so that others may change."""
        made = Array("saved", (), array.shape, array.type, array.place)
        self.at(array)
        self.memory[made] = self._new(array)
        self._copied(array, self.memory[made])
        return made


def _kept(block: Block) -> set[Array]:
    """Return the arrays that get memory; elements of others are computed where they are used."""
    count = uses(block)
    home = {}
    for inner in _blocks(block):
        home.update(dict.fromkeys(inner.arrays, inner))
    elsewhere: set[Array] = set()
    for inner in _blocks(block):
        for each in inner.arrays:
            elsewhere.update(arg for arg in each.args if home.get(arg) is not inner)
        elsewhere.update(end for end in inner.ends if home.get(end) is not inner)
    found = set()
    for each in walk(block):
        if not each.shape or each.op in ("parameter", "if", "for", "result", "constant", "iota"):
            continue
        is_cheap = each.op in ("transpose", "slice", "broadcast") or each.op == "cast"
        is_bool = each.type.kind == "bool"
        if is_cheap or (is_bool and each.is_elementwise):
            continue
        if not each.is_elementwise or count[each] > 1 or each in elsewhere:
            found.add(each)
    return found


def _updated(block: Block) -> set[Array]:
    """Return the products that nobody uses but an update, which is of their own memory."""
    count = uses(block)
    return {
        each.args[3]
        for inner in _blocks(block)
        for each in inner.arrays
        if each.op == "gemm" and len(each.args) > 3 and count[each.args[3]] == 1
        if each.args[3].op in ("matmul", "gemm") and each.args[3] in inner.arrays
    }


def _blocks(block: Block) -> list[Block]:
    found = [block]
    for each in walk(block):
        if isinstance(each.data, Region):
            found += each.data.blocks
    return found
