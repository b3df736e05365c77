"""Writing files: whole or not at all, in place where there is no file to replace."""

import os
import pathlib
import stat
import subprocess
import sys
import threading

import pytest

import handmade
import tinytc_mlir as tt
from tinytc_mlir import files
from tinytc_mlir.files import write_atomically

OLD, NEW = b"old\n", b"new" * 10_000


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "p"
    path.write_bytes(OLD)
    return path


def test_replaces_and_leaves_nothing_else(path):
    write_atomically(path, NEW)
    assert path.read_bytes() == NEW
    assert names(path.parent) == ["p"]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o4640])
def test_keeps_the_mode(path, mode):
    path.chmod(mode)
    write_atomically(path, NEW)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_new_file_follows_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "p", NEW)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "p").stat().st_mode) == 0o640


def test_keeps_the_owner(path):
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    os.chown(path, 12345, 54321)
    write_atomically(path, NEW)
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 54321)


def test_follows_links(path):
    folder = path.parent / "folder"
    folder.mkdir()
    link = folder / "link"
    link.symlink_to("../p")
    chain = path.parent / "chain"
    chain.symlink_to("folder/link")
    write_atomically(chain, NEW)
    assert path.read_bytes() == NEW
    assert (link.is_symlink(), chain.is_symlink()) == (True, True)
    assert (names(folder), names(path.parent)) == (["link"], ["chain", "folder", "p"])


def test_makes_what_a_link_names(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("absent")
    write_atomically(link, NEW)
    assert link.is_symlink()
    assert (tmp_path / "absent").read_bytes() == NEW


def test_refuses_circles_of_links(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links"):
        write_atomically(tmp_path / "a", NEW)
    assert names(tmp_path) == ["a", "b"]


def test_writes_pipes_in_place(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read = []
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    write_atomically(path, NEW)
    reader.join()
    assert read == [NEW]
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_writes_devices_in_place():
    parent, child = os.openpty()
    try:
        write_atomically(os.ttyname(child), b"text")
        assert os.read(parent, 100) == b"text"
        write_atomically(os.ttyname(child), b"more")
        assert os.read(parent, 100) == b"more"
    finally:
        os.close(parent)
        os.close(child)


def test_writes_open_files_in_place(path):
    """A shell's `-o /dev/stdout > p` must not give the name to a file that nobody has open."""
    code = (
        "from tinytc_mlir.files import write_atomically as w; "
        "w('/dev/stdout', b'one '); print('two')"
    )
    with path.open("ab") as output:
        subprocess.run([sys.executable, "-c", code], stdout=output, check=True)
    assert path.read_bytes() == OLD + b"one two\n"


LIMITED = """
import resource, sys
import handmade
from tinytc_mlir.files import write_atomically
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    {call}
except OSError as error:
    print(error.filename)
"""


@pytest.mark.parametrize("call", ["write_atomically(name, bytes(5000))", "program.save(name)"])
def test_full_disk_leaves_the_old_file(path, call):
    code = LIMITED.format(call=f"name = {str(path)!r}; program = handmade.scale(); {call}")
    folders = [str(pathlib.Path(handmade.__file__).parent), *sys.path]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(folders)}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment)
    assert result.stdout.decode() == f"{path}\n", result.stderr.decode()
    assert path.read_bytes() == OLD
    assert names(path.parent) == ["p"]


def test_interrupted_write_leaves_the_old_file(path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, NEW)
    assert path.read_bytes() == OLD
    assert names(path.parent) == ["p"]


def test_threads_that_save_to_one_path(tmp_path):
    path = tmp_path / "p.tinytc"
    program = handmade.scale()
    errors = []

    def save():
        try:
            for _ in range(20):
                program.save(path)
        except OSError as error:
            errors.append(error)

    threads = [threading.Thread(target=save) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert tt.load(path).spirv == program.spirv
    assert names(tmp_path) == ["p.tinytc"]


REFUSED = [
    ("", FileNotFoundError),
    ("a\0b", OSError),
    ("\ud800", OSError),
    ("{}", IsADirectoryError),
    ("{}/absent/", IsADirectoryError),
    ("{}/absent/p", FileNotFoundError),
    ("{}/" + "n" * 300, OSError),
    (None, tt.TinyTCError),
    (3, tt.TinyTCError),
    (["p"], tt.TinyTCError),
]


@pytest.mark.parametrize(("name", "error"), REFUSED)
def test_refused_paths(tmp_path, name, error):
    name = name.format(tmp_path) if isinstance(name, str) else name
    for use in (handmade.scale().save, tt.load, tt.Context().parse_file):
        with pytest.raises((error, OSError) if error is IsADirectoryError else error):
            use(name)
    assert names(tmp_path) == []


def test_long_names(tmp_path):
    path = tmp_path / ("n" * 255)
    write_atomically(path, NEW)
    write_atomically(path, OLD)
    assert path.read_bytes() == OLD
