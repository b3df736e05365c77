"""Recipes for conda-forge and Spack, and the one place for the repository's address."""

import json
import pathlib
import re
import sys
import types

import pytest
import rattler_build

import tinytc_mlir
from scripts import loaded

ROOT = pathlib.Path(__file__).parents[2]
CONDA = ROOT / "packaging" / "conda-forge"
SPACK = ROOT / "packaging" / "spack" / "tinytc_mlir" / "package.py"


def project():
    """Return the texts of the package's requirements by name."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = text.partition("\ndependencies = [")[2].partition("\n]")[0]
    return dict(re.findall(r'"([\w-]+)([^"]*)"', block))


def rendered(path=CONDA / "recipe.yaml"):
    variants = rattler_build.VariantConfig.from_file(str(CONDA / "variants.yaml"))
    recipe = rattler_build.Stage0Recipe.from_file(str(path))
    (variant,) = recipe.render(variants)
    return variant.recipe


def test_conda_renders():
    recipe = rendered()
    assert str(recipe.package.version) == tinytc_mlir.__version__
    needed = {
        str(each).split()[0].replace("_", "-") for each in recipe.to_dict()["requirements"]["run"]
    }
    ours = {name.replace("_", "-") for name in project() if not name.startswith("xtc-")}
    assert needed == {"python", *ours}


@pytest.mark.parametrize(
    ("old", "new"),
    [("  number: 0", "  nmber: 0"), ("version: ${{ version }}", "version: ${{ vers }}")],
)
def test_conda_errors_are_found(tmp_path, old, new):
    path = tmp_path / "recipe.yaml"
    text = (CONDA / "recipe.yaml").read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(Exception, match="nmber|vers"):
        rendered(path)


@pytest.fixture
def spack(monkeypatch):
    """Modules of Spack that note directives; a name that Spack does not have is an error."""
    calls = []
    package = types.ModuleType("spack.package")
    package.__all__ = ["depends_on", "license", "maintainers", "requires", "variant", "version"]
    for name in package.__all__:
        setattr(package, name, lambda *words, _name=name, **_: calls.append((_name, words)))
    python = types.ModuleType("spack_repo.builtin.build_systems.python")
    python.PythonPackage = type("PythonPackage", (), {})
    for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, package.__name__, package)
    monkeypatch.setitem(sys.modules, python.__name__, python)
    return calls


def test_spack_recipe(spack):
    module = loaded(SPACK)
    assert module.TinytcMlir.__doc__.startswith("The Tiny Tensor language as an MLIR dialect")
    versions = [words[0] for name, words in spack if name == "version"]
    assert tinytc_mlir.__version__ in versions
    needed = {re.split("[@:]", words[0])[0] for name, words in spack if name == "depends_on"}
    for name in ("numpy", "ml-dtypes", "platformdirs", "shtab"):
        assert name in project()
        assert f"py-{name}" in needed


def repository():
    return loaded(ROOT / "tools" / "repository.py")


def test_one_place_for_the_address(tmp_path):
    """Whoever names the repository takes its address from there, and none is invented."""
    assert repository().address('[project.urls]\nRepository = "https://a.b/c"\n') == "https://a.b/c"
    assert repository().address('[project.urls]\n"X" = "https://a"\n') is None
    readers = ("docs/conf.py", "editors/vscode/package.py")
    for reader in readers:
        assert "repository" in (ROOT / reader).read_text(encoding="utf-8")
    url = repository().address()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert ("There is no public repository" in readme) == (url is None)
    assert "no telemetry" in readme
    assert "works offline" in readme


def test_the_extension_takes_the_address(tmp_path):
    module = loaded(ROOT / "editors/vscode/package.py")
    assert module.address() == repository().address()
    path = tmp_path / "package.json"
    path.write_text('{"name": "tinytc"}')
    module.add_repository(path, None)
    assert json.loads(path.read_text()) == {"name": "tinytc"}
    module.add_repository(path, "https://a.b/c")
    assert json.loads(path.read_text())["repository"] == {"type": "git", "url": "https://a.b/c"}


@pytest.mark.parametrize("name", ["SECURITY.md", "CODE_OF_CONDUCT.md"])
def test_pages_for_people(name):
    assert len((ROOT / name).read_text(encoding="utf-8").split()) > 80
    assert name in (ROOT / "README.md").read_text(encoding="utf-8")
