"""Quick fixes, signatures, types beside names, folding, formats of ranges, symbols of folders."""

import pytest
from lsprotocol import types as lsp

from frontend.negative_cases import cases
from tinytc_mlir.frontend import format_source
from tinytc_mlir.lsp import inlay_types, layout, program_errors, quick_fixes, signatures, workspace
from tinytc_mlir.lsp.documents import Document

PROGRAM = """\
; a comment
; of two lines
func @f(%alpha: f32, %A: memref<f32x8x8>) {
  %zero = constant 0.0 : f32
  foreach (%i, %j) = (0, 0), (8, 8) {
    %c = cmp.lt %i, %j : index
    %s = for %k: i32 = 0, 4 init(%x = %zero) -> (f32) {
      %y = arith.add %x, %alpha : f32
      yield (%y)
    }
    store %s, %A[%i, %j]
  }
}
"""


def document(text):
    return Document("file:///f.ir", text, "utf-16")


HINTED = [case for case in cases() if any("did you mean '" in line for line in case.expected)]


@pytest.mark.parametrize("case", HINTED, ids=lambda case: case.name)
def test_every_hint_has_a_fix(case):
    """What is replaced is no longer complained about at this place with the same words."""
    fixable = [
        (found, replacement)
        for found in program_errors.find(case.text, {})
        for replacement in quick_fixes.replacements(
            "\n".join([found.message, *(note.message for note in found.notes)])
        )
    ]
    assert fixable
    for found, replacement in fixable:
        lines = case.text.split("\n")
        line, start = lines[found.line - 1], found.column - 1
        lines[found.line - 1] = line[:start] + replacement + line[start + found.length :]
        left = program_errors.find("\n".join(lines), {})
        place = (found.line, found.column, found.message)
        assert place not in [(each.line, each.column, each.message) for each in left]


def test_replacements():
    assert quick_fixes.replacements("expected a type\nwrite '%x' for a value") == ["%x"]
    assert quick_fixes.replacements("as in '%c = constant 2.0 : f32'") == []


@pytest.mark.parametrize(
    ("line", "active", "parameter"),
    [
        ("  gemm.n.t ", 0, "%alpha"),
        ("  gemm.n.t %alpha, %A", 1, "%a"),
        ("  gemm.n.t %alpha, %A, %A, %zero, ", 4, "%c"),
        ("  %v = load %A[%i, ", 0, "%source"),
        ("  %v = arith.add %alpha, ", 1, "%b"),
    ],
)
def test_signatures(line, active, parameter):
    text = PROGRAM.removesuffix("}\n") + line
    found = signatures.signature_at(document(text), len(text))
    (signature,) = found.signatures
    assert found.active_parameter == active
    start, end = signature.parameters[active].label
    assert signature.label[start:end] == parameter
    assert signature.documentation


@pytest.mark.parametrize("line", ["  ", "  gem", "  ; gemm ", "  foreach (%i) = (0), (8) { "])
def test_no_signature(line):
    text = PROGRAM.removesuffix("}\n") + line
    assert signatures.signature_at(document(text), len(text)) is None


def test_types_beside_names():
    found = inlay_types.hints(document(PROGRAM), {})
    shown = {(hint.position.line, hint.position.character, hint.label) for hint in found}
    assert shown == {(4, 13, ": index"), (4, 17, ": index"), (5, 6, ": bool")}
    assert inlay_types.hints(document("func @f(%a: f33) { }"), {}) == []
    text = "func @f() { foreach (%i) = (0), ($N) { } }"
    assert inlay_types.hints(document(text), {"N": 4})[0].label == ": index"


def test_folding():
    found = [(r.start_line, r.end_line, r.kind) for r in layout.folds(document(PROGRAM))]
    region, comment = lsp.FoldingRangeKind.Region, lsp.FoldingRangeKind.Comment
    assert found == [(0, 1, comment), (2, 11, region), (4, 10, region), (6, 8, region)]
    assert list(layout.folds(document("} { {\n"))) == []


def test_formats_of_ranges():
    text = "func @f(%a:f32) {\n  %b = arith.add %a,%a : f32\n  %c = arith.add %b,%b : f32\n}\n"
    first, second = format_source(text).splitlines(keepends=True)[:2]
    for line, new in ((0, first), (1, second)):
        found = layout.edits(text, line, line)
        assert new in "".join(edit.new_text for edit in found)
        whole = text.splitlines(keepends=True)
        for edit in reversed(found):
            whole[edit.range.start.line : edit.range.end.line] = [edit.new_text]
        assert format_source("".join(whole)) == format_source(text)
    assert layout.edits(format_source(text), 0, 9) == []
    assert layout.edits("func @f(", 0, 0) is None


def test_programs_of_folders(tmp_path):
    for name in ("a.ir", "b/c.tinytc", "d.txt", ".hidden/e.ir", "build/f.ir"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("func @f() { }")
    found = [path.relative_to(tmp_path).as_posix() for path in workspace.programs(str(tmp_path))]
    assert found == ["a.ir", "b/c.tinytc"]
