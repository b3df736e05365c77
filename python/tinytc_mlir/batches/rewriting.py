# SPDX-License-Identifier: BSD-3-Clause
"""Improves the operations of a batched function before they are written as a kernel.

What is computed twice is computed once, products of several matrices are associated by cost, a sum
with products becomes updates of one array, and what nobody uses is dropped.
"""

from __future__ import annotations

import functools
from collections import ChainMap, Counter
from collections.abc import Sequence

from .arrays import Array, Block, Region, Shape, walk

_UNIQUE = ("parameter", "carried", "variable", "if", "for", "result")
_SUMS = ("arith.add", "arith.sub", "arith.neg")


def rewritten(block: Block) -> Block:
    """Return the operations of a function, improved in place."""
    _share(block, ChainMap(), {})
    _order(block)
    _Products(block).run(block)
    _share(block, ChainMap(), {})
    _order(block)
    return block


def _share(
    block: Block, known: ChainMap[tuple[object, ...], Array], replaced: dict[Array, Array]
) -> None:
    """Compute equal operations once."""
    kept = []
    for each in block.arrays:
        each.args = tuple(replaced.get(arg, arg) for arg in each.args)
        found = _simpler(each)
        if found is each and each.op not in _UNIQUE:
            data = repr(each.data)
            key = (each.op, *map(id, each.args), each.shape, each.type, data)
            found = known.setdefault(key, each)
        if found is not each:
            replaced[each] = found
            continue
        kept.append(each)
        if isinstance(each.data, Region):
            for inner in each.data.blocks:
                _share(inner, known.new_child(), replaced)
    block.arrays = kept
    block.ends = [replaced.get(end, end) for end in block.ends]


def _simpler(array: Array) -> Array:
    """Return an argument that an array is equal to, or the array."""
    if array.op == "broadcast" and array.args[0].shape == array.shape:
        return array.args[0]
    if array.op == "reshape" and array.args[0].shape == array.shape:
        return array.args[0]
    if array.op == "transpose":
        inner = array.args[0]
        if inner.op == "transpose":
            array.data = tuple(inner.data[place] for place in array.data)
            array.args = inner.args
        if array.data == tuple(range(len(array.data))):
            return array.args[0]
    return array


def uses(block: Block) -> Counter[Array]:
    """Return how often each operation is used."""
    found: Counter[Array] = Counter(block.ends)
    for each in walk(block):
        found.update(each.args)
        if isinstance(each.data, Region):
            found.update(end for inner in each.data.blocks for end in inner.ends)
    return found


def _order(block: Block) -> None:
    """Put operations right before those that need them, and drop what nobody needs.

    What a product is added to comes after its factors: an instruction adds to what the one before
    has left in registers.
    """
    for each in block.arrays:
        if isinstance(each.data, Region):
            for inner in each.data.blocks:
                _order(inner)
    own, kept, waiting = set(block.arrays), dict[Array, None](), block.ends[::-1]
    while waiting:
        array = waiting[-1]
        missing = [a for a in _needed(array) if a in own and a not in kept]
        if array not in own or array in kept or not missing:
            waiting.pop()
            if array in own:
                kept[array] = None
        else:
            waiting += reversed(missing)
    block.arrays = list(kept)


def _needed(array: Array) -> list[Array]:
    found = list(array.args)
    if isinstance(array.data, Region):
        for inner in array.data.blocks:
            found += [arg for each in walk(inner) for arg in each.args] + inner.ends
    return found


class _Products:
    """Associates products, and makes updates of sums with products."""

    def __init__(self, block: Block) -> None:
        self._uses = uses(block)
        self._made: list[Array] = []
        self._own: set[Array] = set()
        self._replaced: dict[Array, Array] = {}

    def run(self, block: Block) -> None:
        """Rewrite a block; what has become part of another operation is dropped later."""
        outer = self._made, self._own
        self._made, self._own = [], set(block.arrays)
        inside = self._inside(block)
        for each in block.arrays:
            each.args = tuple(self._replaced.get(arg, arg) for arg in each.args)
            if isinstance(each.data, Region):
                for inner in each.data.blocks:
                    self.run(inner)
            found = each
            if each not in inside and each.type.kind in ("floating", "complex"):
                found = self._improved(each)
            if found is each:
                self._made.append(each)
            else:
                self._replaced[each] = found
        block.arrays, block.ends = self._made, [self._replaced.get(e, e) for e in block.ends]
        self._made, self._own = outer

    def _inside(self, block: Block) -> set[Array]:
        """Return operations that may become a part of their only user."""
        return {
            arg
            for each in block.arrays
            if self._may_join(each)
            for arg in each.args
            if self._is_part(arg) and self._may_join(arg)
        }

    def _may_join(self, array: Array) -> bool:
        is_turned = array.op == "transpose" and array.args[0].op == "matmul"
        return array.op in (*_SUMS, "matmul") or is_turned or self._is_scaling(array)

    def _is_part(self, array: Array) -> bool:
        return self._uses[array] == 1 and array in self._own

    @staticmethod
    def _is_scaling(array: Array) -> bool:
        """Return whether an array is another one times a number, or its negative."""
        if array.op == "arith.neg":
            return bool(array.shape)
        is_product = array.op == "arith.mul" and bool(array.shape)
        shapes = [arg.shape for arg in array.args]
        return is_product and () in shapes and array.shape in shapes

    def _improved(self, array: Array) -> Array:
        if array.op not in (*_SUMS, "matmul") and not self._is_scaling(array):
            return array
        terms = self._terms(array, [], is_root=True)
        products = [term for term in terms if len(term[1]) > 1]
        if not products or not array.shape:
            return self._chain(array) if array.op == "matmul" else array
        rest = [term for term in terms if len(term[1]) == 1]
        found = self._sum(array, rest) if rest else None
        for scales, factors in products:
            found = self._update(array, scales, factors, found)
        assert found is not None
        return found

    def _terms(
        self, array: Array, scales: list[Array], *, is_root: bool = False
    ) -> list[tuple[list[Array], list[Array]]]:
        """Return the terms of a sum, each as numbers and the factors of a product of matrices."""
        is_open = is_root or self._is_part(array)
        if array.op in _SUMS and is_open and all(a.shape == array.shape for a in array.args):
            if array.op == "arith.neg":
                return self._terms(array.args[0], [self._minus(array), *scales])
            first, second = array.args
            signs = [self._minus(array)] if array.op == "arith.sub" else []
            return [*self._terms(first, scales), *self._terms(second, [*signs, *scales])]
        inner, factors = self._factors(array, is_root=is_root)
        if len(factors) == 1:
            return [(scales, [array])]
        return [([*scales, *inner], factors)]

    def _minus(self, array: Array) -> Array:
        return self._new("constant", (), (), array, -1)

    def _factors(  # noqa: PLR0911, one for each kind
        self, array: Array, *, is_root: bool = False
    ) -> tuple[list[Array], list[Array]]:
        """Return the numbers and the matrices that a product is made of."""
        if not is_root and not self._is_part(array):
            return [], [array]
        if self._is_scaling(array):
            if array.op == "arith.neg":
                scales, factors = self._factors(array.args[0])
                return [self._minus(array), *scales], factors
            number, matrix = sorted(array.args, key=lambda arg: len(arg.shape))
            scales, factors = self._factors(matrix)
            return [number, *scales], factors
        if array.op == "transpose" and array.args[0].op == "matmul" and len(array.shape) == 2:
            if not self._is_part(array.args[0]):
                return [], [array]
            scales, factors = self._factors(array.args[0])
            return scales, [self._turned(each) for each in reversed(factors)]
        if array.op != "matmul":
            return [], [array]
        left, right = array.args
        first, last = (
            self._factors(factor)
            if len(factor.shape) == 2 or _is_vector_product(factor, place)
            else ([], [factor])
            for place, factor in enumerate((left, right))
        )
        return [*first[0], *last[0]], [*first[1], *last[1]]

    def _turned(self, array: Array) -> Array:
        if array.op == "transpose":
            return array.args[0]
        return self._new("transpose", (array,), array.shape[::-1], array, (1, 0))

    def _new(
        self, op: str, args: Sequence[Array], shape: Shape, like: Array, data: object = None
    ) -> Array:
        found = Array(op, tuple(args), shape, like.type, like.place, data)
        self._made.append(found)
        self._own.add(found)
        return found

    def _scale(self, like: Array, scales: Sequence[Array]) -> Array | None:
        """Return the product of some numbers, None for 1."""
        sign = 1
        numbers = []
        for each in scales:
            is_sign = each.op == "constant" and each.data in (1, -1)
            sign *= each.data if is_sign else 1
            numbers += [] if is_sign else [each]
        if not numbers:
            return None if sign == 1 else self._new("constant", (), (), like, -1)
        found = functools.reduce(lambda a, b: self._new("arith.mul", (a, b), (), like), numbers)
        return found if sign == 1 else self._new("arith.neg", (found,), (), like)

    def _sum(self, like: Array, terms: Sequence[tuple[list[Array], list[Array]]]) -> Array:
        found: Array | None = None
        for scales, (array,) in terms:
            scale = self._scale(like, scales)
            if found is not None and scale is not None and scale.op == "constant":
                found = self._new("arith.sub", (found, array), like.shape, like)
                continue
            term = array
            if scale is not None:
                is_minus = scale.op == "constant"
                term = (
                    self._new("arith.neg", (array,), like.shape, like)
                    if is_minus
                    else self._new("arith.mul", (scale, array), like.shape, like)
                )
            found = (
                term if found is None else self._new("arith.add", (found, term), like.shape, like)
            )
        assert found is not None
        return found

    def _update(
        self, like: Array, scales: Sequence[Array], factors: Sequence[Array], before: Array | None
    ) -> Array:
        left, right = self._associated(factors, like)
        scale = self._scale(like, scales)
        if scale is None and before is None:
            return self._new("matmul", (left, right), like.shape, like)
        alpha = self._new("constant", (), (), like, 1) if scale is None else scale
        args = (alpha, left, right) if before is None else (alpha, left, right, before)
        return self._new("gemm", args, like.shape, like)

    def _chain(self, array: Array) -> Array:
        """Return a product of vectors, a number, associated by cost."""
        scales, factors = self._factors(array, is_root=True)
        left, right = self._associated(factors, array)
        found = self._new("matmul", (left, right), array.shape, array)
        scale = self._scale(array, scales)
        return (
            found if scale is None else self._new("arith.mul", (scale, found), array.shape, array)
        )

    def _associated(self, factors: Sequence[Array], like: Array) -> tuple[Array, Array]:
        """Return the two factors of the last product of several, of which the fewest steps take."""
        sizes = [1, *factors[0].shape][-2:]
        sizes += [each.shape[1] if len(each.shape) == 2 else 1 for each in factors[1:]]

        @functools.cache
        def cost(first: int, last: int) -> tuple[int, int]:
            if first == last:
                return 0, first
            options = []
            for cut in range(first, last):
                own = sizes[first] * sizes[cut + 1] * sizes[last + 1]
                options.append((cost(first, cut)[0] + cost(cut + 1, last)[0] + own, cut))
            return min(options)

        def product(first: int, last: int) -> Array:
            if first == last:
                return factors[first]
            cut = cost(first, last)[1]
            left, right = product(first, cut), product(cut + 1, last)
            shape = (*left.shape[:-1], *right.shape[1:])
            return self._new("matmul", (left, right), shape, like)

        cut = cost(0, len(factors) - 1)[1]
        return product(0, cut), product(cut + 1, len(factors) - 1)


def _is_vector_product(array: Array, place: int) -> bool:
    """Return whether an array is a product of which one factor, by its place, is a vector."""
    while array.op in ("arith.mul", "arith.neg"):
        array = max(array.args, key=lambda arg: len(arg.shape))
    return array.op == "matmul" and len(array.args[place].shape) == 1
