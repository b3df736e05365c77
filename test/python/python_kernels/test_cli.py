"""Commands take `module.py:name`."""

import re

import pytest

TEXT = """import tinytc_mlir as tt

@tt.kernel
def double(A: "T[M, None]", T: tt.const, M: tt.const):
    i = tt.group_id
    A[:, i] = 2 * A[:, i]

@tt.kernel
def broken(x: tt.f32[8]):
    x[:] = y

@tt.autotune({"TILE": [8, 16]})
@tt.kernel
def tuned(x: "T[16, None]", T: tt.const, TILE: tt.const):
    i = tt.group_id
    x[0:TILE, i] = 2 * x[0:TILE, i]
"""


@pytest.fixture
def kernels(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernels.py").write_text(TEXT)


CONSTANTS = ("-D", "T=f64", "-D", "M=8")


def test_lower(tinytc, kernels):
    status, out, err = tinytc("lower", "kernels.py:double", "--to", "tinytc", *CONSTANTS)
    assert (status, err) == (0, "")
    assert "!tinytc.memref<8x?xf64>" in out


def test_check(tinytc, kernels):
    assert tinytc("check", "kernels.py:double", *CONSTANTS) == (0, "", "")
    status, _, err = tinytc("check", "kernels.py:broken")
    assert status == 1
    assert "kernels.py:10:12: error: expected a name that has a value, got 'y'" in err


def test_fmt(tinytc, kernels):
    status, out, err = tinytc("fmt", "kernels.py:double", *CONSTANTS)
    assert (status, err) == (0, "")
    assert out.startswith("func @double(%A: memref<f64x8x?>)")
    status, _, err = tinytc("fmt", "-i", "kernels.py:double", *CONSTANTS)
    assert status == 2
    assert "expected programs of the language, got a kernel in Python" in err


def test_run(tinytc, kernels):
    status, _, err = tinytc("run", "kernels.py:double", *CONSTANTS)
    assert (status, err) == (0, "")


def test_compile_and_explore(tinytc, kernels, tmp_path):
    for command, path in (("compile", "double.spv"), ("explore", "double.html")):
        status, _, err = tinytc(command, "kernels.py:double", "-o", path, *CONSTANTS)
        assert (status, err) == (0, "")
        assert (tmp_path / path).exists()


def test_autotuned_kernels(tinytc, kernels):
    for given, tile in ((), 8), (("-D", "TILE=16"), 16):
        words = ("kernels.py:tuned", "-D", "T=f32", *given)
        assert tinytc("check", *words) == (0, "", "")
        status, out, err = tinytc("lower", "--to", "tinytc", *words)
        assert (status, err) == (0, "")
        assert re.search(rf"axpby.*memref<{tile}xf32", out)
        status, _, err = tinytc("run", *words)
        assert (status, err) == (0, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("kernels.py:doubel",),
            "expected one of the kernels double, broken, tuned, got 'doubel'; did",
        ),
        (("kernels.py:tt",), "expected one of the kernels double, broken, tuned, got <module"),
        (
            ("kernels.py:broken",),
            "kernels.py:10:12: error: expected a name that has a value, got 'y'",
        ),
        (("kernels.py:double",), "double: expected a value of the constant T, got none"),
        (("kernels.py:double", "-D", "N=1"), "double: expected the constants T, M, got 'N'"),
        (("kernels.py:tuned",), "tuned: expected a value of the constant T, got none"),
        (("kernels.py:tuned", "-D", "N=1"), "tuned: expected the constants T, TILE, got 'N'"),
        (("nothing.py:double",), "nothing.py"),
    ],
)
def test_errors(tinytc, kernels, words, message):
    status, _, err = tinytc("lower", "--to", "tinytc", *words)
    assert status == 1
    assert message in err


@pytest.mark.parametrize("command", ["run", "check", "lower", "fmt"])
def test_files_of_python_without_a_kernel(tinytc, tmp_path, command):
    path = tmp_path / "k.py"
    path.write_text("import tinytc_mlir as tt\n\n@tt.kernel\ndef scale(x: tt.f32[8]):\n    pass\n")
    status, _, err = tinytc(command, path)
    assert status == 2
    assert f"expected a kernel in a file of Python, as {path}:scale, got {path}" in err
