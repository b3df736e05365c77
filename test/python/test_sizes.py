"""No file of the tests is so long that nobody reads it."""

import pathlib

TESTS = pathlib.Path(__file__).parents[1]
LONGEST = 300
SUFFIXES = (".py", ".mlir")


def test_files():
    paths = [path for path in TESTS.rglob("*") if path.suffix in SUFFIXES]
    assert {path.suffix for path in paths} == set(SUFFIXES)
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    too_long = {str(p.relative_to(TESTS)): n for p, n in lengths.items() if n > LONGEST}
    assert not too_long, f"expected at most {LONGEST} lines, got {too_long}"
