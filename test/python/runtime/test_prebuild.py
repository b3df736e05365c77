"""`prebuild`: its processes, its arguments, and what goes wrong."""

import errno
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest

import tinytc_mlir as tt
from tinytc_mlir import cache
from tinytc_mlir.runtime.devices import default_device
from tinytc_mlir.runtime.spirv import build_process, builder, prebuild
from tinytc_mlir.runtime.spirv.build_process import BuildProcess


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Keep files in a folder of the test."""
    root = tmp_path / "a\tb\n"
    monkeypatch.setenv("TINYTC_CACHE_DIR", str(root))
    return root / "compiled"


@pytest.fixture
def path(folder):
    """Return a file with code in it."""
    cache.save(folder / "code.device", b"code", {})
    return folder / "code.device"


def program(name="nothing"):
    return tt.Context().parse(f"func @{name}(%x: f32) {{ }}").compile("cpu")


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_of_the_caller_ends_it(folder, error, monkeypatch):
    """What is built then is finished, what waits is not built."""
    build, raised = BuildProcess.build, threading.Event()

    def delayed(*words):
        raised.wait()
        return build(*words)

    def programs():
        for number in range(50):
            yield program(f"number{number}")
        raised.set()
        raise error

    monkeypatch.setattr(BuildProcess, "build", delayed)

    with pytest.raises(error):
        tt.prebuild(programs(), processes=1)
    assert len(list(folder.glob("*"))) < 40


def test_an_interrupt_of_the_terminal(folder):
    """It reaches all processes; those that build end quietly."""
    script = (
        "import signal, time, tinytc_mlir as tt\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def programs():\n"
        "    yield tt.Context().parse('func @nothing(%x: f32) { }').compile('cpu')\n"
        "    print('started', flush=True)\n"
        "    time.sleep(600)\n"
        "tt.prebuild(programs(), processes=1)\n"
    )
    temporary = folder.parent / "temporary"
    temporary.mkdir(parents=True)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(temporary)}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=pipe,
        stderr=pipe,
        text=True,
        env=environment,
        start_new_session=True,
    ) as process:
        process.stdout.readline()
        while not list(folder.glob("*.device")) and process.poll() is None:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=600)
    assert err.count("Traceback") == 1
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert not list(temporary.iterdir())


def test_an_interrupt_at_the_end(folder, monkeypatch):
    """Nothing is left running, although the interrupt comes while it waits for its threads."""
    wait = prebuild.threading.Event.wait
    waits = []

    def interrupted(event, timeout=None):
        if len(waits) == 1 and not event.is_set():
            waits.append(event)
            raise KeyboardInterrupt
        waits.append(event)
        return wait(event, timeout)

    def programs():
        yield program()
        monkeypatch.setattr(prebuild.threading.Event, "wait", interrupted)
        waits.append(None)

    with pytest.raises(KeyboardInterrupt):
        tt.prebuild(programs(), processes=1)
    assert all(event.is_set() for event in waits[1:])


def test_a_disk_that_is_full(path, monkeypatch):
    def save(path, code, note):
        raise OSError(errno.ENOSPC, "no space")

    device = default_device("cpu")
    source = path.with_name("source.spv")
    source.write_bytes(program().spirv)
    monkeypatch.setattr(cache, "save", save)
    answer = builder.outcome(str(source), str(path), {}, device.name)
    problem = build_process._problem(json.dumps(answer), program(), path, device)
    assert isinstance(problem, OSError)
    assert (problem.errno, problem.filename) == (errno.ENOSPC, str(path))


def test_a_process_that_cannot_be_started(folder, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with pytest.raises(FileNotFoundError, match="/nonexistent/python"):
        tt.prebuild([program()])


def test_a_process_that_answers_something_else(folder, tmp_path, monkeypatch):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nread line\necho Hello\n")
    python.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(python))
    with pytest.raises(tt.DeviceError, match=r"expected an answer of the process .*, got 'Hello"):
        tt.prebuild([program()])


def test_messages_of_the_driver_are_no_answers(folder, tmp_path, monkeypatch, capfd):
    (tmp_path / "sitecustomize.py").write_text(
        "import tinytc_mlir.runtime.spirv.build_log as b, os\n"
        "real = b.build\n"
        "b.build = lambda *a: (os.write(1, b'from the driver\\n'), real(*a))[1]\n"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    tt.prebuild([program()])
    assert capfd.readouterr() == ("", "from the driver\n")


def test_no_room_for_temporary_files(folder, monkeypatch):
    monkeypatch.setattr(build_process.tempfile, "tempdir", "/nonexistent")
    with pytest.raises(FileNotFoundError, match="/nonexistent"):
        tt.prebuild([program()])


def test_processes_import_what_the_caller_imports(folder, tmp_path, monkeypatch):
    """They find the package without PYTHONPATH, and no module of the folder they run in."""
    (tmp_path / "queue.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setattr(sys, "path", [str(pathlib.Path(path).resolve()) for path in sys.path])
    tt.prebuild([program()])
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize(
    ("programs", "message"),
    [
        (None, "expected an iterable of programs, got None"),
        ("a.ir", r"expected an iterable of programs, got 'a.ir' \(str\)"),
        ([None], "expected compiled programs, got None"),
        (["a.ir"], r"expected compiled programs, got 'a.ir' \(str\)"),
    ],
)
def test_what_is_no_program(folder, programs, message):
    with pytest.raises(tt.ArgumentError, match=f"prebuild: argument 'programs': {message}"):
        tt.prebuild(programs)


def test_a_single_program(folder):
    with pytest.raises(tt.ArgumentError, match="expected an iterable of programs, got <Program"):
        tt.prebuild(program())


@pytest.mark.parametrize("processes", [-1, 0, 2.5, "2", True, []])
def test_what_is_no_number_of_processes(folder, processes):
    with pytest.raises(tt.ArgumentError, match="expected an integer from 1 to .* processes, got"):
        tt.prebuild([], processes=processes)


def test_processes_import_little():
    """Their start would take longer than a small kernel."""
    script = "import sys, tinytc_mlir.runtime.spirv.builder; print('numpy' in sys.modules)"
    command = [sys.executable, "-c", script]
    assert subprocess.check_output(command, text=True) == "False\n"
