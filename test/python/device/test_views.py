"""subview, expand, fuse and size: every element of a view is where the document says."""

import random

import numpy as np
import pytest

from cases.case import Case, buffer
from cases.operands import LAYOUTS, Writer
from cases.running import compares, comparison
from program_types import SCALARS
from tinytc_mlir.frontend.spelling import memref_text


def visit(rng, layout, type_, shape):
    """Return a kernel that reads a view element by element and then overwrites it."""
    writer = Writer(rng)
    if layout == "local" and (len(shape) > 2 or type_ == "index"):
        layout = "packed"  # local copies are made by axpby
    view = writer.operand("A", layout, type_, shape)
    order = len(shape)
    out = buffer(rng, type_, shape)
    sizes = buffer(rng, "index", (order,))
    names = ", ".join(f"%i{mode}" for mode in range(order))
    lines = ["%gid = builtin.group_id : index", view.before, "%zero = constant 0 : index"]
    for mode in range(order):
        lines += [f"%n{mode} = size %A[{mode}] : index", f"store %n{mode}, %sizes[{mode}]"]
    lines += [
        f"foreach ({names}) = ({', '.join(['%zero'] * order)}), "
        f"({', '.join(f'%n{mode}' for mode in range(order))}) {{",
        f"%a = load %A[{names}] : {type_}",
        f"store %a, %out[{names}]",
        f"store %value, %A[{names}]",
        "}",
        view.after,
    ]
    # Sizes are written by all work-items with the same value.
    body = "\n".join(lines).replace("store %n", "store.atomic %n")
    parameters = {
        **view.parameters,
        "out": (memref_text(type_, shape), out),
        "sizes": (memref_text("index", (order,)), sizes),
        "value": (type_, np.asarray(7)[()] if type_[0] != "c" else 7 - 1j),
    }
    return Case(f"{layout} {type_} {shape}", body, parameters)


@pytest.mark.similar
@pytest.mark.parametrize("layout", LAYOUTS)
@compares
def test_elements_of_a_view(layout):
    rng = random.Random(f"view {layout}")
    shapes = ((1,), (17,), (5, 3), (16, 16), (3, 1, 4), (2, 3, 2, 5))
    return comparison(
        visit(rng, layout, type_, shape)
        for type_ in ("i8", "f16", "bf16", "f32", "c64")
        for shape in shapes
    )


@pytest.mark.parametrize("type_", SCALARS)
@compares
def test_views_of_every_type(type_):
    rng = random.Random(f"view {type_}")
    return comparison(visit(rng, layout, type_, (4, 6)) for layout in LAYOUTS)
