"""Nothing that is kept between processes is used if others can have written it, by any reader."""

import json
import os
import shutil

import pytest

import tinytc_mlir as tt
from tinytc_bench import native
from tinytc_mlir import cache, trust
from tinytc_mlir.tuning import autotune, store
from tinytc_mlir.tuning.schedule import Schedule, functions_of

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


def others_file(path):
    path.chmod(0o664)


def others_folder(path):
    path.parent.chmod(0o777)


def link(path):
    path.rename(path.with_name("moved"))
    path.symlink_to("moved")


def linked_folder(path):
    moved = path.parent.with_name("moved")
    path.parent.rename(moved)
    path.parent.symlink_to(moved)


def foreign_file(path):
    os.chown(path, 12345, -1)


def foreign_folder(path):
    os.chown(path.parent, 12345, -1)


def foreign_sticky_folder(path):
    foreign_folder(path)
    path.parent.chmod(0o1777)


def pipe(path):
    path.unlink()
    os.mkfifo(path, 0o600)


CHANGES = [
    *(others_file, others_folder, link, linked_folder, pipe),
    *(pytest.param(each, marks=needs_root) for each in (foreign_file, foreign_folder)),
    pytest.param(foreign_sticky_folder, marks=needs_root),
]


@pytest.fixture
def root(tmp_path, monkeypatch):
    """Keep files in a folder of the test."""
    monkeypatch.setenv("TINYTC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("TINYTC_VERIFY_EACH", raising=False)
    return tmp_path / "cache"


TEXT = "func @f(%x: f32, %A: memref<f32x4>) { %b = constant 1.0 : f32 axpby.n %x, %A, %b, %A }"


def compile_():
    return tt.Context().parse(TEXT, "f.ir").compile("cpu")


class Source:
    """The text that is known to be valid."""

    def __init__(self):
        compile_()
        (self.path,) = cache.folder().glob("*.source")

    def is_used(self):
        return cache.load(self.path) is not None


class Compiled:
    """A compiled program."""

    def __init__(self):
        compile_()
        (self.path,) = cache.folder().glob("*.program")

    def is_used(self):
        return cache.load(self.path) is not None


class Device:
    """What the driver has built of a program."""

    def __init__(self):
        program = compile_()
        tt.prebuild([program])
        (self.path,) = cache.folder().glob("*.device")

    def is_used(self):
        return cache.load(self.path) is not None


class Note:
    """What `tinytc cache list` prints of an entry."""

    def __init__(self):
        compile_()
        (self.path,) = cache.folder().glob("*.program")

    def is_used(self):
        return any(cache.note_of(each) for each in cache.entries() if each.path == self.path)


class Winner:
    """A schedule that `tinytc tune` has found."""

    def __init__(self):
        module = tt.Context().parse(TEXT)
        function = dict(functions_of(module.operation))["f"]
        self.path = store.path_of(function, "cpu", "a device")
        store.save(self.path, Schedule(columns=2), {})

    def is_used(self):
        return store.load(self.path) is not None


class Trials:
    """What `tt.autotune` has found."""

    def __init__(self):
        self.path = store.folder() / f"auto-{'0' * 32}.json"
        self._combinations = [{"N": 1}]
        trial = autotune.AutotuneTrial(self._combinations[0], None, "it failed")
        autotune._store(self.path, self._combinations, [trial])

    def is_used(self):
        return bool(autotune._stored(self.path, self._combinations))


class Library:
    """C code of the benchmark; it is compiled again if that is not used."""

    def __init__(self):
        native.library.cache_clear()
        assert native.library("ceilings")
        (self.path,) = cache.folder().glob("*.library")

    @staticmethod
    def _refuse(*words, **options):
        raise FileNotFoundError("the compiler is not called")

    def is_used(self):
        native.library.cache_clear()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(native.subprocess, "run", self._refuse)
            try:
                return bool(native.library("ceilings"))
            except native.NativeError:
                return False
            finally:
                native.library.cache_clear()


needs_cc = pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
READERS = [
    *(Source, Compiled, Device, Note, Winner, Trials),
    pytest.param(Library, marks=needs_cc),
]


@pytest.mark.filterwarnings("ignore:expected a file and a folder that only you can write")
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("reader", READERS)
def test_reader(root, reader, change):
    made = reader()
    assert made.is_used()
    change(made.path)
    assert not made.is_used()


@pytest.mark.parametrize("reader", READERS)
def test_sticky_folder_is_used(root, reader):
    made = reader()
    made.path.parent.chmod(0o1777)
    assert made.is_used()


@pytest.mark.parametrize("reader", READERS)
def test_nobody_else_can_read_or_write(root, reader):
    old = os.umask(0)
    try:
        made = reader()
    finally:
        os.umask(old)
    assert made.path.stat().st_mode & 0o777 == 0o600
    assert made.path.parent.stat().st_mode & 0o777 == 0o700
    assert made.is_used()


def test_what_would_not_be_used_is_not_written(root):
    made = Winner()
    made.path.parent.chmod(0o777)
    with pytest.raises(trust.UntrustedError, match="expected what nobody else can write"):
        store.save(made.path, Schedule(columns=4), {})
    assert json.loads(made.path.read_text())["schedule"]["columns"] == 2


def test_winners_that_are_not_used_are_warned_of(root):
    made = Winner()
    made.path.chmod(0o666)
    message = f"that only you can write, got {made.path}: .* is not used"
    with pytest.warns(UserWarning, match=message):
        assert store.load(made.path) is None
