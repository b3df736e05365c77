"""The page on stability agrees with the code."""

import ast
import pathlib
import re

from tinytc_mlir.runtime import container, manifest

ROOT = pathlib.Path(__file__).parents[3]
TEXT = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")
NETWORK = {"ftplib", "http", "requests", "smtplib", "socket", "ssl", "urllib", "xmlrpc"}


def test_versions_of_files():
    written, *_, last = re.search(r"format (\d) is written; (\d) and (\d) are read", TEXT).groups()
    assert int(written) == int(last) == container.FORMAT_VERSION
    assert container._READABLE_VERSIONS == (1, 2)
    assert f"several targets has format {container.BUNDLE_VERSION}" in TEXT
    assert f"version {manifest.VERSION}; readers of it" in TEXT


def test_nothing_uses_the_network():
    found = {}
    for path in (ROOT / "python" / "tinytc_mlir").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                names.append(node.module)
            used = {name.partition(".")[0] for name in names} & NETWORK
            found |= {f"{path.name}: {name}": name for name in used}
    assert not found
