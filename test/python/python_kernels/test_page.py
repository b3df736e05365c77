"""The page about kernels in Python runs, and its error is what is printed."""

import pathlib
import re

import pytest

import tinytc_mlir as tt

ROOT = pathlib.Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "python-kernels.md").read_text(encoding="utf-8")


def blocks(language):
    """Return the blocks of code of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.M | re.S)


def run(text, path):
    """Run a text as a file, and return its names."""
    path.write_text(text)
    scope = {}
    exec(compile(text, str(path), "exec"), scope)
    return scope


def test_blocks(tmp_path, capsys):
    run("\n".join(blocks("python")), tmp_path / "page.py")
    assert "gemm.n.t %alpha" in capsys.readouterr().out


def test_the_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (error,) = blocks("text")
    types = ", ".join(f"{name}: tt.f32[8, 8]" for name in "ABC")
    text = (
        f"import tinytc_mlir as tt\n\n\n\n\n\n@tt.kernel\ndef f({types}):\n    C[:] = A @ B + A.T\n"
    )
    path = pathlib.Path("kernels.py")
    with pytest.raises(tt.ParseError) as caught:
        run(text, path)["f"].text  # noqa: B018
    assert f"{caught.value}\n" == error
