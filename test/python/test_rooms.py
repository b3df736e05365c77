"""Rooms of lib/ include what lib/CMakeLists.txt says, in the columns of docs/architecture.md."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]


def dependencies():
    """Return the rooms that each room of lib/ names, by its folder."""
    text = (ROOT / "lib" / "CMakeLists.txt").read_text()
    calls = re.findall(r"^add_tinytc_room\(([^)]*)\)", text, re.MULTILINE)
    return {folder: names for folder, *names in map(str.split, calls)}


def rooms_below():
    """Return the folders that each room can include, by its folder."""
    below = {}
    for folder, names in dependencies().items():  # from the lowest to the highest
        direct = [other for other in below if other.rsplit("/", 1)[-1] in names]
        below[folder] = {folder, *direct}.union(*(below[other] for other in direct))
    return below


def included_folders(folder):
    """Yield the folder of each header of ours that a room includes, and the line."""
    for path in [*(ROOT / "lib" / folder).glob("*.cpp"), *(ROOT / "lib" / folder).glob("*.h")]:
        for line in re.findall(r'^#include "(?:lib|dialect)/.*"', path.read_text(), re.MULTILINE):
            header = pathlib.PurePosixPath(line.split('"')[1])
            yield header.parent, f"{path.relative_to(ROOT)}: {line}"


def columns():
    """Return the column of each room in the drawing, which includes those to its right."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    drawing = re.search(r"```text\n(CAPI .*?)```", text, re.DOTALL).group(1)
    return {
        match.group().rsplit("/", 1)[-1]: match.start()
        for line in drawing.splitlines()
        for match in re.finditer(r"[A-Za-z][\w/]*", line)
    }


def test_the_drawing_names_every_room():
    assert set(columns()) == {folder.rsplit("/", 1)[-1] for folder in dependencies()}


@pytest.mark.parametrize("folder", dependencies())
def test_arrows_point_down(folder):
    for below in dependencies()[folder]:
        assert columns()[folder.rsplit("/", 1)[-1]] < columns()[below]


@pytest.mark.parametrize("folder", dependencies())
def test_includes_point_down(folder):
    below = rooms_below()[folder]
    allowed = {pathlib.PurePosixPath("lib") / other for other in below}
    if "IR" in below:
        allowed.add(pathlib.PurePosixPath("dialect"))
    if "Tile" in below:
        allowed.add(pathlib.PurePosixPath("dialect/tile"))
    assert not [line for header, line in included_folders(folder) if header not in allowed]


def test_every_folder_of_sources_is_a_room():
    folders = {path.parent.relative_to(ROOT / "lib") for path in (ROOT / "lib").rglob("*.cpp")}
    assert {folder.as_posix() for folder in folders} == set(dependencies())


def test_every_room_is_in_one_library():
    text = (ROOT / "lib" / "CMakeLists.txt").read_text()
    rooms = [
        room
        for call in re.findall(r"^add_tinytc_library\(([^)]*)\)", text, re.MULTILINE)
        for room in re.search(r"ROOMS ([\w\s]*?)(?:LINK|$)", call).group(1).split()
    ]
    assert sorted(rooms) == sorted(folder.rsplit("/", 1)[-1] for folder in dependencies())
