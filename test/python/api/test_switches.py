"""Environment variables: read in one module, documented, and reported if misspelt."""

import os
import pathlib
import re
import subprocess
import sys
import warnings

import pytest

import tinytc_mlir
from tinytc_mlir import child_processes, switches

ROOT = pathlib.Path(__file__).parents[3]
PACKAGE = pathlib.Path(tinytc_mlir.__file__).parent
EVERY = (*switches.SWITCHES, *switches.TEST_SWITCHES)


def test_only_one_module_knows_the_names():
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if re.search(r"[\"']TINYTC_[A-Z]", path.read_text())
    }
    assert found == {"switches.py"}


def test_tests_read_what_is_listed():
    texts = [
        path.read_text() for path in (ROOT / "test").rglob("*") if path.suffix in (".py", ".sh")
    ]
    words = set(re.findall(r"environ(?:\.get\(|\[)[\"'](TINYTC_\w+)", "\n".join(texts)))
    assert words <= {each.name for each in EVERY}


@pytest.mark.parametrize(
    ("value", "is_on"),
    [("1", True), ("yes", True), ("", False), ("0", False), ("OFF", False), ("no", False)],
)
def test_on_and_off(monkeypatch, value, is_on):
    monkeypatch.setenv("TINYTC_VERIFY_EACH", value)
    assert switches.VERIFY_EACH.is_on() == is_on


def test_folders(monkeypatch):
    monkeypatch.setenv("TINYTC_CACHE_DIR", "some/where")
    assert switches.CACHE_DIR.folder() == pathlib.Path("some/where")
    monkeypatch.setenv("TINYTC_CACHE_DIR", "off")
    assert switches.CACHE_DIR.folder() is None
    monkeypatch.delenv("TINYTC_CACHE_DIR")
    assert switches.CACHE_DIR.folder() is None


def run(code, **variables):
    environment = {**child_processes.environment(), **variables}
    words = [sys.executable, "-c", code]
    return subprocess.run(words, env=environment, capture_output=True, text=True)


def test_an_unknown_variable_warns_once():
    code = "import tinytc_mlir\nfrom tinytc_mlir import recipes, errors"
    result = run(code, TINYTC_VERIFYEACH="1", TINYTC_VERIFY_EACH="1")
    assert result.returncode == 0
    message = (
        r"<string>:1: UserWarning: expected one of the switches TINYTC_\w+(, TINYTC_\w+)*, "
        r"got TINYTC_VERIFYEACH; did you mean 'TINYTC_VERIFY_EACH'\?\n"
    )
    assert re.fullmatch(message, result.stderr), result.stderr


def test_known_variables_do_not_warn():
    result = run("import tinytc_mlir", **{each.name: "1" for each in EVERY})
    assert (result.returncode, result.stderr) == (0, "")


def test_own_processes_do_not_warn_again(monkeypatch):
    monkeypatch.setenv("TINYTC_NOTHING", "1")
    with pytest.warns(UserWarning, match="got TINYTC_NOTHING"):
        switches.warn_of_unknown()
    monkeypatch.setattr(os, "environ", child_processes.environment())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        switches.warn_of_unknown()


def test_own_processes_find_the_same_modules(monkeypatch, tmp_path):
    (tmp_path / "only_here.py").write_text("print('found')")
    monkeypatch.syspath_prepend(tmp_path)
    words = child_processes.module_command("only_here")
    result = subprocess.run(
        words, env=child_processes.environment(), capture_output=True, text=True, cwd="/"
    )
    assert result.stdout == "found\n"
