# SPDX-License-Identifier: BSD-3-Clause
"""The mixed instructions on scalars and component-wise on cooperative matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ..frontend.instructions import INSTRUCTIONS, MATH
from ..scalars import ScalarType
from .arithmetic import OF_SEVERAL, Arithmetic, plain
from .checks import cast_check, division_check
from .kernel import Builder, Handler, Step, element_type, is_coopmatrix, keyword
from .machine import State
from .rounding import Array
from .untyped import Ir, Value


def _binary(word: str) -> Handler:
    def compile_(builder: Builder, op: Ir) -> Step:
        site = builder.site(op)
        a, b, result = builder.slots([op.a, op.b, op.result])
        scalar_type = element_type(op.result.type)
        function = builder.arithmetic.binary(word, scalar_type)
        check = division_check(word, scalar_type)

        def run(state: State) -> None:
            x, y = state.values[a], state.values[b]
            if check is not None:
                for violation in check(x, y):
                    state.check(site, violation)
            state.values[result] = function(x, y)

        return run

    return compile_


def _unary(word: str) -> Handler:
    def compile_(builder: Builder, op: Ir) -> Step:
        a, result = builder.slots([op.a, op.result])
        function = builder.arithmetic.unary(word, element_type(op.a.type))

        def run(state: State) -> None:
            state.values[result] = function(state.values[a])

        return run

    return compile_


def _math(word: str) -> Handler:
    """Return what compiles a function of one number or several."""
    if word not in OF_SEVERAL:
        return _unary(word)

    def compile_(builder: Builder, op: Ir) -> Step:
        operands, result = builder.slots(op.operands), builder.slot(op.result)
        function = builder.arithmetic.of_several(word, element_type(op.result.type))

        def run(state: State) -> None:
            state.values[result] = function(*(state.values[slot] for slot in operands))

        return run

    return compile_


def select(builder: Builder, op: Ir) -> Step:
    """Compile `select`."""
    condition, a, b, result = builder.slots([op.condition, op.a, op.b, op.result])

    def run(state: State) -> None:
        values = state.values
        values[result] = np.where(values[condition], values[a], values[b])[()]

    return run


def _compare(word: str) -> Handler:
    def compile_(builder: Builder, op: Ir) -> Step:
        a, b, result = builder.slots([op.a, op.b, op.result])
        function = builder.arithmetic.compare(word, element_type(op.a.type))

        def run(state: State) -> None:
            state.values[result] = function(state.values[a], state.values[b])

        return run

    return compile_


def cast(builder: Builder, op: Ir) -> Step:
    """Compile `cast`."""
    site = builder.site(op)
    a, result = builder.slots([op.a, op.result])
    source_type, result_type = element_type(op.a.type), element_type(op.result.type)
    function = builder.arithmetic.cast(source_type, result_type)
    check = cast_check(source_type, result_type)

    def run(state: State) -> None:
        if check is not None:
            state.check(site, check(state.values[a]))
        state.values[result] = function(state.values[a])

    return run


def bitcast(builder: Builder, op: Ir) -> Step:
    """Compile `bitcast`."""
    a, result = builder.slots([op.a, op.result])
    types = element_type(op.a.type), element_type(op.result.type)
    function = builder.arithmetic.bitcast(*types)

    def run(state: State) -> None:
        state.values[result] = function(state.values[a])

    return run


def constant(builder: Builder, op: Ir) -> Step:
    """Compile `constant`; one entry serves all subgroups of a cooperative matrix."""
    result = builder.slot(op.result)
    value = _constant_value(builder.arithmetic, op.value, element_type(op.result.type))
    if is_coopmatrix(op.result.type):
        value = np.full((1, op.result.type.rows, op.result.type.columns), value)

    def run(state: State) -> None:
        state.values[result] = value

    return run


def _constant_value(arithmetic: Arithmetic, attribute: Ir, scalar_type: ScalarType) -> Value:
    """Return the value of a number, of a bool, or of an array of real and imaginary part."""
    if scalar_type.kind == "complex":
        real, imag = (part.value for part in attribute)
        return arithmetic.constant(scalar_type, complex(real, imag))
    if scalar_type.kind == "integer":
        return np.int64(attribute.value).astype(scalar_type.value_dtype)[()]
    return arithmetic.constant(scalar_type, attribute.value)


def _builtin(name: str) -> Handler:
    def compile_(builder: Builder, op: Ir) -> Step:
        result = builder.slot(op.result)
        function = _BUILTINS[name]
        dimension = _DIMENSIONS[keyword(op, "dimension", "")]

        def run(state: State) -> None:
            state.values[result] = function(state, dimension)

        return run

    return compile_


def _group_id(state: State, dimension: int | None) -> Value:
    return np.int64(state.group_id[dimension or 0])


def _group_size(state: State, dimension: int | None) -> Value:
    return np.int64(state.group_counts[dimension or 0])


def _num_subgroups(state: State, dimension: int | None) -> Value:
    geometry = state.geometry
    return np.int32(geometry.subgroups if dimension is None else geometry.subgroup_grid[dimension])


def _subgroup_size(state: State, dimension: int | None) -> Value:
    return np.int32(state.geometry.subgroup_size)


def _subgroup_id(state: State, dimension: int | None) -> Array:
    numbers: Array = np.arange(state.spmd_lanes.count) // state.geometry.subgroup_size
    if dimension is not None:
        grid = state.geometry.subgroup_grid
        numbers = np.unravel_index(numbers, grid, order="F")[dimension]
    return numbers.astype(np.int32)


def _subgroup_local_id(state: State, dimension: int | None) -> Array:
    numbers = np.arange(state.spmd_lanes.count) % state.geometry.subgroup_size
    return numbers.astype(np.int32)


# Without a dimension, a grid has its first one, and subgroups are counted through.
_DIMENSIONS = {"": None, "x": 0, "y": 1, "z": 2}
_BUILTINS: dict[str, Callable[[State, int | None], Value]] = {
    "group_id": _group_id,
    "group_size": _group_size,
    "num_subgroups": _num_subgroups,
    "subgroup_size": _subgroup_size,
    "subgroup_id": _subgroup_id,
    "subgroup_local_id": _subgroup_local_id,
}


def _family(prefix: str, operands: int, compile_: Callable[[str], Handler]) -> dict[str, Handler]:
    """Return the handlers of a family's instructions with this number of operands."""
    specs = (spec for spec in INSTRUCTIONS.values() if spec.name.startswith(prefix))
    return _known((spec.name for spec in specs if len(spec.operands) == operands), compile_)


def _known(names: Iterable[str], compile_: Callable[[str], Handler]) -> dict[str, Handler]:
    """Return the handlers of the instructions whose words have a meaning in NumPy."""
    words = {name: name.partition(".")[2] or name for name in names}
    return {
        f"tinytc.{name}": compile_(word)
        for name, word in words.items()
        if plain(word.removeprefix("native_")) is not None
    }


HANDLERS: dict[str, Handler] = {
    "tinytc.bitcast": bitcast,
    "tinytc.cast": cast,
    **_family("arith.", 2, _binary),
    **_family("arith.", 1, _unary),
    **_known(MATH, _math),
    "tinytc.select": select,
    **_family("cmp.", 2, _compare),
    **{f"tinytc.builtin.{name}": _builtin(name) for name in _BUILTINS},
}
