"""Compute softmax(Q K^T) V for many heads: two products, and code for subgroups between them.

    python examples/03_attention.py

The scores never leave local memory.
"""

import pathlib

import numpy as np

import tinytc_mlir as tt

QUERIES, KEYS, LENGTH, HEADS = 16, 64, 32, 200


def reference(scale, q, k, v):
    """Return the results of all heads, in double precision."""
    q, k, v = (np.asarray(array, np.float64) for array in (q, k, v))
    scores = scale * np.einsum("mdh,ndh->mnh", q, k)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return np.einsum("mnh,ndh->mdh", weights, v)


def main():
    """Compile, launch and compare."""
    module = tt.Context().parse_file(pathlib.Path(__file__).with_suffix(".ir"))
    kernel = module.compile()["attention"]
    random = np.random.default_rng(0)
    q, k, v = (
        tt.asarray(random.standard_normal((rows, LENGTH, HEADS), np.float32))
        for rows in (QUERIES, KEYS, KEYS)
    )
    o = tt.empty((QUERIES, LENGTH, HEADS), np.float32)
    scale = LENGTH**-0.5
    kernel(scale, q, k, v, o)
    error = np.abs(o - reference(scale, q, k, v)).max()
    print(f"heads  {HEADS}")
    print(f"error  {error:.1e}")
    if error > 1e-5:
        raise SystemExit("expected an error of at most 1e-5")


if __name__ == "__main__":
    main()
