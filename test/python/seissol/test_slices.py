"""Slices beyond a mode, which SeisSol's code generator writes now and then, are refused."""

import dataclasses

import pytest

import tinytc_mlir as tt
from cases.seissol.maker import V031, V04, Matrix, Program, Statement, View, whole

A = Matrix("A", 24, 56, 24, "constant")
B = Matrix("B", 56, 1, 56, "group", offset="?")
C = Matrix("C", 24, 1, 24, "group", offset="?")
RIGHT = Statement(whole(A), whole(B), whole(C), 1.0, 0.0)


def refused(statement, spelling=V04):
    """Return the message, and the text that it points to."""
    text = Program("f32", (statement,)).text(spelling)
    with pytest.raises(tt.CompileError) as info:
        tt.Context().parse(text, "chain.ir")
    (diagnostic,) = info.value.diagnostics
    line = text.splitlines()[diagnostic.line - 1]
    assert "subview" in line
    begin = diagnostic.column - 1
    return diagnostic.message, line[begin : begin + diagnostic.length]


@pytest.mark.parametrize(
    "operand, view, mode, size, offset, length",
    [
        ("b", View(B, 0, 0, 56, 56), 1, 1, 0, 56),
        ("b", View(B, 0, 0, 60, 1), 0, 56, 0, 60),
        ("b", View(B, 1, 0, 56, 1), 0, 56, 1, 56),
        ("a", View(A, 0, 0, 28, 56), 0, 24, 0, 28),
        ("a", View(A, 0, 53, 24, 4), 1, 56, 53, 4),
        ("c", View(C, 0, 1, 24, 1), 1, 1, 1, 1),
    ],
)
def test_slices_beyond_a_mode(operand, view, mode, size, offset, length):
    statement = dataclasses.replace(RIGHT, **{operand: view})
    message, place = refused(statement)
    assert message == (
        f"expected the slice of mode {mode} to end within its size {size}, "
        f"got offset {offset} and size {length}"
    )
    assert place == f"{offset}:{length}"


def test_slices_beyond_a_local_matrix():
    temporary = Matrix("T", 24, 1, 32, "temporary")
    statement = dataclasses.replace(RIGHT, c=View(temporary, 0, 0, 32, 1))
    message, place = refused(statement)
    assert message.endswith("its size 24, got offset 0 and size 32")
    assert place == "0:32"


def test_slices_beyond_a_batch():
    batch = Matrix("B", 56, 1, 56, "batch")
    message, place = refused(dataclasses.replace(RIGHT, b=View(batch, 0, 0, 57, 1)))
    assert message.endswith("its size 56, got offset 0 and size 57")
    assert place == "0:57"


def test_the_other_slices_may_be_rests():
    statement = dataclasses.replace(RIGHT, b=View(B, 0, 0, 56, 56))
    message, place = refused(statement, V031)
    assert message.endswith("its size 1, got offset 0 and size 56")
    assert place == "0:56"
