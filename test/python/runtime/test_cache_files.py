"""Files of the cache: whose are used, which are deleted, and none that is damaged."""

import os
import stat

import pytest

import tinytc_mlir as tt
from tinytc_mlir import cache

NAMES = [f"{number:032x}.device" for number in range(5)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Keep files in a folder of the test."""
    monkeypatch.setenv("TINYTC_CACHE_DIR", str(tmp_path / "a\tb\n"))
    monkeypatch.setattr(cache._writer, "_rest_bytes", cache.MAX_BYTES)
    return tmp_path / "a\tb\n" / "compiled"


@pytest.fixture
def path(folder):
    """Return an entry."""
    cache.save(folder / NAMES[0], b"code", {"kernels": ["f"]})
    return folder / NAMES[0]


def program(name="nothing"):
    return tt.Context().parse(f"func @{name}(%x: f32) {{ }}").compile("cpu")


def test_nobody_else_can_read_or_write(folder):
    old = os.umask(0)
    try:
        cache.save(folder / NAMES[0], b"code", {})
    finally:
        os.umask(old)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / NAMES[0]).stat().st_mode) == 0o600
    assert cache.load(folder / NAMES[0]) == b"code"


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_is_not_used(path, mode):
    path.chmod(mode)
    assert cache.load(path) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_file_of_another_user_is_not_used(path):
    os.chown(path, 12345, -1)
    assert cache.load(path) is None
    cache.save(path, b"other", {})
    assert cache.load(path) == b"other"


def test_every_flipped_bit_is_found(path):
    whole = path.read_bytes()
    for position in range(8 * len(whole)):
        data = bytearray(whole)
        data[position // 8] ^= 1 << position % 8
        path.write_bytes(data)
        assert cache.load(path) is None, position
    path.write_bytes(whole)
    assert cache.load(path) == b"code"


def test_every_truncation_is_found(path):
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        assert cache.load(path) is None, size
    path.write_bytes(whole + b"\0")
    assert cache.load(path) is None


def test_the_file_of_another_entry_is_not_used(path):
    path.rename(path.with_name(NAMES[1]))
    assert cache.load(path.with_name(NAMES[1])) is None


def test_a_link_is_not_followed(path):
    link = path.parent / "x" / path.name
    link.parent.mkdir()
    link.symlink_to(path)
    assert cache.load(link) is None
    cache.save(link, b"other", {})
    assert cache.load(link) == b"other"
    assert cache.load(path) == b"code"


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_what_is_not_a_file_is_not_used(path, make):
    path.unlink()
    make(path)
    assert cache.load(path) is None


def test_a_folder_that_is_read_only(path):
    path.parent.chmod(0o500)
    try:
        assert cache.load(path) == b"code"
        cache.evict()
    finally:
        path.parent.chmod(0o700)


def test_what_cannot_be_written_is_left_out(folder, monkeypatch):
    folder.parent.write_text("a file")
    cache.keep(folder / NAMES[0], b"code", {})
    assert cache.load(folder / NAMES[0]) is None
    with pytest.raises(NotADirectoryError):
        cache.save(folder / NAMES[0], b"code", {})
    assert cache.entries() == []


def test_files_used_longest_ago_are_deleted(folder):
    for number, name in enumerate(NAMES):
        cache.save(folder / name, b"x" * 50, {})  # and 50 of head and note
        os.utime(folder / name, (number, 9 - number))
    (folder / "notes.bin").write_bytes(b"x" * 1000)
    assert cache.load(folder / NAMES[1]) is not None  # uses it
    cache.evict(limit_bytes=250)
    left = sorted(path.name for path in folder.iterdir())
    assert left == [NAMES[1], NAMES[4], "notes.bin"]


def test_writers_keep_the_limit(folder, monkeypatch):
    """The first entry of a process looks for others, and so do later ones now and then."""
    monkeypatch.setattr(cache, "MAX_BYTES", 1600)
    monkeypatch.setattr(cache._writer, "_rest_bytes", 0)
    for number in range(64):
        path = cache.path_of(cache.DEVICE, number)
        cache.save(path, b"x" * 100, {})
        os.utime(path, (number, number))
        size_bytes = sum(path.stat().st_size for path in folder.iterdir())
        assert size_bytes <= 1600 + 2 * path.stat().st_size
    assert cache.load(path) == b"x" * 100


def test_rests_of_killed_writers_are_deleted(path):
    old, new = (path.parent / f".tinytc-{digit * 16}.tmp" for digit in "01")
    for file in (old, new):
        file.write_bytes(b"part")
    os.utime(old, (1, 1))
    cache.evict()
    assert not old.exists()
    assert new.exists()
    assert path.exists()


def test_prebuild_keeps_the_limit(folder, monkeypatch):
    tt.prebuild([program("first")])
    (path,) = folder.iterdir()
    os.utime(path, (1, 1))
    monkeypatch.setattr(cache, "MAX_BYTES", path.stat().st_size + 100)
    tt.prebuild([program("second")])
    (left,) = folder.iterdir()
    assert left != path


def test_the_default_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("TINYTC_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == tmp_path / "tinytc" / "compiled"


@pytest.mark.parametrize("value", ["", "0", "off", "OFF"])
def test_nothing_is_kept(folder, monkeypatch, value):
    monkeypatch.setenv("TINYTC_CACHE_DIR", value)
    assert cache.folder() is cache.path_of(cache.DEVICE, 1) is None
    cache.keep(cache.path_of(cache.DEVICE, 1), b"code", {})
    assert cache.load(cache.path_of(cache.DEVICE, 1)) is None
    assert cache.entries() == []
    assert cache.clear() == (0, 0)
    assert not folder.parent.exists()


def test_two_versions_beside_each_other(path, monkeypatch):
    key = {"key": 1}
    cache.keep(cache.path_of(cache.DEVICE, key), b"old", {})
    monkeypatch.setattr(cache, "_VERSION", 2)
    new = cache.path_of(cache.DEVICE, key)
    assert cache.load(new) is None
    cache.keep(new, b"new", {})
    assert cache.load(new) == b"new"
    monkeypatch.undo()
    monkeypatch.setenv("TINYTC_CACHE_DIR", str(path.parents[1]))
    assert cache.load(cache.path_of(cache.DEVICE, key)) == b"old"
    assert cache.load(new) is None
