"""The picture of the README shows the latest table."""

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
    drawn = picture.draw(picture.read(picture.PAGE.read_text(encoding="utf-8")))
    shown = picture.PICTURE.read_text(encoding="utf-8")
    assert drawn == shown, "run `python bench/speed_picture.py`"
    bars = [e for e in ElementTree.fromstring(drawn).iter() if e.get("height")]
    assert len(bars) == 1 + (len(picture.SIZES) + 1) * len(picture.LABELS)
    assert min(float(bar.get("height")) for bar in bars) > 0


HEAD = table([], ["numpy", "mkl", "libxsmm"], "markdown")


def test_columns_are_those_of_reports(picture):
    assert set(picture.COLUMNS.values()) <= set(HEAD.splitlines()[0].strip("| ").split(" | "))


def page(head, rows):
    return f"# Page\n\n## Other\n\n## Machine\n\n### Kernels\n\n{head}\n{rows}\n"


def test_numbers_of_a_table(picture):
    rows = "".join(
        f"| gemm.f32.{size} | cache | 1 | 1 | 1 | 80.0 | 1 | fma | 9 | 8.00 | 4.00 | - |  |\n"
        for size in picture.SIZES
    )
    run = picture.read(page(HEAD, rows))
    assert run.machine == "Machine"
    assert run.cases[0].gflops == {"ours": 80.0, "mkl": 20.0, "numpy": 10.0}
    with pytest.raises(SystemExit, match=r"expected the sizes 4, .*, got no 4, 8"):
        picture.read(page(HEAD, rows.splitlines()[-1]))
    without = HEAD.replace("numpy (1 thread)", "numpy")
    with pytest.raises(SystemExit, match=r"expected a column 'x numpy \(1 thread\)', got case, "):
        picture.read(page(without, rows))
    with pytest.raises(SystemExit, match="expected a heading and a table"):
        picture.read("# Page\n")


def test_what_was_not_timed_has_no_bar(picture):
    (row,) = picture._bars(picture.Case("4", {"ours": 8.0, "mkl": 0.5}), 0, 1.0)[2:3]
    assert "MKL, 4: 0.5 GFLOP/s" in row
