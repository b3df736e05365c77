"""Atomic access to cooperative matrices, with ragged edges and guard zones."""

import itertools
import random

import numpy as np
import pytest

import tinytc_mlir as tt
from cases.case import Case, buffer
from cases.running import compares, comparison
from interpreting import DTYPES
from program_types import BLAS_TYPES, REALS

ATTRIBUTES = "subgroup_size=16, work_group_size=[16,1]"
SHAPES = ((16, 5), (8, 8), (32, 3), (1, 4))
CHECKS = ("", ".rows_checked", ".cols_checked", ".both_checked")
USES = ("matrix_a", "matrix_b", "matrix_acc")


def place(rng, size, is_checked, extent):
    """Return an index at which a block is within a mode, or at which it sticks out."""
    if is_checked:
        return rng.choice((-2, 1, extent - 2, extent + 1))
    return rng.randrange(extent - size + 1)


def case(rng, word, type_, shape, checked, transpose, order):
    """One subgroup accesses a block of %A and stores what it gets to %R."""
    rows, columns = shape
    use = rng.choice(USES)
    matrix = f"coopmatrix<{type_}x{rows}x{columns},{use}>"
    extents = (37, 11) if transpose != ".t" else (11, 37)
    is_checked = [checked in (f".{which}_checked", ".both_checked") for which in ("rows", "cols")]
    first = [place(rng, s, c, e) for s, c, e in zip(shape, is_checked, (37, 11), strict=True)]
    x, y = first if transpose != ".t" else first[::-1]
    modifiers = transpose + checked + order
    result = """
        %zero = constant 0 : index
        cooperative_matrix_store %r, %R[%zero, %zero]"""
    text = {
        "load": f"%r = cooperative_matrix_atomic_load{modifiers} %A[%x, %y] : {matrix}{result}",
        "store": f"cooperative_matrix_atomic_store{modifiers} %m, %A[%x, %y]",
    }.get(
        word,
        f"%r = cooperative_matrix_atomic_{word}{modifiers} %m, %A[%x, %y] : {matrix}{result}",
    )
    body = f"""
    parallel {{
        %z = constant 0 : index
        %m = cooperative_matrix_load %B[%z, %z] : {matrix}
        {text}
    }}"""
    parameters = {
        "A": (f"memref<{type_}x{extents[0]}x{extents[1]}>", buffer(rng, type_, extents)),
        "B": (f"memref<{type_}x{rows}x{columns}>", buffer(rng, type_, shape)),
        "R": (f"memref<{type_}x{rows}x{columns}>", buffer(rng, type_, shape)),
        "x": ("index", x),
        "y": ("index", y),
    }
    return Case(f"{word} {matrix} {modifiers} {x} {y}", body, parameters, 1, ATTRIBUTES)


@pytest.mark.parametrize("word", ["load", "store", "add", "min", "max"])
@compares
def test_blocks(word):
    rng = random.Random(word)
    semantics = {"load": "acquire", "store": "release"}.get(word, "acquire_release")
    orders = ("", ".device", f".{semantics}", ".subgroup.relaxed", ".cross_device." + semantics)
    combinations = itertools.product(SHAPES, CHECKS, ("", ".n", ".t"))
    types = BLAS_TYPES if word not in ("min", "max") else [t for t in REALS if t != "index"]
    return comparison(
        case(rng, word, rng.choice(types), shape, checked, transpose, rng.choice(orders))
        for shape, checked, transpose in combinations
    )


@pytest.mark.parametrize("type_", ["i8", "i32", "bf16", "f32", "f64", "c32"])
@compares
def test_every_type(type_):
    rng = random.Random(type_)
    words = ["load", "store", "add", *(["min", "max"] if type_ != "c32" else [])]
    return comparison(
        case(rng, word, type_, (8, 4), ".both_checked", transpose, ".device")
        for word, transpose in itertools.product(words, (".n", ".t"))
    )


@pytest.mark.parametrize("type_", ["i16", "i32", "f32", "c64"])
def test_sums_of_many_groups(type_):
    """All subgroups of all groups add to one block that sticks out of the matrix."""
    one = "[1.0, 0.0]" if type_ == "c64" else "1" if type_[0] == "i" else "1.0"
    text = f"""func @f(%A: memref<{type_}x20x9>)
      attributes {{subgroup_size=16, work_group_size=[32,2]}} {{
        %x = constant 8 : index
        %y = constant 4 : index
        parallel {{
            %m = constant {one} : coopmatrix<{type_}x16x8,matrix_acc>
            %r = cooperative_matrix_atomic_add.both_checked.device %m, %A[%x, %y]
              : coopmatrix<{type_}x16x8,matrix_acc>
        }}
    }}"""
    program = tt.Context().parse(text).compile()
    for _ in range(3):
        a = np.zeros((20, 9), DTYPES[type_], order="F")
        program["f"](a, groups=200)
        expected = np.zeros((20, 9))
        expected[8:, 4:] = 4 * 200
        assert np.array_equal(a, expected)


def test_tickets_of_components():
    """What the additions return is another number for each subgroup that adds."""
    text = """func @f(%A: memref<i32x16x4>, %R: memref<i32x16x4x4x?>)
      attributes {subgroup_size=16, work_group_size=[64,1]} {
        %z = constant 0 : index
        %g = group_id : index
        parallel {
            %s = builtin.subgroup_id : i32
            %i = cast %s : index
            %m = constant 1 : coopmatrix<i32x16x4,matrix_acc>
            %r = cooperative_matrix_atomic_add.device %m, %A[%z, %z]
              : coopmatrix<i32x16x4,matrix_acc>
            %v = subview %R[0:16, 0:4, %i, %g] : memref<i32x16x4>
            cooperative_matrix_store %r, %v[%z, %z]
        }
    }"""
    groups = 100
    a = np.zeros((16, 4), np.int32, order="F")
    r = np.zeros((16, 4, 4, groups), np.int32, order="F")
    tt.Context().parse(text).compile()["f"](a, r, groups=groups)
    drawn = np.sort(r.reshape(16, 4, -1), axis=2)
    assert np.array_equal(drawn, np.broadcast_to(np.arange(4 * groups), drawn.shape))
