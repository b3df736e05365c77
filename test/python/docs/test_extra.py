"""The extra `docs` installs all that building the documentation takes."""

import importlib.metadata
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[3]
DOCS = ROOT / "docs"
#: What docs/conf.py calls and reads.
FILES = ("mlir/bin/mlir-tblgen", "mlir/include/mlir/IR/OpBase.td")


def name_of(requirement):
    return re.match(r"[\w.-]+", requirement)[0].lower().replace("_", "-")


def installed_with_docs():
    """Return what `pip install 'tinytc-mlir[docs]'` installs."""
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = {"tinytc-mlir"}
    left = [*project["dependencies"], *project["optional-dependencies"]["docs"]]
    while left:
        name = name_of(left.pop())
        if name not in found:
            found.add(name)
            required = importlib.metadata.requires(name) or []
            left += [each for each in required if ";" not in each]
    return found


def modules():
    """Return the modules that docs/*.py import, and the extensions that Sphinx loads."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in DOCS.glob("*.py"))
    imported = re.findall(r"^\s*(?:import|from) (\w+)", text, re.M)
    extensions = re.search(r"^extensions = \[(.*?)\]", text, re.M | re.S)[1]
    theme = re.search(r'^html_theme = "(\w+)"', text, re.M)[1]
    found = {*imported, *re.findall(r'"(\w+)', extensions), theme}
    return found - set(sys.stdlib_module_names) - {path.stem for path in DOCS.glob("*.py")}


def test_all_that_is_needed_is_in_the_extra():
    installed = installed_with_docs()
    owners = importlib.metadata.packages_distributions()
    for module in modules() - {"tinytc_mlir"}:
        assert {name_of(each) for each in owners[module]} & installed, module
    packages = {name: importlib.metadata.files(name) or [] for name in installed - {"tinytc-mlir"}}
    for file in FILES:
        assert [name for name, files in packages.items() if file in map(str, files)], file


#: Fails imports of modules, as if no package had them.
WITHOUT = """
import sys
class Finder:
    def find_spec(name, path, target=None):
        if name in {names!r}:
            raise ModuleNotFoundError(f"expected no other packages, got {{name}}", name=name)
sys.meta_path.insert(0, Finder)
import conf
"""


def test_pages_are_written_with_the_extra_alone(tmp_path):
    copy = shutil.copytree(DOCS, tmp_path / "docs", ignore=shutil.ignore_patterns("generated"))
    for name in ("bench", "dialect", "tools"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "pyproject.toml").symlink_to(ROOT / "pyproject.toml")
    code = WITHOUT.format(names={"torch", "jax", "dask", "matplotlib", "pygls"})
    words = [sys.executable, "-c", code]
    result = subprocess.run(words, cwd=copy, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    page = (copy / "generated" / "python.md").read_text(encoding="utf-8")
    assert {"tinytc_mlir.torch.op", "tinytc_mlir.jax.op"} <= set(page.split())
    assert "--peers NAME" in (copy / "generated" / "command-line.md").read_text(encoding="utf-8")


def test_missing_definitions_are_named(tmp_path):
    """Without xtc-mlir-dev, as in an environment that has the package alone."""
    import mlir

    package = tmp_path / "mlir"
    package.mkdir()
    for path in pathlib.Path(mlir.__path__[0]).iterdir():
        if path.name != "include":
            (package / path.name).symlink_to(path)
    copy = shutil.copytree(DOCS, tmp_path / "docs", ignore=shutil.ignore_patterns("generated"))
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import conf"
    words = [sys.executable, "-c", code]
    result = subprocess.run(words, cwd=copy, capture_output=True, text=True)
    assert result.returncode == 1
    message = f"expected {package}/include/mlir/IR/OpBase.td, got none; pip install 'tinytc-mlir"
    assert f"FileNotFoundError: {message}[docs]'" in result.stderr
