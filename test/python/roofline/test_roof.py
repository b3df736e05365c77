"""Rates of devices, and how near kernels come to them."""

import pathlib
import re

import pytest

import tinytc_mlir as tt
from tinytc_mlir import cache
from tinytc_mlir.cli import main
from tinytc_mlir.measure.launches import Timing
from tinytc_mlir.roofline import roof as roofs
from tinytc_mlir.roofline.roof import Rates, Roof
from tinytc_mlir.runtime import devices

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"
COPY = """func @f(%X: memref<f64x64x?>, %Y: memref<f64x64x?>) {
  %g = group_id : index
  %x = subview %X[:, %g] : memref<f64x64>
  %y = subview %Y[:, %g] : memref<f64x64>
  %one = constant 1.0 : f64
  %zero = constant 0.0 : f64
  axpby %one, %x, %zero, %y
}"""


@pytest.fixture
def kernel():
    return tt.Context().parse(COPY).compile("cpu")["f"]


@pytest.fixture
def measured(monkeypatch, tmp_path):
    """Rates in place of measurements, and a cache of their own."""
    monkeypatch.setenv("TINYTC_CACHE_DIR", str(tmp_path))
    calls = []

    def multiply_adds(_queue, _target, type_):
        calls.append(type_)
        return {"f32": 100.0, "f64": 50.0}[type_] * len(calls)

    def copies(_queue, _target, copied_bytes):
        calls.append(copied_bytes)
        return 10.0

    monkeypatch.setattr(roofs, "_multiply_adds", multiply_adds)
    monkeypatch.setattr(roofs, "_copies", copies)
    return calls


def test_roofs_are_kept(kernel, measured):
    queue = devices.queue_of("cpu")
    first = roofs.roof_of(queue, "cpu", kernel.info, 3 * 2**20)
    assert first == Roof("f64", 50.0, 10.0, 4 * 2**20)
    assert roofs.roof_of(queue, "cpu", kernel.info, 4 * 2**20) == first
    assert measured == ["f64", 4 * 2**20]
    assert {entry.kind for entry in cache.entries()} >= {cache.ROOF}
    again = roofs.roof_of(queue, "cpu", kernel.info, 2**22, again=True)
    assert again.gflops == 150.0  # the third call, and no less than before
    assert roofs.roof_of(queue, "cpu", kernel.info, 2**22) == again


@pytest.mark.parametrize(("moved", "copied"), [(1, 2**20), (None, 2**29), (2**40, 2**29)])
def test_sizes_of_copies_have_limits(kernel, measured, moved, copied):
    assert roofs.roof_of(devices.queue_of("cpu"), "cpu", kernel.info, moved).copied_bytes == copied
    assert measured[1] == copied


def test_measurements():
    """Nothing is known of the machine but that doubles are no faster than floats by much."""
    queue = devices.queue_of("cpu")
    f32, f64 = (roofs._multiply_adds(queue, "cpu", type_) for type_ in ("f32", "f64"))
    assert 0.1 < f64 < 2 * f32 < 1e6
    assert 0.01 < roofs._copies(queue, "cpu", 2**21) < 1e5


def test_rates(kernel):
    rates = Rates.of(kernel.info, 10, 1000.0)
    assert rates == Rates(None, 2 * 64 * 8 * 10 / 1000, 2 * 64 * 8 * 10)
    assert rates.intensity is None


@pytest.mark.parametrize(
    ("copied_gbytes_per_s", "limit"),
    [
        (1e6, "what the device can do"),
        (0.1, "what copies allow, because data stay in caches"),
    ],
)
def test_run_prints_the_share(capsys, monkeypatch, measured, copied_gbytes_per_s, limit):
    monkeypatch.setattr(roofs, "_copies", lambda *_: copied_gbytes_per_s)
    assert main(["run", "--groups", "50", str(EXAMPLES / "02_ader_step.ir")]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^speed    [\d.]+ GFLOP/s, [\d.]+ GB/s$", out, re.M)
    rates = rf"\({copied_gbytes_per_s:.1f} GB/s in copies, "
    assert re.search(rf"^roof     \d+ % of {limit} {rates}", out, re.M)
    assert measured[0] == "f32"


def test_run_draws(tmp_path, capsys, measured):
    pytest.importorskip("matplotlib")
    path = tmp_path / "k.svg"
    program = str(EXAMPLES / "02_ader_step.ir")
    assert main(["run", "--groups", "50", "--roofline", str(path), program]) == 0
    text = path.read_text()
    assert text.startswith("<?xml")
    assert "ader_step" in text or "<path" in text


def test_what_cannot_be_drawn(tmp_path, capsys, measured):
    program = tmp_path / "copy.ir"
    program.write_text(COPY)
    assert main(["run", "--groups", "5", "--roofline", str(tmp_path / "k.svg"), str(program)]) == 1
    assert "expected a kernel whose operations and bytes are known" in capsys.readouterr().err
    assert main(["run", "--roofline", "k.odd", str(program)]) == 1
    assert "k.odd: expected a suffix of" in capsys.readouterr().err


def test_timing_of_a_kernel(kernel):
    x, y = tt.zeros((64, 100), "f8"), tt.empty((64, 100), "f8")
    timing = tt.do_bench(kernel, x, y, rounds=3, round_s=0.001)
    assert timing.moved_bytes == 100 * 2 * 64 * 8
    assert timing.gbytes_per_s == timing.moved_bytes / timing.median_ns
    assert timing.gflops is None
    assert "25 % of the rounds below" in str(timing)
    assert str(timing).endswith(" GB/s")
    assert tt.do_bench(lambda: None, rounds=2, round_s=0.001).gflops is None
    assert str(Timing(1000.0, (), 5)) == "1.00 us, 5 launches"
