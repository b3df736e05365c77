"""What those who come from other libraries try first at launches."""

import re

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.cli import files


@tt.kernel
def scale(A: tt.f32[16, None]):  # noqa: N803
    i = tt.group_id.x
    A[:, i] = 2 * A[:, i]


def batch():
    return np.ones((16, 10), np.float32)


@pytest.mark.parametrize(
    "keyword, hint",
    [
        ("grid", "; did you mean 'groups'?"),
        ("Groups", "; did you mean 'groups'?"),
        ("group", "; did you mean 'groups'?"),
        ("stream", "; did you mean 'queue'?"),
        ("target", "; pass it to compile"),
        ("a", "; did you mean 'A'?"),
        ("zzz", ""),
    ],
)
def test_keywords(keyword, hint):
    with pytest.raises(tt.ArgumentError) as caught:
        scale(batch(), **{keyword: 3})
    assert str(caught.value) == f"scale: unexpected argument {keyword!r}{hint}"


def test_square_brackets():
    message = r"expected values of the constants \(none\), got 1; write scale\(..., groups=\(4,\)\)"
    with pytest.raises(tt.ArgumentError, match=message):
        scale[(4,)](batch())


@pytest.mark.parametrize("target", [None, "cpu", "native"])
def test_benchmarks_of_host_arrays(target):
    kernel = scale if target is None else scale.compile(target)["scale"]
    for array in (batch(), np.asfortranarray(batch()), batch()[:, ::-2]):
        timing = tt.do_bench(kernel, array, rounds=2, round_s=0.001)
        assert re.fullmatch(r"<Timing: .* us \(25 % of the rounds .*>", repr(timing))
        assert tt.do_bench(kernel, {"A": array}, rounds=1, round_s=0.001).launches > 0
    with pytest.raises(tt.ArgumentError, match="expected dtype float32, got float64"):
        tt.do_bench(kernel, np.ones((16, 10)))


@pytest.mark.parametrize("target", ["cpu", "native"])
def test_benchmarks_of_groups(target):
    text = """func @double(%A: group<memref<f32x4>x?>) {
      %g = group_id.x : index
      %a = load %A[%g] : memref<f32x4>
      %one = constant 1.0 : f32
      axpby %one, %a, %one, %a
    }"""
    double = tt.Context().parse(text).compile(target)["double"]
    members = [np.ones(4, np.float32), np.ones(8, np.float32)[::2]]
    for group in (members, tt.Group(members)):
        assert tt.do_bench(double, group, rounds=1, round_s=0.001).launches > 0


def test_devices():
    for device in tt.devices():
        start = f"<Device for {device.target}: {device.name}"
        assert repr(device).startswith(start)
        assert len(repr(device)) < 120


@pytest.mark.parametrize("text, value", [("1_000_000", 10**6), ("12", 12)])
def test_numbers_of_options(text, value):
    assert files.positive(text) == value


@pytest.mark.parametrize("text", ["1__0", "_1", "1_", "0", "-1", "", "1_0.0"])
def test_odd_numbers_of_options(text):
    with pytest.raises(Exception, match="expected a positive integer"):
        files.positive(text)
