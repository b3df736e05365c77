"""Functions run where their data is: natively for arrays of the host, or on the device of arrays."""

import numpy as np
import pytest

import tinytc_mlir as tt


@tt.kernel
def double(x: tt.f32[16, None]):
    i = tt.group_id.x
    x[:, i] = 2 * x[:, i]


@tt.kernel
def members(x: tt.group[tt.f32[4]]):
    i = tt.group_id.x
    x[i][:] = 2.0 * x[i]


def target(kernel, *values, **named):
    return kernel.compiled_for(values, named)[0].program.target


@pytest.fixture(autouse=True)
def no_target(monkeypatch):
    monkeypatch.delenv("TINYTC_TARGET", raising=False)


def test_targets():
    host = np.ones((16, 10), np.float32)
    shared = tt.asarray(host)
    assert target(double, host) == target(double, host[:, ::-2]) == "native"
    assert target(double, shared) == target(double, shared[:, 2:]) == "cpu"
    assert target(double, x=shared) == target(double, {"x": shared}) == "cpu"
    assert target(members, [host[:4, 0]]) == target(members, []) == "native"
    assert target(members, tt.Group([tt.asarray(host[:4, 0])])) == "cpu"


def test_launches_in_turns():
    host = np.ones((16, 10), np.float32, order="F")
    shared = tt.asarray(host)
    for _ in range(2):
        double(host)
        double(shared)
        double(x=host[:, ::2])
        double({"x": shared})
    double(host, queue="cpu")
    assert (host[:, 1] == 8).all()
    assert (host[:, 0] == 32).all()
    assert (shared == 16).all()


def test_the_target_of_the_environment(monkeypatch):
    monkeypatch.setenv("TINYTC_TARGET", "cpu")
    assert target(double, np.ones((16, 10), np.float32)) == "cpu"
