"""Files of device code: whose are used and which are deleted."""

import os
import stat
import threading

import pytest

import tinytc_mlir as tt
from tinytc_mlir.runtime import binaries

NAMES = [f"{number:032x}.bin" for number in range(5)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Keep files in a folder of the test."""
    folder = tmp_path / "a\tb\n" / "binaries"
    monkeypatch.setenv("TINYTC_BINARIES", str(folder))
    return folder


@pytest.fixture
def path(folder):
    """Return a file with code in it."""
    binaries.save(folder / NAMES[0], b"code")
    return folder / NAMES[0]


def program(name="nothing"):
    return tt.Context().parse(f"func @{name}(%x: f32) {{ }}").compile("cpu")


def test_nobody_else_can_read_or_write(folder):
    old = os.umask(0)
    try:
        binaries.save(folder / NAMES[0], b"code")
    finally:
        os.umask(old)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / NAMES[0]).stat().st_mode) == 0o600
    assert binaries.load(folder / NAMES[0]) == b"code"


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_is_not_used(path, mode):
    path.chmod(mode)
    assert binaries.load(path) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_file_of_another_user_is_not_used(path):
    os.chown(path, 12345, -1)
    assert binaries.load(path) is None
    binaries.save(path, b"other")
    assert binaries.load(path) == b"other"


def test_the_file_of_another_program_is_not_used(path):
    path.rename(path.with_name(NAMES[1]))
    assert binaries.load(path.with_name(NAMES[1])) is None


def test_a_link_is_not_followed(path):
    link = path.parent / "x" / path.name
    link.parent.mkdir()
    link.symlink_to(path)
    assert binaries.load(link) is None
    binaries.save(link, b"other")
    assert binaries.load(link) == b"other"
    assert binaries.load(path) == b"code"


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_what_is_not_a_file_is_not_used(path, make):
    path.unlink()
    make(path)
    assert binaries.load(path) is None


def test_a_folder_that_is_read_only(path):
    path.parent.chmod(0o500)
    try:
        assert binaries.load(path) == b"code"
        binaries.evict()
    finally:
        path.parent.chmod(0o700)


def test_files_used_longest_ago_are_deleted(folder):
    for number, name in enumerate(NAMES):
        binaries.save(folder / name, b"x" * 68)  # and 32 of the digest
        os.utime(folder / name, (number, 9 - number))
    (folder / "notes.bin").write_bytes(b"x" * 1000)
    assert binaries.load(folder / NAMES[1]) is not None  # uses it
    binaries.evict(limit_bytes=250)
    left = sorted(path.name for path in folder.iterdir())
    assert left == [NAMES[1], NAMES[4], "notes.bin"]


def test_the_doctor_tells_what_is_there(path, tinytc):
    (path.parent / "notes.bin").write_bytes(b"x" * 2**20)
    path.write_bytes(b"x" * 3 * 2**20)
    _, out, _ = tinytc("doctor")
    assert f"ok       device code: 1 file of 3.0 MiB in {path.parent}; delete" in out
    path.parent.chmod(0o777)
    _, out, _ = tinytc("doctor")
    assert f"warning  device code: 1 file of 3.0 MiB in {path.parent}, into which" in out


def test_the_doctor_without_a_folder(folder, tinytc):
    _, out, _ = tinytc("doctor")
    assert "ok       device code: 0 files of 0.0 MiB" in out
    assert not folder.exists()


def test_prebuild_keeps_the_limit(folder, monkeypatch):
    tt.prebuild([program("first")])
    (path,) = folder.iterdir()
    os.utime(path, (1, 1))
    monkeypatch.setattr(binaries, "MAX_BYTES", path.stat().st_size + 100)
    tt.prebuild([program("second")])
    (left,) = folder.iterdir()
    assert left != path


def test_rests_of_killed_writers_are_deleted(path):
    old, new = (path.parent / f".tinytc-{digit * 16}.tmp" for digit in "01")
    for file in (old, new):
        file.write_bytes(b"part")
    os.utime(old, (1, 1))
    binaries.evict()
    assert not old.exists()
    assert new.exists()
    assert path.exists()


def test_writers_at_the_same_time(folder):
    def write():
        for _ in range(20):
            binaries.save(folder / NAMES[0], b"code" * 9999)
            found.append(binaries.load(folder / NAMES[0]) == b"code" * 9999)
            binaries.evict()

    found = []
    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 80
