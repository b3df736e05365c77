"""Collective instructions and views where a mode has no elements."""

import random

import pytest

from cases.case import Case, buffer
from cases.operands import literal_of
from cases.running import compares, comparison
from tinytc_mlir.frontend.spelling import memref_text

TYPES = ("i32", "f16", "f32", "c64")
INSTRUCTIONS = {
    "gemm.n.n": ("%A, %B, {beta}, %C", (4, 0), (0, 3), (4, 3)),
    "gemm.t.n": ("%A, %B, {beta}, %C", (0, 4), (0, 3), (4, 3)),
    "gemv.n": ("%A, %B, {beta}, %C", (4, 0), (0,), (4,)),
    "gemv.t": ("%A, %B, {beta}, %C", (0, 17), (0,), (17,)),
    "sum.n": ("%A, {beta}, %C", (4, 0), None, (4,)),
    "sum.t": ("%A, {beta}, %C", (0, 4), None, (4,)),
    "sum.n scalar": ("%A, {beta}, %C", (0,), None, ()),
}


def sum_case(instruction, type_, beta, atomic, known):
    """Updates C with a sum of nothing; sizes of 0 are static or dynamic."""
    operands, *shapes = INSTRUCTIONS[instruction]
    parameters = {"alpha": (type_, 2), "beta": (type_, 3)}
    for name, shape in zip("ABC", shapes, strict=True):
        if shape is not None:
            written = shape if known else tuple(size or None for size in shape)
            data = buffer(random.Random(1), type_, shape)
            parameters[name] = (memref_text(type_, written), data)
    body = ""
    if beta != "%beta":
        body = f"%constant = constant {literal_of(type_, beta)} : {type_}\n"
    flag = ".atomic" if atomic else ""
    text = operands.format(beta="%constant" if body else "%beta")
    body += f"{instruction.split()[0]}{flag} %alpha, {text}"
    name = f"{instruction} {type_} {beta} {atomic} {known}"
    return Case(name, body, parameters, attributes="subgroup_size=16")


@pytest.mark.parametrize("instruction", INSTRUCTIONS)
@compares
def test_sum_of_nothing(instruction):
    return comparison(
        sum_case(instruction, type_, beta, atomic, known)
        for type_ in TYPES
        for beta in (0, 1, "%beta")
        for atomic in ((False, True) if beta != "%beta" else (False,))
        for known in (True, False)
    )


@pytest.mark.parametrize("text", ["gemm.n.n %x, %L, %S, %x, %E", "sum.t %x, %E, %x, %F"])
@compares
def test_nothing_to_update(text):
    body = f"""
    %x = constant 1.0 : f32
    {text}
    store %x, %out[]"""
    parameters = {
        "L": ("memref<f32x4x3>", buffer(random.Random(0), "f32", (4, 3))),
        "S": ("memref<f32x3x0>", buffer(random.Random(0), "f32", (3, 0))),
        "E": ("memref<f32x4x0>", buffer(random.Random(0), "f32", (4, 0))),
        "F": ("memref<f32x0>", buffer(random.Random(0), "f32", (0,))),
        "out": ("memref<f32>", buffer(random.Random(1), "f32", ())),
    }
    return comparison([Case(text, body, parameters)])


@compares
def test_views_of_an_empty_mode():
    """A whole mode of size 0 stays: it has no element that an index could pick."""
    body = """
    %x = constant 1.0 : f32
    %all = subview %E[:, :] : memref<f32x4x0>
    %rows = subview %E[1:2, :] : memref<f32x2x0,strided<1,4>>
    %row = subview %E[2, 0:0] : memref<f32x0,strided<4>>
    %n = size %rows[1] : index
    sum.n %x, %all, %x, %c
    sum.n %x, %rows, %x, %d
    sum.n %x, %row, %x, %e
    store %n, %out[]"""
    parameters = {"E": ("memref<f32x4x0>", buffer(random.Random(0), "f32", (4, 0)))}
    for name, shape in {"c": (4,), "d": (2,), "e": ()}.items():
        data = buffer(random.Random(name), "f32", shape)
        parameters[name] = (memref_text("f32", shape), data)
    parameters["out"] = ("memref<index>", buffer(random.Random(0), "index", ()))
    return comparison([Case("views", body, parameters)])
