"""Configuration of Sphinx: `sphinx-build -W docs docs/_build`.

The pages about ops, passes and the command line are generated here, from the sources and the
installed package. They go to docs/generated.
"""

import importlib.util
import os
import pathlib
import runpy
import subprocess
import sys

import mlir

ROOT = pathlib.Path(__file__).parents[1]
GENERATED = ROOT / "docs" / "generated"
sys.path.insert(0, str(ROOT / "docs"))
sys.path.append(str(ROOT / "bench"))  # the options of `tinytc bench`

project = "tinytc-mlir"
copyright = "the authors of tinytc-mlir"  # noqa: A001
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "generated"]
html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["tables.js"]
html_title = "tinytc-mlir"
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": True,
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "show_prev_next": True,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_context = {"default_mode": "auto"}
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]
autodoc_mock_imports = ["torch", "jax"]  # pages about what needs them are made without them
autodoc_typehints = "description"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "undoc-members": False}
napoleon_custom_sections = [("Source", "notes_style"), "Source"]
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
# The generated pages begin below the headings of the pages that include them.
suppress_warnings = ["myst.header"]


def write_dialect_pages():
    """Write what TableGen knows of ops and passes, by the mlir-tblgen of the wheels."""
    home = pathlib.Path(mlir.__path__[0])
    tblgen = home / "bin" / "mlir-tblgen"
    for path in (tblgen, home / "include" / "mlir" / "IR" / "OpBase.td"):
        if not path.exists():
            raise FileNotFoundError(f"expected {path}, got none; pip install 'tinytc-mlir[docs]'")
    pages = {
        "dialect.md": ["-gen-dialect-doc", "-dialect=tinytc", "TinyTC.td"],
        "passes.md": ["-gen-pass-doc", "Passes.td"],
        "tile-passes.md": ["-gen-pass-doc", "tile/Passes.td"],
        "tile-dialect.md": ["-gen-dialect-doc", "-dialect=tile", "tile/Tile.td"],
        "tile-bytecode-passes.md": ["-gen-pass-doc", "tile/BytecodePasses.td"],
    }
    GENERATED.mkdir(exist_ok=True)
    for name, (*words, source) in pages.items():
        command = [tblgen, *words, "-I", ROOT, "-I", home / "include", ROOT / "dialect" / source]
        text = subprocess.run(command, capture_output=True, check=True, text=True).stdout
        _write(GENERATED / name, text)


def _write(path, text):
    """Write a page if it has changed, so that only those are built again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


write_dialect_pages()
if importlib.util.find_spec("tinytc_mlir") is None:
    raise ModuleNotFoundError("expected the package tinytc_mlir, got none; run `pip install .`")
address = runpy.run_path(str(ROOT / "tools" / "repository.py"))["address"]()
if address is not None:
    html_theme_options["icon_links"] = [
        {"name": "Repository", "url": address, "icon": "fa-solid fa-code-branch"}
    ]
os.environ["COLUMNS"] = "96"  # of the help texts

import reference_pages  # noqa: E402
from sphinx.ext.autodoc.mock import _MockObject, mock  # noqa: E402

_MockObject.__setitem__ = lambda *_: None  # for JAX's tables of rules

_write(GENERATED / "command-line.md", reference_pages.command_line_page())
_write(GENERATED / "names.md", reference_pages.names_table())
_write(GENERATED / "switches.md", reference_pages.switches_table())
with mock(autodoc_mock_imports):
    _write(GENERATED / "python.md", reference_pages.python_page())


def setup(app):
    """Split and draw tables; give highlighters to the language, MLIR and lines of NumPy."""
    import page_sources
    from lexers import GrammarLexer, MLIRLexer
    from pygments.lexers.python import PythonLexer

    from tinytc_mlir.frontend.highlight import TensorLanguageLexer

    app.add_lexer("tinytc", TensorLanguageLexer)
    app.add_lexer("mlir", MLIRLexer)
    app.add_lexer("ebnf", GrammarLexer)
    app.add_lexer("numpy", PythonLexer)
    app.connect("source-read", page_sources.change)
    app.connect("doctree-read", page_sources.leave_out_of_search)
    app.connect("build-finished", page_sources.write_llms)
