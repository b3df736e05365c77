"""The documentation builds without a warning, with the generated pages in it."""

import pathlib
import re
import subprocess
import sys

import pytest

import tinytc_mlir

pytest.importorskip("sphinx")
ROOT = pathlib.Path(__file__).parents[3]


def build(folder):
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "docs", str(folder)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


@pytest.fixture(scope="module")
def site(made_once):
    """The folder of the built site."""
    return made_once("site", build)


def text_of(site, page):
    return (site / page).read_text(encoding="utf-8")


def test_descriptions_are_text(site):
    page = (ROOT / "docs" / "generated" / "dialect.md").read_text(encoding="utf-8")
    assert len(re.findall("^Execution:", page, re.M)) > 100
    assert not re.findall("^    Execution:", page, re.M)
    assert "tinytc.cooperative_matrix_mul_add" in text_of(site, "dialect.html")
    assert "tinytc-insert-barriers" in text_of(site, "passes.html")


def test_every_public_name_is_in_the_reference(site):
    page = text_of(site, "python-api.html")
    modules = {"recipes", "linalg", "distributed", "torch", "jax"}
    names = set(tinytc_mlir.__all__) - modules - {"__version__"}
    names |= {name for module in modules for name in getattr(tinytc_mlir, module).__all__}
    found = set(re.findall(r'id="tinytc_mlir\.[\w.]*?(\w+)"', page))
    assert names - found == set()


def test_every_command_is_on_its_page(site):
    page = text_of(site, "command-line.html")
    for command in ("check", "compile", "explore", "run", "tune", "doctor"):
        assert f"tinytc {command}" in page


def test_search_leaves_out_decisions(site):
    assert (site / "decisions" / "cpu-driver.html").exists()
    index = text_of(site, "searchindex.js")
    assert "Kernels in Python" in index
    assert "Faults of Intel's CPU driver" not in index


def test_all_pages_of_the_guide_are_in_llms_txt(site):
    text = text_of(site, "llms.txt")
    for path in re.findall(r"\]\((.*?)\)", text):
        assert (site / path).exists(), path
    assert "coming-from.md.txt): for users of NumPy" in text
    assert len(re.findall("^- ", text, re.M)) > 40


def test_tables_scroll_and_sort(site):
    page = text_of(site, "measurements.html")
    assert "_static/tables.js" in page
    assert "_static/site.css" in page
    assert (site / "_static" / "tables.js").exists()


def test_tables_in_a_browser(site, new_page):
    page = new_page(viewport={"width": 1100, "height": 800})
    page.goto((site / "measurements.html").as_uri())
    speeds = page.locator("thead th", has_text="GFLOP/s")
    table = page.locator(".table-scroll table").filter(has=speeds).first
    header = table.locator("thead th", has_text="GFLOP/s").first
    column = 1 + header.evaluate("header => header.cellIndex")
    cells = table.locator(f"tbody td:nth-child({column})")
    for order in ("ascending", "descending"):
        header.locator("button").click()
        assert header.get_attribute("aria-sort") == order
        values = [float(text) for text in cells.all_inner_texts() if text not in ("", "-")]
        assert len(values) > 20
        assert values == sorted(values, reverse=order == "descending")
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not page.evaluate(wide)
