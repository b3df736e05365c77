"""Multiply matrices of f64 by products of 8-bit integers, as accurately as one asks for.

    python examples/12_ozaki.py

Machines whose matrix units have no f64 multiply bytes many times as fast.
"""

import numpy as np

import tinytc_mlir as tt

M, N, K, COUNT = 96, 64, 200, 3


def reference(a, b):
    """Return the products in extended precision."""
    return np.einsum("mki,kni->mni", a.astype(np.longdouble), b.astype(np.longdouble))


def main():
    """Multiply for several error bounds, and compare."""
    random = np.random.default_rng(0)
    a, b = (
        np.asfortranarray(np.ldexp(random.uniform(-1, 1, shape), random.integers(-9, 9, shape)))
        for shape in ((M, K, COUNT), (K, N, COUNT))
    )
    exact = reference(a, b)
    # What bounds are relative to: K times the largest numbers of the row and of the column.
    scale = K * np.abs(a).max(axis=1)[:, np.newaxis] * np.abs(b).max(axis=0)[np.newaxis]
    a, b = tt.asarray(a), tt.asarray(b)
    c = tt.empty((M, N, COUNT), np.float64)
    print("bound   slices   error")
    for bound in (1e-3, 1e-8, 1e-15):
        gemm = tt.recipes.ozaki_gemm(M, N, K, rtol=bound)
        gemm(1.0, a, b, 0.0, c)
        error = float((np.abs(c - exact) / scale).max())
        print(f"{bound:.0e} {gemm.splits:7} {error:9.1e}")
        if not error <= bound:
            raise SystemExit(f"expected an error of at most {bound}")
    plain = float((np.abs(np.einsum("mki,kni->mni", a, b) - exact) / scale).max())
    print(f"NumPy in f64  {plain:7.1e}")


if __name__ == "__main__":
    main()
