"""Spellings that must be accepted, and what they mean."""

import re

import pytest

from tinytc_mlir import frontend
from tinytc_mlir.frontend.printer import to_text

FRAME = (
    "func @f(%i: index, %j: index, %a: f32, %n: i32, %p: bool, %M: memref<f32x8x8>, "
    "%D: memref<f32x?x8>, %N: memref<f32x8x8>, %w: memref<f32x8>) {{ {} }}"
)


def canonical(body: str) -> list[str]:
    """Return the lines of the canonical text of a function's body."""
    lines = to_text(frontend.parse(FRAME.format(body))).splitlines()
    start = next(i for i, line in enumerate(lines) if line.endswith("{"))
    return [line.strip() for line in lines[start + 1 : -1]]


@pytest.mark.parametrize(
    ("constant", "expected"),
    [
        ("0 : i8", "0 : i8"),
        ("-128 : i8", "-128 : i8"),
        ("+127 : i8", "127 : i8"),
        ("007 : i16", "7 : i16"),
        ("-9223372036854775807 : i64", "-9223372036854775807 : i64"),
        ("9223372036854775807 : index", "9223372036854775807 : index"),
        ("true : bool", "true : bool"),
        ("false -> bool", "false : bool"),
        ("1.0 : f32", "1.0 : f32"),
        ("1. : f32", "1.0 : f32"),
        (".5 : f32", "0.5 : f32"),
        ("+.5e1 : f32", "5.0 : f32"),
        ("-0.0 : f64", "-0.0 : f64"),
        ("1e3 : f64", "1000.0 : f64"),
        ("1E+3 : f64", "1000.0 : f64"),
        ("1.e-3 : f64", "0.001 : f64"),
        ("0x1.8p1 : f64", "3.0 : f64"),
        ("0X.8P+1 : f64", "1.0 : f64"),
        ("0xap0 : f64", "10.0 : f64"),
        ("-0x1.p-1 : f64", "-0.5 : f64"),
        ("0x1.8 : f64", "1.5 : f64"),
        ("0.1 : f32", "0.1 : f32"),
        ("0.1 : bf16", "0.1 : bf16"),
        ("0.1 : f16", "0.1 : f16"),
        ("65504.0 : f16", "65500.0 : f16"),
        ("65519.9 : f16", "65500.0 : f16"),
        ("3.4028234663852886e38 : f32", "3.4028235e+38 : f32"),
        ("1e-45 : f32", "1e-45 : f32"),
        ("5e-324 : f64", "5e-324 : f64"),
        ("1.7976931348623157e308 : f64", "1.7976931348623157e+308 : f64"),
        ("inf : f32", "inf : f32"),
        ("-inf : bf16", "-inf : bf16"),
        ("+inf : f16", "inf : f16"),
        ("nan : f64", "nan : f64"),
        ("[1.0, -2.5] : c32", "[1.0, -2.5] : c32"),
        ("[inf,nan] : c64", "[inf, nan] : c64"),
        ("2.0 : coopmatrix<f32x8x8,matrix_a>", "2.0 : coopmatrix<f32x8x8,matrix_a>"),
        ("[1.0,0.0] : coopmatrix<c32x8x8,matrix_b>", "[1.0, 0.0] : coopmatrix<c32x8x8,matrix_b>"),
    ],
)
def test_constant(constant: str, expected: str) -> None:
    assert canonical(f"%x = constant {constant}") == [f"%x = constant {expected}"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("memref<f32>", "memref<f32>"),
        ("memref < f32 x 8 x ? >", "memref<f32x8x?>"),
        ("memref<f32x5x6x7,strided<1,5,30>>", "memref<f32x5x6x7>"),
        ("memref<f32x5x?x7,strided<1,5,?>>", "memref<f32x5x?x7>"),
        ("memref<f32x5x6,strided<2,10>>", "memref<f32x5x6,strided<2,10>>"),
        ("memref<f32x?x?,strided<?,?>>", "memref<f32x?x?,strided<?,?>>"),
        ("memref<c64x4,global>", "memref<c64x4>"),
        ("memref<i8x4,strided<1>>", "memref<i8x4>"),
        ("memref<f32,strided<>>", "memref<f32>"),
        ("group<memref<f32x8>x?>", "group<memref<f32x8>x?>"),
        ("group< memref<f32x8> x 7, offset: 0>", "group<memref<f32x8>x7>"),
        ("group<memref<f32x8x?>x?, offset : ?>", "group<memref<f32x8x?>x?, offset: ?>"),
        ("index", "index"),
        ("bf16", "bf16"),
        ("bool", "bool"),
    ],
)
def test_type(written: str, expected: str) -> None:
    assert f"(%x: {expected})" in to_text(frontend.parse(f"func @f(%x: {written}) {{}}"))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("%x = group_id : index", "%x = builtin.group_id : index"),
        ("%x = builtin.num_subgroups : i32", "%x = builtin.num_subgroups : i32"),
        ("parallel{%x = subgroup_local_id : i32}", "%x = builtin.subgroup_local_id : i32"),
        ("hadamard %a, %M, %M, %a, %M", "hadamard_product %a, %M, %M, %a, %M"),
        ("gemm .n .t %a, %M, %M, %a, %N", "gemm.n.t %a, %M, %M, %a, %N"),
        ("%x = subview %M[:,%i] : memref<f32x8>", "%x = subview %M[0:8, %i] : memref<f32x8>"),
        ("%x = subview %M[:,%i:0] : memref<f32x8>", "%x = subview %M[0:8, %i] : memref<f32x8>"),
        ("%x = alloca : memref<f32x4>", "%x = alloca : memref<f32x4,local>"),
        ("%x = alloca : memref<i8x4,strided<1>,local>", "%x = alloca : memref<i8x4,local>"),
        ("%x = cmp.lt %n, %n : i32", "%x = cmp.lt %n, %n : bool"),
        ("%x = size %M[1] : index", "%x = size %M[1] : index"),
        ("for %k = %i, %j {} attributes{unroll=true}", "} {unroll=true}"),
        (
            '%x = alloca {"alignment"=4} : memref<f32>',
            "%x = alloca {alignment=4} : memref<f32,local>",
        ),
        (
            '%x = alloca {"a b"=[1,{},"c"]} : memref<f32>',
            '%x = alloca {"a b"=[1, {}, "c"]} : memref<f32,local>',
        ),
        ("barrier.global.local", "barrier.global.local"),
        ("%007 = arith.add %a, %a : f32 %x = arith.neg %7 : f32", "%x = arith.neg %0 : f32"),
        (
            "%x = expand %M[0 -> %i x 2] : memref<f32x?x2x8,strided<1,?,8>>",
            "%x = expand %M[0 -> %i x 2] : memref<f32x?x2x8,strided<1,?,8>>",
        ),
    ],
)
def test_spelling(body: str, expected: str) -> None:
    assert expected in canonical(body)


@pytest.mark.parametrize(
    ("body", "constant"),
    [
        ("%x = load %M[5, %i] : f32", "5 : index"),
        ("%x = cmp.lt %n, 16 : bool", "16 : i32"),
        ("%x = cmp.lt 16, %n : bool", "16 : i32"),
        ("%x = cmp.lt 1, 2 : i32", "2 : i32"),
        ("%x = arith.add %a, 1.0 : f32", "1.0 : f32"),
        ("%x = arith.and %p, true : bool", "true : bool"),
        ("%x = arith.mul 2.0, 3.0 : f32", "3.0 : f32"),
        ("%x = math.exp 0.5 : f32", "0.5 : f32"),
        ("for %k = 0, %i {}", "0 : index"),
        ("for %k: i8 = 0, 100, 7 {}", "7 : i8"),
        ("foreach (%k) = (0), (8) {}", "8 : index"),
        ("%x = for %k = %i, %j init(%y = 0.0) -> (f32) { yield (%y) }", "0.0 : f32"),
        ("%x = if %p -> (i32) { yield (%n) } else { yield (16) }", "16 : i32"),
        ("parallel { store 1.0, %M[0, 7] }", "1.0 : f32"),
        ("parallel { %x = subgroup_broadcast %a, 0 : f32 }", "0 : i32"),
    ],
)
def test_constant_operand(body: str, constant: str) -> None:
    assert any(line.endswith(f"= constant {constant}") for line in canonical(body))


def test_whole_dynamic_mode_takes_its_size() -> None:
    lines = canonical("%x = subview %D[:, 0] : memref<f32x?>")
    assert lines == ["%0 = size %D[0] : index", "%x = subview %D[0:%0, 0] : memref<f32x?>"]


def test_names_are_free_after_their_region() -> None:
    body = (
        "if %p { %x = arith.neg %a : f32 } else { %x = arith.neg %n : i32 } %x = arith.neg %a : f32"
    )
    assert [line.split(" ")[0] for line in canonical(body)] == ["if", "%x", "}", "%x", "}", "%x"]


def test_empty_text_is_an_empty_module() -> None:
    assert to_text(frontend.parse(" ; nothing\n")) == ""


def test_the_formatter_keeps_names_with_dimensions() -> None:
    text = """func @f() {
  %x = group_id.x : index
  %y = num_groups.y : index
  %n = num_subgroups.x : i32
  parallel {
    %s = subgroup_id.z : i32
  }
}
"""
    assert frontend.format_source(text, "a.ir") == text
    older = re.sub(r"\.[xyz]", "", text).replace("num_groups", "group_size")
    assert re.findall(r"= ([\w.]+)", frontend.format_source(older, "a.ir")) == [
        "builtin.group_id",
        "builtin.group_size",
        "builtin.num_subgroups",
        "builtin.subgroup_id",
    ]


@pytest.mark.parametrize(
    "body",
    [
        "if %p -> () { yield () } else { store %a, %M[0, 0] }",
        "if %p -> ( ) { store %a, %M[0, 0] }",
        "for %k = 0, 4 init() -> () { store %a, %M[0, 0] yield () }",
        "for %k = 0, 4, 2 -> () { store %a, %M[0, 0] } {unroll=true}",
    ],
)
def test_empty_lists_of_results(body: str) -> None:
    # What prints programs without looking at the number of results writes them.
    text = FRAME.format(body)
    without = re.sub(r"(init\(\) )?-> \( ?\) |yield \(\) ?", "", text)
    module = frontend.parse(text)
    assert to_text(module) == to_text(frontend.parse(without))
    assert "->" not in to_text(module)
    formatted = frontend.format_source(text)
    assert "-> ()" in formatted
    assert to_text(frontend.parse(formatted)) == to_text(module)


def test_rest_of_a_mode() -> None:
    # What version 0.3.1 accepts: `?` is as many elements as there are after the offset.
    assert canonical("%x = subview %D[%i:?, 0] : memref<f32x?>") == [
        "%0 = size %D[0] : index",
        "%1 = arith.sub %0, %i : index",
        "%x = subview %D[%i:%1, 0] : memref<f32x?>",
    ]
    assert canonical("%x = subview %D[0:?, 0] : memref<f32x?>") == [
        "%0 = size %D[0] : index",
        "%x = subview %D[0:%0, 0] : memref<f32x?>",
    ]
    # A result of unknown size takes the known one as a value.
    assert canonical("%x = subview %M[0, 3:?] : memref<f32x?,strided<8>>") == [
        "%0 = constant 5 : index",
        "%x = subview %M[0, 3:%0] : memref<f32x?,strided<8>>",
    ]
