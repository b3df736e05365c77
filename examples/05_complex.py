"""Compute Gram matrices of complex matrices, in double and in single precision.

python examples/05_complex.py
"""

import pathlib

import numpy as np

import tinytc_mlir as tt

ROWS, COLUMNS, GROUPS = 12, 6, 300


def run(context, type_name, dtype):
    """Return the error of the kernel for an element type, in units of epsilon times the rows."""
    path = pathlib.Path(__file__).with_suffix(".ir")
    kernel = context.parse_file(path, defines={"T": type_name}).compile()["gram"]
    random = np.random.default_rng(0)
    parts = random.standard_normal((2, ROWS, COLUMNS, GROUPS))
    a = tt.asarray((parts[0] + 1j * parts[1]).astype(dtype))
    g = tt.empty((COLUMNS, COLUMNS, GROUPS), dtype)
    kernel(a, g)
    wide = np.asarray(a, np.complex128)
    expected = np.einsum("kmi,kni->mni", wide.conj(), wide)
    return np.abs(g - expected).max() / (np.abs(expected).max() * np.finfo(dtype).eps * ROWS)


def main():
    """Run both precisions."""
    context = tt.Context()
    for type_name, dtype in (("c64", np.complex128), ("c32", np.complex64)):
        error = run(context, type_name, dtype)
        print(f"{type_name}  {error:.2f} epsilon times the number of rows")
        if error > 2:
            raise SystemExit("expected an error of at most 2")


if __name__ == "__main__":
    main()
