"""What the language server proposes, and what it makes of names, without an editor."""

import sys

import pytest
from lsprotocol import types as lsp

from tinytc_mlir.frontend.instructions import ALIASES, INSTRUCTIONS, LATER_SPELLINGS
from tinytc_mlir.frontend.lexer import Token
from tinytc_mlir.lsp import completion, instruction_help, semantic_tokens
from tinytc_mlir.lsp.documents import Document
from tinytc_mlir.lsp.names import Names
from tinytc_mlir.lsp.text import Place, Text, code

BEGINNING = """$N = 8
func @e(%other: f32) { }
func @f(%alpha: f32, %A: memref<f32x8x$N>) {
  %b, %c = for %k: i32 = 0, 4 init(%x = %zero, %y = %z) -> (f32, f32) {
    $M = 3
    foreach (%i, %j) = (0, 0), (4, 4) { %inner = size %A[0] : index }
"""


def proposed(text):
    """Return labels of what is proposed at the end of a text."""
    document = Document("file:///f.ir", text, "utf-16")
    line = text.count("\n")
    position = lsp.Position(line, len(text) - text.rfind("\n") - 1)
    return [item.label for item in completion._items(document, position)]


def test_new_names_clash_where_both_are_visible():
    text = """
func @f(%a: f32, %n: index) {
  %x = arith.add %a, %a : f32
  for %i: index = %n, %n { %y = arith.add %a, %a : f32 }
  for %j: index = %n, %n { %z = arith.add %a, %a : f32 }
}
func @g(%b: f32) { %c = arith.add %b, %b : f32 }
"""
    names = Names(text, Text(text).tokens())
    symbols = {symbol.sigil + symbol.name: symbol for symbol in names.symbols}
    for name, free, taken in [
        ("%b", "anxyzij", "c"),
        ("%y", "jzbc", "anxi"),
        ("%j", "iybc", "anxz"),
        ("%x", "bc", "anijyz"),
        ("@g", "bc", "f"),
    ]:
        assert [new for new in free if names.clashes(symbols[name], new)] == []
        assert [new for new in taken if not names.clashes(symbols[name], new)] == []


def test_visible_names():
    locals_ = ["%y", "%x", "%k", "%c", "%b", "%A", "%alpha"]
    assert proposed(BEGINNING + "    gemm %") == locals_
    assert proposed(BEGINNING + "    gemm %al") == locals_
    assert proposed(BEGINNING + "  }\n gemm %") == ["%c", "%b", "%A", "%alpha"]
    assert proposed(BEGINNING + "    %q = load %A[$") == ["$M", "$N"]
    assert proposed(BEGINNING + "  }\n}\nfunc @h(%p: f32) {\n  %q = neg %") == ["%p"]
    assert proposed("%") == []


def test_instructions_and_modifiers():
    labels = proposed("func @f() {\n  ")
    assert {*INSTRUCTIONS, *ALIASES, *LATER_SPELLINGS, "func"} <= set(labels)
    assert proposed("func @f() {\n  %a = ar") == labels
    assert "group_id" in proposed("func @f() {\n  %a = builtin.")
    assert proposed("func @f() {\n  gemm.") == ["n", "t", "r", "c", "atomic"]
    assert proposed("func @f() {\n  gemm.n.") == ["n", "t", "r", "c", "atomic"]
    assert proposed("func @f() {\n  %a = nothing.") == []
    assert "memref" in proposed("func @f(%a: ")
    assert "f32" in proposed("func @f(%a: memref<")
    assert proposed("func @f() { ; %") == []


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_every_instruction_has_help(name):
    spec = INSTRUCTIONS[name]
    text = instruction_help.markdown(spec)
    assert name in instruction_help.form(spec)
    assert "Execution:" in text
    assert "tinytc." not in text
    assert "```mlir" not in text
    assert "{{" not in text


def described(text):
    """Return each symbol with whether it is defined and how often it is used."""
    symbols = Names(text, code(Text(text).tokens())).symbols
    return [(s.sigil + s.name, s.definition is not None, len(s.uses)) for s in symbols]


def test_names_end_with_their_regions():
    text = "func @f() { foreach (%i) = (%a), (%b) { %x = neg %i : f32 }\n %x = neg %i : f32 }"
    assert described(text) == [
        ("@f", True, 0),
        ("%i", True, 1),
        ("%a", False, 1),
        ("%b", False, 1),
        ("%x", True, 0),
        ("%x", True, 0),
        ("%i", False, 1),
    ]


def test_numbers_may_have_leading_zeros():
    assert described("func @f(%0: f32, %01: f32) { store %00, %1[] }") == [
        ("@f", True, 0),
        ("%0", True, 1),
        ("%1", True, 1),
    ]


def test_braces_of_attributes_are_no_regions():
    text = "func @f(%A: memref<f32x8> {alignment=64}, %b: f32) { %c = alloca {alignment=64} : $T\n"
    assert described(text + "store %b, %c[%A] }")[1:] == [
        ("%A", True, 1),
        ("%b", True, 1),
        ("%c", True, 1),
        ("$T", False, 1),
    ]


BROKEN = [
    "}",
    "{{{",
    "func",
    "func @f(",
    "%",
    "%a = %b = ",
    ")))",
    "init(%a =",
    "$N = $",
    '"',
    "\x00%a",
]


@pytest.mark.parametrize("text", BROKEN)
def test_broken_text(text):
    document = Document("file:///f.ir", text, "utf-16")
    semantic_tokens.encode(document.text, document.tokens, document.names)
    for column in range(len(text) + 1):
        list(completion._items(document, lsp.Position(0, column)))
        document.instruction(column)
        document.symbol(lsp.Position(0, column))


@pytest.mark.parametrize("encoding, column", [("utf-8", 7), ("utf-16", 5), ("utf-32", 4)])
def test_columns(encoding, column):
    text = Text("a\r\n; 𝄞 x\n", encoding)
    assert text.place(7) == Place(1, column)
    assert text.offset(Place(1, column)) == 7
    assert text.offset(Place(1, 99)) == 8
    assert text.offset(Place(0, 99)) == 1
    assert text.offset(Place(9, 0)) == 9


def test_semantic_tokens():
    document = Document("file:///f.ir", "$N = 8 ; 𝄞\nfunc @f(%a: f32)\n", "utf-16")
    data = semantic_tokens.encode(document.text, document.tokens, document.names)
    rows = [data[i : i + 5] for i in range(0, len(data), 5)]
    assert [(*row[:3], semantic_tokens.TYPES[row[3]], row[4]) for row in rows] == [
        (0, 0, 2, "macro", True),
        (0, 5, 1, "number", False),
        (0, 2, 4, "comment", False),
        (1, 0, 4, "keyword", False),
        (0, 5, 2, "function", True),
        (0, 3, 2, "variable", True),
        (0, 4, 3, "type", False),
    ]
    assert isinstance(document.tokens[0], Token)


def test_the_command_names_the_extra(tinytc, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("tinytc_mlir.lsp.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pygls.lsp.server", None)
    message = "expected the package pygls.lsp.server, got none; pip install 'tinytc-mlir[lsp]'"
    assert tinytc("lsp") == (1, "", f"tinytc: error: {message}\n")
