"""Compile-time variables in the editor: they are seen after their region."""

from tinytc_mlir.lsp.findings import find
from tinytc_mlir.lsp.names import Names
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
