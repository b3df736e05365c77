"""Tables are split and drawn on their way to the site; pages fit narrow and wide screens."""

import pathlib
import re

import page_sources
import pytest

from docs.test_site import ROOT, build

CASES = """\
| case | batch | GFLOP/s | GB/s |
|---|---|---|---|
| gemm.f32.8 | cache | 160.7 | 12.0 |
| gemm.f32.8 | memory | 58.9 | 44.2 |
| axpby.f32.8 | cache | - | 20 |
"""
GOALS = """\
| target | goal | measured | | worst |
|---|---|---|---|---|
| fast | >= 2 | 3 | met | a |
| short | <= 5 ms | 10 ms | not met | b |
| unknown | >= 1 | - | | |
"""


@pytest.fixture(scope="module")
def site(made_once):
    return made_once("site", build)


def test_points_of_cases():
    title, groups = page_sources.points(CASES)
    assert title == "GFLOP/s, or GB/s where nothing is computed (cache, memory)"
    assert groups == {
        "gemm.f32": [(160.7, 0, "gemm.f32.8"), (58.9, 1, "gemm.f32.8")],
        "axpby.f32": [(20.0, 0, "axpby.f32.8")],
    }


def test_points_of_goals():
    """A goal is met above 1, a limit, too."""
    _, groups = page_sources.points(GOALS)
    assert {name: found[0][0] for name, found in groups.items()} == {"fast": 1.5, "short": 0.5}
    assert page_sources.points("| a | b |\n|---|---|\n| x | 3 |\n") is None


def test_a_plot_before_each_table(tmp_path):
    text = page_sources.with_plots(f"# Page\n\n{CASES}\nwords\n\n{GOALS}", tmp_path)
    assert text.index("measurements-0.svg") < text.index("| case") < text.index("measurements-1")
    drawn = (tmp_path / "measurements-0.svg").read_text()
    assert drawn.count("<circle") == 3
    assert "<title>gemm.f32.8: 160.7</title>" in drawn
    places = [float(x) for x in re.findall(r'cx="([\d.]+)"', drawn)]
    assert places[0] > places[1] > places[2]


def test_tables_of_data_are_written_as_they_are(tmp_path):
    data = '{"goals": {"columns": ["a", "us"], "rows": [["x", 1.50], ["y", "+2"]]}}'
    (tmp_path / "cpu.json").write_text(data)
    page = "# Page\n\n[goals](cpu.json)\n\nwords [goals](cpu.json)\n"
    changed = page_sources.with_tables(page, tmp_path)
    assert changed == page.replace(
        "\n[goals](cpu.json)\n", "\n| a | us |\n|---|---|\n| x | 1.50 |\n| y | +2 |\n"
    )


def test_labels_are_whole():
    names = "a goal", "another goal, whose name is longer than all others"
    drawn = page_sources.drawn("title", {name: [(2.0, 0, name)] for name in names})
    assert all(f">{name}</text>" in drawn for name in names)
    ends = [float(x) for x in re.findall(r'x="([\d.]+)" y="[\d.]+" text-anchor="end"', drawn)]
    assert min(ends) > 6 * len(names[1])


def test_measurements_have_plots(site):
    page = (site / "measurements.html").read_text(encoding="utf-8")
    tables = page.count("<table")
    assert page.count("measurements-") == page.count("<img") == tables == 15


def test_the_first_page(site):
    page = (site / "index.html").read_text(encoding="utf-8")
    assert "speed.svg" in page
    assert "pip install tinytc_mlir-*.whl" in re.sub("<[^>]*>", "", page)
    source = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", source, re.S)[1]
    assert sum(bool(line.strip()) for line in code.splitlines()) <= 10


def test_the_code_of_the_first_page(tmp_path):
    source = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    path = tmp_path / "first.py"  # kernels are read from files
    path.write_text(re.search(r"```python\n(.*?)```", source, re.S)[1])
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    assert (names["C"] == 16).all()


PAGES = ("index.html", "instructions.html", "language/memory.html", "measurements.html")


@pytest.mark.similar
@pytest.mark.parametrize("width", [420, 1366, 2560])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit(site, new_page, width, scheme):
    view = {"width": width, "height": 900}
    page = new_page(viewport=view, color_scheme=scheme)
    for name in PAGES:
        page.goto((pathlib.Path(site) / name).as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if name == "instructions.html" and width > 1000:
            wide = "[...document.querySelectorAll('.table-scroll')]"
            found = page.evaluate(f"{wide}.map(each => each.scrollWidth - each.clientWidth)")
            assert max(found) <= 0
        if name == "language/memory.html":
            label = "div.highlight-numpy, div.highlight-tinytc:has(+ div.highlight-numpy)"
            script = "each => getComputedStyle(each, '::before').content"
            found = page.locator(label).evaluate_all(f"all => all.map({script})")
            assert found[:2] == ['"kernel"', '"NumPy"']


def test_tables_are_whole():
    """Markdown ends a table at an empty line, and shows rows after it as text."""
    split = re.compile(r"\n\n\|[^\n]*\n(?!\|[-:| ]+\|?$)", re.MULTILINE)
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    assert len(pages) > 50
    assert [str(page) for page in pages if split.search(page.read_text())] == []
