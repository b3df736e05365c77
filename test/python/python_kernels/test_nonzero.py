"""Annotations with patterns of zeros."""

import numpy as np

import tinytc_mlir as tt


def test_kernels_of_python():
    @tt.kernel
    def f(A: tt.f64[4, 4].nonzero(np.tri(4, dtype=bool)), x: tt.f64[4], y: tt.f64[4]):
        t = tt.local(tt.f64[4].nonzero(((0, 4),)))
        t[:] = A @ x
        y[:] = t

    text = f.module().to_text() if callable(f.module) else f.module.to_text()
    assert "nonzero=[[0, 4, 0, 1], [1, 4, 1, 2], [2, 4, 2, 3], [3, 4, 3, 4]]" in text
    assert "alloca {nonzero=[[0, 4]]}" in text
    a, x, y = np.asfortranarray(np.tri(4)), np.arange(4.0), np.zeros(4)
    f(a, x, y)
    assert y.tolist() == (np.tri(4) @ x).tolist()
