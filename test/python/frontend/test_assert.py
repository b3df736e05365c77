"""`assert`: read, printed, checked by debug builds and the interpreter, and gone otherwise."""

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.frontend.printer import to_text

TEXT = """func @f(%n: index, %a: memref<f32x8>) {
  %holds = cmp.gt %n, 0 : bool
  assert %holds, "n is positive, {n}"
  foreach (%i) = (0), (8) {
    %x = load %a[%i] : f32
    %zero = constant 0.0 : f32
    %is_positive = cmp.gt %x, %zero : bool
    assert %is_positive, "x is positive"
  }
}
"""
PLACE = "f.ir:3:3: error: expected 'n is positive, {n}' to be true, got false (group 0)"


@pytest.fixture(scope="module")
def module():
    return tt.Context().parse(TEXT, "f.ir")


def test_text(module):
    text = to_text(module.operation)
    assert '  assert %holds, "n is positive, {n}"\n' in text
    assert to_text(tt.Context().parse(text).operation) == text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("assert %c", "1:42: error: expected ',' and operand 2 of 2 of 'assert', got '}'"),
        ("assert %c, %c", "1:43: error: expected a string, got '%c'"),
        ('assert %n, "n"', "1:39: error: expected '%n' to be boolean type, got index"),
        ('%r = assert %c, "n"', "expected no result"),
    ],
)
def test_errors(line, message):
    with pytest.raises(tt.CompileError) as caught:
        tt.Context().parse("func @f(%c: bool, %n: index) { " + line + " }", "")
    assert message in str(caught.value)


@pytest.mark.parametrize("language", ["0.3", "0.4", "0.5"])
def test_no_version_has_it(tinytc, tmp_path, language):
    path = tmp_path / "f.ir"
    path.write_text(TEXT)
    status, _, err = tinytc("fmt", "--language", language, path)
    assert status == 1
    assert f"expected what version {language} of the language has, got 'assert'" in err


def test_debug_builds(module):
    kernel = module.compile("cpu", debug=True)["f"]
    a = np.ones(8, np.float32)
    kernel(1, a)
    with pytest.raises(tt.CheckError) as caught:
        kernel(0, a)
    assert str(caught.value).splitlines()[0] == PLACE
    a[3] = 0
    with pytest.raises(tt.CheckError, match=r"f.ir:8:5: .*'x is positive'.*\(group 0, lane 3\)"):
        kernel(1, a)


def test_release_builds(module):
    module.compile("cpu")["f"](0, np.zeros(8, np.float32))
    without = tt.Context().parse("func @f(%n: index, %a: memref<f32x8>) { }", "f.ir")
    shown, expected = (m.lower("gpu", target="cpu").operation for m in (module, without))
    assert "load" not in str(shown)
    assert "load" not in str(expected)


def test_the_interpreter(module):
    a = np.ones(8, np.float32)
    tt.interpret(module, "f", [1, a])
    with pytest.raises(tt.InterpreterError, match="'n is positive, {n}' to be true, got false"):
        tt.interpret(module, "f", [0, a])
    a[3] = 0
    with pytest.raises(tt.InterpreterError, match="'x is positive' to be true, got false"):
        tt.interpret(module, "f", [1, a])
