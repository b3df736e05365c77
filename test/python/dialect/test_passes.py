"""The passes are named alike."""

import pathlib
import re

from tinytc_mlir.compiler import TARGETS

ROOT = pathlib.Path(__file__).parents[3]
DIALECT = ROOT / "dialect"


def test_every_flag_begins_with_the_name_of_the_dialect():
    files = [DIALECT / "Passes.td", *DIALECT.glob("passes/*.td")]
    flags = re.findall(r"Pass<\"([^\"]+)\"", "".join(path.read_text() for path in files))
    assert len(flags) > 30
    assert [flag for flag in flags if not flag.startswith("tinytc-")] == []


def test_the_documentation_lists_every_target():
    text = (ROOT / "docs" / "passes.md").read_text()
    row = re.search(r"^\| `target=` \| (.*) \|$", text, re.MULTILINE).group(1)
    names = re.findall(r"`([^`]*)`", row)
    assert names == list(TARGETS)
    assert f"`{TARGETS[0]}` (the default)" in row
