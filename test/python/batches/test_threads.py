"""Threads that call a function at once for the first time compile it once."""

import threading

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.kernels import building

THREADS = 8


@tt.kernel
def scaled(x: tt.f64[None], y: tt.f64[None], FACTOR: tt.const):
    for i in tt.foreach(x.shape[0]):
        y[i] = FACTOR * x[i]


@tt.batched
def squared(x: tt.f64["n"]):
    return x * x


def call_kernel(x):
    y = np.zeros_like(x)
    scaled(x, y, FACTOR=3)
    return y


@pytest.mark.parametrize(
    "call, expected",
    [
        (call_kernel, lambda x: 3 * x),
        (squared, lambda x: x * x),
        (squared.python, lambda x: x * x),
        (lambda x: tt.grad(squared)(x)["x"], lambda x: 2 * x),
    ],
)
def test_first_calls_at_once(call, expected, monkeypatch, tmp_path):
    monkeypatch.setenv("TINYTC_CACHE_DIR", str(tmp_path))
    squared._kinds.clear()
    squared._plans.clear()
    made, build = [], building.build
    monkeypatch.setattr(building, "build", lambda *given: made.append(1) or build(*given))
    barrier, found = threading.Barrier(THREADS), {}

    def run(number):
        x = np.arange(6.0).reshape(2, 3) + number
        x = x[0] if call is call_kernel else x
        barrier.wait()
        found[number] = np.array_equal(call(x), expected(x))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == dict.fromkeys(range(THREADS), True)
    assert len(made) <= 1
