"""Products from slices of integers, by the code for GPUs, compared with exact ones."""

import numpy as np
import pytest

import tinytc_mlir as tt
from cases import ozaki_numbers as exact
from emulators.machines import machine
from tinytc_mlir.emulators.findings import FINDINGS, SETTINGS
from tinytc_mlir.scalars import SCALAR_TYPES

SIZES = (5, 3, 7)
CASES = [
    ("intel-gpu:pvc", "f64", False),
    ("intel-gpu:dg2", "f32", True),
    ("cuda:sm_80", "f64", True),
    ("cuda:sm_90", "f32", False),
]


@pytest.mark.similar
@pytest.mark.parametrize(("target", "type_", "is_transposed"), CASES)
def test_products(target, type_, is_transposed, monkeypatch):
    """Two, with exponents over 40 binary orders; the matrix unit multiplies."""
    monkeypatch.setattr(SETTINGS, "limit", 10_000_000)
    m, n, k = SIZES
    rng = np.random.default_rng(1)
    a, b = (exact.spread_values(rng, type_, (*s, 2), 40) for s in ((m, k), (k, n)))
    c = exact.spread_values(rng, type_, (m, n, 2), 40)
    found = np.asfortranarray(c)
    transposes = {"transpose_a": is_transposed, "transpose_b": is_transposed}
    recipe = tt.recipes.ozaki_gemm(*SIZES, type_, splits=5, target=target, **transposes)
    left, right = (x.swapaxes(0, 1) if is_transposed else x for x in (a, b))
    before = FINDINGS.counts["matrix operations"]
    with machine(target).installed():
        FINDINGS.start()
        recipe(1.0, np.asfortranarray(left), np.asfortranarray(right), 1.0, found)
    assert not FINDINGS.serious()
    assert FINDINGS.counts["matrix operations"] > before
    epsilon = SCALAR_TYPES[type_].epsilon
    for i in range(2):
        x, y, z = a[:, :, i], b[:, :, i], exact.integers(c[:, :, i])
        whole = exact.integers(x) @ exact.integers(y) + z * exact.ONE
        scales = exact.scale(type_, x, y) + abs(z) * exact.ONE
        bound = recipe.error_bound / 4 + 8 * epsilon
        assert exact.difference(found[:, :, i], whole, scales) <= bound
