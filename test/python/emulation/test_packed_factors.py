"""Products of sizes that only the launch knows, with factors in local memory, on dg2."""

import numpy as np
import pytest

from cases.unit_products import Gemm
from emulators.machines import machine
from tinytc_mlir.emulators.findings import FINDINGS, SETTINGS

GPU = "intel-gpu:dg2"
#: Operations of the matrix unit in all subgroups that have rows and columns of C.
OPERATIONS = {"f16": {(35, 35, 35): 108, (5, 6, 33): 12}, "i8": {(35, 35, 35): 72, (5, 6, 33): 8}}


@pytest.mark.similar
@pytest.mark.parametrize("transpose", ["nn", "tn", "nt", "tt"])
@pytest.mark.parametrize(("type_", "result"), [("f16", "f32"), ("i8", "i32")])
def test_unknown_sizes(type_, result, transpose, monkeypatch):
    monkeypatch.setattr(SETTINGS, "limit", 1_000_000)
    with machine(GPU).installed():
        for shape, operations in OPERATIONS[type_].items():
            gemm = Gemm(type_, result, shape, transpose, is_dynamic=True)
            a, b, c = gemm.arrays(np.random.default_rng(3))
            expected = gemm.expected(1, a, b, 1, c)
            kernel = gemm.parse().compile(GPU)["f"]
            FINDINGS.start()
            before = FINDINGS.counts["matrix operations"]
            kernel(1, a, b, 1, c)
            assert not FINDINGS.serious()
            assert FINDINGS.counts["matrix operations"] - before == operations
            assert gemm.difference(c, expected) <= 1
