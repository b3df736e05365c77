"""Functions that are inlined from other files keep their places."""

import numpy as np
import pytest

import tinytc_mlir as tt

HELPERS = """import tinytc_mlir as tt


@tt.inline
def wrong(x):
    x[0, 0] = 1.0


@tt.inline
def short(A, x):
    x[:] = A @ x


@tt.inline
def checked(x):
    assert x > 0, "positive"
"""
KERNELS = """import tinytc_mlir as tt
from helpers_of_kernels import checked, short, wrong


@tt.kernel
def unreadable(x: tt.f32[8]):
    wrong(x)
    y = missing


@tt.kernel
def refused(A: tt.f32[8, 4], x: tt.f32[8]):
    short(A, x)


@tt.kernel
def asserting(s: tt.f32):
    checked(s)
"""


@pytest.fixture
def scope(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "helpers_of_kernels", raising=False)
    (tmp_path / "helpers_of_kernels.py").write_text(HELPERS)
    path = tmp_path / "kernels.py"
    path.write_text(KERNELS)
    found = {}
    exec(compile(KERNELS, str(path), "exec"), found)
    return found


def places(error):
    return [(d.filename.rsplit("/", 1)[-1], d.line, d.column) for d in error.diagnostics]


def test_what_cannot_be_read(scope):
    with pytest.raises(tt.ParseError) as caught:
        scope["unreadable"].text  # noqa: B018
    assert set(places(caught.value)) == {("helpers_of_kernels.py", 6, 5), ("kernels.py", 8, 9)}
    first = next(d for d in caught.value.diagnostics if d.line == 6)
    assert first.excerpt == "    x[0, 0] = 1.0"
    (note,) = first.notes
    assert (note.message, note.line, note.excerpt) == ("'wrong' is called here", 7, "    wrong(x)")
    assert note.filename.endswith("/kernels.py")


def test_what_the_verifier_refuses(scope):
    with pytest.raises(tt.CompileError) as caught:
        scope["refused"].text  # noqa: B018
    ((filename, line, _),) = places(caught.value)
    assert (filename, line) == ("helpers_of_kernels.py", 11)
    assert caught.value.diagnostics[0].excerpt == "    x[:] = A @ x"


def test_debug_builds(scope):
    kernel = scope["asserting"].compile("cpu", debug=True)["asserting"]
    kernel(1.0)
    with pytest.raises(tt.CheckError) as caught:
        kernel(-1.0, groups=np.int64(1))
    message, line, _ = str(caught.value).splitlines()
    assert "helpers_of_kernels.py:16:5: error: expected 'x > 0: positive' to be true" in message
    assert line == '    assert x > 0, "positive"'
