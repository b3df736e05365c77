# SPDX-License-Identifier: BSD-3-Clause
"""The BLAS-like collective instructions on whole arrays.

The formula is evaluated in the accumulator type of the updated operand (its own type, f32
for types of 16 bits) and rounded once. Where beta is 0 the operand is not read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .access import read_tensor, tensor_addresses, write_tensor
from .checks import Violation
from .kernel import Builder, Handler, Step, element_type, has_attribute, keyword
from .machine import State
from .memory import MemrefValue
from .rounding import Array, accumulator_of
from .untyped import Ir

Shape = tuple[int, ...]
# Inputs in the accumulator's dtype -> what alpha scales.
Formula = Callable[..., Any]


class _Update:
    """Compiles `result := alpha formula(inputs) + beta result`.

    Args:
        builder: the kernel's builder.
        op: the instruction.
        inputs: names of the operands that are read, in the order of the formula.
        output: name of the operand that is updated.
        is_elementwise: whether an input may be the very same view as the output.
    """

    def __init__(
        self,
        builder: Builder,
        op: Ir,
        inputs: Sequence[str],
        output: str,
        *,
        is_elementwise: bool = False,
    ) -> None:
        self._site = builder.site(op)
        self._names = tuple(inputs)
        self._output_name = output
        operands = [getattr(op, name) for name in inputs]
        result = getattr(op, output)
        self._inputs = builder.slots(operands)
        self._output = builder.slot(result)
        self._alpha, self._beta = builder.slots([op.alpha, op.beta])
        self._beta_type = element_type(op.beta.type)
        self._is_atomic = has_attribute(op, "atomic")
        self._is_elementwise = is_elementwise
        self._type = element_type(result.type)
        accumulator = accumulator_of(self._type)
        self._convert = [
            builder.arithmetic.cast(element_type(value.type), accumulator)
            for value in (*operands, op.alpha, op.beta, result)
        ]
        self.arithmetic, self.accumulator = builder.arithmetic, accumulator
        self.multiply = builder.arithmetic.binary("mul", accumulator)
        self._add = builder.arithmetic.binary("add", accumulator)

    def product(self, a: Array, b: Array) -> Array:
        """Return the product of matrices in the accumulator type."""
        result: Array = self.arithmetic.matmul(self.accumulator, a, b)
        return result

    def step(self, formula: Formula, shapes: Callable[..., Shape]) -> Step:
        """Return the step.

        Args:
            formula: what alpha scales, given the inputs in the accumulator's dtype.
            shapes: shape of the result, given the shapes of the inputs; raises ValueError
                if these do not match.
        """
        *_, convert_alpha, convert_beta, convert_result = self._convert
        multiply = self.multiply

        def run(state: State) -> None:
            operands = [state.values[slot] for slot in self._inputs]
            output: MemrefValue = state.values[self._output]
            self._check_shapes(state, operands, output, shapes)
            self._check_overlap(state, operands, output)
            values = [
                convert(read_tensor(state, self._site, operand))
                for convert, operand in zip(self._convert, operands, strict=False)
            ]
            alpha, beta = state.values[self._alpha], state.values[self._beta]
            result = multiply(convert_alpha(alpha), formula(*values))
            if not self.arithmetic.is_zero(self._beta_type, beta):
                is_update = self._is_atomic
                old = read_tensor(state, self._site, output, is_update=is_update)
                result = self._add(result, multiply(convert_beta(beta), convert_result(old)))
            rounded = np.asarray(self.arithmetic.round_to(self._type, result))
            write_tensor(state, self._site, output, rounded, is_atomic=self._is_atomic)

        return run

    def _check_shapes(
        self,
        state: State,
        operands: Sequence[MemrefValue],
        output: MemrefValue,
        shapes: Callable[..., Shape],
    ) -> None:
        """Fail where dynamic sizes do not match."""
        try:
            expected = shapes(*(operand.shape for operand in operands))
        except ValueError as error:
            state.fail(self._site, str(error))
        if output.shape != expected:
            rule = f"expected '{self._output_name}' to have shape {_text(expected)}"
            state.check(self._site, Violation(True, rule, _text(output.shape)))

    def _check_overlap(
        self, state: State, operands: Sequence[MemrefValue], output: MemrefValue
    ) -> None:
        """Fail if work-items would read what others write."""
        for name, operand in zip(self._names, operands, strict=True):
            if not operand.storage.shares_memory(output.storage):
                continue
            read, written = (
                each.storage.numbers(tensor_addresses(each).reshape(-1))
                for each in (operand, output)
            )
            if self._is_elementwise and np.array_equal(read, written):
                continue
            if np.intersect1d(read, written).size:
                state.fail(
                    self._site,
                    f"race: operand '{name}' overlaps '{self._output_name}', which is updated",
                )


def axpby(builder: Builder, op: Ir) -> Step:
    """Compile `axpby`."""
    form = keyword(op, "transpose", "n")
    update = _Update(builder, op, ["a"], "b", is_elementwise=form in "nr")
    return update.step(lambda a: _op(a, form), lambda shape: _shape(shape, form))


def cumsum(builder: Builder, op: Ir) -> Step:
    """Compile `cumsum`."""
    mode = op.mode.value
    is_reverse = has_attribute(op, "reverse")

    update = _Update(builder, op, ["a"], "b")

    def running_sum(a: Array) -> Array:
        ordered = np.flip(a, mode) if is_reverse else a
        sums: Array = update.arithmetic.sums(update.accumulator, ordered, mode)
        return np.flip(sums, mode) if is_reverse else sums

    return update.step(running_sum, lambda shape: shape)


def gemm(builder: Builder, op: Ir) -> Step:
    """Compile `gemm`."""
    form_a, form_b = (keyword(op, f"transpose_{name}", "n") for name in "ab")

    def shapes(a: Shape, b: Shape) -> Shape:
        a, b = _shape(a, form_a), _shape(b, form_b)
        _match("columns of op(A)", a[1], "rows of op(B)", b[0])
        return a[0], b[1]

    update = _Update(builder, op, ["a", "b"], "c")
    return update.step(lambda a, b: update.product(_op(a, form_a), _op(b, form_b)), shapes)


def gemv(builder: Builder, op: Ir) -> Step:
    """Compile `gemv`."""
    form = keyword(op, "transpose_a", "n")

    def shapes(a: Shape, b: Shape) -> Shape:
        rows, columns = _shape(a, form)
        _match("columns of op(A)", columns, "rows of b", b[0])
        return (rows,)

    update = _Update(builder, op, ["a", "b"], "c")
    return update.step(lambda a, b: update.product(_op(a, form), b), shapes)


def ger(builder: Builder, op: Ir) -> Step:
    """Compile `ger`."""
    update = _Update(builder, op, ["a", "b"], "c")
    return update.step(lambda a, b: update.multiply(a[:, None], b), lambda a, b: (a[0], b[0]))


def hadamard_product(builder: Builder, op: Ir) -> Step:
    """Compile `hadamard_product`."""

    def shapes(a: Shape, b: Shape) -> Shape:
        if a != b:
            raise ValueError(f"expected 'b' to have the shape of 'a', {_text(a)}, got {_text(b)}")
        return a

    update = _Update(builder, op, ["a", "b"], "c", is_elementwise=True)
    return update.step(update.multiply, shapes)


def sum_(builder: Builder, op: Ir) -> Step:
    """Compile `sum`."""
    form = keyword(op, "transpose", "n")
    update = _Update(builder, op, ["a"], "b")
    return update.step(
        lambda a: update.arithmetic.sum(update.accumulator, _op(a, form), -1),
        lambda shape: _shape(shape, form)[:-1],
    )


HANDLERS: dict[str, Handler] = {
    "tinytc.axpby": axpby,
    "tinytc.cumsum": cumsum,
    "tinytc.gemm": gemm,
    "tinytc.gemv": gemv,
    "tinytc.ger": ger,
    "tinytc.hadamard_product": hadamard_product,
    "tinytc.sum": sum_,
}


def _op(values: Array, form: str) -> Array:
    """Return op(X): X itself, its transpose, its conjugate, or both."""
    ordered: Array = values.T if form in "tc" else values
    return np.conjugate(ordered) if form in "rc" else ordered


def _shape(shape: Shape, form: str) -> Shape:
    return shape[::-1] if form in "tc" else shape


def _match(what: str, size: int, other: str, other_size: int) -> None:
    if size != other_size:
        raise ValueError(f"expected {what} to equal {other} = {other_size}, got {size}")


def _text(shape: Shape) -> str:
    return f"({', '.join(map(str, shape))})"
