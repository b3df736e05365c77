"""`print`: read, written, shown by debug builds and the interpreter, and gone otherwise."""

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.frontend.printer import to_text

TEXT = """func @f(%n: index, %z: c32, %a: memref<f32x8>) {
  print "{n}", %n, %z
  foreach (%i) = (0), (8) {
    %x = load %a[%i] : f32
    %large = %x > 1 : bool
    if %large {
      print "large", %x, %i, %large
    }
  }
  print "end"
}
"""


@pytest.fixture(scope="module")
def module():
    return tt.Context().parse(TEXT, "f.ir")


def arrays():
    a = np.ones(8, np.float32)
    a[[2, 5]] = 2.5, 1e9
    return a


def test_text(module):
    text = to_text(module.operation)
    assert '  print "{n}", %n, %z\n' in text
    assert to_text(tt.Context().parse(text).operation) == text


@pytest.mark.parametrize("target", ["cpu", "native"])
def test_debug_builds(module, target, capsys):
    kernel = module.compile(target, debug=True)["f"]
    kernel(3, 1 - 2j, arrays(), groups=2)
    lines = sorted(capsys.readouterr().out.splitlines())
    expected = [
        line
        for group in (0, 1)
        for line in (
            f"{{n}}: 3, [1.0, -2.0] (group {group})",
            f"end (group {group})",
            f"large: 2.5, 2, 1 (group {group}, lane 2)",
            f"large: 1e+09, 5, 1 (group {group}, lane 5)",
        )
    ]
    assert lines == sorted(expected)
    kernel(3, 0j, np.zeros(8, np.float32))
    assert "large" not in capsys.readouterr().out


def test_more_lines_than_fit(capsys):
    text = 'func @f() { foreach (%i) = (0), (1100) { print "i", %i } }'
    tt.Context().parse(text).compile("cpu", debug=True)["f"](groups=1)
    *lines, last = capsys.readouterr().out.splitlines()
    assert len(set(lines)) == 1022
    assert last == "78 more lines of f are not shown"


def test_prints_beside_violations(capsys):
    text = """func @f(%n: index) {
      print "n", %n
      %positive = %n > 0 : bool
      assert %positive, "n is positive"
    }"""
    kernel = tt.Context().parse(text).compile("cpu", debug=True)["f"]
    with pytest.raises(tt.CheckError, match="'n is positive' to be true, got false"):
        kernel(0, groups=1)
    assert capsys.readouterr().out == "n: 0 (group 0)\n"


def test_release_builds(module, capsys):
    module.compile("cpu")["f"](3, 0j, arrays())
    assert capsys.readouterr().out == ""


def test_the_interpreter(module, capsys):
    tt.interpret(module, "f", [3, 1 - 2j, arrays()])
    assert capsys.readouterr().out.splitlines() == [
        "{n}: 3, [1.0, -2.0] (work-group 0)",
        "large: 2.5, 2, 1 (work-group 0, iteration 2)",
        "large: 1e+09, 5, 1 (work-group 0, iteration 5)",
        "end (work-group 0)",
    ]


def test_no_version_has_it(tinytc, tmp_path):
    path = tmp_path / "f.ir"
    path.write_text(TEXT)
    status, _, err = tinytc("fmt", "--language", "0.5", path)
    assert status == 1
    assert "expected what version 0.5 of the language has, got 'print'" in err
