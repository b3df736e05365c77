"""for, if, foreach and parallel: bounds, types, loop-carried values, nesting."""

import itertools
import random

import pytest

from cases.case import SHAPES, WORK_ITEM, Case, buffer, literal
from cases.running import compares, comparison
from interpreting import COMPLEX, INTEGERS
from program_types import SCALARS
from tinytc_mlir.frontend.spelling import memref_text

BOUNDS = ((0, 5, 1), (-3, 4, 2), (3, 3, 1), (5, 2, 1), (100, 127, 20), (-128, 127, 100))


def for_case(type_, bounds, constant, unroll):
    """Count iterations and add up the loop variable."""
    names = ("from", "to", "step")
    head = [
        f"%{name} = constant {value} : {type_}"
        for name, value in zip(names, bounds, strict=True)
        if constant
    ]
    parameters = {} if constant else {n: (type_, v) for n, v in zip(names, bounds, strict=True)}
    out = buffer(random.Random(0), "i64", (2,))
    parameters["out"] = ("memref<i64x2>", out)
    body = "\n".join(
        [
            *head,
            "%zero = constant 0 : i64",
            "%one = constant 1 : i64",
            f"%count, %sum = for %i: {type_} = %from, %to, %step "
            "init(%c = %zero, %s = %zero) -> (i64, i64) {",
            "%wide = cast %i : i64" if type_ != "i64" else "%wide = arith.add %i, %zero : i64",
            "%next = arith.add %c, %one : i64",
            "%total = arith.add %s, %wide : i64",
            "yield (%next, %total)",
            f"}}{unroll}",
            "store.atomic %count, %out[0]",
            "store.atomic %sum, %out[1]",
        ]
    )
    return Case(f"for {type_} {bounds} {constant} {unroll}", body, parameters)


@pytest.mark.parametrize("type_", INTEGERS)
@compares
def test_for(type_):
    return comparison(
        for_case(type_, bounds, constant, unroll)
        for bounds in BOUNDS
        for constant in (False, True)
        for unroll in ("", " {unroll=true}", " {unroll=false}", " {unroll=1}", " {unroll=2}")
    )


def carried_case(type_):
    """Carry a value of a type, and a boolean, through a loop and a branch."""
    operator = "arith.xor" if type_ == "bool" else "arith.add"
    out = buffer(random.Random(0), "i8" if type_ == "bool" else type_, (4,))
    value = literal(type_, 2 + 1j if type_ in COMPLEX else 2)
    result = ["store.atomic %x, %out[0]", "store.atomic %z, %out[1]"]
    lines = [f"%start = constant {value} : {type_}"]
    if type_ == "bool":
        lines = ["%start = constant true : bool"]
        result = [
            "%one = constant 1 : i8",
            "%none = constant 0 : i8",
            "%x8 = if %x -> (i8) { yield (%one) } else { yield (%none) }",
            "store.atomic %x8, %out[0]",
        ]
    body = "\n".join(
        [
            *lines,
            "%yes = constant true : bool",
            f"%x, %flag = for %i = 0, %n init(%y = %start, %f = %yes) -> ({type_}, bool) {{",
            f"%u, %g = if %f -> ({type_}, bool) {{",
            f"%v = {operator} %y, %start : {type_}",
            "%no = constant false : bool",
            "yield (%v, %no)",
            "} else {",
            "%still = constant true : bool",
            "yield (%y, %still)",
            "}",
            "yield (%u, %g)",
            "}",
            f"%z = if %flag -> ({type_}) {{ yield (%x) }} else {{ yield (%start) }}",
            *result,
        ]
    )
    held = "i8" if type_ == "bool" else type_
    return Case(
        f"carry {type_}",
        body.replace("for %i = 0, %n", "for %i = %first, %n"),
        {"first": ("index", 0), "n": ("index", 5), "out": (f"memref<{held}x4>", out)},
    )


@compares
def test_values_carried_through_loops_and_branches():
    return comparison(carried_case(type_) for type_ in (*SCALARS, "bool"))


def foreach_case(rng, type_, lower, upper, constant):
    """Write to the elements of a memref that a foreach visits their position."""
    order = len(lower)
    shape = tuple(max(to, 1) for to in upper)
    out = buffer(rng, type_, shape)
    names = ", ".join(f"%i{mode}" for mode in range(order))
    bounds = [(f"l{m}", lower[m]) for m in range(order)] + [
        (f"u{m}", upper[m]) for m in range(order)
    ]
    lines = [f"%{n} = constant {v} : {type_}" for n, v in bounds if constant]
    parameters = {} if constant else {n: (type_, v) for n, v in bounds}
    lists = [", ".join(f"%{c}{mode}" for mode in range(order)) for c in "lu"]
    lines.append(f"foreach ({names}) : {type_} = ({lists[0]}), ({lists[1]}) {{")
    value = "%i0"
    for mode in range(order):
        if type_ == "index":
            lines.append(f"%j{mode} = arith.add %i{mode}, 0 : index")
        else:
            lines.append(f"%j{mode} = cast %i{mode} : index")
        if mode:
            lines += [
                f"%s{mode} = arith.mul {value}, 3 : {type_}",
                f"%t{mode} = arith.add %s{mode}, %i{mode} : {type_}",
            ]
            value = f"%t{mode}"
    lines += [f"store {value}, %out[{', '.join(f'%j{mode}' for mode in range(order))}]", "}"]
    parameters["out"] = (memref_text(type_, shape), out)
    name = f"foreach {type_} {lower} {upper} {constant}"
    return Case(name, "\n".join(lines), parameters, 1, rng.choice(SHAPES))


@pytest.mark.parametrize("type_", INTEGERS)
@compares
def test_foreach(type_):
    rng = random.Random(f"foreach {type_}")
    ranges = [
        ((0,), (17,)),
        ((3,), (67,)),
        ((5,), (2,)),
        ((0, 0), (16, 5)),
        ((1, 2), (7, 67)),
        ((0, 3), (40, 3)),
        ((0, 1, 2), (5, 4, 3)),
        ((1, 0, 0, 0), (3, 2, 4, 5)),
        ((0, 0, 0, 0, 0), (2, 3, 1, 2, 2)),
    ]
    return comparison(
        foreach_case(rng, type_, lower, upper, constant)
        for lower, upper in ranges
        for constant in (False, True)
    )


def nested_case(rng, attributes):
    """A collective loop whose iterations depend on one another through memory."""
    size = rng.choice((5, 16, 33))
    body = """
    %zero = constant 0 : index
    %n = size %A[0] : index
    for %k = %zero, %steps {
        foreach (%i) = (%zero), (%n) {
            %last = arith.sub %n, 1 : index
            %j = arith.sub %last, %i : index
            %a = load %A[%j] : i32
            %b = arith.add %a, 1 : i32
            store %b, %B[%i]
        }
        %odd = arith.and %k, 1 : index
        %is_odd = cmp.eq %odd, 1 : bool
        if %is_odd {
            axpby.n %one, %B, %none, %A
        } else {
            axpby.n %one, %B, %one, %A
        }
    }"""
    parameters = {
        "A": (f"memref<i32x{size}>", buffer(rng, "i32", (size,))),
        "B": (f"memref<i32x{size}>", buffer(rng, "i32", (size,))),
        "steps": ("index", 5),
        "one": ("i32", 1),
        "none": ("i32", 0),
    }
    return Case(f"nested {attributes} {size}", body, parameters, 1, attributes)


@compares
def test_iterations_that_depend_on_one_another():
    rng = random.Random(1)
    return comparison(nested_case(rng, attributes) for attributes in SHAPES for _ in range(2))


def builtin_case(attributes):
    """What a work-item is called, in every work-group shape."""
    rows = 64 if not attributes else int(attributes.split("=[")[1].split(",")[0])
    columns = 1 if not attributes else int(attributes.split("=[")[1].split(",")[1][:-1])
    attributes = attributes or "subgroup_size=16, work_group_size=[64,1]"
    if "subgroup_size" not in attributes:
        attributes += ", subgroup_size=16"
    total = rows * columns
    body = """
    %gid = builtin.group_id : index
    %groups = builtin.group_size : index
    %count = builtin.num_subgroups : i32
    %width = builtin.subgroup_size : i32
    parallel {
        %sg = builtin.subgroup_id : i32
        %lane = builtin.subgroup_local_id : i32
        %base = arith.mul %sg, %width : i32
        %item = arith.add %base, %lane : i32
        %i = cast %item : index
        %g = cast %gid : i32
        %h = cast %groups : i32
        store %sg, %out[0, %i, %gid]
        store %lane, %out[1, %i, %gid]
        store %count, %out[2, %i, %gid]
        store %width, %out[3, %i, %gid]
        store %g, %out[4, %i, %gid]
        store %h, %out[5, %i, %gid]
    }"""
    out = buffer(random.Random(0), "i32", (6, total, 3))
    return Case(
        f"builtin {attributes}", body, {"out": (f"memref<i32x6x{total}x3>", out)}, 3, attributes
    )


@compares
def test_builtins():
    return comparison(builtin_case(attributes) for attributes in SHAPES)


def barrier_case(fences, attributes, local):
    """Work-items read what others have written, or, without fences, what they wrote themselves."""
    total = 64
    read = "arith.sub %last, %i" if fences else "arith.add %i, 0"
    memory = "%A" if not local else "%L"
    body = f"""
    {"%L = alloca : memref<i32x64,local>" if local else ""}
    parallel {{
        {WORK_ITEM}
        store %item, {memory}[%i]
        barrier{fences}
        %last = constant 63 : index
        %j = {read} : index
        %x = load {memory}[%j] : i32
        store %x, %out[%i]
    }}"""
    parameters = {
        "A": ("memref<i32x64>", buffer(random.Random(0), "i32", (total,))),
        "out": ("memref<i32x64>", buffer(random.Random(1), "i32", (total,))),
    }
    return Case(f"barrier{fences} {attributes}", body, parameters, 1, attributes)


@compares
def test_barriers():
    shapes = [s for s in SHAPES if "[64,1]" in s or "[32,2]" in s]
    pairs = [("", False), ("", True), (".local", True), (".global", False), (".global.local", True)]
    return comparison(
        barrier_case(f, shape, local) for shape, (f, local) in itertools.product(shapes, pairs)
    )
