"""Processes that write and read the cache at the same time, or are killed, or have no room."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from tinytc_mlir import cache, child_processes

NAME = f"{1:032x}.program"
#: Writes an entry again and again; the contents are those of one process.
WRITER = """
import pathlib, sys
from tinytc_mlir import cache
path, letter = pathlib.Path(sys.argv[1]), sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[3])):
    cache.save(path, letter.encode() * 50_000, {})
    found = cache.load(path)
    assert found is None or (len(found) == 50_000 and len(set(found)) == 1), found[:9]
    if number % 8 == 0:
        cache.evict()
"""


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setenv("TINYTC_CACHE_DIR", str(tmp_path))
    return tmp_path / "compiled" / NAME


def started(path, letter, count):
    words = [sys.executable, "-c", WRITER, str(path), letter, str(count)]
    pipe = subprocess.PIPE
    environment = child_processes.environment()
    return subprocess.Popen(words, stdin=pipe, stdout=pipe, env=environment, text=True)


def test_sixteen_processes(path):
    processes = [started(path, letter, 20) for letter in "abcdefghijklmnop"]
    for process in processes:
        process.stdout.readline()
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.wait(600) for process in processes] == [0] * 16
    for process in processes:
        process.stdin.close()
        process.stdout.close()
    assert [each.name for each in path.parent.iterdir()] == [NAME]
    assert len(cache.load(path)) == 50_000


def test_writers_that_are_killed(path):
    generator = random.Random(1)
    for _ in range(8):
        with started(path, "x", 10**9) as process:
            process.stdout.readline()
            process.stdin.write("go\n")
            process.stdin.flush()
            while not path.exists():
                time.sleep(0.001)
            time.sleep(generator.uniform(0, 0.02))
            process.send_signal(signal.SIGKILL)
        found = cache.load(path)
        assert found == b"x" * 50_000
        path.unlink()
    rests = list(path.parent.iterdir())
    for each in rests:
        os.utime(each, (1, 1))
    cache.evict()
    assert not list(path.parent.iterdir())


def test_a_disk_that_is_full(path):
    """A limit of the system lets files end after 10,000 bytes."""
    script = (
        "import pathlib, resource, signal, sys\n"
        "from tinytc_mlir import cache\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n"
        "path = pathlib.Path(sys.argv[1])\n"
        "cache.keep(path, b'x' * 50_000, {})\n"
        "assert cache.load(path) is None\n"
        "assert not list(path.parent.iterdir())\n"
        "cache.keep(path, b'x', {})\n"
        "assert cache.load(path) == b'x'\n"
    )
    words = [sys.executable, "-c", script, str(path)]
    subprocess.run(words, check=True, env=child_processes.environment())
