"""Multiply matrices of many different sizes with vectors, in one launch.

    python examples/06_group_sizes.py

A parameter of group type takes a list of arrays; each group loads its own, with its size.
"""

import pathlib

import numpy as np

import tinytc_mlir as tt

GROUPS = 200


def main():
    """Compile, launch and compare."""
    module = tt.Context().parse_file(pathlib.Path(__file__).with_suffix(".ir"))
    kernel = module.compile()["products"]
    random = np.random.default_rng(0)
    sizes = random.integers(1, 60, (GROUPS, 2))
    a = [tt.asarray(random.standard_normal((m, n)).astype(np.float32)) for m, n in sizes]
    x = [tt.asarray(random.standard_normal(n).astype(np.float32)) for _, n in sizes]
    y = [tt.empty((m,), np.float32) for m, _ in sizes]
    kernel(a, x, y, groups=GROUPS)
    error = max(
        np.abs(found - matrix @ vector).max() for matrix, vector, found in zip(a, x, y, strict=True)
    )
    print(f"sizes  {sizes.min()} to {sizes.max()}")
    print(f"error  {error:.1e}")
    if error > 1e-4:
        raise SystemExit("expected an error of at most 1e-4")


if __name__ == "__main__":
    main()
