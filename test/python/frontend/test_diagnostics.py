"""How errors are printed, and that one run reports several."""

import json
import pickle

import pytest

from tinytc_mlir import frontend
from tinytc_mlir.errors import CompileError, Diagnostic, ParseError, VerificationError

BROKEN = """\
func @first(%a: f32, %b: f64) {
\t%x = arith.add %a, %b : f32
  %y = load %a[
  %z = arith.neg %a : f32
  for %i = %a {
    frobnicate
  }
}
func second(%a: f32) {
  gemm.h %a
}
func @third() {
  %s = size
}
"""


def errors_of(text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(CompileError) as error:
        frontend.parse(text, "broken.ir")
    return error.value.diagnostics


def test_parser_goes_on_at_the_next_instruction_and_function() -> None:
    found = [(d.line, d.column, d.message) for d in errors_of(BROKEN)]
    assert found == [
        (4, 6, "expected ',' or ']', got '='"),
        (5, 15, "expected ',' and the upper bound, got '{'"),
        (6, 5, "expected an instruction, got 'frobnicate'"),
        (9, 6, "expected a global identifier, got 'second'"),
        (10, 7, "expected an operand after 'gemm', got '.h'"),
        (13, 12, "expected a local identifier or a constant, got the end of the line"),
    ]


def test_misspelt_instructions_after_an_error() -> None:
    found = errors_of("func @f(%x: f32) {\n %y = %x ^ 2.0 : f32\n storr %x\n gem.n %x\n}")
    assert [(d.line, d.column) for d in found] == [(2, 10), (3, 2), (4, 2)]


def test_text_of_an_error() -> None:
    (error,) = errors_of("func @f(%b: f64) {\n\t%x = arith.add %b, 1.0 : f32\n}")
    assert str(error) == (
        "broken.ir:2:17: error: expected '%b' to have type f32, got f64\n"
        "\t%x = arith.add %b, 1.0 : f32\n"
        "\t               ^~\n"
        "broken.ir:1:9: note: '%b' is defined here\n"
        "func @f(%b: f64) {\n"
        "        ^~"
    )


def test_colour_only_where_asked() -> None:
    (error,) = errors_of("func @f(%x: f31) {}")
    assert "\x1b" not in str(error)
    assert "\x1b[1;31merror: \x1b[0m" in error.format(colour=True)


def test_plain_data() -> None:
    (error,) = errors_of("func @f(%x: f31) {}")
    data = json.loads(json.dumps(error.to_dict()))
    assert (data["line"], data["column"], data["length"]) == (1, 13, 3)
    assert data["notes"][0]["message"] == "did you mean 'f16'?"


def test_exceptions_pickle() -> None:
    with pytest.raises(ParseError) as error:
        frontend.parse(BROKEN, "broken.ir")
    copy = pickle.loads(pickle.dumps(error.value))
    assert type(copy) is ParseError
    assert copy.diagnostics == error.value.diagnostics
    assert str(copy) == str(error.value)


def test_long_line_is_shown_in_part() -> None:
    text = "func @f(%a: f32) { " + "%x = arith.neg %a : f32 " * 40 + "}"
    error = errors_of(text)[0]
    assert error.column == 44
    assert error.excerpt is not None
    assert len(error.excerpt) == 160
    last = errors_of(text)[-2]
    assert last.excerpt is not None
    assert last.excerpt_column > 1
    assert last.excerpt[last.column - last.excerpt_column :].startswith("%x")


def test_verifier_speaks_of_the_text() -> None:
    text = "func @f(%A: memref<c32x8>, %p: bool) {\n  %x = cmp.eq %p, %p : bool\n}"
    with pytest.raises(VerificationError) as error:
        frontend.parse(text, "v.ir")
    (diagnostic,) = error.value.diagnostics
    assert (diagnostic.line, diagnostic.column) == (2, 15)
    assert diagnostic.message.startswith("expected '%p' to be")
    assert diagnostic.message.endswith("got bool")


def test_several_verification_errors() -> None:
    line = "  %{} = cmp.eq %p, %p : bool\n"
    text = "func @f(%p: bool) {\n" + "".join(line.format(n) for n in "abc") + "}"
    with pytest.raises(VerificationError) as error:
        frontend.parse(text, "v.ir")
    assert [d.line for d in error.value.diagnostics] == [2, 3, 4]
