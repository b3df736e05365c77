"""The picture of the README shows the latest table."""

import json
import pathlib
from xml.etree import ElementTree

import pytest

from scripts import loaded
from tinytc_bench.report import table

ROOT = pathlib.Path(__file__).parents[3]


@pytest.fixture(scope="module")
def picture():
    return loaded(ROOT / "bench" / "speed_picture.py")


def test_picture_is_that_of_the_latest_table(picture):
    table = json.loads(picture.TABLES.read_text(encoding="utf-8"))["kernels"]
    drawn = picture.draw(picture.read(table))
    shown = picture.PICTURE.read_text(encoding="utf-8")
    assert drawn == shown, "run `python bench/speed_picture.py`"
    bars = [e for e in ElementTree.fromstring(drawn).iter() if e.get("height")]
    assert len(bars) == 1 + (len(picture.SIZES) + 1) * len(picture.LABELS)
    assert min(float(bar.get("height")) for bar in bars) > 0


COLUMNS = json.loads(table([], ["numpy", "mkl", "libxsmm"], "json"))["columns"]


def test_columns_are_those_of_reports(picture):
    assert set(picture.COLUMNS.values()) <= set(COLUMNS)


def test_numbers_of_a_table(picture):
    rows = [
        [f"gemm.f32.{size}", "cache", 1, 1, 1, 80.0, 1, "fma", 9, 8.0, 4.0, "-", ""]
        for size in picture.SIZES
    ]
    cases = picture.read({"columns": COLUMNS, "rows": rows})
    assert cases[0].gflops == {"ours": 80.0, "mkl": 20.0, "numpy": 10.0}
    with pytest.raises(SystemExit, match=r"expected the sizes 4, .*, got no 4, 8"):
        picture.read({"columns": COLUMNS, "rows": rows[-1:]})
    without = [name.replace("numpy (1 thread)", "numpy") for name in COLUMNS]
    with pytest.raises(SystemExit, match=r"expected a column 'x numpy \(1 thread\)', got case, "):
        picture.read({"columns": without, "rows": rows})


def test_what_was_not_timed_has_no_bar(picture):
    (row,) = picture._bars(picture.Case("4", {"ours": 8.0, "mkl": 0.5}), 0, 1.0)[2:3]
    assert "MKL, 4: 0.5 GFLOP/s" in row
