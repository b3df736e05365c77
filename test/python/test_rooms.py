"""The drawing of the libraries in docs/architecture.md is that of lib/CMakeLists.txt."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]


def dependencies():
    """Return the libraries that each library of lib/ names, by its folder."""
    text = (ROOT / "lib" / "CMakeLists.txt").read_text()
    calls = re.findall(r"^add_tinytc_library\(([^)]*)\)", text, re.MULTILINE)
    return {folder: names for folder, *names in map(str.split, calls)}


def columns():
    """Return the column of each library in the drawing, where arrows point to the right."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    drawing = re.search(r"```text\n(CAPI .*?)```", text, re.DOTALL).group(1)
    return {
        match.group().rsplit("/", 1)[-1]: match.start()
        for line in drawing.splitlines()
        for match in re.finditer(r"[A-Za-z][\w/]*", line)
    }


def test_the_drawing_names_every_library():
    assert set(columns()) == {folder.rsplit("/", 1)[-1] for folder in dependencies()}


@pytest.mark.parametrize("folder", dependencies())
def test_arrows_point_down(folder):
    for below in dependencies()[folder]:
        assert columns()[folder.rsplit("/", 1)[-1]] < columns()[below]
