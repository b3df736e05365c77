"""All pages say the same about code for GPUs: how it is checked, and what has run."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[3]
STATEMENT = (
    "code for Intel's GPUs is checked by assemblers, disassemblers, interpreters and emulators, "
    "and has not run on hardware"
)
STATED = [
    *("README.md", "CHANGELOG.md", "docs/index.md", "docs/nvidia.md", "docs/passes.md"),
    *("docs/performance.md", "docs/tile.md"),
]
_GPU = r"(?:NVIDIA|GPUs?|Intel(?:'s)? GPUs?|tensor cores?|matrix units?|A100|Arc)"
#: Claims that something has run, and other words for that nothing has: both go out of date.
OTHERS = re.compile(
    rf"\b(?:runs?|ran|launched|timed|measured) on (?:an? |the )?(?:NVIDIA )?{_GPU}"
    rf"|\b(?:No|no) (?:such |NVIDIA )?GPU (?:has|have|was)\b"
    rf"|\b(?:No|no) kernel for (?:a GPU|GPUs) (?:has|have|was)\b"
)


def words(page):
    return " ".join((ROOT / page).read_text(encoding="utf-8").split())


def pages():
    found = [*ROOT.glob("*.md"), *ROOT.glob("examples/*.md"), *ROOT.glob("docs/**/*.md")]
    kept = [path.relative_to(ROOT) for path in found if "generated" not in path.parts]
    return sorted(map(str, kept))


@pytest.mark.parametrize("page", STATED)
def test_statement(page):
    assert words(page).count(STATEMENT) == 1


@pytest.mark.parametrize("page", pages())
def test_nothing_contradicts_it(page):
    assert OTHERS.findall(words(page)) == []


def test_what_contradicts_it():
    for claim in (
        "No kernel for a GPU has been run yet.",
        "Programs run on NVIDIA GPUs as on CPUs and Intel GPUs",
        "Products of f16 run on the tensor cores",
        "No GPU has timed any of them so far.",
    ):
        assert OTHERS.search(claim)
    assert not OTHERS.search(STATEMENT)
