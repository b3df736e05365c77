"""Launches that several threads share: results, local memory of each, forks, parts of a launch."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import whole_numbers

# 64 KiB of local memory for each group, which threads must not share.
REVERSE = """
func @reverse(%A: memref<f32x128x128x?>) {
  %zero = constant 0.0 : f32
  %one = constant 1.0 : f32
  %group = builtin.group_id : index
  %a = subview %A[:,:,%group] : memref<f32x128x128>
  %L = alloca : memref<f32x128x128,local>
  axpby.n %one, %a, %zero, %L
  axpby.t %one, %L, %zero, %a
}
"""
BATCH = """
func @batch(%A: memref<f64x9x9x?>, %B: memref<f64x9x9>, %C: memref<f64x9x9x?>) {
  %one = constant 1.0 : f64
  %group = builtin.group_id : index
  %a = subview %A[:,:,%group] : memref<f64x9x9>
  %c = subview %C[:,:,%group] : memref<f64x9x9>
  gemm.n.n %one, %a, %B, %one, %c
}
"""


def only(program):
    (name,) = program.kernels
    return program[name]


def compiled(text):
    return only(tt.Context().parse(text).compile("native"))


def arrays(rng, groups):
    a = np.asfortranarray(whole_numbers(rng, (9, 9, groups)))
    return a, np.asfortranarray(whole_numbers(rng, (9, 9))), np.zeros_like(a, order="F")


@pytest.mark.parametrize("groups", [1, 2, 3, 1000, 20011])
@pytest.mark.parametrize("threads", [1, 2, 7])
def test_each_group_runs_once(threads, groups):
    kernel = compiled(BATCH)
    a, b, c = arrays(np.random.default_rng(1), groups)
    queue = tt.native_queue(threads=threads)
    for _ in range(3):
        kernel(a, b, c, groups=groups, queue=queue)
    np.testing.assert_array_equal(c, 3 * np.einsum("mkg,kn->mng", a, b))


def test_local_memory_is_not_shared():
    kernel = compiled(REVERSE)
    a = np.asfortranarray(np.random.default_rng(2).standard_normal((128, 128, 60)), np.float32)
    expected = a.transpose(1, 0, 2).copy()
    assert kernel.info.local_memory_bytes > 32 * 1024
    for _ in range(5):
        b = a.copy(order="F")
        kernel(b, groups=60, queue=tt.native_queue(threads=4))
        np.testing.assert_array_equal(b, expected)


def test_threads_are_started_as_needed():
    script = f"""
import os, numpy as np, tinytc_mlir as tt
kernel = tt.Context().parse({BATCH!r}).compile("native")["batch"]
a, b = np.ones((9, 9, 200000), order="F"), np.ones((9, 9), order="F")
before = len(os.listdir("/proc/self/task"))
for threads in (1, 3, 2):
    kernel(a, b, np.zeros_like(a), groups=200000, queue=tt.native_queue(threads=threads))
    print(len(os.listdir("/proc/self/task")) - before)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.split() == ["0", "2", "2"], done.stderr


def test_several_callers_at_once():
    kernel = compiled(BATCH)
    queue = tt.native_queue(threads=3)
    wrong = []

    def launch(seed):
        a, b, c = arrays(np.random.default_rng(seed), 5000)
        for _ in range(20):
            kernel(a, b, c, groups=5000, queue=queue)
        expected = 20 * np.einsum("mkg,kn->mng", a, b)
        if not np.array_equal(c, expected):
            wrong.append(seed)

    callers = [threading.Thread(target=launch, args=(seed,)) for seed in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


def test_a_child_starts_threads_of_its_own():
    script = f"""
import os, numpy as np, tinytc_mlir as tt
kernel = tt.Context().parse({BATCH!r}).compile("native")["batch"]
a, b = np.ones((9, 9, 100000), order="F"), np.ones((9, 9), order="F")
def run():
    c = np.zeros_like(a)
    kernel(a, b, c, groups=100000, queue=tt.native_queue(threads=2))
    return bool(np.all(c == 9)) and len(os.listdir("/proc/self/task")) > 1
assert run()
child = os.fork()
if child == 0:
    os._exit(0 if run() else 1)
assert os.waitpid(child, 0)[1] == 0
assert run()
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr


def test_parts_of_a_launch():
    kernel = compiled(BATCH)
    a, b, c = (tt.asarray(x, queue="native") for x in arrays(np.random.default_rng(3), 999))
    bound = kernel.bind(a, b, c, groups=999)
    half = bound.work_groups // 2
    callers = [
        threading.Thread(target=bound.range, args=part)
        for part in ((0, half), (half, bound.work_groups), (half, half))
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    np.testing.assert_array_equal(c, np.einsum("mkg,kn->mng", a, b))
    message = f"batch: expected an integer from 0 to {bound.work_groups} for last, got"
    with pytest.raises(tt.ArgumentError, match=message):
        bound.range(0, bound.work_groups + 1)


def test_parts_need_a_native_launch():
    kernel = only(tt.Context().parse(BATCH).compile("cpu"))
    given = [tt.zeros(shape, np.float64) for shape in ((9, 9, 4), (9, 9), (9, 9, 4))]
    bound = kernel.bind(*given, groups=4)
    with pytest.raises(tt.LaunchError, match="batch: expected a native queue for a range"):
        bound.range(0, 1)


def test_the_switch_says_how_many(monkeypatch):
    kernel = compiled(BATCH)
    given = arrays(np.random.default_rng(1), 10)
    monkeypatch.setenv("TINYTC_NUM_THREADS", "1")
    kernel(*given, groups=10)
    for text in ("none", "-1", "1.5", "0", "10000"):
        monkeypatch.setenv("TINYTC_NUM_THREADS", text)
        fresh = compiled(BATCH)
        message = f"an integer from 1 to 1024 for TINYTC_NUM_THREADS, got '{text}'"
        with pytest.raises(tt.DeviceError, match=message):
            fresh(*given, groups=10)


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, 1025, 10000])
def test_numbers_of_threads(threads):
    with pytest.raises(tt.DeviceError, match="expected an integer from 1 to 1024 for threads, got"):
        tt.native_queue(threads=threads)


def test_an_interrupt_waits_for_the_launch():
    script = f"""
import os, signal, threading, time, numpy as np, tinytc_mlir as tt
kernel = tt.Context().parse({BATCH!r}).compile("native")["batch"]
a, b = np.ones((9, 9, 200000), order="F"), np.ones((9, 9), order="F")
c = tt.zeros(a.shape, a.dtype, queue="native")
bound = kernel.bind(tt.asarray(a, queue="native"), tt.asarray(b, queue="native"), c, groups=200000)
bound()
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
launches = 1
try:
    while True:
        bound()
        launches += 1
except KeyboardInterrupt:
    # The last launch is counted or not, but it is whole.
    assert c.min() == c.max() and c.max() in (9 * launches, 9 * (launches + 1))
bound()
print("interrupted", launches > 1)
"""
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.stdout == "interrupted True\n", done.stderr
