"""Compile-time variables in the editor: they are seen after their region."""

import pytest

from tinytc_mlir import frontend
from tinytc_mlir.errors import ParseError
from tinytc_mlir.frontend.printer import to_text
from tinytc_mlir.lsp.names import Names
from tinytc_mlir.lsp.program_errors import find
from tinytc_mlir.lsp.text import Text

TEXT = """func @f() {
  parallel { $n = 1 %a = constant $n : i32 }
  %b = constant $n : i32
  parallel { $n = 2 %c = constant $n : i32 }
  %d = constant $n : i32
}
"""


def symbols(text):
    """Return the number of uses of each compile-time variable, in the order of definitions."""
    found = Names(text, Text(text).tokens()).symbols
    return [(each.name, len(each.uses)) for each in found if each.sigil == "$"]


def test_uses_after_a_region_belong_to_the_last_definition():
    assert symbols(TEXT) == [("n", 2), ("n", 2)]
    assert find(TEXT, {}) == ()


def test_what_a_region_defined_is_offered_after_it():
    start = TEXT.index("  %b")
    names = Names(TEXT, [token for token in Text(TEXT).tokens() if token.end <= start])
    assert [each.name for each in names.visible() if each.sigil == "$"] == ["n"]


def test_warnings_are_findings():
    (found,) = find("func @f(%A: memref<f32x?> {stride_gcd=[1,16]}) { }", {})
    assert (found.severity, found.line) == ("warning", 1)
    assert found.message.startswith("expected at most 1 number in stride_gcd")


REGIONS = """func @f() {
  parallel { $n = 1 %a = constant $n : i32 }
  parallel { $m = 2 %b = constant $m : i32 }
  %c = constant $n : i32
  parallel { $k = 3 parallel_ }
  %d = constant $m : i32
}
$l = 4
func @g() {
  %e = constant $k : i32
  parallel { $o = 5 %g = constant $l : i32 }
  parallel { $o = 6 %h = constant $o : i32 }
}
""".replace("parallel_", "%p = constant $n : i32")


def renamed(text, symbol, name):
    """Return a text with another name for a symbol."""
    for start, end in sorted(symbol.spans, reverse=True):
        text = text[: start + 1] + name + text[end:]
    return text


def meaning(text):
    """Return the values of all constants of a program, None if it has errors."""
    try:
        lines = to_text(frontend.parse(text)).splitlines()
    except ParseError:
        return None
    return [line.split(" = ")[1] for line in lines if " = " in line]


def test_renaming_clashes_where_the_program_would_mean_something_else():
    names = Names(REGIONS, Text(REGIONS).tokens())
    variables = [each for each in names.symbols if each.sigil == "$"]
    answers = {}
    for symbol in variables:
        for name in {each.name for each in variables} - {symbol.name} | {"new"}:
            is_same = meaning(renamed(REGIONS, symbol, name)) == meaning(REGIONS)
            assert names.clashes(symbol, name) == (not is_same), (symbol.name, name)
            answers[symbol.name, name] = is_same
    assert {True, False} == set(answers.values())


def test_renaming_does_not_capture_a_use_after_a_region():
    names = Names(REGIONS, Text(REGIONS).tokens())
    n, m = names.symbols[1], next(each for each in names.symbols if each.name == "m")
    assert names.clashes(n, "m")  # $m ends later, and $n is used after it
    assert names.clashes(m, "n")
    assert not names.clashes(n, "o")  # defined where $n is used no more


@pytest.mark.parametrize("name, new", [("a", "b"), ("b", "a")])
def test_a_value_from_outside_stays_that_of_its_name(name, new):
    text = "func @f() { %x = constant $b : i32 } func @g() { $a = 1 %y = constant $a : i32 }"
    names = Names(text, Text(text).tokens())
    symbol = next(each for each in names.symbols if each.name == name)
    assert names.clashes(symbol, new)
    assert not names.clashes(symbol, "c")
