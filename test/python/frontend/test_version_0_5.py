"""Every row of what version 0.5 added; refused rows are in data/negative."""

import warnings

import pytest

from tinytc_mlir import frontend
from tinytc_mlir.errors import ProgramWarning
from tinytc_mlir.frontend.printer import to_text

PAIRS = [("i16", "bf16"), ("i16", "f16"), ("i32", "f32"), ("i64", "f64"), ("i64", "c32")]


def canonical(text: str) -> str:
    """Return the canonical text of a program, which must parse back to the same."""
    found = to_text(frontend.parse(text))
    assert to_text(frontend.parse(found)) == found
    return found


@pytest.mark.parametrize("pair", [*PAIRS, *(pair[::-1] for pair in PAIRS)])
def test_bitcast(pair: tuple[str, str]) -> None:
    source, result = pair
    assert f"%r = bitcast %v : {result}\n" in canonical(
        f"func @f(%v: {source}) {{ %r = bitcast %v : {result} }}"
    )


@pytest.mark.parametrize("use", ["matrix_a", "matrix_b", "matrix_acc"])
def test_bitcast_of_a_matrix(use: str) -> None:
    line = f"%r = bitcast %m : coopmatrix<i32x16x8,{use}>"
    assert line in canonical(
        "func @f() { parallel { %m = constant 1.0 : coopmatrix<f32x16x8,matrix_acc> " + line + " }}"
    )


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("c32x32x8,strided<1,40>", "f32x2x32x8,strided<1,2,80>"),
        ("c64x32x?", "f64x2x32x?"),
        ("c32x?x8,strided<3,?>", "f32x2x?x8,strided<1,6,?>"),
        ("c32x4x8", "f32x2x4x8,strided<1,?,?>"),
        ("c32", "f32x2"),
    ],
)
def test_expandc2r(source: str, result: str) -> None:
    line = f"%r = expandc2r %A : memref<{result}>"
    assert line in canonical(f"func @f(%A: memref<{source}>) {{ {line} }}")


APPLY = """func @f(%x: f32) {
  parallel {
    %a = constant 1 : coopmatrix<i8x16x8,matrix_acc>
    %b = constant 2.0 : coopmatrix<f32x16x8,matrix_acc>
    %c = constant 3 : coopmatrix<i32x16x8,matrix_a>
    %r = cooperative_matrix_apply (%i, %j, %p, %q, %s) = %a, %b, %c -> MATRIX {
      %t = arith.add %i, %s : i32
      yield (%t)
    }
  }
}
""".replace("MATRIX", "coopmatrix<i32x16x8,matrix_a>")


def test_apply_to_several_matrices() -> None:
    assert canonical(APPLY) == APPLY


def test_spaces_in_types() -> None:
    text = """$ty = f32 $bm = 16 $bn = 8
func @f(%A: memref<i8x $bm x ?,strided<1,?>>, %B: memref<$ty x $bm x $bn>) {
  parallel { %m = constant 0.0 : coopmatrix<$ty x $bm x $bn,matrix_acc> } }"""
    found = canonical(text)
    assert "%A: memref<i8x16x?,strided<1,?>>, %B: memref<f32x16x8>" in found
    assert "coopmatrix<f32x16x8,matrix_acc>" in found


OUTLIVED = """func @f(%A: memref<f32x16x8>) {
  %z = constant 0 : index
  foreach_tile (%i,%j) = (%z,%z), (%z,%z) as (%m,%n) <= (16,8) {
    $mat_t = coopmatrix<f32x16x8,matrix_acc>
    %a = cooperative_matrix_load %A[%z,%z] : $mat_t
  }
  parallel { %b = cooperative_matrix_load %A[%z,%z] : $mat_t }
}
"""


def test_a_definition_is_seen_after_its_region() -> None:
    assert canonical(OUTLIVED).count(": coopmatrix<f32x16x8,matrix_acc>") == 2


def test_a_definition_is_seen_until_the_end_of_the_file() -> None:
    text = OUTLIVED + "func @g() { parallel { %c = constant 1.0 : $mat_t } }"
    assert canonical(text).count(": coopmatrix<f32x16x8,matrix_acc>") == 3


def test_a_later_definition_replaces_one_of_a_region_that_has_ended() -> None:
    text = """func @f() {
  parallel { $n = 1 %a = constant $n : i32 }
  parallel { $n = 2 %b = constant $n : i32 }
  %c = constant $n : i32
  $n = 3
  %d = constant $n : i32
}
$n = 4
func @g() { %e = constant $n : i32 }"""
    found = canonical(text)
    values = {name: found.split(f"%{name} = constant ")[1][0] for name in "abcde"}
    assert values == {"a": "1", "b": "2", "c": "2", "d": "3", "e": "4"}


@pytest.mark.parametrize("type_", ["memref<f32x?>", "group<memref<f32x?>x?>"])
@pytest.mark.parametrize("name", ["shape_gcd", "stride_gcd"])
def test_divisors_of_modes_that_there_are_not(type_: str, name: str) -> None:
    text = f"func @f(%A: {type_} {{{name}=[1,16]}}) {{ }}"
    with pytest.warns(ProgramWarning) as caught:
        frontend.parse(text, "f.ir")
    (diagnostic,) = (each.message.diagnostic for each in caught)
    rule = f"expected at most 1 number in {name}, the order of the memref"
    assert diagnostic.message == f"{rule}, got 2: the others have no effect"
    assert (diagnostic.severity, diagnostic.line) == ("warning", 1)
    assert diagnostic.column == 1 + text.index("[1,16]")
    assert (caught[0].filename, caught[0].lineno) == ("f.ir", 1)


def test_divisors_of_all_modes() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frontend.parse("func @f(%A: memref<f32x?x?> {shape_gcd=[8,4], stride_gcd=[1,8]}) { }")
