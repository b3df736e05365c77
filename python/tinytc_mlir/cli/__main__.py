# SPDX-License-Identifier: BSD-3-Clause
"""Runs `tinytc` as `python -m tinytc_mlir.cli`."""

import sys

from . import main

if __name__ == "__main__":
    sys.exit(main())
