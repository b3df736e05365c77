"""Reduce a batch to its sum, its maximum and a histogram, by atomic updates from all groups.

python examples/04_atomic_reduction.py
"""

import pathlib

import numpy as np

import tinytc_mlir as tt

LENGTH, GROUPS, BINS = 256, 100, 32


def main():
    """Compile, launch and compare."""
    module = tt.Context().parse_file(pathlib.Path(__file__).with_suffix(".ir"))
    kernel = module.compile()["statistics"]
    x = np.asfortranarray(np.random.default_rng(0).random((LENGTH, GROUPS), np.float32))
    total, high = np.zeros((), np.float64), np.zeros((), np.float32)
    histogram = np.zeros(BINS, np.int32)
    kernel(x, total, high, histogram)

    expected, _ = np.histogram(x, BINS, (0, 1))
    print(f"mean       {total / x.size:.4f}")
    print(f"largest    {high:.4f}")
    print(f"histogram  {histogram.min()} to {histogram.max()} elements in {BINS} bins")
    is_right = np.isclose(total, x.sum(dtype=np.float64), rtol=1e-12)
    if not (is_right and high == x.max() and (histogram == expected).all()):
        raise SystemExit("expected the results of NumPy, got others")


if __name__ == "__main__":
    main()
