"""What mypy and pyright say of two files of a user, one without mistakes and one with some."""

import json
import pathlib
import subprocess
import sys

import pytest

import tinytc_mlir as tt

PACKAGE = pathlib.Path(tt.__file__).parent
PLUGIN = "plugins = tinytc_mlir.kernels.mypy_plugin\n"


def marked(text):
    """Return the places of lines with a comment, which says what is wrong."""
    lines = enumerate(text.splitlines(), 1)
    return sorted(("bad.py", number) for number, line in lines if "#" in line)


def write_files(folder, good, bad, plugins=""):
    """Write both files and the settings of both type checkers."""
    (folder / "good.py").write_text(good)
    (folder / "bad.py").write_text(bad)
    # As for an installed package, its own modules are trusted.
    (folder / "mypy.ini").write_text(
        f"[mypy]\nstrict = true\n{plugins}"
        "[mypy-tinytc_mlir.*]\nfollow_imports = silent\n"
        "[mypy-mlir.*]\nignore_missing_imports = true\nfollow_imports = skip\n"
        "[mypy-jax.*,torch.*]\nfollow_imports = skip\n"  # whose types take five times as long
    )
    settings = {"extraPaths": [str(PACKAGE.parent)], "typeCheckingMode": "standard"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))


def _run(folder, *words):
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "PYTHONPATH": str(PACKAGE.parent)}
    if "site-packages" not in PACKAGE.parts:  # else mypy finds it, and refuses to be told
        environment["MYPYPATH"] = str(PACKAGE.parent)
    command = [sys.executable, "-m", *words, "good.py", "bad.py"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def mypy_errors(folder):
    """Return the output of mypy, and the places of errors."""
    pytest.importorskip("mypy")
    found = _run(folder, "mypy")
    errors = [line.split(":", 2) for line in found.stdout.splitlines() if ": error:" in line]
    return found.stdout + found.stderr, sorted({(file, int(line)) for file, line, _ in errors})


def pyright_errors(folder):
    """Return what pyright finds, and the places of errors."""
    pytest.importorskip("pyright")
    result = _run(folder, "pyright", "--outputjson", "--pythonpath", sys.executable)
    if not result.stdout.startswith("{"):  # its package loads the checker from the network once
        pytest.skip(f"pyright cannot start: {result.stderr}")
    found = json.loads(result.stdout)["generalDiagnostics"]
    found = [each for each in found if each["severity"] == "error"]
    errors = {(pathlib.Path(e["file"]).name, e["range"]["start"]["line"] + 1) for e in found}
    return found, sorted(errors)
