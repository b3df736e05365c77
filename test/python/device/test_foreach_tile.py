"""foreach_tile on the device: distribution, remainders, types, subgroup instructions, loops."""

import itertools
import random

import pytest

from cases.case import SHAPES, Case, buffer
from cases.running import compares, comparison
from interpreting import INTEGERS
from program_types import REALS


def tile_case(type_, lower, upper, tile, attributes, constant):
    """Write where the tile of each element starts, and its extent, with one lane a row."""
    order = len(lower)
    modes = range(order)
    shape = tuple(max(to - low, 1) for low, to in zip(lower, upper, strict=True))
    outs = [buffer(random.Random(0), "i32", shape) for _ in range(2 * order)]
    parameters = {
        f"o{k}": (f"memref<i32x{'x'.join(map(str, shape))}>", out) for k, out in enumerate(outs)
    }
    head = []
    for name, values in (("l", lower), ("u", upper)):
        for mode, value in enumerate(values):
            if constant:
                head.append(f"%{name}{mode} = constant {value} : {type_}")
            else:
                parameters[f"{name}{mode}"] = (type_, value)
    lists = [", ".join(f"%{name}{mode}" for mode in modes) for name in "iluM"]
    wide = "add %{0}, 0 : index" if type_ == "index" else "cast %{0} : index"
    cast = [f"%{to} = {wide.format(of)}" for m in modes for of, to in _casts(m)]
    body = "\n".join(
        [
            *head,
            f"foreach_tile ({lists[0]}) = ({lists[1]}), ({lists[2]}) as ({lists[3]}) <= "
            f"({', '.join(map(str, tile))}) {{",
            *cast,
            *(f"%b{m} = sub %s{m}, %z{m} : index" for m in modes),
            "%lane = subgroup_local_id : i32",
            "%x = cast %lane : index",
            "%width = subgroup_size : i32",
            "%w = cast %width : index",
            "for %r0 = %x, %e0, %w {",
            *(f"for %r{m} = 0, %e{m} {{" for m in modes[1:]),
            *(f"%p{m} = add %b{m}, %r{m} : index" for m in modes),
            *(line for m in modes for line in _stores(m, order)),
            "}" * order,
            "}",
        ]
    )
    name = f"foreach_tile {type_} {lower} {upper} {tile} {attributes} {constant}"
    return Case(name, body, parameters, attributes=attributes)


def _casts(mode):
    return ((f"i{mode}", f"s{mode}"), (f"l{mode}", f"z{mode}"), (f"M{mode}", f"e{mode}"))


def _stores(mode, order):
    place = ", ".join(f"%p{m}" for m in range(order))
    return (
        f"%ci{mode} = cast %s{mode} : i32",
        f"store %ci{mode}, %o{2 * mode}[{place}]",
        f"%ce{mode} = cast %e{mode} : i32",
        f"store %ce{mode}, %o{2 * mode + 1}[{place}]",
    )


BOXES = (
    ((0,), (64,), (16,)),
    ((3,), (70,), (64,)),
    ((5,), (5,), (64,)),
    ((7,), (2,), (64,)),
    ((0, -3), (67, 9), (64, 5)),
    ((-2, 0), (30, 4), (64, 4)),
    ((0, 0, 0), (20, 3, 4), (64, 2, 3)),
    ((0, 1), (9, 1), (64, 4)),
)


@pytest.mark.parametrize("type_", ["i8", "i32", "index"])
@pytest.mark.parametrize("constant", [False, True])
@compares
def test_tiles(type_, constant):
    return comparison(
        tile_case(type_, *box, attributes, constant)
        for box in BOXES
        for attributes in (SHAPES[:4] if box[2][0] == 64 else SHAPES[:3])
    )


@compares
def test_all_types_and_work_groups():
    return comparison(
        tile_case(type_, (-3, 0), (66, 5), (64, 2), attributes, False)
        for type_, attributes in itertools.product(INTEGERS, SHAPES)
        if "48" not in attributes
    )


def sum_case(type_, attributes):
    """Copy tiles as cooperative matrices and add their elements up across the subgroup."""
    a = buffer(random.Random(1), type_, (70, 13))
    b = buffer(random.Random(2), type_, (70, 13))
    out = buffer(random.Random(3), type_, (2, 4))
    matrix = f"coopmatrix<{type_}x64x4,matrix_acc>"
    body = f"""
    foreach_tile (%i, %j) = (0, 0), (70, 13) as (%m, %n) <= (64, 4) {{
        %c = cooperative_matrix_load.both_checked %a[%i, %j] : {matrix}
        cooperative_matrix_store.both_checked %c, %b[%i, %j]
        %lane = subgroup_local_id : i32
        %k = cast %lane : index
        %x = add %i, %k : index
        %inside = less_than %k, %m : bool
        %v = if %inside -> ({type_}) {{
            %w = load %a[%x, %j] : {type_}
            yield (%w)
        }} else {{
            %w = constant {"0" if type_[0] == "i" else "0.0"} : {type_}
            yield (%w)
        }}
        %s = subgroup_reduce_add %v : {type_}
        %p = div %i, 64 : index
        %q = div %j, 4 : index
        %first = equal %lane, 0 : bool
        if %first {{ store %s, %out[%p, %q] }}
    }}"""
    parameters = {
        "a": (f"memref<{type_}x70x13>", a),
        "b": (f"memref<{type_}x70x13>", b),
        "out": (f"memref<{type_}x2x4>", out),
    }
    return Case(f"sum {type_} {attributes}", body, parameters, attributes=attributes)


@compares
def test_subgroup_instructions_in_tiles():
    return comparison(
        sum_case(type_, attributes)
        for type_ in REALS
        for attributes in SHAPES
        if type_ != "index" and "48" not in attributes
    )


def chain_case(attributes):
    """Tiles between collective instructions and in a loop, with local memory."""
    a = buffer(random.Random(1), "f32", (40, 6))
    out = buffer(random.Random(2), "f32", (40, 6))
    body = """
    %one = constant 1.0 : f32
    %zero = constant 0.0 : f32
    %t = alloca : memref<f32x40x6,local>
    axpby.n %one, %a, %zero, %t
    for %step = 0, 3 {
        foreach_tile (%i, %j) = (0, 0), (40, 6) as (%m, %n) <= (64, 1) {
            %lane = subgroup_local_id : i32
            %width = subgroup_size : i32
            %x = cast %lane : index
            %w = cast %width : index
            for %r = %x, %m, %w {
                %p = add %i, %r : index
                %v = load %t[%p, %j] : f32
                %d = add %v, %one : f32
                store %d, %t[%p, %j]
            }
        }
        axpby.n %one, %t, %one, %t
    }
    axpby.n %one, %t, %zero, %out"""
    parameters = {"a": ("memref<f32x40x6>", a), "out": ("memref<f32x40x6>", out)}
    return Case(f"chain {attributes}", body, parameters, attributes=attributes)


@compares
def test_barriers_around_tiles():
    return comparison(chain_case(attributes) for attributes in SHAPES if "48" not in attributes)
