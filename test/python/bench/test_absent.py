"""`tinytc bench` where the package of the benchmark is not installed."""

import pathlib
import sys
import types

import pytest

from tinytc_mlir import cli
from tinytc_mlir.cli import man

ROOT = pathlib.Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def without_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "tinytc_bench", None)


@pytest.mark.parametrize("words", [[], ["gpu"], ["--only", "gemm.f32", "--quick"], ["--help"]])
def test_bench_says_how_to_get_it(tinytc, words):
    status, out, err = tinytc("bench", *words)
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(
        "tinytc: error: expected the package tinytc_bench for `tinytc bench`, got"
    )
    assert err.endswith("pip install 'tinytc-mlir[bench]', or ./bench of the sources\n")


def test_other_commands_work(tinytc, capsys):
    assert tinytc("check", ROOT / "examples" / "fused_kernel.ir")[0] == 0
    assert " tune bench cache " in tinytc("completion", "fish")[1]
    assert man.pages(cli.make_parser())["tinytc-bench"]
    with pytest.raises(SystemExit):
        tinytc("--help")
    assert "compare our kernels with those of libraries" in capsys.readouterr().out


def test_a_package_that_does_not_fit(tinytc, tmp_path, monkeypatch):
    """One of another version may ask for names that are gone."""
    (tmp_path / "command.py").write_text("from tinytc_mlir.errors import Gone\n")
    package = types.ModuleType("tinytc_bench")
    package.__path__ = [str(tmp_path)]
    monkeypatch.setitem(sys.modules, "tinytc_bench", package)
    monkeypatch.delitem(sys.modules, "tinytc_bench.command", raising=False)
    status, _, err = tinytc("bench", "--help")
    assert (status, err.count("\n")) == (1, 1)
    assert "got none (cannot import name '" in err
