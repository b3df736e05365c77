"""Commands take `module.py:name`."""

import pytest

TEXT = """import tinytc_mlir as tt

@tt.kernel
def double(A: "T[M, None]", T: tt.const, M: tt.const):
    i = tt.group_id
    A[:, i] = 2 * A[:, i]

@tt.kernel
def broken(x: tt.f32[8]):
    x[:] = y
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


def test_run(tinytc, kernels):
    status, _, err = tinytc("run", "kernels.py:double", *CONSTANTS)
    assert (status, err) == (0, "")


def test_compile_and_explore(tinytc, kernels, tmp_path):
    for command, path in (("compile", "double.spv"), ("explore", "double.html")):
        status, _, err = tinytc(command, "kernels.py:double", "-o", path, *CONSTANTS)
        assert (status, err) == (0, "")
        assert (tmp_path / path).exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("kernels.py:doubel",), "expected one of the kernels double, broken, got 'doubel'; did"),
        (("kernels.py:tt",), "expected one of the kernels double, broken, got <module"),
        (
            ("kernels.py:broken",),
            "kernels.py:10:12: error: expected a name that has a value, got 'y'",
        ),
        (("kernels.py:double",), "double: expected a value of the constant T, got none"),
        (("kernels.py:double", "-D", "N=1"), "double: expected the constants T, M, got 'N'"),
        (("nothing.py:double",), "nothing.py"),
    ],
)
def test_errors(tinytc, kernels, words, message):
    status, _, err = tinytc("lower", "--to", "tinytc", *words)
    assert status == 1
    assert message in err
