"""alloca: lifetimes that share memory, alignment, copies of odd sizes."""

import random

import numpy as np
import pytest

import tinytc_mlir as tt
from cases.case import SHAPES, Case, buffer
from cases.running import compares, comparison
from tinytc_mlir.frontend.spelling import memref_text

SIZE = 37


def lifetimes_case(type_, attributes):
    """Three allocas of which at most two are live at a time, in a loop."""
    memref = memref_text(type_, (SIZE,))
    local = memref_text(type_, (SIZE,), None, "local")
    body = f"""
    %from = constant 0 : index
    %to = constant 3 : index
    %one = constant 1 : i8
    %none = constant 0 : i8
    for %i = %from, %to {{
        %first = alloca : {local}
        axpby.n %one, %A, %none, %first
        %second = alloca {{alignment=128}} : {local}
        cumsum %one, %first, 0, %none, %second
        lifetime_stop %first
        %third = alloca {{alignment=16}} : {local}
        hadamard_product %one, %second, %A, %none, %third
        lifetime_stop %second
        %fourth = alloca : {local}
        axpby.n %one, %third, %none, %fourth
        axpby.n %one, %third, %one, %fourth
        axpby.n %one, %fourth, %one, %B
    }}"""
    rng = random.Random(type_)
    parameters = {name: (memref, buffer(rng, type_, (SIZE,))) for name in "AB"}
    return Case(f"lifetimes {type_} {attributes}", body, parameters, 1, attributes)


@compares
def test_lifetimes():
    return comparison(
        lifetimes_case(type_, attributes)
        for type_ in ("i8", "i32", "f64", "c32")
        for attributes in SHAPES
    )


def copy_case(rng, type_, rows, columns, attributes):
    """A second alloca after one whose columns do not fill a subgroup."""
    large, small = (rows, 32), (rows, columns)
    body = f"""
    %one = constant 1 : i8
    %none = constant 0 : i8
    %L = alloca : {memref_text(type_, large, None, "local")}
    %M = alloca : {memref_text(type_, small, None, "local")}
    axpby.n %one, %A, %none, %L
    axpby.n %one, %B, %none, %M
    axpby.n %one, %M, %one, %B
    axpby.n %one, %L, %one, %A"""
    parameters = {
        "A": (memref_text(type_, large), buffer(rng, type_, large)),
        "B": (memref_text(type_, small), buffer(rng, type_, small)),
    }
    return Case(f"copy {type_} {rows} {columns} {attributes}", body, parameters, 1, attributes)


@pytest.mark.parametrize("type_", ["i8", "i16", "i32", "f32", "f64"])
@compares
def test_columns_of_odd_size(type_):
    rng = random.Random(type_)
    return comparison(
        copy_case(rng, type_, rows, columns, attributes)
        for rows in (19, 35, 51, 67)
        for columns in (3, 7, 12)
        for attributes in SHAPES[:2]
    )


def test_kernel_with_the_name_of_a_buffer():
    """The buffer of @f is called f_local_memory as long as no kernel is."""
    kernel = """func @{name}(%x: memref<f32x16>, %y: memref<f32x16>) {{
        %none = constant 0.0 : f32
        %one = constant 1.0 : f32
        %factor = constant {factor}.0 : f32
        %l = alloca : memref<f32x16,local>
        axpby.n %one, %x, %none, %l
        axpby.n %factor, %l, %none, %y
    }}
    """
    names = ["f_local_memory", "f", "f_local_memory_0"]
    text = "".join(kernel.format(name=name, factor=i) for i, name in enumerate(names, 1))
    program = tt.Context().parse(text).compile()
    x = np.arange(16, dtype=np.float32)
    for i, name in enumerate(names, 1):
        y = np.zeros_like(x)
        program[name](x, y, groups=1)
        np.testing.assert_array_equal(y, i * x)
