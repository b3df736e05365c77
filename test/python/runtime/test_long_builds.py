"""Builds that the CPU driver may never finish are announced, and Ctrl-C ends them."""

import os
import signal
import subprocess
import sys

import pytest

import tinytc_mlir as tt

LIMIT_S = 0.3
STEPS = 4000
NOTICE = f"has been building 'slow' for {LIMIT_S} s. Ctrl-C ends "
STEP = "%m{n} = mul %x{n}, %x{half} : f32\n%x{next} = sub %m{n}, %x{third} : f32\n"
# A build of several seconds.
TEXT = f"""func @slow(%A: memref<f32x64>) {{
foreach (%i) = (0), (64) {{
%x0 = load %A[%i] : f32
{"".join(STEP.format(n=n, next=n + 1, half=n // 2, third=n // 3) for n in range(STEPS))}
store %x{STEPS}, %A[%i]
}}
}}
"""
SCRIPT = f"""
import pathlib
import signal
import sys
import numpy as np
import tinytc_mlir as tt
from tinytc_mlir.runtime.spirv import build_process
signal.signal(signal.SIGINT, signal.default_int_handler)
build_process.LONG_BUILD_S = {LIMIT_S}
program = tt.Context().parse(pathlib.Path(sys.argv[1]).read_text()).compile("cpu")
"""
LAUNCH = 'program["slow"](np.zeros(64, np.float32), groups=1)'
LAUNCH_APART = f"import os\nos.environ['TINYTC_BUILD_APART'] = '1'\n{LAUNCH}"
PREBUILD = "tt.prebuild([program], processes=1)"


@pytest.fixture
def start(tmp_path):
    """Return a function that starts a process which builds a program."""
    path = tmp_path / "slow.ttl"
    path.write_text(TEXT)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "TINYTC_CACHE_DIR": str(tmp_path / "cache"),
    }

    def start(build):
        return subprocess.Popen(
            [sys.executable, "-c", SCRIPT + build, str(path)],
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            start_new_session=True,
        )

    return start


def notice_of(process):
    """Return what the process says of a long build, once it does."""
    assert process.stderr.readline() == "\n"
    return process.stderr.readline()


@pytest.mark.parametrize(
    ("build", "ended"),
    [(LAUNCH, "this process;"), (LAUNCH_APART, "the build;"), (PREBUILD, "the build;")],
)
def test_an_interrupt_ends_it(start, build, ended):
    with start(build) as process:
        notice = notice_of(process)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=600)
    assert notice.startswith("tinytc: warning: ")
    assert NOTICE + ended in notice
    assert "TINYTC_DUMP_DIR" in notice
    assert process.returncode == -signal.SIGINT
    with pytest.raises(ProcessLookupError):  # nothing is left of it
        os.killpg(process.pid, 0)


def test_the_handler_of_interrupts_comes_back(start):
    check = f"{LAUNCH}\ntry:\n    signal.raise_signal(signal.SIGINT)\nexcept KeyboardInterrupt:\n"
    with start(f"{check}    sys.exit(7)") as process:
        notice = notice_of(process)
        _, rest = process.communicate(timeout=600)
    assert NOTICE in notice
    assert rest == ""
    assert process.returncode == 7


def test_short_builds_are_not_announced(capfd):
    tt.Context().parse("func @fast(%x: f32) { }").compile("cpu")["fast"](1.0, groups=1)
    assert capfd.readouterr().err == ""
