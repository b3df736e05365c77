"""Builds that the CPU driver does not survive: a real program on which it calls `abort`."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest

import tinytc_mlir as tt
from tinytc_mlir import cache
from tinytc_mlir.runtime.spirv import fatal_builds

ASSEMBLY = pathlib.Path(__file__).with_name("strided_shorts.spvasm")
TEXT = "func @strided(%A: memref<i16x64>, %B: memref<i16x64>) { }"
WORDS = "Cannot emit physreg copy instruction"
NO_ANSWER = r"cannot build 'strided': expected device code, got the end of the process"
# Of processors with AVX-512, whatever this one is.
ARCHITECTURE = "CL_CONFIG_CPU_TARGET_ARCH"
LAUNCH = """
import sys
import numpy as np
import tinytc_mlir as tt
a = np.zeros(64, np.int16)
try:
    tt.load(sys.argv[1])["strided"](a, a.copy(), groups=1)
except tt.DeviceError as error:
    print(error)
"""

pytestmark = pytest.mark.skipif(not shutil.which("spirv-as"), reason="needs spirv-as")


@pytest.fixture(autouse=True, scope="module")
def driver():
    """Let the driver of this process read its options before the tests change them."""
    good_program("first")["first"](1.0, groups=1)


@pytest.fixture(autouse=True)
def environment(tmp_path, monkeypatch):
    for name, value in {
        ARCHITECTURE: "skx",
        "TINYTC_CACHE_DIR": str(tmp_path / "cache"),
        "TMPDIR": str(tmp_path),
    }.items():
        monkeypatch.setenv(name, value)
    yield
    fatal_builds._fatal.clear()
    fatal_builds._builder.close()


@pytest.fixture
def program(tmp_path):
    """Return a program that ends the process which builds it."""
    path = tmp_path / "strided.spv"
    words = ["spirv-as", "--target-env", "spv1.4", str(ASSEMBLY), "-o", str(path)]
    subprocess.run(words, check=True)
    manifest = tt.Context().parse(TEXT).compile("cpu").manifest
    return tt.Program(path.read_bytes(), manifest)


def good_program(name="scale"):
    return tt.Context().parse(f"func @{name}(%x: f32) {{ }}").compile("cpu")


def launched(program, folder, **environment):
    """Launch a program in a process of its own."""
    path = folder / "strided.tinytc"
    program.save(path)
    return subprocess.run(
        [sys.executable, "-c", LAUNCH, str(path)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
    )


def unfinished(folder):
    return list((folder / "cache" / "compiled").glob(f"*.{cache.UNFINISHED}"))


def test_a_launch_has_last_words(program, tmp_path):
    done = launched(program, tmp_path)
    assert done.returncode == -signal.SIGABRT
    assert "ended this process while it built 'strided'" in done.stderr
    assert "TINYTC_BUILD_APART=1" in done.stderr
    (file,) = tmp_path.glob("tinytc-*.spv")
    assert str(file) in done.stderr
    assert file.read_bytes() == program.spirv
    assert len(unfinished(tmp_path)) == 1


def test_the_second_launch_is_an_error(program, tmp_path):
    launched(program, tmp_path)
    for _ in range(2):
        done = launched(program, tmp_path)
        assert done.returncode == 0
        assert "got the end of the process that builds it, with signal SIGABRT" in done.stdout
        assert WORDS in done.stdout
        assert len(unfinished(tmp_path)) == 1


def test_without_a_cache_every_launch_has_last_words(program, tmp_path):
    for _ in range(2):
        done = launched(program, tmp_path, TINYTC_CACHE_DIR="0")
        assert done.returncode == -signal.SIGABRT
        assert "ended this process while it built 'strided'" in done.stderr


def test_launches_whose_builds_are_apart(program, tmp_path):
    done = launched(program, tmp_path, TINYTC_BUILD_APART="1", TINYTC_CACHE_DIR="0")
    assert done.returncode == 0
    assert WORDS in done.stdout


@pytest.mark.parametrize("has_cache", [False, True])
def test_build_is_an_error(program, has_cache, monkeypatch):
    if not has_cache:
        monkeypatch.setenv("TINYTC_CACHE_DIR", "0")
    for _ in range(2):
        with pytest.raises(tt.DeviceError, match=NO_ANSWER) as caught:
            program.build()
        assert WORDS in caught.value.build_log


def test_prebuild_is_an_error_and_builds_the_others(program, tmp_path):
    with pytest.raises(tt.DeviceError, match=NO_ANSWER) as caught:
        tt.prebuild([good_program(), program], processes=1)
    assert WORDS in caught.value.build_log
    tt.prebuild([good_program("other")])
    assert len(list((tmp_path / "cache" / "compiled").glob("*.device"))) == 2


def test_a_process_that_was_killed_while_it_built(tmp_path, monkeypatch):
    """What is built apart then is used, and the note is gone."""
    monkeypatch.delenv(ARCHITECTURE)
    built = good_program()
    built.build()
    spirv, manifest = built.spirv, built.manifest
    del built
    (path,) = (tmp_path / "cache" / "compiled").glob("*.device")
    path.rename(path.with_suffix(f".{cache.UNFINISHED}"))
    assert fatal_builds._is_unfinished(path)
    tt.Program(spirv, manifest)["scale"](1.0, groups=1)
    assert path.exists()
    assert not unfinished(tmp_path)


def test_a_build_that_another_process_is_at(tmp_path):
    path = tmp_path / "code.device"
    with fatal_builds._begun(path):
        assert not fatal_builds._is_unfinished(path)
        with fatal_builds._begun(path):
            assert path.with_suffix(f".{cache.UNFINISHED}").exists()
    assert not list(tmp_path.glob("code.*"))


def test_launches_whose_builds_cannot_be_apart(monkeypatch):
    monkeypatch.delenv(ARCHITECTURE)
    monkeypatch.setenv("TINYTC_BUILD_APART", "1")
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    built = good_program("without_process")
    built.build()
    built["without_process"](1.0, groups=1)


def test_an_exit_in_a_build(tmp_path):
    """The driver ends the process so if it does not know an option."""
    script = (
        "import os, sys\n"
        "from tinytc_mlir._arrays import LastWords\n"
        f"with LastWords('last\\n', {str(tmp_path / 'data')!r}, b'data'):\n"
        "    if os.fork() == 0:\n"
        "        sys.exit(3)\n"
        "    os.wait()\n"
        "    __import__('ctypes').CDLL(None).exit(3)\n"
    )
    words = [sys.executable, "-c", script]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=env)
    assert (done.returncode, done.stderr) == (3, "last\n")
    assert (tmp_path / "data").read_bytes() == b"data"


def test_an_abort_outside_of_builds_has_no_words():
    script = (
        "import os\n"
        "from tinytc_mlir._arrays import LastWords\n"
        "with LastWords('last\\n', '/nonexistent/data', b''):\n"
        "    pass\n"
        "os.abort()\n"
    )
    words = [sys.executable, "-c", script]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=env)
    assert (done.returncode, done.stderr) == (-signal.SIGABRT, "")
