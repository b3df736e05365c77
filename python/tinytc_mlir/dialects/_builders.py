# SPDX-License-Identifier: BSD-3-Clause
"""Builders of ops that take plain Python values where the generated ones need attributes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from mlir import ir
from mlir.dialects._ods_common import _cext

from .._tinytc import CoopMatrixType, MemrefType, enum_attribute, schedule_attribute
from . import _tinytc_enum_gen as enums
from . import _tinytc_ops_gen as generated

_SCHEDULE = ("rows", "columns", "unroll", "groups")


def _register_builders() -> None:
    """Let the generated builders take words for enums, and entries by name for schedules."""
    for name, value in vars(enums).items():
        if isinstance(value, type) and value.__module__ == enums.__name__:
            mnemonic = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
            builder = _enum_builder(mnemonic)
            ir.register_attribute_builder(f"TinyTC_{name}Attr", replace=True)(builder)
    ir.register_attribute_builder("TinyTC_ScheduleAttr", replace=True)(_schedule)


def _enum_builder(mnemonic: str) -> Any:
    def build(word: object, context: ir.Context) -> ir.Attribute:
        return enum_attribute(context, mnemonic, str(word))

    return build


def _schedule(entries: Mapping[str, int], context: ir.Context) -> ir.Attribute:
    unknown = set(entries) - set(_SCHEDULE)
    if unknown:
        raise ValueError(f"expected entries of {', '.join(_SCHEDULE)}, got {sorted(unknown)}")
    return schedule_attribute(context, *(entries.get(name, 0) for name in _SCHEDULE))


_register_builders()


@_cext.register_operation(generated._Dialect, replace=True)
class FuncOp(generated.FuncOp):  # type: ignore[misc]
    """A kernel.

    Args:
        sym_name: its name.
        function_type: a function type without results, or the types of the parameters.
        options: what the generated builder takes: `subgroup_size`, `work_group_size`, `schedule`
            (a dictionary), `arg_attrs`, `loc` and `ip`.
    """

    def __init__(
        self,
        sym_name: str | ir.Attribute,
        function_type: ir.Type | ir.Attribute | Sequence[ir.Type],
        **options: Any,
    ) -> None:
        if not isinstance(function_type, (ir.Type, ir.Attribute)):
            function_type = ir.FunctionType.get(list(function_type), [])
        if isinstance(function_type, ir.Type):
            function_type = ir.TypeAttr.get(function_type)
        super().__init__(sym_name, function_type, **options)

    @property
    def arguments(self) -> Any:
        """The parameters, once the kernel has an entry block."""
        return self.body.blocks[0].arguments

    def add_entry_block(self, locations: Sequence[ir.Location] | None = None) -> ir.Block:
        """Add the block of the body and return it.

        Args:
            locations: those of the parameters; None takes that of the kernel.
        """
        if len(self.body.blocks) > 0:
            raise ValueError("expected a kernel without a block, got one with an entry block")
        inputs = ir.FunctionType(ir.TypeAttr(self.function_type).value).inputs
        if locations is None:
            locations = [self.location] * len(inputs)
        return ir.Block.create_at_start(self.body, inputs, list(locations))


@_cext.register_operation(generated._Dialect, replace=True)
class ConstantOp(generated.ConstantOp):  # type: ignore[misc]
    """A constant.

    Args:
        result: type of the result.
        value: a number or a truth value, for a memref an array of its shape, or an attribute.
        options: `loc` and `ip`.
    """

    def __init__(self, result: ir.Type, value: Any, **options: Any) -> None:
        if not isinstance(value, ir.Attribute):
            value = _constant(result, value)
        super().__init__(result, value, **options)


def _constant(type_: ir.Type, value: Any) -> ir.Attribute:
    """Return the attribute of a number, of a component of a matrix, or of an array."""
    if isinstance(type_, MemrefType):
        from .dense import dense_constant

        return dense_constant(type_, value)
    if isinstance(type_, CoopMatrixType):
        return _constant(type_.element_type, value)
    if isinstance(type_, ir.ComplexType):
        element = type_.element_type
        parts = (complex(value).real, complex(value).imag)
        return ir.ArrayAttr.get([ir.FloatAttr.get(element, part) for part in parts])
    if isinstance(value, complex):
        raise ValueError(f"expected a real number for a constant of {type_}, got {value}")
    if isinstance(type_, (ir.IntegerType, ir.IndexType)):
        if int(value) != value:
            raise ValueError(f"expected an integer for a constant of {type_}, got {value}")
        bits = type_.width if isinstance(type_, ir.IntegerType) else 64
        most = 2 ** max(bits - 1, 1) - 1
        # No constant is -2^63.
        least = {1: 0, 64: -most}.get(bits, -most - 1)
        if not least <= value <= most:
            raise ValueError(f"expected an integer from {least} to {most}, got {value}")
        return ir.IntegerAttr.get(type_, int(value))
    return ir.FloatAttr.get(type_, float(value))


@_cext.register_operation(generated._Dialect, replace=True)
class ForOp(generated.ForOp):  # type: ignore[misc]
    """A loop.

    Args:
        from_: first value of the loop variable.
        to: where the loop ends.
        inits: initial values that iterations hand on; their types are those of the results.
        step: step of the loop variable, 1 without it.
        unroll: whether to unroll the loop, or how often to repeat its body.
        options: `loc` and `ip`.
    """

    def __init__(
        self,
        from_: ir.Value,
        to: ir.Value,
        inits: Sequence[ir.Value] = (),
        *,
        step: ir.Value | None = None,
        unroll: bool | int | ir.Attribute | None = None,
        **options: Any,
    ) -> None:
        values = [_value(each) for each in inits]
        if isinstance(unroll, bool):
            unroll = ir.BoolAttr.get(unroll)
        elif isinstance(unroll, int):
            unroll = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), unroll)
        types = [value.type for value in values]
        super().__init__(types, from_, to, values, step=step, unroll=unroll, **options)
        self.regions[0].blocks.append(_value(from_).type, *types)

    @property
    def block(self) -> ir.Block:
        """The block of the body."""
        return self.regions[0].blocks[0]

    @property
    def induction_variable(self) -> ir.Value:
        """The loop variable."""
        return self.block.arguments[0]

    @property
    def inner_iter_args(self) -> Any:
        """The values that the previous iteration handed on."""
        return self.block.arguments[1:]


@_cext.register_operation(generated._Dialect, replace=True)
class ParallelOp(generated.ParallelOp):  # type: ignore[misc]
    """A region that every work-item runs; its block is there from the start."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.regions[0].blocks.append()

    @property
    def block(self) -> ir.Block:
        """The block of the body."""
        return self.regions[0].blocks[0]


@_cext.register_operation(generated._Dialect, replace=True)
class ForeachOp(generated.ForeachOp):  # type: ignore[misc]
    """A loop whose iterations the work-items share.

    Args:
        from_: first values of the loop variables, all of one type.
        to: where the loop ends in each mode.
        options: `loc` and `ip`.
    """

    def __init__(self, from_: Sequence[ir.Value], to: Sequence[ir.Value], **options: Any) -> None:
        super().__init__(from_, to, **options)
        self.regions[0].blocks.append(*(_value(each).type for each in from_))

    @property
    def block(self) -> ir.Block:
        """The block of the body; its arguments are the loop variables."""
        return self.regions[0].blocks[0]


@_cext.register_operation(generated._Dialect, replace=True)
class IfOp(generated.IfOp):  # type: ignore[misc]
    """A condition with the blocks of both branches.

    Args:
        condition: what decides.
        results: types of what the branches yield.
        has_else: whether there is a second branch; results need one.
        options: `loc` and `ip`.
    """

    def __init__(
        self,
        condition: ir.Value,
        results: Sequence[ir.Type] = (),
        *,
        has_else: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(list(results), condition, **options)
        self.regions[0].blocks.append()
        if has_else or results:
            self.regions[1].blocks.append()

    @property
    def then_block(self) -> ir.Block:
        """The block that runs if the condition is true."""
        return self.regions[0].blocks[0]

    @property
    def else_block(self) -> ir.Block:
        """The block that runs if it is false."""
        return self.regions[1].blocks[0]


@_cext.register_operation(generated._Dialect, replace=True)
class SubviewOp(generated.SubviewOp):  # type: ignore[misc]
    """A view of a part of a memref.

    Args:
        source: the memref.
        slices: for each mode its index, or a pair of offset and size; integers or values.
        options: `results` with a type that leaves more strides to run time; `loc` and `ip`.
    """

    def __init__(
        self,
        source: ir.Value,
        slices: Sequence[int | ir.Value | tuple[int | ir.Value, int | ir.Value]],
        **options: Any,
    ) -> None:
        pairs = [each if isinstance(each, tuple) else (each, 0) for each in slices]
        offsets, sizes = _split(pair[0] for pair in pairs), _split(pair[1] for pair in pairs)
        super().__init__(
            source, offsets.static, sizes.static, offsets.dynamic, sizes.dynamic, **options
        )


class _Mixed(NamedTuple):
    """Integers, with a mark where a value takes their place, and the values."""

    static: list[int]
    dynamic: list[ir.Value]


def _split(entries: Iterable[int | ir.Value]) -> _Mixed:
    mixed = _Mixed([], [])
    for each in entries:
        if isinstance(each, int):
            mixed.static.append(each)
        else:
            mixed.static.append(ir.ShapedType.get_dynamic_size())
            mixed.dynamic.append(_value(each))
    return mixed


def constant(result: ir.Type, value: Any, **options: Any) -> ir.Value:
    """Return a constant, as `ConstantOp` makes it."""
    return ConstantOp(result, value, **options).result


def subview(
    source: ir.Value,
    slices: Sequence[int | ir.Value | tuple[int | ir.Value, int | ir.Value]],
    **options: Any,
) -> ir.Value:
    """Return a view, as `SubviewOp` makes it."""
    return SubviewOp(source, slices, **options).result


def _value(value: Any) -> ir.Value:
    """Return the result of an op, or the value itself."""
    return value if isinstance(value, ir.Value) else value.result
