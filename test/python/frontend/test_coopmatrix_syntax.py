"""The instructions of version 0.4 on cooperative matrices: spellings, and what they mean."""

import pytest

from tinytc_mlir import frontend
from tinytc_mlir.frontend.formatter import format_source
from tinytc_mlir.frontend.printer import to_text

FRAME = """func @f(%i: index, %a: f32, %n: i32, %A: memref<f32x8x8>) {{
  parallel {{
    %m = constant 1.0 : coopmatrix<f32x8x4,matrix_acc>
    {}
  }}
}}
"""


def canonical(body: str) -> list[str]:
    """Return the lines of the canonical text of instructions in an SPMD region."""
    text = to_text(frontend.parse(FRAME.format(body)))
    assert to_text(frontend.parse(text)) == text
    return [line.strip() for line in text.splitlines()[3:-2]]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "%x = cooperative_matrix_load %A[%i, %i] : coopmatrix<f32x8x4,matrix_a>",
            "%x = cooperative_matrix_load.n %A[%i, %i] : coopmatrix<f32x8x4,matrix_a>",
        ),
        (
            "%x = cooperative_matrix_load.rows_checked %A[%i, %i] : coopmatrix<f32x8x4,matrix_a>",
            "%x = cooperative_matrix_load.n.rows_checked %A[%i, %i] : coopmatrix<f32x8x4,matrix_a>",
        ),
        (
            "cooperative_matrix_store.n.rows_checked %m, %A[%i, %i]",
            "cooperative_matrix_store.rows_checked %m, %A[%i, %i]",
        ),
        ("cooperative_matrix_store.n %m, %A[%i, %i]", "cooperative_matrix_store %m, %A[%i, %i]"),
        (
            "%x = max %m, %m : coopmatrix<f32x8x4,matrix_acc>",
            "%x = arith.max %m, %m : coopmatrix<f32x8x4,matrix_acc>",
        ),
        (
            "%x = abs %m : coopmatrix<f32x8x4,matrix_acc>",
            "%x = arith.abs %m : coopmatrix<f32x8x4,matrix_acc>",
        ),
    ],
)
def test_other_spelling(line: str, expected: str) -> None:
    assert canonical(line) == [expected]


def test_constants_as_scalars() -> None:
    lines = canonical("%x = cooperative_matrix_construct 2.0 : coopmatrix<f32x8x4,matrix_a>")
    assert lines[0].endswith("constant 2.0 : f32")
    lines = canonical(
        "%x = cooperative_matrix_insert -1.0, %m [0] : coopmatrix<f32x8x4,matrix_acc>"
    )
    assert lines[0].endswith("constant -1.0 : f32")


def test_apply() -> None:
    body = """%x = cooperative_matrix_apply (%r, %c, %v) = %m -> coopmatrix<f32x8x4,matrix_acc> {
      %w = arith.add %v, %a : f32
      yield (%w)
    }"""
    assert canonical(body) == [line.strip() for line in body.splitlines()]
    assert FRAME.format(body) == format_source(FRAME.format(body.replace(" (%r", "(%r")))


def test_names_of_an_apply_are_visible_in_its_body_only() -> None:
    body = """%x = cooperative_matrix_apply (%r, %c, %v) = %m -> coopmatrix<f32x8x4,matrix_acc> {
      yield (%v)
    }
    %y = arith.add %v, %a : f32"""
    with pytest.raises(Exception, match="undefined|not defined|expected"):
        frontend.parse(FRAME.format(body))
