# SPDX-License-Identifier: BSD-3-Clause
"""Elements and parts of arrays: what is in square brackets."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ..kernels.subscripts import slices
from ..kernels.values import Static
from .arrays import Array, Index, Item, Range, Several, item_sizes, shown
from .expressions import BOOL, INDEX, ArrayExpressions


class Parts(ArrayExpressions):
    """The part that reads square brackets."""

    def _subscript(self, node: ast.Subscript) -> Any:
        holder = self.expression(node.value)
        if isinstance(holder, Several):
            key = self.static(node.slice, "a constant in square brackets")
            try:
                found = holder.items[key]
            except (TypeError, IndexError) as error:
                raise self.error(str(error), node) from None
            return Several(found, holder.is_list) if isinstance(key, slice) else found
        if isinstance(holder, Static) and isinstance(holder.value, np.ndarray):
            holder = self.array(holder, node)
        if not isinstance(holder, Array):
            return super()._subscript(node)
        items, indices = self.items(node, holder)
        shape = item_sizes(items)
        if items == [Range(0, 1, size) for size in holder.shape]:
            return holder
        return self.made(node, "slice", [holder, *indices], shape, holder.type, tuple(items))

    def items(self, node: ast.Subscript, holder: Array) -> tuple[list[Item], list[Array]]:
        """Return what is in square brackets after an array, and the indices known at run time."""
        given = slices(node)
        is_ellipsis = [isinstance(g, ast.Constant) and g.value is Ellipsis for g in given]
        values = [None if is_slice(g) else self.expression(g) for g in given]
        new = [isinstance(v, Static) and v.value is None for v in values]
        count = len(given) - sum(is_ellipsis) - sum(new)
        if count > len(holder.shape):
            rank = len(holder.shape)
            raise self.error(f"expected at most {rank} indices, got {count}", node)
        missing = len(holder.shape) - count
        found: list[Item] = []
        indices: list[Array] = []
        mode = 0
        for each, value, is_new, is_rest in zip(given, values, new, is_ellipsis, strict=True):
            if is_new:
                found.append(None)
                continue
            if is_rest:
                sizes = holder.shape[mode : mode + missing]
                found += [Range(0, 1, size) for size in sizes]
                mode += missing
                continue
            found.append(self._item_of(each, value, holder.shape[mode], indices))
            mode += 1
        found += [Range(0, 1, size) for size in holder.shape[mode:]]
        return found, indices

    def _item_of(self, node: ast.expr, value: Any, size: int, indices: list[Array]) -> Item:
        if isinstance(node, ast.Slice):
            return self._range_of(node, size, indices)
        if isinstance(value, Array):
            if value.shape or value.type.kind != "integer":
                what = f"an array of {value.type} and shape {shown(value.shape)}"
                hint = "write a loop, or tt.where for masks"
                raise self.error(f"expected an integer as index, got {what}", node, hint)
            indices.append(self._inside(node, value, size))
            return Index(len(indices))
        index = value.value if isinstance(value, Static) else None
        if type(index) is not int:
            raise self.unexpected("an integer as index", value, node)
        if not -size <= index < size:
            raise self.error(f"expected an index below {size}, got {index}", node)
        return index % size

    def _range_of(self, node: ast.Slice, size: int, indices: list[Array]) -> Range:
        parts = [None if each is None else self.expression(each) for each in
                 (node.lower, node.upper, node.step)]  # fmt: skip
        if isinstance(parts[0], Array):
            return self._moving_range(node, parts[0], size, indices)
        values = []
        for value, place in zip(parts, (node.lower, node.upper, node.step), strict=True):
            if value is not None and not isinstance(value, Static):
                hint = "sizes are known when the function is read: write x[i : i + 3]"
                raise self.unexpected("ends of a slice that are known now", value, place, hint)  # type: ignore[arg-type]
            values.append(None if value is None else value.value)
        try:
            start, stop, step = slice(*values).indices(size)
        except (TypeError, ValueError) as error:
            raise self.error(f"expected integers in a slice, got others: {error}", node) from None
        return Range(start, step, len(range(start, stop, step)))

    def _moving_range(
        self, node: ast.Slice, start: Array, whole: int, indices: list[Array]
    ) -> Range:
        """Return `i : i + n` where i is known at run time."""
        upper = node.upper
        is_sum = isinstance(upper, ast.BinOp) and isinstance(upper.op, ast.Add)
        if node.step or not is_sum or ast.dump(upper.left) != ast.dump(node.lower):  # type: ignore
            hint = "write x[i : i + 3]"
            raise self.error(
                "expected a slice of a size that is known now, got another", node, hint
            )
        size = self.static(upper.right, "the size of a slice")  # type: ignore[union-attr]
        if type(size) is not int or not 0 <= size <= whole:
            raise self.error(f"expected a size of a slice of at most {whole}, got {size!r}", node)
        indices.append(self._inside(node, start, whole - size + 1))
        return Range(Index(len(indices)), 1, size)

    def _inside(self, node: ast.AST, index: Array, size: int) -> Array:
        """Return an index of run time as NumPy counts, in any case one that there is."""
        index = self.cast(index, node, INDEX)
        if index.op == "variable" and index.data is not None and index.data[1] <= size:
            return index  # of a loop whose bounds are known
        is_low = self.elementwise(node, "cmp.lt", [index, Static(0)], result=BOOL)
        after = self.elementwise(node, "arith.add", [index, Static(size)], inside=INDEX)
        found = self.made(node, "select", [is_low, after, index], (), INDEX)
        for op, end in (("arith.max", 0), ("arith.min", size - 1)):
            found = self.elementwise(node, op, [found, Static(end)], inside=INDEX)
        return found


def is_slice(node: ast.expr) -> bool:
    """Return whether an item in square brackets is a slice, which is no value."""
    return isinstance(node, ast.Slice)
