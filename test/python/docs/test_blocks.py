"""Pages with files and commands: blocks run in order, with nothing but what the page gives."""

import os
import pathlib
import re

import pytest

import pages


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """A working folder with the tests of the tree, and the environment of commands."""
    path = pages.tools(tmp_path / "bin")
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "test").symlink_to(pages.ROOT / "test")
    monkeypatch.chdir(folder)
    return os.environ | {"PATH": path}


def test_tile(environment, capfd):
    printed = pages.run("tile.md", environment)
    assert "tile.entry @gemm" in capfd.readouterr().out
    assert "tile.entry @scale" in printed
    for name in ("gemm.tileirbc", "gemm.tinytcb", "scale.tileirbc", "scale.cubin"):
        assert pathlib.Path(name).stat().st_size > 100


def test_commands_for_nvidia(environment):
    printed = pages.run("nvidia.md", environment, python=False)
    assert ".visible .entry gemm" in printed
    assert pathlib.Path("gemm.tinytcb").exists()
    assert printed.count("usage:") == 2


def test_switches(environment):
    printed = pages.run("switches.md", environment)
    (folder,) = pathlib.Path("dump").iterdir()
    assert re.fullmatch("scale-[0-9a-f]{12}", folder.name)
    files = {path.name for path in folder.iterdir()}
    text = (pages.ROOT / "docs" / "switches.md").read_text(encoding="utf-8")
    table = text.partition("| file | what is in it |")[2].partition("\n\n")[0]
    assert files == set(re.findall(r"`([\w.]+\w)`", table))
    assert (pathlib.Path("edited") / folder.name / "gpu.mlir").read_text().endswith("// edited\n")
    assert "UserWarning" not in printed


def test_errors(environment, capsys):
    pages.run("errors.md", environment)
    printed = capsys.readouterr().out
    shown = [block.text for block in pages.blocks("errors.md", "text")]
    assert printed == "".join(shown)


EXTRAS = [
    (path.name, extra)
    for path in sorted((pages.ROOT / "docs").glob("*.md"))
    for extra in re.findall(r"pip install 'tinytc-mlir\[(\w+)\]'", path.read_text("utf-8"))
]


@pytest.mark.parametrize(("page", "extra"), EXTRAS)
def test_extras_exist(page, extra):
    text = (pages.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = text.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    assert extra in re.findall(r"^(\w+) = \[", block, re.M)
