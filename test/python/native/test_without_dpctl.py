"""Without dpctl and Intel's packages: programs are compiled and run natively."""

import os
import pathlib
import subprocess
import sys

import tinytc_mlir as tt

SAMPLE = pathlib.Path(__file__).parents[3] / "examples" / "fused_kernel.ir"

HIDE = """
import importlib.abc, sys

HIDDEN = ("dpctl", "dpnp", "mkl", "pyopencl")

class Hider(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in HIDDEN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hider())
"""
RUN = """
import numpy as np, tinytc_mlir as tt
program = tt.Context().parse('''
func @scale(%alpha: f32, %A: memref<f32x37>) {
  foreach (%i)=(0),(37) {
    %a = load %A[%i] : f32
    %b = arith.mul %alpha, %a : f32
    store %b, %A[%i]
  }
}
''').compile()
a = tt.asarray(np.ones(37, np.float32))
program["scale"](3.0, a)
program["scale"].submit(2.0, a).wait()
print(program.target, a[0], "dpctl" in sys.modules)
"""


def run(code, **variables):
    environment = {name: text for name, text in os.environ.items() if name != "TINYTC_TARGET"}
    command = [sys.executable, "-W", "error", "-c", HIDE + code]
    return subprocess.run(command, env=environment | variables, capture_output=True, text=True)


def test_the_default_is_native():
    done = run(RUN)
    assert done.stdout == "native 6.0 False\n", done.stderr


def test_the_switch_still_chooses():
    done = run(RUN, TINYTC_TARGET="native")
    assert done.stdout == "native 6.0 False\n", done.stderr


def test_the_command_line(tmp_path):
    code = "import tinytc_mlir.cli as c; sys.exit(c.main(sys.argv[1:]))"
    command = [sys.executable, "-c", HIDE + code]
    made = "fused_kernel.tinytcb"
    for words in (["devices"], ["run", SAMPLE], ["compile", SAMPLE], ["run", made]):
        done = subprocess.run([*command, *words], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert tt.load(tmp_path / made).target == "native"
