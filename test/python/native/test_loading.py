"""A process that only loads a saved program: what it imports, its memory, its time."""

import json
import os
import subprocess
import sys

import pytest

import tinytc_mlir as tt

TEXT = """
func @scale(%alpha: f32, %A: memref<f32x37>) {
  foreach (%i)=(0),(37) {
    %a = load %A[%i] : f32
    %b = arith.mul %alpha, %a : f32
    store %b, %A[%i]
  }
}
"""
SCRIPT = """
import json, pathlib, sys, time
begin = time.process_time()
import numpy as np
middle = time.process_time()
import tinytc_mlir as tt
a = np.ones(37, np.float32)
tt.load(sys.argv[1])["scale"](3.0, a)
end = time.process_time()
assert np.all(a == 3)
(peak,) = [
    line for line in pathlib.Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line
]
print(json.dumps({
    "modules": sorted(sys.modules),
    "numpy_s": middle - begin,
    "own_s": end - middle,
    "memory_mib": int(peak.split()[1]) / 1024,
}))
"""
# Parts that only compiling and other targets need.
OTHERS = ("mlir", "dpctl", "cuda", "subprocess", "platformdirs", "asyncio")
OWN = (
    "compiler",
    "frontend",
    "reference",
    "runtime.spirv.sycl",
    "runtime.nvidia.cuda",
    "runtime.spirv.fatal_builds",
)


@pytest.fixture(scope="module")
def processes(tmp_path_factory):
    """Return what some processes say that load a program one after the other."""
    folder = tmp_path_factory.mktemp("loading")
    path = folder / "scale.tinytcb"
    tt.Context().parse(TEXT).compile("native").save(path)
    variables = os.environ | {"PYTHONPYCACHEPREFIX": str(folder), "TINYTC_CACHE_DIR": ""}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    found = []
    for _ in range(4):
        command = [sys.executable, "-c", SCRIPT, path]
        done = subprocess.run(command, env=variables, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout))
    return found[1:]  # the first has compiled the modules


def test_modules(processes):
    names = set(processes[0]["modules"])
    assert "tinytc_mlir.runtime.native.processor" in names
    assert not names.intersection(OTHERS)
    assert not names.intersection(f"tinytc_mlir.{name}" for name in OWN)


def test_memory(processes):
    assert max(process["memory_mib"] for process in processes) < 60


def test_time(processes):
    """Beside NumPy's import, since machines differ: about half of that."""
    shares = [process["own_s"] / process["numpy_s"] for process in processes]
    assert min(shares) < 1
