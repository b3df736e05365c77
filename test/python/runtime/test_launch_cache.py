"""Launches that look like an earlier one are checked less, and see every change."""

import gc
import itertools
import math
import threading
import weakref

import dpctl
import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.runtime.launches.launch_cache import _MOST_PATTERNS

TEXT = """func @scale(%a: f64, %X: memref<f64x4x?>, %Y: memref<f64x4x?>) {
  %g = group_id : index
  %x = subview %X[:,%g] : memref<f64x4>
  %y = subview %Y[:,%g] : memref<f64x4>
  %zero = constant 0.0 : f64
  axpby.n %a, %x, %zero, %y
}
func @part(%n: index, %X: memref<f64x?>) {
  %g = group_id : index
  %c = cmp.lt %g, %n : bool
  if %c {
    %x = subview %X[%g:1] : memref<f64x1>
    %one = constant 1.0 : f64
    axpby.n %one, %x, %one, %x
  }
}
func @guarded(%a: f32, %k: i64, %n: i32, %X: memref<f32x?>) {
  %g = group_id : index
  %i = cast %g : i32
  %c = cmp.lt %i, %n : bool
  if %c {
    %x = subview %X[%g:1] : memref<f32x1>
    axpby.n %a, %x, %a, %x
  }
}
func @maybe(%X: memref<f32x4>) {
  %there = associated %X : bool
  if %there {
    %two = constant 2.0 : f32
    axpby.n %two, %X, %two, %X
  }
}
func @aligned(%X: memref<f32x4> {alignment=32}) {
  %one = constant 1.0 : f32
  axpby.n %one, %X, %one, %X
}"""


def own(program, name):
    """Return a kernel of its own for each test, which has launched nothing yet."""
    return type(program[name])(program, program[name].info)


@pytest.fixture(scope="module")
def program():
    return tt.Context().parse(TEXT).compile("cpu")


@pytest.fixture
def kernel(program):
    return own(program, "scale")


@pytest.fixture
def arrays():
    x = tt.asarray(np.arange(12.0).reshape(4, 3, order="F"))
    return x, tt.asarray(np.zeros((4, 3)))


def is_known(kernel, *values, groups=3, queue=None):
    return kernel.launch_cache.find(values, groups, queue, takes_plain=True) is not None


@pytest.fixture
def known(kernel, arrays):
    """A kernel that knows how its launches look."""
    assert not is_known(kernel, 2.0, *arrays)
    kernel(2.0, *arrays, groups=3)
    assert is_known(kernel, 2.0, *arrays)
    return kernel


@pytest.mark.parametrize("way", ["call", "submit", "mapping", "keywords"])
def test_other_arrays_and_scalars(known, arrays, way):
    for factor in (2.0, 3, np.float64(4), -0.0):
        x, y = tt.asarray(np.full((4, 3), factor + 1.0)), tt.asarray(np.full((4, 3), -1.0))
        named = {"a": factor, "X": x, "Y": y}
        assert is_known(known, factor, x, y)
        if way == "call":
            known(factor, x, y, groups=3)
        elif way == "submit":
            known.submit(factor, x, y, groups=3).wait()
        elif way == "mapping":
            known(named, groups=3)
        else:
            known(groups=3, **named)
        assert np.array_equal(y, factor * x)
    x, y = arrays
    known(1.0, x, x, groups=3)
    known(1.0, y, x, groups=3)  # the other way round
    assert np.array_equal(x, y)


def test_contents_change(known, arrays):
    x, y = arrays
    x[1, 2] = 100
    known.submit(2.0, x, y, groups=3).wait()
    assert np.array_equal(y, 2 * x)


def test_signs_of_zeros(kernel, arrays):
    x, y = arrays
    x[:] = 1
    for zero in (0.0, 0.0, -0.0, float("-0"), 0.0):
        kernel(zero, x, y, groups=3)
        assert math.copysign(1, y[0, 0]) == math.copysign(1, zero)


def test_a_changed_array_is_checked_again(known, arrays):
    x, y = arrays
    y.flags.writeable = False
    with pytest.raises(tt.ArgumentError, match="writable"):
        known(2.0, x, y, groups=3)
    y.flags.writeable = True
    x.dtype = np.int64
    with pytest.raises(tt.ArgumentError, match="argument .X.: expected dtype float64"):
        known(2.0, x, y, groups=3)


def test_several_looks(kernel):
    sizes = range(1, _MOST_PATTERNS + 2)
    sets = [(tt.asarray(np.full((4, n), float(n))), tt.empty((4, n), np.float64)) for n in sizes]
    for x, y in sets:
        kernel(3.0, x, y)
    assert [is_known(kernel, 3.0, x, y, groups=None) for x, y in sets] == [False] + 4 * [True]
    for x, y in sets + sets:
        y[:] = 0
        kernel(3.0, x, y)
        assert np.array_equal(y, 3 * x)


def test_scalars_that_bound_nothing(program):
    kernel, x = own(program, "guarded"), tt.asarray(np.ones(5, np.float32))
    kernel(2.0, 0, 5, x, groups=5)
    assert is_known(kernel, 3.0, 0, 5, x, groups=5)
    assert not is_known(kernel, 3.0, 0, 4, x, groups=5)
    assert is_known(kernel, 3.0, 2**40, 5, x, groups=5)  # no condition names it


def test_alignment(program):
    kernel, x = own(program, "aligned"), tt.asarray(np.ones(64, np.float32))
    for start in (0, 8, 16):
        kernel(x[start : start + 4], groups=1)
    assert is_known(kernel, x[24:28], groups=1)
    with pytest.raises(tt.ArgumentError, match="multiple of 32"):
        kernel(x[4:8], groups=1)
    unaligned = x.view(np.uint8)[2:18].view(np.float32)
    with pytest.raises(tt.ArgumentError, match="multiple of the element size 4"):
        kernel(unaligned, groups=1)


def test_queues(known, arrays):
    x, y = arrays
    queue = dpctl.SyclQueue("cpu", property=["in_order"])
    known(2.0, x, y, groups=3, queue=queue)
    assert is_known(known, 2.0, x, y, queue=queue)
    assert not is_known(known, 2.0, x, y, queue=dpctl.SyclQueue("cpu"))
    elsewhere = dpctl.SyclQueue(dpctl.SyclContext([queue.sycl_device]), queue.sycl_device)
    foreign = tt.asarray(np.ones((4, 3)), queue=elsewhere)
    assert not is_known(known, 2.0, foreign, y)
    with pytest.raises(tt.ArgumentError, match="'Y': expected memory in the context"):
        known(2.0, foreign, y, groups=3)


def test_interpreted_meanwhile(known, arrays, monkeypatch):
    monkeypatch.setenv("TINYTC_INTERPRET", "1")
    assert not is_known(known, 2.0, *arrays)


def test_arrays_are_not_kept_alive(known, arrays):
    x, y = tt.asarray(np.ones((4, 3))), arrays[1]
    known(2.0, x, y, groups=3)
    memory = weakref.ref(x)
    del x
    gc.collect()
    assert memory() is None


def test_dropped_while_running(known):
    results = [tt.empty((4, 3), np.float64) for _ in range(40)]
    for number, y in enumerate(results):
        known.submit(1.0, tt.asarray(np.full((4, 3), float(number))), y, groups=3)
    known.submit(1.0, results[0], results[0], groups=3).wait()
    assert [y[0, 0] for y in results] == list(range(40))


def test_threads(known):
    errors = []

    def work(thread):
        for number in itertools.islice(itertools.count(thread, 8), 40):
            x, y = tt.asarray(np.full((4, 3), float(number))), tt.empty((4, 3), np.float64)
            known(2.0, x, y, groups=3)
            if not (y == 2 * number).all():
                errors.append(number)

    threads = [threading.Thread(target=work, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


@pytest.mark.parametrize("order", ["C", "F"])  # which is copied each time, and used in place
def test_host_arrays(kernel, order):
    x, y = np.ones((4, 3), order=order), np.zeros((4, 3), order=order)
    for factor in (2.0, 2.0, 2.0):
        x += 1
        kernel(factor, x, y, groups=3)
        assert np.array_equal(y, factor * x)
    assert is_known(kernel, 2.0, x, y) is (order == "F")


def test_submitted_kernels_read_host_arrays_at_once(kernel):
    size = 3000
    x, y = np.empty((4, size), order="F"), tt.empty((4, size), np.float64)
    for number in range(20):
        x[:] = number
        kernel(2.0, x, y, groups=size)  # which is cached
        event = kernel.submit(3.0, x, y, groups=size)
        x[:] = -1
        event.wait()
        assert (y == 3 * number).all()
