"""No file of the tests is so long that nobody reads it, and no two modules share a name."""

import collections
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


def test_module_names():
    """Each directory puts itself on the path: of two modules of a name, all import the first."""
    shared = collections.defaultdict(list)
    for path in TESTS.rglob("*.py"):
        is_module = not path.name.startswith(("test_", "conftest")) and path.name != "__init__.py"
        if is_module and not (path.parent / "__init__.py").exists():
            shared[path.name].append(str(path.relative_to(TESTS)))
    assert shared
    twice = [paths for paths in shared.values() if len(paths) > 1]
    assert not twice, f"expected one module of each name, got {twice}"
