"""Measures the whole suite, prints the tables and writes the numbers and a plot to a folder.

Run with `python bench/kernels.py FOLDER [OPTION...]`; the options are those of `tinytc bench`.
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
