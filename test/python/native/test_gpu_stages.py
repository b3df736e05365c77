"""Code for GPUs, run natively between guard pages: a sample of test/native_stage_check.py."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

import profiles
import tinytc_mlir as tt
from native.guarded import GuardedArray, StageMachine
from nearness import whole_numbers

CHECK = pathlib.Path(__file__).parents[2] / "native_stage_check.py"
COUNT = 400 if profiles.IS_NIGHTLY else 8
BEYOND = """
import sys
sys.path[:0] = sys.argv[1:2]
import numpy as np
from native.guarded import StageMachine
import tinytc_mlir as tt
text = '''func @f(%I: memref<i64x1>, %A: memref<f32x8>) {
  %i = load %I[0] : i64
  %j = cast %i : index
  %one = constant 1.0 : f32
  store %one, %A[%j]
}'''
machine = StageMachine("cuda:sm_90")
kernel = machine.compile(tt.Context().parse(text), "plain")["f"]
index = np.array([int(sys.argv[2])], np.int64)
array = machine.array(np.zeros(8, np.float32), (8,), (1,), int(sys.argv[3]))
kernel(index, array, groups=1)
print(array.tolist())
"""


@pytest.mark.similar
@pytest.mark.parametrize("target", ["cuda:sm_90", "intel-gpu:pvc", "intel-gpu:dg2"])
def test_random_kernels_agree_with_the_reference(target):
    command = [sys.executable, CHECK, target, "--random", str(COUNT)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    launches = int(done.stdout.splitlines()[-1].partition(": ")[2].partition(" ")[0])
    assert launches > COUNT / 4


@pytest.mark.parametrize("index, at_end", [(8, 1), (-1, 0)])
def test_an_access_beyond_an_array_ends_the_process(index, at_end):
    folder = pathlib.Path(__file__).parents[1]
    command = [sys.executable, "-W", "ignore", "-c", BEYOND, folder]
    inside = subprocess.run([*command, "7", str(at_end)], capture_output=True, text=True)
    assert inside.stdout == f"{[0.0] * 7 + [1.0]}\n", inside.stderr
    outside = subprocess.run([*command, str(index), str(at_end)], capture_output=True, text=True)
    assert outside.returncode == -11


def test_products_without_a_matrix_unit():
    text = """func @f(%A: memref<f64x19x9x?>, %B: memref<f64x9x5>, %C: memref<f64x19x5x?>) {
      %one = constant 1.0 : f64
      %g = builtin.group_id : index
      %a = subview %A[:,:,%g] : memref<f64x19x9>
      %c = subview %C[:,:,%g] : memref<f64x19x5>
      gemm.n.n %one, %a, %B, %one, %c
    }"""
    machine = StageMachine("intel-gpu:pvc")
    kernel = machine.compile(tt.Context().parse(text), "packed")["f"]
    rng = np.random.default_rng(1)
    for at_end in (0, 1):
        shapes = ((19, 9, 7), (9, 5), (19, 5, 7))
        hosts = [whole_numbers(rng, int(np.prod(shape))) for shape in shapes]
        given = [
            GuardedArray(host, shape, (1, shape[0], shape[0] * shape[1])[: len(shape)], at_end)
            for host, shape in zip(hosts, shapes, strict=True)
        ]
        a, b, c = (
            host.reshape(shape, order="F") for host, shape in zip(hosts, shapes, strict=True)
        )
        expected = c + np.einsum("mkg,kn->mng", a, b)
        kernel(*given, groups=7)
        np.testing.assert_array_equal(given[2], expected)
        given[2].finish()
        np.testing.assert_array_equal(c, expected)
