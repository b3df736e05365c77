"""Searches over the constants of kernels in Python: `tt.autotune` of them, and as a decorator."""

import pickle

import numpy as np
import pytest

import tinytc_mlir as tt

pytestmark = pytest.mark.usefixtures("quick")


@tt.kernel
def scale(alpha: tt.f32, x: "tt.f32[M, None]", M: tt.const, TILE: tt.const):  # noqa: F821, N803, of the kernel
    assert M % TILE == 0, "whole tiles"
    i = tt.group_id
    for k in range(0, M, TILE):
        x[k : k + TILE, i] = alpha * x[k : k + TILE, i]


@tt.autotune({"TILE": [8, 16]}, key=["x"], target="cpu")
@tt.kernel
def double(x, n: tt.index, TILE: tt.const):  # noqa: N803, of the kernel
    i = tt.group_id
    x[0:TILE, i] = 2 * x[0:TILE, i]


def test_a_function(quick):
    x = np.ones((16, 5), np.float32, order="F")
    choices = {"TILE": [8, 7, 16], "SCHEDULE": [None, {"rows": 2}]}
    found = tt.autotune(scale.with_constants({"M": 16}), choices, (2.0, x), target="cpu")
    assert len(found.trials) == 6
    problems = {t.choice["TILE"]: t.problem for t in found.trials if t.problem}
    assert list(problems) == [7]
    assert "expected M % TILE == 0: whole tiles" in problems[7]
    assert (x == 1).all()
    found.kernel(2.0, x)
    assert (x == 2).all()
    again = tt.autotune(scale.with_constants({"M": 16}), choices, (2.0, x), target="cpu")
    assert (again.is_cached, again.best) == (True, found.best)
    assert [str(path) for path in quick.iterdir()] == [found.path]


def test_a_method(quick):
    x = np.ones((16, 5), np.float32, order="F")
    found = scale.with_constants({"M": 16}).tune({"TILE": [8, 16]}, (2.0, x), target="cpu")
    assert [trial.choice["TILE"] for trial in found.trials] in ([8, 16], [16, 8])
    found.kernel(2.0, x)
    assert (x == 2).all()
    both = scale.tune({"M": [8, 16], "TILE": [8]}, target="cpu", groups=3)
    assert len(both.trials) == 2
    with pytest.raises(tt.ArgumentError, match="expected the name of a variable of the program"):
        scale.tune({"TILES": [8]}, target="cpu")


def test_a_decorator(quick):
    x = np.ones((16, 3), np.float32)
    double(x, 1)
    (path,) = quick.iterdir()
    (tile,) = {t.choice["TILE"] for t in double.tuned(x, 1)[0].trials[:1]}
    assert (x[:tile] == 2).all()
    assert (x[tile:] == 1).all()
    double(x, 2)  # no part of the key
    assert [*quick.iterdir()] == [path]
    double(np.ones((16, 4), np.float32), 1)
    assert len([*quick.iterdir()]) == 2
    shared = tt.asarray(x)
    bound = double.bind(shared, n=1)
    bound()
    double.submit(shared, n=1).wait()
    assert (shared[:tile] == 16).all()


def test_constants_by_name(quick):
    tuned = tt.autotune({"TILE": [8]}, key=["M"], target="cpu")(scale)
    for size in (8, 16):
        x = np.ones((size, 2), np.float32)
        tuned(3.0, x, M=size)
        assert (x == 3).all()
    assert len([*quick.iterdir()]) == 2
    assert pickle.loads(pickle.dumps(tuned)).key == ("M",)


def test_errors():
    with pytest.raises(
        tt.ArgumentError, match="scale: key: expected the name of a parameter, got 'N'"
    ):
        tt.autotune({"TILE": [8]}, key=["N"])(scale)
    with pytest.raises(tt.ArgumentError, match="expected the name of a variable of the program"):
        tt.autotune(scale, {"TILES": [8]}, target="cpu")
    with pytest.raises(tt.ArgumentError, match="expected a text or a kernel, got 3"):
        tt.autotune(3, {"TILE": [8]})


def test_constants_by_index(quick):
    tuned = tt.autotune({"TILE": [8, 16]}, target="cpu")(scale)
    x = np.ones((16, 3), np.float32)
    tuned[16](2.0, x)
    assert (x == 2).all()
    assert len([*quick.iterdir()]) == 1
    assert tuned[16][8] is scale.with_constants({"M": 16})[8]
    tuned[16, 8](2.0, x)
    double[8](x, 1)  # nothing to search
    assert (x[:8] == 8).all()
    assert (x[8:] == 4).all()
    assert len([*quick.iterdir()]) == 1
    with pytest.raises(
        tt.ArgumentError, match="constants M, TILE, or of M beside the choices, got 3"
    ):
        tuned[1, 2, 3]
    with pytest.raises(tt.ArgumentError, match="expected the constants M, TILE, got 'N'"):
        tuned.with_constants({"N": 1})


def test_what_else_a_kernel_has(tmp_path):
    tuned = tt.autotune({"TILE": [8, 16]}, target="cpu")(scale)[16]
    first = scale[16, 8]
    assert tuned.text == first.text
    assert tuned.module.to_text() == first.module.to_text()
    assert str(tuned.lower("linalg")) == str(first.lower("linalg"))
    assert tuned.compile("cpu").digest == first.compile("cpu").digest
    tuned.save(tmp_path / "kernels.tinytc", "cpu")
    found, expected = np.ones((16, 3), np.float32, order="F"), np.full((16, 3), 2, np.float32)
    tt.load(tmp_path / "kernels.tinytc")["scale"](2.0, found)
    assert np.array_equal(found, expected)
    tuned.python(2.0, found, groups=3)
    tuned.python(2.0, found, TILE=16)
    assert np.array_equal(found, 4 * expected)
    assert "scale" in tuned.explore("cpu")._repr_html_()
    x = np.ones((16, 3), np.float32)
    assert double.typed(x, 1).text == double[8].typed(x, 1).text
    with pytest.raises(tt.ArgumentError, match="expected a value of the constant M, got none"):
        tt.autotune({"TILE": [8]})(scale).text  # noqa: B018
