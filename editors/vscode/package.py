#!/usr/bin/env python3
"""Packages the extension for Visual Studio Code: writes dist/tinytc-VERSION.vsix.

npm fetches vsce and the client of the protocol. With `--grammar`, only the grammar is written, from
the table of tokens.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import runpy
import shutil
import subprocess
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
GRAMMAR = FOLDER / "syntaxes" / "tinytc.tmLanguage.json"
VSCE = "@vscode/vsce@3"


def write_grammar() -> None:
    """Write the TextMate grammar from the table of tokens."""
    from tinytc_mlir.frontend.highlight import textmate_grammar

    GRAMMAR.write_text(textmate_grammar())


def add_repository(path: pathlib.Path, url: str | None) -> None:
    """Name the repository in a package.json, if it has a public address."""
    if url is not None:
        content = json.loads(path.read_text(encoding="utf-8"))
        content["repository"] = {"type": "git", "url": url}
        path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def address() -> str | None:
    """Return the address that pyproject.toml names."""
    return str(runpy.run_path(str(ROOT / "tools" / "repository.py"))["address"]() or "") or None


def package(out: pathlib.Path) -> pathlib.Path:
    """Package a copy of the folder, to which npm adds what the extension needs.

    Args:
        out: folder for the package.
    """
    version = json.loads((FOLDER / "package.json").read_text())["version"]
    out.mkdir(parents=True, exist_ok=True)
    result = out.resolve() / f"tinytc-{version}.vsix"
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "vscode"
        shutil.copytree(FOLDER, copy, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
        shutil.copy(ROOT / "LICENSE", copy)
        add_repository(copy / "package.json", address())
        for words in (
            ["npm", "install", "--omit=dev", "--ignore-scripts", "--no-package-lock", "--no-audit"],
            ["npx", "--yes", VSCE, "package", "--allow-missing-repository", "--out", str(result)],
        ):
            subprocess.run(words, cwd=copy, check=True)
    return result


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--grammar", action="store_true", help="only write the grammar")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "dist", help="folder to write")
    arguments = parser.parse_args()
    write_grammar()
    if not arguments.grammar:
        print(package(arguments.out))


if __name__ == "__main__":
    main()
