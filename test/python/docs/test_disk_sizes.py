"""The disk sizes that the README states are those of the installed packages."""

import importlib.metadata
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[3]
INTEL = re.compile(r"intel-.*|tbb|tcmlib|umf|dpctl")
TOLERANCE = 0.1  # packages grow from version to version, and numbers are rounded to 0.1 GB


def name_of(requirement):
    return re.match(r"[\w.-]+", requirement)[0].lower().replace("_", "-")


def needed(names):
    """Return packages and all that they need, without extras and what other Pythons need."""
    found, left = set(), list(names)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            required = importlib.metadata.requires(name) or []
            left += [name_of(each) for each in required if ";" not in each]
    return found


def size_gb(names):
    """Return the bytes in the files of installed packages, in 10^9."""
    files = {path.locate() for name in names for path in importlib.metadata.files(name) or []}
    return sum(path.lstat().st_size for path in files if path.exists()) / 1e9


def requirements(heading):
    """Return names from a list in pyproject.toml."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = re.search(rf"^{heading} = \[\n(.*?)^\]", text, re.M | re.S)[1]
    return {name_of(each) for each in re.findall(r'^  "(.*?)"', block, re.M)}


def stated(page, pattern):
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    return float(re.search(pattern, text)[1])


@pytest.mark.parametrize(
    ("page", "pattern", "chosen"),
    [
        ("README.md", r"([\d.]+) GB of disk", r".*"),
        ("docs/getting-started.md", r"([\d.]+) GB of disk", r".*"),
        ("README.md", r"MLIR and LLVM \(([\d.]+) GB\)", r"xtc-.*"),
        ("README.md", r"Intel's packages \(([\d.]+) GB\)", INTEL),
    ],
)
def test_installed_size(page, pattern, chosen):
    packages = needed(requirements("dependencies"))
    size = size_gb(name for name in packages if re.fullmatch(chosen, name))
    assert size == pytest.approx(stated(page, pattern), rel=TOLERANCE)


def test_size_of_a_build():
    packages = [name for name in requirements("requires") if name.startswith("xtc-")]
    size = size_gb(packages)
    assert size == pytest.approx(stated("README.md", r"([\d.]+) GB more while"), rel=TOLERANCE)
