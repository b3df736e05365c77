"""Kernels are pickled with their source, for other processes."""

import pickle
import subprocess
import sys
import textwrap

import numpy as np
from kernel_files import TEXT, imported

import tinytc_mlir as tt


@tt.kernel
def of_module(x: tt.f32[8]):
    x[:] = 3 * x


def test_pickles(tmp_path):
    assert pickle.loads(pickle.dumps(of_module)) is of_module
    scale = imported(tmp_path / "kernels.py")["scale"]
    copy = pickle.loads(pickle.dumps(scale))
    assert copy.text == scale.text
    x = np.ones(8, np.float32)
    copy(x)
    assert x.tolist() == [2] * 8


UNPICKLED = """
    import pickle, sys
    import numpy as np
    scale = pickle.loads(sys.stdin.buffer.read())
    x = np.ones(8, np.float32)
    scale(x)
    print(x[0])
"""


def test_other_processes_launch_pickles(tmp_path):
    """As the workers of dask and the ranks of MPI do; the file need not be there."""
    scale = imported(tmp_path / "kernels.py")["scale"]
    (tmp_path / "kernels.py").unlink()
    command = [sys.executable, "-c", textwrap.dedent(UNPICKLED)]
    found = subprocess.run(command, check=True, capture_output=True, input=pickle.dumps(scale))
    assert found.stdout.split() == [b"2.0"]


def test_pickles_of_families(tmp_path):
    text = TEXT.replace("(x: tt.f32[8])", "(x: 'tt.f32[N]', N: tt.const)")
    scale = imported(tmp_path / "kernels.py", text)["scale"][8]
    assert pickle.loads(pickle.dumps(scale)).text == scale.text
