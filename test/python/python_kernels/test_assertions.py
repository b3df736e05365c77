"""`assert` in kernels: known now, at a launch of a debug build, and on NumPy."""

import re

import numpy as np
import pytest

import tinytc_mlir as tt


@tt.kernel
def root(n: tt.index, h: tt.f32[8, None], N: tt.const):
    assert N % 4 == 0, "a multiple of 4"
    i = tt.group_id
    assert n > 0
    for j in tt.foreach(N):
        assert 0 < h[j, i] < 1e6, '"h" is a depth'
        h[j, i] = 2 * h[j, i]


def test_text():
    text = root[8].text
    assert 'assert %1, "n > 0"' in text
    assert "\"0 < h[j, i] < 1000000.0: 'h' is a depth\"" in text


def test_known_now():
    with pytest.raises(tt.ParseError, match="error: expected N % 4 == 0: a multiple of 4"):
        root[6].text  # noqa: B018


def test_debug_builds():
    kernel = root[8].compile("cpu", debug=True)["root"]
    h = np.ones((8, 3), np.float32)
    kernel(1, h)
    assert (h == 2).all()
    h[5, 1] = -1
    with pytest.raises(tt.CheckError) as caught:
        kernel(1, h)
    message, line, caret = str(caught.value).splitlines()
    assert re.fullmatch(
        r".*test_assertions.py:\d+:9: error: expected '0 < h\[j, i\] < 1000000.0: 'h' is a depth' "
        r"to be true, got false \(group 1, lane 5\)",
        message,
    )
    assert line == """        assert 0 < h[j, i] < 1e6, '"h" is a depth'"""
    assert caret.strip("~") == "        ^"


def test_release_builds_contain_nothing():
    root[8](0, np.full((8, 3), -1, np.float32))


def test_on_numpy():
    with pytest.raises(AssertionError):
        root[8].python(0, np.ones((8, 3), np.float32))


def test_steps_that_are_not_positive():
    @tt.kernel
    def strided(n: tt.index, x: tt.i32[8, None]):
        for k in range(0, 8, n):
            x[k, tt.group_id] += 1

    x = np.zeros((8, 1), np.int32, order="F")
    program = strided.compile("cpu", debug=True)["strided"]
    program(2, x)
    strided.python(2, x, groups=1)
    tt.interpret(strided.module, "strided", [2, x])
    assert x.ravel().tolist() == 4 * [3, 0]
    runs = (
        lambda step: program(step, x),
        lambda step: strided.python(step, x, groups=1),
        lambda step: tt.interpret(strided.module, "strided", [step, x]),
    )
    for step in (0, -1):
        for run in runs:
            with pytest.raises(tt.TinyTCError, match=f"expected a positive step, got {step}"):
                run(step)


def test_loops_with_attributes_run_on_numpy():
    @tt.kernel
    def unrolled(x: tt.i32[8]):
        for k in range(0, 8, 2, unroll=True):
            x[k] = 1

    x = np.zeros(8, np.int32)
    unrolled.python(x, groups=1)
    assert x.tolist() == 4 * [1, 0]
