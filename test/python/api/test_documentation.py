"""The examples in docstrings and in the README do what they say."""

import doctest
import importlib
import pathlib
import pkgutil
import re

import pytest

import tile_interpreter
import tinytc_bench
import tinytc_mlir
from tinytc_mlir.frontend import format_source

ROOT = pathlib.Path(__file__).parents[3]
# Generated modules, and kernels in languages whose packages need a GPU.
NOT_OURS = (
    "tinytc_mlir.dialects._",
    "tinytc_mlir._",
    "tinytc_bench.cuda.cutile_gemm",
    "tinytc_bench.cuda.triton_gemm",
)
MODULES = [
    module.name
    for package in (tinytc_mlir, tinytc_bench, tile_interpreter)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.startswith(NOT_OURS)
]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name, tmp_path, monkeypatch):
    monkeypatch.setenv("TINYTC_CACHE_DIR", str(tmp_path))
    module = importlib.import_module(name)
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


@pytest.mark.parametrize("page, count", [("README.md", 3), ("docs/recipes.md", 6)])
def test_page(page, count, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / page).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) == count
    path = tmp_path / "page.py"  # kernels in Python find their source there
    path.write_text("\n".join(block for block in blocks if "import jax" not in block))
    exec(compile(path.read_text(), str(path), "exec"), {})


@pytest.mark.parametrize("page", ["README.md", "docs/getting-started.md"])
def test_programs_are_formatted(page):
    programs = re.findall(r"^func @.*?^}\n", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
    assert programs
    for program in programs:
        assert format_source(program) == program


def test_every_public_name_is_there():
    for name in tinytc_mlir.__all__:
        assert getattr(tinytc_mlir, name).__doc__
    assert set(tinytc_mlir.__all__) <= set(dir(tinytc_mlir))
    with pytest.raises(AttributeError, match="module 'tinytc_mlir' has no attribute 'Contxt'"):
        assert tinytc_mlir.Contxt
