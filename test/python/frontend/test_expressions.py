"""Expressions: what they mean, where their parts are, and how they are written again."""

import re

import pytest

from tinytc_mlir import frontend
from tinytc_mlir.errors import ParseError
from tinytc_mlir.frontend.expression_parser import MAX_OPERATIONS
from tinytc_mlir.frontend.printer import to_text
from tinytc_mlir.frontend.translation import translate

HEAD = "func @f(%a: f32, %b: f32, %n: i32, %c: bool, %z: c32, %i: index, %m: f64) {\n"


def instructions(line):
    """Return the instructions that a line means, without the constants."""
    text = to_text(frontend.parse(f"{HEAD}{line}\n}}"))
    lines = [each.strip() for each in text.splitlines()[1:-1]]
    constants = dict(re.findall(r"(%\d+) = constant (.*) : \w+", text))
    found = [each for each in lines if " = constant " not in each]
    return [re.sub(r"%\d+\b", lambda m: constants.get(m[0], m[0]), each) for each in found]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%x = %a + %b * 2.0 : f32", ["arith.mul %b, 2.0", "arith.add %a, _"]),
        ("%x = (%a + %b) * 2 : f32", ["arith.add %a, %b", "arith.mul _, 2.0"]),
        ("%x = %a - %b - 1 : f32", ["arith.sub %a, %b", "arith.sub _, 1.0"]),
        ("%x = %a -1.5 : f32", ["arith.sub %a, 1.5"]),
        ("%x = -%a * %b : f32", ["arith.neg %a", "arith.mul _, %b"]),
        ("%x = 2 - -%a : f32", ["arith.neg %a", "arith.sub 2.0, _"]),
        ("%x = max(%a, %b + 1) : f32", ["arith.add %b, 1.0", "arith.max %a, _"]),
        ("%x = arith.max(%a, %b) : f32", ["arith.max %a, %b"]),
        ("%x = %a < %b : bool", ["cmp.lt %a, %b"]),
        ("%x = 2 * %a >= %b : bool", ["arith.mul 2.0, %a", "cmp.ge _, %b"]),
        ("%x = %n != 3 : bool", ["cmp.ne %n, 3"]),
        ("%x = and(%c, %n == 3) : bool", ["cmp.eq %n, 3", "arith.and %c, _"]),
        ("%x = %c ? %a : -1 : f32", ["select %c, %a, -1.0"]),
        ("%x = %a > 0 ? %a : 0 : f32", ["cmp.gt %a, 0.0", "select _, %a, 0.0"]),
        ("%x = cast(%n) / 2 : f64", ["cast %n", "arith.div _, 2.0"]),
        ("%x = abs(%z) + re(%z) : f32", ["arith.abs %z", "arith.re %z", "arith.add _, _"]),
        ("%x = 2 * %z + [0.0, 1.0] : c32", ["arith.mul [2.0, 0.0], %z", "arith.add _, [0.0, 1.0]"]),
        ("%x = %i + 1 : index", ["arith.add %i, 1"]),
        ("$two = 2 %x = $two * %n : i32", ["arith.mul 2, %n"]),
        ("%x = sqrt(fma(%m, %m, 1.0)) : f64", ["fma %m, %m, 1.0", "sqrt _"]),
        ("%x = true == %c ? %a : %b : f32", []),
    ],
)
def test_meaning(line, expected):
    if not expected:  # comparisons are those of numbers
        with pytest.raises(frontend.VerificationError):
            instructions(line)
        return
    found = [re.sub(r"^%\w+ = | : \w+$", "", each) for each in instructions(line)]
    assert [re.sub(r"%\d+\b", "_", each) for each in found] == expected


def test_choices_are_nested_on_the_right():
    line = "%x = %c ? %a : %a < %b ? %b : 1 : f32"
    found = instructions(line)
    assert [each.split(" = ")[1].split()[0] for each in found] == ["cmp.lt", "select", "select"]


def test_locations():
    line = "  %x = (%a + %b) * exp(%a) : f32"
    module = frontend.parse(f"{HEAD}{line}\n}}", "f.ir")
    ops = module.body.operations[0].regions[0].blocks[0].operations
    places = {op.operation.name: op.location for op in ops}
    product = places["tinytc.arith.mul"]
    assert product.is_a_name()
    assert product.name_str == "x"
    found = {
        name: line[(at := (loc.child_loc if loc.is_a_name() else loc)).start_col - 1 : at.end_col]
        for name, loc in places.items()
        if name != "tinytc.yield"
    }
    assert found["tinytc.arith.add"] == "(%a + %b)"
    assert found["tinytc.math.exp"] == "exp(%a)"
    assert found["tinytc.arith.mul"] == "(%a + %b) * exp(%a)"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%x=(%a*2.0+1)/exp(-%b)-1:f32 ; c", "%x = (%a * 2.0 + 1) / exp(-%b) - 1 : f32  ; c"),
        ("%x = %a<%b:bool", "%x = %a < %b : bool"),
        ("%x=%c?-%a:%b:f32", "%x = %c ? -%a : %b : f32"),
        ("%x=max( %a , (%c?%a:%b) ):f32", "%x = max(%a, (%c ? %a : %b)) : f32"),
        ("%x=%a-1.0 : f32", "%x = %a - 1.0 : f32"),
        ("%x=- (%a+ %b):f32", "%x = -(%a + %b) : f32"),
        ("%x=[1.0,0.0]*%z>=%z:bool", "%x = [1.0, 0.0] * %z >= %z : bool"),
    ],
)
def test_format(line, expected):
    formatted = frontend.format_source(f"{HEAD}{line}\n}}")
    assert formatted.splitlines()[1] == f"  {expected}"
    assert frontend.format_source(formatted) == formatted


@pytest.mark.parametrize("language", ["0.3", "0.4", "0.5"])
def test_translation(language):
    text = f"""{HEAD}  %x = (%a * 2 + 1) / exp(-%b) : f32
      %y = %a * 2 < %x ? %x : cast(%n) : f32
      %w = %z / 2 : c32
    }}"""
    translated = translate(text, language)
    assert translate(translated, language) == translated
    assert "?" not in translated
    name = {"0.3": "arith.mul"}.get(language, "mul")
    assert translated.splitlines()[1:4] == [
        "  %constant = constant 2.0 : f32",
        f"  %part = {name} %a, %constant : f32",
        "  %constant1 = constant 1.0 : f32",
    ]
    ops = re.findall(r"tinytc\.([a-z.]+)", str(frontend.parse(translated)))
    expected = re.findall(r"tinytc\.([a-z.]+)", str(frontend.parse(text)))
    kept = [op for op in ops if op not in ("if", "yield")]
    assert sorted(kept) == sorted(op for op in expected if op not in ("select", "yield"))


def test_no_version_has_new_functions():
    with pytest.raises(ParseError, match=r"of the language has, got 'sqrt'"):
        translate(f"{HEAD} %x = 1 + sqrt(%a) : f32 }}", "0.5")


def test_length():
    most = " + ".join(["%a"] * (MAX_OPERATIONS + 1))
    assert len(instructions(f"%x = {most} : f32")) == MAX_OPERATIONS
    with pytest.raises(ParseError, match="expected at most 100 operations in an expression"):
        instructions(f"%x = {most} + %a : f32")
