"""Configuration of Sphinx: `sphinx-build docs docs/_build` after the CMake target tinytc-docs."""

from pathlib import Path

project = "tinytc-mlir"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "generated"]
html_theme = "alabaster"
html_theme_options = {"page_width": "1100px"}
myst_heading_anchors = 3
# The generated pages begin below the headings of the pages that include them; the language
# `mlir` has no highlighter.
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

if not (Path(__file__).parent / "generated" / "dialect.md").exists():
    raise FileNotFoundError(
        "expected docs/generated/dialect.md, run `cmake --build build --target tinytc-docs` first"
    )


def setup(app):
    """Show MLIR without colours."""
    from pygments.lexers.special import TextLexer

    app.add_lexer("mlir", TextLexer)
