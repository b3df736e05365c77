"""Which component each entry of a work-item's vector is, by extract, on the device.

Each kernel stores rows and columns, from 1, of the components that the lanes hold, and 0 for
padding; the reference interpreter has the formula of the language.
"""

import itertools
import random

import pytest

import tinytc_mlir as tt
from cases.case import Case, buffer
from cases.operands import TYPES
from cases.running import compares, comparison, run_cases
from tinytc_mlir.reference.coopmatrix_layout import places
from tinytc_mlir.scalars import SCALAR_TYPES

USES = ("matrix_a", "matrix_b", "matrix_acc")
#: Powers of two with ragged columns, and rows that are none.
SHAPES = ((1, 1), (1, 37), (2, 5), (4, 4), (8, 3), (16, 7), (32, 2), (64, 3), (3, 5), (13, 2))


def layout_case(rng, type_, shape, use, size):
    rows, columns = shape
    entries = places(shape, use, SCALAR_TYPES[type_].bits // 8, size).entries
    kind = f"coopmatrix<{type_}x{rows}x{columns},{use}>"
    lines = [
        f"%{m}{v} = cooperative_matrix_extract %{m} [{v}] : {type_}\n"
        f"store %{m}{v}, %{m.upper()}[%lane, {v}]"
        for m, v in itertools.product("rc", range(entries))
    ]
    body = f"""
    %zero = constant 0 : index
    parallel {{
        %id = subgroup_local_id : i32
        %lane = cast %id : index
        %r = cooperative_matrix_load %rows[%zero, %zero] : {kind}
        %c = cooperative_matrix_load %columns[%zero, %zero] : {kind}
        {chr(10).join(lines)}
    }}"""
    block, vectors = f"memref<{type_}x{rows}x{columns}>", f"memref<{type_}x{size}x{entries}>"
    row_numbers = [[i + 1] * columns for i in range(rows)]
    column_numbers = [[j + 1 for j in range(columns)]] * rows
    parameters = {
        "rows": (block, buffer(rng, type_, shape, fill=row_numbers)),
        "columns": (block, buffer(rng, type_, shape, fill=column_numbers)),
        "R": (vectors, buffer(rng, type_, (size, entries))),
        "C": (vectors, buffer(rng, type_, (size, entries))),
    }
    attributes = f"subgroup_size={size}, work_group_size=[{size},1]"
    return Case(f"layout {kind} {size}", body, parameters, 1, attributes)


def layout_cases(type_, use, sizes):
    rng = random.Random(f"layout {type_} {use}")
    return [
        layout_case(rng, type_, shape, use, size)
        for shape in SHAPES
        for size in (sizes if type_ in ("i8", "f32") else (rng.choice(sizes),))
    ]


@pytest.mark.similar
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("type_", TYPES)
@compares
def test_layout(type_, use):
    return comparison(layout_cases(type_, use, (16, 32)))


def on_the_cpu(cases):
    """Check cases with subgroups that GPUs do not have."""
    run_cases(cases, compile_=tt.Module.compile)


@pytest.mark.similar
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("type_", TYPES)
def test_layout_in_small_subgroups(type_, use):
    on_the_cpu(layout_cases(type_, use, (4, 8)))
