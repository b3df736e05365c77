"""Compile-time variables and the calculator."""

import numpy as np
import pytest

from tinytc_mlir import frontend
from tinytc_mlir.errors import ParseError
from tinytc_mlir.frontend.printer import to_text

DIVIDE = "$M = 8 $T = f32 func @f(%A: memref<$T x $M>) {}"


def value_of(expression: str) -> str:
    """Return the value of a definition that is used as an i64 constant."""
    text = to_text(frontend.parse(f"$v = {expression} func @f() {{ %x = constant $v : i64 }}"))
    return text.split("constant ")[1].split(" :")[0]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("5 3 +", 8),
        ("5 3 -", 2),
        ("5 3 *", 15),
        ("7 2 /", 3),
        ("-7 2 /", -4),
        ("7 2 %", 1),
        ("-7 2 %", 1),
        ("7 -2 %", -1),
        ("2 10 ^", 1024),
        ("2 0 ^", 1),
        ("0 0 ^", 1),
        ("0 1000000000000 ^", 0),
        ("-1 1000000000001 ^", -1),
        ("-2 62 ^", 2**62),
        ("2 62 ^", 2**62),
        ("5 3 min", 3),
        ("5 3 max", 5),
        ("1 2 3 + *", 5),
        ("5 -3 +", 2),
        ("9223372036854775806 1 +", 2**63 - 1),
        ("42", 42),
        ("1 62 shl", 2**62),
        ("-1 62 shl", -(2**62)),
        ("0 63 shl", 0),
        ("1 5 shl 1 -", 31),
        ("-5 1 shr", -3),
        ("9223372036854775807 62 shr", 1),
        ("-1 63 shr", -1),
        ("7 0 shr", 7),
        ("12 10 and", 8),
        ("-8 7 and", 0),
        ("12 10 or", 14),
        ("-8 7 or", -1),
        ("12 10 xor", 6),
        ("-1 12 xor", -13),
        ("0 not", -1),
        ("1 4 shl 1 - not", -16),
    ],
)
def test_calculator(expression: str, value: int) -> None:
    assert value_of(f"!calc({expression})") == str(value)


def test_variables_stand_for_constants_types_and_attributes() -> None:
    text = """
      $size = 8
      $type = f32
      $view = memref<$type x $size>
      $same = $view
      $one = 1.0
      $pair = [32, 2]
      $yes = true
      $attributes = {alignment=$size}
      $name = "text"
      func @f(%A: $same $attributes) attributes {work_group_size=$pair, "n"=$name} {
        for %i = 0, $size {
          store $one, %A[%i]
          %x = constant $yes : bool
          %c = constant [$one, $one] : c32
        } {unroll=$yes}
        %s = subview %A[0:$size] : $view
        %e = expand %A[0 -> 2 x 4] : memref<$type x2x4>
      }"""
    printed = to_text(frontend.parse(text))
    assert "%A: memref<f32x8> {alignment=8}" in printed
    assert '{"n"="text", work_group_size=[32, 2]}' in printed
    assert "} {unroll=true}" in printed
    assert "constant [1.0, 1.0] : c32" in printed


def test_definition_is_local_to_its_region() -> None:
    text = "func @f() { $n = 1 %x = constant $n : i8 } func @g() { $n = 2 %x = constant $n : i8 }"
    printed = to_text(frontend.parse(text))
    assert "constant 1 : i8" in printed
    assert "constant 2 : i8" in printed


def test_value_from_outside_replaces_the_definition() -> None:
    assert "memref<f32x8>" in to_text(frontend.parse(DIVIDE))
    printed = to_text(frontend.parse(DIVIDE, defines={"M": 56, "T": "f64"}))
    assert "memref<f64x56>" in printed


def test_value_from_outside_replaces_definitions_in_regions() -> None:
    text = "func @f() { $n = 1 %x = constant $n : i8 }"
    assert "constant 7 : i8" in to_text(frontend.parse(text, defines={"n": 7}))


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (True, "constant true : bool"),
        (1.5, "constant 1.5 : f32"),
        (float("-inf"), "constant -inf : f32"),
        ("!calc(2 3 ^)", "constant 8 : i32"),
        (1 - 2j, "constant [1.0, -2.0] : c32"),
        (np.complex64(0.1), "constant [0.1, 0.0] : c32"),
        (np.float32(0.1), "constant 0.1 : f32"),
        (np.float16(2), "constant 2.0 : f16"),
        (np.bool_(True), "constant true : bool"),
    ],
)
def test_kinds_of_values_from_outside(value: str | complex, printed: str) -> None:
    type_ = printed.split(": ")[1]
    text = f"func @f() {{ %x = constant $v : {type_} }}"
    assert printed in to_text(frontend.parse(text, defines={"v": value}))


@pytest.mark.parametrize(
    ("defines", "message"),
    [
        ({"a b": 1}, "expected an identifier as name of a compile-time variable, got 'a b'"),
        (
            {"n": ""},
            "expected a constant, an attribute, a type or '!calc', got the end of the text",
        ),
        ({"n": "1 2"}, "expected the end of the value, got '2'"),
        ({"n": 2**63}, "expected an integer from"),
        ({"n": "!calc(1 0 /)"}, "expected a divisor other than 0, got 1 / 0"),
        ({"n": "$m"}, "expected a defined compile-time variable, got '$m'"),
        ({"n": "#"}, "expected a token, got '#'"),
    ],
)
def test_wrong_value_from_outside(defines: dict[str, str | int], message: str) -> None:
    with pytest.raises(ParseError) as error:
        frontend.parse("", defines=defines)
    assert error.value.diagnostics[0].message.startswith(message)


def test_value_from_outside_of_the_wrong_kind_is_reported_where_it_is_used() -> None:
    with pytest.raises(ParseError) as error:
        frontend.parse(DIVIDE, "k.ir", defines={"T": 4})
    diagnostic = error.value.diagnostics[0]
    assert (diagnostic.line, diagnostic.column) == (1, 36)
    assert diagnostic.message == "expected a type, got 4"
