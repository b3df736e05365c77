"""The picture of the README shows the latest table."""

import importlib.util
import pathlib
from xml.etree import ElementTree

import pytest

ROOT = pathlib.Path(__file__).parents[3]


@pytest.fixture(scope="module")
def picture():
    path = ROOT / "bench" / "speed_picture.py"
    spec = importlib.util.spec_from_file_location("speed_picture", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_picture_is_that_of_the_latest_table(picture):
    drawn = picture.draw(picture.read(picture.PAGE.read_text(encoding="utf-8")))
    shown = picture.PICTURE.read_text(encoding="utf-8")
    assert drawn == shown, "run `python bench/speed_picture.py`"
    bars = [e for e in ElementTree.fromstring(drawn).iter() if e.get("height")]
    assert len(bars) == 1 + (len(picture.SIZES) + 1) * len(picture.LABELS)


def test_numbers_of_a_table(picture):
    rows = "".join(
        f"| gemm.f32.{size} | cache | 1 | 1 | 1 | 80.0 | 1 | fma | 9 | 8.00 | 4.00 | - |  |\n"
        for size in picture.SIZES
    )
    head = (
        "| case | batch | groups | us | +-% | GFLOP/s | GB/s | ceiling | % | x numpy | x mkl "
        "| x libxsmm | x own |\n" + "| --- " * 13 + "|\n"
    )
    run = picture.read(f"# Page\n\n## Other\n\n## Machine\n\n### Kernels\n\n{head}{rows}\n")
    assert run.machine == "Machine"
    assert run.cases[0].gflops == {"ours": 80.0, "mkl": 20.0, "numpy": 10.0}
    with pytest.raises(SystemExit, match=r"expected the sizes 4, .*, got no 4, 8"):
        picture.read(f"## Machine\n\n### Kernels\n\n{head}{rows.splitlines()[-1]}\n")
    with pytest.raises(SystemExit, match="expected a heading and a table"):
        picture.read("# Page\n")
