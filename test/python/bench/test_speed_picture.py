"""The picture of the README shows the latest tables."""

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


def test_picture_is_that_of_the_latest_tables(picture):
    drawn = picture.picture()
    shown = picture.PICTURE.read_text(encoding="utf-8")
    assert drawn == shown, "run `python bench/speed_picture.py`"
    bars = [e for e in ElementTree.fromstring(drawn).iter() if e.get("class") == "bar"]
    assert len(bars) == sum(len(group.peers) for group in picture.GROUPS)
    assert min(float(bar.get("width")) for bar in bars) > 0


def test_numbers_of_a_table(picture):
    group = picture.GROUPS[0]
    columns = json.loads(table([], ["numpy", "mkl", "libxsmm"], "json"))["columns"]
    assert set(group.peers.values()) <= set(columns)
    rows = [
        [case, "cache", 1, 1, 1, 80.0, 1, "fma", 9, times, 4.0, 1.0, ""]
        for case, times in zip(group.cases, (2.0, 8.0, 2.0, 8.0), strict=True)
    ]
    found = picture.read(group, {"columns": columns, "rows": rows})
    assert found == pytest.approx({"NumPy, 1 thread": 4.0, "MKL": 4.0, "libxsmm": 1.0})
    with pytest.raises(SystemExit, match="expected the cases of 'kernels', got no gemm.f32.4$"):
        picture.read(group, {"columns": columns, "rows": rows[1:]})
    without = [name.replace("numpy (1 thread)", "numpy") for name in columns]
    with pytest.raises(SystemExit, match=r"expected a column 'x numpy \(1 thread\)', got case, "):
        picture.read(group, {"columns": without, "rows": rows})
