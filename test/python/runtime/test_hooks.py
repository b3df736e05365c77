"""Functions around launches, and the trace that they write."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import tinytc_mlir as tt

TEXT = """
func @double(%X: memref<f32x4x?>) {
  %g = group_id : index
  %x = subview %X[:, %g] : memref<f32x4>
  %one = constant 1.0 : f32
  axpby %one, %x, %one, %x
}
"""


@pytest.fixture(scope="module")
def double():
    return tt.Context().parse(TEXT).compile("cpu")["double"]


def array():
    result = tt.empty((4, 6))
    result[:] = 1
    return result


def test_each_way_to_launch(double):
    x, calls = array(), []
    bound = double.bind(x)
    with tt.add_launch_hook(
        before=lambda launch: calls.append(("before", launch.kernel, launch.waits)),
        after=lambda launch: calls.append(("after", launch.kernel, launch.waits)),
    ):
        bound()
        double(x)
        double(x)  # a launch that is remembered
        double.submit(x).wait()
        bound.submit().wait()
    bound()
    waits = [True, True, True, False, False]
    assert calls == [(when, "double", w) for w in waits for when in ("before", "after")]
    assert (x == 2**6).all()


def test_what_a_record_says(double):
    records = []
    hook = tt.add_launch_hook(after=records.append)
    double(array(), groups=5)
    hook.remove()
    hook.remove()
    double(array())
    (record,) = records
    assert isinstance(record, tt.LaunchRecord)
    assert record.kernel == "double"
    assert list(record.groups) == [5, 1, 1]
    assert record.device
    assert 0 < record.start_ns < record.end_ns


def test_groups_that_run_side_by_side():
    """Work-groups of the target are not groups of the program."""
    text = """func @f(%A: memref<f32x4x4x?>) {
      %g = group_id : index
      %a = subview %A[:, :, %g] : memref<f32x4x4>
      %one = constant 1.0 : f32
      axpby %one, %a, %one, %a
    }"""
    kernel = tt.Context().parse(text).compile("cpu")["f"]
    a, records = np.ones((4, 4, 1000), np.float32, order="F"), []
    with tt.add_launch_hook(after=records.append):
        kernel(a)
    assert kernel.info.groups_per_work_group > 1
    assert list(records[0].groups) == [1000, 1, 1]


def test_hooks_nest(double):
    order = []

    def hook(name):
        return tt.add_launch_hook(lambda _: order.append(name), lambda _: order.append("/" + name))

    with hook("outer"), hook("inner"):
        double(array())
    assert order == ["outer", "inner", "/inner", "/outer"]


def test_errors_of_hooks_reach_the_caller(double):
    x = array()

    def refuse(_):
        raise RuntimeError("not now")

    with tt.add_launch_hook(before=refuse), pytest.raises(RuntimeError, match="not now"):
        double(x)
    assert (x == 1).all()


def test_hooks_must_be_functions():
    with pytest.raises(tt.ArgumentError, match="expected a function for after, got 3"):
        tt.add_launch_hook(after=3)


PROGRAM = f"""
import numpy as np, os, tinytc_mlir as tt
kernel = tt.Context().parse('''{TEXT}''').compile("cpu")["double"]
x = np.ones((4, 6), np.float32, order="F")
kernel(x)
kernel(x)
y = tt.empty((4, 6))
kernel.submit(y).wait()
if os.fork() == 0:
    kernel(x)
    os._exit(0)
os.wait()
"""


def traced(path):
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "TINYTC_TRACE": str(path)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_trace(tmp_path):
    run = traced(tmp_path / "trace-%p.json")
    assert run.returncode == 0, run.stderr
    (file,) = tmp_path.iterdir()
    events = json.loads(file.read_text())
    names = [event["name"] for event in events]
    assert names == ["load double", "double", "double", "submit double"]
    process = int(file.stem.removeprefix("trace-"))
    assert all(event["ph"] == "X" and event["pid"] == process for event in events)
    assert all(event["dur"] > 0 for event in events)
    assert [e["ts"] for e in events] == sorted(e["ts"] for e in events)
    assert events[1]["args"]["groups"] == [6, 1, 1]


def test_trace_that_cannot_be_written(tmp_path):
    run = traced(tmp_path / "absent" / "trace.json")
    assert run.returncode == 1
    assert "expected TINYTC_TRACE to name a file to write, got an error" in run.stderr
