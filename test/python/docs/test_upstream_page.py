"""docs/upstream.md lists the tests of what upstream lacks, and names code that exists."""

import pathlib
import re

ROOT = pathlib.Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "upstream.md").read_text()
ROWS = re.findall(r"^\| `([\w-]+\.mlir)` \|", PAGE, re.MULTILINE)


def test_each_test_has_a_row():
    tests = sorted(path.name for path in (ROOT / "test" / "Upstream").glob("*.mlir"))
    assert sorted(ROWS) == tests


def test_the_page_names_files_that_exist():
    paths = re.findall(r"`((?:lib|test)/[\w./]+)`", PAGE)
    assert len(paths) > len(ROWS) / 2
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_tests_run_no_pass_of_ours():
    for path in (ROOT / "test" / "Upstream").glob("*.mlir"):
        assert "--tinytc" not in path.read_text(), path.name
