"""Compile to a file in one process, and launch from it in another one that has no compiler.

python examples/09_ahead_of_time.py
"""

import pathlib
import subprocess
import sys
import tempfile

import tinytc_mlir as tt

LAUNCH = """
import sys
import numpy as np
import tinytc_mlir as tt

program = tt.load(sys.argv[1])
a = np.ones((16, 8, 100), np.float32, order="F")
b = np.ones((8, 4), np.float32, order="F")
c = np.empty((16, 4, 100), np.float32, order="F")
program["gemm"](0.5, a, b, c)
assert (c == 4).all()
assert "mlir" not in sys.modules, "expected no compiler in this process"
print("launched", *program.kernels, "for", program.target)
"""


def main():
    """Compile, and launch elsewhere."""
    source = pathlib.Path(__file__).parent / "embedding" / "gemm.ir"
    program = tt.Context().parse_file(source).compile()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "gemm.tinytcb"
        program.save(path)
        print(f"saved    {path.name}, {path.stat().st_size} bytes")
        sys.stdout.flush()
        subprocess.run([sys.executable, "-c", LAUNCH, str(path)], check=True)


if __name__ == "__main__":
    main()
