"""Measures the whole suite and leaves numbers, tables and a plot in a folder.

Run with `python bench/kernels.py FOLDER`; `tinytc bench --help` lists the choices in between.
"""

from __future__ import annotations

import pathlib
import sys

from tinytc_mlir.cli import main

if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    folder.mkdir(parents=True, exist_ok=True)
    files = ["--json", str(folder / "bench.json"), "--plot", str(folder / "roofline.svg")]
    sys.exit(main(["bench", *files, *sys.argv[2:]]))
